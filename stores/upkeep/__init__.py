"""Work on a log beside its readers and writers: compaction, retention, rebuilding."""
