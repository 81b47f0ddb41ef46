"""Problems of meaning, among what a reader found."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import naive
from naive import put
from statekit.command import Command, Remove, Set
from statekit.commit import ThreadCommit
from statekit.history import History
from statekit.journal import load_history
from statekit.transition import Problem, ProblemKind, Transition
from statekit.vocabulary import MergePolicy, Scope
from tests.history.sample import D, E, T


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
