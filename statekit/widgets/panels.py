"""What one transition did, and the state after it, as plain data.

Every text in the answers is on one line, cut to a length and safe to show; a cut answer says how much it leaves out.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import islice
from typing import Any, Final

from statekit.command import Command, Set
from statekit.delta import Difference, differences
from statekit.history import ChangeKind, History
from statekit.merge import apply_command, merges
from statekit.preview import counted, preview
from statekit.transition import Problem, Transition
from statekit.value import ABSENT, Absent, Json, json_path
from statekit.vocabulary import Address, Scope, store_order
from statekit.widgets.rows import clock_time, problems_at, shown

CELLS: Final = 60
"""How many cells of one transition are shown at most."""

LINES: Final = 40
"""How many writes, and how many differences, of one cell are shown at most."""

PROBLEMS: Final = 10
"""How many problems of one position are spelled out at most."""

VALUE: Final = 160
"""About how many characters of a value are shown."""

LEAD: Final = 20
"""How many characters two long texts show before the place where they part."""

SIGNS: Final = {ChangeKind.ADDED: "+", ChangeKind.REMOVED: "−", ChangeKind.CHANGED: "~"}


def transition_view(history: History, position: int, run: str | None = None) -> dict[str, Any]:
    """The transition at a position: its facts, and for each cell its writes and what differs before and after.

    `problems` are sentences, `empty` is the one that stands in place of cells. Raises `PositionError`.
    """
    problems = _sentences(problems_at(history, history.check_position(position)))
    if position == 0:
        empty = "Before the first transition: the state is empty." if history else "This history has no transitions."
        return {
            "position": 0,
            "title": "Start",
            "facts": "",
            "problems": problems,
            "empty": empty,
            "cells": [],
            "more": "",
        }
    transition = history.transition(position)
    touched: dict[Address, list[Command]] = {}
    for command in transition.commands:
        touched.setdefault(command.address, []).append(command)
    return {
        "position": position,
        "title": f"Transition {position:,}",
        "facts": _facts(transition),
        "problems": problems,
        "empty": "" if touched else "No commands: the state stays as it was.",
        "cells": [_cell_view(history, position, commands, run) for commands in islice(touched.values(), CELLS)],
        "more": _more(len(touched) - CELLS, "cell"),
    }


def state_rows(history: History, position: int, start: int, stop: int, run: str | None = None) -> dict[str, Any]:
    """The cells present after a position, in store order, from index `start` up to, but without, `stop`.

    `total` counts them all; `start` is where the given rows begin. Raises `PositionError`.
    """
    present = sorted(history.present(history.check_position(position), run=run), key=store_order)
    touched = set(history[position - 1].addresses) if position else set()
    first = max(start, 0)
    shown = present[first : max(stop, first)]
    return {
        "position": position,
        "total": len(present),
        "start": first,
        "rows": [_state_row(history, position, address, address in touched, run) for address in shown],
    }


def _sentences(problems: list[Problem]) -> list[str]:
    more = _more(len(problems) - PROBLEMS, "problem")
    return [shown(str(problem)) for problem in problems[:PROBLEMS]] + ([more] if more else [])


def _facts(transition: Transition) -> str:
    facts = [shown(transition.run_id), shown(str(transition.phase)), counted(len(transition.commands), "command")]
    if transition.committed_at is not None:
        facts.append(clock_time(transition))
    return " · ".join(facts)


def _cell_view(history: History, position: int, commands: list[Command], run: str | None) -> dict[str, Any]:
    scope, key = commands[0].address
    before, after = (history.held(scope, key, p, run=run) for p in (position - 1, position))
    applied = [command for command in commands if _in_view(command, run)]
    found = differences(before, after)
    writes = _writes(before, applied) if len(applied) > 1 else []
    return {
        "key": shown(key),
        "scope": scope.value,
        "policy": ", ".join(dict.fromkeys(command.merge.value for command in commands)),
        "sign": _sign(before, after),
        "note": "" if found else "same value" if applied else f"not in the view of {shown(run or '')}",
        "writes": writes[:LINES],
        "differences": [] if _says_all(writes, found) else [_difference(difference) for difference in found[:LINES]],
        "more": _more(max(len(applied), len(found)) - LINES, "line"),
    }


def _in_view(command: Command, run: str | None) -> bool:
    return run is None or command.scope is not Scope.RUN or command.run_id == run


def _writes(before: Json | Absent, commands: list[Command]) -> list[dict[str, Any]]:
    """The writes of one cell in order; one is overwritten when a later one replaces the cell instead of merging."""
    address = commands[0].address
    cells: dict[Address, Json] = {} if before is ABSENT else {address: before}
    writes: list[dict[str, Any]] = []
    replacing = 0
    for number, command in enumerate(commands, start=1):
        merging = merges(command, cells.get(address))
        if not merging:
            replacing = number
        apply_command(cells, command)
        writes.append({"number": number, **_write(command, merging)})
    return [{**write, "overwritten": write["number"] < replacing} for write in writes]


def _says_all(writes: list[dict[str, Any]], found: list[Difference]) -> bool:
    """Whether the last write alone is what a new cell holds, so that a difference would say it twice."""
    if not writes or not found:
        return False
    return found[0].kind is ChangeKind.ADDED and not found[0].path and writes[-1]["verb"] == "set"


def _write(command: Command, merging: bool) -> dict[str, str]:
    if isinstance(command.action, Set):
        return {"verb": "merge" if merging else "set", "value": preview(command.action.borrow(), VALUE)}
    return {"verb": "remove", "value": ""}


def _difference(difference: Difference) -> dict[str, str]:
    before, after = _side_by_side(difference.before, difference.after)
    return {
        "sign": SIGNS[difference.kind],
        "path": shown(json_path(difference.path)[1:].removeprefix(".")),
        "before": before,
        "after": after,
    }


def _side_by_side(before: Json | Absent, after: Json | Absent) -> tuple[str, str]:
    """Two values as text, "" where absent; of long texts that begin alike, from shortly before they part."""
    if isinstance(before, str) and isinstance(after, str) and max(len(before), len(after)) > VALUE:
        start = _parting(before, after) - LEAD
        if start > 0:
            return f"…{_side(before[start:])}", f"…{_side(after[start:])}"
    return _side(before), _side(after)


def _side(value: Json | Absent) -> str:
    return "" if value is ABSENT else preview(value, VALUE)


def _parting(left: str, right: str) -> int:
    """How many characters two texts share at their beginning."""
    shorter = range(min(len(left), len(right)))
    return bisect_left(shorter, True, key=lambda place: left[: place + 1] != right[: place + 1])


def _state_row(history: History, position: int, address: Address, touched: bool, run: str | None) -> dict[str, Any]:
    scope, key = address
    value = history.held(scope, key, position, run=run)
    writer = history.blame(scope, key, position, run=run)
    return {
        "key": shown(key),
        "scope": scope.value,
        "value": preview(value, VALUE),
        "sign": _sign(history.held(scope, key, position - 1, run=run), value) if touched else "",
        "by": 0 if writer is None else writer.position,
    }


def _sign(before: Json | Absent, after: Json | Absent) -> str:
    kind = ChangeKind.between(before, after)
    return "" if kind is None else SIGNS[kind]


def _more(count: int, noun: str) -> str:
    return f"… {counted(count, noun).replace(' ', ' more ', 1)}" if count > 0 else ""
