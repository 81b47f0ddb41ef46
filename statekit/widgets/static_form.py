"""Widgets as HTML for where there is no kernel: inline styles only, every text escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any, Final

from statekit.history import History
from statekit.preview import counted
from statekit.widgets.rows import Flag, Row, shown
from statekit.widgets.summary import SENTENCES, counts

ROWS: Final = 20
"""How many rows of a table the static form has at most."""

_MONO: Final = "font-family:monospace"
_CELL: Final = "text-align:left;padding:2px 8px;white-space:nowrap"
_NUMBER: Final = "text-align:right;padding:2px 8px"
_WRAP: Final = f"{_MONO};text-align:left;padding:2px 8px;white-space:pre-wrap;overflow-wrap:anywhere"


def table_form(history: History, rows: Sequence[Row]) -> str:
    """The summary of a history, its problems, and the given first rows of its table."""
    return f"<div>{_summary(history)}{_table(history, rows)}</div>"


def stepper_form(history: History, rows: Sequence[Row], transition: dict[str, Any]) -> str:
    """The table of a history, and one transition of it as `panels.transition_view` gives it."""
    return f"<div>{_summary(history)}{_table(history, rows)}{_transition(transition)}</div>"


def _summary(history: History) -> str:
    problems = history.problems
    facts = counts(len(history), len(history.runs), len(history.cells))
    sentences = "".join(_element("li", shown(str(problem))) for problem in problems[:SENTENCES])
    rest = f"<div>… {len(problems) - SENTENCES:,} more</div>" if len(problems) > SENTENCES else ""
    found = f"<div>✕ {counted(len(problems), 'problem')}</div><ul>{sentences}</ul>{rest}" if problems else ""
    return f"<div><b>{escape(shown(history.thread_id))}</b> {escape(facts)}</div>{found}"


def _table(history: History, rows: Sequence[Row]) -> str:
    timed = any(row["time"] for row in rows)
    flagged = any(row["flags"] for row in rows)
    names = ["#", "run", "state", "cmds", "cells", *(["time"] * timed), *(["flags"] * flagged)]
    head = "".join(_element("th", name, _NUMBER if name in ("#", "cmds") else _CELL) for name in names)
    body = "".join(_row(row, timed, flagged) for row in rows)
    left = len(history) - len(rows)
    rest = f"<div>… {left:,} more</div>" if left else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}"


def _row(row: Row, timed: bool, flagged: bool) -> str:
    cells = [
        _element("td", f"{row['position']:,}", _NUMBER),
        _element("td", row["run"], _CELL),
        _element("td", row["state"], _CELL),
        _element("td", f"{row['commands']:,}", _NUMBER),
        _element("td", row["cells"], _WRAP),
    ]
    if timed:
        cells.append(_element("td", row["time"], _CELL))
    if flagged:
        cells.append(_element("td", _words(row["flags"]), _CELL))
    return f"<tr>{''.join(cells)}</tr>"


def _words(flags: Iterable[Flag]) -> str:
    return ", ".join(f"✕ {flag['word']}" for flag in flags)


def _transition(view: dict[str, Any]) -> str:
    title = f'<div style="margin-top:1em"><b>{escape(view["title"])}</b> {escape(view["facts"])}</div>'
    if view["empty"]:
        return title + _element("div", view["empty"])
    lines = "".join(_cell(cell) for cell in view["cells"])
    rest = _element("div", view["more"]) if view["more"] else ""
    return f"{title}<table><tbody>{lines}</tbody></table>{rest}"


def _cell(cell: dict[str, Any]) -> str:
    facts = [f"{cell['scope']} · {cell['policy']}", *([cell["note"]] * bool(cell["note"]))]
    lines = [_line(cell["sign"], cell["key"], " · ".join(facts), key="font-weight:bold")]
    lines += [_written(write) for write in cell["writes"]]
    lines += [_line(found["sign"], found["path"], _sides(found)) for found in cell["differences"]]
    if cell["more"]:
        lines.append(_line("", "", cell["more"]))
    return "".join(lines)


def _written(write: dict[str, Any]) -> str:
    struck = "text-decoration:line-through" if write["overwritten"] else ""
    return _line(str(write["number"]), write["verb"], write["value"], value=struck)


def _sides(difference: dict[str, str]) -> str:
    return " → ".join(filter(None, [difference["before"], difference["after"]]))


def _line(sign: str, name: str, text: str, *, key: str = "", value: str = "") -> str:
    cells = [
        _element("td", sign, _WRAP),
        _element("td", name, f"{_WRAP};{key}"),
        _element("td", text, f"{_WRAP};{value}"),
    ]
    return f"<tr>{''.join(cells)}</tr>"


def _element(tag: str, text: str, style: str = "") -> str:
    attribute = f' style="{style}"' if style else ""
    return f"<{tag}{attribute}>{escape(text)}</{tag}>"
