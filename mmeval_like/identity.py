"""What is equal on two ranks if they hold the same metric with the same options."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from mmeval_like.metric import BaseMetric

__all__ = ["Identity", "describe_metric"]

# Ranks may differ in these: rank 0 alone often has the logger.
_LOCAL = {"self", "logger", "dist_backend"}


@dataclass(frozen=True)
class Identity:
    """What ranks compare before they combine anything.

    Attributes:
        text: What a person is told when the ranks differ.
        digest: 8 bytes that stand for the text.
    """

    text: str
    digest: bytes

    @classmethod
    def of(cls, text: str) -> Identity:
        """Return the identity of this text."""
        return cls(text, hashlib.blake2b(text.encode(), digest_size=8).digest())


def describe_metric(metric: BaseMetric) -> str:
    """Return the metric's class, constructor arguments, states and collect mode.

    Arguments that are None, bool, int, float, str, arrays or containers of these count by
    value, all others by the name of their type.
    """
    args, kwargs = metric._arguments
    cls = type(metric)
    try:
        signature = inspect.signature(cls.__init__)
        bound = signature.bind(metric, *args, **kwargs)
        bound.apply_defaults()
        given = bound.arguments
        for parameter in signature.parameters.values():
            if parameter.kind is parameter.VAR_KEYWORD:
                given |= given.pop(parameter.name)
    except (TypeError, ValueError):  # a constructor without a readable signature
        given = {"args": args, **kwargs}
    named = [f"{name}={_canonical(v)}" for name, v in given.items() if name not in _LOCAL]
    text = ", ".join(named)
    states = ", ".join(f"{name}: {state!r}" for name, state in metric.statistic.states().items())
    return f"{cls.__qualname__}({text}) [{states or 'list'}; {metric.dist_collect_mode}]"


def _canonical(value: Any) -> str:
    if value is None or isinstance(value, bool | int | float | str):
        return repr(value)
    if isinstance(value, np.generic):
        return repr(value.item())
    if isinstance(value, np.ndarray) and value.dtype.hasobject:  # its bytes are addresses
        return f"array({value.dtype}, {value.shape}, {_canonical(value.tolist())})"
    if isinstance(value, np.ndarray):
        content = hashlib.blake2b(np.ascontiguousarray(value).tobytes(), digest_size=8)
        return f"array({value.dtype}, {value.shape}, {content.hexdigest()})"
    if isinstance(value, Mapping):
        entries = sorted(f"{_canonical(key)}: {_canonical(entry)}" for key, entry in value.items())
        return "{" + ", ".join(entries) + "}"
    if isinstance(value, set | frozenset):
        return "{" + ", ".join(sorted(map(_canonical, value))) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_canonical, value)) + "]"
    return f"<{type(value).__qualname__}>"
