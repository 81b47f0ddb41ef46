"""One line for any value: short, harmless to the line around it, and never mistaken for another value."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import ItemsView, Iterator
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from statekit.preview import preview, visible
from statekit.value import ABSENT
from strategies import json_values, texts

Json = Any

WHOLE = 10**6
SUFFIX = 40
"""More than the longest note that a cut line ends with: an ellipsis, a count and its unit."""

BIDI = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
MARKS = "\u200e\u200f\u061c"
awkward = st.text(
    st.characters(categories=["Cc", "Zl", "Zp"])
    | st.sampled_from("\u202e\u2066\u2069\u200f\u061c\ufeff\"\\'é\U0001f600")
)
awkward_values: st.SearchStrategy[Json] = st.recursive(
    awkward | texts | st.integers(-5, 5) | st.booleans() | st.none() | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(awkward | st.sampled_from(["a", "b"]), inner, max_size=4)
    ),
    max_leaves=10,
)
values = awkward_values | json_values


def harmful(line: str) -> list[str]:
    return [
        character
        for character in line
        if unicodedata.category(character) in ("Cc", "Zl", "Zp")
        or unicodedata.bidirectional(character) in BIDI
        or character in MARKS
    ]


@given(values, st.integers(0, 200))
@example("\u202e" * 100, 80)
@example({"\n": "\r"}, 80)
@example(["\x85\u2028"], 80)
def test_a_line_is_as_long_as_its_limit_and_a_short_note_at_most(value: Json, limit: int) -> None:
    line = preview(value, limit)
    assert len(line) <= limit + SUFFIX
    cut, ellipsis, note = line.rpartition("…")
    if len(line) > limit:
        assert ellipsis
        assert len(cut) <= limit
        assert len(note) < SUFFIX


@given(values, st.integers(0, 200))
@example("a\u202eb", 3)
@example("\x1b[31m" * 50, 80)
@example({"\u2066": 1, "\x1b]0;t\x07": [2]}, 80)
def test_no_character_breaks_the_line_or_turns_its_direction(value: Json, limit: int) -> None:
    line = preview(value, limit)
    assert harmful(line) == []
    assert len(line.splitlines()) == 1 or line == ""


@given(awkward)
def test_text_made_visible_hides_nothing(text: str) -> None:
    shown = visible(text)
    assert harmful(shown) == []
    assert len(shown) >= len(text)


def test_every_such_character_is_spelled_as_an_escape() -> None:
    for code in range(0x10FFFF + 1):
        character = chr(code)
        if harmful(character):
            assert visible(f"a{character}b") == f"a\\u{code:04x}b"
    for kept in ("plain text", "é", "日本", "\U0001f469\u200d\U0001f680", "<script>&amp;", "[bold]"):
        assert visible(kept) == kept


@given(values, values)
def test_two_values_never_share_a_whole_line(left: Json, right: Json) -> None:
    assert (preview(left, WHOLE) == preview(right, WHOLE)) is (json.dumps(left) == json.dumps(right))


LOOKALIKES: list[Json] = [
    None,
    "null",
    True,
    "true",
    1,
    1.0,
    "1",
    "1.0",
    -0.0,
    0.0,
    0,
    "",
    "absent",
    '"absent"',
    [],
    "[]",
    {},
    "{}",
    [1],
    "[1]",
    {"a": 1},
    {"a": "1"},
    "{a: 1}",
    {"a": 1, "b": 2},
    {"a": "1, b: 2"},
    {'a": 1, "b': 2},
    ["a", "b"],
    ['a", "b'],
    "\\u202e",
    "\u202e",
    "\\n",
    "\n",
]


def test_values_that_look_alike_are_told_apart() -> None:
    lines = [preview(value) for value in [*LOOKALIKES, ABSENT]]
    assert len(set(lines)) == len(lines)


@pytest.mark.parametrize(
    ("value", "line"),
    [
        (ABSENT, "absent"),
        (None, "null"),
        ("null", '"null"'),
        (True, "true"),
        ("true", '"true"'),
        (1, "1"),
        ("1", '"1"'),
        (1.0, "1.0"),
        (2**64, "18446744073709551616"),
        ("", '""'),
        ('say "hi" \\', '"say \\"hi\\" \\\\"'),
        ("a\nb\tc", '"a\\nb\\tc"'),
        ("日本 é", '"日本 é"'),
        ({}, "{}"),
        ([], "[]"),
        ({"approved": True, "tags": ["a", None]}, '{approved: true, tags: ["a", null]}'),
        ({"a b": 1, "é": 2, "": 3, "1a": 4, "_x1": 5}, '{"a b": 1, "é": 2, "": 3, "1a": 4, _x1: 5}'),
        ({"a": {"b": [{}, []]}}, "{a: {b: [{}, []]}}"),
        ("x" * 78, f'"{"x" * 78}"'),
    ],
)
def test_a_value_that_fits_is_whole(value: Json, line: str) -> None:
    assert preview(value) == line


@pytest.mark.parametrize(
    ("value", "limit", "line"),
    [
        (list(range(1000)), 12, "[0, 1, 2, 3,… 1,000 items"),
        ({f"f{place}": place for place in range(50)}, 10, "{f0: 0, f1… 50 fields"),
        ("x" * 5_000, 5, '"xxxx… 5,000 characters'),
        (123456, 3, "123…"),
        ({"name": "x" * 100}, 10, '{name: "xx… 1 fields'),
    ],
)
def test_a_value_that_does_not_fit_is_cut_and_says_how_much_there_is(value: Json, limit: int, line: str) -> None:
    assert preview(value, limit) == line


@given(values, st.integers(0, 60))
@example('a", "b' * 20, 20)
@example("\\" * 100, 20)
@example("a\nb" * 100, 20)
@example({'x" ': 'y" ' * 40}, 20)
def test_a_cut_line_is_the_beginning_of_the_whole_one(value: Json, limit: int) -> None:
    # A quote inside a cut text must not look like its end.
    whole = preview(value, WHOLE)
    if len(whole) > limit:
        assert whole.startswith(preview(value, limit).rpartition("…")[0])


class WatchedObject(dict[str, Json]):
    """An object that counts the fields that are looked at."""

    looked_at = 0

    def items(self) -> ItemsView[str, Json]:
        return counted(self, super().items())  # type: ignore[return-value]


class WatchedArray(list[Json]):
    """An array that counts the items that are looked at."""

    looked_at = 0

    def __iter__(self) -> Iterator[Json]:
        return counted(self, super().__iter__())


def counted(watched: Any, parts: Any) -> Iterator[Any]:
    for part in parts:
        watched.looked_at += 1
        yield part


class WatchedText(str):
    """A text of which only short slices may be taken."""

    __slots__ = ()

    def __getitem__(self, part: Any) -> str:
        assert part.stop is not None
        assert part.stop <= 100
        return super().__getitem__(part)

    def forbidden(self, *_: Any) -> Any:
        raise AssertionError("all of the text was looked at")

    translate = encode = replace = isidentifier = isascii = __iter__ = __str__ = __format__ = forbidden


def test_only_as_much_is_looked_at_as_is_shown() -> None:
    fields = WatchedObject((f"f{place}", place) for place in range(1_000_000))
    assert preview(fields).startswith("{f0: 0, f1: 1, ")
    assert preview(fields).endswith("… 1,000,000 fields")
    assert 0 < fields.looked_at <= 160
    items = WatchedArray(range(1_000_000))
    assert preview([items], 40).endswith("… 1 items")
    assert 0 < items.looked_at <= 40
    text = WatchedText("x" * 10_000_000)
    assert preview(text) == f'"{"x" * 79}… 10,000,000 characters'
    assert preview({"a": [text]}, 20).startswith('{a: ["xxx')


@pytest.mark.parametrize("empty", ["", [], {}, 0, None])
def test_parts_that_show_nothing_do_not_make_it_look_further(empty: Json) -> None:
    items = WatchedArray([empty] * 1_000_000)
    preview(items)
    assert items.looked_at <= 80


def test_a_long_field_name_is_cut_too() -> None:
    line = preview({"n" * 1_000_000: 1, "other": 2})
    assert line == f"{{{'n' * 79}… 2 fields"


def test_deep_values_are_shown() -> None:
    value: Json = 1
    for _ in range(127):
        value = [value]
    assert preview(value, WHOLE) == "[" * 127 + "1" + "]" * 127
    assert preview(value, 10) == "[" * 10 + "… 1 items"


@pytest.mark.parametrize(
    ("hidden", "shown"), [("\u00ad", r"\u00ad"), ("\u180e", r"\u180e"), ("\U000e0041", r"\U000e0041")]
)
def test_what_cannot_be_seen_is_spelled_out(hidden: str, shown: str) -> None:
    assert visible(f"a{hidden}b") == f"a{shown}b"
