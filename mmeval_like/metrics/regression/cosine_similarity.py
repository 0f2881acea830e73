"""CosineSimilarity, KLDivergence and JensenShannonDivergence: metrics of vectors."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any

import numpy as np

from mmeval_like.metrics._common.scaled_rows import scaled_rows
from mmeval_like.metrics.regression.regression_metrics import NumbersMean
from mmeval_like.metrics.regression.tweedie_deviance_score import unit_deviance
from mmeval_like.writing import CORRELATION, NOT_NEGATIVE, arrays
from mmeval_like.writing.exact import Scratch

__all__ = ["CosineSimilarity", "JensenShannonDivergence", "KLDivergence", "cosines"]

_CLOSE = 1e-3  # divergences below it are computed again, without cancellation
_BLOCK = 3 << 14  # numbers of an input that are processed at once, in reused memory

Distribution = tuple[np.ndarray, np.ndarray]  # shares (N, C), rows add up to 1; their logarithms


class CosineSimilarity(NumbersMean):
    """The mean cosine of the angle between the vectors of predictions and labels.

    The cosine is 1 for vectors of the same direction, 0 for perpendicular and -1 for opposite ones;
    if either vector is 0, the cosine counts as 0.0, as in scikit-learn. `add` takes `predictions`
    and `labels`, vectors (N, D) of any real dtype, finite, and `sample_weight` (N,).

    Formula:
        cos = mean (y * p) / (|y| |p|)

    Args:
        **options: As for `NumbersMean`.

    Returns of `compute`: `cosine_similarity`, in [-1, 1]; nan without samples. Higher is better.

    Example:
        >>> metric = CosineSimilarity()
        >>> metric.add(predictions=[[3.0, 4.0], [1.0, 0.0]], labels=[[3.0, 4.0], [0.0, 2.0]])
        >>> metric.compute()  # (1 + 0) / 2
        {'cosine_similarity': 0.5}
    """

    key = "cosine_similarity"
    ranges = CORRELATION
    higher_is_better = True

    def scores(self, predictions: Any, labels: Any) -> np.ndarray:
        """Return the cosine of every sample.

        Args:
            predictions: Vectors (N, D) of any real dtype.
            labels: The same shape.

        Raises:
            TypeError: The inputs are not real numbers.
            ValueError: Shapes do not fit, a value is nan or infinite, or an integer is beyond 2^53.
        """
        return cosines(predictions=predictions, labels=labels)


def cosines(**inputs: Any) -> np.ndarray:
    """Return the cosines (N,) of the rows of two inputs (N, D), which are given by name.

    Raises:
        TypeError, ValueError: `CosineSimilarity.scores` says when.
    """
    pair = _tables(**inputs)
    count, width = pair[0].shape
    found, lengths = np.zeros(count), np.zeros((2, count))
    step = max(1, _BLOCK // max(1, width))
    with np.errstate(invalid="ignore", over="ignore"):
        for start in range(0, count if width else 0, step):
            block = slice(start, start + step)
            found[block], lengths[:, block] = _block_cosines(*(table[block] for table in pair))
    if not np.isfinite(lengths).all():
        for name, table in zip(inputs, pair, strict=True):
            arrays.check_finite(name, arrays.as_floats(table, name))
    return found


def _block_cosines(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return the cosines of vectors (n, D), D > 0, and the lengths of both, up to powers of two."""
    count, width = first.shape
    # numpy's inner loops run along the longer axis. One call sums all three products.
    across = count > width
    shape = (2, width, count) if across else (2, count, width)
    wide = (width, 3, count) if across else (3, count, width)
    with Scratch(shape, wide) as [copies, memory]:
        p, y = (copy.T for copy in copies) if across else copies
        for rows, values in ((first, p), (second, y)):
            values[...] = rows
            if not _is_short(rows):
                scaled_rows(values, memory=[values])
        products = memory.transpose(1, 2, 0) if across else memory
        for place, (one, other) in enumerate(((p, p), (y, y), (p, y))):
            np.multiply(one, other, out=products[place])
        flat = memory.reshape(width, -1).T if across else memory.reshape(-1, width)
        *squares, common = arrays.sum_rows(flat, overwrite=True).reshape(3, count)
    norms = [np.sqrt(square) for square in squares]
    p_norm, y_norm = (np.where(norm == 0, 1.0, norm) for norm in norms)
    return np.clip(common / (p_norm * y_norm), -1.0, 1.0), norms


def _is_short(numbers: np.ndarray) -> bool:
    """Return whether the squares of the numbers, and their sums, cannot leave float64's range.

    Then no scaling by a power of two is needed: this holds for float32 and integers.
    """
    return numbers.dtype.kind != "f" or numbers.dtype.itemsize <= 4


class Divergence(NumbersMean):
    """The base class of divergences of two distributions.

    Args:
        log_prob: Whether inputs are natural logarithms of probabilities; -inf is then a
            probability of 0.
        **options: As for `NumbersMean`.

    Raises:
        ValueError: `nan` is not one of the allowed values.
    """

    processor_dependent = "log and exp"

    def __init__(self, log_prob: bool = False, **options: Any) -> None:
        super().__init__(**options)
        self.log_prob = log_prob

    @abstractmethod
    def divergence(self, first: Distribution, second: Distribution) -> np.ndarray:
        """Return the divergence of every row of `first` from the same row of `second`."""

    def scores(self, predictions: Any, labels: Any) -> np.ndarray:
        """Return the divergence of every sample.

        Args:
            predictions: Numbers >= 0, or their logarithms, (N, C).
            labels: The same shape.

        Raises:
            TypeError: The inputs are not real numbers.
            ValueError: Shapes do not fit, a value is nan, a probability is negative, or a row is
                all zeros.
        """
        pair = _vectors(predictions=predictions, labels=labels, infinite=self.log_prob)
        named = zip(("predictions", "labels"), pair, strict=True)
        first, second = (self._distribution(name, values) for name, values in named)
        found: np.ndarray = np.maximum(self.divergence(first, second), 0.0)
        return found

    def _distribution(self, name: str, values: np.ndarray) -> Distribution:
        if self.log_prob:
            arrays.require(name, values, values < math.inf, "must be logarithms below inf")
            logs = values
        else:
            arrays.check_not_negative(name, values)
            logs = _log(values)
        most = logs.max(axis=1, initial=-math.inf)
        arrays.require(name, most, most > -math.inf, "must have a positive probability a row")
        logs = logs - most[:, None]
        if self.log_prob:
            shares = np.exp(logs)
        else:  # avoids the rounding of a logarithm
            shares = values / values.max(axis=1, initial=0.0)[:, None]
        total = arrays.sum_rows(shares)[:, None]
        return shares / total, logs - np.log(total)


