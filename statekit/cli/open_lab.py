"""`statekit open`: a notebook for a history, in JupyterLab; needs jupyterlab and the widgets."""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from statekit.cli.lab import check_port, run_lab
from statekit.cli.notebook import history_notebook, same_cells
from statekit.cli.refusal import Refusal, not_installed
from statekit.cli.show import summary
from statekit.journal import load_history
from statekit.preview import visible

NAME_LENGTH: Final = 60
"""How many characters of a target's name its notebook bears; file systems allow 255 bytes."""


def open_lab(target: str, thread_id: str | None, *, file: Path | None, browser: bool, port: int | None) -> int:
    """Load a history, make a notebook for it and serve that with JupyterLab; 0 unless JupyterLab fails.

    The notebook is `file`, which must not exist, or a temporary one that stays only if its cells were changed or
    something was put beside it. Raises what `load_history` raises, and `Refusal`.
    """
    if find_spec("jupyterlab") is None:
        raise not_installed("open", "jupyterlab", "lab")
    history = load_history(target, thread_id)
    content = history_notebook(target, thread_id, history)
    if port is not None:
        check_port(port)
    if file is None:
        code = _serve_for_now(content, notebook_name(target), summary(history), browser, port)
    else:
        code = _serve(_made(file, content), summary(history), browser, port)
    if code:
        raise Refusal(f"JupyterLab ended with exit code {code}")
    return code


def notebook_name(target: str) -> str:
    """The name of the notebook for a target, free of everything a shell, an address or a file system could mistake.

    >>> notebook_name("histories/my thread.ndjson")
    'my_thread.ipynb'
    """
    stem = re.sub(r"[^\w-]+", "_", Path(target).name.partition(".")[0]).strip("_")
    return f"{stem[:NAME_LENGTH] or 'history'}.ipynb"


def _serve(path: Path, title: str, browser: bool, port: int | None) -> int:
    _say(f"{title}: opening {visible(str(path))} in JupyterLab, Ctrl+C ends it")
    return run_lab(path, browser=browser, port=port)


def _serve_for_now(content: str, name: str, title: str, browser: bool, port: int | None) -> int:
    folder = Path(tempfile.mkdtemp(prefix="statekit-"))
    path = folder / name
    try:
        path.write_text(content, encoding="utf-8")
        return _serve(path, title, browser, port)
    finally:
        if _is_as_made(path, content):
            shutil.rmtree(folder)
        else:
            _say(f"what you changed stays in {folder}")


def _made(file: Path, content: str) -> Path:
    if file.suffix != ".ipynb" or file.name.startswith("."):
        raise Refusal(f"{file}: JupyterLab opens notebooks whose name ends in .ipynb and starts with no dot")
    path = file.parent.resolve() / file.name
    try:
        with path.open("x", encoding="utf-8") as out:
            out.write(content)
    except FileExistsError as error:
        raise Refusal(f"{file} is there already: name another file, or open it with jupyter lab") from error
    return path


def _is_as_made(path: Path, content: str) -> bool:
    """Whether a folder holds the cells that were made for it, and besides only what JupyterLab hides in it."""
    shown = {entry.name for entry in path.parent.iterdir() if not entry.name.startswith(".")}
    return not shown or (shown == {path.name} and same_cells(path.read_bytes(), content.encode()))


def _say(sentence: str) -> None:
    sys.stdout.write(f"{sentence}\n")
    sys.stdout.flush()
