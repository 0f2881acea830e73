"""The fingerprint of a metric: equal on two ranks if they hold the same metric and options."""

from __future__ import annotations

import hashlib
import inspect
import reprlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from operator import is_
from typing import Any, Protocol

import numpy as np

__all__ = ["Identity", "Options"]

# Ranks and runs may differ in these options: often only rank 0 has the logger, and how many rows
# are kept for `size=` depends on the number of ranks. The classes are compared in `dataset_meta`.
_NOT_COMPARED = {"self", "logger", "dist_backend", "max_padding", "dist_collect_mode", "classes"}


class Described(Protocol):
    """The attributes of a metric that go into the fingerprint."""

    dist_collect_mode: str

    @property
    def statistic(self) -> Any: ...


@dataclass(frozen=True)
class Identity:
    """A fingerprint, which the ranks compare before they combine anything.

    Attributes:
        text: What the error shows if the ranks differ.
        digest: An 8-byte hash of the text.
    """

    text: str
    digest: bytes

    @classmethod
    def of(cls, text: str) -> Identity:
        """Return the identity of this text."""
        return cls(text, hashlib.blake2b(text.encode(), digest_size=8).digest())


class Options:
    """The options of a metric as they are now, including those set after its construction.

    The value of an option is the metric's attribute of that name if there is one (`metric.topk`),
    else the argument of the constructor, else the default. None, bool, int, float, str, arrays and
    containers of these are compared by value, all other values by the name of their type.

    Args:
        metric: The metric.
        args: The positional arguments of its constructor.
        kwargs: The keyword arguments of its constructor.
    """

    def __init__(self, metric: Described, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._given = _given(metric, args, kwargs)
        self._attributes: list[str] = []  # of the metric, when `_names` was computed from them
        self._names: list[str] = []  # of the attribute with each option, if there is one
        self._seen: list[Any] = []
        self._identity: Identity | None = None

    def shown(self, metric: Described) -> str:
        """Return the class and the options that differ from their defaults, as readable text."""
        defaults = _given(metric, (), {})
        named = [
            f"{name}={reprlib.repr(now)}"
            for (name, given), now in zip(self._given.items(), self.values(metric), strict=True)
            if _canonical(given) != _canonical(defaults.get(name))
        ]
        return f"{type(metric).__name__}({', '.join(named)})"

    def values(self, metric: Described) -> list[Any]:
        """Return the options' values, in the order of their names."""
        attributes = vars(metric)
        if self._attributes != [*attributes]:  # rarely true; this runs for every metric and compute
            self._names = [
                name if name in attributes or f"_{name}" not in attributes else f"_{name}"
                for name in self._given
            ]
            self._attributes = [*attributes]  # last: another thread may call this at the same time
        return [*map(attributes.get, self._names, self._given.values())]

    def identity(self, metric: Described) -> Identity:
        """Return the fingerprint of the metric's class, options, states and collect mode."""
        attributes = vars(metric)
        now = [attributes.get("dist_collect_mode"), attributes.get("_statistic")]
        now += self.values(metric)
        if self._identity is None or not all(map(is_, self._seen, now)):
            values = dict(zip(self._given, now[2:], strict=True))
            named = [f"{n}={_canonical(v)}" for n, v in values.items() if v is not None]
            text = f"{type(metric).__qualname__}({', '.join(named)})"
            text += f" [{_states(metric)}; {metric.dist_collect_mode}]"
            self._identity = Identity.of(text)
            # A list, dict, set or array can change in place, so it is read again every time.
            self._seen = [object() if _can_change(value) else value for value in now]
        return self._identity


def _states(metric: Described) -> str:
    try:
        states = metric.statistic.states()
    except MemoryError:
        raise
    except Exception:  # they need something that is set later, such as the classes
        return "states that are not known yet"
    return ", ".join([f"{name}: {state!r}" for name, state in states.items()]) or "list"


def _given(metric: Described, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """Return all options by name, including those of base classes that get `**options`."""
    given: dict[str, Any] = {}
    try:
        for cls in type(metric).__mro__:
            if "__init__" not in vars(cls):
                continue
            signature = _signature(vars(cls)["__init__"])
            bound = signature.bind_partial(metric, *args, **kwargs)
            bound.apply_defaults()
            rest = {}
            for name, value in bound.arguments.items():
                if signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD:
                    rest = value
                elif name not in _NOT_COMPARED:
                    given.setdefault(name, value)
            if not any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values()):
                break
            args, kwargs = (), rest
    except (TypeError, ValueError):  # a constructor without a readable signature
        given |= {"args": args, **kwargs}
    return given


@lru_cache(256)  # slow, and metrics are often constructed for every evaluation
def _signature(function: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(function)


def _can_change(value: Any) -> bool:
    if isinstance(value, tuple):
        return any(map(_can_change, value))
    return isinstance(value, list | dict | set | np.ndarray)


def _canonical(value: Any) -> str:
    if isinstance(value, np.generic):  # first, because numpy's float64 is also a Python float
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return repr(value)
    # The bytes of an array of objects are addresses.
    if isinstance(value, np.ndarray) and value.dtype.hasobject:
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
