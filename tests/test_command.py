"""Commands: immutable, equal by strict value, and the same after a trip through their wire form."""

from __future__ import annotations

import copy
import dataclasses
import enum
import json
import pickle
from typing import Any

import pytest
from hypothesis import given

from statekit.command import Command, Remove, Set, addresses
from statekit.errors import StateError, WireError
from statekit.value import same
from statekit.vocabulary import MergePolicy, Scope
from strategies import commands, json_values, keys, policies, scopes

RUN, THREAD, SHARED = Scope.RUN, Scope.THREAD, Scope.SHARED
DISJOINT, EXCLUSIVE = MergePolicy.DISJOINT, MergePolicy.EXCLUSIVE

BASE = Command("k", THREAD, DISJOINT, Set({"a": [1]}), "r")


def test_the_closed_sets_are_spelled_as_on_the_wire() -> None:
    assert [scope.value for scope in Scope] == ["Run", "Thread", "Shared", "Profile"]
    assert [scope.rank for scope in Scope] == [0, 1, 2, 3]
    assert [policy.value for policy in MergePolicy] == ["Disjoint", "Commutative", "Exclusive"]


@pytest.mark.parametrize("name", ["key", "scope", "merge", "action", "run_id"])
def test_a_command_never_changes(name: str) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(BASE, name, getattr(BASE, name))
    with pytest.raises(dataclasses.FrozenInstanceError):
        delattr(BASE, name)


def test_an_action_never_changes() -> None:
    with pytest.raises(AttributeError):
        Set(1).value = 2  # type: ignore[misc]
    with pytest.raises((AttributeError, TypeError)):
        Remove().value = 2  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "other",
    [
        dataclasses.replace(BASE, key="j"),
        dataclasses.replace(BASE, scope=SHARED),
        dataclasses.replace(BASE, merge=EXCLUSIVE),
        dataclasses.replace(BASE, run_id=None),
        dataclasses.replace(BASE, run_id="other"),
        dataclasses.replace(BASE, action=Remove()),
        dataclasses.replace(BASE, action=Set({"a": [1.0]})),
        dataclasses.replace(BASE, action=Set({"a": [True]})),
        dataclasses.replace(BASE, action=Set({"a": [1], "b": None})),
        "k",
        None,
    ],
    ids=repr,
)
def test_commands_that_differ_in_one_thing_are_not_equal(other: Any) -> None:
    base = BASE
    assert base != other
    assert other != base


def test_equal_commands_are_equal_whatever_the_order_of_fields() -> None:
    left, right = Set({"a": 1, "b": [{}]}), Set({"b": [{}], "a": 1})
    assert left == right
    assert hash(left) == hash(right)
    commands = {Command("k", THREAD, DISJOINT, action) for action in (left, right, Set({"a": 1.0, "b": [{}]}))}
    assert len(commands) == 2
    assert Remove() == Remove()
    assert hash(Remove()) == hash(Remove())


@given(commands())
def test_a_copy_of_a_command_is_equal_with_an_equal_hash(command: Command) -> None:
    for again in (
        pickle.loads(pickle.dumps(command)),
        copy.copy(command),
        copy.deepcopy(command),
        Command.from_json(command.to_json()),
        Command.from_json(command.to_json().encode()),
    ):
        assert again == command
        assert hash(again) == hash(command)
        assert (again.scope, again.merge) == (command.scope, command.merge)
        assert type(again.action) is type(command.action)


@given(commands())
def test_a_repr_says_everything_and_reads_as_python(command: Command) -> None:
    assert repr(command) == (
        f"Command(key={command.key!r}, scope={command.scope!r}, merge={command.merge!r}, "
        f"action={command.action!r}, run_id={command.run_id!r})"
    )
    assert repr(Set({"a": [None]})) == "Set({'a': [None]})"
    assert repr(Remove()) == "Remove()"


@given(commands())
def test_the_wire_object_has_the_fields_of_the_model(command: Command) -> None:
    node = json.loads(command.to_json())
    expected: dict[str, Any] = {
        "key": command.key,
        "scope": command.scope.value,
        "merge": command.merge.value,
        "action": {"Set": command.action.value} if isinstance(command.action, Set) else "Remove",
    }
    if command.run_id is not None:
        expected["run_id"] = command.run_id
    assert same(node, expected)


@given(scopes, policies, keys, json_values)
def test_set_and_remove_make_commands_without_owner(scope: Scope, merge: MergePolicy, key: str, value: Any) -> None:
    assert Command.set(scope, merge, key, value) == Command(key, scope, merge, Set(value), None)
    assert Command.remove(scope, merge, key) == Command(key, scope, merge, Remove(), None)
    assert Command.set(scope, merge, key, value).address == (scope, key)


def test_null_is_a_value_and_not_a_removal() -> None:
    command = Command.set(THREAD, DISJOINT, "k", None)
    assert command.action == Set(None)
    assert command.action != Remove()
    assert Command.from_json(command.to_json()).action == Set(None)


