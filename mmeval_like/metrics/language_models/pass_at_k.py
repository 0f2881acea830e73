"""PassAtK, PassHatK and GPassAtK: how many of k attempts at a question are right."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from mmeval_like.metrics._common.option_checks import check_count
from mmeval_like.metrics._common.shared_options import shared_options
from mmeval_like.metrics.language_models.attempts import AttemptCounts
from mmeval_like.writing import SHARE, BaseMetric, MetricOptions, Results, Unpack

__all__ = ["GPassAtK", "PassAtK", "PassHatK"]


@shared_options
class AttemptMetric(BaseMetric):
    """The base class of metrics of several attempts at each question.

    Args:
        k: The number of attempts that are considered, or several numbers. Every question must have
            at least as many attempts as the largest k.
        **options: As for `BaseMetric`.

    Raises:
        TypeError: A k is not an integer.
        ValueError: `k` is empty, or a number is not positive.
    """

    _takes_inputs = AttemptCounts.rows

    every_rank_computes = True
    ranges = SHARE
    higher_is_better = True

    if TYPE_CHECKING:

        def rows(self, correct: Any, attempts: Any = None) -> dict[str, np.ndarray]:
            """For type checkers."""

    def __init__(self, k: int | Sequence[int] = (1,), **options: Unpack[MetricOptions]) -> None:
        super().__init__(**options)
        several = k if isinstance(k, list | tuple) else [k]
        self.k = list(dict.fromkeys(check_count("k", one) for one in several))
        if not self.k:
            raise ValueError("k must be one number or several, got none")
        self.attempts = AttemptCounts(max(self.k))
        self.statistic = self.attempts

    @abstractmethod
    def shares(self, k: int) -> dict[str, Any]:
        """Return, by key, the function `share` for `AttemptCounts.mean`."""

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return the means over questions; nan without questions."""
        found = {key: share for k in self.k for key, share in self.shares(k).items()}
        return {key: self.attempts.mean(results, share) for key, share in found.items()}


