"""Values that rest on labels of few samples: their tails are those of the labels.

Most samples have a prediction alone, and the labels of the others say how predictions err. If few
do, these decide what a value is: its skewness and its tails are those of its linear part in the
sums of labels and predictions, and the units are the labels.
"""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Context, Decimal, localcontext

from mmeval_like._intervals.interval import Interval
from mmeval_like._intervals.tails import HEAVY, heavy
from mmeval_like._intervals.tilting import growth, tilted
from mmeval_like._intervals.transforms import as_decimal
from mmeval_like._states.kinds.powers import Spread
from mmeval_like._states.results import Results
from mmeval_like._states.statistic import Jackknife

__all__ = ["of_few_labels"]

_DIGITS = Context(prec=50)


def of_few_labels(
    found: dict[str, list[Interval]], jackknife: Jackknife, results: Results, spread: Spread
) -> None:
    """Extend intervals on the side of the long tail of the labels; mark them if it is heavy.

    Args:
        found: The intervals, by key.
        jackknife: What the statistic knows about labels.
        results: The results.
        spread: The moments of what samples add to the sums.
    """
    places, count = jackknife.labels, len(results)
    if not places or (labels := float(spread.kish(places[0], count))) < 2:
        return
    for key, slopes in jackknife.slopes(results).items():
        one, tails = found[key][0], spread.tails(dict(zip(places, slopes, strict=True)))
        if math.isnan(one.low) or tails is None or tails.variance <= 0:
            continue
        with localcontext(_DIGITS):
            variance = as_decimal(tails.variance)
            third = as_decimal(tails.third) if tails.third_is_known else Decimal(0)
            skewness = third / (variance * variance.sqrt()) * (as_decimal(labels) / count).sqrt()
            skew = third / variance / count * as_decimal(growth(float(skewness), labels))
            squared = as_decimal(one.standard_error) ** 2
        low, high = tilted(one.value, squared, skew, one.level, math.floor(labels) - 1)
        tailed = heavy(float(tails.fourth / tails.variance**2) * labels / count, math.floor(labels))
        found[key][0] = replace(
            one,
            low=min(one.low, low),
            high=max(one.high, high),
            method="tilted t",
            thin=one.thin or (HEAVY.format("label") if tailed else None),
        )
