"""What pydantic's strict JSON mode still coerces: found by looking at how the loaded value would be written.

An `Enum` or `Literal` of numbers takes `true` and `1.0` for 1, a date takes a timestamp spelled as text, an integer
too large for a float becomes infinite, and the keys of an object that stand for numbers or booleans may be spelled in
ways that JSON does not know, so that two of them become one. All are rare, so a value is only looked at when its text
can hold one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from math import isinf
from typing import Any, Final, NamedTuple

from statekit.errors import Mismatch
from statekit.mismatch import described
from statekit.value import Json, Path, json_path

_NUMBER_TEXT: Final = re.compile(r"[-+]?\d+(?:\.\d*)?")
_ISO_DATE: Final = re.compile(r"-?\d{4}-\d\d-\d\d")
_JSON_NUMBER: Final = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?", re.ASCII)
_BOOLEANS: Final = {
    **dict.fromkeys(["true", "t", "yes", "y", "on", "1"], "true"),
    **dict.fromkeys(["false", "f", "no", "n", "off", "0"], "false"),
}


class Rule(NamedTuple):
    """One coercion: the schemas that do it, the texts that can hold it, what shows it.

    A value shows it beside the value that it became, a key beside the object that it is no longer in.
    """

    schemas: frozenset[str]
    text: re.Pattern[bytes]
    shows: Callable[[Any, Any], bool]
    expected: str
    of_keys: bool = False


def _changes_kind(stored: Json, written: Json) -> bool:
    pair = type(stored), type(written)
    return pair in {(bool, int), (bool, float), (int, bool), (float, bool), (float, int)}


def _reads_timestamp(stored: Json, written: Json) -> bool:
    return (
        isinstance(stored, str)
        and isinstance(written, str)
        and _NUMBER_TEXT.fullmatch(stored) is not None
        and _ISO_DATE.match(written) is not None
    )


def _overflows(stored: Json, written: Json) -> bool:
    return isinstance(stored, int) and isinstance(written, float) and isinf(written)


def _respells_number(stored: str, written: Mapping[str, Json]) -> bool:
    # What is written as an integer stands for one, and `1.0` is none.
    if str(_converted(int, stored.partition(".")[0])) in written:
        return True
    return _JSON_NUMBER.fullmatch(stored) is None and str(_converted(float, stored)) in written


def _converted(kind: type[int] | type[float], text: str) -> float | None:
    try:
        return kind(text)
    except ValueError:
        return None


def _respells_boolean(stored: str, written: Mapping[str, Json]) -> bool:
    return _BOOLEANS.get(stored.lower()) in written


def _holds_timestamp(stored: str, written: Mapping[str, Json]) -> bool:
    return any(_reads_timestamp(stored, name) for name in written)


_RULES: Final = (
    Rule(
        frozenset({"enum", "literal"}),
        re.compile(rb"true|false|[01]\b|\.\d|\d[eE]"),
        _changes_kind,
        "one of the declared constants, of the same kind",
    ),
    Rule(
        frozenset({"datetime", "date"}),
        re.compile(rb'"[-+]?\d+(?:\.\d*)?"'),
        _reads_timestamp,
        "an ISO date, not a timestamp",
    ),
    Rule(frozenset({"float"}), re.compile(rb"\d{309}"), _overflows, "a number that a float can hold"),
    Rule(
        frozenset({"int", "float", "enum"}),
        re.compile(rb'"(?!-?(?:0|[1-9]\d*)")(?:\s|\\[tnrf]|[-+])*(?:[.\d]|inf)[^"]*":', re.IGNORECASE),
        _respells_number,
        "a number as JSON spells it as the key",
        of_keys=True,
    ),
    Rule(
        frozenset({"bool"}),
        re.compile(rb'"(?!(?-i:true|false)")(?:[01]|[tfyn]|on|off|yes|no|true|false)":', re.IGNORECASE),
        _respells_boolean,
        "true or false as the key",
        of_keys=True,
    ),
    Rule(
        frozenset({"datetime", "date"}),
        re.compile(rb'"[-+]?\d+(?:\.\d*)?":'),
        _holds_timestamp,
        "an ISO date as the key, not a timestamp",
        of_keys=True,
    ),
)


def rules_of(schema: Any) -> tuple[Rule, ...]:
    """The rules that a pydantic core schema needs."""
    kinds = set(_kinds(schema, set()))
    return tuple(rule for rule in _RULES if rule.schemas & kinds)


def _kinds(node: Any, seen: set[int]) -> Iterator[str]:
    if not isinstance(node, (dict, list, tuple)) or id(node) in seen:
        return
    seen.add(id(node))
    if isinstance(node, dict):
        kind = node.get("type")
        if isinstance(kind, str) and _coerces(node):
            yield kind
        node = list(node.values())
    for item in node:
        yield from _kinds(item, seen)


def _coerces(node: dict[Any, Any]) -> bool:
    constants = node.get("expected", ()) if node["type"] == "literal" else node.get("members", ())
    constants = [getattr(constant, "value", constant) for constant in constants]
    return not constants or any(isinstance(constant, (int, float)) for constant in constants)


def may_hold(rules: tuple[Rule, ...], text: bytes) -> tuple[Rule, ...]:
    """The rules that a text can break."""
    return tuple(rule for rule in rules if rule.text.search(text))


def coercions(rules: tuple[Rule, ...], stored: Json, written: Json, path: Path = ()) -> Iterator[Mismatch]:
    """Where a stored value was coerced, seen by how the loaded one would be written."""
    if isinstance(stored, dict) and isinstance(written, dict):
        for name, item in stored.items():
            if name in written:
                yield from coercions(rules, item, written[name], (*path, name))
            else:
                yield from _shown(rules, name, written, (*path, name), of_keys=True)
    elif isinstance(stored, list) and isinstance(written, list):
        # A set is written in an order of its own, so what appears anywhere in the array counts as kept.
        kept = {(type(item), item) for item in written if not isinstance(item, (dict, list))}
        for index, (left, right) in enumerate(zip(stored, written, strict=False)):
            if isinstance(left, (dict, list)) or (type(left), left) not in kept:
                yield from coercions(rules, left, right, (*path, index))
    else:
        yield from _shown(rules, stored, written, path)


def _shown(
    rules: Iterable[Rule], stored: Json, written: Json, path: Path, *, of_keys: bool = False
) -> Iterator[Mismatch]:
    for rule in rules:
        if rule.of_keys is of_keys and rule.shows(stored, written):
            yield Mismatch(json_path(path), rule.expected, described(stored))