class PassAtK(AttemptMetric):
    """pass@k: the probability that at least one of k attempts at a question is right.

    A question has n attempts, c of them right, and C(n, k) is the number of ways to choose k
    of n. The value is the mean over questions of the unbiased estimate from all n attempts. Source:
    M. Chen et al., "Evaluating large language models trained on code" (2021).

    `add` takes `correct`: for N questions lists of 0 and 1, or an array (N, n); or both `correct`
    and `attempts`, integers (N,).

    Formula:
        pass_k = mean (1 - C(n - c, k) / C(n, k))

    Args:
        **options: As for `AttemptMetric`.

    Returns of `compute`: `pass@{k}` for every k, and `mean`, the mean share of right attempts, in
    [0, 1]; nan without questions. Higher is better.

    Example:
        >>> metric = PassAtK(k=(1, 2))
        >>> metric.add([[1, 0, 0, 0], [0, 0, 0, 0], [1, 1, 0]])
        >>> metric.compute()  # pass@2: (1/2 + 0 + 1) / 3
        {'pass@1': 0.3055555555555556, 'pass@2': 0.5, 'mean': 0.3055555555555556}
    """

    def shares(self, k: int) -> dict[str, Any]:
        """Return the functions for k attempts and for one attempt."""

        def share(n: int, c: int) -> tuple[int, int]:
            every = math.comb(n, k)
            return every - math.comb(n - c, k), every

        return {f"pass@{k}": share}

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return `pass@{k}` and `mean`."""
        mean = self.attempts.mean(results, lambda n, c: (c, n))
        return super().compute_metric(results) | {"mean": mean}


class PassHatK(AttemptMetric):
    """pass^k: the probability that all of k attempts at a question are right.

    A question has n attempts, c of them right, and C(n, k) is the number of ways to choose k
    of n. The value is the mean over questions. Source: S. Yao et al., "tau-bench: a benchmark for
    tool-agent-user interaction in real-world domains" (2024).

    `add` takes the same arguments as `PassAtK.add`; in a `MetricCollection`, both metrics share
    one count.

    Formula:
        pass^k = mean C(c, k) / C(n, k)

    Args:
        **options: As for `AttemptMetric`.

    Returns of `compute`: `pass^{k}` for every k, in [0, 1]; nan without questions. Higher is
    better.

    Example:
        >>> metric = PassHatK(k=2)
        >>> metric.add(correct=[2, 3], attempts=[4, 3])
        >>> metric.compute()  # (1/6 + 1) / 2
        {'pass^2': 0.5833333333333334}
    """

    def shares(self, k: int) -> dict[str, Any]:
        """Return the function for k attempts."""
        return {f"pass^{k}": lambda n, c: (math.comb(c, k), math.comb(n, k))}


class GPassAtK(AttemptMetric):
    """G-Pass@k: the probability that at least a fraction tau of k attempts at a question is right.

    A question has n attempts, c of them right, and C(n, k) is the number of ways to choose k
    of n. At least ceil(tau k), that is tau k rounded up, of the k attempts must be right. The value
    is the mean over questions. mG-Pass@k averages G-Pass@k over the shares tau above 1/2; for k = 1
    it is an empty sum, 0. Source: J. Liu et al., "Are your LLMs capable of stable reasoning?"
    (2024).

    `add` takes the same arguments as `PassAtK.add`; in a `MetricCollection`, both metrics share
    one count.

    Formula:
        G_k(tau) = mean sum_(j = ceil(tau k))^k C(c, j) C(n - c, k - j) / C(n, k)
        mG_k = 2/k sum_(i = ceil(k/2) + 1)^k G_k(i/k)

    Args:
        tau: The shares tau in (0, 1]; each is taken as the decimal number that Python prints for
            it.
        **options: As for `AttemptMetric`.

    Returns of `compute`: `g_pass@{k}_{tau}` for every k and tau, and `mg_pass@{k}`, in [0, 1]; nan
    without questions. Higher is better.

    Raises:
        TypeError: A k is not an integer.
        ValueError: `k` is empty or has a number that is not positive, or a tau is not in (0, 1].

    Example:
        >>> metric = GPassAtK(k=4, tau=0.5)
        >>> metric.add(correct=[4], attempts=[8])
        >>> metric.compute()  # (36 + 16 + 1) / 70; (17 + 1) / 70 / 2
        {'g_pass@4_0.5': 0.7571428571428571, 'mg_pass@4': 0.12857142857142856}
    """

    def __init__(
        self,
        k: int | Sequence[int] = (1,),
        tau: float | Sequence[float] = (0.5, 0.75, 1.0),
        **options: Any,
    ) -> None:
        super().__init__(k, **options)
        several = tau if isinstance(tau, list | tuple) else [tau]
        self.tau = list(dict.fromkeys(map(float, several)))
        for one in self.tau:
            if not 0 < one <= 1:
                raise ValueError(f"tau must be in (0, 1], got {one}")

    def shares(self, k: int) -> dict[str, Any]:
        """Return the functions for k attempts: one for every tau, and their mean."""
        needed = {tau: math.ceil(Fraction(str(tau)) * k) for tau in self.tau}
        found = {f"g_pass@{k}_{tau}": partial(_at_least, k, j) for tau, j in needed.items()}
        return found | {f"mg_pass@{k}": partial(_mean_of_stable, k)}


def _at_least(k: int, least: int, n: int, c: int) -> tuple[int, int]:
    """Return the number of choices of k attempts with at least `least` right ones."""
    found = sum(math.comb(c, j) * math.comb(n - c, k - j) for j in range(least, min(c, k) + 1))
    return found, math.comb(n, k)


def _mean_of_stable(k: int, n: int, c: int) -> tuple[int, int]:
    """Return twice the mean of G-Pass@k over all shares above one half."""
    first = (k + 1) // 2 + 1
    # A choice with exactly j right attempts counts for each share up to j / k.
    found = sum(
        (j - first + 1) * math.comb(c, j) * math.comb(n - c, k - j)
        for j in range(first, min(c, k) + 1)
    )
    return 2 * found, k * math.comb(n, k)
