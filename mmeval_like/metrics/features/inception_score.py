"""InceptionScore: how sure a classifier is of generated images, and how diverse they are."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from types import MappingProxyType
from typing import Any

import numpy as np

from mmeval_like.metrics._common.option_checks import check_count
from mmeval_like.metrics.features.feature_moments import as_vectors
from mmeval_like.metrics.features.network import check_network
from mmeval_like.writing import BaseMetric, MetricOptions, Results, State, Unpack, arrays, state
from mmeval_like.writing.exact import ExactSum, entropy_of, exp

__all__ = ["InceptionScore"]


class InceptionScore(BaseMetric):
    """The Inception Score of generated images, from a classifier's probabilities of C classes.

    The score is high if a classifier is sure of the class of each image, and if the images belong
    to many classes. p(c given x) is the probability of class c for image x, and p(c) its mean over
    images. Sums are exact; the package contains no network. Source: T. Salimans et al., "Improved
    techniques for training GANs" (NeurIPS 2016), who take the mean over 10 parts of the images
    (`splits=10`).

    `add` takes `samples`, logits or probabilities (N, C), or what `features` takes.

    Formula:
        IS = exp(mean sum_c p(c given x) ln(p(c given x) / p(c)))

    Args:
        num_classes: The number of classes C.
        features: The network: a function of a batch of samples, as `add` gets them, that returns
            logits or probabilities (N, C). It must treat samples one by one. None: `add` takes
            logits or probabilities.
        from_logits: Whether samples are logits, finite numbers before a softmax. If not, they are
            probabilities, which must add up to 1 within 0.01 and are then divided by their sum.
        splits: The number of contiguous parts into which the samples are divided, in global order.
            Each part has a score. With more than one part all probabilities are kept, 8 C bytes for
            each sample.
        **options: As for `BaseMetric`.

    Returns of `compute`: `inception_score`, in [1, C], the mean over the parts, and with more than
    one part `inception_score_std`, their standard deviation (over n). nan with fewer samples than
    parts. Higher is better.

    Raises:
        TypeError: `num_classes` or `splits` is not an integer, or `features` not a function.
        ValueError: `num_classes` or `splits` is below 1.

    Example:
        >>> metric = InceptionScore(num_classes=2, from_logits=False)
        >>> metric.add([[1.0, 0.0], [0.0, 1.0]])  # sure, and of both classes
        >>> metric.compute()
        {'inception_score': 2.0}
    """

    processor_dependent = "log and exp"
    every_rank_computes = True
    higher_is_better = True
    higher_is_better_of = MappingProxyType({"inception_score_std": None})
    no_interval = (
        "it is smaller for fewer samples: an interval around it would not contain the true value"
    )

    def __init__(
        self,
        num_classes: int = 1000,
        features: Callable[[Any], Any] | None = None,
        from_logits: bool = True,
        splits: int = 1,
        **options: Unpack[MetricOptions],
    ) -> None:
        super().__init__(**options)
        check_network(features)
        self.num_classes = check_count("num_classes", num_classes)
        self.splits = check_count("splits", splits)
        self.features, self.from_logits = features, from_logits

    def states(self) -> dict[str, State]:
        """Return the sums of p ln p and of p, or all p."""
        shape = (self.num_classes,)
        if self.splits > 1:
            return {"shares": state.cat(np.float64, shape)}
        return {"information": state.sum(), "shares": state.sum(float, shape)}

    def rows(self, samples: Any) -> dict[str, np.ndarray]:
        """Return the probabilities p of every sample, and its sum of p ln p.

        Args:
            samples: Logits or probabilities (N, C) of any real dtype, or what the network takes.

        Raises:
            TypeError: The inputs are not real numbers.
            ValueError: The shape does not fit, a value is nan or infinite, a probability is
                negative, or those of a sample do not add up to 1.
        """
        found = samples if self.features is None else self.features(samples)
        values = np.ascontiguousarray(as_vectors(found, self.num_classes, "samples"))
        if self.from_logits:
            values = np.exp(values - values.max(axis=1, initial=-math.inf)[:, None])
        else:
            arrays.check_not_negative("samples", values)
        totals = arrays.sum_rows(values)
        if not self.from_logits:
            rule = "must be probabilities that add up to 1"
            arrays.require("samples", totals, np.abs(totals - 1) <= 0.01, rule)
        shares = values / totals[:, None]
        if self.splits > 1:
            return {"shares": shares}
        return {"information": arrays.sum_rows(_information(shares)), "shares": shares}

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return `inception_score`, and its deviation."""
        count = len(results)
        if self.splits == 1:
            information: Any = results.exact("information")
            sums: Any = results.exact("shares")
            return {"inception_score": _score(count, information, sums) if count else math.nan}
        keys = ("inception_score", "inception_score_std")
        if count < self.splits:
            return dict.fromkeys(keys, math.nan)
        ends = [place * count // self.splits for place in range(self.splits + 1)]
        shares = np.asarray(results.shares)
        parts = [shares[start:end] for start, end in pairwise(ends)]
        scores = [_score(len(part), *_sums(part)) for part in parts]
        mean = math.fsum(scores) / len(scores)
        spread = math.fsum((score - mean) ** 2 for score in scores) / len(scores)
        return dict(zip(keys, (mean, math.sqrt(spread)), strict=True))


def _information(shares: np.ndarray) -> np.ndarray:
    """Return p ln p, 0 where p is 0."""
    logs = np.log(shares, out=np.zeros_like(shares), where=shares > 0)
    found: np.ndarray = shares * logs
    return found


def _sums(shares: np.ndarray) -> tuple[Fraction, np.ndarray]:
    """Return the sums of p ln p and of p, exactly."""
    information, totals = ExactSum(), ExactSum(shares.shape[1:])
    information.add(arrays.sum_rows(_information(shares)))
    totals.add(shares)
    return information.fraction(), totals.fraction()


def _score(count: int, information: Fraction, sums: np.ndarray) -> float:
    """Return exp(mean information of the samples minus the information of the mean)."""
    means = [total / count for total in sums.tolist() if total]
    return max(exp(information / count + Fraction(entropy_of(means))), 1.0)
