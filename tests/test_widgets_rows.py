"""The rows of the table, and what is said of a whole history, as plain data."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from statekit.command import Command
from statekit.commit import ThreadCommit
from statekit.history import History
from statekit.journal import load_history
from statekit.run import RunDisposition
from statekit.transition import Problem, ProblemKind, Transition
from statekit.vocabulary import MergePolicy, Scope
from statekit.widgets.rows import CELLS_LIMIT, TransitionRows, problems_at
from statekit.widgets.summary import MARKS, RUNS, SENTENCES, summary

HISTORIES = Path(__file__).parent / "data" / "histories"


def support() -> History:
    return load_history(HISTORIES / "support-42.ndjson")


def sets(*keys: str) -> list[Command]:
    return [Command.set(Scope.THREAD, MergePolicy.DISJOINT, key, 1) for key in keys]


def history(*runs: str, problems: tuple[Problem, ...] = (), commands: list[Command] | None = None) -> History:
    """A history of one transition for each run id, all with the same commands."""
    commits = [ThreadCommit.assemble("t", RunDisposition.running(run), state=commands or []) for run in runs]
    return History("t", [Transition(place, place, commit) for place, commit in enumerate(commits, 1)], problems)


def test_a_row_says_what_its_transition_is() -> None:
    [row] = TransitionRows(support()).rows(12, 13)
    assert row == {
        "position": 12,
        "run": "run-1",
        "state": "Running",
        "phase": "Running",
        "commands": 3,
        "cells": "refund/7719, thread_usage",
        "time": "",
        "starts_run": False,
        "flags": [],
    }


def test_an_end_names_its_cause_and_its_phase_apart() -> None:
    [row] = TransitionRows(support()).rows(28, 29)
    assert (row["state"], row["phase"], row["commands"], row["cells"]) == (
        "Ended: Error: StateConflict",
        "Ended",
        0,
        "",
    )


def test_the_first_row_is_the_start() -> None:
    start, first = TransitionRows(support()).rows(0, 2)
    assert (start["position"], start["state"], start["run"], start["cells"]) == (0, "start", "", "")
    assert first["position"] == 1


def test_only_a_run_after_another_one_starts_a_stretch() -> None:
    assert [row["position"] for row in TransitionRows(support()).rows(0, 37) if row["starts_run"]] == [15, 29]


@pytest.mark.parametrize(
    ("start", "stop", "positions"),
    [(-5, 2, [0, 1]), (35, 99, [35, 36]), (36, 37, [36]), (37, 99, []), (9, 3, []), (3, 3, [])],
)
def test_rows_outside_of_the_history_are_left_out(start: int, stop: int, positions: list[int]) -> None:
    assert [row["position"] for row in TransitionRows(support()).rows(start, stop)] == positions


def test_a_problem_marks_its_row() -> None:
    broken = load_history(HISTORIES / "post-terminal.ndjson")
    flags = {row["position"]: row["flags"] for row in TransitionRows(broken).rows(0, 38) if row["flags"]}
    sentence = "ended run at position 15: run 'run-1' had already ended at position 14"
    assert flags == {15: [{"word": "ended run", "sentence": sentence}]}


def test_damage_before_the_first_transition_marks_the_start() -> None:
    damaged = history("r", problems=(Problem(ProblemKind.CORRUPT, "not JSON", 0, line=1, offset=0),))
    start, first = TransitionRows(damaged).rows(0, 2)
    assert [flag["word"] for flag in start["flags"]] == ["corrupt"]
    assert first["flags"] == []


def test_problems_are_found_at_their_position_alone() -> None:
    found = tuple(Problem(ProblemKind.CORRUPT, str(place), place) for place in (0, 1, 1, 2))
    assert [problem.detail for problem in problems_at(history("r", "r", problems=found), 1)] == ["1", "1"]


def test_the_time_is_shown_where_the_medium_keeps_one() -> None:
    commit = ThreadCommit.assemble("t", RunDisposition.running("r"))
    timed = History("t", [Transition(1, 1, commit, datetime(2026, 11, 3, 9, 0, 7, 5000, tzinfo=UTC))])
    assert TransitionRows(timed).rows(1, 2)[0]["time"] == "2026-11-03 09:00:07+00:00"
    assert summary(timed)["days"] == 1
    assert summary(support())["days"] == 0


def test_characters_that_do_not_show_are_spelled_out() -> None:
    hidden = history("run\u202e1", commands=sets("a\nb"))
    [row] = TransitionRows(hidden).rows(1, 2)
    assert (row["run"], row["cells"]) == ("run\\u202e1", "a\\u000ab")
    assert summary(hidden)["runs"] == [{"id": "run\u202e1", "label": "run\\u202e1"}]


def test_many_cells_are_cut_with_the_number_left_out() -> None:
    [row] = TransitionRows(history("r", commands=sets(*(f"cell-{n:03}" for n in range(100))))).rows(1, 2)
    assert row["cells"].startswith("cell-000, cell-001, ")
    assert row["cells"].endswith(", cell-039, … 60 more")


def test_a_long_key_is_cut() -> None:
    [row] = TransitionRows(history("r", commands=sets("k" * 1_000_000))).rows(1, 2)
    assert row["cells"] == "k" * CELLS_LIMIT + "…"


def test_a_long_name_is_cut() -> None:
    [row] = TransitionRows(history("r" * 1_000_000)).rows(1, 2)
    assert row["run"] == "r" * 300 + "…"


def test_the_summary_counts() -> None:
    said = summary(support())
    assert said["thread"] == "support-42"
    assert said["facts"] == "36 transitions · 3 runs · 13 cells"
    assert said["length"] == 36
    assert said["boundaries"] == [
        {"position": 1, "label": "run-1"},
        {"position": 15, "label": "run-2"},
        {"position": 29, "label": "run-3"},
    ]
    assert (said["problem_count"], said["problems"], said["marks"]) == (0, [], [])
    assert (said["run_width"], said["state_width"]) == (5, 27)


def test_the_summary_says_what_is_wrong() -> None:
    said = summary(load_history(HISTORIES / "torn-tail.ndjson"))
    sentence = "torn tail at line 21 (byte 10016), after position 20: the last line was cut short"
    assert said["problems"] == [{"position": 20, "word": "torn tail", "sentence": sentence}]
    assert said["marks"] == [20]


def test_the_summary_of_a_crowded_history_stays_short() -> None:
    problems = tuple(Problem(ProblemKind.CORRUPT, "not JSON", place) for place in range(1, 2001))
    said = summary(history(*(f"run-{place}" for place in range(2000)), problems=problems))
    assert (said["run_count"], len(said["runs"])) == (2000, RUNS)
    assert (said["problem_count"], len(said["problems"])) == (2000, SENTENCES)
    assert len(said["boundaries"]) == len(said["marks"]) == MARKS
    assert said["marks"][0] == 1
