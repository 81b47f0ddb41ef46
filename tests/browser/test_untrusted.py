"""A history with markup in its keys and values: shown as text everywhere, run nowhere."""

from __future__ import annotations

import json

from playwright.sync_api import expect

from tests.browser.lab import Notebook
from tests.browser.stepper import Stepper

HOSTILE = "hostile-markup.ndjson"
MARKUP = "<img src=x onerror="
NO_SCRIPT_RAN = (
    "() => document.title !== 'pwned' && document.querySelectorAll('.jp-OutputArea img, .sk-stepper b b').length === 0"
)


def test_markup_is_shown_as_text(notebook: Notebook) -> None:
    stepper = Stepper.of(notebook, HOSTILE, "hostile.ipynb", position=4)
    expect(stepper.row(4)).to_contain_text("<b>key</b>")
    expect(stepper.root.locator(".sk-changes")).to_contain_text(MARKUP)
    expect(stepper.root.locator(".sk-changes")).to_contain_text("<b>key</b>")
    expect(stepper.state_row("html")).to_contain_text(MARKUP)
    expect(stepper.state_row("<b>key</b>")).to_contain_text("1")
    assert stepper.page.evaluate(NO_SCRIPT_RAN)


def test_markup_in_the_static_form_is_text(notebook: Notebook) -> None:
    stepper = Stepper.of(notebook, HOSTILE, "static.ipynb", position=4)
    notebook.save()
    stored = json.loads((notebook.lab.root / "static.ipynb").read_text(encoding="utf-8"))
    html = "".join(stored["cells"][0]["outputs"][0]["data"]["text/html"])
    stepper.page.goto("about:blank")
    stepper.page.set_content(html)
    expect(stepper.page.get_by_text("support-42").first).to_be_visible()
    expect(stepper.page.get_by_text(MARKUP).first).to_be_visible()
    expect(stepper.page.locator("img, script")).to_have_count(0)
    assert stepper.page.title() != "pwned"


def test_a_saved_notebook_without_a_kernel_shows_the_first_rows(notebook: Notebook) -> None:
    stepper = Stepper.of(notebook, "support-42.ndjson", "saved.ipynb", position=12)
    notebook.save()
    stored = json.loads((notebook.lab.root / "saved.ipynb").read_text(encoding="utf-8"))
    data = stored["cells"][0]["outputs"][0]["data"]
    assert "".join(data["text/plain"]) == "ReplayStepper('support-42', 36 transitions, at 12)"
    stepper.page.goto("about:blank")
    stepper.page.set_content("".join(data["text/html"]))
    expect(stepper.page.locator("body")).to_contain_text("36 transitions")
    expect(stepper.page.get_by_text("pending_call").first).to_be_visible()
    expect(stepper.page.get_by_text("voucher").first).to_be_visible()
