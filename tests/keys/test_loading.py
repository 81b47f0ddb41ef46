"""What loads: strict, in JSON's sense."""

from __future__ import annotations

import math
from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from pydantic import BaseModel, BeforeValidator

from statekit.errors import StateError
from statekit.value import Json, json_path
from tests.keys.sample import Colour, Number, Review, cell, failures, store_of


@pytest.mark.parametrize(
    ("type_", "value", "loaded"),
    [
        (datetime, "2026-01-01T00:00:00", datetime(2026, 1, 1)),
        (date, "2026-01-01", date(2026, 1, 1)),
        (float, 1, 1.0),
        (set[int], [2, 1, 2], {1, 2}),
        (Colour, "red", Colour.RED),
        (Number, 1, Number.ONE),
        (UUID, "12345678123456781234567812345678", UUID(int=0x12345678123456781234567812345678)),
        (Decimal, "1.50", Decimal("1.50")),
        (Literal[1, True], True, True),
        (set[Literal[2, True]], [2, True], {2, True}),
        (int, 2**70, 2**70),
        (dict[int, str], {"1": "a", "-20": "b"}, {1: "a", -20: "b"}),
        (dict[float, int], {"1": 1, "2.50": 2, "1e2": 3}, {1.0: 1, 2.5: 2, 100.0: 3}),
        (dict[bool, int], {"true": 1, "false": 0}, {True: 1, False: 0}),
        (dict[date, int], {"2026-01-01": 1}, {date(2026, 1, 1): 1}),
        (dict[Number, int], {"1": 1}, {Number.ONE: 1}),
        (dict[Decimal, int], {"1.50": 1}, {Decimal("1.50"): 1}),
        (
            dict[int, dict[str, int]],
            {"1": {"01": 1, "1": 2, "yes": 3, " 1.0": 4}},
            {1: {"01": 1, "1": 2, "yes": 3, " 1.0": 4}},
        ),
        (dict[int, Review], {"1": {"approved": True, "01": 1}}, {1: Review(approved=True)}),
        (Review, {"approved": True, "unknown": 1}, Review(approved=True)),
    ],
)
def test_a_value_loads_as_what_json_says_it_is(type_: Any, value: Json, loaded: object) -> None:
    for found in (cell(type_).load(store_of(value)), cell(type_).decode(value)):
        assert found == loaded
        assert type(found) is type(loaded)


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        (int, "1"),
        (int, 1.0),
        (int, True),
        (bool, 1),
        (float, True),
        (float, "1"),
        (str, 1),
        (int, None),
        (datetime, 1_700_000_000),
        (datetime, "1700000000"),
        (date, "1699920000"),
        (Number, True),
        (Number, 1.0),
        (Number, "1"),
        (Literal[1], True),
        (Literal[True], 1),
        (list[Number], [1, True]),
        (dict[str, Number], {"a": 1.0}),
        (tuple[int, str], [1]),
        (list[int], {"0": 1}),
        (dict[str, int], [["a", 1]]),
        (bytes, "%"),
        (UUID, "x"),
    ],
)
def test_nothing_is_coerced(type_: Any, value: Json) -> None:
    with pytest.raises(StateError) as caught:
        cell(type_).load(store_of(value))
    assert caught.value.errors


@pytest.mark.parametrize(
    ("type_", "key"),
    [
        *((dict[int, int], key) for key in ["01", "+1", " 1", "1 ", "\t1", "1.0", "1_0", "1e2", "x", "true", ""]),
        *((dict[float, int], key) for key in ["01", "+1.5", " 1.5", "1_0.5", ".5", "5.", "Infinity", "x"]),
        *((dict[bool, int], key) for key in ["1", "0", "True", "FALSE", "yes", "no", "on", "off", "t", "N", "null"]),
        *((dict[datetime, int], key) for key in ["1700000000", "1.5"]),
        *((dict[date, int], key) for key in ["1699920000", "2026-1-1"]),
        *((dict[Number, int], key) for key in ["1.0", "01", "true"]),
        (list[dict[str, dict[int, int]]], "01"),
        (dict[int | None, int], "01"),
    ],
)
def test_no_key_is_coerced(type_: Any, key: str) -> None:
    value: Json = {key: 1}
    path = json_path([key])
    if type_ == list[dict[str, dict[int, int]]]:
        value, path = [{"a": value}], json_path([0, "a", key])
    assert [error.path for error in failures(type_, value)] == [path]


def test_two_spellings_of_a_key_never_become_one() -> None:
    assert [error.path for error in failures(dict[int, str], {"1": "a", "01": "b"})] == ['$["01"]']


def test_a_validator_that_converts_on_purpose_is_respected() -> None:
    class Old(BaseModel):
        done: Annotated[bool, BeforeValidator(bool)]
        at: datetime | None = None
        note: str = ""
        kind: Literal["a"] = "a"

    assert cell(Old).decode({"done": 1, "note": "1700000000"}) == Old(done=True, note="1700000000")


def test_an_integer_that_no_float_can_hold_does_not_become_infinite() -> None:
    with pytest.raises(StateError, match="expected a number that a float can hold"):
        cell(float).decode(10**400)
    assert cell(float).decode(10**300) == 1e300


@pytest.mark.parametrize("value", [math.nan, {1: 2}, (1, 2), object(), "\ud800", date(2026, 1, 1), {1}])
def test_what_is_no_json_value_is_not_decoded(value: object) -> None:
    with pytest.raises(StateError):
        cell(Any).decode(value)
    with pytest.raises(StateError):
        cell(float | str | list[int] | date | None).decode(value)


def test_an_integer_of_more_digits_than_python_converts_is_not_decoded() -> None:
    with pytest.raises(StateError):
        cell(int).decode(10**5000)


def test_a_value_that_contains_itself_is_not_decoded() -> None:
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(StateError):
        cell(Any).decode(loop)
