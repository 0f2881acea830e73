"""How a metric is constructed: errors show the call, and equal metrics are numbered."""

from __future__ import annotations

import inspect
import reprlib
from abc import ABCMeta
from collections.abc import Mapping
from typing import Any, TypeVar

from mmeval_like._exchange.occurrence import Occurrence, group_in_use
from mmeval_like._names import did_you_mean
from mmeval_like.options import MetricOptions

__all__ = ["Constructed"]

Made = TypeVar("Made")


class Constructed(ABCMeta):
    """The class of the classes of metrics and collections: what happens around `__init__`.

    What is constructed keeps its arguments (`_remember`), which tell its options, and gets the
    number of metrics with equal options that were constructed before it.
    """

    # Checkers learn that a metric is of its class, and ask `__init__` about the arguments.
    def __call__(cls: type[Made], *args: Any, **kwargs: Any) -> Made:
        """Construct one.

        Raises:
            TypeError: `__init__` of a subclass did not call `super().__init__()`.
        """
        try:
            made: Any = type.__call__(cls, *args, **kwargs)
        except (TypeError, ValueError) as error:
            _show_call(error, cls, args, kwargs)
            raise
        if "_evaluating" not in vars(made):
            raise TypeError(
                f"{cls.__name__}.__init__() must call super().__init__(), which sets up what every "
                f"metric has; pass it the options that all metrics share: "
                f"`def __init__(self, ..., **options): super().__init__(**options)`"
            )
        made._remember(args, kwargs)
        made._instance = Occurrence(made._identity.text, *group_in_use(made.dist_backend))
        return made  # type: ignore[no-any-return]

    @property
    def __signature__(cls) -> inspect.Signature:
        """The constructor's, for `help` and whatever else asks: not that of `__call__` here."""
        signature = inspect.signature(cls.__init__)  # type: ignore[misc]  # of the class itself
        return signature.replace(parameters=[*signature.parameters.values()][1:])


def _show_call(
    error: Exception, cls: type, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> None:
    """Name the argument that may be meant; without one, add the call to the text of an error."""
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
