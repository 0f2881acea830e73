"""The classes that take `task=` and return one of a task's."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from typing import Any

import torchmetrics.classification as original
from torchmetrics import Metric

__all__ = ["by_task"]

_TASKS = ("Binary", "Multiclass", "Multilabel")


def by_task(classes: Mapping[str, type[Metric]]) -> Iterator[type[Metric]]:
    """Yield the class that takes `task=` of all classes of tasks."""
    for name in dict.fromkeys(one.removeprefix(task) for task in _TASKS for one in classes):
        made = getattr(original, name, None)
        if name not in classes and made is not None:
            yield type(name, (made,), {"__new__": _maker(made, classes)})


def _maker(made: Any, classes: Mapping[str, type[Metric]]) -> Any:
    parameters = inspect.signature(made.__new__)

    def new(cls: type, *args: Any, **kwargs: Any) -> Metric:
        one = classes[type(made(*args, **kwargs)).__name__]  # torchmetrics checks the options
        given = parameters.bind(cls, *args, **kwargs)
        given.apply_defaults()
        known = inspect.signature(one).parameters
        options = {key: value for key, value in given.arguments.items() if key in known}
        return one(**options | options.pop("kwargs", {}))

    new.__signature__ = parameters  # type: ignore[attr-defined]
    return new
