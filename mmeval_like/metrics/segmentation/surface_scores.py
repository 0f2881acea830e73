"""HausdorffDistance, AverageSurfaceDistance and NormalizedSurfaceDistance of masks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from mmeval_like.metrics._common.number_inputs import check_option
from mmeval_like.metrics.segmentation.surfaces import SurfaceMetric
from mmeval_like.writing import NOT_NEGATIVE, SHARE, arrays

__all__ = ["AverageSurfaceDistance", "HausdorffDistance", "NormalizedSurfaceDistance"]

# A distance may exceed a tolerance by rounding: three steps of 0.1 are more than 0.3 in float64.
_NEAR = 1 + 8 * np.finfo(np.float64).eps
_POWERS = {"euclidean": 2.0, "taxicab": 1.0, "chessboard": math.inf}


class HausdorffDistance(SurfaceMetric):
    """The Hausdorff distance: the distance between two masks' surfaces at the worst point.

    The points a of the prediction's surface A have the distances d(a, B) from the true surface B,
    and the points b of B the distances d(b, A) from A. In each direction the largest distance, or a
    percentile of the distances, is taken; the value is the larger of the two, averaged over classes
    and images. Other tools pool both directions before they take the percentile. Source: D. P.
    Huttenlocher et al., "Comparing images using the Hausdorff distance" (IEEE Transactions on
    Pattern Analysis and Machine Intelligence 15, 1993). `add` takes `predictions` and
    `groundtruths`, maps of classes (N, H, W) or masks of all classes (N, C, H, W).

    Formula:
        H = mean max(max_(a in A) d(a, B), max_(b in B) d(b, A))

    Args:
        num_classes: The number of classes C.
        percentile: Which percentile of the distances is taken, in (0, 100], with linear
            interpolation. 100 is the largest distance; 95, known as HD95, depends less on single
            pixels.
        directed: Whether only the distances of the prediction's surface from the true one count.
        distance: "euclidean"; "taxicab": the sum over axes; "chessboard": the largest over axes.
        **options: As for `SurfaceMetric`.

    Returns of `compute`: `hausdorff`, with another percentile `hausdorff_{percentile}`, and with
    `average=None` the same with `_classwise`; in the unit of `spacing`; nan without samples. Lower
    is better.

    Raises:
        ImportError: scipy is not installed.
        ValueError: `percentile` is out of range, `distance` is unknown, or a length is not
            positive.

    Example:
        >>> metric = HausdorffDistance(num_classes=2)
        >>> metric.add([[[1, 0, 0, 0, 0]]], [[[1, 1, 0, 1, 0]]])
        >>> metric.compute()
        {'hausdorff': 3.0}
    """

    key = "hausdorff"
    ranges = NOT_NEGATIVE

    def __init__(
        self,
        num_classes: int,
        *,
        percentile: float = 100,
        directed: bool = False,
        distance: str = "euclidean",
        **options: Any,
    ) -> None:
        if not 0 < percentile <= 100:
            raise ValueError(f"percentile must be in (0, 100], got {percentile}")
        if percentile != 100:
            short = f"{percentile:g}"
            # Six digits if these are enough to identify the percentile.
            self.key = f"hausdorff_{short if float(short) == percentile else percentile}"
        super().__init__(num_classes, **options)
        self.percentile = percentile
        self.directed = directed
        self.power = _POWERS[check_option("distance", distance, _POWERS)]

    def value(self, there: np.ndarray, back: np.ndarray, index: int) -> float:
        """Return the larger percentile."""
        sides = [there] if self.directed else [there, back]
        if self.percentile == 100:
            return max(float(side.max()) for side in sides)
        return max(float(np.percentile(side, self.percentile)) for side in sides)


class AverageSurfaceDistance(SurfaceMetric):
    """The average distance between the surfaces of predicted and true masks.

    The points a of the prediction's surface A have the distances d(a, B) from the true surface B,
    and the points b of B the distances d(b, A) from A. The mean over all points of both surfaces is
    taken, and then the mean over classes and images. Source: T. Heimann et al., "Comparison and
    evaluation of methods for liver segmentation from CT datasets" (IEEE Transactions on Medical
    Imaging 28, 2009). `add` takes `predictions` and `groundtruths`, maps of classes (N, H, W) or
    masks of all classes (N, C, H, W).

    Formula:
        assd = mean (sum_(a in A) d(a, B) + sum_(b in B) d(b, A)) / (|A| + |B|)

    Args:
        num_classes: The number of classes C.
        symmetric: Whether the points of both surfaces count; False: only the points of the
            prediction's surface count.
        **options: As for `SurfaceMetric`.

    Returns of `compute`: `assd`, or `asd` if it is not symmetric, and with `average=None` the same
    with `_classwise`; in the unit of `spacing`; nan without samples. Lower is better.

    Raises:
        ImportError: scipy is not installed.
        ValueError: A length is not positive.

    Example:
        >>> metric = AverageSurfaceDistance(num_classes=2)
        >>> metric.add([[[1, 0, 0, 0, 0]]], [[[1, 1, 0, 1, 0]]])
        >>> metric.compute()  # (0 + 0 + 1 + 3) / 4
        {'assd': 1.0}
    """

    ranges = NOT_NEGATIVE

    def __init__(self, num_classes: int, *, symmetric: bool = True, **options: Any) -> None:
        self.key = "assd" if symmetric else "asd"
        super().__init__(num_classes, **options)
        self.symmetric = symmetric

    def value(self, there: np.ndarray, back: np.ndarray, index: int) -> float:
        """Return the mean."""
        distances = np.concatenate([there, back]) if self.symmetric else there
        return float(arrays.sum_rows(distances[None])[0]) / len(distances)


class NormalizedSurfaceDistance(SurfaceMetric):
    """Normalised surface distance: the fraction of the surface of two masks that agrees.

    A point of one surface agrees if it is within a tolerance t of the other surface, for instance
    the distance between the outlines of two experts. A is the prediction's surface, B the true one;
    their points are pixels of equal weight. The value is the mean over classes and images. Source:
    S. Nikolov et al., "Clinically applicable segmentation of head and neck anatomy for
    radiotherapy" (Journal of Medical Internet Research 23, 2021), where it is called surface Dice
    coefficient. `add` takes `predictions` and `groundtruths`, maps of classes (N, H, W) or masks of
    all classes (N, C, H, W).

    Formula:
        nsd = mean (sum_(a in A) [d(a, B) <= t] + sum_(b in B) [d(b, A) <= t]) / (|A| + |B|)

    Args:
        num_classes: The number of classes C.
        tolerance: The tolerance t, in the unit of `spacing`: one number, or one for each of the C
            classes.
        missing: The value of a class that is in only one of the two maps of an image: a number, or
            nan, with which the class is left out of the image's mean.
        **options: As for `SurfaceMetric`.

    Returns of `compute`: `nsd`, or `nsd_classwise`, in [0, 1]; nan without samples. Higher is
    better.

    Raises:
        ImportError: scipy is not installed.
        ValueError: A tolerance is negative, the number of tolerances is not C, or a length is not
            positive.

    Example:
        >>> metric = NormalizedSurfaceDistance(num_classes=2, tolerance=1)
        >>> metric.add([[[1, 0, 0, 0, 0]]], [[[1, 1, 0, 1, 0]]])
        >>> metric.compute()  # all but the last of 1 + 3
        {'nsd': 0.75}
    """

    key = "nsd"
    ranges = SHARE
    higher_is_better = True

    def __init__(
        self,
        num_classes: int,
        *,
        tolerance: float | Sequence[float] = 1.0,
        missing: float = 0.0,
        **options: Any,
    ) -> None:
        super().__init__(num_classes, missing=missing, **options)
        tolerances = np.asarray(tolerance, np.float64)
        if tolerances.shape not in ((), (self.num_classes,)) or not (tolerances >= 0).all():
            raise ValueError(
                f"tolerance must be a number that is not negative, or {self.num_classes} of them, "
                f"got {tolerance}"
            )
        self.tolerances = np.broadcast_to(tolerances, (self.num_classes,))[self.maps.counted]

    def value(self, there: np.ndarray, back: np.ndarray, index: int) -> float:
        """Return the share."""
        most = self.tolerances[index] * _NEAR
        near = sum(int(np.count_nonzero(distances <= most)) for distances in (there, back))
        return near / (len(there) + len(back))
