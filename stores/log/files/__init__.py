"""Files of the log on any file system; each appears whole or not at all."""
