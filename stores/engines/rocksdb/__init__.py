"""The engine on RocksDB, with its cache of rows and its cache of decoded columns.

The only importer of rocksdict.
"""
