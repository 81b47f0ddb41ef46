"""Typed cells, families and keys: what loads, what is refused, and what a class must say when it is defined."""

from __future__ import annotations

import math
import pickle
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import FrozenInstanceError, dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import Enum, IntEnum
from types import new_class
from typing import Annotated, Any, Generic, Literal, NamedTuple, TypeVar
from uuid import UUID

import pytest
import typing_extensions
from hypothesis import given
from hypothesis import strategies as st
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    SecretStr,
    TypeAdapter,
)

from statekit.command import Command
from statekit.commit import ThreadCommit
from statekit.errors import ContractError, Mismatch, StateError
from statekit.keys import FoldStateKey, StateCell, StateFamily, StateKey
from statekit.run import RunDisposition
from statekit.store import Store
from statekit.value import Json
from statekit.vocabulary import MergePolicy, Scope

V = TypeVar("V")


class Review(BaseModel):
    approved: bool = False
    notes: list[str] = []


class Cat(BaseModel):
    kind: Literal["cat"] = "cat"
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"] = "dog"
    name: str


Pet = Annotated[Cat | Dog, Field(discriminator="kind")]


class Zoo(BaseModel):
    pets: list[Pet]
    code: int | str = 0


class Number(IntEnum):
    ONE = 1


class Colour(Enum):
    RED = "red"


class Sealed(BaseModel):
    model_config = ConfigDict(extra="forbid")

    int: dict[str, str] | bool


def cell(type_: Any, key: str = "k") -> StateCell[Any]:
    return StateCell(type_, scope=Scope.THREAD, merge=MergePolicy.DISJOINT, key=key)


def store_of(value: Json, key: str = "k") -> Store:
    return Store.over({(Scope.THREAD, key): value})


# --- what a cell is


def test_a_cell_writes_the_command_of_its_address() -> None:
    typed = StateCell(Review, scope=Scope.SHARED, merge=MergePolicy.COMMUTATIVE, key="review/7")
    written = typed.write(Review(approved=True))
    expected = Command.set(Scope.SHARED, MergePolicy.COMMUTATIVE, "review/7", {"approved": True, "notes": []})
    assert written == expected
    assert typed.remove() == Command.remove(Scope.SHARED, MergePolicy.COMMUTATIVE, "review/7")


def test_an_absent_cell_loads_as_none_and_a_null_is_a_value() -> None:
    assert cell(int).load(Store()) is None
    assert cell(TypeAdapter(int | None)).load(store_of(None)) is None
    with pytest.raises(StateError, match="expected an integer, got null"):
        cell(int).load(store_of(None))


def test_a_cell_never_changes() -> None:
    typed = cell(int)
    with pytest.raises(FrozenInstanceError):
        typed.key = "other"  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del typed.scope


@pytest.mark.parametrize(
    ("type_", "spelled"),
    [
        (int, "int"),
        (Review, "Review"),
        (TypeAdapter(int | None), "int | None"),
        (dict[str, list[Review]], "dict[str, list[Review]]"),
        (tuple[int, ...], "tuple[int, ...]"),
        (Literal["a", 1], "Literal['a', 1]"),
        (Pet, "Cat | Dog"),
        (Annotated[int, AfterValidator(lambda value: value)], "int"),
    ],
)
def test_a_cell_is_shown_short_and_stable(type_: Any, spelled: str) -> None:
    typed = cell(type_)
    assert typed.declared == spelled
    assert repr(typed) == f"StateCell({spelled}, scope=Thread, merge=Disjoint, key='k')"


def test_the_name_of_a_long_type_is_cut() -> None:
    assert len(cell(Literal[tuple(f"constant-{n}" for n in range(40))]).declared) == 80


def test_a_type_adapter_is_used_as_it_is() -> None:
    adapter = TypeAdapter(bytes, config=ConfigDict(ser_json_bytes="hex", val_json_bytes="hex"))
    assert cell(adapter).write(b"\xff").to_json().endswith('"action":{"Set":"ff"}}')


class Opaque:
    pass


