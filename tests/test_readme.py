"""The README and the documents it leads to: two set-up commands, examples that run, links that lead somewhere."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
DOCUMENTS = [README, *sorted((ROOT / "docs").rglob("*.md")), ROOT / "benchmarks" / "README.md"]


def test_there_are_exactly_two_setup_commands() -> None:
    blocks = re.findall(r"```sh\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert [len(block.splitlines()) for block in blocks] == [1, 1]
    assert "statekit open notebooks/data/support-42.ndjson" in blocks[0]
    assert blocks[1].rstrip().endswith("pytest")


def test_the_examples_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    blocks = re.findall(r"```python\n(>>>.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    examples = doctest.DocTestParser().get_doctest("".join(blocks), {}, "README", str(README), 0)
    ran = doctest.DocTestRunner().run(examples)
    assert ran == (0, 6)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_links_lead_somewhere(document: Path) -> None:
    targets = re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", document.read_text(encoding="utf-8"))
    local = [target for target in targets if not target.startswith(("http:", "https:"))]
    assert [target for target in local if not (document.parent / target).exists()] == []
