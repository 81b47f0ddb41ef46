"""What one cell holds at every position, found by bisection.

A cell's writes cut its past into eras: an era starts where a command replaces the value or removes it. The commands
that merge into an era's object are kept as one small timeline per field, so that

- the value at any position costs one bisection, plus one per field when fields were merged,
- the memory is proportional to the commands, also when a hundred thousand of them merge into one object, and
- the eras cost each command of the cell once, when a merged value of it is first looked at.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Final, TypeAlias, cast

from statekit.command import Command, Set
from statekit.merge import merges
from statekit.value import ABSENT, Absent, Json, same
from statekit.vocabulary import MergePolicy

Write: TypeAlias = tuple[int, Command]
"""A command that addresses the cell, with its position."""

_POSITION: Final = itemgetter(0)


class Era:
    """A cell from one replacing write to the next: its base, and the fields merged into it since."""

    __slots__ = ("base", "fields")

    def __init__(self, base: Json | Absent) -> None:
        self.base = base
        self.fields: dict[str, tuple[list[int], list[Json]]] = {}

    def merge(self, position: int, value: dict[str, Json]) -> None:
        """Record the fields that a command merged at a position."""
        for name, item in value.items():
            positions, values = self.fields.setdefault(name, ([], []))
            positions.append(position)
            values.append(item)

    def at(self, position: int) -> Json | Absent:
        """The value after a position of this era."""
        if not self.fields:
            return self.base
        # Only an object is ever merged into.
        value: dict[str, Json] = {**cast(dict[str, Json], self.base)}
        for name, (positions, values) in self.fields.items():
            place = bisect_right(positions, position)
            if not place:
                # Fields stand in the order of their first merge, so every later one is still to come.
                break
            value[name] = values[place - 1]
        return value


class Timeline:
    """The past of one cell, over its writes in order, which it does not copy.

    >>> from statekit.vocabulary import Scope
    >>> note = lambda value: Command.set(Scope.THREAD, MergePolicy.COMMUTATIVE, "notes", value)
    >>> timeline = Timeline([(2, note({"a": 1})), (5, note({"b": 2}))])
    >>> timeline.at(1), timeline.at(4), timeline.at(9)
    (ABSENT, {'a': 1}, {'a': 1, 'b': 2})
    """

    __slots__ = ("_eras", "_starts", "_writes")

    def __init__(self, writes: Sequence[Write]) -> None:
        self._writes = writes
        self._starts: list[int] = []
        self._eras: list[Era] = []

    @property
    def positions(self) -> list[int]:
        """The positions of the writes, in order; one stands as often as its batch wrote the cell."""
        return [position for position, _ in self._writes]

    def at(self, position: int) -> Json | Absent:
        """The value after a position, to look at and never to change, or `ABSENT`."""
        command = self._last(position)
        if command is None or not isinstance(command.action, Set):
            return ABSENT
        value = command.action.borrow()
        if command.merge is MergePolicy.COMMUTATIVE and isinstance(value, dict):
            return self._era(position).at(position)
        # What replaces needs no era, so most cells never get any.
        return value

    def holds(self, position: int) -> bool:
        """Whether there is a value after a position."""
        command = self._last(position)
        return command is not None and isinstance(command.action, Set)

    def last_write(self, position: int) -> int | None:
        """The position of the last write up to and including a position."""
        place = bisect_right(self._writes, position, key=_POSITION)
        return self._writes[place - 1][0] if place else None

    def changes_after(self, position: int) -> Iterator[int]:
        """The later positions at which the value became another one, nearest first."""
        later = bisect_right(self._writes, position, key=_POSITION)
        yield from filter(self._changed, _once(self._writes[later:]))

    def changes_before(self, position: int) -> Iterator[int]:
        """The earlier positions at which the value became another one, nearest first."""
        earlier = bisect_left(self._writes, position, key=_POSITION)
        yield from filter(self._changed, _once(reversed(self._writes[:earlier])))

    def _changed(self, position: int) -> bool:
        return not same(self.at(position - 1), self.at(position))

    def _last(self, position: int) -> Command | None:
        place = bisect_right(self._writes, position, key=_POSITION)
        return self._writes[place - 1][1] if place else None

    def _era(self, position: int) -> Era:
        if not self._eras:
            for place, command in self._writes:
                self._record(place, command)
        return self._eras[bisect_right(self._starts, position) - 1]

    def _record(self, position: int, command: Command) -> None:
        action = command.action
        if self._eras and isinstance(action, Set) and merges(command, self._eras[-1].base):
            self._eras[-1].merge(position, action.borrow())
        else:
            self._starts.append(position)
            self._eras.append(Era(action.borrow() if isinstance(action, Set) else ABSENT))


def _once(writes: Iterable[Write]) -> Iterator[int]:
    """The positions of writes that stand in order, each once."""
    return (position for position, _ in groupby(writes, key=_POSITION))