@pytest.mark.parametrize(
    ("type_", "reason"),
    [
        (Opaque, "Opaque is no type that a cell can have"),
        (3, "3 is no type"),
        ("Missing", "Missing refers to a name that is not defined yet"),
    ],
)
def test_a_type_without_a_schema_is_refused(type_: Any, reason: str) -> None:
    with pytest.raises(TypeError, match=reason):
        cell(type_)


def test_a_cell_that_could_make_no_command_is_refused() -> None:
    with pytest.raises(TypeError, match="scope"):
        StateCell(int, scope="Thread", merge=MergePolicy.DISJOINT, key="k")  # type: ignore[arg-type]
    with pytest.raises(StateError, match="lone surrogate"):
        cell(int, "\ud800")


# --- what loads: strict, in JSON's sense


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


# --- what is wrong is said, all of it


def failures(type_: Any, value: Json) -> list[Mismatch]:
    with pytest.raises(StateError) as caught:
        cell(type_).load(store_of(value))
    return caught.value.errors


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


# --- encoding never lies


class Base(BaseModel):
    x: int = 1


class Derived(Base):
    y: int = 2


class Renamed(Base):
    pass


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")


class Sign(Enum):
    PLUS = "+"
    MINUS = "-"


class Blob(BaseModel):
    data: bytes


class Dropped(BaseModel):
    n: int = Field(default=0, exclude_if=lambda value: value == 5)


class Labelled(NamedTuple):
    label: str


LIES: list[tuple[Any, Any]] = [
    (Any, {1: 2}),
    (Any, {"a": [{None: 1}]}),
    (int, True),
    (float, True),
    (set[int], {True}),
    (list[int], [1, True]),
    (tuple[int, ...], (True,)),
    (dict[str, int], {"a": False}),
    (Any, datetime(2026, 1, 1)),
    (Any, date(2026, 1, 1)),
    (Any, Decimal("1.5")),
    (Any, UUID(int=1)),
    (Any, Colour.RED),
    (Any, b"bytes"),
    (Any, {1, 2}),
    (Any, Review()),
    (Any, Labelled("a")),
    (Any, object()),
    (Any, lambda: None),
    (SecretStr, SecretStr("hidden")),
    (Any, math.nan),
    (Any, [math.inf]),
    (float, math.nan),
    (float, -math.inf),
    (float | None, math.nan),
    (float, 2**53 + 1),
    (int, 2**64),
    (int, -(2**63) - 1),
    (Any, {"a": 2**64}),
    (str, "\ud800"),
    (Any, ["\udfff"]),
    (Any, {"\ud800": 1}),
    (dict[str, int], {"\ud800": 1}),
    (int, "1"),
    (int, None),
    (list[int], (1, 2)),
    (Base, Derived()),
    (list[Base], [Derived()]),
    (Base, Renamed()),
    (Open, Open(extra=date(2026, 1, 1))),
    (Annotated[Sign, PlainSerializer(lambda _: "+")], Sign.MINUS),
    (Base, Base.model_construct(x="1")),
    (Review, Review.model_construct(approved=1)),
    (Review, {"approved": True, "notes": []}),
    (Blob, Blob(data=b"\xff")),
    (Dropped, Dropped(n=5)),
    (Decimal, Decimal("NaN")),
    (Decimal, Decimal("sNaN")),
    (Number, 1),
    (date | str, "2026-01-01"),
    (Annotated[int, Field(ge=1)], 0),
]


@pytest.mark.parametrize(("type_", "value"), LIES, ids=[f"{type_} {value!r:.40}" for type_, value in LIES])
def test_what_would_not_load_back_equal_is_refused(type_: Any, value: object) -> None:
    with pytest.raises(StateError) as caught:
        cell(type_).write(value)
    assert (caught.value.key, caught.value.scope) == ("k", Scope.THREAD)
    assert "\n" not in str(caught.value)
    assert "https://" not in str(caught.value)


@pytest.mark.parametrize("type_", [Any, list[Any], Review])
def test_a_cycle_is_refused(type_: Any) -> None:
    loop: list[Any] = []
    loop.append(loop)
    value = Review.model_construct(notes=loop) if type_ is Review else loop
    with pytest.raises(StateError):
        cell(type_).write(value)


