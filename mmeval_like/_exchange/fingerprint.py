"""The fingerprint of a metric: equal on two ranks if they hold the same metric and options."""

from __future__ import annotations

import hashlib
import inspect
import reprlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import lru_cache, partial
from typing import Any, Protocol, runtime_checkable

import numpy as np

from mmeval_like._states.statistic import Statistic

__all__ = ["Identity", "Options", "fixed_options"]

# Ranks and runs may differ in these options: often only rank 0 has the logger, and how many rows
# are kept for `size=` depends on the number of ranks. The classes are compared in `dataset_meta`.
_NOT_COMPARED = {"self", "logger", "dist_backend", "max_padding", "dist_collect_mode", "classes"}

_METRICS = "mmeval_like.metrics."
_LATER = "set later"  # in the text of an object that cannot be described


@runtime_checkable
class Described(Protocol):
    """The attributes of a metric that go into the fingerprint."""

    dist_collect_mode: str

    @property
    def statistic(self) -> Any:
        """What is accumulated."""

    @property
    def plan(self) -> Any:
        """What is computed."""


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

    Options are the arguments of the constructor; what it passes on as `**options` are those of the
    base class. The value of an option is the metric's attribute of that name (`metric.topk`), or
    else the attribute with an underscore (`_topk`), or else the property, or else the argument.

    None, bool, int, float, str, arrays and containers of these are compared by value, and all other
    values by the name of their type: a function or a network that a constructor gets must be the
    same on all ranks. One that is set later is compared as far as it can be described, and so is
    the statistic.

    The fingerprint is computed once. The metric clears `known` whenever any of its attributes is
    set, whatever its name, and the next `identity` is computed again.

    Args:
        given: The options by name, as the constructor got them; empty while it runs.
        built: The values of all options, in this order, and last the statistic that the constructor
            chose; as they were when it ended.

    Attributes:
        known: The identity, once it is known. To clear it, set a new list: another thread may be
            computing an identity for this one.
    """

    def __init__(self, given: Mapping[str, Any] | None = None, built: Any = ()) -> None:
        self._given, self._built = dict(given or {}), tuple(built)
        self.known: list[Identity] = []
        self._said: tuple[list[Identity] | None, str] = (None, "")

    @classmethod
    def of(
        cls, metric: Described, args: tuple[Any, ...], kwargs: dict[str, Any], chosen: Any
    ) -> Options:
        """Return the options of a metric whose constructor has ended.

        Args:
            metric: The metric.
            args: The positional arguments of the constructor.
            kwargs: The keyword arguments of the constructor.
            chosen: The statistic that the constructor set; None: the metric itself is its own.
        """
        given = _given(metric, args, kwargs)
        return cls(given, [*_now(metric, given), None if chosen is metric else chosen])

    def __getstate__(self) -> dict[str, Any]:
        # Another version may word them differently.
        return {**vars(self), "known": [], "_said": (None, "")}

    def of_copy(self) -> Options:
        """Return the options of a copy of the metric, whose attributes are still the same."""
        twin = object.__new__(Options)
        twin.__dict__.update(self.__dict__)
        return twin

    def shown(self, metric: Described) -> str:
        """Return the class and the options that differ from their defaults, as readable text."""
        defaults = _defaults(type(metric))
        named = [
            f"{name}={reprlib.repr(now)}"
            for (name, given), now in zip(self._given.items(), self.values(metric), strict=True)
            if _canonical(given) != defaults.get(name, _canonical(None))
        ]
        return f"{type(metric).__name__}({', '.join(named)})"

    def said(self, metric: Described) -> str:
        """Return what `shown` returns; it is made again only if an attribute was set since."""
        known, text = self._said
        if known is not self.known:
            known = self.known
            text = self.shown(metric)
            self._said = known, text
        return text

    def values(self, metric: Described) -> list[Any]:
        """Return the options' values, in the order of their names."""
        return _now(metric, self._given)

    def identity(self, metric: Described, chosen: Any) -> Identity:
        """Return the fingerprint of the metric's class, options, states and collect mode.

        Args:
            metric: The metric.
            chosen: The statistic that was set last; None: the metric itself is its own.

        Raises:
            RuntimeError: The constructor of the metric has not ended.
        """
        for identity in self.known:
            return identity
        if not self._built:
            raise RuntimeError("a metric has an identity once its constructor has ended")
        known = self.known = []  # before anything is read
        values = self.values(metric)
        named = [
            f"{name}={_text(now, before)}"
            for name, now, before in zip(self._given, values, self._built[:-1], strict=True)
            if now is not None
        ]
        text = f"{type(metric).__qualname__}({', '.join(named)})"
        text += f" [{_states(metric)}; {metric.dist_collect_mode}]"
        if chosen is metric:
            chosen = None
        statistic = self._set_later(chosen)
        text += statistic and f" of {statistic}"
        found = Identity.of(text)
        # A list, dict, set or array can change in place, so it is read again every time.
        if not _can_change(statistic and chosen) and not any(map(_can_change, values)):
            known.append(found)
        return found

    def _set_later(self, chosen: Any) -> str:
        """Return the text of a statistic that differs from what the constructor chose, or ""."""
        built = self._built[-1]
        if chosen is built:  # it may remember something, such as a warning
            return ""
        text = _canonical(chosen, whole=True)
        return "" if text == _canonical(built, whole=True) else text


