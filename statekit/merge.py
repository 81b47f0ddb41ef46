"""What commands mean: the rule a batch must pass, and what one command does to a cell."""

from __future__ import annotations

from collections.abc import Iterable

from statekit.command import Command, Remove, Set
from statekit.errors import MergeConflict
from statekit.value import Json
from statekit.vocabulary import Address, MergePolicy


def validate_batch(commands: Iterable[Command]) -> None:
    """Reject a batch in which a second `Set` under `Exclusive` reaches the same cell.

    Raises `MergeConflict` for the first such command. Nothing else rejects: a `Remove` is not a set, and a write
    under another policy neither conflicts nor makes a later one conflict.
    """
    exclusive: dict[Address, int] = {}
    for index, command in enumerate(commands):
        if command.merge is MergePolicy.EXCLUSIVE and isinstance(command.action, Set):
            first = exclusive.setdefault(command.address, index)
            if first != index:
                raise MergeConflict(command.scope, command.key, first, index)


def merges(command: Command, existing: Json) -> bool:
    """Whether a command shallow-merges into the existing value instead of replacing it."""
    return (
        command.merge is MergePolicy.COMMUTATIVE
        and isinstance(existing, dict)
        and isinstance(command.action, Set)
        and isinstance(command.action.borrow(), dict)
    )


def apply_command(cells: dict[Address, Json], command: Command) -> None:
    """Change cells as one command says; the values in `cells` are replaced, never changed in place."""
    address = command.address
    match command.action:
        case Remove():
            cells.pop(address, None)
        case Set() as action:
            value = action.borrow()
            cells[address] = {**cells[address], **value} if merges(command, cells.get(address)) else value
