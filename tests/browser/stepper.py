"""A stepper in a notebook in the browser, spoken of by what a person sees of it."""

from __future__ import annotations

import shutil
from pathlib import Path

from playwright.sync_api import Locator, expect

from tests.browser.lab import Notebook

HISTORIES = Path(__file__).parents[1] / "data" / "histories"


class Stepper:
    """The one stepper of a notebook that loads a history in its first cell."""

    def __init__(self, notebook: Notebook, root: Locator) -> None:
        self.notebook = notebook
        self.page = notebook.page
        self.root = root

    @classmethod
    def of(cls, notebook: Notebook, history: str, name: str, *, position: int = 0) -> Stepper:
        """Open one of the bundled histories in a new notebook of this name."""
        shutil.copy(HISTORIES / history, notebook.lab.root / history)
        return cls.run(notebook, f"load_history({history!r})", name, position=position)

    @classmethod
    def run(cls, notebook: Notebook, history: str, name: str, *, position: int = 0) -> Stepper:
        """Open what a Python expression gives in a new notebook of this name."""
        source = (
            "from statekit import load_history\nfrom statekit.widgets import ReplayStepper\n"
            f"stepper = ReplayStepper({history}, position={position})\nstepper"
        )
        notebook.open(name, [source, "1 + 1"])
        notebook.run_all()
        stepper = cls(notebook, notebook.page.locator(".sk-stepper"))
        expect(stepper.root).to_have_count(1)
        stepper.is_at(position)
        return stepper

    def button(self, name: str) -> Locator:
        return self.root.get_by_role("button", name=name)

    @property
    def number(self) -> Locator:
        return self.root.locator(".sk-number")

    @property
    def title(self) -> Locator:
        return self.root.locator(".sk-changes .sk-title b")

    @property
    def table(self) -> Locator:
        return self.root.locator(".sk-table")

    def row(self, position: int) -> Locator:
        return self.root.locator(f".sk-table .sk-row[data-position='{position}']")

    def state_row(self, key: str) -> Locator:
        return self.root.locator(".sk-state-row").filter(has=self.page.get_by_text(key, exact=True))

    def is_at(self, position: int) -> None:
        """Every part of the stepper shows the position, and the kernel has it too."""
        expect(self.number).to_have_value(str(position))
        expect(self.title).to_have_text(f"Transition {position:,}" if position else "Start")
        expect(self.root.locator(".sk-state-title b")).to_have_text(
            f"State after {position:,}" if position else "State at the start"
        )
        expect(self.row(position)).to_have_attribute("aria-selected", "true")
        expect(self.row(position)).to_be_in_viewport()
        self.notebook.run(f"assert stepper.position == {position}, stepper.position")
