"""What a command refuses to do."""

from __future__ import annotations

from statekit.errors import StatekitError, extra_needed


class Refusal(StatekitError):
    """A command was used wrongly, or cannot do its work here; its text is one sentence for the person who typed it."""


def not_installed(command: str, module: str, extra: str) -> Refusal:
    """The refusal of a command that misses a module, with the line that installs it."""
    return Refusal(extra_needed(f"statekit {command}", module, extra))
