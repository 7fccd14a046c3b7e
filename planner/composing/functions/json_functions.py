"""Functions of json and jsonb, which are texts: DuckDB's json loses digits, blanks and keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from planner.composing.functions.rowwise import rowwise
from planner.values import json_edit, json_objects, json_order, json_parts, json_path, json_text

_TEXTS = pa.list_(pa.string())
_BOOLEAN, _INTEGER, _BYTES = pa.bool_(), pa.int32(), pa.binary()
_RESULTS = {
    _TEXTS: "VARCHAR[]",
    pa.list_(_TEXTS): "VARCHAR[][]",
    _BOOLEAN: "BOOLEAN",
    _INTEGER: "INTEGER",
    _BYTES: "BLOB",
    pa.string(): "VARCHAR",
}
_TABLE: dict[str, tuple[Callable[..., Any], str, pa.DataType]] = {
    "read_json": (json_text.checked, "VARCHAR", pa.string()),
    "read_jsonb": (json_text.canonical, "VARCHAR", pa.string()),
    "json_escaped": (json_text.quoted, "VARCHAR", pa.string()),
    "json_member": (json_parts.member, "VARCHAR VARCHAR", pa.string()),
    "json_member_text": (json_parts.member_text, "VARCHAR VARCHAR", pa.string()),
    "json_element": (json_parts.element, "VARCHAR INTEGER", pa.string()),
    "json_element_text": (json_parts.element_text, "VARCHAR INTEGER", pa.string()),
    "jsonb_element": (json_parts.element_of_jsonb, "VARCHAR INTEGER", pa.string()),
    "jsonb_element_text": (json_parts.element_text_of_jsonb, "VARCHAR INTEGER", pa.string()),
    "json_path": (json_parts.at_path, "VARCHAR VARCHAR[]", pa.string()),
    "json_path_text": (json_parts.text_at_path, "VARCHAR VARCHAR[]", pa.string()),
    "json_array_length": (json_parts.array_length, "VARCHAR", _INTEGER),
    "json_elements": (json_parts.elements, "VARCHAR VARCHAR", _TEXTS),
    "json_element_texts": (json_parts.element_texts, "VARCHAR VARCHAR", _TEXTS),
    "json_keys": (json_parts.keys, "VARCHAR VARCHAR", _TEXTS),
    "json_pairs": (json_parts.pairs, "VARCHAR VARCHAR", pa.list_(_TEXTS)),
    "json_without_nulls": (json_parts.without_nulls, "VARCHAR", pa.string()),
    "json_object_of_list": (json_objects.object_of_list, "VARCHAR[]", pa.string()),
    "json_object_of_rows": (json_objects.object_of_rows, "VARCHAR[][]", pa.string()),
    "json_object_of_both": (json_objects.object_of_both, "VARCHAR[] VARCHAR[]", pa.string()),
    "jsonb_key": (json_order.sort_key, "VARCHAR", _BYTES),
    "jsonb_contains": (json_order.contains, "VARCHAR VARCHAR", _BOOLEAN),
    "jsonb_has": (json_order.has_key, "VARCHAR VARCHAR", _BOOLEAN),
    "jsonb_has_any": (json_order.has_any_key, "VARCHAR VARCHAR[]", _BOOLEAN),
    "jsonb_has_all": (json_order.has_all_keys, "VARCHAR VARCHAR[]", _BOOLEAN),
    "jsonb_distinct": (json_order.distinct, "VARCHAR[]", _TEXTS),
    "jsonb_greatest": (json_order.greatest, "VARCHAR[]", pa.string()),
    "jsonb_least": (json_order.least, "VARCHAR[]", pa.string()),
    "jsonb_number": (json_parts.number_of, "VARCHAR VARCHAR", pa.string()),
    "jsonb_boolean": (json_parts.boolean_of, "VARCHAR", _BOOLEAN),
    "jsonb_path_query": (json_path.query, "VARCHAR VARCHAR", _TEXTS),
    "jsonb_path_query_array": (json_path.query_array, "VARCHAR VARCHAR", pa.string()),
    "jsonb_path_query_first": (json_path.query_first, "VARCHAR VARCHAR", pa.string()),
    "jsonb_path_exists": (json_path.exists, "VARCHAR VARCHAR", _BOOLEAN),
    "jsonb_path_match": (json_path.matches, "VARCHAR VARCHAR", _BOOLEAN),
    "jsonb_path_exists_silent": (json_path.exists_silently, "VARCHAR VARCHAR", _BOOLEAN),
    "jsonb_path_match_silent": (json_path.matches_silently, "VARCHAR VARCHAR", _BOOLEAN),
    "jsonb_without_nulls": (json_edit.without_nulls, "VARCHAR", pa.string()),
    "jsonb_pretty": (json_edit.pretty, "VARCHAR", pa.string()),
    "jsonb_concat": (json_edit.concatenated, "VARCHAR VARCHAR", pa.string()),
    "jsonb_less": (json_edit.without_keys, "VARCHAR VARCHAR[]", pa.string()),
    "jsonb_less_at": (json_edit.without_element, "VARCHAR INTEGER", pa.string()),
    "jsonb_less_path": (json_edit.without_path, "VARCHAR VARCHAR[]", pa.string()),
    "jsonb_set": (json_edit.with_path, "VARCHAR VARCHAR[] VARCHAR BOOLEAN", pa.string()),
    "jsonb_insert": (json_edit.with_inserted, "VARCHAR VARCHAR[] VARCHAR BOOLEAN", pa.string()),
}
JSON_FUNCTIONS: dict[str, tuple[Callable[..., Any], Sequence[str], str]] = {
    f"pg_sg_{name}": (
        rowwise(function, len(given.split()), result),
        given.split(),
        _RESULTS[result],
    )
    for name, (function, given, result) in _TABLE.items()
}
"""By name: the function, the types of its arguments, and its result type."""
MAY_BE_NULL = frozenset(JSON_FUNCTIONS)
"""Functions that may return NULL though no argument is."""
