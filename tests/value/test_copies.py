"""What is held, read or copied shares nothing that a caller can change."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given

from spoiling import spoil
from statekit.command import Command, Remove, Set
from statekit.store import Store
from statekit.value import Held, copy_value, own, same
from statekit.vocabulary import MergePolicy, Scope
from strategies import json_values
from tests.value.sample import same_json

SAMPLE = {"list": [1, [2, {"deep": [3]}], {}], "object": {"a": {"b": {"c": []}}}, "text": "x"}


def sample() -> dict[str, Any]:
    copied: dict[str, Any] = json.loads(json.dumps(SAMPLE))
    return copied


@given(json_values)
def test_a_copy_is_the_same_json_and_shares_nothing(value: Any) -> None:
    before = json.dumps(value)
    copied = copy_value(value)
    assert same(copied, value)
    assert same_json(copied, value)
    spoil(copied)
    assert json.dumps(value) == before


@given(json_values)
def test_what_is_taken_over_shares_nothing_with_the_caller(value: Any) -> None:
    before = json.dumps(value)
    owned = own(value)
    spoil(value)
    assert json.dumps(owned) == before


@pytest.mark.parametrize("kind", [Set, Held])
def test_a_held_value_is_isolated_in_and_out(kind: type[Held]) -> None:
    given_in = sample()
    held = kind(given_in)
    spoil(given_in)
    assert held.value == SAMPLE
    spoil(held.value)
    assert held.value == SAMPLE


def test_a_command_is_isolated_in_and_out() -> None:
    given_in = sample()
    command = Command.set(Scope.THREAD, MergePolicy.DISJOINT, "k", given_in)
    spoil(given_in)
    assert isinstance(command.action, Set)
    spoil(command.action.value)
    assert command.action.value == SAMPLE


READS: dict[str, Callable[[Store], Any]] = {
    "get": lambda store: store.get(Scope.THREAD, "k"),
    "getitem": lambda store: store[Scope.THREAD, "k"],
    "items": lambda store: next(value for _, value in store.items()),
    "scan_prefix": lambda store: next(value for _, value in store.scan_prefix(Scope.THREAD, "")),
    "project then get": lambda store: store.project(lambda key: True).get(Scope.THREAD, "k"),
}


@pytest.mark.parametrize("policy", MergePolicy)
@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_a_store_is_isolated_in_and_out(read: Callable[[Store], Any], policy: MergePolicy) -> None:
    given_in = sample()
    store = Store()
    store.apply(Command.set(Scope.THREAD, MergePolicy.DISJOINT, "k", {}))
    store.apply(Command.set(Scope.THREAD, policy, "k", given_in))
    projected = store.project(lambda key: True)
    spoil(given_in)
    spoil(read(store))
    for held in (store, projected):
        assert held[Scope.THREAD, "k"] == SAMPLE


def test_stores_that_share_a_command_do_not_share_what_they_merge() -> None:
    command = Command.set(Scope.THREAD, MergePolicy.COMMUTATIVE, "k", sample())
    first, second = Store.rebuild([command]), Store.rebuild([command])
    before = first.project(lambda key: True)
    first.apply(Command.set(Scope.THREAD, MergePolicy.COMMUTATIVE, "k", {"list": None}))
    assert first[Scope.THREAD, "k"] == {**SAMPLE, "list": None}
    assert second[Scope.THREAD, "k"] == SAMPLE
    assert before[Scope.THREAD, "k"] == SAMPLE
    assert command == Command.set(Scope.THREAD, MergePolicy.COMMUTATIVE, "k", sample())


def test_a_projection_and_its_store_change_apart() -> None:
    store = Store.rebuild([Command.set(Scope.THREAD, MergePolicy.DISJOINT, "k", 1)])
    projected = store.project(lambda key: True)
    projected.apply(Command("k", Scope.THREAD, MergePolicy.DISJOINT, Remove()))
    assert (Scope.THREAD, "k") in store
    store.apply(Command.set(Scope.THREAD, MergePolicy.DISJOINT, "j", 1))
    assert len(projected) == 0
