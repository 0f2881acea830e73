"""ProcrustesDisparity and MeanPerJointPositionError: distances of aligned point sets."""

from __future__ import annotations

from typing import Any

import numpy as np

from mmeval_like.metrics._common.image import in_batches
from mmeval_like.metrics._common.number_inputs import check_option
from mmeval_like.writing import NOT_NEGATIVE, SHARE, MetricOptions, SampleMean, Unpack, arrays

__all__ = ["MeanPerJointPositionError", "ProcrustesDisparity"]


_CLOSE = 1e-3  # disparities below it are computed again, without cancellation


class ProcrustesDisparity(SampleMean):
    """The Procrustes disparity: how different the shapes of two point sets are.

    Both sets of a sample are moved to mean 0 and scaled to norm 1, which gives X and Y. Then Y is
    rotated or mirrored by R, and scaled by s, so that it fits X as well as possible; the disparity
    is the sum of the squared distances that remain. The result is the mean over samples. A set of
    equal points has no shape: samples with such a set are left out, with a warning. Source: J. C.
    Gower, "Generalized Procrustes analysis" (Psychometrika 40, 1975).

    Formula:
        disparity = mean min_(s, R) |X - s R Y|^2

    Args:
        **options: As for `BaseMetric`.

    Returns of `compute`: `procrustes`, in [0, 1]; nan without samples. Lower is better.

    Example:
        >>> metric = ProcrustesDisparity()
        >>> square, rhomb = [[0, 0], [1, 0], [1, 1], [0, 1]], [[0, 3], [4, 0], [0, -3], [-4, 0]]
        >>> metric.add([rhomb, square], [square, square])
        >>> round(metric.compute()["procrustes"], 6)  # the mean of 0.02 and 0
        0.01
    """

    processor_dependent = "LAPACK"
    key = "procrustes"
    ranges = SHARE
    higher_is_better = False
    leaves_out_nan = True

    def scores(self, predictions: Any, groundtruths: Any) -> np.ndarray:
        """Return every sample's disparity.

        Args:
            predictions: Point sets (N, M, D) of M points, or a list of (M, D). Any real dtype.
            groundtruths: The same shapes.

        Raises:
            TypeError: The inputs are not real numbers.
            ValueError: The numbers of samples differ, shapes do not fit, or a value is nan or
                infinite.
        """
        found = [np.zeros(0)]
        for sides in _batches(predictions, groundtruths):
            first, second = (_centred(_scaled(side)) for side in sides)
            values = np.linalg.svd(_products(first, second), compute_uv=False)
            squares = _norms(first) * _norms(second)
            with np.errstate(invalid="ignore"):  # 0 / 0 is nan
                share = np.maximum(1 - arrays.sum_rows(values) ** 2 / squares, 0.0)
            close = share < _CLOSE
            if close.any():
                share[close] = _rest(first[close], second[close])
            found.append(share)
        return np.concatenate(found)


class MeanPerJointPositionError(SampleMean):
    """Mean per-joint position error (MPJPE): the distance of predicted joints from the truth.

    A sample's value is the mean distance of its visible joints from the true ones, in the unit of
    the coordinates; the result is the mean over samples. Samples without a visible joint are left
    out, with a warning. Source: C. Ionescu et al., "Human3.6M" (IEEE Transactions on Pattern
    Analysis and Machine Intelligence 36, 2014).

    Formula:
        mpjpe = mean_i (sum_j v_(i j) |p_(i j) - y_(i j)|) / (sum_j v_(i j))

    Args:
        alignment: How poses are aligned first. None: not at all. "root": both poses are moved so
            that their first joint is at 0. "procrustes": the prediction is moved, rotated and
            scaled, but not mirrored, so that its visible joints fit the true ones as well as
            possible (PA-MPJPE).
        **options: As for `BaseMetric`.

    Returns of `compute`: `mpjpe`, with "procrustes" `p_mpjpe`; nan without samples. Lower is
    better.

    Raises:
        ValueError: `alignment` is unknown.

    Example:
        >>> truth, found = [[[0, 0, 0], [0, 0, 2]]], [[[1, 0, 0], [1, 0, 4]]]
        >>> round(MeanPerJointPositionError()(found, truth)["mpjpe"], 4)  # 1 and the root of 5
        1.618
        >>> MeanPerJointPositionError(alignment="root")(found, truth)
        {'mpjpe': 1.0}
    """

    processor_dependent: str | None = "LAPACK"
    key = "mpjpe"
    ranges = NOT_NEGATIVE
    higher_is_better = False
    leaves_out_nan = True

    def __init__(self, alignment: str | None = None, **options: Unpack[MetricOptions]) -> None:
        super().__init__(**options)
        self.alignment = check_option("alignment", alignment, (None, "root", "procrustes"))
        if alignment == "procrustes":
            self.key = "p_mpjpe"
        else:
            self.processor_dependent = None

    def scores(self, predictions: Any, groundtruths: Any, visible: Any = None) -> np.ndarray:
        """Return every sample's mean distance.

        Args:
            predictions: Poses (N, K, D) of K joints, or a list of (K, D). Any real dtype.
            groundtruths: The same shapes.
            visible: Which joints count, (N, K) or a list of (K,); None: all joints count.

        Raises:
            TypeError: The inputs are not real numbers.
            ValueError: The numbers of samples differ, shapes do not fit, or a value is nan or
                infinite.
        """
        found = [np.zeros(0)]
        for prediction, truth, given in _batches(predictions, groundtruths, visible=visible):
            counted = np.ones(prediction.shape[:2], bool)
            if given is not None:
                arrays.check_finite("visible", given)
                counted = given != 0
            if counted.shape != prediction.shape[:2]:
                raise ValueError(
                    f"visible must have shape {prediction.shape[1:2]}, got {counted.shape[1:]}"
                )
            if self.alignment == "root":
                prediction, truth = (side - side[:, :1] for side in (prediction, truth))
            if self.alignment == "procrustes":
                prediction = _laid_on(prediction, truth, counted)
            gaps = prediction - truth
            distances = np.sqrt(_dot(gaps, gaps))
            with np.errstate(invalid="ignore"):  # 0 / 0 is nan
                total = arrays.sum_rows(np.where(counted, distances, 0.0))
                found.append(total / np.count_nonzero(counted, axis=1))
        return np.concatenate(found)


