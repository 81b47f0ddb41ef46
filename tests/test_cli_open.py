"""`statekit open`: the notebook it makes, what becomes of it, and JupyterLab started for real."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
import pytest

import statekit
from statekit.cli import main, notebook, open_lab
from tests.test_cli import HISTORIES, LONELY, SEVERAL_THREADS, SUPPORT, journal_of


def cells_of(text: str) -> list[Any]:
    node = nbformat.reads(text, as_version=4)
    nbformat.validate(node)
    return list(node.cells)


def executed(source: str) -> dict[str, Any]:
    """The names that code of a notebook leaves behind."""
    names: dict[str, Any] = {}
    exec(source, names)  # noqa: S102  # cells are made to be run
    return names


def made_for(target: str, thread_id: str | None = None) -> list[Any]:
    from statekit import load_history

    return cells_of(notebook.history_notebook(target, thread_id, load_history(target, thread_id)))


AWKWARD = 'it\'s "so" ü $x$ `y` <b>.ndjson'


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


@dataclass
class Opened:
    """A running `statekit open`, the address it printed, and everything it has printed so far."""

    process: subprocess.Popen[str]
    reader: threading.Thread
    address: str
    token: str
    notebook: str
    printed: list[str]

    def stop(self, number: signal.Signals) -> int:
        """Send a signal, and wait for the exit code and the last line."""
        self.process.send_signal(number)
        code = self.process.wait(60)
        self.reader.join(10)
        return code

    def wait_until_ready(self) -> None:
        """Wait until JupyterLab answers, which it does a moment after it has said its address."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                self.get("api/status")
            except OSError:
                time.sleep(0.05)
            else:
                return
        raise AssertionError("".join(self.printed))

    def get(self, path: str) -> Any:
        """What JupyterLab answers, as decoded JSON."""
        request = urllib.request.Request(f"{self.address}/{path}", headers={"Authorization": f"token {self.token}"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    """`statekit open` on a relative path, in a folder with traps and beside a kernel that is another program."""
    work, home, temporary = tmp_path / 'work\'s "ü"', tmp_path / "home", tmp_path / "temporary"
    for folder in (work, temporary, home / "kernels" / "python3"):
        folder.mkdir(parents=True)
    shutil.copy(SUPPORT, work / AWKWARD)
    trap = f"open({str(tmp_path / 'sprung')!r}, 'w')\n"
    for name in ("jupyter_server_config.py", "jupyter_lab_config.py", "tornado.py"):
        (work / name).write_text(trap)
    other = {"argv": ["/no/such/python"], "display_name": "Other", "language": "python"}
    (home / "kernels" / "python3" / "kernel.json").write_text(json.dumps(other))
    names = ["JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTERLAB_SETTINGS_DIR", "IPYTHONDIR"]
    environment = LONELY | {name: str(home / name) for name in names}
    environment |= {"JUPYTER_DATA_DIR": str(home), "TMPDIR": str(temporary), "PYTHONUNBUFFERED": "1"}
    environment["PYTHONPATH"] = str(Path(statekit.__file__).parents[1])
    port = free_port()
    # The installed script starts without the working directory on its path, as -P does.
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "statekit", "open", AWKWARD, "--no-browser", "--port", str(port)],
        cwd=work,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        opened = wait_for_address(process, port)
        opened.wait_until_ready()
        yield opened
    finally:
        process.terminate()
        process.wait(60)
        # A JupyterLab that outlived its command would hold the pipe open.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.stdout.close()


def wait_for_address(process: subprocess.Popen[str], port: int) -> Opened:
    """Read what is printed until JupyterLab says its address, and go on reading aside."""
    assert process.stdout is not None
    printed: list[str] = []
    pattern = re.compile(rf"(http://127\.0\.0\.1:{port})/lab/tree/(\S+)\?token=(\w+)")
    for line in process.stdout:
        printed.append(line)
        if found := pattern.search(line):
            reader = threading.Thread(target=printed.extend, args=[process.stdout])
            reader.start()
            return Opened(process, reader, found[1], found[3], found[2], printed)
    raise AssertionError("".join(printed))


def test_open_serves_the_notebook_until_it_is_interrupted(opened: Opened, tmp_path: Path) -> None:
    assert opened.get("api/status")["kernels"] == 0
    name = "it_s_so_%C3%BC_x_y_b.ipynb"
    assert opened.notebook == name
    content = opened.get(f"api/contents/{name}")["content"]
    title, parameters, stepper = content["cells"]
    assert title["cell_type"] == "markdown"
    assert parameters["metadata"]["tags"] == ["parameters"]
    names = executed("".join(parameters["source"]))
    assert Path(names["TARGET"]) == tmp_path / 'work\'s "ü"' / AWKWARD
    assert names["THREAD"] == "support-42"
    assert "ReplayStepper(history)" in "".join(stepper["source"])

    kernels = opened.get("api/kernelspecs")
    assert kernels["default"] == content["metadata"]["kernelspec"]["name"] == "python3"
    assert kernels["kernelspecs"]["python3"]["spec"]["argv"][0] == sys.executable

    temporary = tmp_path / "temporary"
    assert len(list(temporary.glob("statekit-*"))) == 2
    assert opened.stop(signal.SIGINT) == 0
    assert list(temporary.glob("statekit-*")) == []
    assert not (tmp_path / "sprung").exists()
    assert "Traceback" not in "".join(opened.printed)
    with pytest.raises(OSError, match="refused"):
        opened.get("api/status")


def test_open_leaves_no_server_behind_when_it_is_terminated(opened: Opened, tmp_path: Path) -> None:
    assert opened.stop(signal.SIGTERM) == 128 + signal.SIGTERM
    assert list((tmp_path / "temporary").glob("statekit-*")) == []
    with pytest.raises(OSError, match="refused"):
        opened.get("api/status")
