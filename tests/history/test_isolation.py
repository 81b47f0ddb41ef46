"""Nothing that a caller changes shows in any position; and what that costs."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterable
from copy import deepcopy
from typing import Any

import naive
from naive import drop, fold_in, put
from spoiling import spoil
from statekit.command import Command, Set
from statekit.commit import ThreadCommit
from statekit.history import History
from statekit.run import RunDisposition
from statekit.transition import Problem, ProblemKind, Transition
from tests.history.sample import T


def everything(history: History) -> Any:
    return deepcopy(
        [
            [list(history.store_at(position).items()) for position in range(len(history) + 1)],
            [[list(t.commands), t.messages, t.events, t.addresses] for t in history],
            [history.runs, history.cells, history.problems, history.thread_id],
            [history.writes(*address) for address in history.cells],
        ]
    )


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
    # Small ones first: what is squared, sixteen times as much, fails here and not when it has filled the memory.
    assert grown(2_000)[0] < 10 * grown(500)[0]
    few, _ = grown(5_000)
    many, history = grown(20_000)
    # Four times the commands; a merged object for each position would be sixteen times.
    assert many < 6 * few
    for position in (1, 2, 777, 10_000, 19_999, 20_000):
        assert history.value_at(T, "k", position) == {f"f{place}": place for place in range(position)}
    assert history.diff(19_999, 20_000)[0].kind == "changed"
