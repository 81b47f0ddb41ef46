"""The state at a position is the fold of the commands up to it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from naive import addresses, drop, exact, exact_cells, few_runs, fold_in, history_of, in_order, pasts, put
from statekit.command import Command, Remove, Set
from statekit.history import Change, ChangeKind
from statekit.store import Store
from statekit.value import ABSENT
from statekit.vocabulary import Address, Scope
from tests.history.sample import D, T, positions


def flat(batches: list[list[Command]]) -> list[Command]:
    return [command for batch in batches for command in batch]


@given(pasts)
def test_a_position_holds_the_fold_of_all_commands_up_to_it(batches: list[list[Command]]) -> None:
    history = history_of(batches)
    for position, cells in enumerate(naive.states(batches)):
        assert exact_cells(history.store_at(position).items()) == in_order(cells)


@given(pasts)
def test_a_position_holds_what_a_store_rebuilt_from_its_commands_holds(batches: list[list[Command]]) -> None:
    history = history_of(batches)
    for position in range(len(history) + 1):
        assert history.store_at(position) == Store.rebuild(flat(batches[:position]))


@given(pasts, st.lists(positions, max_size=6))
def test_the_order_of_looking_does_not_count(batches: list[list[Command]], visits: list[int]) -> None:
    history, expected = history_of(batches), naive.states(batches)
    for visit in visits:
        position = visit % len(expected)
        assert exact_cells(history.store_at(position).items()) == in_order(expected[position])


@given(pasts, few_runs)
def test_the_view_of_a_run_leaves_out_what_other_runs_own(batches: list[list[Command]], run: str | None) -> None:
    history = history_of(batches)
    for position, cells in enumerate(naive.states(batches, run)):
        store = history.store_at(position, run=run)
        assert exact_cells(store.items()) == in_order(cells)
        assert len(store) == len(cells)


def test_the_view_of_a_run_filters_the_scope_run_alone() -> None:
    def owned(scope: Scope, key: str, run_id: str | None) -> Command:
        return Command(key, scope, D, Set(run_id), run_id)

    batch = [owned(scope, f"of {run_id}", run_id) for scope in Scope for run_id in ("r-1", "r-2", None)]
    history = history_of([batch])
    seen = list(history.store_at(1, run="r-1"))
    assert [key for scope, key in seen if scope is Scope.RUN] == ["of r-1"]
    others = [Scope.THREAD, Scope.SHARED, Scope.PROFILE]
    assert [address for address in seen if address[0] is not Scope.RUN] == [
        (scope, f"of {run_id}") for scope in others for run_id in ("None", "r-1", "r-2")
    ]
    assert len(history.store_at(1)) == 12
    assert [address for address in history.store_at(1, run="nobody") if address[0] is Scope.RUN] == []


def test_the_view_of_a_run_keeps_its_value_when_another_run_overwrites_or_removes_it() -> None:
    def step(action: Set | Remove, run_id: str | None) -> Command:
        return Command("step", Scope.RUN, D, action, run_id)

    history = history_of([[step(Set(1), "r-1")], [step(Set(2), "r-2")], [step(Remove(), None)]])
    assert history.borrow_at(Scope.RUN, "step", 3, run="r-1") == 1
    assert history.borrow_at(Scope.RUN, "step", 3, run="r-2") == 2
    assert (Scope.RUN, "step") not in history.store_at(3)
    assert history.value_at(Scope.RUN, "step", 2) == 2
    with pytest.raises(KeyError):
        history.borrow_at(Scope.RUN, "step", 1, run="r-2")


@given(pasts, addresses, positions)
def test_a_value_is_there_or_a_key_error(batches: list[list[Command]], address: Address, position: int) -> None:
    history, expected = history_of(batches), naive.states(batches)
    position %= len(expected)
    cells = expected[position]
    if address in cells:
        assert exact(history.value_at(*address, position)) == exact(cells[address])
        assert exact(history.borrow_at(*address, position)) == exact(cells[address])
    else:
        assert history.held(*address, position) is ABSENT
        for read in (history.value_at, history.borrow_at):
            with pytest.raises(KeyError) as caught:
                read(*address, position)
            assert caught.value.args == (address,)


def test_null_is_a_value_and_absent_is_none() -> None:
    history = history_of([[put(None)], [drop()]])
    assert history.value_at(T, "k", 1) is None
    assert history.store_at(1).get(T, "k", "absent") is None
    assert history.store_at(2).get(T, "k", "absent") == "absent"
    assert history.diff(0, 1) == [Change(T, "k", ChangeKind.ADDED, ABSENT, None)]
    assert history.diff(1, 2) == [Change(T, "k", ChangeKind.REMOVED, None, ABSENT)]
    with pytest.raises(KeyError):
        history.value_at(T, "k", 2)


def test_a_listing_does_not_show_cells_of_later_positions() -> None:
    history = history_of([[put(place, f"k{place}")] for place in range(1, 6)])
    for position in range(6):
        store = history.store_at(position)
        expected = [(T, f"k{place}") for place in range(1, position + 1)]
        assert list(store) == list(history.present(position)) == expected
        assert len(store) == position
        assert (T, f"k{position + 1}") not in store
    assert history.cells == [(T, f"k{place}") for place in range(1, 6)]


def test_a_store_of_a_position_stays_there_and_takes_commands_on_its_own() -> None:
    history = history_of([[put({"a": 1})], [put({"a": 2})]])
    store = history.store_at(1)
    store.apply(fold_in({"b": 3}))
    store.apply(put(1, "other"))
    assert store[T, "k"] == {"a": 1, "b": 3}
    assert history.value_at(T, "k", 1) == {"a": 1}
    assert list(history.store_at(1)) == [(T, "k")]
    assert history.cells == [(T, "k")]


@given(pasts)
def test_cells_are_those_ever_addressed_in_store_order(batches: list[list[Command]]) -> None:
    ranks = ["Run", "Thread", "Shared", "Profile"]
    touched = {(ranks.index(command.scope.value), command.key.encode()) for command in flat(batches)}
    cells = history_of(batches).cells
    assert [(ranks.index(scope.value), key.encode()) for scope, key in cells] == sorted(touched)
