"""Stepping through a history, as a widget."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import traitlets

from statekit.history import History
from statekit.widgets import front_end, static_form
from statekit.widgets.panels import state_rows, transition_view
from statekit.widgets.rows import shown
from statekit.widgets.table import HistoryTable

SCRIPT: Final = (
    *("dom", "moving", "row_window", "table", "track", "controls"),
    *("header", "views", "changes", "state", "replay_stepper"),
)

SPEEDS: Final = (0.5, 1, 2, 5, 10)
"""The speeds of play, in transitions a second."""

STATE_ROWS: Final = 18
"""How many cells of the state travel with each step; a page that shows more asks for them."""

STATE_ROWS_AT_ONCE: Final = 200
VIEWS_AT_ONCE: Final = 16


class ReplayStepper(HistoryTable):
    """A history's table, with controls to step through it, what each transition did, and the state after it.

    `position` and `run` (a run id, or None for the whole history) say what is shown, `speed` is in transitions a
    second, one of `SPEEDS`. `playing` is carried out by the page: without one, the position stays.

    >>> ReplayStepper(History("t", []))
    ReplayStepper('t', 0 transitions, at 0)
    """

    _esm = front_end.script(*SCRIPT)

    run = traitlets.Unicode(None, allow_none=True).tag(sync=True)
    speed = traitlets.Enum(SPEEDS, 1).tag(sync=True)
    playing = traitlets.Bool(False).tag(sync=True)

    _speeds = traitlets.List(list(SPEEDS)).tag(sync=True)
    _shown = traitlets.Dict().tag(sync=True)

    def __init__(self, history: History, **traits: Any) -> None:
        self._known_runs: frozenset[str] | None = None
        super().__init__(history, **traits)
        self.observe(lambda _change: self.show(), ["position", "run"])

    @traitlets.default("_shown")
    def _first_shown(self) -> dict[str, Any]:
        return self.view()

    @traitlets.validate("run")
    def _check_run(self, proposal: Any) -> str | None:
        run: str | None = proposal.value
        if self._is_run(run):
            return run
        raise traitlets.TraitError(f"the history has no run {run!r}")

    def show(self) -> None:
        """Send the page the transition at the position and the state after it."""
        self._shown = self.view()

    def view(self) -> dict[str, Any]:
        """What is shown at the position, as plain data; see `stepper_view`."""
        return stepper_view(self._history, self.position, self.run)

    def answer(self, question: Mapping[str, Any]) -> dict[str, Any] | None:
        """The rows of the table, the views at some `positions`, or the cells from `start` to `stop` at a `position`."""
        match question:
            case {"kind": "views", "run": run, "positions": list(positions)} if self._is_run(run):
                known = [position for position in positions[:VIEWS_AT_ONCE] if self._is_position(position)]
                return {"kind": "views", "views": [stepper_view(self._history, position, run) for position in known]}
            case {"kind": "state", "run": run, "position": position, "start": int(start), "stop": int(stop)} if (
                self._is_run(run) and self._is_position(position)
            ):
                rows = state_rows(self._history, position, start, min(stop, start + STATE_ROWS_AT_ONCE), run)
                return {"kind": "state", "run": run, **rows}
        return super().answer(question)

    def _is_position(self, position: object) -> bool:
        return isinstance(position, int) and 0 <= position <= len(self._history)

    def _is_run(self, run: object) -> bool:
        if run is None:
            return True
        if self._known_runs is None:
            self._known_runs = frozenset(self._history.runs)
        return isinstance(run, str) and run in self._known_runs

    def accept(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The trait values of a page's message that can be set; an unknown run or speed cannot."""
        accepted = super().accept(values)
        if not self._is_run(accepted.get("run")):
            del accepted["run"]
        if accepted.get("speed", 1) not in SPEEDS:
            del accepted["speed"]
        return accepted

    def static_html(self) -> str:
        """The summary, the problems and the first rows, then the transition at the position."""
        return static_form.stepper_form(self._history, self.rows(1, 1 + static_form.ROWS), self.view()["transition"])


def stepper_view(history: History, position: int, run: str | None = None) -> dict[str, Any]:
    """The `transition` at a position and the first rows of the `state` after it, see `statekit.widgets.panels`.

    Raises `PositionError`.
    """
    return {
        "position": position,
        "run": run,
        "run_label": shown(run or ""),
        "transition": transition_view(history, position, run),
        "state": state_rows(history, position, 0, STATE_ROWS, run),
    }
