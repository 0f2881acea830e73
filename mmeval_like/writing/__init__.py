"""The imports for authors of metrics: bases, states, inputs, options and ranges.

The metrics of this package import nothing else from it, so each of them is an example. Four more
modules are for special needs:

- `mmeval_like.writing.exact`: sums, products, roots and exponentials that are rounded once.
- `mmeval_like.writing.weights`: sample weights, read, checked and applied.
- `mmeval_like.writing.states`: the classes of states, for states of your own.
- `mmeval_like.writing.intervals`: intervals and p-values that a metric computes itself.

`BaseMetric`, `SampleMean`, `RatioOfSums` and `Statistic` are the bases; `state` has the kinds of
state, `arrays` reads and checks inputs of any array library, and `Results` is what
`compute_metric` gets. `Rows` is the type of the rows of a state, for instance a `Ragged`.

The ranges say which values are possible, by key of the result or pattern of keys: `SHARE` is 0 to
1, `PERCENT` 0 to 100, `CORRELATION` -1 to 1, `NOT_NEGATIVE` 0 to infinity, `BELOW_ONE` minus
infinity to 1. `Ranges` is their type.

Example:
    >>> import numpy as np
    >>> from mmeval_like.writing import SHARE, BaseMetric, MetricOptions, Results, Unpack
    >>> from mmeval_like.writing import arrays, ratio, state
    >>> class Positive(BaseMetric):
    ...     '''The share of positive values.'''
    ...     every_rank_computes = True
    ...     ranges = SHARE
    ...     positive = state.sum(bool)
    ...     def __init__(self, **options: Unpack[MetricOptions]) -> None:
    ...         super().__init__(**options)
    ...     def rows(self, values):
    ...         return {"positive": arrays.as_numbers(values, "values") > 0}
    ...     def compute_metric(self, results: Results):
    ...         return {"positive": ratio(results.positive, len(results))}
    >>> Positive()([1.0, -1.0, 2.0, 3.0])
    {'positive': 0.75}
"""

from mmeval_like import arrays, state
from mmeval_like._base.optional import needed_for
from mmeval_like._base.warning import speaks, warn
from mmeval_like._core.metric import BaseMetric
from mmeval_like._core.options import MetricOptions, Unpack
from mmeval_like._intervals.value_ranges import (
    BELOW_ONE,
    CORRELATION,
    NOT_NEGATIVE,
    PERCENT,
    SHARE,
    Ranges,
)
from mmeval_like._states.results import Results
from mmeval_like._states.rows import Ragged, Rows, concatenate, take
from mmeval_like._states.statistic import Statistic
from mmeval_like._states.vectorised import elementwise as entrywise
from mmeval_like._states.vectorised import vectorised as vectorised
from mmeval_like.state import State
from mmeval_like.writing.means import RatioOfSums, SampleMean
from mmeval_like.writing.quotients import ratio

__all__ = [
    "BELOW_ONE",
    "CORRELATION",
    "NOT_NEGATIVE",
    "PERCENT",
    "SHARE",
    "BaseMetric",
    "MetricOptions",
    "Ragged",
    "Ranges",
    "RatioOfSums",
    "Results",
    "Rows",
    "SampleMean",
    "State",
    "Statistic",
    "Unpack",
    "arrays",
    "concatenate",
    "entrywise",
    "needed_for",
    "ratio",
    "speaks",
    "state",
    "take",
    "vectorised",
    "warn",
]
