"""One record for each SQL type: its names, numbers and forms. `kinds` lists them all."""
