"""A cursor over a history: one position, moved by steps, by seeking, or to where a cell changes."""

from __future__ import annotations

from collections.abc import Iterator

from statekit.history import History
from statekit.store import Store
from statekit.transition import Transition
from statekit.vocabulary import Scope


class Replay:
    """A position in a history and the state there, in the whole history or in the view of one run.

    Moving costs nothing, since the state at a position does not depend on the one before; see `statekit.history`.

    >>> replay = Replay(History("t", []))
    >>> replay.step() is None, replay.position
    (True, 0)
    """

    def __init__(self, history: History, *, run: str | None = None) -> None:
        self._history = history
        self._run = run
        self._position = 0

    @property
    def history(self) -> History:
        """The history it moves in."""
        return self._history

    @property
    def run(self) -> str | None:
        """The run whose view it takes, or None for the whole history."""
        return self._run

    @property
    def position(self) -> int:
        """How many transitions have been applied."""
        return self._position

    @property
    def store(self) -> Store:
        """The state at the position; a new store each time, which the cursor does not move."""
        return self._history.store_at(self._position, run=self._run)

    def step(self) -> Transition | None:
        """Apply the next transition and return it; None at the end."""
        if self._position == len(self._history):
            return None
        self._position += 1
        return self._history.transition(self._position)

    def back(self) -> Transition | None:
        """Take the last transition back and return it; None at the start."""
        if self._position == 0:
            return None
        self._position -= 1
        return self._history[self._position]

    def seek(self, p: int) -> None:
        """Move to position `p`, from 0 to the length; raises `PositionError`."""
        self._position = self._history.check_position(p)

    def next_change(self, scope: Scope, key: str) -> int | None:
        """Move to the next position at which a cell becomes another value; None, unmoved, when there is none."""
        return self._move(self._history.timeline(scope, key, run=self._run).changes_after(self._position))

    def previous_change(self, scope: Scope, key: str) -> int | None:
        """Move to the previous position at which a cell became another value; None, unmoved, when there is none."""
        return self._move(self._history.timeline(scope, key, run=self._run).changes_before(self._position))

    def _move(self, positions: Iterator[int]) -> int | None:
        position = next(positions, None)
        if position is not None:
            self._position = position
        return position

    def __repr__(self) -> str:
        view = "" if self._run is None else f", run {self._run!r}"
        return f"Replay({self._history.thread_id!r}, {self._position} of {len(self._history)}{view})"
