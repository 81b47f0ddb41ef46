"""What `statekit open` refuses, and what becomes of its notebook."""

from __future__ import annotations

import shutil
import socket
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import nbformat
import pytest

from statekit.cli import main, open_lab
from tests.cli.sample import HISTORIES, SEVERAL_THREADS, SUPPORT, cells_of


@dataclass
class Served:
    """What a stand-in for JupyterLab was given, and what it does to it."""

    notebooks: list[Path]
    ports: list[int | None]
    act: Callable[[Path], object] = lambda path: None
    code: int = 0


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Served:
    """JupyterLab played by a function, and a folder of its own for temporary files."""
    served = Served([], [])

    def play(path: Path, *, browser: bool, port: int | None) -> int:
        cells_of(path.read_text(encoding="utf-8"))
        served.notebooks.append(path)
        served.ports.append(port)
        served.act(path)
        return served.code

    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    monkeypatch.setattr(open_lab, "run_lab", play)
    return served


def test_an_untouched_notebook_goes_with_its_folder(served: Served, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["open", str(SUPPORT)]) == 0
    (path,) = served.notebooks
    assert path.name == "support-42.ipynb"
    assert not path.parent.exists()
    assert path.parent.parent.is_dir()
    assert "support-42: 36 transitions" in capsys.readouterr().out


def run_all(path: Path) -> None:
    """Save the notebook as JupyterLab does after running it: outputs, counts, metadata, a checkpoint."""
    node = nbformat.read(path, as_version=4)
    node.metadata.language_info = {"name": "python", "version": "3.11.0"}
    for count, cell in enumerate(node.cells[1:], start=1):
        cell.execution_count = count
        cell.outputs = [nbformat.v4.new_output("stream", text="ran\n")]
    (path.parent / ".ipynb_checkpoints").mkdir()
    shutil.copy(path, path.parent / ".ipynb_checkpoints" / path.name)
    nbformat.write(node, path)


def test_a_notebook_that_was_only_run_goes_too(served: Served) -> None:
    served.act = run_all
    assert main(["open", str(SUPPORT)]) == 0
    assert not served.notebooks[0].parent.exists()


def add_cell(path: Path) -> None:
    node = nbformat.read(path, as_version=4)
    node.cells.append(nbformat.v4.new_code_cell("history.diff(1, 2)"))
    nbformat.write(node, path)


def edit_parameters(path: Path) -> None:
    node = nbformat.read(path, as_version=4)
    node.cells[1].source += "\nNOTE = 1"
    nbformat.write(node, path)


@pytest.mark.parametrize(
    "act",
    [
        pytest.param(add_cell, id="a new cell"),
        pytest.param(edit_parameters, id="an edited cell"),
        pytest.param(lambda path: (path.parent / "found.csv").write_text("a"), id="another file"),
        pytest.param(lambda path: path.rename(path.with_name("mine.ipynb")), id="another name"),
        pytest.param(lambda path: path.write_text('{"cells": [{}]}'), id="another kind of JSON"),
        pytest.param(lambda path: path.write_bytes(b"\xff"), id="no JSON"),
        pytest.param(lambda path: path.write_text("[]"), id="an array"),
    ],
)
def test_what_a_person_changed_stays_and_is_said(
    act: Callable[[Path], object], served: Served, capsys: pytest.CaptureFixture[str]
) -> None:
    served.act = act
    assert main(["open", str(SUPPORT)]) == 0
    folder = served.notebooks[0].parent
    assert any(folder.iterdir())
    assert str(folder) in capsys.readouterr().out.splitlines()[-1]


def test_a_named_notebook_is_kept_and_never_overwritten(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["open", str(SUPPORT), "--notebook", "mine ü.ipynb"]) == 0
    path = tmp_path / "mine ü.ipynb"
    assert served.notebooks == [path]
    before = path.read_bytes()
    capsys.readouterr()
    assert main(["open", str(SUPPORT), "--notebook", "mine ü.ipynb"]) == 2
    assert capsys.readouterr().err == (
        "statekit: mine ü.ipynb is there already: name another file, or open it with jupyter lab\n"
    )
    assert path.read_bytes() == before
    assert len(served.notebooks) == 1


@pytest.mark.parametrize("name", ["history.txt", ".hidden.ipynb", "", "no/such/folder/x.ipynb"])
def test_a_notebook_that_cannot_be_opened_is_not_made(
    name: str, served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["open", str(SUPPORT), "--notebook", name]) == 2
    assert served.notebooks == []
    assert [path.name for path in tmp_path.iterdir()] == ["temporary"]
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("name", SEVERAL_THREADS)
def test_open_asks_which_thread(name: str, served: Served, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["open", str(HISTORIES / name)]) == 2
    err = capsys.readouterr().err
    assert "'support-42', 'research-7'" in err
    assert err.count("\n") == 1
    assert served.notebooks == []
    assert main(["open", str(HISTORIES / name), "--thread", "research-7"]) == 0


def test_a_port_that_is_taken_is_said_before_anything_is_made(
    served: Served, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["open", str(SUPPORT), "--port", str(port), "--notebook", str(tmp_path / "x.ipynb")]) == 2
    assert capsys.readouterr().err.startswith(f"statekit: port {port} of 127.0.0.1 cannot be used: ")
    assert served.notebooks == []
    assert not (tmp_path / "x.ipynb").exists()
    assert main(["open", str(SUPPORT), "--port", str(port)]) == 0
    assert served.ports == [port]


def test_a_failure_of_jupyterlab_is_said(served: Served, capsys: pytest.CaptureFixture[str]) -> None:
    served.code = 1
    assert main(["open", str(SUPPORT)]) == 2
    assert capsys.readouterr().err == "statekit: JupyterLab ended with exit code 1\n"
    assert not served.notebooks[0].parent.exists()