def nested(levels: int) -> Json:
    value: Json = 0
    for _ in range(levels):
        value = [value]
    return value


def test_a_value_nests_so_deep_that_its_commit_can_still_be_read() -> None:
    command = cell(Any).write(nested(123))
    line = ThreadCommit.assemble("t", RunDisposition.running("r"), state=[command]).to_json()
    assert ThreadCommit.from_json(line).commands == (command,)
    with pytest.raises(StateError, match="deeper than 123 levels; a line of a history nests to 127"):
        cell(Any).write(nested(124))


@pytest.mark.parametrize("levels", [128, 300, 100_000])
def test_a_value_of_any_depth_is_a_state_error(levels: int) -> None:
    with pytest.raises(StateError):
        cell(Any).write(nested(levels))


def test_a_refusal_says_where_in_the_value() -> None:
    with pytest.raises(StateError) as caught:
        cell(Any).write({"a": [1, datetime(2026, 1, 1)]})
    assert caught.value.errors == [
        ("$.a[1]", "a value that loads back equal", "an object of type datetime that loads back as str")
    ]
    with pytest.raises(StateError) as caught:
        cell(Review).write(Review.model_construct(approved="yes", notes=[]))
    assert caught.value.errors == [("$.approved", "a boolean", 'text "yes"')]


def test_refusals_come_in_the_order_of_the_value() -> None:
    names = [f"field-{number}" for number in range(20)]
    with pytest.raises(StateError) as caught:
        cell(Any).write({name: date(2026, 1, 1) for name in names})
    assert [mismatch.path for mismatch in caught.value.errors] == [f'$["{name}"]' for name in names]
    assert [path for path, _, _ in failures(dict[str, Number], dict.fromkeys(names, True))] == [
        f'$["{name}"]' for name in names
    ]


def test_bytes_that_are_no_text_say_what_to_set() -> None:
    with pytest.raises(StateError, match="set ser_json_bytes and val_json_bytes to 'base64'"):
        cell(Blob).write(Blob(data=b"\xff"))


def test_what_a_type_excludes_need_not_come_back() -> None:
    class Cached(BaseModel):
        n: int
        cache: int = Field(default=0, exclude=True)

    assert cell(Cached).write(Cached(n=1, cache=7)).to_json().endswith('{"Set":{"n":1}}}')


def test_a_tuple_is_the_array_it_is_written_as() -> None:
    assert cell(Any).decode([1, [2]]) == [1, [2]]
    assert cell(Any).write((1, (2,))).to_json().endswith('{"Set":[1,[2]]}}')
    assert cell(Sequence[int]).write((1, 2)).to_json().endswith('{"Set":[1,2]}}')


def test_an_object_that_only_knows_identity_is_equal_by_type() -> None:
    class Handle:
        def __init__(self, name: str) -> None:
            self.name = name

        @classmethod
        def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
            from pydantic_core import core_schema

            return core_schema.no_info_after_validator_function(
                cls, core_schema.str_schema(), serialization=core_schema.plain_serializer_function_ser_schema(str)
            )

        def __str__(self) -> str:
            return self.name

    loaded = cell(Handle).load(Store.rebuild([cell(Handle).write(Handle("a"))]))
    assert isinstance(loaded, Handle)
    assert loaded.name == "a"


# --- families

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


# --- keys


class ReviewKey(StateKey[Review]):
    KEY = "review_state"
    SCOPE = Scope.THREAD


class CounterKey(FoldStateKey[int, int]):
    KEY = "counter"
    SCOPE = Scope.RUN
    MERGE = MergePolicy.EXCLUSIVE

    @staticmethod
    def apply(value: int, update: int) -> int:
        return value + update


def test_a_key_reads_and_writes_whole_values() -> None:
    assert ReviewKey.address() == (Scope.THREAD, "review_state")
    command = ReviewKey.write(Review(approved=True))
    assert command == Command.set(Scope.THREAD, MergePolicy.DISJOINT, "review_state", {"approved": True, "notes": []})
    assert ReviewKey.load(Store.rebuild([command])) == Review(approved=True)
    assert ReviewKey.load(Store.rebuild([command, ReviewKey.remove()])) == Review()
    assert ReviewKey.decode({"approved": True}) == Review(approved=True)
    assert ReviewKey.cell().declared == "Review"


