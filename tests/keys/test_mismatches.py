"""What is wrong with a value is said, all of it, by place, expectation and what is there."""

from __future__ import annotations

import pickle
from datetime import date
from typing import Annotated, Any

import pytest
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from statekit.errors import StateError
from statekit.value import Json
from statekit.vocabulary import Scope
from tests.keys.sample import Colour, Pet, Review, cell, failures, store_of


class Zoo(BaseModel):
    pets: list[Pet]
    code: int | str = 0


class Sealed(BaseModel):
    model_config = ConfigDict(extra="forbid")

    int: dict[str, str] | bool


def test_an_error_carries_its_cell_and_every_mismatch() -> None:
    with pytest.raises(StateError) as caught:
        cell(Review, "review/7").load(store_of({"approved": "yes", "notes": ["a", 1]}, "review/7"))
    error = caught.value
    assert (error.key, error.scope) == ("review/7", Scope.THREAD)
    assert error.errors == [("$.approved", "a boolean", 'text "yes"'), ("$.notes[1]", "text", "an integer 1")]
    assert str(error) == (
        "Thread cell 'review/7': the value is no Review at $.approved: expected a boolean, got text \"yes\"; "
        "$.notes[1]: expected text, got an integer 1"
    )


def test_an_error_survives_pickling() -> None:
    with pytest.raises(StateError) as caught:
        cell(Review).decode([])
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.key, again.scope, again.detail, again.errors) == (
        caught.value.key,
        caught.value.scope,
        caught.value.detail,
        caught.value.errors,
    )


def test_the_sentence_of_many_mismatches_names_the_first_three() -> None:
    with pytest.raises(StateError) as caught:
        cell(list[int]).decode(["a"] * 10)
    assert len(caught.value.errors) == 10
    assert caught.value.detail.endswith('$[2]: expected an integer, got text "a"; and 7 more')


@pytest.mark.parametrize(
    ("type_", "value", "expected"),
    [
        (bool, 1, [("$", "a boolean", "an integer 1")]),
        (int, None, [("$", "an integer", "null")]),
        (int | str, 1.5, [("$", "an integer or text", "a number 1.5")]),
        (Zoo, {}, [("$.pets", "a value", "nothing")]),
        (Zoo, [True], [("$", "an object", "an array [true]")]),
        (Zoo, {"pets": [{"kind": "cat", "lives": "9"}]}, [("$.pets[0].lives", "an integer", 'text "9"')]),
        (Zoo, {"pets": [{"kind": "dog"}]}, [("$.pets[0].name", "a value", "nothing")]),
        (Zoo, {"pets": [{"kind": "cow"}]}, [("$.pets[0]", "one of 'cat', 'dog' in 'kind'", 'an object {kind: "cow"}')]),
        (Zoo, {"pets": [{}]}, [("$.pets[0]", "a tag in 'kind'", "an object {}")]),
        (dict[str, int], {"a b": "x"}, [('$["a b"]', "an integer", 'text "x"')]),
        (dict[int, int], {"x": 1}, [("$.x", "an integer as the key", 'text "x"')]),
        (Annotated[int, Field(ge=0)], -1, [("$", "a value greater than or equal to 0", "an integer -1")]),
        (Colour, "blue", [("$", "'red'", 'text "blue"')]),
        (tuple[int, str], [1], [("$[1]", "a value", "nothing")]),
        (list[date], ["1699920000"], [("$[0]", "an ISO date, not a timestamp", 'text "1699920000"')]),
        (
            Sealed,
            {"int": {"bool": 3}, "more": 1},
            [
                ("$.int.bool", "text", "an integer 3"),
                ("$.int", "a boolean", "an object {bool: 3}"),
                ("$.more", "no such field", "an integer 1"),
            ],
        ),
    ],
)
def test_a_mismatch_says_where_what_was_expected_and_what_is_there(
    type_: Any, value: Json, expected: list[tuple[str, str, str]]
) -> None:
    assert failures(type_, value) == expected


def test_an_alias_is_named_as_it_is_stored() -> None:
    class Aliased(BaseModel):
        number: int = Field(alias="orderNumber")

    assert failures(Aliased, {"orderNumber": "1"}) == [("$.orderNumber", "an integer", 'text "1"')]
    assert cell(Aliased).write(Aliased(orderNumber=1)).to_json().endswith('{"Set":{"orderNumber":1}}}')


def test_a_validator_speaks_for_itself() -> None:
    def even(value: int) -> int:
        if value % 2:
            raise ValueError("it must be even")
        return value

    assert failures(Annotated[int, AfterValidator(even)], 3) == [
        ("$", "a value that its validator accepts (it must be even)", "an integer 3")
    ]


@pytest.mark.parametrize("value", [None, {}, 1])
def test_a_validator_that_stumbles_over_a_value_is_a_state_error(value: Json) -> None:
    typed = cell(Annotated[int, BeforeValidator(lambda old: old["n"])])
    assert typed.decode({"n": 1}) == 1
    with pytest.raises(StateError) as caught:
        typed.decode(value)
    assert [mismatch.path for mismatch in caught.value.errors] == ["$"]
