"""The places at which two JSON values differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import cast

from statekit.history import ChangeKind
from statekit.value import ABSENT, Absent, Json, Path, copy_value, same


@dataclass(frozen=True, slots=True)
class Difference:
    """One place inside a value; an index in `path` counts in the value that has the item.

    `before` or `after` is `ABSENT` where the place is absent on that side. Both are to look at, never to change.
    """

    path: Path
    kind: ChangeKind
    before: Json | Absent
    after: Json | Absent


def differences(before: Json | Absent, after: Json | Absent) -> list[Difference]:
    """Where two values differ: objects field by field, lists without the ends they share.

    >>> [(d.path, d.kind.value, d.before, d.after) for d in differences({"a": 1, "b": [1, 2]}, {"a": True, "b": [2]})]
    [(('a',), 'changed', 1, True), (('b', 0), 'removed', 1, ABSENT)]
    """
    return list(_compare((), before, after))


def apply_differences(value: Json, found: Iterable[Difference]) -> Json:
    """A copy of the earlier value with its differences to the later one made good."""
    result = copy_value(value)
    ordered = list(found)
    for difference in (d for d in ordered if d.kind is ChangeKind.CHANGED):
        result = _put(result, difference)
    for difference in reversed([d for d in ordered if d.kind is ChangeKind.REMOVED]):
        result = _take(result, difference)
    for difference in (d for d in ordered if d.kind is ChangeKind.ADDED):
        result = _put(result, difference)
    return result


def _compare(path: Path, before: Json | Absent, after: Json | Absent) -> Iterator[Difference]:
    if isinstance(before, dict) and isinstance(after, dict):
        yield from _compare_objects(path, before, after)
    elif isinstance(before, list) and isinstance(after, list):
        yield from _compare_lists(path, before, after)
    elif (kind := ChangeKind.between(before, after)) is not None:
        yield Difference(path, kind, before, after)


def _compare_objects(path: Path, before: dict[str, Json], after: dict[str, Json]) -> Iterator[Difference]:
    for name in dict.fromkeys([*before, *after]):
        yield from _compare((*path, name), before.get(name, ABSENT), after.get(name, ABSENT))


def _compare_lists(path: Path, before: list[Json], after: list[Json]) -> Iterator[Difference]:
    shorter = min(len(before), len(after))
    head = _shared(zip(before, after, strict=False))
    tail = min(_shared(zip(reversed(before), reversed(after), strict=False)), shorter - head)
    paired = shorter - tail
    for place in range(head, paired):
        yield from _compare((*path, place), before[place], after[place])
    for place in range(paired, len(before) - tail):
        yield Difference((*path, place), ChangeKind.REMOVED, before[place], ABSENT)
    for place in range(paired, len(after) - tail):
        yield Difference((*path, place), ChangeKind.ADDED, ABSENT, after[place])


def _shared(pairs: Iterable[tuple[Json, Json]]) -> int:
    count = 0
    for left, right in pairs:
        if not same(left, right):
            break
        count += 1
    return count


def _parent(root: Json, path: Path) -> Json:
    for part in path[:-1]:
        root = root[part]
    return root


def _put(root: Json, difference: Difference) -> Json:
    after = copy_value(difference.after)
    if not difference.path:
        return after
    parent, last = _parent(root, difference.path), difference.path[-1]
    if difference.kind is ChangeKind.ADDED and isinstance(parent, list):
        parent.insert(cast(int, last), after)
    else:
        parent[last] = after
    return root


def _take(root: Json, difference: Difference) -> Json:
    if not difference.path:
        return ABSENT
    del _parent(root, difference.path)[difference.path[-1]]
    return root