def _batches(predictions: Any, groundtruths: Any, **optional: Any) -> Any:
    """Yield checked batches of points (n, M, D) as float64, and of optional inputs."""
    names = ("predictions", "groundtruths")
    for first, second, *others in in_batches(
        dict(zip(names, (predictions, groundtruths), strict=True)), optional
    ):
        if first.ndim != 3 or not first.shape[1] or not first.shape[2]:
            raise ValueError(
                f"each sample of predictions must be points of shape (M, D), got {first.shape[1:]}"
            )
        for name, side in zip(names, (first, second), strict=True):
            arrays.check_finite(name, side)
            far = np.abs(side) <= 1e100
            arrays.require(name, side, far, "must be within 1e100, beyond which squares overflow")
        yield first.astype(np.float64), second.astype(np.float64), *others


def _rest(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return disparities of centred points from the distances that remain after the rotation."""
    left, values, right = np.linalg.svd(_products(second, first))
    scale = arrays.sum_rows(values) / _norms(second)
    rest = first - scale[:, None, None] * _turned(second, left, right)
    return np.asarray(_norms(rest) / _norms(first))


def _turned(points: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return points times the product of two matrices."""
    turned = np.zeros_like(points)
    for i in range(points.shape[2]):
        for j in range(points.shape[2]):
            turns = _dot(left[:, i : i + 1], right[:, :, j][:, None])
            turned[:, :, j] += points[:, :, i] * turns
    return turned


def _scaled(points: np.ndarray) -> np.ndarray:
    """Return points times a power of two, so that squares neither overflow nor underflow."""
    _, exponents = np.frexp(np.abs(points).max(axis=(1, 2), keepdims=True))
    return np.asarray(np.ldexp(points, -exponents))


def _centred(points: np.ndarray) -> np.ndarray:
    return np.asarray(points - _means(points, np.ones(points.shape[:2], bool)))


def _means(points: np.ndarray, counted: np.ndarray) -> np.ndarray:
    """Return the mean of the points that count, (n, 1, D); exact for equal points."""
    wide = counted[:, :, None]
    axes = np.moveaxis(np.where(wide, points, 0.0), 1, 2)
    sums = arrays.sum_rows(axes.reshape(-1, axes.shape[2])).reshape(axes.shape[:2])
    numbers = np.count_nonzero(counted, axis=1)[:, None]
    means = sums / np.maximum(numbers, 1)
    low = np.where(wide, points, np.inf).min(axis=1)
    high = np.where(wide, points, -np.inf).max(axis=1)
    inside = np.clip(means, low, high)  # rounding may move a mean beyond the points
    return np.asarray(np.where(numbers > 0, inside, means)[:, None])


def _products(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the sums over points of the products of all pairs of coordinates, (n, D, D)."""
    products = np.moveaxis(first[:, :, :, None] * second[:, :, None, :], 1, 3)
    sums = arrays.sum_rows(products.reshape(-1, products.shape[3]))
    return sums.reshape(products.shape[:3])


def _dot(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the dot product of each two points, (n, M)."""
    total = np.zeros(first.shape[:2])
    for axis in range(first.shape[2]):
        total += first[:, :, axis] * second[:, :, axis]
    return total


def _norms(points: np.ndarray) -> np.ndarray:
    """Return each sample's sum of squares, (n,)."""
    return arrays.sum_rows(_dot(points, points))


def _laid_on(points: np.ndarray, truth: np.ndarray, counted: np.ndarray) -> np.ndarray:
    """Return points moved, rotated and scaled to fit the truth, over the points that count."""
    means = _means(points, counted), _means(truth, counted)
    centred = [
        np.where(counted[:, :, None], side - mean, 0.0)
        for side, mean in zip((points, truth), means, strict=True)
    ]
    left, values, right = np.linalg.svd(_products(*centred))
    mirrored = np.linalg.det(left) * np.linalg.det(right) < 0
    signs = np.ones_like(values)
    signs[mirrored, -1] = -1.0
    squares = _norms(centred[0])
    scale = arrays.sum_rows(values * signs) / np.where(squares > 0, squares, 1.0)
    turned = _turned(centred[0], left * signs[:, None], right)
    return np.asarray(scale[:, None, None] * turned + means[1])
