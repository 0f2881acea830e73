"""Hints for users of metrics: how to call `add`, and what a wrong name may mean."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from typing import Any

from mmeval_like._base.names import did_you_mean

__all__ = ["SKLEARN_NAMES", "adapted", "refused_call", "unknown_attribute", "with_own_names"]

_OPTIONS = ("ids", "clusters", "unscored")  # which `add` takes besides the inputs

SKLEARN_NAMES = {
    "y_true": "labels", "y_pred": "predictions", "y_score": "predictions",
    "y_proba": "predictions",
}  # fmt: skip
"""scikit-learn's names of the inputs; its functions take the labels first."""


# Names of the methods in other libraries.
_ELSEWHERE = {
    "add_batch": "add", "evaluate": "compute", "forward": "add", "process": "add",
    "result": "compute", "update": "add", "update_state": "add", "reset_state": "reset",
    "merge_state": "merge", "merge_states": "merge", "value": "compute",
}  # fmt: skip
_NO_DEVICE = "a metric has no device: add() takes tensors of any device as they are"
# Attributes that a metric does not have, with advice.
_OF_OTHERS = {
    **dict.fromkeys(("to", "cuda", "cpu", "device"), _NO_DEVICE),
    "add": "add samples to each of its systems: .a.add(...) and .b.add(...)",
    "record": "a record needs a digest of the samples, from the first one on: add them to "
    "Recorded(metric), which has it",
}


def unknown_attribute(owner: object, name: str) -> AttributeError:
    """Return the error for an unknown attribute, with the names that may be meant.

    Example:
        >>> class Counter:
        ...     def compute(self): ...
        >>> unknown_attribute(Counter(), "evaluate")
        AttributeError("'Counter' object has no attribute 'evaluate'; did you mean compute?")
    """
    text = f"{type(owner).__name__!r} object has no attribute {name!r}"
    if name in _OF_OTHERS:
        text += f"; {_OF_OTHERS[name]}"
    elif not name.startswith("_"):
        known = [other for other in dir(type(owner)) if not other.startswith("_")]
        elsewhere = {old: new for old, new in _ELSEWHERE.items() if new in known}
        text += did_you_mean(name, known, elsewhere)
    # With obj=None, Python adds no hint of its own when it prints the error.
    return AttributeError(text, name=name, obj=None)


def with_own_names(cls: type, named: dict[str, Any]) -> dict[str, Any]:
    """Return the inputs of `add` with this package's names instead of scikit-learn's.

    Args:
        cls: The class of the metric. If its `add` has an argument with one of scikit-learn's
            names, the name is kept.
        named: The inputs by name.

    Raises:
        TypeError: Two names mean the same input.
    """
    takes = inspect.signature(cls.add).parameters  # type: ignore[attr-defined]
    found: dict[str, Any] = {}
    given: dict[str, str] = {}
    for name, value in named.items():
        own = SKLEARN_NAMES.get(name, name)
        if own == "labels" and own not in takes:
            own = "groundtruths"  # of metrics of numbers and images
        if name in takes or own not in takes:
            own = name
        if own in given:
            raise TypeError(
                f"{cls.__name__}.add() got both {given[own]!r} and {name!r}, which name the same "
                f"input: pass one of them"
            )
        found[own], given[own] = value, name
    return found


def refused_call(
    cls: type, rows: Callable[..., Any], batch: tuple[Any, ...], named: dict[str, Any]
) -> TypeError | None:
    """Return the error for inputs that `add` of a metric does not take; None if it takes them.

    Args:
        cls: The class of the metric.
        rows: The method that reads the inputs; an option of the metric may have chosen it.
        batch: The inputs.
        named: The inputs by name.
    """
    signature = inspect.signature(rows)
    takes = [*signature.parameters, *_OPTIONS]
    text = f"{cls.__name__}.add() "
    try:
        signature.bind(*batch, **named)
    except TypeError as wrong:
        unknown = next((name for name in named if name not in takes), None)
        if unknown is None:
            return TypeError(f"{text}takes {', '.join(takes)}: {wrong}")
        hint = did_you_mean(unknown, takes) or f"; it takes {', '.join(takes)}"
        return TypeError(f"{text}got an unexpected keyword argument {unknown!r}{hint}")
    return None


def adapted(add: Callable[..., None], inputs: Callable[..., Any]) -> Callable[..., None]:
    """Return a copy of the method `add` with the signature and the docstring of another method.

    Args:
        add: The method `add` of a base class; its keyword-only options are kept.
        inputs: The method of a subclass that takes the inputs of `add`, for instance `rows`.
    """
    assert isinstance(add, types.FunctionType)
    copy = types.FunctionType(add.__code__, add.__globals__, "add", None, add.__closure__)
    copy.__kwdefaults__, copy.__module__ = add.__kwdefaults__, inputs.__module__
    copy.__qualname__ = inputs.__qualname__.rpartition(".")[0] + ".add"
    given = [*inspect.signature(inputs).parameters.values()]
    known = {parameter.name for parameter in given}
    options = [
        parameter
        for parameter in inspect.signature(add).parameters.values()
        if parameter.kind is parameter.KEYWORD_ONLY and parameter.name not in known
    ]
    parameters = sorted([*given, *options], key=lambda parameter: parameter.kind)
    signature = inspect.Signature(parameters, return_annotation=None)
    copy.__signature__ = signature  # type: ignore[attr-defined]
    copy.__doc__ = add.__doc__
    sections, of_add = _sections(inputs), _sections(add)
    if "Args" in sections:
        described = _entries(of_add.get("Args", ""))
        kept = [described[option.name] for option in options if option.name in described]
        sections |= {"": of_add[""], "Args": "\n".join([sections["Args"], *kept])}
        sections.pop("Returns", None)
        copy.__doc__ = "\n\n".join(
            f"{title}:\n{text}" if title else text for title, text in sections.items()
        )
    return copy


def _entries(arguments: str) -> dict[str, str]:
    """Return the text of each argument in a section `Args`, by name."""
    found: dict[str, str] = {}
    name = ""
    for line in arguments.splitlines():
        if not line.startswith(" " * 5):
            name = line.partition(":")[0].strip()
        found[name] = f"{found[name]}\n{line}" if name in found else line
    return found


def _sections(function: Callable[..., Any]) -> dict[str, str]:
    """Return the sections of a docstring by title; the text above all sections has the title ""."""
    found = {"": ""}
    title = ""
    for line in (inspect.getdoc(function) or "").splitlines():
        if line in ("Args:", "Returns:", "Raises:", "Example:"):
            title = line[:-1]
            found[title] = ""
        else:
            found[title] += f"{line}\n"
    return {title: text.rstrip() for title, text in found.items()}
