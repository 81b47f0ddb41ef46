"""The widgets without a page: traits, answers to messages, and the forms they take where there is no kernel."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from ipywidgets.widgets import widget as registry
from traitlets import TraitError

from statekit.commit import ThreadCommit
from statekit.errors import PositionError
from statekit.history import History
from statekit.journal import load_history
from statekit.run import RunDisposition
from statekit.transition import Problem, ProblemKind, Transition
from statekit.widgets import HistoryTable, ReplayStepper, front_end, stepper
from statekit.widgets.history_widget import HistoryWidget

HISTORIES = Path(__file__).parent / "data" / "histories"
STATIC = Path(front_end.__file__).parent / "static"
BOTH = pytest.mark.parametrize("kind", [HistoryTable, ReplayStepper])


def load(name: str = "support-42") -> History:
    return load_history(HISTORIES / f"{name}.ndjson")


@BOTH
def test_repr_is_short_and_follows_the_position(kind: type[HistoryWidget]) -> None:
    shown = kind(load())
    assert repr(shown) == f"{kind.__name__}('support-42', 36 transitions, at 0)"
    shown.position = 12
    assert repr(shown) == f"{kind.__name__}('support-42', 36 transitions, at 12)"


@BOTH
@pytest.mark.parametrize("position", [-1, 37, "12", None, 1.5])
def test_a_position_outside_is_refused_and_changes_nothing(kind: type[HistoryWidget], position: Any) -> None:
    shown = kind(load(), position=5)
    with pytest.raises(PositionError):
        shown.position = position
    assert shown.position == 5
    with pytest.raises(PositionError):
        kind(load(), position=position)


@BOTH
@pytest.mark.parametrize(("sent", "taken"), [(12, 12), (99, 36), (-4, 0), ("x", 5), (None, 5), (2.5, 5)])
def test_a_position_of_the_page_is_brought_into_the_history(kind: type[HistoryWidget], sent: Any, taken: int) -> None:
    shown = kind(load(), position=5)
    shown.set_state({"position": sent})
    assert shown.position == taken


@BOTH
def test_the_page_is_told_where_its_value_was_not_taken(
    kind: type[HistoryWidget], monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = kind(load())
    told: list[Any] = []
    monkeypatch.setattr(shown, "send_state", lambda key=None: told.append(key))
    shown.set_state({"position": 99})
    assert ["position"] in told
    told.clear()
    shown.set_state({"position": 12})
    assert ["position"] not in told


def test_run_and_speed_are_of_closed_sets() -> None:
    shown = ReplayStepper(load())
    with pytest.raises(TraitError):
        shown.run = "run-9"
    with pytest.raises(TraitError):
        shown.speed = 3
    shown.run, shown.speed = "run-2", 0.5
    shown.set_state({"run": "run-9", "speed": 3, "playing": True})
    assert (shown.run, shown.speed, shown.playing) == ("run-2", 0.5, True)
    shown.set_state({"run": None})
    assert shown.run is None


def test_the_view_follows_position_and_run() -> None:
    shown = ReplayStepper(load())
    assert shown.view()["transition"]["title"] == "Start"
    shown.position = 15
    assert shown.get_state("_shown")["_shown"]["position"] == 15
    assert [row["value"] for row in shown.view()["state"]["rows"] if row["key"] == "step"] == ["0"]
    shown.run = "run-1"
    sent = shown.get_state("_shown")["_shown"]
    assert (sent["run"], sent["run_label"]) == ("run-1", "run-1")
    assert [row["value"] for row in sent["state"]["rows"] if row["key"] == "step"] == ["9"]


def test_a_widget_is_sent_with_what_it_shows() -> None:
    state = ReplayStepper(load(), position=12, run="run-1").get_state()
    assert state["_shown"]["transition"]["title"] == "Transition 12"
    assert state["_first_rows"][12]["cells"] == "refund/7719, thread_usage"
    assert state["_summary"]["facts"] == "36 transitions · 3 runs · 13 cells"
    assert len(state["_first_rows"]) == 37


@BOTH
def test_rows_are_answered(kind: type[HistoryTable]) -> None:
    shown = kind(load())
    answer = shown.answer({"kind": "rows", "start": 30, "stop": 99})
    assert answer is not None
    assert (answer["kind"], [row["position"] for row in answer["rows"]]) == ("rows", [30, 31, 32, 33, 34, 35, 36])
    assert shown.rows(3, 4)[0]["cells"] == "step, thread_usage, order/7719/state"


def test_views_and_state_are_answered() -> None:
    shown = ReplayStepper(load())
    views = shown.answer({"kind": "views", "run": None, "positions": [12, 13, 37, -1, "x"]})
    assert views is not None
    assert [view["transition"]["title"] for view in views["views"]] == ["Transition 12", "Transition 13"]
    state = shown.answer({"kind": "state", "run": "run-1", "position": 12, "start": 2, "stop": 3})
    assert state is not None
    assert (state["run"], state["position"], state["start"], state["total"]) == ("run-1", 12, 2, 7)
    assert [row["key"] for row in state["rows"]] == ["refund/7719"]


@pytest.mark.parametrize(
    "question",
    [
        {},
        {"kind": "rows"},
        {"kind": "rows", "start": "0", "stop": 5},
        {"kind": "state", "run": None, "position": 99, "start": 0, "stop": 5},
        {"kind": "state", "run": ["run-1"], "position": 1, "start": 0, "stop": 5},
        {"kind": "views", "run": "run-9", "positions": [1]},
        {"kind": "else"},
    ],
)
def test_a_question_that_makes_no_sense_has_no_answer(question: dict[str, Any]) -> None:
    assert ReplayStepper(load()).answer(question) is None


def test_an_answer_is_never_longer_than_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("statekit.widgets.table.ROWS_AT_ONCE", 4)
    monkeypatch.setattr(stepper, "STATE_ROWS_AT_ONCE", 2)
    monkeypatch.setattr(stepper, "VIEWS_AT_ONCE", 3)
    shown = ReplayStepper(load())
    asked: list[tuple[dict[str, Any], str, int]] = [
        ({"kind": "rows", "start": 0, "stop": 10**9}, "rows", 4),
        ({"kind": "state", "run": None, "position": 36, "start": 0, "stop": 10**9}, "rows", 2),
        ({"kind": "views", "run": None, "positions": list(range(30))}, "views", 3),
    ]
    for question, name, length in asked:
        answer = shown.answer(question)
        assert answer is not None
        assert len(answer[name]) == length


def test_messages_are_answered_by_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = HistoryTable(load())
    sent: list[Any] = []
    monkeypatch.setattr(shown, "send", sent.append)
    shown.receive({"kind": "rows", "start": 1, "stop": 2})
    shown.receive({"kind": "else"})
    shown.receive("text")
    assert sent == [{"kind": "rows", "rows": shown.rows(1, 2)}]


class Page(HTMLParser):
    """The tags and the text of some HTML."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def bundle(shown: HistoryWidget) -> dict[str, Any]:
    made = shown._repr_mimebundle_()
    assert made is not None
    data, metadata = made
    assert isinstance(metadata, dict)
    return data


