"""KlingGuptaEfficiency: correlation, spread and bias of predictions in one number."""

from __future__ import annotations

import math
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from mmeval_like.metrics._common.moment_sums import Moments
from mmeval_like.metrics._common.number_inputs import check_option, combine_outputs
from mmeval_like.metrics.regression.regression_metrics import MomentsMetric
from mmeval_like.writing import Ranges, Results
from mmeval_like.writing.exact import correlation, sqrt_fraction, to_float

__all__ = ["KlingGuptaEfficiency"]

_KEYS = ("kge", "r", "alpha", "beta")


class KlingGuptaEfficiency(MomentsMetric):
    """The Kling-Gupta efficiency: how well predictions match the labels' course and level.

    r is Pearson's correlation of predictions p and labels y, alpha the ratio of their standard
    deviations s_p and s_y, and beta the ratio of their means. All three are 1 for perfect
    predictions, and so is the value. It is computed from exact sums. Sources: H. V. Gupta, H.
    Kling, K. K. Yilmaz and G. F. Martinez, "Decomposition of the mean squared error and NSE
    performance criteria", Journal of Hydrology 377 (2009); H. Kling, M. Fuchs and M. Paulin,
    Journal of Hydrology 424 (2012).

    `add` takes `predictions` and `labels`, (N,) or (N, D), of any real dtype, each zero or of
    magnitude 1e-105 to 1e115, and `sample_weight` (N,), each 0 or in [1e-60, 1e60].

    Formula:
        kge = 1 - sqrt((r - 1)^2 + (alpha - 1)^2 + (beta - 1)^2)
        alpha = s_p / s_y
        beta = (bar p) / (bar y)

    Args:
        variant: "2009": alpha is the ratio of the standard deviations. "2012": alpha is the ratio
            of the coefficients of variation, that is of standard deviation over mean, so that it
            does not depend on beta.
        **options: As for `MomentsMetric`.

    Returns of `compute`: `kge`, at most 1, and its parts `r`, `alpha` and `beta`. Without samples
    they are nan. A part whose divisor is 0 is nan, and then `kge` is nan, too: if predictions or
    labels are all equal, or the mean of the labels (with "2012" also of the predictions) is 0.
    Higher is better for `kge` and `r`; `alpha` and `beta` should be 1.

    Raises:
        ValueError: `variant` is not one of the allowed values.

    Example:
        >>> metric = KlingGuptaEfficiency()
        >>> metric.add(predictions=[2.0, 4.0, 6.0], labels=[1.0, 2.0, 3.0])
        >>> metric.compute()["kge"] == 1 - 2**0.5  # r = 1, alpha = beta = 2
        True
    """

    ranges: Ranges = MappingProxyType({"kge": (-math.inf, 1.0), "r": (-1.0, 1.0)})
    higher_is_better = True
    higher_is_better_of = MappingProxyType({"alpha": None, "beta": None})

    def __init__(self, *, variant: str = "2009", **options: Any) -> None:
        super().__init__(**options)
        self.variant = check_option("variant", variant, ("2009", "2012"))
        if variant == "2009":  # else alpha has the sign of beta
            self.ranges = {**self.ranges, "alpha": (0.0, math.inf)}

    def value(self, moments: Moments) -> float:
        """Return the value of one output."""
        return self.parts(moments)[0]

    def parts(self, m: Moments) -> list[float]:
        """Return the value of one output, and its parts."""
        # Multiplied by the squared weight; units cancel in all quotients.
        w, wy, wp, wyy, wyp, wpp = m.integers()
        variance, spread = w * wyy - wy**2, w * wpp - wp**2
        r = alpha = math.nan
        if variance > 0 and spread > 0:  # sums that an interval moves may have no variance
            r = correlation(w * wyp - wy * wp, variance * spread)
        beta = Fraction(wp, wy) if wy else None
        if variance > 0 <= spread and self.variant == "2009":
            alpha = sqrt_fraction(Fraction(spread, variance))
        elif variance > 0 <= spread and beta:
            alpha = sqrt_fraction(Fraction(spread, variance) / beta**2) * (1 if beta > 0 else -1)
        ratio = math.nan if beta is None else to_float(beta)
        return [1 - _length(r - 1, alpha - 1, ratio - 1), r, alpha, ratio]

    def compute_metric(self, results: Results) -> dict[str, Any]:
        """Return the value and its parts."""
        outputs = [self.parts(m) if m.w else [math.nan] * 4 for m in Moments.of(results)]
        columns = zip(_KEYS, zip(*outputs, strict=True), strict=True)
        return {key: combine_outputs(list(column), self.multioutput) for key, column in columns}


def _length(*steps: float) -> float:
    """Return the length of a vector, rounded once; nan if a component is nan."""
    if not all(map(math.isfinite, steps)):
        return sum(map(abs, steps))
    ratios = [step.as_integer_ratio() for step in steps]
    unit = max(below for _, below in ratios)  # denominators are powers of two
    squares = [(above * (unit // below)) ** 2 for above, below in ratios]
    return sqrt_fraction(Fraction(sum(squares), unit**2))
