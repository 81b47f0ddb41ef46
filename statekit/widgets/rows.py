"""The rows of a history's table as plain data.

A row is a dict of what is shown and nothing else, every text of it on one line and safe to show:

- `position`: from 0, the start before the first transition;
- `run`, `state` (as `Ended: NaturalEnd`), `phase` (`Running`, `Awaiting` or `Ended`), `commands` (how many);
- `cells`: the keys touched, in first-touch order; `time`: ISO 8601, or "" where the medium keeps none;
- `starts_run`: whether the transition before it is of another run;
- `flags`: what `history.problems` says of it, each with a `word` and the `sentence`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import Final, TypedDict

from statekit.history import History
from statekit.preview import visible
from statekit.transition import Problem, Transition

CELLS_LIMIT: Final = 400
"""How many characters of keys a row shows at most."""

TEXT_LIMIT: Final = 300
"""How many characters of a name, a state or a sentence are shown at most."""


class Flag(TypedDict):
    """One thing wrong at a position: a word to mark it, and the sentence."""

    word: str
    sentence: str


class Row(TypedDict):
    """One row of the table; see the module."""

    position: int
    run: str
    state: str
    phase: str
    commands: int
    cells: str
    time: str
    starts_run: bool
    flags: list[Flag]


class TransitionRows:
    """The rows of one history, each made when it is asked for.

    >>> TransitionRows(History("t", [])).rows(0, 10)[0]["state"]
    'start'
    """

    def __init__(self, history: History) -> None:
        self._history = history
        self._flags: dict[int, list[Flag]] = {}
        for problem in history.problems:
            self._flags.setdefault(problem.position, []).append(flag(problem))

    def rows(self, start: int, stop: int) -> list[Row]:
        """The rows at positions from `start` up to, but without, `stop`; what lies outside the history is left out."""
        return [self._row(position) for position in range(max(start, 0), min(stop, len(self._history) + 1))]

    def _row(self, position: int) -> Row:
        flags = self._flags.get(position, [])
        if position == 0:
            return _start(flags)
        transition = self._history[position - 1]
        before = self._history[position - 2].run_id if position > 1 else None
        return {
            "position": position,
            "run": shown(transition.run_id),
            "state": shown(str(transition.phase)),
            "phase": transition.phase.kind.value,
            "commands": len(transition.commands),
            "cells": touched(transition),
            "time": clock_time(transition),
            "starts_run": position > 1 and transition.run_id != before,
            "flags": flags,
        }


def _start(flags: list[Flag]) -> Row:
    return {
        "position": 0,
        "run": "",
        "state": "start",
        "phase": "",
        "commands": 0,
        "cells": "",
        "time": "",
        "starts_run": False,
        "flags": flags,
    }


def problems_at(history: History, position: int) -> list[Problem]:
    """What is wrong with a history at one position."""
    problems = history.problems
    first = bisect_left(problems, position, key=_position)
    return problems[first : bisect_right(problems, position, first, key=_position)]


def _position(problem: Problem) -> int:
    return problem.position


def flag(problem: Problem) -> Flag:
    """A problem as a row shows it."""
    return {"word": problem.kind.value.replace("_", " "), "sentence": shown(str(problem))}


def shown(text: str) -> str:
    """A text of a history on one line, cut to `TEXT_LIMIT`."""
    return visible(text) if len(text) <= TEXT_LIMIT else f"{visible(text[:TEXT_LIMIT])}…"


def touched(transition: Transition) -> str:
    """The keys of the cells a transition touches, shortened to `CELLS_LIMIT` with the number left out."""
    names: list[str] = []
    room = CELLS_LIMIT
    keys = [key for _, key in transition.addresses]
    for place, key in enumerate(keys):
        if len(key) > room:
            rest = len(keys) - place
            cut = visible(key[:room]) + "…"
            return ", ".join([*names, cut]) if rest == 1 else ", ".join([*names, f"… {rest:,} more"])
        names.append(visible(key))
        room -= len(key) + 2
    return ", ".join(names)


def clock_time(transition: Transition) -> str:
    """When a transition was committed, as ISO 8601 to the second; "" where the medium keeps no time."""
    time = transition.committed_at
    return "" if time is None else time.isoformat(sep=" ", timespec="seconds")
