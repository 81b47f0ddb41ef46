"""The resume ticket of an awaiting run, in its present and its older wire form."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final, Self, TypeAlias

from statekit import wire
from statekit.errors import WireError
from statekit.value import Held, Json


class ToolReason(Enum):
    """Why a pending tool call waits."""

    PERMISSION = "Permission"
    CLIENT_EXECUTION = "ClientExecution"
    SCHEDULED_ACTION = "ScheduledAction"
    DELEGATION = "Delegation"


class InputReason(Enum):
    """What a run without a pending tool call waits for."""

    USER_INPUT = "UserInput"
    EXTERNAL_EVENT = "ExternalEvent"


class PauseReason(Enum):
    """Why a run is paused."""

    MANUAL = "Manual"
    RATE_LIMIT = "RateLimit"
    BUDGET_REACHED = "BudgetReached"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """Waiting for a tool call to be decided or done."""

    reason: ToolReason
    call_id: str
    tool_id: str
    arguments: Held

    def to_wire(self) -> Json:
        """The wire object of this target."""
        tool = {"tool_id": self.tool_id, "arguments": self.arguments.value}
        return {"ToolCall": {"reason": self.reason.value, "call_id": self.call_id, "tool": tool}}


@dataclass(frozen=True, slots=True)
class RemoteInput:
    """Waiting for input from outside."""

    reason: InputReason
    call_id: str

    def to_wire(self) -> Json:
        """The wire object of this target."""
        return {"RemoteInput": {"reason": self.reason.value, "call_id": self.call_id}}


@dataclass(frozen=True, slots=True)
class Pause:
    """Waiting to be resumed."""

    reason: PauseReason

    def to_wire(self) -> Json:
        """The wire object of this target."""
        return {"Pause": self.reason.value}


Target: TypeAlias = ToolCall | RemoteInput | Pause

TICKET_FIELDS: Final = frozenset(
    {"correlation_id", "run_id", "thread_id", "snapshot_id", "catalog_fingerprint", "target", "deadline_ms"}
    | {"data_subject_id", "delegation_origin", "initiator", "reason", "call_id", "pending_tool"}
)
OPAQUE_FIELDS: Final = frozenset({"arguments", "delegation_origin", "initiator"})

_TOOL_FIELDS: Final = frozenset({"tool_id", "arguments"})
_TARGET_FIELDS: Final = frozenset({"reason", "call_id", "tool"})
_IDS: Final = ("correlation_id", "run_id", "thread_id", "snapshot_id", "catalog_fingerprint")

# The older form names one reason beside an optional call and tool; (reason, has call, has tool) -> target reason.
_OLDER: Final[dict[tuple[str, bool, bool], ToolReason | InputReason | PauseReason]] = {
    ("ToolPermission", True, True): ToolReason.PERMISSION,
    ("ExternalEvent", True, True): ToolReason.CLIENT_EXECUTION,
    ("ScheduledAction", True, True): ToolReason.SCHEDULED_ACTION,
    ("Delegation", True, True): ToolReason.DELEGATION,
    ("UserInput", True, False): InputReason.USER_INPUT,
    ("ExternalEvent", True, False): InputReason.EXTERNAL_EVENT,
    ("ManualPause", False, False): PauseReason.MANUAL,
    ("RateLimit", False, False): PauseReason.RATE_LIMIT,
}


@dataclass(frozen=True, slots=True)
class ResumeTicket:
    """What a later resume of an awaiting run must match; `deadline_ms` is in epoch milliseconds."""

    correlation_id: str
    run_id: str
    thread_id: str
    snapshot_id: str
    catalog_fingerprint: str
    target: Target
    deadline_ms: int | None = None
    data_subject_id: str | None = None
    delegation_origin: Held | None = None

    @classmethod
    def from_wire(cls, node: Json, path: str = "$") -> Self:
        """The ticket of a decoded wire object, older forms included; raises `WireError` when it is none."""
        read = wire.fields(node, TICKET_FIELDS, path)
        if "delegation_origin" in read and "initiator" in read:
            raise WireError("delegation_origin and its older name initiator are both given", path)
        origin = read.get("delegation_origin", read.get("initiator"))
        return cls(
            **{name: wire.text(read, name, path) for name in _IDS},
            target=_target(read, path),
            deadline_ms=_deadline(read.get("deadline_ms"), f"{path}.deadline_ms"),
            data_subject_id=wire.optional_text(read, "data_subject_id", path),
            delegation_origin=None if origin is None else Held.adopt(origin),
        )

    def to_wire(self) -> dict[str, Json]:
        """The wire object of this ticket, in the present form."""
        node: dict[str, Json] = {name: getattr(self, name) for name in _IDS}
        if self.delegation_origin is not None:
            node["delegation_origin"] = self.delegation_origin.value
        if self.data_subject_id is not None:
            node["data_subject_id"] = self.data_subject_id
        node["target"] = self.target.to_wire()
        node["deadline_ms"] = self.deadline_ms
        return node


def _deadline(value: Json, path: str) -> int | None:
    if value is None or (type(value) is int and 0 <= value < 2**64):
        return value
    raise WireError(f"expected null or milliseconds from 0 to 2^64-1, got {value!r}", path)


def _target(read: dict[str, Json], path: str) -> Target:
    older = [name for name in ("reason", "call_id", "pending_tool") if read.get(name) is not None]
    if read.get("target") is None:
        return _older_target(read, path)
    if older:
        raise WireError(f"target and its older form ({', '.join(older)}) are both given", path)
    path = f"{path}.target"
    tag, content = wire.variant(read["target"], path)
    path = f"{path}.{tag}"
    if tag == "Pause":
        return Pause(wire.member(PauseReason, content, path))
    if tag not in ("ToolCall", "RemoteInput"):
        raise WireError("expected ToolCall, RemoteInput or Pause", path)
    inner = wire.fields(content, _TARGET_FIELDS, path)
    call_id = wire.text(inner, "call_id", path)
    reason = wire.required(inner, "reason", path)
    if tag == "RemoteInput":
        return RemoteInput(wire.member(InputReason, reason, f"{path}.reason"), call_id)
    tool = wire.required(inner, "tool", path)
    return _tool_call(wire.member(ToolReason, reason, f"{path}.reason"), call_id, tool, f"{path}.tool")


def _older_target(read: dict[str, Json], path: str) -> Target:
    call_id = wire.optional_text(read, "call_id", path)
    tool = read.get("pending_tool")
    name = wire.optional_text(read, "reason", path)
    reason = _OLDER.get((name or "", call_id is not None, tool is not None))
    match reason:
        case ToolReason():
            return _tool_call(reason, call_id or "", tool, f"{path}.pending_tool")
        case InputReason():
            return RemoteInput(reason, call_id or "")
        case PauseReason():
            return Pause(reason)
    raise WireError("the ticket names no single thing to wait for: it needs a target", path)


def _tool_call(reason: ToolReason, call_id: str, tool: Json, path: str) -> ToolCall:
    read = wire.fields(tool, _TOOL_FIELDS, path)
    arguments = Held.adopt(wire.required(read, "arguments", path))
    return ToolCall(reason, call_id, wire.text(read, "tool_id", path), arguments)