def test_a_present_value_of_the_wrong_shape_never_becomes_the_default() -> None:
    store = store_of({"approved": "yes"}, "review_state")
    with pytest.raises(StateError, match=r"\$\.approved"):
        ReviewKey.load(store)
    assert ReviewKey.load_or_default(store) == Review()
    assert ReviewKey.load_or_default(store_of({"approved": True}, "review_state")) == Review(approved=True)


def test_a_default_is_made_new_at_each_load() -> None:
    first = ReviewKey.load(Store())
    first.notes.append("mine")
    assert ReviewKey.load(Store()).notes == []
    lenient = ReviewKey.load_or_default(store_of(1, "review_state"))
    lenient.notes.append("mine")
    assert ReviewKey.load_or_default(store_of(1, "review_state")).notes == []


def test_null_is_a_value_of_an_optional_and_an_error_of_anything_else() -> None:
    class Maybe(StateKey[int | None]):
        KEY = "k"
        SCOPE = Scope.THREAD

    assert Maybe.load(Store()) is None
    assert Maybe.load(store_of(None)) is None
    with pytest.raises(StateError):
        ReviewKey.load(store_of(None, "review_state"))


def test_a_broken_contract_is_no_state_error() -> None:
    broken = Review.model_construct(approved="yes")
    with pytest.raises(ContractError, match="review_state") as caught:
        ReviewKey.write(broken)
    assert not issubclass(ContractError, StateError)
    assert isinstance(caught.value.__cause__, StateError)
    with pytest.raises(StateError, match=r"\$\.approved"):
        ReviewKey.try_write(broken)


def test_a_fold_applies_one_update_to_what_is_there() -> None:
    store = Store()
    for update in (5, -2):
        command = CounterKey.commit(store, update)
        assert (command.merge, command.scope) == (MergePolicy.EXCLUSIVE, Scope.RUN)
        store.apply(command)
    assert CounterKey.load(store) == 3


def test_a_fold_fails_closed() -> None:
    store = Store.rebuild([Command.set(Scope.RUN, MergePolicy.DISJOINT, "counter", "3")])
    with pytest.raises(StateError):
        CounterKey.commit(store, 1)
    with pytest.raises(ContractError):
        CounterKey.commit(Store.rebuild([CounterKey.write(2**64 - 1)]), 1)


@pytest.mark.parametrize("key", [StateKey, FoldStateKey, ReviewKey, CounterKey])
def test_a_key_is_never_constructed(key: type[Any]) -> None:
    with pytest.raises(TypeError, match=rf"{key.__name__} is a class to use as it is"):
        key()
    with pytest.raises(TypeError, match="class to use as it is"):
        key("argument", name="value")


def define(base: Any, **body: object) -> Any:
    return new_class("MyKey", (base,), exec_body=lambda namespace: namespace.update(body))


ADDRESS = {"KEY": "k", "SCOPE": Scope.RUN}


@dataclass
class Settings:
    name: str = ""


class Strict(BaseModel):
    a: int


class Total(typing_extensions.TypedDict):
    a: int


class Partial(typing_extensions.TypedDict, total=False):
    a: int


class Pair(NamedTuple):
    a: int = 1


@pytest.mark.parametrize(
    ("type_", "default"),
    [
        (int, 0),
        (bool, False),
        (str, ""),
        (bytes, b""),
        (list[int], []),
        (dict[str, list[int]], {}),
        (tuple[int, ...], ()),
        (set[str], set()),
        (Counter[str], Counter()),
        (Decimal, Decimal(0)),
        (int | None, None),
        (Annotated[dict[str, int], "note"], {}),
        (Annotated[int | None, "note"], None),
        (Pet | None, None),
        (Review, Review()),
        (Settings, Settings()),
        (Partial, {}),
        (Pair, Pair(1)),
    ],
)
def test_the_default_is_the_type_called_with_no_arguments(type_: Any, default: object) -> None:
    loaded = define(StateKey[type_], **ADDRESS).load(Store())
    assert loaded == default
    assert type(loaded) is type(default)


