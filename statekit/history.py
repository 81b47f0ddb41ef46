"""The ordered transitions of one thread, and its state at every position.

A history keeps, for each cell, the list of its writes; a cell that is looked at gets a `Timeline` of them. With n
commands in all, w of one cell and c cells:

- building is one pass over the commands, and the memory is proportional to them, never to positions times cells;
- one cell at any position costs O(log w), whatever the distance from where one was before;
- a store at a position is a view that costs nothing until a cell is asked for, and O(c log w) to list in full;
- a step looks at the cells of its batch, a range diff at the smaller of the cells and the transitions between.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from operator import index
from typing import SupportsIndex, overload

from statekit.command import Command
from statekit.errors import MergeConflict, PositionError
from statekit.merge import validate_batch
from statekit.store import Store
from statekit.timeline import Timeline
from statekit.transition import Problem, ProblemKind, Transition
from statekit.value import ABSENT, Absent, Json, copy_value, same
from statekit.vocabulary import Address, Scope, store_order


class ChangeKind(StrEnum):
    """How a cell, or a place inside a value, differs between two positions."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"

    @classmethod
    def between(cls, before: Json | Absent, after: Json | Absent) -> ChangeKind | None:
        """How two values differ, of which either may be `ABSENT`; None when they are the same.

        >>> ChangeKind.between(ABSENT, None), ChangeKind.between(1, 1)
        (<ChangeKind.ADDED: 'added'>, None)
        """
        if same(before, after):
            return None
        return cls.ADDED if before is ABSENT else cls.REMOVED if after is ABSENT else cls.CHANGED


@dataclass(frozen=True, slots=True)
class Change:
    """One cell that differs between two positions; `before` or `after` is `ABSENT` where the cell is absent."""

    scope: Scope
    key: str
    kind: ChangeKind
    before: Json | Absent
    after: Json | Absent


