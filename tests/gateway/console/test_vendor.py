"""The libraries of the console are those that were made, small, and have their licences."""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path

import stategate.gateway.http

VENDOR = Path(stategate.gateway.http.__file__).parent / "pages" / "console" / "vendor"
SOURCES = Path(__file__).parent / "vendor"
HASHES = {
    "codemirror.js": "a2a84debb3941cde3907e7ad0eaf0b9b94465b20d835865718b9d8edc4f1e972",
    "uplot.css": "978c963030d866b68f6185ff610ebb0620bab5e47ef1cd7127a60869175da9f3",
    "uplot.js": "276b1b3757b4ada68963e28041a57bb3aa1f788d3f946a2ed868c38fd72d7546",
}
"""SHA-256 of each file, as make.sh prints them."""
COMPRESSED_MAX = 250_000
"""Of all files together, by gzip: far less than a megabyte, so that a phone loads them at once."""


def test_the_files_are_those_that_were_made() -> None:
    found = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in VENDOR.iterdir()
        if path.suffix != ".txt"
    }
    assert found == HASHES


def test_the_files_are_small() -> None:
    assert sum(len(gzip.compress(path.read_bytes())) for path in VENDOR.iterdir()) < COMPRESSED_MAX


def test_the_licences_of_all_libraries_are_there() -> None:
    licences = (VENDOR / "LICENSES.txt").read_text()
    package = json.loads((SOURCES / "package.json").read_text())
    bundled = {name: v for name, v in package["dependencies"].items() if name != "esbuild"}
    assert len(bundled) > 10
    for name, version in bundled.items():
        assert f"\n{name} {version}\n" in licences
    assert licences.count("Permission is hereby granted, free of charge") == len(bundled)
