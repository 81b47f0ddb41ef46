"""A real file: what it holds at each position, in each view."""

from __future__ import annotations

import tracemalloc

import pytest

import naive
from statekit.history import Change, ChangeKind, History
from statekit.journal import load_history
from statekit.value import ABSENT
from statekit.vocabulary import Scope
from tests.history.sample import T


@pytest.fixture(scope="module")
def support() -> History:
    return load_history(naive.HISTORIES / "support-42.ndjson")


def test_support_42_holds_what_the_file_says(support: History) -> None:
    assert (support.thread_id, len(support), support.problems) == ("support-42", 36, [])
    assert support.runs == ["run-1", "run-2", "run-3"]
    assert [(scope.value, key) for scope, key in support.cells] == [
        ("Run", "pending_call"),
        ("Run", "step"),
        ("Thread", "notes"),
        ("Thread", "order/7719/state"),
        ("Thread", "outcome/12/state"),
        ("Thread", "outcome/3/state"),
        ("Thread", "outcome/6/state"),
        ("Thread", "outcome/9/state"),
        ("Thread", "refund/7719"),
        ("Thread", "review/7719/state"),
        ("Thread", "thread_usage"),
        ("Shared", "lock/refund"),
        ("Profile", "customer"),
    ]
    # Not there at the end: the removed pending call and outcome.
    assert len(support.store_at(36)) == 11
    assert support.value_at(T, "thread_usage", 21) == {"input_tokens": "5012", "output_tokens": 611}
    assert support.value_at(T, "thread_usage", 20) == {"input_tokens": 3964, "output_tokens": 667}
    assert support.value_at(Scope.SHARED, "lock/refund", 24) == "debug-hook"
    assert support.value_at(Scope.PROFILE, "customer", 36)["locale"] == ["pt-BR", "en"]


def test_support_42_merges_the_order_until_a_text_replaces_it(support: History) -> None:
    order = (T, "order/7719/state")
    assert support.value_at(*order, 12) == {
        "items": 2,
        "status": "delivered",
        "total": 129.9,
        "photos": ["p1.jpg"],
        "damage": "confirmed",
    }
    assert support.value_at(*order, 24) == {
        "items": 2,
        "status": "replaced",
        "total": 129.9,
        "photos": ["p1.jpg"],
        "damage": "confirmed",
        "closed_by": "refund-tool",
    }
    assert support.value_at(*order, 36) == "archived"
    blamed = [(support.blame(*order, position) or support[0]).position for position in (3, 4, 12, 13, 24, 25, 36)]
    assert blamed == [3, 4, 4, 13, 13, 25, 25]
    assert support.blame(*order, 2) is None
    assert [position for position, _ in support.writes(*order)] == [3, 4, 4, 13, 13, 25]
    notes = support.value_at(T, "notes", 36)
    assert list(notes) == ["n1", "n2", "n3", "n4", "n5", "final"]


def test_support_42_from_11_to_12(support: History) -> None:
    refund, usage = support.diff(11, 12)
    assert refund == Change(T, "refund/7719", ChangeKind.ADDED, ABSENT, {"amount": 100.0, "method": "voucher"})
    assert usage == Change(
        T,
        "thread_usage",
        ChangeKind.CHANGED,
        {"input_tokens": 3914, "output_tokens": 662},
        {"input_tokens": 3964, "output_tokens": 667},
    )
    back = support.diff(12, 11)
    assert [(change.key, change.kind.value) for change in back] == [
        ("refund/7719", "removed"),
        ("thread_usage", "changed"),
    ]
    (dropped, review) = support.diff(10, 11)
    assert (dropped.key, dropped.kind, dropped.before) == (
        "pending_call",
        "removed",
        {"amount": 129.9, "tool": "issue_refund"},
    )
    assert review.after == {"approved": True, "reviewer": "ana"}
    assert support.diff(27, 28) == []


def test_support_42_in_the_view_of_each_run(support: History) -> None:
    step = (Scope.RUN, "step")
    assert [support.store_at(36, run=run).get(*step) for run in ("run-1", "run-2", "run-3")] == [9, 12, 5]
    assert support.store_at(36).get(*step) == 5
    assert step not in support.store_at(28, run="run-3")
    assert support.store_at(10, run="run-1").get(Scope.RUN, "pending_call") is not None
    assert (Scope.RUN, "pending_call") not in support.store_at(10, run="run-2")


def test_looking_for_cells_that_are_not_there_leaves_nothing_behind() -> None:
    history = History("t", [])
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for number in range(20_000):
            assert history.store_at(0).get(Scope.THREAD, f"absent/{number}") is None
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 100_000
