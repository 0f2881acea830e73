"""Metrics as the command line names them: `accuracy:topk=1,5`."""

from __future__ import annotations

import difflib
import inspect
import re
import types
import typing
from collections.abc import Sequence
from typing import Any

from mmeval_like import metrics
from mmeval_like.cli.errors import InputError
from mmeval_like.metric import BaseMetric

__all__ = ["Spec", "metric_names", "parse_spec"]

# The constructor's arguments that have options of the command line, or make no sense there.
_NOT_HERE = {"self", "dataset_meta", "dist_collect_mode", "dist_backend", "logger", "max_padding"}


class Spec:
    """One metric to compute.

    Args:
        text: As the user wrote it; also the metric's name in the result.
        cls: The class.
        arguments: For its constructor.
    """

    def __init__(self, text: str, cls: type[BaseMetric], arguments: dict[str, Any]) -> None:
        self.text, self.cls, self.arguments = text, cls, arguments

    def make(self, dataset_meta: dict[str, Any] | None) -> BaseMetric:
        """Return a new instance.

        Raises:
            InputError: The constructor refuses the arguments.
        """
        try:
            metric: BaseMetric = self.cls(**self.arguments, dataset_meta=dataset_meta)
        except (TypeError, ValueError, KeyError, ImportError, OSError) as error:
            text = error.args[0] if isinstance(error, KeyError) else error  # its text is a repr
            raise InputError(f"--metric {self.text}: {text}") from error
        return metric


def metric_names() -> dict[str, type[BaseMetric]]:
    """Return all metrics by the names that the command line knows them by.

    Example:
        >>> "mean_iou" in metric_names(), "voc_mean_ap" in metric_names()
        (True, True)
    """
    return dict(sorted((_snake(name), getattr(metrics, name)) for name in metrics.__all__))


def parse_spec(text: str) -> Spec:
    """Return the metric that `name:argument=value,argument=value` describes.

    A value with commas is a sequence. Values are checked against the types of the constructor.

    Raises:
        InputError: Unknown name or argument (says the nearest one), or a value of a wrong type.

    Example:
        >>> parse_spec("accuracy:topk=1,5,thrs=none").arguments
        {'topk': (1, 5), 'thrs': None}
    """
    name, _, rest = text.partition(":")
    known = metric_names()
    if name not in known:
        raise InputError(f"unknown metric {name!r}{_nearest(name, known)}")
    cls = known[name]
    function = cls.__new__ if cls.__init__ is object.__init__ else cls.__init__
    parameters = _parameters(cls, function)
    arguments: dict[str, Any] = {}
    for key, value in _assignments(rest, text):
        if key not in parameters:
            raise InputError(f"{name} has no argument {key!r}{_nearest(key, parameters)}")
        try:
            arguments[key] = _convert(value, parameters[key])
        except ValueError:
            wanted = inspect.formatannotation(parameters[key]).replace("collections.abc.", "")
            raise InputError(f"--metric {text}: {key} must be {wanted}, got {value!r}") from None
    missing = [
        key
        for key, parameter in inspect.signature(function).parameters.items()
        if parameter.default is parameter.empty
        and parameter.kind is parameter.POSITIONAL_OR_KEYWORD
        and key not in arguments
        and key in parameters
    ]
    if missing:
        raise InputError(f"--metric {name} needs {', '.join(f'{key}=...' for key in missing)}")
    return Spec(text, cls, arguments)


def _parameters(cls: type, function: Any) -> dict[str, Any]:
    return {
        name: _hint(function, parameter.annotation)
        for name, parameter in inspect.signature(function).parameters.items()
        if name not in _NOT_HERE
        and name != "cls"
        and parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
    }


def _hint(function: Any, annotation: Any) -> Any:
    """Return the type that an annotation means; Any where it cannot be told."""
    holder = types.SimpleNamespace(__annotations__={"it": annotation})
    try:
        return typing.get_type_hints(holder, function.__globals__)["it"]
    except (NameError, TypeError):
        return Any


def _assignments(rest: str, text: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for piece in rest.split(",") if rest else ():
        key, equals, value = piece.partition("=")
        if equals:
            found.append((key.strip(), value))
        elif found:  # a further element of a sequence
            found[-1] = (found[-1][0], f"{found[-1][1]},{piece}")
        else:
            raise InputError(f"--metric {text}: expected argument=value, got {piece!r}")
    return found


def _convert(text: str, hint: Any) -> Any:
    """Return the value of a text for an annotation.

    Raises:
        ValueError: It has none.
    """
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        for choice in sorted(typing.get_args(hint), key=_order):
            try:
                return _convert(text, choice)
            except ValueError:
                continue
        raise ValueError(text)
    if isinstance(origin, type) and issubclass(origin, Sequence):
        element = next(iter(typing.get_args(hint)), str)
        return tuple(_convert(part.strip(), element) for part in text.split(",") if part.strip())
    if hint is None or hint is type(None):
        if text.lower() != "none":
            raise ValueError(text)
        return None
    if hint is bool:
        if text.lower() not in ("true", "false"):
            raise ValueError(text)
        return text.lower() == "true"
    if hint in (int, float):
        return hint(text)
    if hint is Any:
        return _convert(text, None | bool | int | float | Sequence[str] | str)
    if hint is str:
        if "," in text:
            raise ValueError(text)
        return text
    raise ValueError(text)  # a function, for instance: not from a command line


def _order(hint: Any) -> int:
    # The strictest first: "1" is an int before it is a text, "none" is None before that.
    kinds = [type(None), bool, int, float, "a sequence", str]
    return kinds.index(hint if hint in kinds else "a sequence")


def _nearest(name: str, known: Any) -> str:
    found = difflib.get_close_matches(name, list(known), 1, 0.5)
    return f", did you mean {found[0]!r}?" if found else f"; known: {', '.join(known)}"


def _snake(name: str) -> str:
    name = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name.replace("IoU", "Iou"))
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name).lower()
