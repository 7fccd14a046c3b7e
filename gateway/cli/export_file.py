r"""Writes an answer to a file: `\export`.

The gateway renders the format. The answer goes to a file beside the wanted one, which it replaces
once it is whole: an answer that breaks off leaves everything as it was.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import orjson
import pyarrow as pa

from stategate.gateway.errors import ClientError

FORMATS: Final = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".json": "json",
    ".ndjson": "ndjson",
    ".jsonl": "ndjson",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".arrows": "arrow",
}
"""The format of each ending of a file's name."""
_TAIL_BYTES: Final = 1 << 20
"""Enough for the last line of an answer: a trailer or an error."""
_JSON_END: Final = re.compile(rb'"elapsed_ms":[-+.\deE]+\}\s*\Z')
_ARROW_ERROR: Final = b"stategate.error"


def format_of(path: Path) -> str:
    """Return the format of a file by its name.

    Raises:
        ClientError: the ending is not known.
    """
    found = FORMATS.get(path.suffix.lower())
    if found is None:
        raise ClientError(
            f"the name of {path.name or path} does not say its format",
            hint=f"Let it end in {', '.join(FORMATS)}.",
        )
    return found


def write_export(path: Path, parts: Iterable[bytes], note: Callable[[int], object]) -> int:
    """Write an answer to a file, whole or not at all; return its length in bytes.

    Args:
        path: the file, whose format its name says.
        parts: the body of the answer.
        note: gets the number of bytes so far.

    Raises:
        ClientError: the file cannot be written, or the answer ends in an error.
    """
    name, size = format_of(path), 0
    try:
        descriptor, beside = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise _not_written(path, error) from error
    try:
        with os.fdopen(descriptor, "wb") as file:
            for part in parts:
                file.write(part)
                size += len(part)
                note(size)
            file.flush()
            os.fsync(file.fileno())
        _refuse_error(Path(beside), name)
        # As a file that is opened for writing would have it.
        Path(beside).chmod(0o666 & ~_umask())
        os.replace(beside, path)
    except OSError as error:
        raise _not_written(path, error) from error
    finally:
        with suppress(FileNotFoundError):
            os.unlink(beside)
    return size


def _umask() -> int:
    held = os.umask(0o077)
    os.umask(held)
    return held


def _not_written(path: Path, error: OSError) -> ClientError:
    return ClientError(f"cannot write {path}: {(error.strerror or str(error)).lower()}")


def _refuse_error(path: Path, name: str) -> None:
    """Refuse an answer that ends in an error, as its format shows one.

    Raises:
        ClientError: it does.
    """
    if name == "arrow":
        told = _arrow_error(path)
    else:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - _TAIL_BYTES))
            told = _ERRORS[name](file.read())
    if told is not None:
        raise ClientError(f"the answer broke off: {told}")


def _last_line(tail: bytes) -> bytes:
    return tail.rstrip(b"\r\n").rpartition(b"\n")[2]


def _line_error(mark: bytes) -> Callable[[bytes], str | None]:
    def error(tail: bytes) -> str | None:
        last = _last_line(tail)
        if not last.startswith(mark):
            return None
        return last.decode(errors="ignore").rstrip(",\t ")  # without the byte that is no text

    return error


def _json_error(tail: bytes) -> str | None:
    if _JSON_END.search(tail):
        return None
    return _told(tail.rpartition(b'],"error":')[2].rstrip().removesuffix(b"}"))


def _ndjson_error(tail: bytes) -> str | None:
    last = _last_line(tail)
    document = _parsed(last)
    if not isinstance(document, dict):
        return "its last line is missing"
    return _message(document["error"]) if "error" in document else None


def _parquet_error(tail: bytes) -> str | None:
    if tail.endswith(b"PAR1"):
        return None
    return _told(_last_line(tail).partition(b" ")[2])


def _arrow_error(path: Path) -> str | None:
    with pa.memory_map(str(path)) as source:
        try:
            reader = pa.ipc.open_stream(source)
            while True:
                metadata = reader.read_next_batch_with_custom_metadata().custom_metadata
                if metadata is not None and _ARROW_ERROR in metadata:
                    return _told(metadata[_ARROW_ERROR])
        except StopIteration:
            return None
        except pa.ArrowInvalid as error:
            return str(error)


_ERRORS: Final[dict[str, Callable[[bytes], str | None]]] = {
    "csv": _line_error(b"#error,"),
    "tsv": _line_error(b"\\#error\t"),
    "json": _json_error,
    "ndjson": _ndjson_error,
    "parquet": _parquet_error,
}


def _parsed(text: bytes) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return None


def _told(document: bytes) -> str:
    return _message(_parsed(document))


def _message(error: Any) -> str:
    if isinstance(error, dict) and "message" in error:
        return f"{error.get('sqlstate')}: {error['message']}"
    return "it is not whole"
