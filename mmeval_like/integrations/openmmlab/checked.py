"""An evaluator that is computed by both, and compared."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import numpy as np
from mmengine.evaluator import BaseMetric
from mmengine.logging import print_log

from mmeval_like.integrations.openmmlab.adapter import Adapter

__all__ = ["Checked"]


class Checked(BaseMetric):  # type: ignore[misc]  # MMEngine has no types
    """Our adapter, and OpenMMLab's evaluator beside it: the log has what differs.

    Values differ if they are further apart than one unit of OpenMMLab's last decimal, or, where it
    does not round, than 1e-5 of the value. The order of the names counts, too.

    Args:
        ours: Our adapter, whose values `evaluate` returns.
        original: OpenMMLab's evaluator with the same options.
    """

    def __init__(self, ours: Adapter, original: Any) -> None:
        super().__init__(prefix=ours.prefix)
        self.ours, self.original = ours, original

    @property
    def dataset_meta(self) -> Any:
        """Facts about the dataset, which the evaluator sets, for both."""
        return self.ours.dataset_meta

    @dataset_meta.setter
    def dataset_meta(self, meta: Any) -> None:
        self.ours.dataset_meta = self.original.dataset_meta = meta

    def process(self, data_batch: Any, data_samples: Sequence[Any]) -> None:
        """Let both add a batch of data samples."""
        self.ours.process(data_batch, data_samples)
        self.original.process(data_batch, data_samples)

    def evaluate(self, size: int) -> dict[str, float]:
        """Return our values; warn of those that differ from OpenMMLab's."""
        ours, theirs = self.ours.evaluate(size), self.original.evaluate(size)
        name = type(self.original).__name__
        found = differences(ours, theirs, self.ours.digits)
        level = logging.WARNING if found else logging.INFO
        said = "; ".join(found) or f"{len(ours)} values as by OpenMMLab"
        print_log(f"{name} by mmeval_like: {said}", logger="current", level=level)
        return ours

    def compute_metrics(self, results: Any) -> Any:
        """Not used: `evaluate` calls both.

        Raises:
            NotImplementedError: Always.
        """
        raise NotImplementedError("call evaluate, on every rank")


def differences(ours: Any, theirs: Any, digits: int | None) -> list[str]:
    """Return what differs between two results, in words.

    Args:
        ours: Our values by name.
        theirs: OpenMMLab's values by name.
        digits: To how many decimals they are rounded; None: not at all.

    Example:
        >>> differences({"mAP": 0.25, "AP50": 1.0}, {"mAP": 0.25, "AP50": 0.5}, 3)
        ['AP50 is 1.0, 0.5 by OpenMMLab']
    """
    if [*ours] != [*theirs]:
        return [f"the names are {', '.join(ours)}, by OpenMMLab {', '.join(theirs)}"]
    near = {"rtol": 1e-5, "atol": 1e-8 if digits is None else 1.001 * 10**-digits}
    return [
        f"{name} is {ours[name]}, {float(theirs[name])} by OpenMMLab"
        for name in ours
        if not np.isclose(ours[name], float(theirs[name]), equal_nan=True, **near)
    ]
