"""Wrappers of constructors: their errors show the call, and equal metrics are numbered."""

from __future__ import annotations

import functools
import inspect
import reprlib
from collections.abc import Callable, Mapping
from typing import Any

from mmeval_like._base.names import did_you_mean
from mmeval_like._core.options import MetricOptions

__all__ = ["constructing", "not_constructed"]

_UNDER_WAY = "_constructing"


def constructing(init: Callable[..., None]) -> Callable[..., None]:
    """Wrap a constructor: `_constructed(args, kwargs)` runs when the outermost one ends."""

    @functools.wraps(init)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        if _UNDER_WAY in vars(self):  # the constructor of a base
            init(self, *args, **kwargs)
            return
        vars(self)[_UNDER_WAY] = True
        try:
            init(self, *args, **kwargs)
        except (TypeError, ValueError) as error:
            _show_call(error, type(self), args, kwargs)
            raise
        finally:
            del vars(self)[_UNDER_WAY]
        if "_held" not in vars(self):
            raise not_constructed(type(self))
        self._constructed(args, kwargs)

    return __init__


def not_constructed(cls: type) -> TypeError:
    """Return the error for a class whose constructor does not call `super().__init__`."""
    return TypeError(
        f"{cls.__name__}.__init__() must call super().__init__(), which sets up what every "
        f"metric has; pass it the options that all metrics share: "
        f"`def __init__(self, ..., **options): super().__init__(**options)`"
    )


def _show_call(
    error: Exception, cls: type, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> None:
    """Add to the text of an error the argument that was probably meant, or else the call."""
    text = str(error.args[0]) if error.args else ""
    parameters = inspect.signature(cls).parameters
    unknown = next((name for name in kwargs if f"keyword argument {name!r}" in text), None)
    if unknown:
        shared = MetricOptions.__annotations__ if "options" in parameters else {}
        known = {*parameters, *shared} - {"options"}
        text = f"{cls.__name__}() got an unexpected keyword argument {unknown!r}"
        hint = did_you_mean(unknown, sorted(known)) or f"; it takes {', '.join(sorted(known))}"
        error.args = (text + hint, *error.args[1:])
    elif not any(name in text for name in parameters):
        shown = [*map(reprlib.repr, args), *(f"{k}={reprlib.repr(v)}" for k, v in kwargs.items())]
        error.args = (f"{text} (in {cls.__name__}({', '.join(shown)}))", *error.args[1:])
