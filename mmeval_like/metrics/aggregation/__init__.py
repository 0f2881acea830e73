"""Aggregation of plain numbers: totals, means and quantiles."""

from typing import TYPE_CHECKING

from mmeval_like._base.names import lazy_names

if TYPE_CHECKING:
    # Aggregation
    from .totals import Sum as Sum
    from .totals import Max as Max
    from .totals import Min as Min
    from .totals import Cat as Cat
    from .quantile import Quantile as Quantile
    from .running_mean import RunningMean as RunningMean
    from .running_mean import RunningSum as RunningSum
    from .mean import Mean as Mean
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
