"""The baseline: commands as plain tuples, folded into one dict, with nothing of the package under the clock."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from statekit import Command, MergePolicy, Set, Transition

REMOVED = object()

Plain = tuple[tuple[Any, str], bool, Any]
"""The address, whether objects merge, and the value or `REMOVED`."""


def plain(command: Command) -> Plain:
    """A command as the baseline folds it."""
    value = command.action.borrow() if isinstance(command.action, Set) else REMOVED
    return command.address, command.merge is MergePolicy.COMMUTATIVE, value


def plain_batches(transitions: Iterable[Transition]) -> list[list[Plain]]:
    """The batches of a history as the baseline folds them."""
    return [[plain(command) for command in transition.commands] for transition in transitions]


def refold(batches: Iterable[Iterable[Plain]]) -> dict[Any, Any]:
    """The state after some batches."""
    cells: dict[Any, Any] = {}
    for batch in batches:
        for address, merges, value in batch:
            if value is REMOVED:
                cells.pop(address, None)
            elif merges and type(value) is dict and type(cells.get(address)) is dict:
                cells[address] = {**cells[address], **value}
            else:
                cells[address] = value
    return cells
