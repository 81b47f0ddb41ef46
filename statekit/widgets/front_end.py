"""The JavaScript and CSS of the widgets, read from plain files beside this module."""

from __future__ import annotations

from importlib.resources import files

_STATIC = files("statekit.widgets") / "static"


def script(*names: str) -> str:
    """One ES module made of plain files in order; the last one holds the `export default`."""
    return "\n".join(_read(f"{name}.js") for name in names)


def style() -> str:
    """The style sheet of all widgets, every rule under a class that starts with `sk-`."""
    return _read("style.css")


def _read(name: str) -> str:
    return (_STATIC / name).read_text(encoding="utf-8")
