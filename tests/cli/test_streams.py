"""Streams that the shell closed, or that take nothing more."""

from __future__ import annotations

import errno
import subprocess
import sys

import pytest

from statekit.cli import main
from tests.cli.sample import LONELY, SUPPORT


def run(redirection: str, target: str) -> subprocess.CompletedProcess[str]:
    line = f'exec "$0" -m statekit show "$1" {redirection}'
    arguments = ["sh", "-c", line, sys.executable, target]
    return subprocess.run(arguments, capture_output=True, text=True, env=LONELY)


@pytest.mark.parametrize("redirection", [">&-", "2>&-", ">&- 2>&-", "<&-"])
def test_a_closed_stream_is_no_error(redirection: str) -> None:
    done = run(redirection, str(SUPPORT))
    assert (done.returncode, done.stderr) == (0, "")
    assert bool(done.stdout) is (">&-" not in redirection.split())


@pytest.mark.parametrize("redirection", [">&-", "2>&-", ">&- 2>&-"])
def test_what_is_wrong_is_told_by_the_exit_code_all_the_same(redirection: str) -> None:
    done = run(redirection, "/no/such/file.ndjson")
    sentence = "" if "2>&-" in redirection else "statekit: /no/such/file.ndjson: there is no such file\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", sentence)


def test_a_full_disk_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def full(_text: str) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(sys.stdout, "write", full)
    assert main(["show", str(SUPPORT)]) == 2
    assert capsys.readouterr().err == f"statekit: [Errno {errno.ENOSPC}] No space left on device\n"