class KLDivergence(Divergence):
    """The mean Kullback-Leibler divergence of the predictions P from the labels Q, in nats.

    Each row is first divided by its sum. A class with P = 0 adds nothing; if Q is 0 for a class and
    P is not, the divergence is infinite. Source: S. Kullback and R. A. Leibler, "On information and
    sufficiency", Annals of Mathematical Statistics 22 (1951).

    `add` takes `predictions` and `labels`, numbers >= 0 (N, C), and `sample_weight` (N,).

    Formula:
        KL = mean sum_c P_c ln(P_c / Q_c)

    Args:
        **options: As for `Divergence`.

    Returns of `compute`: `kl_divergence`, at least 0; nan without samples. Lower is better.

    Example:
        >>> metric = KLDivergence()
        >>> metric.add(predictions=[[1.0, 0.0]], labels=[[0.5, 0.5]])
        >>> round(metric.compute()["kl_divergence"], 6)  # ln 2
        0.693147
    """

    key = "kl_divergence"
    ranges = NOT_NEGATIVE
    higher_is_better = False

    def divergence(self, first: Distribution, second: Distribution) -> np.ndarray:
        """Return KL(P, Q)."""
        return _kullback_leibler(first, second)


class JensenShannonDivergence(Divergence):
    """The mean Jensen-Shannon divergence of predictions P and labels Q, in nats.

    M is the mean of the two distributions, and KL the Kullback-Leibler divergence. Each row is
    first divided by its sum. The root of the divergence of a sample is a distance. Source: J. Lin,
    "Divergence measures based on the Shannon entropy", IEEE Transactions on Information Theory 37
    (1991).

    `add` takes `predictions` and `labels`, numbers >= 0 (N, C), and `sample_weight` (N,).

    Formula:
        JS = mean 1/2 (KL(P, M) + KL(Q, M))
        M = 1/2 (P + Q)

    Args:
        **options: As for `Divergence`.

    Returns of `compute`: `js_divergence`, in [0, ln 2]; nan without samples. Lower is better.

    Example:
        >>> metric = JensenShannonDivergence()
        >>> metric.add(predictions=[[1.0, 0.0]], labels=[[0.0, 1.0]])
        >>> round(metric.compute()["js_divergence"], 6)  # ln 2
        0.693147
    """

    key = "js_divergence"
    ranges = NOT_NEGATIVE
    higher_is_better = False

    def divergence(self, first: Distribution, second: Distribution) -> np.ndarray:
        """Return the mean of both divergences from M, the mean distribution."""
        middle = first[0] / 2 + second[0] / 2
        both = sum(_kullback_leibler(side, (middle, _log(middle))) for side in (first, second))
        found: np.ndarray = np.minimum(both / 2, math.log(2))  # a larger value is a rounding error
        return found


def _kullback_leibler(first: Distribution, second: Distribution) -> np.ndarray:
    (p, log_p), (q, log_q) = first, second
    with np.errstate(invalid="ignore"):
        terms = np.where(p > 0, p * (log_p - log_q), 0.0)
    found = arrays.sum_rows(terms)
    close = found < _CLOSE
    if close.any():
        p, q = p[close], q[close]
        # Terms of both signs would cancel each other. Half of Poisson's deviance, P ln(P / Q) - P
        # + Q, is never negative, and has the same sum, since the probabilities add up to 1.
        terms = unit_deviance(np.where(q > 0, q, 1.0), np.where(q > 0, p, 1.0), 1) / 2
        found[close] = arrays.sum_rows(terms)
    return found


def _log(values: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore"):
        found: np.ndarray = np.log(values)
    return found


def _vectors(*, infinite: bool = False, **inputs: Any) -> list[np.ndarray]:
    """Return both inputs as float64 (N, C) with a contiguous longer axis."""
    pair = []
    for name, table in zip(inputs, _tables(**inputs), strict=True):
        array = arrays.as_floats(table, name)
        arrays.check_finite(name, array, allow_infinite=infinite)
        pair.append(np.asarray(array, order="F" if len(array) > array.shape[1] else "C"))
    return pair


def _tables(**inputs: Any) -> list[np.ndarray]:
    """Return both inputs as real numbers (N, C) that float64 does not round."""
    pair = []
    for name, value in inputs.items():
        array = arrays.as_numbers(value, name)
        arrays.check_exact(name, array)
        if array.size == 0 and array.ndim == 1:
            array = array.reshape(0, 1)
        if array.ndim != 2:
            raise ValueError(f"{name} must have shape (N, C), got {array.shape}")
        pair.append(array)
    if pair[0].shape != pair[1].shape:
        raise ValueError(
            f"{' and '.join(inputs)} must have the same shape (N, C), "
            f"got {pair[0].shape} and {pair[1].shape}"
        )
    return pair
