"""The store: what it holds is what its commands say, in order, and what it shows is exact."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statekit.command import Command, Set
from statekit.store import Store
from statekit.value import same
from statekit.vocabulary import Address, MergePolicy, Scope, store_order
from strategies import batches, commands, keys, scopes

D, C = MergePolicy.DISJOINT, MergePolicy.COMMUTATIVE
SCOPE_ORDER = ["Run", "Thread", "Shared", "Profile"]


def contents(store: Store) -> list[Any]:
    return [[scope.value, key, value] for (scope, key), value in store.items()]


def by_scope_and_bytes(address: Address) -> tuple[int, bytes]:
    scope, key = address
    return SCOPE_ORDER.index(scope.value), key.encode()


def test_a_new_store_is_empty() -> None:
    store = Store()
    assert len(store) == 0
    assert contents(store) == []
    assert store == Store.rebuild([])
    assert list(store.scan_prefix(Scope.RUN, "")) == []
    assert len(store.project(lambda key: True)) == 0


def test_absent_and_null_differ() -> None:
    store = Store.rebuild([Command.set(Scope.THREAD, D, "null", None)])
    marker = object()
    assert store.get(Scope.THREAD, "null", marker) is None
    assert store.get(Scope.THREAD, "absent", marker) is marker
    assert store.get(Scope.THREAD, "absent") is None
    assert store[Scope.THREAD, "null"] is None
    assert (Scope.THREAD, "null") in store
    assert (Scope.THREAD, "absent") not in store
    assert (Scope.SHARED, "null") not in store
    assert "null" not in store
    with pytest.raises(KeyError):
        store[Scope.THREAD, "absent"]
    with pytest.raises(KeyError):
        store.borrow(Scope.SHARED, "null")
    assert len(store) == 1


@given(batches(), commands())
def test_rebuilding_more_is_rebuilding_and_then_applying(earlier: list[Command], last: Command) -> None:
    stepped = Store.rebuild(earlier)
    stepped.apply(last)
    assert same(contents(stepped), contents(Store.rebuild([*earlier, last])))


@given(batches(), batches())
def test_applying_in_order_is_rebuilding_the_whole(first: list[Command], second: list[Command]) -> None:
    store = Store()
    for command in first + second:
        store.apply(command)
    assert store == Store.rebuild(iter(first + second))
    again = Store.rebuild(first)
    for command in second:
        again.apply(command)
    assert again == store


@given(batches(max_size=12))
def test_every_way_of_reading_tells_the_same(batch: list[Command]) -> None:
    store = Store.rebuild(batch)
    items = list(store.items())
    assert len(items) == len(store)
    assert [address for address, _ in items] == list(store) == store.addresses()
    for (scope, key), value in items:
        assert (scope, key) in store
        assert same(store[scope, key], value)
        assert same(store.get(scope, key, "absent"), value)
        assert same(store.borrow(scope, key), value)
    for command in batch:
        assert (command.address in store) is (command.address in dict(items))


@given(batches(max_size=20))
def test_cells_come_by_scope_and_then_by_the_bytes_of_their_key(batch: list[Command]) -> None:
    order = list(Store.rebuild(batch))
    assert order == sorted(order, key=by_scope_and_bytes)
    assert len(set(order)) == len(order)


@given(st.lists(st.tuples(scopes, keys), max_size=20))
def test_the_order_of_addresses_is_that_of_scope_and_bytes(addresses: list[Address]) -> None:
    assert sorted(addresses, key=store_order) == sorted(addresses, key=by_scope_and_bytes)


def test_keys_beyond_the_bmp_come_after_those_within() -> None:
    # In UTF-16 it would be the other way round.
    store = Store.rebuild(Command.set(Scope.RUN, D, key, 1) for key in ("\U0001f600", "\uffee", "z", "é", "", "Z"))
    assert [key for _, key in store] == ["", "Z", "z", "é", "\uffee", "\U0001f600"]


@given(batches(max_size=20), scopes, keys)
def test_a_prefix_scan_is_exact(batch: list[Command], scope: Scope, prefix: str) -> None:
    store = Store.rebuild(batch)
    naive = [(key, value) for (where, key), value in store.items() if where == scope and key[: len(prefix)] == prefix]
    scanned = list(store.scan_prefix(scope, prefix))
    assert same([[key, value] for key, value in scanned], [[key, value] for key, value in naive])


def test_a_prefix_is_text_and_no_pattern() -> None:
    store = Store.rebuild(
        Command.set(Scope.SHARED, D, key, key) for key in ("a", "a/", "a/b", "a/b/c", "a%", "ab", "A/b")
    )
    store.apply(Command.set(Scope.RUN, D, "a/run", 1))
    assert [key for key, _ in store.scan_prefix(Scope.SHARED, "a/")] == ["a/", "a/b", "a/b/c"]
    assert [key for key, _ in store.scan_prefix(Scope.SHARED, "a%")] == ["a%"]
    assert [key for key, _ in store.scan_prefix(Scope.SHARED, "a/b/c/d")] == []
    assert len(list(store.scan_prefix(Scope.SHARED, ""))) == 7
    assert list(store.scan_prefix(Scope.PROFILE, "")) == []


@given(batches(max_size=20), st.sets(keys, max_size=4))
def test_a_projection_is_exact(batch: list[Command], allowed: set[str]) -> None:
    store = Store.rebuild(batch)
    before = contents(store)
    projected = store.project(allowed.__contains__)
    assert same(contents(projected), [cell for cell in before if cell[1] in allowed])
    assert same(contents(store), before)
    assert store.project(lambda key: True) == store
    assert store.project(lambda key: False) == Store()


@given(batches(max_size=12), st.sets(keys, max_size=4))
def test_projecting_what_was_folded_is_folding_what_is_allowed(batch: list[Command], allowed: set[str]) -> None:
    folded = Store.rebuild(command for command in batch if command.key in allowed)
    assert Store.rebuild(batch).project(allowed.__contains__) == folded


def test_a_projection_asks_for_keys_of_every_scope() -> None:
    store = Store.rebuild(Command.set(scope, D, key, 1) for scope in Scope for key in ("k", "j"))
    assert list(store.project(lambda key: key == "k")) == [(scope, "k") for scope in Scope]


def test_commutative_writes_merge_with_what_the_store_holds() -> None:
    store = Store()
    for value in ({"a": 1, "b": 1}, {"b": 2}, {"c": None}):
        store.apply(Command.set(Scope.THREAD, C, "k", value))
    assert same(store[Scope.THREAD, "k"], {"a": 1, "b": 2, "c": None})


@given(batches(), batches())
def test_stores_are_equal_when_their_cells_are(left: list[Command], right: list[Command]) -> None:
    one, two = Store.rebuild(left), Store.rebuild(right)
    assert (one == two) is same(contents(one), contents(two))
    assert (one != two) is not same(contents(one), contents(two))


def test_equality_of_stores_is_strict() -> None:
    def holding(value: Any) -> Store:
        return Store.rebuild([Command.set(Scope.RUN, D, "k", value)])

    assert holding(1) != holding(True)
    assert holding(1) != holding(1.0)
    assert holding(None) != Store()
    assert holding({"a": 1, "b": 2}) == holding({"b": 2, "a": 1})
    assert Store() != {}


def test_a_store_changes_so_it_has_no_hash() -> None:
    with pytest.raises(TypeError):
        hash(Store())


def test_a_repr_is_short_and_stable() -> None:
    assert repr(Store.rebuild([Command.set(Scope.RUN, D, "k", "x" * 1000)])) == "Store(1 cells)"


class CountingCells(Mapping[Address, Any]):
    """Cells that count how often one is looked at."""

    def __init__(self, cells: dict[Address, Any]) -> None:
        self.cells = cells
        self.looked_at: list[Address] = []

    def __getitem__(self, address: Address) -> Any:
        self.looked_at.append(address)
        return self.cells[address]

    def __iter__(self) -> Iterator[Address]:
        return iter(self.cells)

    def __len__(self) -> int:
        return len(self.cells)


def test_a_store_over_cells_looks_at_one_only_when_asked() -> None:
    cells = CountingCells({(Scope.RUN, key): [key] for key in "abc"})
    store = Store.over(cells)
    assert len(store) == 3
    assert store.addresses() == [(Scope.RUN, key) for key in "abc"]
    assert cells.looked_at == []
    assert store.get(Scope.RUN, "b") == ["b"]
    assert cells.looked_at == [(Scope.RUN, "b")]


def test_a_store_over_cells_leaves_them_alone_when_it_changes() -> None:
    inner: dict[Address, Any] = {(Scope.RUN, "k"): {"a": 1}}
    store = Store.over(MappingProxyType(inner))
    store.apply(Command.set(Scope.RUN, C, "k", {"b": 2}))
    store.apply(Command("j", Scope.RUN, D, Set(1)))
    assert inner == {(Scope.RUN, "k"): {"a": 1}}
    assert store[Scope.RUN, "k"] == {"a": 1, "b": 2}
    assert len(store) == 2


def test_a_shallow_copy_is_another_store() -> None:
    store = Store.rebuild([Command.set(Scope.THREAD, MergePolicy.DISJOINT, "k", 1)])
    copied = copy.copy(store)
    assert copied == store
    copied.apply(Command.set(Scope.THREAD, MergePolicy.DISJOINT, "k", 2))
    store.apply(Command.set(Scope.THREAD, MergePolicy.DISJOINT, "j", 3))
    assert (store.get(Scope.THREAD, "k"), copied.get(Scope.THREAD, "j")) == (1, None)
