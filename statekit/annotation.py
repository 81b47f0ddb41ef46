"""Types as they are declared: how one is spelled, what a class puts for a type variable, how a default is made."""

from __future__ import annotations

from collections.abc import Callable
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, TypeVar, Union, get_args, get_origin

_LENGTH: Final = 80


def type_name(form: object) -> str:
    """A type as it is written, without modules and constraints, cut to 80 characters.

    >>> type_name(dict[str, int | None])
    'dict[str, int | None]'
    """
    name = _name(form)
    return name if len(name) <= _LENGTH else f"{name[: _LENGTH - 1]}…"


def argument_of(cls: type, root: type) -> Any:
    """What a class puts for the type variable of a generic class that it derives from, directly or not.

    >>> from typing import Generic
    >>> V = TypeVar("V")
    >>> class Root(Generic[V]): ...
    >>> class Between(Root[list[V]], Generic[V]): ...
    >>> class Leaf(Between[int]): ...
    >>> argument_of(Leaf, Root)
    list[int]
    """
    if cls is root:
        return _parameters(root)[0]
    for base in cls.__dict__.get("__orig_bases__", cls.__bases__):
        origin = get_origin(base) or base
        if isinstance(origin, type) and issubclass(origin, root):
            given = zip(_parameters(origin), get_args(base), strict=False)
            return _substitute(argument_of(origin, root), dict(given))
    raise TypeError(f"{cls.__name__} does not derive from {root.__name__}")


def is_open(form: Any) -> bool:
    """Whether a type still has a type variable in it."""
    return isinstance(form, TypeVar) or (get_origin(form) is not None and bool(_parameters(form)))


def default_maker(form: Any) -> Callable[[], Any]:
    """What makes the default of a type: the type called with no arguments, or None for an optional.

    >>> default_maker(Annotated[dict[str, int], "by name"])(), default_maker(int | None)()
    ({}, None)
    """
    while get_origin(form) is Annotated:
        form = get_args(form)[0]
    if get_origin(form) in (Union, UnionType) and NoneType in get_args(form):
        return NoneType
    maker: Callable[[], Any] = get_origin(form) or form
    return maker


def _name(form: object) -> str:
    origin, arguments = get_origin(form), get_args(form)
    if form is NoneType or form is None:
        return "None"
    if origin is Annotated:
        return _name(arguments[0])
    if origin in (Union, UnionType):
        return " | ".join(map(_name, arguments))
    if origin is Literal:
        return f"Literal[{', '.join(map(repr, arguments))}]"
    if origin is not None:
        return f"{_name(origin)}[{', '.join('...' if item is Ellipsis else _name(item) for item in arguments)}]"
    return str(getattr(form, "__name__", getattr(form, "__forward_arg__", form)))


def _parameters(form: Any) -> tuple[Any, ...]:
    parameters: tuple[Any, ...] = getattr(form, "__parameters__", ())
    return parameters


def _substitute(form: Any, arguments: dict[Any, Any]) -> Any:
    if isinstance(form, TypeVar):
        return arguments.get(form, form)
    return form[tuple(arguments.get(name, name) for name in _parameters(form))] if is_open(form) else form
