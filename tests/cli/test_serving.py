"""JupyterLab started for real."""

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
import threading
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import statekit
from tests.cli.sample import AWKWARD, LONELY, SUPPORT, executed


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


@contextlib.contextmanager
def interrupts_not_ignored() -> Iterator[None]:
    # What a shell starts in the background ignores Ctrl+C, and so would the processes that the tests start there.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


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
    with interrupts_not_ignored():
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
