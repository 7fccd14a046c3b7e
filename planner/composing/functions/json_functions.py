"""Functions of json and jsonb, which are texts: DuckDB's json loses digits, blanks and keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from stategate.planner.composing.functions.rowwise import PythonFunction, rowwise
from stategate.planner.values.documents import (
    json_edit,
    json_objects,
    json_order,
    json_parts,
    json_path,
    json_text,
)

_TABLE: Mapping[str, tuple[Callable[..., Any], str, str]] = {
    "read_json": (json_text.checked, "VARCHAR", "VARCHAR"),
    "read_jsonb": (json_text.canonical, "VARCHAR", "VARCHAR"),
    "json_escaped": (json_text.quoted, "VARCHAR", "VARCHAR"),
    "json_member": (json_parts.member, "VARCHAR VARCHAR", "VARCHAR"),
    "json_member_text": (json_parts.member_text, "VARCHAR VARCHAR", "VARCHAR"),
    "json_element": (json_parts.element, "VARCHAR INTEGER", "VARCHAR"),
    "json_element_text": (json_parts.element_text, "VARCHAR INTEGER", "VARCHAR"),
    "jsonb_element": (json_parts.element_of_jsonb, "VARCHAR INTEGER", "VARCHAR"),
    "jsonb_element_text": (json_parts.element_text_of_jsonb, "VARCHAR INTEGER", "VARCHAR"),
    "json_path": (json_parts.at_path, "VARCHAR VARCHAR[]", "VARCHAR"),
    "json_path_text": (json_parts.text_at_path, "VARCHAR VARCHAR[]", "VARCHAR"),
    "json_array_length": (json_parts.array_length, "VARCHAR", "INTEGER"),
    "json_elements": (json_parts.elements, "VARCHAR VARCHAR", "VARCHAR[]"),
    "json_element_texts": (json_parts.element_texts, "VARCHAR VARCHAR", "VARCHAR[]"),
    "json_keys": (json_parts.keys, "VARCHAR VARCHAR", "VARCHAR[]"),
    "json_pairs": (json_parts.pairs, "VARCHAR VARCHAR", "VARCHAR[][]"),
    "json_without_nulls": (json_parts.without_nulls, "VARCHAR", "VARCHAR"),
    "json_object_of_list": (json_objects.object_of_list, "VARCHAR[]", "VARCHAR"),
    "json_object_of_rows": (json_objects.object_of_rows, "VARCHAR[][]", "VARCHAR"),
    "json_object_of_both": (json_objects.object_of_both, "VARCHAR[] VARCHAR[]", "VARCHAR"),
    "jsonb_key": (json_order.sort_key, "VARCHAR", "BLOB"),
    "jsonb_contains": (json_order.contains, "VARCHAR VARCHAR", "BOOLEAN"),
    "jsonb_has": (json_order.has_key, "VARCHAR VARCHAR", "BOOLEAN"),
    "jsonb_has_any": (json_order.has_any_key, "VARCHAR VARCHAR[]", "BOOLEAN"),
    "jsonb_has_all": (json_order.has_all_keys, "VARCHAR VARCHAR[]", "BOOLEAN"),
    "jsonb_distinct": (json_order.distinct, "VARCHAR[]", "VARCHAR[]"),
    "jsonb_greatest": (json_order.greatest, "VARCHAR[]", "VARCHAR"),
    "jsonb_least": (json_order.least, "VARCHAR[]", "VARCHAR"),
    "jsonb_number": (json_parts.number_of, "VARCHAR VARCHAR", "VARCHAR"),
    "jsonb_boolean": (json_parts.boolean_of, "VARCHAR", "BOOLEAN"),
    "jsonb_path_query": (json_path.query, "VARCHAR VARCHAR", "VARCHAR[]"),
    "jsonb_path_query_array": (json_path.query_array, "VARCHAR VARCHAR", "VARCHAR"),
    "jsonb_path_query_first": (json_path.query_first, "VARCHAR VARCHAR", "VARCHAR"),
    "jsonb_path_exists": (json_path.exists, "VARCHAR VARCHAR", "BOOLEAN"),
    "jsonb_path_match": (json_path.matches, "VARCHAR VARCHAR", "BOOLEAN"),
    "jsonb_path_exists_silent": (json_path.exists_silently, "VARCHAR VARCHAR", "BOOLEAN"),
    "jsonb_path_match_silent": (json_path.matches_silently, "VARCHAR VARCHAR", "BOOLEAN"),
    "jsonb_without_nulls": (json_edit.without_nulls, "VARCHAR", "VARCHAR"),
    "jsonb_pretty": (json_edit.pretty, "VARCHAR", "VARCHAR"),
    "jsonb_concat": (json_edit.concatenated, "VARCHAR VARCHAR", "VARCHAR"),
    "jsonb_less": (json_edit.without_keys, "VARCHAR VARCHAR[]", "VARCHAR"),
    "jsonb_less_at": (json_edit.without_element, "VARCHAR INTEGER", "VARCHAR"),
    "jsonb_less_path": (json_edit.without_path, "VARCHAR VARCHAR[]", "VARCHAR"),
    "jsonb_set": (json_edit.with_path, "VARCHAR VARCHAR[] VARCHAR BOOLEAN", "VARCHAR"),
    "jsonb_insert": (json_edit.with_inserted, "VARCHAR VARCHAR[] VARCHAR BOOLEAN", "VARCHAR"),
}
JSON_FUNCTIONS: Mapping[str, PythonFunction] = {
    f"pg_sg_{name}": rowwise(function, given.split(), result)
    for name, (function, given, result) in _TABLE.items()
}
"""By name: the function, the types of its arguments, and its result type."""
