"""IoU thresholds, and the names of the values that are computed at them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["as_iou_thresholds", "percent_names"]


def as_iou_thresholds(
    iou_thrs: float | Sequence[float] | None, name: str = "iou_thrs"
) -> tuple[float, ...]:
    """Return thresholds as a tuple; None means 0.50, 0.55, ..., 0.95.

    Raises:
        TypeError: A threshold is not a number.
        ValueError: There is no threshold, or a threshold is out of [0, 1].
    """
    if iou_thrs is None:
        return tuple(np.linspace(0.5, 0.95, 10).tolist())
    several = list(iou_thrs) if isinstance(iou_thrs, Sequence | np.ndarray) else [iou_thrs]
    for thr in several:
        if not isinstance(thr, int | float | np.number) or isinstance(thr, bool):
            raise TypeError(f"{name} must be a number or a list of numbers, got {iou_thrs!r}")
        if not 0 <= thr <= 1:
            raise ValueError(f"{name} must be in [0, 1], got {thr}")
    if not several:
        raise ValueError(f"{name} must not be empty")
    return tuple(float(thr) for thr in several)


def percent_names(thrs: Sequence[float]) -> list[str]:
    """Return each threshold in percent: rounded if all names stay distinct, otherwise in full.

    Example:
        >>> percent_names([0.5, 0.75]), percent_names([0.5, 0.504])
        (['50', '75'], ['50.0', '50.4'])
    """
    short = [f"{100 * thr:.0f}" for thr in thrs]
    if len(set(short)) == len(set(thrs)):
        return short
    return [f"{float(f'{100 * thr:.12g}')!r}" for thr in thrs]