@BOTH
def test_the_static_forms_are_the_same_for_every_widget_of_a_history(kind: type[HistoryWidget]) -> None:
    first, second = bundle(kind(load(), position=12)), bundle(kind(load(), position=12))
    view = "application/vnd.jupyter.widget-view+json"
    assert first[view]["model_id"] != second[view]["model_id"]
    assert {**first, view: None} == {**second, view: None}
    assert first["text/plain"] == f"{kind.__name__}('support-42', 36 transitions, at 12)"


@BOTH
def test_the_static_form_shows_the_first_rows_and_how_many_more(kind: type[HistoryWidget]) -> None:
    page = Page(kind(load(), position=12).static_html())
    assert page.text[:2] == ["support-42", " 36 transitions · 3 runs · 13 cells"]
    numbers = [text for text in page.text if re.fullmatch("[0-9]+", text)]
    assert "20" in numbers
    assert "… 16 more" in page.text
    assert "flags" not in page.text


def test_the_static_form_of_a_stepper_shows_its_transition() -> None:
    html = ReplayStepper(load(), position=12).static_html()
    text = Page(html).text
    assert "Transition 12" in text
    assert "3914 → 3964" in text
    assert "text-decoration:line-through" in html
    assert "Transition 12" not in Page(HistoryTable(load(), position=12).static_html()).text


