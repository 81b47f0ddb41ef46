"""One transition, and what a reader says is wrong with a file."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given

from naive import drop, exact, put
from statekit.commit import ThreadCommit
from statekit.run import EndCause, EndKind, Phase, RunDisposition
from statekit.ticket import Pause, PauseReason, ResumeTicket
from statekit.transition import Problem, ProblemKind, Transition
from statekit.vocabulary import Scope
from strategies import commits

TICKET = ResumeTicket("c", "r", "t", "s", "f", Pause(PauseReason.MANUAL))


@given(commits())
def test_a_transition_shows_its_commit(commit: ThreadCommit) -> None:
    transition = Transition(3, 7, commit)
    assert (transition.position, transition.sequence, transition.committed_at) == (3, 7, None)
    assert transition.thread_id == commit.thread_id
    assert transition.run_id == commit.run.run_id
    assert transition.phase == commit.run.phase
    assert transition.resume_ticket == commit.run.resume_ticket
    assert transition.commands == commit.commands
    assert exact(transition.messages) == exact(commit.messages)
    assert exact(transition.events) == exact(commit.events)


@given(commits(max_commands=8))
def test_addresses_are_each_cell_once_in_the_order_of_its_first_command(commit: ThreadCommit) -> None:
    expected: list[tuple[Scope, str]] = []
    for command in commit.commands:
        if (command.scope, command.key) not in expected:
            expected.append((command.scope, command.key))
    assert Transition(1, 1, commit).addresses == expected


def test_the_same_key_in_two_scopes_is_two_addresses() -> None:
    batch = [put(1, "b"), put(1, "a"), put(1, "b", Scope.SHARED), drop("b"), put(2, "a")]
    commit = ThreadCommit.assemble("t", RunDisposition.running("r"), state=batch)
    assert Transition(1, 1, commit).addresses == [(Scope.THREAD, "b"), (Scope.THREAD, "a"), (Scope.SHARED, "b")]


@pytest.mark.parametrize("field", ["position", "sequence", "commit", "committed_at", "phase", "commands"])
def test_a_transition_does_not_change(field: str) -> None:
    transition = Transition(1, 1, ThreadCommit.assemble("t", RunDisposition.running("r")))
    with pytest.raises((FrozenInstanceError, AttributeError, TypeError)):
        setattr(transition, field, None)
    assert (transition.position, transition.phase) == (1, Phase.RUNNING)


def test_messages_and_events_are_copied_out() -> None:
    commit = ThreadCommit.assemble(
        "t", RunDisposition.running("r"), messages=[{"a": [1]}], extra_events=[{"kind": "K", "payload": {"b": [2]}}]
    )
    transition = Transition(1, 1, commit)
    message: Any = transition.messages[0]
    message["a"].append("spoilt")
    transition.messages.clear()
    event: Any = transition.events[-1]
    event["payload"]["b"].append("spoilt")
    transition.events.clear()
    assert transition.messages == [{"a": [1]}]
    assert transition.events[-1] == {"kind": "K", "payload": {"b": [2]}}


@pytest.mark.parametrize(
    ("run", "shown"),
    [
        (RunDisposition.running("r"), "Transition(2, run 'r', Running, 1 commands)"),
        (RunDisposition.awaiting(TICKET), "Transition(2, run 'r', Awaiting, 1 commands)"),
        (
            RunDisposition.ended("r", EndCause(EndKind.STOPPED, reason="budget")),
            "Transition(2, run 'r', Ended: Stopped: budget, 1 commands)",
        ),
    ],
)
def test_its_repr_is_short_and_says_who_and_what(run: RunDisposition, shown: str) -> None:
    commit = ThreadCommit.assemble("t", run, state=[put({"long": "x" * 1000})])
    assert repr(Transition(2, 9, commit)) == shown


def test_the_ticket_and_the_time_are_kept() -> None:
    when = datetime(2026, 1, 2, tzinfo=UTC)
    transition = Transition(1, 1, ThreadCommit.assemble("t", RunDisposition.awaiting(TICKET)), when)
    assert transition.resume_ticket == TICKET
    assert transition.committed_at == when
    assert pickle.loads(pickle.dumps(transition)) == transition


def test_kinds_of_problems_are_their_words() -> None:
    assert [kind.value for kind in ProblemKind] == [
        "torn_tail",
        "corrupt",
        "invalid_commit",
        "ended_run",
        "conflict_on_disk",
    ]
    assert ProblemKind.TORN_TAIL == "torn_tail"


@pytest.mark.parametrize(
    ("problem", "sentence"),
    [
        (
            Problem(ProblemKind.ENDED_RUN, "run 'r' had already ended at position 2", 4),
            "ended run at position 4: run 'r' had already ended at position 2",
        ),
        (
            Problem(ProblemKind.TORN_TAIL, "the last line was cut short", 19, 20, 10_000),
            "torn tail at line 20 (byte 10000), after position 19: the last line was cut short",
        ),
        (
            Problem(ProblemKind.CORRUPT, "not JSON", 0, 1, 0),
            "corrupt at line 1 (byte 0), after position 0: not JSON",
        ),
    ],
)
def test_a_problem_is_one_sentence_with_its_place(problem: Problem, sentence: str) -> None:
    assert str(problem) == sentence
    assert pickle.loads(pickle.dumps(problem)) == problem


def test_its_repr_shows_no_raw_control_character() -> None:
    commit = ThreadCommit.assemble("t", RunDisposition.ended("r\x1b", {"Stopped": "a\n\x1b[31m"}))
    assert repr(Transition(1, 1, commit)).isprintable()
