"""A real JupyterLab on loopback, and notebooks opened in it with headless Chromium."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from playwright.sync_api import Page

CHROMIUM_FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

KERNEL_IDLE = """() => {
    const widget = window.jupyterapp?.shell?.currentWidget;
    const session = widget?.sessionContext ?? widget?.context?.sessionContext;
    return !!session && session.isReady && session.session?.kernel?.status === 'idle'
        && !document.querySelector('.jp-NotebookPanel:not(.lm-mod-hidden) .jp-Spinner');
}"""


def find_chromium() -> str | None:
    """The Chromium to drive: the one named by CHROMIUM, or the first of the usual names on the path."""
    named = os.environ.get("CHROMIUM")
    names = [named] if named else ["chromium", "chromium-browser", "google-chrome"]
    return next((found for name in names if (found := shutil.which(name))), None)


@dataclass
class Lab:
    """A running JupyterLab: its address, token and root directory."""

    address: str
    token: str
    root: Path


@contextmanager
def running_lab(root: Path, home: Path) -> Iterator[Lab]:
    """Start JupyterLab on a free port of loopback with settings of its own, and stop it afterwards."""
    token = secrets.token_hex(16)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    log = home / "server.log"
    with log.open("wb") as output:
        server = subprocess.Popen(
            _command(root, port, token),
            stdout=output,
            stderr=subprocess.STDOUT,
            env=_environment(home),
            cwd=root,
            start_new_session=True,
        )
        lab = Lab(f"http://127.0.0.1:{port}", token, root)
        try:
            _wait_until_ready(lab, server, log)
            yield lab
        finally:
            server.send_signal(signal.SIGTERM)
            try:
                server.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(server.pid, signal.SIGKILL)
                server.wait()


def _command(root: Path, port: int, token: str) -> list[str]:
    return [
        *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"),
        *("--ServerApp.ip=127.0.0.1", f"--ServerApp.port={port}", "--ServerApp.port_retries=0"),
        *(f"--IdentityProvider.token={token}", f"--ServerApp.root_dir={root}"),
        *("--LabApp.expose_app_in_browser=True", "--LabApp.news_url=None"),
    ]


def _environment(home: Path) -> dict[str, str]:
    settings = home / "settings" / "@jupyterlab" / "apputils-extension"
    settings.mkdir(parents=True)
    quiet = {"fetchNews": "false", "checkForUpdates": False, "doNotDisturbMode": True}
    (settings / "notification.jupyterlab-settings").write_text(json.dumps(quiet))
    return os.environ | {
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "JUPYTER_DATA_DIR": str(home / "data"),
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
        "IPYTHONDIR": str(home / "ipython"),
        # The python3 kernel is then this interpreter, whatever else is installed.
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]),
    }


def _wait_until_ready(lab: Lab, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 90
    request = urllib.request.Request(f"{lab.address}/api/status", headers={"Authorization": f"token {lab.token}"})
    while True:
        if server.poll() is not None:
            raise RuntimeError(f"JupyterLab did not start: {log.read_text()[-3000:]}")
        try:
            with urllib.request.urlopen(request, timeout=2):
                return
        except OSError:
            if time.monotonic() > deadline:
                raise TimeoutError(f"JupyterLab is not ready: {log.read_text()[-3000:]}") from None
            time.sleep(0.1)


@dataclass
class Notebook:
    """A notebook open in the browser, with what went wrong on the page."""

    page: Page
    lab: Lab
    page_errors: list[str] = field(default_factory=list)
    outside_requests: list[str] = field(default_factory=list)

    def open(self, name: str, cells: Sequence[str]) -> None:
        """Write a notebook of code cells, open it and wait for its kernel."""
        kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
        content = nbformat.v4.new_notebook(metadata={"kernelspec": kernel, "language_info": {"name": "python"}})
        content.cells = [nbformat.v4.new_code_cell(source) for source in cells]
        nbformat.write(content, self.lab.root / name)
        self.page.on("pageerror", lambda error: self.page_errors.append(str(error)))
        self.page.on("request", lambda request: self._note_request(request.url))
        self.page.goto(f"{self.lab.address}/lab/tree/{name}?reset&token={self.lab.token}")
        self.page.wait_for_function(KERNEL_IDLE, timeout=90_000)
        # Another tab may come to the front later.
        self.page.evaluate("() => { window.opened = window.jupyterapp.shell.currentWidget; }")

    def _note_request(self, url: str) -> None:
        own = (self.lab.address, self.lab.address.replace("http", "ws", 1), "data:", "blob:")
        if not url.startswith(own):
            self.outside_requests.append(url)

    def run_all(self) -> None:
        """Run every cell and wait for the last; a cell that raises fails the test."""
        assert self.page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-all-cells')")

    def run(self, source: str) -> None:
        """Run code in the notebook's kernel, outside of any cell, and wait until it is done."""
        ok = self.page.evaluate(
            """async code => {
                const widget = window.opened;
                const future = widget.sessionContext.session.kernel.requestExecute({code});
                return (await future.done).content.status;
            }""",
            source,
        )
        assert ok == "ok", f"the kernel answered {ok} to {source!r}"

    def set_theme(self, name: str) -> None:
        """Switch JupyterLab to a theme such as `JupyterLab Dark`."""
        self.page.evaluate("name => window.jupyterapp.commands.execute('apputils:change-theme', {theme: name})", name)
        self.page.wait_for_function("name => document.body.dataset.jpThemeName === name", arg=name)

    def sources(self) -> list[str]:
        """What every cell of the notebook says now."""
        cells = "window.opened.content.widgets"
        return list(self.page.evaluate(f"() => {cells}.map(cell => cell.model.sharedModel.getSource())"))

    def active_cell(self) -> int:
        """The index of the cell that JupyterLab's shortcuts would act on."""
        return int(self.page.evaluate("() => window.opened.content.activeCellIndex"))

    def is_dirty(self) -> bool:
        """Whether there is something to save."""
        return bool(self.page.evaluate("() => window.opened.context.model.dirty"))

    def save(self) -> None:
        """Save the notebook and wait until it is on disk."""
        self.page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
        self.page.wait_for_function("() => !window.opened.context.model.dirty")