def test_the_static_form_says_what_is_wrong() -> None:
    text = Page(HistoryTable(load("post-terminal")).static_html()).text
    assert "✕ 1 problem" in text
    assert "ended run at position 15: run 'run-1' had already ended at position 14" in text
    assert "✕ ended run" in text


@BOTH
def test_hostile_markup_is_text_in_the_static_form(kind: type[HistoryWidget]) -> None:
    page = Page(kind(load("hostile-markup"), position=4).static_html())
    assert page.tags <= {"div", "b", "table", "thead", "tbody", "tr", "th", "td"}
    assert page.attributes <= {"style"}
    assert any("<b>key</b>" in text for text in page.text)


@BOTH
def test_hostile_names_are_text_in_the_static_form(kind: type[HistoryWidget]) -> None:
    commit = ThreadCommit.assemble("<i>t</i>", RunDisposition.running("<i>r</i>"))
    problem = Problem(ProblemKind.CORRUPT, "<i>p</i>", 1)
    html = kind(History("<i>t</i>", [Transition(1, 1, commit)], [problem]), position=1).static_html()
    assert {"i", "script"} & Page(html).tags == set()
    for name in "trp":
        assert f"&lt;i&gt;{name}&lt;/i&gt;" in html


@BOTH
def test_an_empty_history_has_every_form(kind: type[HistoryWidget]) -> None:
    shown = kind(History("nothing", []))
    assert repr(shown) == f"{kind.__name__}('nothing', 0 transitions, at 0)"
    assert "0 transitions · 0 runs · 0 cells" in shown.static_html()
    assert [row["position"] for row in shown.get_state("_first_rows")["_first_rows"]] == [0]


@BOTH
def test_closed_widgets_leave_nothing_behind(kind: type[HistoryWidget]) -> None:
    history = load()
    before = set(registry._instances)
    for _ in range(20):
        kind(history).close()
    assert set(registry._instances) == before


def test_the_page_shares_what_a_person_sets() -> None:
    assert {"position", "run", "speed", "playing"} <= set(ReplayStepper(load()).keys)


def test_a_hundred_thousand_rows_do_not_travel() -> None:
    commits = [transition.commit for transition in load()]
    long = History("long", (Transition(place, place, commits[place % 36]) for place in range(1, 100_001)))
    state = ReplayStepper(long).get_state()
    assert len(state["_first_rows"]) == 60
    assert len(state["_summary"]["boundaries"]) <= 400


@pytest.mark.parametrize("path", sorted(STATIC.iterdir()), ids=lambda path: path.name)
def test_static_files_insert_text_only_and_fetch_nothing(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    for forbidden in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function("):
        assert forbidden not in source
    for remote in ("http:", "https:", "//cdn", "fetch(", "import(", "@import", "url("):
        assert remote not in source


def test_style_rules_stay_inside_of_the_widgets() -> None:
    rules = re.sub(r"/\*.*?\*/", "", front_end.style(), flags=re.DOTALL)
    selectors = [part.strip() for group in re.findall(r"([^{}]+)\{", rules) for part in group.split(",")]
    assert len(selectors) > 50
    assert [selector for selector in selectors if not selector.startswith((".sk-", "@container"))] == []


@BOTH
def test_the_script_of_a_widget_is_one_module(kind: type[HistoryWidget]) -> None:
    assert kind(load()).get_state("_esm")["_esm"].count("export default") == 1