class History(Sequence[Transition]):
    """The transitions of one thread: a sequence from 0, whose positions count from 1.

    Commits of a run that had already ended, and batches that the batch rule rejects, are kept and reported in
    `problems` beside those that the reader of a medium found.

    >>> History("t", []).store_at(0)
    Store(0 cells)
    """

    def __init__(self, thread_id: str, transitions: Iterable[Transition], problems: Iterable[Problem] = ()) -> None:
        self._thread_id = thread_id
        self._transitions = tuple(transitions)
        self._writes: dict[Address, list[tuple[int, Command]]] = {}
        self._timelines: dict[tuple[Address, str | None], Timeline] = {}
        for place, transition in enumerate(self._transitions, start=1):
            if transition.position != place:
                raise ValueError(f"transition {place} says that its position is {transition.position}")
            for command in transition.commands:
                self._writes.setdefault(command.address, []).append((place, command))
        found = [*problems, *_problems_of_meaning(self._transitions)]
        self._problems = sorted(found, key=lambda problem: (problem.position, problem.line or 0))

    @property
    def thread_id(self) -> str:
        """The thread whose history this is."""
        return self._thread_id

    @property
    def runs(self) -> list[str]:
        """The runs that committed, in the order of their first transition."""
        return list(dict.fromkeys(transition.run_id for transition in self._transitions))

    @property
    def problems(self) -> list[Problem]:
        """What is wrong with this history, in the order of positions."""
        return list(self._problems)

    @property
    def cells(self) -> list[Address]:
        """Every cell that any transition touches, ordered by scope, then key."""
        return sorted(self._writes, key=store_order)

    def __len__(self) -> int:
        return len(self._transitions)

    def __iter__(self) -> Iterator[Transition]:
        return iter(self._transitions)

    @overload
    def __getitem__(self, place: SupportsIndex) -> Transition: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Transition, ...]: ...
    def __getitem__(self, place: SupportsIndex | slice) -> Transition | tuple[Transition, ...]:
        return self._transitions[place]

    def transition(self, position: int) -> Transition:
        """The transition at a position from 1 to the length; raises `PositionError`."""
        checked = self.check_position(position)
        if checked == 0:
            raise PositionError(position, len(self), first=1)
        return self._transitions[checked - 1]

    def check_position(self, position: SupportsIndex) -> int:
        """The position as a plain integer; raises `PositionError` unless it is from 0 to the length."""
        try:
            checked = index(position)
        except TypeError:
            raise PositionError(position, len(self)) from None
        if 0 <= checked <= len(self):
            return checked
        raise PositionError(position, len(self))

    def store_at(self, p: int, *, run: str | None = None) -> Store:
        """The state after position `p` (0 is empty), in the whole history or in the view of one run.

        The view of a run applies `Run`-scoped commands only where their run id is that run.
        """
        return Store.over(_CellsAt(self, self.check_position(p), run))

    def value_at(self, scope: Scope, key: str, p: int) -> Json:
        """A copy of what a cell holds after position `p`; raises `KeyError` when it is absent there."""
        return copy_value(self.borrow_at(scope, key, p))

    def borrow_at(self, scope: Scope, key: str, p: int, *, run: str | None = None) -> Json:
        """What a cell holds after position `p`, to look at and never to change; raises `KeyError` when absent."""
        value = self.held(scope, key, p, run=run)
        if value is ABSENT:
            raise KeyError((scope, key))
        return value

    def held(self, scope: Scope, key: str, p: int, *, run: str | None = None) -> Json | Absent:
        """What a cell holds after position `p`, to look at and never to change, or `ABSENT`."""
        return self.timeline(scope, key, run=run).at(self.check_position(p))

    def timeline(self, scope: Scope, key: str, *, run: str | None = None) -> Timeline:
        """The past of one cell, in the whole history or in the view of one run."""
        address = scope, key
        owner = run if scope is Scope.RUN else None
        timeline = self._timelines.get((address, owner))
        if timeline is None:
            writes = self._writes.get(address)
            if writes is None:
                # Nothing is remembered of a cell that is not there: it could be asked for under any name.
                return Timeline(())
            timeline = Timeline(writes if owner is None else [write for write in writes if write[1].run_id == owner])
            self._timelines[address, owner] = timeline
        return timeline

    def writes(self, scope: Scope, key: str) -> list[tuple[int, Command]]:
        """Every command that addresses a cell, with its position, in order."""
        return list(self._writes.get((scope, key), []))

    def blame(self, scope: Scope, key: str, p: int, *, run: str | None = None) -> Transition | None:
        """The transition that wrote what a cell holds after position `p`; None when it is absent there."""
        timeline, checked = self.timeline(scope, key, run=run), self.check_position(p)
        writer = timeline.last_write(checked)
        if writer is None or not timeline.holds(checked):
            return None
        return self._transitions[writer - 1]

    def diff(self, p: int, q: int, *, run: str | None = None) -> list[Change]:
        """The cells that differ between the states after `p` and after `q`, ordered by scope, then key.

        `p` may be the later one: the diff then leads back.
        """
        p, q = self.check_position(p), self.check_position(q)
        low, high = sorted((p, q))
        if high - low < len(self._writes):
            between = self._transitions[low:high]
            touched: Iterable[Address] = {address for transition in between for address in transition.addresses}
        else:
            touched = self._writes
        changes = (self._change(address, p, q, run) for address in sorted(touched, key=store_order))
        return [change for change in changes if change is not None]

    def _change(self, address: Address, p: int, q: int, run: str | None) -> Change | None:
        timeline = self.timeline(*address, run=run)
        before, after = timeline.at(p), timeline.at(q)
        kind = ChangeKind.between(before, after)
        return None if kind is None else Change(*address, kind, copy_value(before), copy_value(after))

    def present(self, p: int, *, run: str | None = None) -> Iterator[Address]:
        """The cells present after position `p`, in the order of their first write."""
        for address, writes in self._writes.items():
            if writes[0][0] > p:
                return
            if self.timeline(*address, run=run).holds(p):
                yield address

    def __repr__(self) -> str:
        return f"History({self.thread_id!r}, {len(self)} transitions, {len(self.runs)} runs, {len(self._writes)} cells)"


class _CellsAt(Mapping[Address, Json]):
    """The cells present after one position, each found when it is asked for."""

    def __init__(self, history: History, position: int, run: str | None) -> None:
        self._history = history
        self._position = position
        self._run = run

    def __getitem__(self, address: Address) -> Json:
        return self._history.borrow_at(*address, self._position, run=self._run)

    def __iter__(self) -> Iterator[Address]:
        return self._history.present(self._position, run=self._run)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _problems_of_meaning(transitions: Iterable[Transition]) -> Iterator[Problem]:
    ended: dict[str, int] = {}
    for transition in transitions:
        position, run_id = transition.position, transition.run_id
        if run_id in ended:
            detail = f"run {run_id!r} had already ended at position {ended[run_id]}"
            yield Problem(ProblemKind.ENDED_RUN, detail, position)
        if transition.phase.ended:
            ended.setdefault(run_id, position)
        try:
            validate_batch(transition.commands)
        except MergeConflict as conflict:
            yield Problem(ProblemKind.CONFLICT_ON_DISK, str(conflict), position)
