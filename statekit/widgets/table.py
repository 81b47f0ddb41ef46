"""The table of a history's transitions, as a widget."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import traitlets

from statekit.history import History
from statekit.widgets import front_end, static_form
from statekit.widgets.history_widget import HistoryWidget
from statekit.widgets.rows import Row, TransitionRows
from statekit.widgets.summary import summary

FIRST_ROWS: Final = 60
"""How many rows travel with the widget itself, so that it paints before it asks for any."""

ROWS_AT_ONCE: Final = 500
"""How many rows one answer holds at most."""


class HistoryTable(HistoryWidget):
    """The transitions of a history as a table, of which only the rows in view are in the page.

    `position` is the highlighted row, 0 the start; a click sets it, and setting it brings its row into view.

    >>> HistoryTable(History("t", []))
    HistoryTable('t', 0 transitions, at 0)
    """

    _esm = front_end.script("dom", "moving", "row_window", "table", "history_table")
    _css = front_end.style()

    _summary = traitlets.Dict().tag(sync=True)
    _first_rows: traitlets.List[Any] = traitlets.List().tag(sync=True)

    def __init__(self, history: History, **traits: Any) -> None:
        self._rows = TransitionRows(history)
        super().__init__(history, _summary=summary(history), _first_rows=self._rows.rows(0, FIRST_ROWS), **traits)

    def rows(self, start: int, stop: int) -> list[Row]:
        """The rows at positions from `start` up to, but without, `stop`; see `statekit.widgets.rows`."""
        return self._rows.rows(start, stop)

    def answer(self, question: Mapping[str, Any]) -> dict[str, Any] | None:
        """The rows that `{"kind": "rows", "start": int, "stop": int}` asks for."""
        match question:
            case {"kind": "rows", "start": int(start), "stop": int(stop)}:
                return {"kind": "rows", "rows": self.rows(start, min(stop, start + ROWS_AT_ONCE))}
        return None

    def static_html(self) -> str:
        """The summary, the problems and the first rows."""
        return static_form.table_form(self._history, self.rows(1, 1 + static_form.ROWS))
