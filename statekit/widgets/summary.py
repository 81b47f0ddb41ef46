"""What a widget says of a whole history: its counts, runs, problems and the marks of its track, as plain data."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Any, Final

from statekit.history import History
from statekit.preview import counted
from statekit.widgets.rows import flag, shown

SENTENCES: Final = 200
"""How many problems are spelled out at most."""

RUNS: Final = 500
"""How many runs a page offers to choose from at most; Python may set any."""

MARKS: Final = 400
"""How many marks of one kind a track has at most, about one for every other pixel."""


def summary(history: History) -> dict[str, Any]:
    """A history in short, with every text on one line and safe to show.

    `runs` and `problems` are shortened to `RUNS` and `SENTENCES`, their counts are not. `boundaries` are the
    positions at which the run becomes another one, `marks` those with a problem, each thinned to `MARKS`. `days` counts
    the dates of its transitions, none where the medium keeps no time.
    """
    length, problems = len(history), history.problems
    starts, ends, days = _survey(history)
    runs = list(dict.fromkeys(starts.values()))
    return {
        "thread": shown(history.thread_id),
        "length": length,
        "facts": counts(length, len(runs), len(history.cells)),
        "runs": [{"id": run, "label": shown(run)} for run in runs[:RUNS]],
        "run_count": len(runs),
        "run_width": _longest(runs),
        "state_width": _longest(ends),
        "boundaries": [{"position": at, "label": shown(starts[at])} for at in _thinned(starts, length)],
        "problems": [{"position": problem.position, **flag(problem)} for problem in problems[:SENTENCES]],
        "problem_count": len(problems),
        "marks": _thinned((problem.position for problem in problems), length),
        "days": len(days),
    }


def _survey(history: History) -> tuple[dict[int, str], set[str], set[date]]:
    """The runs by the positions at which they begin to commit, how runs ended, and the days of the transitions."""
    starts: dict[int, str] = {}
    ends: set[str] = set()
    days: set[date] = set()
    before = None
    for transition in history:
        run, phase, time = transition.run_id, transition.phase, transition.committed_at
        if run != before:
            starts[transition.position] = before = run
        if phase.ended:
            ends.add(str(phase))
        if time is not None:
            days.add(time.date())
    return starts, ends, days


def counts(transitions: int, runs: int, cells: int) -> str:
    """The counts of a history in words.

    >>> counts(36, 1, 0)
    '36 transitions · 1 run · 0 cells'
    """
    return " · ".join([counted(transitions, "transition"), counted(runs, "run"), counted(cells, "cell")])


def _longest(texts: Iterable[str]) -> int:
    return max((len(shown(text)) for text in texts), default=0)


def _thinned(positions: Iterable[int], length: int) -> list[int]:
    kept = {position * MARKS // (length + 1): position for position in sorted(positions, reverse=True)}
    return sorted(kept.values())
