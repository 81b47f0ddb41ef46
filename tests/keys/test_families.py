"""Families: keys made from a template, recognised again, and the templates that are refused."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statekit.keys import StateCell, StateFamily
from statekit.store import Store
from statekit.vocabulary import MergePolicy, Scope
from tests.keys.sample import Review

REVIEWS = StateCell.family(Review, scope=Scope.THREAD, merge=MergePolicy.EXCLUSIVE, template="review/{review_id}/state")


def test_a_family_makes_cells_and_recognises_their_keys() -> None:
    typed = REVIEWS.at(review_id=7)
    assert (typed.scope, typed.merge, typed.key, typed.declared) == (
        Scope.THREAD,
        MergePolicy.EXCLUSIVE,
        "review/7/state",
        "Review",
    )
    assert typed.load(Store.rebuild([typed.write(Review(approved=True))])) == Review(approved=True)
    assert REVIEWS.match("review/7/state") == {"review_id": "7"}


@pytest.mark.parametrize(
    "key", ["", "review//state", "review/7/8/state", "review/7/state/", "xreview/7/state", "review/7"]
)
def test_a_key_of_another_shape_is_no_member(key: str) -> None:
    assert REVIEWS.match(key) is None


def test_a_family_is_shown_short_and_never_changes() -> None:
    assert repr(REVIEWS) == ("StateFamily(Review, scope=Thread, merge=Exclusive, template='review/{review_id}/state')")
    with pytest.raises(FrozenInstanceError):
        REVIEWS.template = "x"  # type: ignore[misc]


TEMPLATES = ["{a}", "x/{a}", "{a}/{b}", "{a}-{b}", "{{{a}}}.{b}", "é{a}*{self}+{b}"]


@given(st.sampled_from(TEMPLATES), st.data())
def test_a_key_gives_back_the_names_it_was_made_of(template: str, data: st.DataObject) -> None:
    family = StateCell.family(int, scope=Scope.RUN, merge=MergePolicy.DISJOINT, template=template)
    values = st.integers() | st.text(min_size=1) | st.uuids()
    fields = [name for name in ("a", "b", "self") if f"{{{name}}}" in template]
    names: dict[str, Any] = {name: data.draw(values, name) for name in fields}
    try:
        made = family.at(**names)
    except ValueError:
        # Only text that the template cannot tell apart, or that JSON cannot say, is refused.
        separators = "/-.*+{}"
        assert any(set(str(value)) & set(separators) or not _encodes(str(value)) for value in names.values())
    else:
        assert family.match(made.key) == {name: str(value) for name, value in names.items()}


def _encodes(text: str) -> bool:
    return not any(0xD800 <= ord(character) <= 0xDFFF for character in text)


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        ({}, "takes exactly the names review_id, got none"),
        ({"review": 7}, "takes exactly the names review_id, got review"),
        ({"review_id": 7, "more": 1}, "got review_id, more"),
        ({"review_id": ""}, "would not give"),
        ({"review_id": "7/8"}, "would not give"),
        ({"review_id": "\ud800"}, "lone surrogate"),
    ],
)
def test_names_that_a_key_would_not_give_back_are_refused(names: dict[str, object], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        REVIEWS.at(**names)


def test_names_that_would_be_read_apart_differently_are_refused() -> None:
    family = StateCell.family(int, scope=Scope.RUN, merge=MergePolicy.DISJOINT, template="{a}-{b}")
    assert family.match(family.at(a="x-y", b="z").key) == {"a": "x-y", "b": "z"}
    with pytest.raises(ValueError, match="would not give"):
        family.at(a="x", b="y-z")


@pytest.mark.parametrize(
    ("template", "reason"),
    [
        ("review", "no field"),
        ("review/{{id}}", "no field"),
        ("{}", "not plainly"),
        ("{0}", "not plainly"),
        ("{a.b}", "not plainly"),
        ("{a[0]}", "not plainly"),
        ("{a!r}", "not plainly"),
        ("{a:>3}", "not plainly"),
        ("{a b}", "not plainly"),
        ("{a}{b}", "nothing between"),
        ("{a}/{a}", "twice"),
        ("{a", "malformed"),
        ("a}/{b}", "malformed"),
        ("\ud800{a}", "lone surrogate"),
    ],
)
def test_a_template_that_is_none_is_refused(template: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        StateFamily(int, scope=Scope.RUN, merge=MergePolicy.DISJOINT, template=template)
