"""What a cell is: its command, its absence, how it is shown, and the types it refuses."""

from __future__ import annotations

import sys
import typing
from dataclasses import FrozenInstanceError
from typing import Annotated, Any, Literal

import pytest
from pydantic import AfterValidator, ConfigDict, TypeAdapter

from statekit.command import Command
from statekit.errors import StateError
from statekit.keys import StateCell
from statekit.store import Store
from statekit.vocabulary import MergePolicy, Scope
from tests.keys.sample import Opaque, Pet, Review, cell, store_of


def test_a_cell_writes_the_command_of_its_address() -> None:
    typed = StateCell(Review, scope=Scope.SHARED, merge=MergePolicy.COMMUTATIVE, key="review/7")
    written = typed.write(Review(approved=True))
    expected = Command.set(Scope.SHARED, MergePolicy.COMMUTATIVE, "review/7", {"approved": True, "notes": []})
    assert written == expected
    assert typed.remove() == Command.remove(Scope.SHARED, MergePolicy.COMMUTATIVE, "review/7")


def test_an_absent_cell_loads_as_none_and_a_null_is_a_value() -> None:
    assert cell(int).load(Store()) is None
    assert cell(TypeAdapter(int | None)).load(store_of(None)) is None
    with pytest.raises(StateError, match="expected an integer, got null"):
        cell(int).load(store_of(None))


def test_a_cell_never_changes() -> None:
    typed = cell(int)
    with pytest.raises(FrozenInstanceError):
        typed.key = "other"  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del typed.scope


@pytest.mark.parametrize(
    ("type_", "spelled"),
    [
        (int, "int"),
        (Review, "Review"),
        (TypeAdapter(int | None), "int | None"),
        (dict[str, list[Review]], "dict[str, list[Review]]"),
        (tuple[int, ...], "tuple[int, ...]"),
        (Literal["a", 1], "Literal['a', 1]"),
        (Pet, "Cat | Dog"),
        (Annotated[int, AfterValidator(lambda value: value)], "int"),
    ],
)
def test_a_cell_is_shown_short_and_stable(type_: Any, spelled: str) -> None:
    typed = cell(type_)
    assert typed.declared == spelled
    assert repr(typed) == f"StateCell({spelled}, scope=Thread, merge=Disjoint, key='k')"


def test_the_name_of_a_long_type_is_cut() -> None:
    assert len(cell(Literal[tuple(f"constant-{n}" for n in range(40))]).declared) == 80


def test_a_type_adapter_is_used_as_it_is() -> None:
    adapter = TypeAdapter(bytes, config=ConfigDict(ser_json_bytes="hex", val_json_bytes="hex"))
    assert cell(adapter).write(b"\xff").to_json().endswith('"action":{"Set":"ff"}}')


@pytest.mark.parametrize(
    ("type_", "reason"),
    [
        (Opaque, "Opaque is no type that a cell can have"),
        (3, "3 is no type"),
        ("Missing", "Missing refers to a name that is not defined yet"),
    ],
)
def test_a_type_without_a_schema_is_refused(type_: Any, reason: str) -> None:
    with pytest.raises(TypeError, match=reason):
        cell(type_)


def test_a_typed_dict_loads_or_is_refused_in_words() -> None:
    declared = typing.TypedDict("declared", {"a": int})  # noqa: UP013  # made here, so that its module is typing's
    if sys.version_info >= (3, 12):
        assert cell(declared).decode({"a": 1}) == {"a": 1}
    else:
        with pytest.raises(
            TypeError, match=r"declared is no type that a cell can have: .*typing_extensions\.TypedDict"
        ):
            cell(declared)


def test_a_cell_that_could_make_no_command_is_refused() -> None:
    with pytest.raises(TypeError, match="scope"):
        StateCell(int, scope="Thread", merge=MergePolicy.DISJOINT, key="k")  # type: ignore[arg-type]
    with pytest.raises(StateError, match="lone surrogate"):
        cell(int, "\ud800")
