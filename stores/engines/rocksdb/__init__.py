"""The RocksDB engine, with its caches of rows and of decoded columns. Alone imports rocksdict."""
