"""What one transition did, and the state after it, as plain data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from statekit.command import Command
from statekit.commit import ThreadCommit
from statekit.errors import PositionError
from statekit.history import History
from statekit.journal import load_history
from statekit.run import RunDisposition
from statekit.transition import Problem, ProblemKind, Transition
from statekit.value import Json
from statekit.vocabulary import MergePolicy, Scope
from statekit.widgets.panels import CELLS, LINES, state_rows, transition_view

HISTORIES = Path(__file__).parent / "data" / "histories"
DISJOINT, COMMUTATIVE = MergePolicy.DISJOINT, MergePolicy.COMMUTATIVE


def support() -> History:
    return load_history(HISTORIES / "support-42.ndjson")


def of_batches(*batches: list[Command]) -> History:
    commits = [ThreadCommit.assemble("t", RunDisposition.running("r"), state=batch) for batch in batches]
    return History("t", [Transition(place, place, commit) for place, commit in enumerate(commits, 1)])


def put(key: str, value: Json, merge: MergePolicy = DISJOINT) -> Command:
    return Command.set(Scope.THREAD, merge, key, value)


def cell(history: History, position: int, key: str, run: str | None = None) -> dict[str, Any]:
    found: list[dict[str, Any]] = transition_view(history, position, run)["cells"]
    [shown] = [shown for shown in found if shown["key"] == key]
    return shown


def test_a_cell_written_twice_shows_the_write_that_is_lost() -> None:
    view = transition_view(support(), 12)
    assert (view["title"], view["facts"]) == ("Transition 12", "run-1 · Running · 3 commands")
    refund, usage = view["cells"]
    assert refund == {
        "key": "refund/7719",
        "scope": "Thread",
        "policy": "Disjoint",
        "sign": "+",
        "note": "",
        "writes": [
            {"number": 1, "verb": "set", "value": '{amount: 129.9, method: "card"}', "overwritten": True},
            {"number": 2, "verb": "set", "value": '{amount: 100.0, method: "voucher"}', "overwritten": False},
        ],
        "differences": [],
        "more": "",
    }
    assert usage["writes"] == []
    assert usage["differences"] == [
        {"sign": "~", "path": "input_tokens", "before": "3914", "after": "3964"},
        {"sign": "~", "path": "output_tokens", "before": "662", "after": "667"},
    ]


def test_merging_writes_overwrite_nothing_and_show_what_they_add_up_to() -> None:
    shown = cell(support(), 13, "order/7719/state")
    assert [(write["verb"], write["overwritten"]) for write in shown["writes"]] == [("merge", False), ("merge", False)]
    assert shown["differences"] == [
        {"sign": "~", "path": "status", "before": '"delivered"', "after": '"replaced"'},
        {"sign": "+", "path": "closed_by", "before": "", "after": '"refund-tool"'},
    ]


def test_every_policy_of_a_cell_is_named() -> None:
    assert cell(support(), 24, "lock/refund")["policy"] == "Exclusive, Disjoint"


def test_a_removed_cell_shows_what_it_held() -> None:
    shown = cell(support(), 14, "lock/refund")
    assert (shown["sign"], shown["scope"]) == ("−", "Shared")
    assert shown["differences"] == [{"sign": "−", "path": "", "before": '"run-1"', "after": ""}]


def test_text_that_looks_like_a_number_is_told_from_one() -> None:
    shown = cell(support(), 21, "thread_usage")
    assert shown["differences"][0] == {"sign": "~", "path": "input_tokens", "before": "3964", "after": '"5012"'}


def test_null_is_a_value() -> None:
    history = of_batches([put("k", None)], [put("k", "")])
    assert cell(history, 1, "k")["differences"] == [{"sign": "+", "path": "", "before": "", "after": "null"}]
    assert cell(history, 2, "k")["differences"] == [{"sign": "~", "path": "", "before": "null", "after": '""'}]


def test_a_written_but_unchanged_cell_says_so() -> None:
    shown = cell(of_batches([put("k", {"a": 1})], [put("k", {"a": 1})]), 2, "k")
    assert (shown["sign"], shown["note"], shown["differences"]) == ("", "same value", [])


def test_a_set_and_a_remove_in_one_batch_leave_the_set_overwritten() -> None:
    shown = cell(of_batches([put("k", 1), Command.remove(Scope.THREAD, DISJOINT, "k")]), 1, "k")
    assert shown["note"] == "same value"
    assert [(write["verb"], write["value"], write["overwritten"]) for write in shown["writes"]] == [
        ("set", "1", True),
        ("remove", "", False),
    ]


def test_the_view_of_a_run_leaves_out_what_other_runs_keep_for_themselves() -> None:
    shown = cell(support(), 15, "step", "run-1")
    assert (shown["note"], shown["sign"], shown["differences"]) == ("not in the view of run-1", "", [])
    rows = state_rows(support(), 15, 0, 99, "run-1")["rows"]
    assert [(row["value"], row["by"]) for row in rows if row["key"] == "step"] == [("9", 14)]


def test_empty_views_say_why() -> None:
    assert transition_view(support(), 0)["empty"] == "Before the first transition: the state is empty."
    assert transition_view(History("t", []), 0)["empty"] == "This history has no transitions."
    without = transition_view(support(), 28)
    assert without["empty"] == "No commands: the state stays as it was."
    assert without["facts"] == "run-2 · Ended: Error: StateConflict · 0 commands"


@pytest.mark.parametrize("position", [-1, 37])
def test_positions_outside_are_refused(position: int) -> None:
    with pytest.raises(PositionError):
        transition_view(support(), position)
    with pytest.raises(PositionError):
        state_rows(support(), position, 0, 10)


def test_the_problems_of_a_position_stand_with_its_transition() -> None:
    broken = load_history(HISTORIES / "post-terminal.ndjson")
    assert transition_view(broken, 15)["problems"] == [
        "ended run at position 15: run 'run-1' had already ended at position 14"
    ]
    assert transition_view(broken, 14)["problems"] == []


def test_the_state_lists_cells_in_store_order_with_their_writers() -> None:
    state = state_rows(support(), 12, 0, 99)
    assert (state["position"], state["total"], state["start"]) == (12, 7, 0)
    assert [(row["sign"], row["key"], row["scope"], row["by"]) for row in state["rows"]] == [
        ("", "step", "Run", 9),
        ("", "order/7719/state", "Thread", 4),
        ("+", "refund/7719", "Thread", 12),
        ("", "review/7719/state", "Thread", 11),
        ("~", "thread_usage", "Thread", 12),
        ("", "lock/refund", "Shared", 6),
        ("", "customer", "Profile", 1),
    ]
    assert state["rows"][2]["value"] == '{amount: 100.0, method: "voucher"}'


def test_only_the_asked_part_of_a_state_travels() -> None:
    part = state_rows(support(), 12, 2, 4)
    assert (part["total"], part["start"], [row["key"] for row in part["rows"]]) == (
        7,
        2,
        ["refund/7719", "review/7719/state"],
    )
    assert state_rows(support(), 12, -3, 1)["start"] == 0
    assert state_rows(support(), 12, 9, 20)["rows"] == []
    assert state_rows(support(), 0, 0, 20) == {"position": 0, "total": 0, "start": 0, "rows": []}


def test_long_answers_are_cut_and_say_so() -> None:
    wide = of_batches([put(f"k{n:05}", n) for n in range(2000)], [put("k00000", list(range(500)))])
    view = transition_view(wide, 1)
    assert (len(view["cells"]), view["more"]) == (CELLS, "… 1,940 more cells")
    longer = of_batches([put("k", [])], [put("k", list(range(500)))])
    [shown] = transition_view(longer, 2)["cells"]
    assert (len(shown["differences"]), shown["more"]) == (LINES, "… 460 more lines")
    crowded = transition_view(History("t", of_batches([]), [Problem(ProblemKind.CORRUPT, "x", 1)] * 500), 1)
    assert (len(crowded["problems"]), crowded["problems"][-1]) == (11, "… 490 more problems")
    [named] = transition_view(of_batches([put("k" * 1_000_000, {"f" * 1_000_000: 1})]), 1)["cells"]
    assert named["key"] == "k" * 300 + "…"
    [long] = state_rows(of_batches([put("k", "x" * 1_000_000)]), 1, 0, 1)["rows"]
    assert len(long["value"]) < 200
    assert "1,000,000 characters" in long["value"]


def test_long_texts_that_begin_alike_show_where_they_part() -> None:
    start = "".join(chr(ord("a") + place % 26) for place in range(100_000))
    [found] = cell(of_batches([put("k", start + "?" + "x" * 500)], [put("k", start + "!")]), 2, "k")["differences"]
    assert found["before"].startswith(f'…"{start[-20:]}?xxx')
    assert found["after"] == f'…"{start[-20:]}!"'
    [short] = cell(of_batches([put("k", "a" * 90 + "?")], [put("k", "a" * 90)]), 2, "k")["differences"]
    assert short["after"] == '"' + "a" * 90 + '"'


def test_markup_and_hidden_characters_stay_text() -> None:
    hostile = load_history(HISTORIES / "hostile-markup.ndjson")
    assert cell(hostile, 4, "<b>key</b>")["sign"] == "+"
    [path] = cell(of_batches([put("k", {})], [put("k", {"a\u202eb": 1})]), 2, "k")["differences"]
    assert "\u202e" not in path["path"]
    assert "\\u202e" in path["path"]
