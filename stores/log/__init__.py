"""The state log: definitions, commits, data files and snapshots, on any file system.

| read | for |
|---|---|
| `state_log`, `epoch_chain`, `attempts` | one store in the log, and its epochs as one chain |
| `snapshots`, `inputs` | what replicas are restored from, and where epochs come from |
| `files` | files that appear whole or not at all: on disks, HDFS and object stores |
| `metadata` | the small files: definitions, commits, terms, heads, moves |
| `data` | the Parquet files with the rows |
| `writing` | whole epochs, by the owner of a store |
| `checking` | what a log holds, damage, and its repair |

Nothing here knows an engine or a replica.
"""
