"""What mypy infers for the typed forms, pinned: `keys_inference.py` says what must hold and what must be an error."""

from __future__ import annotations

from pathlib import Path

import pytest
from mypy import api

import statekit

SNIPPET = Path(__file__).with_name("keys_inference.py")


def check(file: Path, cache: Path) -> tuple[str, int]:
    # Only the file itself is reported; an ignore that hides nothing is an error under --strict.
    options = ["--strict", "--config-file=", "--follow-imports=silent", f"--cache-dir={cache}", str(file)]
    report, errors, status = api.run(options)
    return report + errors, status


@pytest.fixture(autouse=True)
def _find_statekit(monkeypatch: pytest.MonkeyPatch) -> None:
    root = Path(statekit.__file__).parents[1]
    if root.name != "site-packages":
        monkeypatch.setenv("MYPYPATH", str(root))


def test_every_typed_form_is_inferred_and_every_misuse_is_seen(tmp_path: Path) -> None:
    assert "type: ignore[" in SNIPPET.read_text()
    report, status = check(SNIPPET, tmp_path / "cache")
    assert status == 0, report


def test_the_check_itself_would_notice(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.py"
    text = SNIPPET.read_text().replace(
        "assert_type(Names.load(store), list[str])", "assert_type(Names.load(store), int)"
    )
    wrong.write_text(text)
    report, status = check(wrong, tmp_path / "cache")
    assert status == 1
    assert "assert-type" in report
