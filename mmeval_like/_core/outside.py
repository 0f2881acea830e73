"""Functions of rooms that stand above the core: each is imported when it is first called."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

__all__ = ["CALLER", "OUTSIDE", "draw", "refuse_on_rank_0"]


@dataclass(frozen=True)
class Outside:
    """A function that the core calls and does not import.

    Attributes:
        module: The module that has it.
        name: Its name.
    """

    module: str
    name: str

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Import the function, and return what it returns."""
        return getattr(import_module(self.module), self.name)(*args, **kwargs)


draw = Outside("mmeval_like.plots.figure", "draw")
"""Draws what `compute` returned, for `Evaluation.plot`."""

CALLER = "mmengine.evaluator.metric"
"""A framework's module that calls a method on rank 0 alone."""

refuse_on_rank_0 = Outside("mmeval_like.integrations.rank_0_calls", "refuse_on_rank_0")
"""Refuses a `compute` in this method, in which the other ranks take no part."""

OUTSIDE = (draw, refuse_on_rank_0)
