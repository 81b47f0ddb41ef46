"""What a value is not: pydantic's errors in plain words, each with its place in the JSON value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from pydantic import ValidationError

from statekit import wire
from statekit.errors import Mismatch
from statekit.preview import preview
from statekit.value import ABSENT, Absent, Json, Path, json_path, same

# Where pydantic puts the key of an object instead of the value below it.
_KEY: Final = "[key]"
_PREVIEW: Final = 60
_SHOWN: Final = 3

_EXPECTED: Final = {
    **dict.fromkeys(["bool_type", "bool_parsing"], "a boolean"),
    **dict.fromkeys(["int_type", "int_parsing", "int_from_float"], "an integer"),
    **dict.fromkeys(["float_type", "float_parsing"], "a number"),
    **dict.fromkeys(["string_type", "bytes_type", "string_sub_type"], "text"),
    **dict.fromkeys(["list_type", "tuple_type", "set_type", "frozen_set_type", "iterable_type"], "an array"),
    **dict.fromkeys(["dict_type", "mapping_type", "model_type", "model_attributes_type"], "an object"),
    **dict.fromkeys(["dataclass_type", "typed_dict_type"], "an object"),
    **dict.fromkeys(["extra_forbidden", "unexpected_keyword_argument"], "no such field"),
    "none_required": "null",
    "datetime_type": "an ISO date and time",
    "date_type": "an ISO date",
    "time_type": "an ISO time",
    "time_delta_type": "an ISO duration",
    "uuid_type": "a UUID as text",
    "decimal_type": "a decimal number",
}
_MISSING: Final = frozenset(
    {"missing", "missing_argument", "missing_keyword_only_argument", "missing_positional_only_argument"}
)
_BOUNDS: Final = frozenset({"greater_than", "greater_than_equal", "less_than", "less_than_equal"})
_VALIDATORS: Final = frozenset({"value_error", "assertion_error"})


def mismatches(value: Json, error: ValidationError) -> list[Mismatch]:
    """Every mismatch that made a JSON value fail; the branches of a union that fail at one place are one of them."""
    alternatives: dict[tuple[str, str], list[str]] = {}
    for found in error.errors(include_url=False):
        path, expected, got = _mismatch(value, found)
        alternatives.setdefault((path, got), []).append(expected)
    return [Mismatch(path, " or ".join(dict.fromkeys(words)), got) for (path, got), words in alternatives.items()]


def summary(errors: Sequence[Mismatch]) -> str:
    """Mismatches as one phrase: the first few, and how many more there are."""
    shown = "; ".join(map(str, errors[:_SHOWN]))
    return shown if len(errors) <= _SHOWN else f"{shown}; and {len(errors) - _SHOWN} more"


def described(value: Json | Absent) -> str:
    """What a value is, with a short preview.

    >>> described("yes"), described(1), described(None), described(ABSENT)
    ('text "yes"', 'an integer 1', 'null', 'nothing')
    """
    if value is ABSENT:
        return "nothing"
    return "null" if value is None else f"{wire.kind_of(value)} {preview(value, _PREVIEW)}"


def _mismatch(value: Json, found: Any) -> Mismatch:
    loc: Path = found["loc"]
    if found["type"] in _MISSING:
        path, _ = _place(value, loc[:-1], found["input"])
        return Mismatch(json_path((*path, loc[-1])), "a value", described(ABSENT))
    if loc and loc[-1] == _KEY:
        path, _ = _place(value, loc[:-1], ABSENT)
        return Mismatch(json_path(path), f"{_expected(found)} as the key", described(found["input"]))
    path, node = _place(value, loc, found["input"])
    return Mismatch(json_path(path), _expected(found), described(node))


def _expected(found: Any) -> str:
    kind, context = found["type"], found.get("ctx", {})
    if kind == "union_tag_invalid":
        return f"one of {context['expected_tags']} in {context['discriminator']}"
    if kind == "union_tag_not_found":
        return f"a tag in {context['discriminator']}"
    return _EXPECTED.get(kind) or _reworded(kind, found["msg"])


def _reworded(kind: str, message: str) -> str:
    if kind in _BOUNDS:
        return message.replace("Input should be", "a value", 1)
    if kind in _VALIDATORS:
        return f"a value that its validator accepts ({message.partition(', ')[2]})"
    if message.startswith("Input should be "):
        return message.removeprefix("Input should be ")
    return f"a value that fits ({message[:1].lower()}{message[1:]})"


def _place(value: Json, loc: Path, target: Json | Absent) -> tuple[Path, Json]:
    """The place that a location of pydantic's means, in which labels of union branches stand between the real parts."""
    places: dict[Path, Json] = {(): value}
    for part in loc:
        places |= dict(_descend(places.items(), part))
    # A label may be spelled like a field; what pydantic looked at tells them apart.
    fitting = [path for path, node in places.items() if same(node, target)]
    deepest = max(fitting or places, key=len)
    return deepest, places[deepest]


def _descend(places: Iterable[tuple[Path, Json]], part: str | int) -> Iterable[tuple[Path, Json]]:
    for path, node in places:
        inside = part in node if isinstance(node, dict) else isinstance(node, list) and part in range(len(node))
        if inside:
            yield (*path, part), node[part]
