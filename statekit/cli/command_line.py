"""What is typed after `statekit`, and what becomes of it."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NoReturn

import statekit
from statekit.cli.refusal import Refusal, not_installed
from statekit.errors import StatekitError, UnknownThread
from statekit.preview import visible

FINE: Final = 0
REFUSED: Final = 2
INTERRUPTED: Final = 130

PORTS: Final = range(1, 2**16)

_TARGET = "an .ndjson or .jsonl file (also gzipped), a directory with commits.ndjson, or a SQLite file"


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 when all is fine, 2 for unreadable input or wrong use.

    What is wrong is said in one sentence on stderr. `argv` is what follows the program's name; None takes it from
    the command line.
    """
    _replace_closed_streams()
    _show_what_the_terminal_cannot_spell()
    try:
        arguments = _parser().parse_args(argv)
        run: Callable[[argparse.Namespace], int] = arguments.run
        code = run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has what it wanted; without this the interpreter complains when it flushes at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FINE
    except KeyboardInterrupt:
        return INTERRUPTED
    except (StatekitError, OSError) as error:
        sys.stderr.write(f"statekit: {visible(_sentence(error))}\n")
        return REFUSED
    return code


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise Refusal(f"{message}; {self.prog} --help says how it is used")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="statekit", description="Open the history of an agent's thread and step through it.", allow_abbrev=False
    )
    parser.add_argument("--version", action="version", version=f"statekit {statekit.__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", title="commands")

    opening = commands.add_parser("open", help="step through a history in JupyterLab", allow_abbrev=False)
    _add_target(opening)
    opening.add_argument("--no-browser", action="store_true", help="open no browser, only say the address")
    opening.add_argument("--port", type=_port, metavar="N", help="the port on 127.0.0.1 (default: the next free one)")
    opening.add_argument(
        "--notebook", type=Path, metavar="FILE", help="make this notebook and keep it (default: a temporary one)"
    )
    opening.set_defaults(run=_open)

    showing = commands.add_parser("show", help="print the table of transitions", allow_abbrev=False)
    _add_target(showing)
    showing.add_argument("--limit", type=_count, metavar="N", help="only the first N transitions (default: all)")
    showing.set_defaults(run=_show)
    return parser


def _add_target(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", metavar="TARGET", help=_TARGET)
    parser.add_argument("--thread", metavar="T", help="the thread, where the target holds several")


def _port(text: str) -> int:
    if text.isascii() and text.isdigit() and len(text) <= 5 and int(text) in PORTS:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is no port from 1 to 65535")


def _count(text: str) -> int:
    if text.isascii() and text.isdigit() and len(text) < 19:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 0")


def _open(arguments: argparse.Namespace) -> int:
    try:
        from statekit.cli.open_lab import open_lab  # noqa: PLC0415  # what it needs comes with an extra
    except ModuleNotFoundError as missing:
        raise _explain(missing, "open", "lab") from missing
    return open_lab(
        arguments.target,
        arguments.thread,
        file=arguments.notebook,
        browser=not arguments.no_browser,
        port=arguments.port,
    )


def _show(arguments: argparse.Namespace) -> int:
    try:
        from statekit.cli.show import show  # noqa: PLC0415  # what it needs comes with an extra
    except ModuleNotFoundError as missing:
        raise _explain(missing, "show", "cli") from missing
    show(arguments.target, arguments.thread, arguments.limit)
    return FINE


def _explain(missing: ModuleNotFoundError, command: str, extra: str) -> Exception:
    module = (missing.name or "").partition(".")[0]
    return missing if module == "statekit" else not_installed(command, module, extra)


def _sentence(error: Exception) -> str:
    if isinstance(error, UnknownThread) and error.thread_id is None:
        return f"{error} (choose with --thread)"
    if isinstance(error, OSError) and error.filename is not None:
        return f"{os.fsdecode(error.filename)}: {error.strerror}"
    return str(error)


def _replace_closed_streams() -> None:
    # Python has no stream at all where the shell closed one, as `>&-` does.
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            nothing = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115  # as long as the process lives
            setattr(sys, name, nothing)


def _show_what_the_terminal_cannot_spell() -> None:
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