def test_an_action_can_be_matched() -> None:
    match Command.set(THREAD, DISJOINT, "k", [1]).action:
        case Set(value):
            assert value == [1]
        case Remove():
            pytest.fail("a set is no removal")


@pytest.mark.parametrize(
    "arguments",
    [
        (1, THREAD, DISJOINT, Remove()),
        (None, THREAD, DISJOINT, Remove()),
        (b"k", THREAD, DISJOINT, Remove()),
        ("k", "Thread", DISJOINT, Remove()),
        ("k", None, DISJOINT, Remove()),
        ("k", DISJOINT, THREAD, Remove()),
        ("k", THREAD, "Disjoint", Remove()),
        ("k", THREAD, DISJOINT, 1),
        ("k", THREAD, DISJOINT, None),
        ("k", THREAD, DISJOINT, Set),
        ("k", THREAD, DISJOINT, "Remove"),
        ("k", THREAD, DISJOINT, Remove(), 7),
        ("k", THREAD, DISJOINT, Remove(), b"r"),
    ],
    ids=repr,
)
def test_an_argument_of_another_type_is_a_type_error(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(TypeError):
        Command(*arguments)


@pytest.mark.parametrize(
    "value", [float("nan"), {"a": [float("inf")]}, 2**64, {1: 2}, {1}, b"a", {"a": "\ud800"}], ids=ascii
)
def test_a_value_without_json_form_tells_its_cell(value: Any) -> None:
    with pytest.raises(StateError) as caught:
        Command.set(SHARED, EXCLUSIVE, "review/7", value)
    assert (caught.value.key, caught.value.scope) == ("review/7", SHARED)
    assert len(caught.value.errors) == 1
    assert caught.value.errors[0].path.startswith("$")
    assert "review/7" in str(caught.value)
    with pytest.raises(StateError) as bare:
        Set(value)
    assert (bare.value.key, bare.value.scope) == (None, None)
    assert bare.value.errors == caught.value.errors


@pytest.mark.parametrize("key", ["\ud800", "a/\udfff/b"], ids=ascii)
def test_a_key_with_a_lone_surrogate_is_refused(key: str) -> None:
    with pytest.raises(StateError) as caught:
        Command.set(SHARED, EXCLUSIVE, key, 1)
    assert (caught.value.key, caught.value.scope) == (key, SHARED)
    with pytest.raises(StateError):
        Command.remove(SHARED, EXCLUSIVE, key)
    with pytest.raises(StateError):
        Command("k", RUN, DISJOINT, Remove(), key)
    assert str(caught.value).encode()


class Name(enum.StrEnum):
    NOTES = "notes"


def test_a_key_of_a_text_subclass_is_the_text() -> None:
    command = Command.set(THREAD, DISJOINT, Name.NOTES, 1)
    assert type(command.key) is str
    assert command == Command.set(THREAD, DISJOINT, "notes", 1)
    assert command.to_json() == Command.set(THREAD, DISJOINT, "notes", 1).to_json()
    owned = Command("k", RUN, DISJOINT, Remove(), Name.NOTES)
    assert json.loads(owned.to_json())["run_id"] == "notes"


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("[]", "$"),
        ("{}", "$"),
        ('{"key":1,"scope":"Run","merge":"Disjoint","action":"Remove"}', "$.key"),
        ('{"key":"k","scope":"run","merge":"Disjoint","action":"Remove"}', "$.scope"),
        ('{"key":"k","scope":["Run"],"merge":"Disjoint","action":"Remove"}', "$.scope"),
        ('{"key":"k","scope":null,"merge":"Disjoint","action":"Remove"}', "$.scope"),
        ('{"key":"k","scope":{"Run":null},"merge":"Disjoint","action":"Remove"}', "$.scope"),
        ('{"key":"k","scope":"Run","merge":"Last","action":"Remove"}', "$.merge"),
        ('{"key":"k","scope":"Run","merge":{},"action":"Remove"}', "$.merge"),
        ('{"key":"k","scope":"Run","merge":"Disjoint","action":"Set"}', "$.action"),
        ('{"key":"k","scope":"Run","merge":"Disjoint","action":["Set",1]}', "$.action"),
        ('{"key":"k","scope":"Run","merge":"Disjoint","action":{"set":1}}', "$.action"),
        ('{"key":"k","scope":"Run","merge":"Disjoint","action":{"Remove":{}}}', "$.action"),
        ('{"key":"k","scope":"Run","merge":"Disjoint","run_id":[],"action":"Remove"}', "$.run_id"),
    ],
)
def test_an_object_that_is_no_command_tells_the_place(text: str, path: str) -> None:
    with pytest.raises(WireError) as caught:
        Command.from_json(text)
    assert caught.value.path == path


def test_addresses_come_once_each_in_the_order_of_first_touch() -> None:
    batch = [
        Command.set(THREAD, DISJOINT, "b", 1),
        Command.remove(RUN, DISJOINT, "b"),
        Command.set(THREAD, DISJOINT, "a", 1),
        Command.remove(THREAD, EXCLUSIVE, "b"),
    ]
    assert addresses(batch) == [(THREAD, "b"), (RUN, "b"), (THREAD, "a")]
