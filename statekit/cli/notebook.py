"""The notebook that `statekit open` makes for a history; needs nbformat and the widgets.

What it says of the target is text and literals: nothing that a file name, a thread id or a history contains becomes
code, markup or an address to fetch.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import nbformat

from statekit import wire
from statekit.cli.show import summary
from statekit.errors import WireError
from statekit.history import History
from statekit.preview import visible
from statekit.value import Json
from statekit.widgets import ReplayStepper

KERNEL: Final = "python3"

_METADATA: Final = {
    "kernelspec": {"name": KERNEL, "display_name": "Python 3 (ipykernel)", "language": "python"},
    "language_info": {"name": "python"},
}
_HOW: Final = (
    "A notebook does not run by itself when it is opened: choose **Run > Run All Cells** in the menu, or press "
    "Shift+Enter in each cell. Until then the table below is a still picture of the first rows."
)
_CODE: Final = """\
from statekit import load_history
from statekit.widgets import ReplayStepper

history = load_history(TARGET, THREAD)
ReplayStepper(history)"""


def history_notebook(target: str, thread_id: str | None, history: History) -> str:
    """The text of a notebook that steps through `history`, which `load_history(target, thread_id)` gave.

    The stepper's static form is stored in it, so that there is something to see before any cell runs.
    """
    if thread_id is None and len(history) > 0:
        thread_id = history.thread_id
    parameters = f"TARGET = {absolute(target)!r}\nTHREAD = {thread_id!r}"
    title = f"# {_escaped(Path(absolute(target)).name)}\n\n{_escaped(summary(history))}\n\n{_HOW}"
    cells = [
        {"cell_type": "markdown", "id": "title", "metadata": {}, "source": title},
        _code("parameters", parameters, {"tags": ["parameters"]}),
        _code("stepper", _CODE, {}, _still_picture(history)),
    ]
    plain = {"nbformat": 4, "nbformat_minor": 5, "metadata": _METADATA, "cells": cells}
    text: str = nbformat.writes(nbformat.from_dict(plain))  # type: ignore[no-untyped-call]
    return f"{text}\n"


def _code(name: str, source: str, metadata: dict[str, Json], *outputs: dict[str, Json]) -> dict[str, Json]:
    return {
        "cell_type": "code",
        "id": name,
        "metadata": metadata,
        "execution_count": None,
        "source": source,
        "outputs": list(outputs),
    }


def same_cells(text: bytes, other: bytes) -> bool:
    """Whether two notebooks have the same cells, whatever running them put out; False when one cannot be read."""
    try:
        return _sources(text) == _sources(other)
    except (WireError, LookupError, TypeError):
        return False


def _sources(text: bytes) -> list[tuple[str, str]]:
    # A stored source is one text or a list of its lines.
    return [(cell["cell_type"], "".join(cell["source"])) for cell in wire.decode(text)["cells"]]


def absolute(target: str) -> str:
    """A target that means the same in every working directory.

    >>> absolute("/histories/none.ndjson")
    '/histories/none.ndjson'
    """
    path = target.removeprefix("sqlite:///")
    return str(Path(path).absolute()) if os.path.lexists(path) else target


def _still_picture(history: History) -> dict[str, Json]:
    stepper = ReplayStepper(history)
    data = {"text/plain": repr(stepper), "text/html": stepper.static_html()}
    stepper.close()
    return {"output_type": "display_data", "data": data, "metadata": {}}


def _escaped(text: str) -> str:
    """Text for a markdown cell, in which neither Markdown nor HTML nor TeX finds anything to interpret."""
    plain = "".join(c if c.isalnum() or c in " .-" else f"&#{ord(c)};" for c in visible(text))
    return f"<code>{plain}</code>"
