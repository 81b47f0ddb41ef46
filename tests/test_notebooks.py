"""The stored notebooks: nbval compares their outputs, and these tests see to it that there is something to compare."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"
STORED = sorted(NOTEBOOKS.glob("*.ipynb"))
WIDGET = "application/vnd.jupyter.widget-view+json"
SWITCHES = re.compile(r"NBVAL_|PYTEST_VALIDATE_")
TAGS = re.compile(r"nbval|validate", re.IGNORECASE)
UNSTABLE = re.compile(r"\bat 0x[0-9a-f]{6,}|#T_[0-9a-f]{5}_")

Cell = dict[str, Any]


def code_cells(notebook: Path) -> list[Cell]:
    return [cell for cell in nbformat.read(notebook, as_version=4).cells if cell.cell_type == "code"]


def flaws(notebook: Path) -> Iterator[str]:
    """Why nbval would compare less of a notebook than a reader of it believes."""
    content = nbformat.read(notebook, as_version=4)
    if "widgets" in content.metadata:
        yield "widget state is stored"
    if content.metadata.get("kernelspec", {}).get("name") != "python3":
        yield "the kernel is not python3"
    for place, cell in enumerate(code_cells(notebook)):
        for flaw in cell_flaws(cell):
            yield f"code cell {place}: {flaw}"


def cell_flaws(cell: Cell) -> Iterator[str]:
    if cell["execution_count"] is None:
        yield "not executed"
    if SWITCHES.search(cell["source"]) or any(map(TAGS.search, cell["metadata"].get("tags", []))):
        yield "comparison switched off"
    if shows_something(cell["source"]) and not cell["outputs"]:
        yield "its output is stripped"
    for output in cell["outputs"]:
        data = output.get("data", {})
        if output["output_type"] == "error":
            yield "an error is stored"
        if WIDGET in data and not {"text/html", "text/plain"} <= data.keys():
            yield "a widget without a static form"
        if any(UNSTABLE.search(str(text)) for name, text in data.items() if name != WIDGET):
            yield "an output that differs at every run"


def shows_something(source: str) -> bool:
    """Whether a cell prints, or ends in an expression."""
    last = source.rstrip().splitlines()[-1]
    assigns = re.match(r"[\w.\[\], ]+=[^=]|(import|from|class|def)\b|[\w.]*set_option\(", last)
    return "print(" in source or assigns is None


def test_there_are_notebooks() -> None:
    assert [path.name for path in STORED] == ["01_open_and_step.ipynb"]


@pytest.mark.parametrize("notebook", STORED, ids=lambda path: path.name)
def test_every_cell_is_executed_and_no_output_is_stripped(notebook: Path) -> None:
    assert list(flaws(notebook)) == []


@pytest.mark.parametrize("notebook", STORED, ids=lambda path: path.name)
def test_tables_and_a_widget_are_stored(notebook: Path) -> None:
    bundles = [output.get("data", {}) for cell in code_cells(notebook) for output in cell["outputs"]]
    assert sum("<table" in bundle.get("text/html", "") for bundle in bundles) >= 3
    assert any(WIDGET in bundle for bundle in bundles)


def strip_outputs(cell: Cell) -> None:
    cell["outputs"] = []


def forget_execution(cell: Cell) -> None:
    cell["execution_count"] = None


def switch_off(cell: Cell) -> None:
    cell["metadata"]["tags"] = ["nbval-ignore-output"]


@pytest.mark.parametrize("spoil", [strip_outputs, forget_execution, switch_off])
def test_a_spoiled_notebook_is_seen(spoil: Callable[[Cell], None], tmp_path: Path) -> None:
    content = nbformat.read(STORED[0], as_version=4)
    spoil(next(cell for cell in content.cells if cell.cell_type == "code" and cell.outputs))
    spoiled = tmp_path / "spoiled.ipynb"
    nbformat.write(content, spoiled)
    assert len(list(flaws(spoiled))) == 1


@pytest.mark.parametrize(("kind", "before", "after"), [("text/html", "Ended", "Endet"), ("text/plain", "36", "37")])
def test_nbval_sees_an_edited_output(kind: str, before: str, after: str, tmp_path: Path) -> None:
    content = nbformat.read(STORED[0], as_version=4)
    content.cells = [cell for cell in content.cells if cell.cell_type == "code"][:3]
    outputs = [output for cell in content.cells for output in cell.outputs]
    edited = next(output for output in outputs if before in output.data.get(kind, ""))
    edited.data[kind] = edited.data[kind].replace(before, after)
    nbformat.write(content, tmp_path / "edited.ipynb")
    shutil.copytree(NOTEBOOKS / "data", tmp_path / "data")
    command = [sys.executable, "-m", "pytest", "--nbval", "--nbval-current-env", "-p", "no:cacheprovider", "-q"]
    run = subprocess.run([*command, "edited.ipynb"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert "1 failed, 2 passed" in run.stdout
