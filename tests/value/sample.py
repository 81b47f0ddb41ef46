"""Strict equality, written apart from the code under test."""

from __future__ import annotations

from typing import Any


def same_json(left: Any, right: Any) -> bool:
    """Whether two JSON values are the same; types count at every depth."""

    def typed(value: Any) -> Any:
        if type(value) is dict:
            return {name: typed(item) for name, item in value.items()}
        if type(value) is list:
            return [typed(item) for item in value]
        return type(value), value

    return bool(typed(left) == typed(right))
