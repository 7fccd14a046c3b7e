"""The RocksDB engine, with its caches of rows and columns; only it imports rocksdict."""
