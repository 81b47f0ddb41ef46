"""What one cell holds at every position, found by bisection.

A cell's writes cut its past into eras: an era starts where a command replaces the value or removes it. The commands
that merge into an era's object are kept as one small timeline per field, so that

- the value at any position costs one bisection, plus one per field when fields were merged,
- the memory is proportional to the commands, also when a hundred thousand of them merge into one object, and
- building costs each command once, when the cell is first looked at.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from typing import cast

from statekit.command import Command, Set
from statekit.merge import merges
from statekit.value import ABSENT, Absent, Json, same


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
    """The past of one cell, from its writes in order.

    >>> from statekit.vocabulary import MergePolicy, Scope
    >>> note = lambda value: Command.set(Scope.THREAD, MergePolicy.COMMUTATIVE, "notes", value)
    >>> timeline = Timeline([(2, note({"a": 1})), (5, note({"b": 2}))])
    >>> timeline.at(1), timeline.at(4), timeline.at(9)
    (ABSENT, {'a': 1}, {'a': 1, 'b': 2})
    """

    __slots__ = ("_eras", "_starts", "positions")

    def __init__(self, writes: Iterable[tuple[int, Command]]) -> None:
        self.positions: list[int] = []
        self._starts: list[int] = []
        self._eras: list[Era] = []
        for position, command in writes:
            self.positions.append(position)
            self._record(position, command)

    def _record(self, position: int, command: Command) -> None:
        if not isinstance(command.action, Set):
            self._begin(position, ABSENT)
        elif self._eras and merges(command, self._eras[-1].base):
            self._eras[-1].merge(position, command.action.borrow())
        else:
            self._begin(position, command.action.borrow())

    def _begin(self, position: int, base: Json | Absent) -> None:
        self._starts.append(position)
        self._eras.append(Era(base))

    def at(self, position: int) -> Json | Absent:
        """The value after a position, to look at and never to change, or `ABSENT`."""
        place = bisect_right(self._starts, position)
        return self._eras[place - 1].at(position) if place else ABSENT

    def last_write(self, position: int) -> int | None:
        """The position of the last write up to and including a position."""
        place = bisect_right(self.positions, position)
        return self.positions[place - 1] if place else None

    def changes_after(self, position: int) -> Iterator[int]:
        """The later positions at which the value became another one, nearest first."""
        for place in range(bisect_right(self.positions, position), len(self.positions)):
            if self._changed(self.positions[place]):
                yield self.positions[place]

    def changes_before(self, position: int) -> Iterator[int]:
        """The earlier positions at which the value became another one, nearest first."""
        for place in reversed(range(bisect_left(self.positions, position))):
            if self._changed(self.positions[place]):
                yield self.positions[place]

    def _changed(self, position: int) -> bool:
        return not same(self.at(position - 1), self.at(position))