def _now(metric: Described, given: Mapping[str, Any]) -> list[Any]:
    """Return the values of options at this moment; `given` are those that the constructor got."""
    kind, attributes = type(metric), vars(metric)
    found = []
    for name, value in given.items():
        if name in attributes:
            value = attributes[name]
        elif (hidden := f"_{name}") in attributes:
            value = attributes[hidden]
        elif isinstance(getattr(kind, name, None), property):
            value = getattr(metric, name)
        found.append(value)
    return found


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


@lru_cache(1024)  # for the text of every result
def _defaults(kind: type) -> dict[str, str]:
    """Return the canonical texts of the defaults of the options by name."""
    given = _given(object.__new__(kind), (), {})
    return {name: _canonical(value) for name, value in given.items()}


@lru_cache(1024)
def fixed_options(cls: type) -> frozenset[str]:
    """Return the options of the constructors of this package's metrics, which read them once.

    A constructor outside of this package may store an option for later, so it can be set later; and
    so can an option whose property can be set.
    """
    inits = [
        vars(base)["__init__"]
        for base in cls.__mro__
        if base.__module__.startswith(_METRICS) and "__init__" in vars(base)
    ]
    parameters = [p for init in inits for p in [*_signature(init).parameters.values()][1:]]
    names = {p.name for p in parameters if p.kind is not p.VAR_KEYWORD}
    return frozenset(n for n in names if getattr(getattr(cls, n, None), "fset", None) is None)


@lru_cache(256)  # slow, and metrics are often constructed for every evaluation
def _signature(function: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(function)


def _text(now: Any, built: Any) -> str:
    """Return the text of an option, of which the constructor left the value `built`."""
    if now is built:
        return _canonical(now)
    text = _canonical(now, whole=True)
    equal = _LATER not in text and text == _canonical(built, whole=True)
    return _canonical(now) if equal else text


def _can_change(value: Any) -> bool:
    """Return whether the text of a value may change although it stays the same object."""
    if isinstance(value, tuple):
        return any(map(_can_change, value))
    if isinstance(value, Statistic):
        return not _is_frozen(value) or any(map(_can_change, _parts_of(value).values()))
    return isinstance(value, list | dict | set | np.ndarray)


def _is_frozen(value: Any) -> bool:
    made_with: Any = getattr(type(value), "__dataclass_params__", None)
    return made_with is not None and bool(made_with.frozen)


def _parts_of(value: Any) -> dict[str, Any]:
    """Return the fields that dataclasses compare, or the public attributes of another object."""
    if is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in fields(value) if field.compare}
    named = vars(value) if hasattr(value, "__dict__") else {}
    return {name: part for name, part in named.items() if not name.startswith("_")}


def _canonical(value: Any, whole: bool = False) -> str:
    """Return a text that equal values share.

    Args:
        value: The value.
        whole: Whether to describe functions, dataclasses and statistics, of which only the type is
            named otherwise, and the name of a function.
    """
    if isinstance(value, np.generic):  # first, because numpy's float64 is also a Python float
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return repr(value)
    inner = partial(_canonical, whole=whole)
    # The bytes of an array of objects are addresses.
    if isinstance(value, np.ndarray) and value.dtype.hasobject:
        return f"array({value.dtype}, {value.shape}, {inner(value.tolist())})"
    if isinstance(value, np.ndarray):
        content = hashlib.blake2b(np.ascontiguousarray(value).tobytes(), digest_size=8)
        return f"array({value.dtype}, {value.shape}, {content.hexdigest()})"
    if isinstance(value, Mapping):
        entries = sorted(f"{inner(key)}: {inner(entry)}" for key, entry in value.items())
        return "{" + ", ".join(entries) + "}"
    if isinstance(value, set | frozenset):
        return "{" + ", ".join(sorted(map(inner, value))) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(inner, value)) + "]"
    if whole:
        return _whole(value)
    # Not the module of a function, which is another one in the program and in its workers.
    named = f" {value.__qualname__}" if inspect.isroutine(value) else ""
    return f"<{type(value).__qualname__}{named}>"


def _whole(value: Any) -> str:
    """Return a text for an object that is set after the constructor."""
    kind = type(value).__qualname__
    if isinstance(value, Described):  # a metric
        return str(value.plan.identity.text)
    if isinstance(value, partial):
        return f"partial({_canonical([value.func, value.args, value.keywords], whole=True)})"
    if isinstance(value, Statistic) or (is_dataclass(value) and not isinstance(value, type)):
        named = [f"{n}={_canonical(v, whole=True)}" for n, v in _parts_of(value).items()]
        return f"{kind}({', '.join(named)})"
    if isinstance(value, type) or inspect.isroutine(value):
        return f"<{kind} {value.__module__}.{value.__qualname__}>"
    return f"<{kind}, {_LATER}>"
