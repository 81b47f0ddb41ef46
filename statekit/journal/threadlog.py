"""What a reader of a medium gathers: the transitions of each thread, and the damage it met."""

from __future__ import annotations

import gc
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from operator import attrgetter
from typing import NamedTuple

from statekit.commit import ThreadCommit
from statekit.errors import ValidationError
from statekit.history import History
from statekit.run import PhaseKind, RunDisposition
from statekit.transition import Problem, ProblemKind, Transition

MAX_DETAIL = 400
"""How many characters of a detail are kept: a damaged file may quote megabytes of itself."""

MANY_OBJECTS = 200_000
"""How many new objects make a load a large one."""


class Damage(NamedTuple):
    """Something in a medium that is no transition of any thread.

    `sequence` is the place among the medium's commits where one should have been.
    """

    kind: ProblemKind
    detail: str
    sequence: float
    line: int | None = None
    offset: int | None = None

    def as_problem(self, position: int) -> Problem:
        """The problem this is for a history that has `position` transitions before it."""
        return Problem(self.kind, shortened(self.detail), position, self.line, self.offset)


class ThreadLog:
    """The transitions of one thread, in the order they are read.

    `keeps_tickets` says whether the medium stores the tickets of past waits; where it does not, a run that awaits
    without one is in order.
    """

    def __init__(self, thread_id: str, *, keeps_tickets: bool = True) -> None:
        self.thread_id = thread_id
        self.transitions: list[Transition] = []
        self.problems: list[Problem] = []
        self._keeps_tickets = keeps_tickets

    def append(
        self,
        sequence: int,
        commit: ThreadCommit,
        committed_at: datetime | None = None,
        *,
        line: int | None = None,
        offset: int | None = None,
    ) -> None:
        """Add one commit; what is invalid in it is kept and reported."""
        position = len(self.transitions) + 1
        self.transitions.append(Transition(position, sequence, commit, committed_at))
        flaw = self._flaw(commit)
        if flaw is not None:
            self.problems.append(Problem(ProblemKind.INVALID_COMMIT, shortened(flaw), position, line, offset))

    def report(self, detail: str) -> None:
        """Report damage beside the last commit added, which is whole without it."""
        self.problems.append(Problem(ProblemKind.CORRUPT, shortened(detail), len(self.transitions)))

    def history(self, damages: Iterable[Damage] = ()) -> History:
        """The history of what was added, with the damage that concerns it."""
        found = [damage.as_problem(self._before(damage.sequence)) for damage in damages]
        return History(self.thread_id, self.transitions, [*self.problems, *found])

    def _before(self, sequence: float) -> int:
        return bisect_left(self.transitions, sequence, key=attrgetter("sequence"))

    def _flaw(self, commit: ThreadCommit) -> str | None:
        ticket_lost = commit.phase.kind is PhaseKind.AWAITING and commit.resume_ticket is None
        if ticket_lost and not self._keeps_tickets:
            commit = replace(commit, run=RunDisposition.running(commit.run_id))
        try:
            # The history itself reports a batch that the rule rejects.
            commit.check_ownership()
        except ValidationError as error:
            return str(error)
        return None


def shortened(detail: str) -> str:
    """A detail of bounded length.

    >>> len(shortened("x" * 5000))
    400
    """
    return detail if len(detail) <= MAX_DETAIL else f"{detail[: MAX_DETAIL - 3]}..."


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the cyclic garbage collector: a bulk load makes millions of objects and no garbage."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
            if gc.get_count()[0] > MANY_OBJECTS:
                # The collection that so many new objects call for is part of loading them: it would otherwise stall
                # the first thing that is done with the history, for a second or more.
                gc.collect()
