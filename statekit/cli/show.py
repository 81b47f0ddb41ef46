"""`statekit show`: the transitions of a history as lines of text; needs rich.

In a terminal the keys of a row wrap below themselves and long ids are cut; anywhere else every row is one whole line.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Final

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from statekit.history import History
from statekit.journal import load_history
from statekit.preview import counted, visible
from statekit.run import PhaseKind
from statekit.transition import Transition

GAP: Final = "  "
KEYS_WIDTH: Final = 20
"""How many columns of a terminal the keys of a row have at least."""

NARROWEST: Final = 8
AT_ONCE: Final = 200
"""How many rows are written at once, so that a reader of the first lines need not wait for the last."""

PHASE_STYLES: Final = {PhaseKind.RUNNING: "", PhaseKind.AWAITING: "yellow", PhaseKind.ENDED: "bold"}


class PlainConsole(Console):
    """A console that interprets nothing in what it prints, and lets a broken pipe be met by its caller."""

    def __init__(self) -> None:
        super().__init__(highlight=False, markup=False, emoji=False, force_jupyter=False)

    def say(self, text: Text | str) -> None:
        """Print lines as they are, however long."""
        self.print(text, soft_wrap=True)

    def on_broken_pipe(self) -> None:
        """Leave it to the caller."""
        raise BrokenPipeError


class Rows:
    """The rows of some transitions, in columns as wide as their widest text.

    `width` is that of the terminal, or None where a line may have any length.
    """

    def __init__(self, transitions: Sequence[Transition], width: int | None) -> None:
        timed = any(transition.committed_at is not None for transition in transitions)
        self._names = ["#", "run", "state", "cmds", *(["time (UTC)"] if timed else [])]
        self._transitions = transitions
        self._timed = timed
        self._widths = self._natural_widths()
        if width is not None:
            self._squeeze(width)
        indent = sum(self._widths) + len(GAP) * len(self._widths)
        self._indent = " " * indent
        self._room = None if width is None else max(width - indent, KEYS_WIDTH)

    def head(self) -> Text:
        """The names of the columns."""
        return Text(self._line(self._names) + "cells", style="bold")

    def lines(self, start: int, stop: int) -> Text:
        """The rows from index `start` up to, but without, `stop`."""
        return Text("\n").join(self._row(transition) for transition in self._transitions[start:stop])

    def _natural_widths(self) -> list[int]:
        widths = [cell_len(name) for name in self._names]
        for transition in self._transitions:
            for place, text in enumerate(self._facts(transition)):
                widths[place] = max(widths[place], cell_len(text))
        return widths

    def _squeeze(self, width: int) -> None:
        """Share what the other columns leave between run and state."""
        number, run, state, *others = self._widths
        spare = width - KEYS_WIDTH - number - sum(others) - len(GAP) * len(self._widths)
        half = max(spare // 2, NARROWEST)
        if run + state > max(spare, 2 * NARROWEST):
            run, state = min(run, max(half, spare - state)), min(state, max(half, spare - run))
        self._widths = [number, run, state, *others]

    def _facts(self, transition: Transition) -> list[str]:
        facts = [
            f"{transition.position:,}",
            visible(transition.run_id),
            visible(str(transition.phase)),
            f"{len(transition.commands):,}",
        ]
        return [*facts, _clock(transition.committed_at)] if self._timed else facts

    def _line(self, texts: Sequence[str]) -> str:
        numbers = ("#", "cmds")
        cells = (
            _right(text, width) if name in numbers else _left(text, width)
            for name, text, width in zip(self._names, texts, self._widths, strict=True)
        )
        return "".join(cell + GAP for cell in cells)

    def _row(self, transition: Transition) -> Text:
        row = Text(self._line(self._facts(transition)))
        start = self._widths[0] + self._widths[1] + 2 * len(GAP)
        style = PHASE_STYLES[transition.phase.kind]
        if style:
            row.stylize(style, start, start + self._widths[2])
        keys = ", ".join(visible(key) for _, key in transition.addresses)
        row.append(f"\n{self._indent}".join(_wrapped(keys, self._room)))
        row.rstrip()
        return row


def show(target: str, thread_id: str | None, limit: int | None = None) -> None:
    """Print the summary of a history, its first `limit` transitions (None: all of them) and its problems.

    Raises what `load_history` raises, and `BrokenPipeError` when nobody reads on.
    """
    history = load_history(target, thread_id)
    console = PlainConsole()
    console.say(Text(summary(history), style="bold"))
    for text in _table(history[:limit], console.width if sys.stdout.isatty() else None):
        console.say(text)
    if limit is not None and limit < len(history):
        console.say(f"… {len(history) - limit:,} more")
    if history.problems:
        console.say(Text(counted(len(history.problems), "problem"), style="bold red"))
    for problem in history.problems:
        console.say(f"{GAP}{visible(str(problem))}")


def summary(history: History) -> str:
    """A history in one line.

    >>> summary(History("t", []))
    't: 0 transitions, 0 runs, 0 cells'
    """
    counts = (
        counted(len(history), "transition"),
        counted(len(history.runs), "run"),
        counted(len(history.cells), "cell"),
    )
    return f"{visible(history.thread_id) or 'no thread'}: {', '.join(counts)}"


def _table(transitions: Sequence[Transition], width: int | None) -> Iterator[Text]:
    if transitions:
        rows = Rows(transitions, width)
        yield rows.head()
        for start in range(0, len(transitions), AT_ONCE):
            yield rows.lines(start, start + AT_ONCE)


def _clock(time: datetime | None) -> str:
    if time is None:
        return ""
    return time.astimezone(UTC).replace(tzinfo=None).isoformat(sep=" ", timespec="seconds")


def _left(text: str, width: int) -> str:
    return set_cell_size(text, width) if cell_len(text) <= width else set_cell_size(text, width - 1) + "…"


def _right(text: str, width: int) -> str:
    return " " * (width - cell_len(text)) + text


def _wrapped(text: str, room: int | None) -> list[str]:
    if room is None or cell_len(text) <= room:
        return [text]
    return [line.plain.rstrip() for line in Text(text).wrap(PlainConsole(), room, overflow="fold")]
