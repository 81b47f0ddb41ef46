"""What pydantic's strict JSON mode still coerces: found by looking at how the loaded value would be written.

An `Enum` or `Literal` of numbers takes `true` and `1.0` for 1, a date takes a timestamp spelled as text, and an integer
too large for a float becomes infinite. All three are rare, so a value is only looked at when its text can hold one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from math import isinf
from typing import Any, Final, NamedTuple

from statekit.errors import Mismatch
from statekit.mismatch import described
from statekit.value import Json, Path, json_path

_NUMBER_TEXT: Final = re.compile(r"[-+]?\d+(?:\.\d*)?")
_ISO_DATE: Final = re.compile(r"-?\d{4}-\d\d-\d\d")


class Rule(NamedTuple):
    """One coercion: the schemas that do it, the texts that can hold it, the pairs that show it."""

    schemas: frozenset[str]
    text: re.Pattern[bytes]
    shows: Callable[[Json, Json], bool]
    expected: str


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
        for name in [name for name in stored if name in written]:
            yield from coercions(rules, stored[name], written[name], (*path, name))
    elif isinstance(stored, list) and isinstance(written, list):
        # A set is written in an order of its own, so what appears anywhere in the array counts as kept.
        kept = {(type(item), item) for item in written if not isinstance(item, (dict, list))}
        for index, (left, right) in enumerate(zip(stored, written, strict=False)):
            if isinstance(left, (dict, list)) or (type(left), left) not in kept:
                yield from coercions(rules, left, right, (*path, index))
    else:
        for rule in rules:
            if rule.shows(stored, written):
                yield Mismatch(json_path(path), rule.expected, described(stored))
