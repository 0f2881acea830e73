"""Intervals and p-values that a metric computes itself, in its method `own_intervals`.

Most metrics do not need this module: `interval=` gives an interval to every metric whose states add
up. A metric whose samples are not independent returns its own intervals: `estimate` computes one
from a standard error, `delong` and `newcombe` the ends of that of an area under the ROC curve,
`quantile_places` the places of that of a quantile, `share` computes that of a share of hits,
`clopper_pearson` its exact ends, and `difference_of` that of the difference of two values of
different samples. `unknown` gives a reason
why there is none, and `Interval` is the result. `binomial_test` is the exact two-sided test of a
fair coin, and `t_quantile` a quantile of Student's t. `effective_clusters` is the number of samples
of equal weights that would be as informative as some of unequal ones. `worst_and_best` chooses
among values that samples without a score allow. `rounded` rounds a value, but not while intervals
ask what a single sample changes.

Example:
    >>> from mmeval_like.writing.intervals import binomial_test, estimate, unknown
    >>> found = estimate(0.5, 0.01, (0.0, 1.0), 0.95, 40, 39)
    >>> round(found.low, 4), round(found.high, 4)
    (0.3125, 0.6875)
    >>> unknown(0.5, 0.95, 0, "there are no samples").thin
    'there are no samples'
    >>> binomial_test(1, 4)  # one head of four coins: 2 (1 + 4) / 16
    0.625
"""

from mmeval_like._intervals.binomial_test import binomial_test as binomial_test
from mmeval_like._intervals.distributions import t_quantile
from mmeval_like._intervals.ends import worst_and_best
from mmeval_like._intervals.exact_shares import clopper_pearson
from mmeval_like._intervals.independent import difference_of
from mmeval_like._intervals.interval import Interval, estimate, share, unknown
from mmeval_like._intervals.jackknife.left_out import effective_clusters
from mmeval_like._intervals.quantile_places import quantile_places
from mmeval_like._intervals.rounding import rounded
from mmeval_like._intervals.transforms import delong, newcombe
from mmeval_like._states.statistic import Jackknife

__all__ = [
    "Interval",
    "Jackknife",
    "binomial_test",
    "clopper_pearson",
    "delong",
    "difference_of",
    "effective_clusters",
    "estimate",
    "newcombe",
    "quantile_places",
    "rounded",
    "share",
    "t_quantile",
    "unknown",
    "worst_and_best",
]
