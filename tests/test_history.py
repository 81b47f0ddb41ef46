"""Histories: what a position holds is the fold of the commands up to it, and nothing that a reader does changes it."""

from __future__ import annotations

import pickle
import tracemalloc
from collections.abc import Iterable, Sequence
from copy import deepcopy
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from naive import addresses, drop, exact, exact_cells, few_keys, few_runs, fold_in, history_of, in_order, pasts, put
from statekit.command import Command, Remove, Set
from statekit.commit import ThreadCommit
from statekit.errors import PositionError
from statekit.history import Change, ChangeKind, History
from statekit.journal import load_history
from statekit.run import RunDisposition
from statekit.store import Store
from statekit.transition import Problem, ProblemKind, Transition
from statekit.value import ABSENT
from statekit.vocabulary import Address, MergePolicy, Scope

C, D, E = MergePolicy.COMMUTATIVE, MergePolicy.DISJOINT, MergePolicy.EXCLUSIVE
T = Scope.THREAD

positions = st.integers(0, 12)


def flat(batches: list[list[Command]]) -> list[Command]:
    return [command for batch in batches for command in batch]


@pytest.fixture(scope="module")
def support() -> History:
    return load_history(naive.HISTORIES / "support-42.ndjson")


# --- the state at a position


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


# --- who wrote what


@given(pasts, addresses, positions)
def test_blame_names_the_last_transition_that_addressed_a_present_cell(
    batches: list[list[Command]], address: Address, position: int
) -> None:
    history, expected = history_of(batches), naive.states(batches)
    position %= len(expected)
    writers = [
        place
        for place, batch in enumerate(batches[:position], start=1)
        if any((command.scope, command.key) == address for command in batch)
    ]
    blamed = history.blame(*address, position)
    if address in expected[position]:
        assert blamed is not None
        assert blamed.position == writers[-1]
    else:
        assert blamed is None


@given(pasts, few_keys, st.sampled_from(["r-1", "r-2"]), positions)
def test_blame_in_the_view_of_a_run_names_what_that_view_applied(
    batches: list[list[Command]], key: str, run: str, position: int
) -> None:
    history, expected = history_of(batches), naive.states(batches, run)
    position %= len(expected)
    writers = [
        place
        for place, batch in enumerate(batches[:position], start=1)
        if any((c.scope, c.key, c.run_id) == (Scope.RUN, key, run) for c in batch)
    ]
    blamed = history.blame(Scope.RUN, key, position, run=run)
    expected_writer = writers[-1] if (Scope.RUN, key) in expected[position] else None
    assert (None if blamed is None else blamed.position) == expected_writer


@given(pasts, addresses)
def test_writes_are_all_commands_of_a_cell_in_order(batches: list[list[Command]], address: Address) -> None:
    expected = [
        (place, command)
        for place, batch in enumerate(batches, start=1)
        for command in batch
        if (command.scope, command.key) == address
    ]
    assert history_of(batches).writes(*address) == expected


# --- what differs


@given(pasts, positions, positions, st.none() | st.sampled_from(["r-1", "r-2"]))
def test_a_diff_is_what_differs_and_leads_from_one_state_to_the_other(
    batches: list[list[Command]], p: int, q: int, run: str | None
) -> None:
    history, expected = history_of(batches), naive.states(batches, run)
    p, q = p % len(expected), q % len(expected)
    diff = history.diff(p, q, run=run)
    assert [((change.scope, change.key), change.kind.value) for change in diff] == naive.changes(
        expected[p], expected[q]
    )
    cells = dict(expected[p])
    for change in diff:
        address = (change.scope, change.key)
        assert (change.before is ABSENT) is (address not in cells)
        if change.before is not ABSENT:
            assert exact(change.before) == exact(cells[address])
        if change.after is ABSENT:
            del cells[address]
        else:
            cells[address] = change.after
    assert in_order(cells) == in_order(expected[q])


