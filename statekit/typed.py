"""The one decoder and encoder behind every typed form, over a pydantic `TypeAdapter`.

Reading takes the JSON text of the stored value, strictly: what a value looks like is what JSON says it looks like.
Writing loads what it wrote, and refuses a value that does not come back equal.
"""

from __future__ import annotations

import re
from typing import Any, Final, Generic, Literal, TypeVar

from pydantic import ConfigDict, PydanticUndefinedAnnotation, PydanticUserError, TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError, SchemaError

from statekit import wire
from statekit.annotation import type_name
from statekit.coercion import coercions, may_hold, rules_of
from statekit.errors import Mismatch, StateError
from statekit.mismatch import described, mismatches, summary
from statekit.readback import changes
from statekit.value import MAX_DEPTH, Json, own, same

T = TypeVar("T")

VALUE_DEPTH: Final = MAX_DEPTH - 4
"""How deep a typed value nests at most: it sits four levels deep in the line of its commit."""

_TOO_DEEP: Final = (
    f"the value nests deeper than {VALUE_DEPTH} levels; a line of a history nests to {MAX_DEPTH}, and a value sits "
    "four levels deep in it"
)

_BYTES: Final = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")
_BYTES_ADVICE: Final = (
    "bytes that are not UTF-8 text; set ser_json_bytes and val_json_bytes to 'base64' in the pydantic config of "
    "their type"
)

# What the validators, serializers and constructors of somebody's type raise when a value surprises them.
FOREIGN_ERRORS: Final = (
    *(ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError),
    PydanticUserError,
)


_WARNING: Final = re.compile(
    r"Pydantic serializer warnings:\s+PydanticSerializationUnexpectedValue\((.*?)"
    r"(?: - serialized value may not be as expected)? \[.*?input_type=(\w+)\]\).*",
    re.DOTALL,
)


class DeclaredType(Generic[T]):
    """The type that a cell's values have; raises `TypeError` for one that pydantic has no schema for.

    Its errors have no address yet.

    >>> DeclaredType(list[int]).encode([1, 2]), DeclaredType(bool).name
    ([1, 2], 'bool')
    """

    __slots__ = ("_adapter", "_rules", "name")

    def __init__(self, type_: type[T] | TypeAdapter[T]) -> None:
        # pydantic has no public name for the type of an adapter.
        self.name = type_name(type_._type if isinstance(type_, TypeAdapter) else type_)
        self._adapter: TypeAdapter[T] = type_ if isinstance(type_, TypeAdapter) else _adapter(type_, self.name)
        if not self._adapter.pydantic_complete:
            raise TypeError(f"{self.name} refers to a name that is not defined yet; define it first")
        self._rules = rules_of(self._adapter.core_schema)

    def decode(self, value: Json) -> T:
        """The typed form of any JSON value; raises `StateError` when it is none."""
        try:
            exact = same(wire.decode(wire.encode(value)), value)
        except (RecursionError, TypeError, ValueError):
            exact = False
        if not exact:
            own(value)
            raise StateError(None, None, "a stored value is made of exact dict, list, str, int, float, bool and None")
        return self.load(value)

    def load(self, value: Json) -> T:
        """The typed form of a value that a store holds; raises `StateError` when it is none."""
        text = wire.encode(value)
        try:
            loaded = self._adapter.validate_json(text, strict=True)
            errors = self._coercions(text, value, loaded)
        except ValidationError as error:
            raise self._no_load(mismatches(value, error)) from error
        except FOREIGN_ERRORS as error:
            detail = f"what its validators accept ({type(error).__name__}: {error})"
            raise self._no_load([Mismatch("$", detail, described(value))]) from error
        if errors:
            raise self._no_load(errors)
        return loaded

    def encode(self, value: T) -> Json:
        """The JSON value of a typed one, new and shared with nothing.

        Raises `StateError` when it has none, or when what would be written does not load back equal.
        """
        try:
            written = own(self._dump(value))
            if _nests_deeper(written, VALUE_DEPTH):
                raise StateError(None, None, _TOO_DEEP)
            changed = list(changes(value, self._load_again(written)))
        except PydanticSerializationError as error:
            raise self._no_form(value, error) from error
        except UnicodeDecodeError as error:
            raise StateError(None, None, f"{self.name} was given {_BYTES_ADVICE}") from error
        except FOREIGN_ERRORS as error:
            raise StateError(None, None, f"the value has no JSON form as {self.name}: {_sentence(error)}") from error
        if changed:
            raise StateError(None, None, f"{self.name} cannot say the value at {summary(changed)}", changed)
        return written

    def _dump(self, value: T, warnings: Literal["error", "none"] = "error") -> Any:
        return self._adapter.dump_python(value, mode="json", by_alias=True, round_trip=True, warnings=warnings)

    def _no_form(self, value: T, error: PydanticSerializationError) -> StateError:
        # Loading what would be written regardless says more exactly what is wrong than the serializer does.
        try:
            self._load_again(own(self._dump(value, "none")))
        except StateError as explained:
            return explained
        except FOREIGN_ERRORS:
            pass
        return StateError(None, None, f"the value has no JSON form as {self.name}: {_sentence(error)}")

    def _load_again(self, written: Json) -> T:
        try:
            return self.load(written)
        except StateError as error:
            detail = f"what would be written does not load again: {error.detail}"
            raise StateError(None, None, detail, error.errors) from error

    def _coercions(self, text: bytes, value: Json, loaded: T) -> list[Mismatch]:
        rules = may_hold(self._rules, text)
        return list(coercions(rules, value, self._dump(loaded, "none"))) if rules else []

    def _no_load(self, errors: list[Mismatch]) -> StateError:
        return StateError(None, None, f"the value is no {self.name} at {summary(errors)}", errors)


def _adapter(type_: Any, name: str, config: ConfigDict | None = _BYTES) -> TypeAdapter[Any]:
    try:
        return TypeAdapter(type_, config=config)
    except (PydanticUserError, PydanticUndefinedAnnotation, SchemaError, TypeError) as error:
        # A model has a configuration of its own and refuses another one.
        if config is not None and getattr(error, "code", None) == "type-adapter-config-unused":
            return _adapter(type_, name, None)
        raise TypeError(f"{name} is no type that a cell can have: {_sentence(error)}") from error


def _nests_deeper(value: Json, levels: int) -> bool:
    if not isinstance(value, (dict, list)):
        return False
    items = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(_nests_deeper(item, levels - 1) for item in items)


def _sentence(error: Exception) -> str:
    """The first paragraph of an error's text on one line, or the error's kind when it has no text."""
    text = _WARNING.sub(r"\1, got \2", str(error))
    return " ".join(text.partition("\n\n")[0].split()) or type(error).__name__
