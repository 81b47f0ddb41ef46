"""The command line: what `statekit show` prints, and what is refused."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

import statekit
from statekit import History
from statekit.cli import main
from tests.cli.sample import COMMAND, HISTORIES, LONELY, SEVERAL_THREADS, SUPPORT, journal_of


def run(*arguments: str | Path, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *map(str, arguments)], capture_output=True, text=True, cwd=cwd, env=LONELY | environment
    )


SHOWN = {
    "blank-lines-crlf-bom.ndjson": ("support-42: 12 transitions, 1 run, 8 cells", []),
    "corrupt-middle.ndjson": ("support-42: 35 transitions, 3 runs, 13 cells", ["corrupt at line 11 (byte 5578)"]),
    "empty.ndjson": ("no thread: 0 transitions, 0 runs, 0 cells", []),
    "exclusive-conflict-on-disk.ndjson": (
        "support-42: 36 transitions, 3 runs, 13 cells",
        ["conflict on disk at position 7"],
    ),
    "hostile-markup.ndjson": ("support-42: 36 transitions, 3 runs, 15 cells", []),
    "no-final-newline.ndjson": ("support-42: 5 transitions, 1 run, 5 cells", []),
    "post-terminal.ndjson": ("support-42: 37 transitions, 3 runs, 13 cells", ["ended run at position 15"]),
    "support-42.ndjson": ("support-42: 36 transitions, 3 runs, 13 cells", []),
    "torn-tail-inside-utf8.ndjson": ("support-42: 20 transitions, 2 runs, 9 cells", ["torn tail at line 21"]),
    "torn-tail.ndjson": ("support-42: 20 transitions, 2 runs, 9 cells", ["torn tail at line 21"]),
}


def test_every_bundled_history_is_looked_at() -> None:
    assert {path.name for path in HISTORIES.iterdir()} == {*SHOWN, *SEVERAL_THREADS}


@pytest.mark.parametrize("name", SHOWN)
def test_show_prints_summary_rows_and_problems(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    summary, problems = SHOWN[name]
    assert main(["show", str(HISTORIES / name)]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    first, *rest = out.splitlines()
    assert first == summary
    count = int(summary.split()[-6])
    assert [line.split()[0] for line in rest[: count + 1]] == (["#", *map(str, range(1, count + 1))] if count else [])
    said = rest[count + 1 :] if count else rest
    assert said[:1] == ([f"{len(problems)} problem"] if problems else [])
    assert [line[: len(start) + 2] for line, start in zip(said[1:], problems, strict=True)] == [
        f"  {start}" for start in problems
    ]


@pytest.mark.parametrize("name", SEVERAL_THREADS)
def test_show_asks_which_thread_and_then_shows_it(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    target = str(HISTORIES / name)
    assert main(["show", target]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert "'support-42', 'research-7'" in err
    assert "--thread" in err
    assert main(["show", target, "--thread", "research-7"]) == 0
    assert capsys.readouterr().out.startswith("research-7: 41 transitions, 1 run, 12 cells\n")
    assert main(["show", target, "--thread", "other"]) == 2
    assert "'other'" in capsys.readouterr().err


def test_show_has_run_state_commands_and_keys(capsys: pytest.CaptureFixture[str]) -> None:
    main(["show", str(SUPPORT)])
    lines = capsys.readouterr().out.splitlines()
    assert re.split(r"\s{2,}", lines[1].strip()) == ["#", "run", "state", "cmds", "cells"]
    assert re.split(r"\s{2,}", lines[5].strip()) == [
        "4",
        "run-1",
        "Running",
        "4",
        "step, thread_usage, order/7719/state",
    ]
    assert re.split(r"\s{2,}", lines[37].strip()) == ["36", "run-3", "Ended: Stopped: budget", "1", "notes"]


def test_show_has_times_where_they_are_known(capsys: pytest.CaptureFixture[str]) -> None:
    main(["show", str(HISTORIES / "two-threads.db"), "--thread", "research-7"])
    lines = capsys.readouterr().out.splitlines()
    assert "time (UTC)" in lines[1]
    assert "2026-11-03 09:00:14" in lines[2]


def test_limit_says_what_it_leaves_out(capsys: pytest.CaptureFixture[str]) -> None:
    main(["show", str(SUPPORT), "--limit", "3"])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[1:]] == ["#", "1", "2", "3", "…"]
    assert lines[-1] == "… 33 more"
    main(["show", str(SUPPORT), "--limit", "36"])
    assert "more" not in capsys.readouterr().out
    main(["show", str(SUPPORT), "--limit", "0"])
    assert capsys.readouterr().out.splitlines()[1:] == ["… 36 more"]


def test_markup_and_control_characters_are_shown_as_text(tmp_path: Path) -> None:
    keys = ["[bold red]loud[/]", "\x1b[31mred\x1b[0m", "two\nlines", "\u202eback", ":smile:", "<b>"]
    path = journal_of(tmp_path / "h.ndjson", keys, run_id="r[/]\r")
    shown = run("show", path)
    assert shown.returncode == 0
    assert "\x1b" not in shown.stdout
    expected = r"[bold red]loud[/], \u001b[31mred\u001b[0m, two\u000alines, \u202eback, :smile:, <b>"
    assert shown.stdout.splitlines()[2].endswith(expected)
    assert r"r[/]\u000d" in shown.stdout


def test_a_pipe_gets_whole_lines_without_colours(tmp_path: Path) -> None:
    keys = [f"a/rather/long/key/{number}" for number in range(40)]
    shown = run("show", journal_of(tmp_path / "h.ndjson", keys, run_id="run-" + "x" * 100), COLUMNS="40")
    assert "\x1b" not in shown.stdout
    assert len(shown.stdout.splitlines()) == 3
    assert shown.stdout.splitlines()[2].endswith(", ".join(keys))
    assert "run-" + "x" * 100 in shown.stdout


def test_colours_that_are_forced_still_cut_no_line(tmp_path: Path) -> None:
    keys = [f"a/rather/long/key/{number}" for number in range(40)]
    path = journal_of(tmp_path / "h.ndjson", keys)
    shown = run("show", path, COLUMNS="40", FORCE_COLOR="1", TERM="xterm")
    assert "\x1b[1m" in shown.stdout
    assert ", ".join(keys) in shown.stdout


def in_terminal(columns: int, *arguments: str) -> str:
    """What a command prints to a terminal."""
    controller, terminal = pty.openpty()
    environment = LONELY | {"COLUMNS": str(columns), "TERM": "xterm", "NO_COLOR": "1"}
    process = subprocess.Popen([*COMMAND, *arguments], stdout=terminal, stderr=terminal, env=environment)
    os.close(terminal)
    parts = []
    try:
        while part := os.read(controller, 65536):
            parts.append(part)
    except OSError:
        # Linux says so that the other end was closed.
        pass
    os.close(controller)
    assert process.wait() == 0
    return re.sub(r"\x1b\[[0-9;]*m", "", b"".join(parts).decode()).replace("\r\n", "\n")


def test_a_terminal_gets_lines_that_fit(tmp_path: Path) -> None:
    keys = ["wide/日本語", *(f"key/{number}" for number in range(30)), "k" * 200]
    path = journal_of(tmp_path / "h.ndjson", keys, run_id="run-" + "x" * 100)
    lines = in_terminal(70, "show", str(path)).splitlines()
    assert len(lines) > 5
    assert max(map(len, lines)) <= 70
    indent = lines[1].index("cells")
    folded = "".join(line[indent:].strip() for line in lines[2:])
    assert folded.replace(" ", "") == ",".join(keys)
    assert "…" in lines[2]


def test_the_state_is_whole_where_there_is_room() -> None:
    assert "Ended: Error: StateConflict " in in_terminal(100, "show", str(SUPPORT))


def test_a_terminal_of_few_letters_gets_escapes(tmp_path: Path) -> None:
    path = journal_of(tmp_path / "h.ndjson", ["ключ"])
    shown = run("show", path, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert r"\u043a\u043b\u044e\u0447" in shown.stdout


def test_a_reader_that_stops_reading_is_no_error(tmp_path: Path) -> None:
    path = tmp_path / "h.ndjson"
    line = journal_of(path, [f"key/{number}" for number in range(20)]).read_text()
    path.write_text(line * 3000)
    process = subprocess.Popen(
        [*COMMAND, "show", str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=LONELY
    )
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline() == "t: 3,000 transitions, 1 run, 20 cells\n"
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait() == 0
    process.stderr.close()


WRONG = [
    pytest.param([], "COMMAND", id="nothing"),
    pytest.param(["shwo", "x"], "shwo", id="unknown command"),
    pytest.param(["show"], "TARGET", id="no target"),
    pytest.param(["show", "a", "b"], "unrecognized arguments: b", id="two targets"),
    pytest.param(["show", "a", "--lim", "3"], "--lim", id="abbreviation"),
    pytest.param(["show", "a", "--limit", "-1"], "'-1' is no whole number from 0", id="negative limit"),
    pytest.param(["show", "a", "--limit", "x"], "'x' is no whole number from 0", id="limit of letters"),
    pytest.param(["open", "a", "--port", "65536"], "'65536' is no port from 1 to 65535", id="port too high"),
    pytest.param(["open", "a", "--port", "000080123"], "is no port", id="port with zeros"),
    pytest.param(["open", "a", "--port", "0"], "'0' is no port", id="port 0"),
    pytest.param(["show", "/no/such/file.ndjson"], "/no/such/file.ndjson: there is no such file", id="no file"),
    pytest.param(["open", "/no/such/file.ndjson"], "/no/such/file.ndjson: there is no such file", id="no file to open"),
    pytest.param(["show", str(HISTORIES)], "the directory holds no commits.ndjson", id="directory"),
    pytest.param(["show", __file__], "not a journal", id="another kind"),
    pytest.param(["open", __file__], "not a journal", id="another kind to open"),
    pytest.param(["show", "bad\x1b[31m\nname"], r"bad\u001b[31m\u000aname", id="control characters"),
]


@pytest.mark.parametrize(("arguments", "part"), WRONG)
def test_what_is_wrong_is_said_in_one_sentence(
    arguments: list[str], part: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("statekit: ")
    assert part in err
    assert err.count("\n") == 1


def test_no_traceback_reaches_the_shell() -> None:
    done = run("show", "/no/such/file.ndjson")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "statekit: /no/such/file.ndjson: there is no such file\n"


def test_an_interrupted_command_ends_quietly(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_arguments: object) -> History:
        raise KeyboardInterrupt

    monkeypatch.setattr("statekit.cli.show.load_history", interrupted)
    assert main(["show", str(SUPPORT)]) == 130
    assert capsys.readouterr().err == ""


def test_version() -> None:
    done = run("--version")
    assert (done.returncode, done.stdout) == (0, f"statekit {statekit.__version__}\n")


@pytest.mark.parametrize("command", ["show", "open"])
def test_help_names_the_command(command: str) -> None:
    done = run(command, "--help")
    assert done.returncode == 0
    assert done.stdout.startswith(f"usage: statekit {command}")


@pytest.mark.parametrize(
    ("command", "module", "extra"),
    [
        ("show", "rich", "cli"),
        ("open", "rich", "lab"),
        ("open", "nbformat", "lab"),
        ("open", "ipywidgets", "lab"),
        ("open", "jupyterlab", "lab"),
    ],
)
def test_a_missing_module_is_said_with_the_line_that_installs_it(command: str, module: str, extra: str) -> None:
    code = f"""
import sys
sys.modules[{module!r}] = None
from statekit.cli import main
sys.exit(main([{command!r}, {str(SUPPORT)!r}]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == f"statekit {command} needs {module}: pip install 'statekit[{extra}]'\n".replace(
        "statekit", "statekit: statekit", 1
    )


def test_a_bare_command_line_loads_no_view() -> None:
    code = "import sys, statekit.cli\nprint({'rich', 'nbformat', 'ipywidgets', 'pandas'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()\n"
