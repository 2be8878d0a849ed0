"""The part of JSON Schema that our own schema uses."""

import json
import re
from functools import cache
from importlib.resources import files
from math import isfinite
from typing import Any

from bicneuron.exceptions import ModelFileError

_TYPES: dict[str, Any] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "integer": lambda value: type(value) is int,
    "number": lambda value: type(value) in (int, float) and isfinite(value),
}
_KEYWORDS: dict[str, Any] = {
    "type": lambda value, name: _TYPES[name](value),
    "const": lambda value, only: value == only,
    "enum": lambda value, choices: value in choices,
    "pattern": lambda value, pattern: re.search(pattern, value),
    "minimum": lambda value, least: value >= least,
    "maximum": lambda value, most: value <= most,
    "exclusiveMinimum": lambda value, bound: value > bound,
    "minItems": lambda value, least: len(value) >= least,
    "maxItems": lambda value, most: len(value) <= most,
    "required": lambda value, names: set(names) <= set(value),
}


@cache
def schema_of_single_neuron() -> Any:
    """The schema of a JSON model file."""
    text = files("bicneuron.persistence").joinpath("single_neuron.schema.json").read_text("utf-8")
    return json.loads(text)


def check_schema(value: Any, schema: Any, root: Any, place: str = "the file") -> None:
    """Refuse a value that does not follow the schema, and say where."""
    if "$ref" in schema:
        check_schema(value, root["$defs"][schema["$ref"].rpartition("/")[2]], root, place)
    for keyword, wanted in schema.items():
        if keyword in _KEYWORDS and not _KEYWORDS[keyword](value, wanted):
            raise ModelFileError(f"does not follow its schema: {place} breaks {keyword}={wanted}.")
    if "anyOf" in schema:
        _check_any(value, schema["anyOf"], root, place)
    if isinstance(value, list) and "items" in schema:
        for i, item in enumerate(value):
            check_schema(item, schema["items"], root, f"{place}[{i}]")
    if isinstance(value, dict):
        known, others = schema.get("properties", {}), schema.get("additionalProperties", True)
        for name, item in value.items():
            inner = known.get(name, others)
            if inner is False:
                raise ModelFileError(f"does not follow its schema: {place} has a {name!r}.")
            if inner is not True:
                check_schema(item, inner, root, f"{place}.{name}")


def _check_any(value: Any, choices: Any, root: Any, place: str) -> None:
    reasons = []
    for choice in choices:
        try:
            return check_schema(value, choice, root, place)
        except ModelFileError as error:
            reasons.append(error)
    raise reasons[-1]
