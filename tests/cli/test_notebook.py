"""The notebook that `statekit open` makes: it runs, and shows untrusted names as text only."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from statekit.cli import notebook, open_lab
from tests.cli.sample import AWKWARD, HISTORIES, SUPPORT, cells_of, executed, journal_of


def made_for(target: str, thread_id: str | None = None) -> list[Any]:
    from statekit import load_history

    return cells_of(notebook.history_notebook(target, thread_id, load_history(target, thread_id)))


def test_the_cells_of_the_notebook_step_through_the_history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(SUPPORT, tmp_path / AWKWARD)
    monkeypatch.chdir(tmp_path)
    _, parameters, stepper = made_for(AWKWARD)
    monkeypatch.chdir("/")
    assert parameters.metadata.tags == ["parameters"]
    names = executed(parameters.source)
    assert names["TARGET"] == str(tmp_path / AWKWARD)
    assert names["THREAD"] == "support-42"
    # The last line is the expression that the notebook shows.
    shown = stepper.source.replace("\nReplayStepper", "\nshown = ReplayStepper")
    names = executed(f"{parameters.source}\n{shown}")
    assert repr(names["shown"]) == "ReplayStepper('support-42', 36 transitions, at 0)"


def test_the_notebook_has_something_to_see_before_it_runs() -> None:
    title, _, stepper = made_for(str(HISTORIES / "hostile-markup.ndjson"))
    assert "Run > Run All Cells" in title.source
    (output,) = stepper.outputs
    assert output.output_type == "display_data"
    assert output.data["text/plain"] == "ReplayStepper('support-42', 36 transitions, at 0)"
    assert "&lt;b&gt;key&lt;/b&gt;" in output.data["text/html"]
    assert "<b>key" not in output.data["text/html"]
    assert "application/vnd.jupyter.widget-view+json" not in output.data


@pytest.mark.parametrize(
    "name",
    ["<img src=x onerror=alert(1)>", "![a](http:x)", "$\\href{javascript:alert(1)}{x}$", "`x`", "# x\n\n* y", "a_b_c"],
)
def test_a_file_name_is_only_text_in_the_title(name: str, tmp_path: Path) -> None:
    path = journal_of(tmp_path / f"{name}.ndjson", ["k"], thread_id=name)
    title = made_for(str(path))[0].source
    heading, summary = title.split("\n\n")[:2]
    for line in (heading.removeprefix("# "), summary):
        assert re.fullmatch(r"<code>(\w|[ .-]|&#\d+;)*</code>", line)
    letters = re.sub(r"&#(\d+);", lambda match: chr(int(match[1])), heading)
    assert letters == f"# <code>{name}.ndjson</code>".replace("\n", "\\u000a")


def test_a_name_that_is_not_utf8_makes_a_notebook(tmp_path: Path) -> None:
    path = os.path.join(os.fsencode(tmp_path), b"caf\xe9.ndjson")  # noqa: PTH118  # a Path holds no bytes
    shutil.copy(SUPPORT, path)
    names = executed(made_for(os.fsdecode(path))[1].source)
    assert os.fsencode(names["TARGET"]) == path


def test_a_hostile_thread_id_is_only_a_literal(tmp_path: Path) -> None:
    thread = '\'\nimport os\n"""\u202e\\'
    path = journal_of(tmp_path / "h.ndjson", ["k"], thread_id=thread)
    parameters = made_for(str(path))[1].source
    assert len(parameters.splitlines()) == 2
    names = executed(parameters)
    assert names["THREAD"] == thread


def test_an_empty_journal_and_a_database_address_make_a_notebook_that_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(HISTORIES / "two-threads.db", tmp_path / "h.db")
    monkeypatch.chdir(tmp_path)
    cases = [(str(HISTORIES / "empty.ndjson"), None, 0), ("sqlite:///h.db", "research-7", 41)]
    cells = [(made_for(target, thread), length) for target, thread, length in cases]
    monkeypatch.chdir("/")
    for (_, parameters, stepper), length in cells:
        names = executed(f"{parameters.source}\n{stepper.source}")
        assert len(names["history"]) == length


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("a/b.ndjson.gz", "b.ipynb"),
        (AWKWARD, "it_s_so_ü_x_y_b.ipynb"),
        (".ndjson", "history.ipynb"),
        ("-rf.ndjson", "-rf.ipynb"),
        (".", "history.ipynb"),
        ("ü" * 300 + ".db", "ü" * 60 + ".ipynb"),
        ("caf\udce9.db", "caf.ipynb"),
    ],
)
def test_the_name_of_the_notebook(target: str, expected: str) -> None:
    assert open_lab.notebook_name(target) == expected
