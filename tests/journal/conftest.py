"""What the tests of all media share: the files people find, and proof that reading left everything as it was."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from statekit.history import History
from statekit.journal import load_history
from tests.journal.sample import HISTORIES, SAMPLE


@pytest.fixture
def histories() -> Path:
    return HISTORIES


@pytest.fixture
def support_42(histories: Path) -> bytes:
    """One thread of 36 commits, nothing wrong with it."""
    return (histories / "support-42.ndjson").read_bytes()


def _listing(directory: Path) -> dict[str, object]:
    found: dict[str, object] = {".": directory.stat().st_mtime_ns}
    for path in sorted(directory.rglob("*")):
        status = path.lstat()
        content = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None
        found[str(path.relative_to(directory))] = status.st_mode, status.st_size, status.st_mtime_ns, content
    return found


@contextmanager
def _unchanged(directory: Path) -> Iterator[None]:
    before = _listing(directory)
    assert len(before) > 1, "an empty directory proves nothing"
    yield
    assert _listing(directory) == before


@pytest.fixture
def unchanged() -> Callable[[Path], AbstractContextManager[None]]:
    """A context in which nothing in a directory may change: no name, size, time, mode or byte."""
    return _unchanged


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A copy of the sample in a directory of its own."""
    path = tmp_path / "journals" / "runtime.db"
    path.parent.mkdir()
    shutil.copyfile(SAMPLE, path)
    return path


@pytest.fixture
def load(tmp_path: Path) -> Any:
    """Load bytes as a file."""

    def load(data: bytes, thread_id: str | None = None) -> History:
        path = tmp_path / "some.ndjson"
        path.write_bytes(data)
        return load_history(path, thread_id)

    return load
