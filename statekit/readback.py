"""Whether a value that was written comes back equal."""

from __future__ import annotations

from cmath import isfinite
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from datetime import datetime, timezone
from enum import Enum
from typing import Any

from pydantic import BaseModel

from statekit.errors import Mismatch
from statekit.value import ABSENT, MAX_INTEGER, MIN_INTEGER, Path, json_path


def changes(written: object, read: object, path: Path = ()) -> Iterator[Mismatch]:
    """The places at which what is read is not what was written.

    Models and dataclasses compare field by field over what is serialized, a list equals a tuple of the same items
    since both are arrays, and an object that only knows identity equals any other of its type.
    """
    if isinstance(written, dict) and isinstance(read, dict):
        yield from _in_objects(written, read, path)
    elif isinstance(written, (list, tuple)) and isinstance(read, (list, tuple)):
        yield from _in_arrays(written, read, path)
    elif isinstance(written, (set, frozenset)) and isinstance(read, (set, frozenset)):
        yield from _in_sets(written, read, path)
    elif _has_fields(written):
        if type(written) is type(read):
            yield from _in_objects(_parts(written), _parts(read), path)
        else:
            yield _change(path, written, read)
    elif not _equal(written, read):
        yield _change(path, written, read)


def _in_objects(written: dict[Any, object], read: dict[Any, object], path: Path) -> Iterator[Mismatch]:
    lost = [name for name in written if name not in read or not _is_number_of_json(name)]
    # Where a key was lost, a new one is what it turned into.
    appeared = [] if lost else [name for name in read if name not in written]
    for name in lost:
        got = f"a key of type {type(name).__name__}"
        yield Mismatch(json_path((*path, _part(name))), "a key that loads back equal", got)
    for name in appeared:
        yield Mismatch(json_path((*path, _part(name))), "nothing", "a field that appears when it loads back")
    for name in [name for name in written if name in read]:
        yield from changes(written[name], read[name], (*path, _part(name)))


def _part(name: object) -> str | int:
    return name if isinstance(name, (str, int)) else str(name)


def _in_arrays(
    written: list[Any] | tuple[Any, ...], read: list[Any] | tuple[Any, ...], path: Path
) -> Iterator[Mismatch]:
    named = hasattr(written, "_fields"), hasattr(read, "_fields")
    if len(written) != len(read) or named[0] is not named[1]:
        yield _change(path, written, read)
    else:
        for index, (left, right) in enumerate(zip(written, read, strict=True)):
            yield from changes(left, right, (*path, index))


def _in_sets(written: set[Any] | frozenset[Any], read: set[Any] | frozenset[Any], path: Path) -> Iterator[Mismatch]:
    # Equal items may still differ: True equals 1.
    found = {item: item for item in read}
    if written != read:
        yield _change(path, written, read)
    else:
        for item in written:
            yield from changes(item, found[item], path)


def _has_fields(value: object) -> bool:
    return isinstance(value, BaseModel) or (is_dataclass(value) and not isinstance(value, type))


def _parts(value: Any) -> dict[str, object]:
    kind = type(value)
    declared: dict[str, Any] = getattr(kind, "__pydantic_fields__", {})
    names = declared if isinstance(value, BaseModel) else [field.name for field in fields(value)]
    kept = [name for name in names if name not in declared or declared[name].exclude is not True]
    extra = (value.model_extra or {}) if isinstance(value, BaseModel) else {}
    return {name: getattr(value, name, ABSENT) for name in kept} | extra


def _is_number_of_json(value: object) -> bool:
    """False for a number that JSON cannot say, though some text may stand for it."""
    if isinstance(value, int):
        return MIN_INTEGER <= value <= MAX_INTEGER
    return not isinstance(value, (float, complex)) or isfinite(value)


def _equal(written: object, read: object) -> bool:
    if isinstance(written, (float, complex)) and not isfinite(written):
        return False
    if isinstance(written, bool) is not isinstance(read, bool):
        return False
    if isinstance(written, datetime) and isinstance(read, datetime) and (offset := written.utcoffset()) is not None:
        # In the hour that a clock shows twice, a datetime of a named zone equals none of a fixed offset.
        return written.replace(tzinfo=timezone(offset), fold=0) == read
    if type(written).__eq__ is object.__eq__ and not isinstance(written, Enum):
        return type(written) is type(read)
    return bool(written == read)


def _change(path: Path, written: object, read: object) -> Mismatch:
    before, after = type(written).__name__, type(read).__name__
    got = f"an object of type {before} that loads back as {'another' if before == after else after}"
    return Mismatch(json_path(path), "a value that loads back equal", got)
