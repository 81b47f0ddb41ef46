"""Moving through a real history: buttons, box, slider, rows, keys, play, and Python."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.lab import Notebook
from tests.browser.stepper import Stepper

SUPPORT = "support-42.ndjson"


def test_the_controls_move_everything_together(notebook: Notebook) -> None:
    stepper = Stepper.of(notebook, SUPPORT, "controls.ipynb")
    expect(stepper.button("First")).to_have_attribute("aria-disabled", "true")
    stepper.button("Forward").click()
    stepper.is_at(1)
    stepper.button("Last").click()
    stepper.is_at(36)
    expect(stepper.button("Forward")).to_have_attribute("aria-disabled", "true")
    stepper.button("Forward").click(force=True)
    stepper.is_at(36)
    stepper.button("Back").click()
    stepper.is_at(35)
    stepper.row(33).click()
    stepper.is_at(33)
    stepper.number.fill("12")
    stepper.number.press("Enter")
    stepper.is_at(12)
    stepper.number.fill("7")
    stepper.number.press("Escape")
    stepper.is_at(12)
    stepper.number.fill("999")
    stepper.number.press("Enter")
    stepper.is_at(36)
    stepper.root.get_by_role("slider", name="Position").fill("20")
    stepper.is_at(20)
    stepper.button("First").click()
    stepper.is_at(0)


def test_the_table_the_changes_and_the_state_say_what_the_file_says(notebook: Notebook) -> None:
    stepper = Stepper.of(notebook, SUPPORT, "content.ipynb", position=12)
    assert stepper.row(10).inner_text().split("\n") == ["10", "run-1", "Awaiting", "1", "pending_call"]
    assert stepper.row(14).inner_text().split("\n") == ["14", "run-1", "Ended: NaturalEnd", "2", "lock/refund, step"]
    refund, usage = stepper.root.locator(".sk-changes .sk-cell").all()
    expect(refund.locator(".sk-cell-head")).to_contain_text("refund/7719")
    expect(refund.locator("s")).to_have_text('{amount: 129.9, method: "card"}')
    expect(refund.locator("span.sk-value")).to_have_text('{amount: 100.0, method: "voucher"}')
    expect(usage.locator(".sk-lines")).to_have_text(re.compile(r"input_tokens\s*3914 → 3964\s*~\s*output_tokens\s*662"))
    touched = stepper.root.locator(".sk-touched")
    expect(touched.locator(".sk-key")).to_have_text(["refund/7719", "thread_usage"])
    expect(touched.locator(".sk-sign")).to_have_text(["+", "~"])
    expect(stepper.state_row("lock/refund")).to_contain_text('"run-1"')
    stepper.state_row("order/7719/state").get_by_role("button").click()
    stepper.is_at(4)


def test_the_view_of_a_run_has_its_own_cells(notebook: Notebook) -> None:
    stepper = Stepper.of(notebook, SUPPORT, "runs.ipynb", position=36)
    expect(stepper.state_row("step").locator(".sk-value")).to_have_text("5")
    stepper.root.get_by_role("combobox", name="View of a run").select_option(label="view of run-1")
    expect(stepper.state_row("step").locator(".sk-value")).to_have_text("9")
    notebook.run("assert stepper.run == 'run-1'")
    notebook.run("stepper.run = None")
    expect(stepper.state_row("step").locator(".sk-value")).to_have_text("5")


def test_play_goes_to_the_end_and_stops(notebook: Notebook) -> None:
    stepper = Stepper.of(notebook, SUPPORT, "play.ipynb", position=30)
    stepper.root.get_by_role("combobox", name="Speed").select_option(label="10×")
    stepper.button("Play").click()
    expect(stepper.button("Pause")).to_be_visible()
    expect(stepper.number).to_have_value("36")
    expect(stepper.button("Play")).to_be_visible()
    stepper.is_at(36)
    notebook.run("assert not stepper.playing and stepper.speed == 10")


def test_pause_holds_the_position(notebook: Notebook) -> None:
    stepper = Stepper.of(notebook, SUPPORT, "pause.ipynb")
    stepper.root.get_by_role("combobox", name="Speed").select_option(label="10×")
    stepper.button("Play").click()
    expect(stepper.number).not_to_have_value("0")
    stepper.button("Pause").click()
    expect(stepper.button("Play")).to_be_visible()
    held = int(stepper.number.input_value())
    assert 0 < held < 36
    stepper.is_at(held)
    notebook.run("assert not stepper.playing")


def test_python_moves_the_page(notebook: Notebook) -> None:
    stepper = Stepper.of(notebook, SUPPORT, "python.ipynb")
    notebook.run("stepper.position = 25")
    stepper.is_at(25)
    expect(stepper.state_row("order/7719/state").locator(".sk-value")).to_have_text('"archived"')


KEYS = [
    ("ArrowRight", 13), ("ArrowLeft", 12), ("Shift+ArrowRight", 22), ("Shift+ArrowLeft", 12),
    ("ArrowDown", 13), ("ArrowUp", 12), ("End", 36), ("Home", 0),
]  # fmt: skip


def test_keys_move_the_position(notebook: Notebook) -> None:
    stepper = Stepper.of(notebook, SUPPORT, "keys.ipynb", position=12)
    stepper.table.focus()
    for key, position in KEYS:
        stepper.page.keyboard.press(key)
        stepper.is_at(position)
    stepper.page.keyboard.press("Space")
    expect(stepper.button("Pause")).to_be_visible()
    stepper.page.keyboard.press("Space")
    expect(stepper.button("Play")).to_be_visible()


@pytest.mark.parametrize("place", [".sk-table", ".sk-number", ".sk-play"])
def test_typing_stays_in_the_widget(notebook: Notebook, place: str) -> None:
    stepper = Stepper.of(notebook, SUPPORT, f"typing{place}.ipynb", position=12)
    stepper.root.locator(place).focus()
    cells, active = notebook.sources(), notebook.active_cell()
    for key in "jkabxzcvymrd0ooO":
        stepper.page.keyboard.press(key)
    for key in ["d", "d", "Enter", "Delete", "Backspace", "Escape"]:
        stepper.page.keyboard.press(key)
    assert stepper.page.evaluate("() => document.activeElement.closest('.sk-stepper') !== null")
    assert (notebook.sources(), notebook.active_cell()) == (cells, active)
    expect(stepper.page.locator(".jp-Dialog")).to_have_count(0)


def test_other_shortcuts_still_reach_jupyterlab(notebook: Notebook) -> None:
    stepper = Stepper.of(notebook, SUPPORT, "save.ipynb", position=12)
    assert notebook.is_dirty()
    stepper.table.focus()
    stepper.page.keyboard.press("Control+s")
    notebook.page.wait_for_function("() => !window.opened.context.model.dirty")


def test_tab_reaches_every_control(notebook: Notebook) -> None:
    stepper = Stepper.of(notebook, SUPPORT, "tab.ipynb", position=12)
    stepper.button("First").focus()
    reached = []
    for _ in range(11):
        reached.append(stepper.page.evaluate("() => document.activeElement.ariaLabel"))
        stepper.page.keyboard.press("Tab")
    assert reached == [
        "First: before any transition (Home)", "Back (Left)", "Forward (Right)", "Last (End)", "Play (Space)",
        "Speed, in transitions a second", "Position: type a number, then Enter", "Position", "View of a run",
        "Transitions", "Changes of the transition",
    ]  # fmt: skip
