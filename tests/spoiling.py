"""What a careless caller does to a value that was passed in or got out."""

from __future__ import annotations

from typing import Any


def spoil(value: Any) -> None:
    """Change a value in place, at every depth."""
    if isinstance(value, dict):
        for item in value.values():
            spoil(item)
        value["spoilt"] = True
    elif isinstance(value, list):
        for item in value:
            spoil(item)
        value.insert(0, "spoilt")
