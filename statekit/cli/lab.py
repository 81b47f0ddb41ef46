"""Running JupyterLab on one notebook until it ends or is interrupted."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Final
from urllib.parse import quote

from statekit import wire
from statekit.cli.notebook import KERNEL
from statekit.cli.refusal import Refusal

LOOPBACK: Final = "127.0.0.1"
PATIENCE: Final = 15
"""How many seconds JupyterLab has to end, once it was asked to."""

_KERNEL_SPEC: Final = {
    "argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
    "display_name": "Python 3 (ipykernel)",
    "language": "python",
    "metadata": {"debugger": True},
}


def run_lab(notebook: Path, *, browser: bool, port: int | None) -> int:
    """Serve one notebook on loopback until JupyterLab ends, and return its exit code; Ctrl+C ends it with 0.

    JupyterLab prints the address with its token. `port` None takes the next free one.
    """
    with TemporaryDirectory(prefix="statekit-lab-", ignore_cleanup_errors=True) as name, _ended_by_signals():
        own = Path(name)
        _write_kernel(own)
        # Jupyter runs configuration files, and Python imports modules, that it finds in the working directory.
        server = subprocess.Popen(  # noqa: S603  # this interpreter, with arguments that no shell sees
            _command(notebook, own, browser, port), cwd=own, env=_environment(own)
        )
        try:
            return server.wait()
        except KeyboardInterrupt:
            return 0
        finally:
            _stop(server)


def check_port(port: int) -> None:
    """Raise `Refusal` unless a server can listen on a port of loopback."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError as error:
            raise Refusal(f"port {port} of {LOOPBACK} cannot be used: {error.strerror}") from error


def _command(notebook: Path, own: Path, browser: bool, port: int | None) -> list[str]:
    return [
        *(sys.executable, "-m", "jupyterlab", f"--ServerApp.ip={LOOPBACK}"),
        f"--ServerApp.root_dir={notebook.parent}",
        f"--LabApp.default_url=/lab/tree/{quote(notebook.name)}",
        # The layout that a person left in their own JupyterLab stays as it is, and is of no use here.
        f"--LabApp.workspaces_dir={own / 'workspaces'}",
        # Ctrl+C was meant: nobody is asked again.
        "--ServerApp.answer_yes=True",
        *([] if browser else ["--no-browser"]),
        *([] if port is None else [f"--ServerApp.port={port}", "--ServerApp.port_retries=0"]),
        *(["--allow-root"] if _is_root() else []),
    ]


def _is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def _environment(own: Path) -> dict[str, str]:
    others = os.environ.get("JUPYTER_PATH")
    return os.environ | {"JUPYTER_PATH": os.pathsep.join([str(own), *([others] if others else [])])}


def _write_kernel(own: Path) -> None:
    """Make this interpreter the kernel, whichever one is installed under the name."""
    folder = own / "kernels" / KERNEL
    folder.mkdir(parents=True)
    (folder / "kernel.json").write_bytes(wire.encode(_KERNEL_SPEC))


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Let what ends a process unwind it, so that JupyterLab does not outlive it."""
    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    # One that is ignored, as nohup does, stays ignored.
    before = {number: signal.signal(number, _end) for number in numbers if signal.getsignal(number) != signal.SIG_IGN}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


def _stop(server: subprocess.Popen[bytes]) -> None:
    if server.poll() is not None:
        return
    server.terminate()
    try:
        server.wait(PATIENCE)
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        server.kill()
        server.wait()
