"""One staged change of one cell, and its wire form."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Self, TypeAlias

from statekit import wire
from statekit.errors import StateError, WireError
from statekit.value import Held, Json, own
from statekit.vocabulary import Address, MergePolicy, Scope

COMMAND_FIELDS: Final = frozenset({"key", "scope", "merge", "run_id", "action"})
OPAQUE_FIELDS: Final = frozenset({"Set"})

_SCOPES: Final = {scope.value: scope for scope in Scope}
_POLICIES: Final = {policy.value: policy for policy in MergePolicy}


class Set(Held):
    """The action that gives a cell a value, which is copied in and copied out.

    >>> Set({"a": 1}) == Set({"a": 1}), Set(1) == Set(True)
    (True, False)
    """

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Remove:
    """The action that takes a cell's value away; on an absent cell it does nothing."""


Action: TypeAlias = Set | Remove


@dataclass(frozen=True, slots=True)
class Command:
    """One staged change of one cell; immutable, equal by value.

    `run_id` names the run that owns a `Run`-scoped command. Raises `StateError` for a key that has no JSON form.

    >>> Command.set(Scope.THREAD, MergePolicy.DISJOINT, "k", 1).to_json()
    '{"key":"k","scope":"Thread","merge":"Disjoint","action":{"Set":1}}'
    """

    key: str
    scope: Scope
    merge: MergePolicy
    action: Action
    run_id: str | None = None

    def __post_init__(self) -> None:
        _expect(self.key, str, "key")
        _expect(self.scope, Scope, "scope")
        _expect(self.merge, MergePolicy, "merge")
        _expect(self.action, (Set, Remove), "action")
        if self.run_id is not None:
            _expect(self.run_id, str, "run_id")
            _own_text(self, "run_id", self.run_id)
        _own_text(self, "key", self.key)

    @classmethod
    def set(cls, scope: Scope, merge: MergePolicy, key: str, value: Json) -> Self:
        """The command that sets a cell; raises `StateError` for a value that has no JSON form."""
        try:
            return cls(key, scope, merge, Set(value))
        except StateError as error:
            raise error.at(scope, key) from None

    @classmethod
    def remove(cls, scope: Scope, merge: MergePolicy, key: str) -> Self:
        """The command that removes a cell."""
        return cls(key, scope, merge, Remove())

    @property
    def address(self) -> Address:
        """The cell this command changes."""
        return self.scope, self.key

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """The command of one wire object; raises `WireError` when it is none."""
        return cls.from_wire(wire.decode_object(text, OPAQUE_FIELDS))

    def to_json(self) -> str:
        """The wire object of this command."""
        return wire.encode(self.borrow_wire()).decode()

    @classmethod
    def from_wire(cls, node: Json, path: str = "$") -> Self:
        """The command of a decoded wire object, which it takes over."""
        read = wire.fields(node, COMMAND_FIELDS, path)
        try:
            scope, merge, action = _SCOPES[read["scope"]], _POLICIES[read["merge"]], read["action"]
        except (KeyError, TypeError):
            raise _explain(read, path) from None
        key = wire.text(read, "key", path)
        return cls(key, scope, merge, _action(action, f"{path}.action"), wire.optional_text(read, "run_id", path))

    def borrow_wire(self) -> dict[str, Json]:
        """The wire object of this command, with the value itself in it: to look at and never to change."""
        node: dict[str, Json] = {"key": self.key, "scope": self.scope.value, "merge": self.merge.value}
        if self.run_id is not None:
            node["run_id"] = self.run_id
        node["action"] = {"Set": self.action.borrow()} if isinstance(self.action, Set) else "Remove"
        return node


def addresses(commands: Iterable[Command]) -> list[Address]:
    """The cells that commands touch, each once, in the order of their first command."""
    return list(dict.fromkeys(command.address for command in commands))


def _expect(value: object, kind: type | tuple[type, ...], name: str) -> None:
    if not isinstance(value, kind):
        raise TypeError(f"{name} cannot be a {type(value).__qualname__}: {value!r}")


def _own_text(command: Command, name: str, value: str) -> None:
    if type(value) is not str or not value.isascii():
        object.__setattr__(command, name, own(value))


def _action(node: Json, path: str) -> Action:
    if node == "Remove":
        return Remove()
    if isinstance(node, str):
        raise WireError(f'expected {{"Set": value}} or "Remove", got {node!r}', path)
    tag, content = wire.variant(node, path)
    if tag == "Set":
        return Set.adopt(content)
    if tag == "Remove" and content is None:
        return Remove()
    raise WireError(f'expected {{"Set": value}} or "Remove", got a field {tag!r}', path)


def _explain(read: dict[str, Json], path: str) -> WireError:
    try:
        wire.member(Scope, wire.required(read, "scope", path), f"{path}.scope")
        wire.member(MergePolicy, wire.required(read, "merge", path), f"{path}.merge")
        wire.required(read, "action", path)
    except WireError as error:
        return error
    raise AssertionError("a command that reads well needs no explanation")