@pytest.mark.parametrize("width", [1, 2, 3, 9, 10, 11, 12, 30])
def test_a_diff_is_the_same_on_either_side_of_the_rule_that_chooses_where_to_look(width: int) -> None:
    # Ten cells: a narrower range is found by its transitions, a wider one by the cells.
    batches = [[put(place // 3, f"k{place % 10}"), drop(f"k{place * 7 % 10}")] for place in range(30)]
    history, expected = history_of(batches), naive.states(batches)
    for p in range(31 - width):
        for before, after in ((p, p + width), (p + width, p)):
            found = [((change.scope, change.key), change.kind.value) for change in history.diff(before, after)]
            assert found == naive.changes(expected[before], expected[after])


def test_a_diff_sees_types_and_not_the_order_of_fields() -> None:
    history = history_of([[put({"a": 1, "b": [1]})], [put({"b": [1], "a": 1})], [put({"a": True, "b": [1]})], [put(1)]])
    assert history.diff(1, 2) == []
    (change,) = history.diff(2, 3)
    assert (change.kind, exact(change.before), exact(change.after)) == (
        "changed",
        '{"a": 1, "b": [1]}',
        '{"a": true, "b": [1]}',
    )
    assert history.diff(2, 2) == []


def test_a_kind_of_change_is_its_word() -> None:
    assert {kind.value for kind in ChangeKind} == {"added", "removed", "changed"}
    assert ChangeKind.ADDED == "added"
    assert f"{ChangeKind.REMOVED}" == "removed"


# --- positions


@pytest.mark.parametrize(
    "position", [-1, 3, 10**30, 1.0, 0.5, "1", None, [1], np.float64(1), np.int64(3), np.int64(-1), np.True_]
)
def test_a_position_outside_the_history_is_an_error_with_its_data(position: Any) -> None:
    history = history_of([[put(1)], [put(2)]])
    reads = [
        lambda: history.store_at(position),
        lambda: history.value_at(T, "k", position),
        lambda: history.borrow_at(T, "k", position),
        lambda: history.blame(T, "k", position),
        lambda: history.diff(position, 1),
        lambda: history.diff(1, position),
        lambda: history.transition(position),
        lambda: history.check_position(position),
    ]
    for read in reads:
        with pytest.raises(PositionError) as caught:
            read()
        assert isinstance(caught.value, IndexError)
        assert caught.value.position is position
        assert caught.value.length == 2
        assert repr(position) in str(caught.value)
        again = pickle.loads(pickle.dumps(caught.value))
        assert (again.length, str(again)) == (2, str(caught.value))


def test_position_zero_has_a_state_and_no_transition() -> None:
    history = history_of([[put(1)]])
    assert len(history.store_at(0)) == 0
    assert history.blame(T, "k", 0) is None
    with pytest.raises(PositionError):
        history.transition(0)


class Numbered:
    """A whole number of another library: all it has is `__index__`."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __index__(self) -> int:
        return self.number


@pytest.mark.parametrize("number", [np.int64, np.int32, np.uint8, np.uint64, Numbered])
def test_whole_numbers_of_other_libraries_are_positions(number: Any) -> None:
    history = history_of([[fold_in({"a": 1})], [fold_in({"b": 2})], [put(3, "other")]])
    two = number(2)
    assert history.store_at(two)[T, "k"] == {"a": 1, "b": 2}
    assert history.value_at(T, "k", two) == {"a": 1, "b": 2}
    assert history.blame(T, "k", two) is history[1]
    assert history.diff(number(1), two) == history.diff(1, 2)
    assert len(history.diff(number(0), number(3))) == 2
    assert history.transition(two) is history[1]
    assert history[number(0)] is history.transition(1)
    checked = history.check_position(two)
    assert checked == 2
    assert type(checked) is int


def test_a_boolean_is_the_integer_that_it_is_in_any_sequence() -> None:
    history = history_of([[put(1)], [put(2)]])
    assert history.value_at(T, "k", True) == 1
    assert len(history.store_at(False)) == 0
    assert type(history.check_position(True)) is int


# --- a sequence of transitions


@given(pasts)
def test_a_history_is_a_sequence(batches: list[list[Command]]) -> None:
    history = history_of(batches)
    assert isinstance(history, Sequence)
    assert len(history) == len(batches)
    listed = list(history)
    assert [transition.position for transition in listed] == list(range(1, len(batches) + 1))
    assert [list(transition.commands) for transition in history] == batches
    assert list(reversed(history)) == listed[::-1]
    for place, transition in enumerate(listed):
        assert history[place] is transition
        assert history[place - len(listed)] is transition
        assert history.transition(place + 1) is transition
        assert transition in history
        assert history.index(transition) == place
        assert history.count(transition) == 1
    assert list(history[1:3]) == listed[1:3]
    assert list(history[::-2]) == listed[::-2]
    for outside in (len(listed), -len(listed) - 1):
        with pytest.raises(IndexError):
            history[outside]


def test_a_history_counts_its_transitions_from_one() -> None:
    second = Transition(2, 2, naive.committed([]))
    with pytest.raises(ValueError, match="transition 1 says that its position is 2"):
        History("t", [second])


def test_an_empty_history_has_one_position() -> None:
    history = History("t", [])
    assert (len(history), history.runs, history.cells, history.problems) == (0, [], [], [])
    assert list(history.store_at(0).items()) == []
    assert history.diff(0, 0) == []
    assert history.writes(T, "k") == []
    with pytest.raises(PositionError):
        history.store_at(1)
    assert repr(history) == "History('t', 0 transitions, 0 runs, 0 cells)"


def test_runs_come_in_the_order_of_their_first_transition() -> None:
    history = history_of([[]] * 5, ["r-2", "r-1", "r-2", "r-é"])
    assert history.runs == ["r-2", "r-1", "r-é"]
    assert history.thread_id == "t"
    assert repr(history) == "History('t', 5 transitions, 3 runs, 0 cells)"


# --- problems of meaning


def meaning(*commits: ThreadCommit, problems: Sequence[Problem] = ()) -> History:
    numbered = [Transition(place, place, commit) for place, commit in enumerate(commits, start=1)]
    return History("t", numbered, problems)


def test_a_run_that_goes_on_after_its_end_is_a_problem_also_when_another_run_committed_since() -> None:
    history = meaning(
        naive.committed([], "r-1"),
        naive.committed([], "r-1", ended=True),
        naive.committed([], "r-2"),
        naive.committed([put(1)], "r-1"),
        naive.committed([], "r-1", ended=True),
        naive.committed([], "r-2", ended=True),
        naive.committed([], "r-1"),
    )
    assert [problem.kind.value for problem in history.problems] == ["ended_run"] * 3
    assert [problem.position for problem in history.problems] == [4, 5, 7]
    for problem in history.problems:
        assert "'r-1'" in problem.detail
        assert "position 2" in problem.detail
        assert (problem.line, problem.offset) == (None, None)
    # It is kept all the same.
    assert history.value_at(T, "k", 4) == 1


def test_a_batch_that_the_rule_rejects_is_a_problem_and_is_kept() -> None:
    def lock(action: Set | Remove, merge: MergePolicy = E) -> Command:
        return Command("lock", Scope.SHARED, merge, action)

    history = meaning(
        naive.committed([lock(Set("a"))]),
        naive.committed([lock(Set("b")), lock(Remove()), lock(Set("c"))]),
        naive.committed([lock(Set("d")), lock(Set("e"), D)]),
    )
    (problem,) = history.problems
    assert (problem.kind, problem.position) == (ProblemKind.CONFLICT_ON_DISK, 2)
    assert "'lock'" in problem.detail
    assert history.value_at(Scope.SHARED, "lock", 2) == "c"


def test_what_a_reader_found_is_listed_among_them_by_position() -> None:
    torn = Problem(ProblemKind.TORN_TAIL, "cut short", 3, 4, 99)
    corrupt = Problem(ProblemKind.CORRUPT, "not JSON", 1, 2, 10)
    also = Problem(ProblemKind.CORRUPT, "not JSON either", 1, 1, 0)
    history = meaning(
        naive.committed([], ended=True),
        naive.committed([]),
        naive.committed([], "r-2"),
        problems=[torn, corrupt, also],
    )
    kinds = [problem.kind.value for problem in history.problems]
    assert kinds == ["corrupt", "corrupt", "ended_run", "torn_tail"]
    assert history.problems[:2] == [also, corrupt]
    assert history.problems[-1] is torn


@pytest.mark.parametrize(
    ("file", "kind", "position"),
    [("post-terminal.ndjson", "ended_run", 15), ("exclusive-conflict-on-disk.ndjson", "conflict_on_disk", 7)],
)
def test_the_bundled_files_have_the_problem_they_are_named_after(file: str, kind: str, position: int) -> None:
    problems = load_history(naive.HISTORIES / file).problems
    assert [(problem.kind.value, problem.position) for problem in problems] == [(kind, position)]


# --- nothing that a caller changes shows


def everything(history: History) -> Any:
    return deepcopy(
        [
            [list(history.store_at(position).items()) for position in range(len(history) + 1)],
            [[list(t.commands), t.messages, t.events, t.addresses] for t in history],
            [history.runs, history.cells, history.problems, history.thread_id],
            [history.writes(*address) for address in history.cells],
        ]
    )


def spoil(value: Any) -> None:
    """Change a value in place, at every depth."""
    if isinstance(value, dict):
        for item in value.values():
            spoil(item)
        value["spoilt"] = True
    elif isinstance(value, list):
        for item in value:
            spoil(item)
        value.append("spoilt")


def spoil_states(history: History) -> None:
    for position in range(len(history) + 1):
        for address, got in history.store_at(position).items():
            spoil(got)
            spoil(history.value_at(*address, position))
            spoil(history.store_at(position)[address])
            spoil(history.store_at(position).get(*address))
        for other in range(len(history) + 1):
            for change in history.diff(position, other):
                spoil(change.before)
                spoil(change.after)


def spoil_transitions(history: History) -> None:
    for transition in history:
        spoil(transition.messages)
        spoil(transition.events)
        transition.addresses.clear()
        spoil_commands(transition.commands)


def spoil_writes(history: History) -> None:
    for address in history.cells:
        spoil_commands(command for _, command in history.writes(*address))
        history.writes(*address).clear()
        history.timeline(*address).positions.clear()


def spoil_commands(commands: Iterable[Command]) -> None:
    for command in commands:
        if isinstance(command.action, Set):
            spoil(command.action.value)


def deep_history(given_messages: list[Any], given_event: dict[str, Any], given_value: Any) -> History:
    batches = [
        [fold_in(given_value), put([{"a": [1]}], "list")],
        [fold_in({"b": {"c": [2]}}), drop("list")],
        [fold_in({"d": []})],
        [put([[1]], "list")],
    ]
    numbered = [
        Transition(
            place,
            place,
            ThreadCommit.assemble(
                "t", RunDisposition.running("r"), messages=given_messages, state=batch, extra_events=[given_event]
            ),
        )
        for place, batch in enumerate(batches, start=1)
    ]
    return History("t", numbered, [Problem(ProblemKind.TORN_TAIL, "cut short", 4)])


def test_nothing_that_a_caller_changes_changes_any_position() -> None:
    messages, event, value = [{"role": {"name": ["user"]}}], {"kind": "K", "payload": {"p": [1]}}, {"a": {"x": [1]}}
    history = deep_history(messages, event, value)
    before = everything(history)
    spoil(messages)
    spoil(event)
    spoil(value)
    assert everything(history) == before
    spoil_states(history)
    spoil_transitions(history)
    spoil_writes(history)
    for listed in (history.runs, history.cells, history.problems):
        listed.clear()
    assert everything(history) == before


def test_the_lists_it_was_made_of_are_its_makers_own() -> None:
    transitions = [Transition(1, 1, naive.committed([put(1)]))]
    problems = [Problem(ProblemKind.TORN_TAIL, "cut short", 1)]
    history = History("t", transitions, problems)
    transitions.clear()
    problems.clear()
    assert (len(history), len(history.problems)) == (1, 1)
    assert history.value_at(T, "k", 1) == 1


# --- what it costs


def grown(fields: int) -> tuple[int, History]:
    """The bytes that a history of that many merges holds beyond its commits, and the history."""
    commits = [naive.committed([fold_in({f"f{place}": place})]) for place in range(fields)]
    transitions = [Transition(place, place, commit) for place, commit in enumerate(commits, start=1)]
    tracemalloc.start()
    try:
        history = History("t", transitions)
        for position in (1, fields // 2, fields):
            assert len(history.value_at(T, "k", position)) == position
        return tracemalloc.get_traced_memory()[0], history
    finally:
        tracemalloc.stop()


def test_fields_merged_one_by_one_cost_memory_for_the_commands_and_not_for_positions_times_fields() -> None:
    # Small ones first: what is squared fails here, before it fills the memory.
    assert grown(2_000)[0] < 6 * grown(500)[0]
    few, _ = grown(5_000)
    many, history = grown(20_000)
    # Four times the commands; a merged object for each position would be sixteen times.
    assert many < 6 * few
    for position in (1, 2, 777, 10_000, 19_999, 20_000):
        assert history.value_at(T, "k", position) == {f"f{place}": place for place in range(position)}
    assert history.diff(19_999, 20_000)[0].kind == "changed"


# --- a real file


def test_support_42_holds_what_the_file_says(support: History) -> None:
    assert (support.thread_id, len(support), support.problems) == ("support-42", 36, [])
    assert support.runs == ["run-1", "run-2", "run-3"]
    assert [(scope.value, key) for scope, key in support.cells] == [
        ("Run", "pending_call"),
        ("Run", "step"),
        ("Thread", "notes"),
        ("Thread", "order/7719/state"),
        ("Thread", "outcome/12/state"),
        ("Thread", "outcome/3/state"),
        ("Thread", "outcome/6/state"),
        ("Thread", "outcome/9/state"),
        ("Thread", "refund/7719"),
        ("Thread", "review/7719/state"),
        ("Thread", "thread_usage"),
        ("Shared", "lock/refund"),
        ("Profile", "customer"),
    ]
    # Not there at the end: the removed pending call and outcome.
    assert len(support.store_at(36)) == 11
    assert support.value_at(T, "thread_usage", 21) == {"input_tokens": "5012", "output_tokens": 611}
    assert support.value_at(T, "thread_usage", 20) == {"input_tokens": 3964, "output_tokens": 667}
    assert support.value_at(Scope.SHARED, "lock/refund", 24) == "debug-hook"
    assert support.value_at(Scope.PROFILE, "customer", 36)["locale"] == ["pt-BR", "en"]


def test_support_42_merges_the_order_until_a_text_replaces_it(support: History) -> None:
    order = (T, "order/7719/state")
    assert support.value_at(*order, 12) == {
        "items": 2,
        "status": "delivered",
        "total": 129.9,
        "photos": ["p1.jpg"],
        "damage": "confirmed",
    }
    assert support.value_at(*order, 24) == {
        "items": 2,
        "status": "replaced",
        "total": 129.9,
        "photos": ["p1.jpg"],
        "damage": "confirmed",
        "closed_by": "refund-tool",
    }
    assert support.value_at(*order, 36) == "archived"
    blamed = [(support.blame(*order, position) or support[0]).position for position in (3, 4, 12, 13, 24, 25, 36)]
    assert blamed == [3, 4, 4, 13, 13, 25, 25]
    assert support.blame(*order, 2) is None
    assert [position for position, _ in support.writes(*order)] == [3, 4, 4, 13, 13, 25]
    notes = support.value_at(T, "notes", 36)
    assert list(notes) == ["n1", "n2", "n3", "n4", "n5", "final"]


def test_support_42_from_11_to_12(support: History) -> None:
    refund, usage = support.diff(11, 12)
    assert refund == Change(T, "refund/7719", ChangeKind.ADDED, ABSENT, {"amount": 100.0, "method": "voucher"})
    assert usage == Change(
        T,
        "thread_usage",
        ChangeKind.CHANGED,
        {"input_tokens": 3914, "output_tokens": 662},
        {"input_tokens": 3964, "output_tokens": 667},
    )
    back = support.diff(12, 11)
    assert [(change.key, change.kind.value) for change in back] == [
        ("refund/7719", "removed"),
        ("thread_usage", "changed"),
    ]
    (dropped, review) = support.diff(10, 11)
    assert (dropped.key, dropped.kind, dropped.before) == (
        "pending_call",
        "removed",
        {"amount": 129.9, "tool": "issue_refund"},
    )
    assert review.after == {"approved": True, "reviewer": "ana"}
    assert support.diff(27, 28) == []


def test_support_42_in_the_view_of_each_run(support: History) -> None:
    step = (Scope.RUN, "step")
    assert [support.store_at(36, run=run).get(*step) for run in ("run-1", "run-2", "run-3")] == [9, 12, 5]
    assert support.store_at(36).get(*step) == 5
    assert step not in support.store_at(28, run="run-3")
    assert support.store_at(10, run="run-1").get(Scope.RUN, "pending_call") is not None
    assert (Scope.RUN, "pending_call") not in support.store_at(10, run="run-2")


def test_looking_for_cells_that_are_not_there_leaves_nothing_behind() -> None:
    history = History("t", [])
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for number in range(20_000):
            assert history.store_at(0).get(Scope.THREAD, f"absent/{number}") is None
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 100_000
