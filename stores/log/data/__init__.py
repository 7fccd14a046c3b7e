"""Data files: rows as Parquet, how they are read in part, and their digests."""