@pytest.mark.parametrize(
    "type_",
    [Strict, Total, Pet, Colour, Any, Literal["a"], datetime, UUID, tuple[int, int], Annotated[int, Field(ge=1)]],
)
def test_a_type_without_a_default_fails_when_the_key_is_defined(type_: Any) -> None:
    with pytest.raises(TypeError, match=r"MyKey needs a type with a default, and .* has none \(.*; give every field"):
        define(StateKey[type_], **ADDRESS)


@pytest.mark.parametrize(
    ("base", "body", "reason"),
    [
        (StateKey[int], {"SCOPE": Scope.RUN}, 'MyKey needs KEY, a str; add a line such as KEY = "review_state"'),
        (StateKey[int], {"KEY": 3, "SCOPE": Scope.RUN}, "MyKey needs KEY, a str"),
        (StateKey[int], {"KEY": "\ud800", "SCOPE": Scope.RUN}, "MyKey needs a KEY that JSON can say"),
        (StateKey[int], {"KEY": "k"}, "MyKey needs SCOPE, a Scope; add a line such as SCOPE = Scope.THREAD"),
        (StateKey[int], {"KEY": "k", "SCOPE": "Run"}, "MyKey needs SCOPE, a Scope"),
        (StateKey[int], {**ADDRESS, "MERGE": "Disjoint"}, "MyKey needs MERGE, a MergePolicy"),
        (StateKey, ADDRESS, r"MyKey names no type; derive it as in class MyKey\(StateKey\[int\]\)"),
        (StateKey[Opaque], ADDRESS, "Opaque is no type that a cell can have"),
        (StateKey["Nowhere"], ADDRESS, "Nowhere refers to a name that is not defined yet"),  # type: ignore[name-defined]
        (FoldStateKey[int, int], ADDRESS, r"MyKey needs apply; add a static method apply\(value, update\)"),
    ],
)
def test_a_key_that_is_wrong_fails_when_it_is_defined(base: Any, body: dict[str, object], reason: str) -> None:
    with pytest.raises(TypeError, match=reason):
        define(base, **body)


class Listed(StateKey[list[V]], Generic[V]):
    SCOPE = Scope.SHARED


class Summed(FoldStateKey[list[V], V], Generic[V]):
    SCOPE = Scope.RUN

    @staticmethod
    def apply(value: list[V], update: V) -> list[V]:
        return [*value, update]


def test_a_generic_key_between_needs_no_key_and_names_no_cell() -> None:
    with pytest.raises(TypeError, match="Listed names no cell yet"):
        Listed.load(Store())
    with pytest.raises(TypeError, match="MyKey names no type"):
        define(Listed, KEY="k")


def test_a_type_is_found_through_generic_classes() -> None:
    class Names(Listed[str]):
        KEY = "names"

    class Readings(Summed[float]):
        KEY = "readings"

    assert (Names.cell().declared, Names.address()) == ("list[str]", (Scope.SHARED, "names"))
    assert Readings.load(Store.rebuild([Readings.commit(Store(), 1.5)])) == [1.5]


def test_a_class_of_a_key_is_a_key_of_its_own() -> None:
    class Second(CounterKey):
        KEY = "second"

    assert Second.address() == (Scope.RUN, "second")
    assert CounterKey.address() == (Scope.RUN, "counter")
    assert Second.commit(Store(), 2).key == "second"


FORMS: list[Callable[[Store], Any]] = [
    StateCell(Review, scope=Scope.THREAD, merge=MergePolicy.DISJOINT, key="review_state").load,
    ReviewKey.load,
    lambda store: ReviewKey.decode(store[ReviewKey.address()]),
]


@pytest.mark.parametrize("value", [{"approved": 1}, [], None, {"notes": [None], "approved": "x"}])
def test_every_typed_form_fails_the_same_way(value: Json) -> None:
    store = store_of(value, "review_state")
    found = []
    for read in FORMS:
        with pytest.raises(StateError) as caught:
            read(store)
        found.append((str(caught.value), caught.value.errors))
    assert found[0] == found[1] == found[2]
