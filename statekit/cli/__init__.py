"""The command `statekit`; its subcommands need the extra `cli` or `lab`, which they import when they run."""

from statekit.cli.command_line import main

__all__ = ["main"]
