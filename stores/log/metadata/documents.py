"""Small files of the state log: one JSON object each, with its format and a checksum.

`encode_document` writes every such file and `decode_document` reads it; `metadata.records` has
the fields. The last field is a SHA-256 of all bytes before it, and the bytes after it are fixed. So
every changed bit is found, in a value and in the checksum itself.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import orjson

from stategate.stores.errors import LogError, StoreError, TornRecordError
from stategate.stores.log.files.directory import RECORD_BYTES_MAX
from stategate.stores.spec.arguments import shown

FORMAT = 2
"""Version of all records; increased when an older reader would misread a newer record."""

T = TypeVar("T")
_FIELD = b',\n  "checksum": "sha256:'
_END = b'"\n}\n'
_TRAILER_BYTES = len(_FIELD) + 2 * hashlib.sha256().digest_size + len(_END)


def encode_document(fields: Mapping[str, Any]) -> bytes:
    """Encode a record: its format, its fields, and the checksum of both.

    Raises:
        LogError: it is longer than a reader reads.
    """
    document = {"format": FORMAT, **fields}
    text = orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    if len(text) + _TRAILER_BYTES > RECORD_BYTES_MAX:
        raise LogError(
            f"a record of the log may have {RECORD_BYTES_MAX} bytes, and this one has {len(text)}"
        )
    body = text.removesuffix(b"\n}\n")
    return body + _trailer(body)


def decode_document(data: bytes, path: str, build: Callable[[Mapping[str, Any]], T]) -> T:
    """Decode a record, which may hold anything, by the function `build`.

    Args:
        data: the bytes of the file.
        path: its name, for the message.
        build: makes a value of the fields; its errors become a TornRecordError.

    Raises:
        TornRecordError: it is incomplete, damaged or foreign; the message names `path`.
    """
    try:
        document = orjson.loads(data)
        if not isinstance(document, dict):
            raise TornRecordError(f'record "{path}" is not a JSON object')
        _check(document, data, path)
        return build(document)
    except TornRecordError:
        raise
    except orjson.JSONDecodeError as error:
        raise TornRecordError(f'record "{path}" is not complete JSON: {error}') from error
    except RecursionError as error:
        raise TornRecordError(f'record "{path}" is not valid: it is nested too deep') from error
    except KeyError as error:
        raise TornRecordError(f'record "{path}" has no field {error}') from error
    except (StoreError, TypeError, ValueError, AttributeError) as error:
        raise TornRecordError(f'record "{path}" is not valid: {error}') from error


def _check(document: Mapping[str, Any], data: bytes, path: str) -> None:
    found = document.get("format")
    if isinstance(found, bool) or found != FORMAT:
        raise TornRecordError(
            f'record "{path}" has format {shown(found)}; this version reads {FORMAT}'
        )
    body = data[:-_TRAILER_BYTES]
    if data != body + _trailer(body):
        raise TornRecordError(f'record "{path}" is damaged: its checksum does not fit')


def _trailer(body: bytes) -> bytes:
    return _FIELD + hashlib.sha256(body).hexdigest().encode() + _END


def text_value(item: Any) -> str:
    """Return a field that must be text."""
    if not isinstance(item, str):
        raise ValueError(f"{shown(item)} is not text")
    return item


def optional_text(item: Any) -> str | None:
    """Return a field that must be text or null."""
    return None if item is None else text_value(item)


def whole_value(item: Any) -> int:
    """Return a field that must be an integer."""
    if isinstance(item, bool) or not isinstance(item, int):
        raise ValueError(f"{shown(item)} is not an integer")
    return item


def optional_whole(item: Any) -> int | None:
    """Return a field that must be an integer or null."""
    return None if item is None else whole_value(item)
