"""What `import statekit` gives, and what it leaves alone."""

from __future__ import annotations

import subprocess
import sys

import pytest

import statekit

FRONT_DOOR = {
    # Core
    "Command",
    "FoldStateKey",
    "MergeConflict",
    "MergePolicy",
    "Remove",
    "Scope",
    "Set",
    "StateCell",
    "StateError",
    "StateKey",
    "Store",
    "validate_batch",
    # Commits and journals
    "CommitRecord",
    "CommitRejected",
    "CorruptJournal",
    "Journal",
    "JournalBusy",
    "JournalError",
    "JournalReadOnly",
    "RunDisposition",
    "ThreadCommit",
    "ValidationError",
    "load_history",
    "open_journal",
    # History and replay
    "Change",
    "History",
    "Replay",
    "Transition",
}
"""The names that code elsewhere calls: none of them goes away."""

ALSO = {
    # What these give, take and raise.
    "ABSENT",
    "ChangeKind",
    "ContractError",
    "EndCause",
    "Mismatch",
    "NotAJournal",
    "Phase",
    "PositionError",
    "Problem",
    "ProblemKind",
    "ResumeTicket",
    "StatekitError",
    "UnknownThread",
    "WireError",
}

HEAVY = ["anywidget", "ipywidgets", "jupyterlab", "nbformat", "numpy", "pandas", "psycopg", "rich", "sqlite3"]
"""What costs time to import, or need not be installed."""


def test_the_exported_names() -> None:
    assert set(statekit.__all__) == FRONT_DOOR | ALSO


def test_the_exported_names_are_sorted_and_there() -> None:
    assert list(statekit.__all__) == sorted(statekit.__all__)
    assert [name for name in statekit.__all__ if not hasattr(statekit, name)] == []


def loaded_after(statement: str) -> set[str]:
    """The top-level modules that a fresh interpreter has loaded after a statement."""
    code = f"{statement}\nimport sys\nprint(*{{name.partition('.')[0] for name in sys.modules}})"
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def test_importing_statekit_loads_no_view_and_no_medium() -> None:
    loaded = loaded_after("import statekit")
    assert "statekit" in loaded
    assert sorted(loaded.intersection(HEAVY)) == []


def test_a_module_that_is_loaded_is_seen() -> None:
    assert "sqlite3" in loaded_after("import sqlite3")


def test_frames_say_what_to_install() -> None:
    assert refusal("statekit.frames", "pandas") == "statekit.frames needs pandas: pip install 'statekit[frames]'"


@pytest.mark.parametrize("module", ["anywidget", "ipywidgets", "traitlets"])
def test_widgets_say_what_to_install(module: str) -> None:
    assert refusal("statekit.widgets", module) == f"statekit.widgets needs {module}: pip install 'statekit[widgets]'"


def refusal(package: str, missing: str) -> str:
    """The sentence with which an import fails where a module is not installed."""
    code = f"import sys; sys.modules[{missing!r}] = None\nimport {package}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    return done.stderr.splitlines()[-1].removeprefix("ModuleNotFoundError: ")
