"""What a page holds: few rows of many, nothing made anew by a step, nothing left behind, readable in every theme."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.lab import Notebook
from tests.browser.stepper import HISTORIES, Stepper

LENGTH = 100_000
# Colours are read from a painted dot, since a computed style writes them in many ways and with any opacity.
CONTRASTS = """root => {
    const paper = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
    const painted = colours => {
        paper.clearRect(0, 0, 1, 1);
        for (const colour of colours) {
            paper.fillStyle = colour;
            paper.fillRect(0, 0, 1, 1);
        }
        return paper.getImageData(0, 0, 1, 1).data;
    };
    const channel = value => value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4;
    const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
    const ground = node => {
        const colours = [];
        for (let at = node; at; at = at.parentElement) colours.unshift(getComputedStyle(at).backgroundColor);
        return ['white', ...colours];
    };
    const found = {};
    for (const node of root.querySelectorAll('*')) {
        const own = [...node.childNodes].some(child => child.nodeType === 3 && child.textContent.trim());
        if (!own || node.closest('[aria-disabled=true]') || node.tagName === 'OPTION') continue;
        const below = ground(node);
        const [a, b] = [light(painted([...below, getComputedStyle(node).color])), light(painted(below))];
        const name = `${node.className}: ${node.textContent.slice(0, 20)}`;
        found[name] = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    }
    return found;
}"""


def write_long_history(path: Path) -> None:
    """A history of `LENGTH` transitions with one command each."""
    commit = {
        "thread_id": "long",
        "run_fact": {"run_id": "r", "phase": "Running"},
        "messages": [],
        "state": [{"key": "k", "scope": "Thread", "merge": "Disjoint", "action": {"Set": "VALUE"}}],
        "events": [],
        "resume_ticket": None,
    }
    line = json.dumps(commit, separators=(",", ":"))
    path.write_text("".join(line.replace('"VALUE"', str(number)) + "\n" for number in range(1, LENGTH + 1)))


def test_a_hundred_thousand_rows_are_a_few_in_the_page(notebook: Notebook) -> None:
    write_long_history(notebook.lab.root / "long.ndjson")
    stepper = Stepper.run(notebook, "load_history('long.ndjson')", "long.ipynb")
    rows = stepper.root.locator(".sk-table .sk-row")
    assert rows.count() < 200
    stepper.table.evaluate("table => { table.scrollTop = table.scrollHeight; }")
    expect(stepper.row(LENGTH)).to_contain_text("k")
    assert rows.count() < 200
    stepper.number.fill("99,999")
    stepper.number.press("Enter")
    stepper.is_at(99_999)
    expect(stepper.state_row("k").locator(".sk-value")).to_have_text("99999")
    stepper.button("Forward").click()
    stepper.is_at(LENGTH)
    assert rows.count() < 200


def test_a_step_makes_nothing_anew(notebook: Notebook) -> None:
    stepper = Stepper.of(notebook, "support-42.ndjson", "same.ipynb", position=12)
    parts = ".sk-stepper, .sk-frame, .sk-controls, .sk-table, .sk-row, .sk-changes, .sk-state, .sk-state-row"
    stepper.page.evaluate("parts => document.querySelectorAll(parts).forEach(node => { node.kept = true; })", parts)
    stepper.button("Forward").click()
    stepper.is_at(13)
    made = stepper.page.evaluate(
        "parts => [...document.querySelectorAll(parts)].filter(node => !node.kept).map(node => node.className)", parts
    )
    assert made == []


def test_running_a_cell_again_leaves_nothing_behind(notebook: Notebook) -> None:
    counting = """() => {
        window.held = 0;
        for (const target of [window, document]) {
            const [add, remove] = [target.addEventListener, target.removeEventListener];
            target.addEventListener = function (...call) { window.held += 1; return add.apply(target, call); };
            target.removeEventListener = function (...call) { window.held -= 1; return remove.apply(target, call); };
        }
    }"""
    stepper = Stepper.of(notebook, "support-42.ndjson", "again.ipynb")
    stepper.page.evaluate(counting)
    notebook.run_all()
    stepper.is_at(0)
    held = stepper.page.evaluate("() => window.held")
    for _ in range(20):
        notebook.run_all()
    stepper.is_at(0)
    expect(stepper.root).to_have_count(1)
    assert stepper.page.evaluate("() => window.held") == held


def test_two_views_follow_each_other(notebook: Notebook) -> None:
    stepper = Stepper.of(notebook, "support-42.ndjson", "two.ipynb", position=12)
    stepper.table.click()
    stepper.page.evaluate("() => window.jupyterapp.commands.execute('notebook:create-output-view')")
    numbers = stepper.page.locator(".sk-number")
    expect(numbers).to_have_count(2)
    notebook.run("stepper.position = 20")
    expect(numbers.first).to_have_value("20")
    expect(numbers.last).to_have_value("20")


def test_the_table_alone_has_a_position(notebook: Notebook) -> None:
    shutil.copy(HISTORIES / "support-42.ndjson", notebook.lab.root)
    notebook.open(
        "table.ipynb",
        [
            "from statekit import load_history\nfrom statekit.widgets import HistoryTable\n"
            "table = HistoryTable(load_history('support-42.ndjson'))\ntable"
        ],
    )
    notebook.run_all()
    row = notebook.page.locator(".sk-table .sk-row[data-position='3']")
    row.click()
    expect(row).to_have_attribute("aria-selected", "true")
    notebook.run("assert table.position == 3")
    notebook.page.keyboard.press("ArrowDown")
    expect(notebook.page.locator(".sk-row[data-position='4']")).to_have_attribute("aria-selected", "true")
    notebook.run("assert table.position == 4")


def test_problems_are_named_and_lead_there(notebook: Notebook) -> None:
    stepper = Stepper.of(notebook, "torn-tail.ndjson", "torn.ipynb")
    stepper.button("1 problem").click()
    problems = stepper.root.locator(".sk-problems li")
    expect(problems).to_contain_text("torn tail at line 21 (byte 10016), after position 20")
    problems.get_by_role("button").click()
    stepper.is_at(20)
    expect(stepper.row(20)).to_contain_text("torn tail")


def test_an_empty_history_says_so(notebook: Notebook) -> None:
    stepper = Stepper.of(notebook, "empty.ndjson", "empty.ipynb")
    expect(stepper.root.locator(".sk-changes")).to_contain_text("This history has no transitions.")
    expect(stepper.button("Play")).to_have_attribute("aria-disabled", "true")


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_every_text_can_be_read(notebook: Notebook, theme: str) -> None:
    stepper = Stepper.of(notebook, "post-terminal.ndjson", f"{theme}.ipynb", position=14)
    notebook.set_theme(theme)
    stepper.button("1 problem").click()
    contrasts = stepper.root.evaluate(CONTRASTS)
    assert len(contrasts) > 40
    assert {text: contrast for text, contrast in contrasts.items() if contrast < 4.5} == {}


@pytest.mark.parametrize("width", [800, 1600])
def test_it_fits_the_window(notebook: Notebook, width: int) -> None:
    stepper = Stepper.of(notebook, "support-42.ndjson", f"width-{width}.ipynb", position=12)
    stepper.page.set_viewport_size({"width": width, "height": 1000})
    side_by_side = (
        "root => root.querySelector('.sk-right').getBoundingClientRect().left - root.getBoundingClientRect().left > 100"
    )
    stepper.page.wait_for_function(
        f"([root, wide]) => ({side_by_side})(root) === wide", arg=[stepper.root.element_handle(), width == 1600]
    )
    assert stepper.root.evaluate("root => root.scrollWidth <= root.clientWidth")
