"""Hits: of every number it is known which share of the samples it is."""

from __future__ import annotations

import math

from mmeval_like._accumulate.states.folding import Hits
from mmeval_like._inference.interval import Interval, share, unknown
from mmeval_like._units.evaluation import Question

__all__ = ["share_intervals"]


def share_intervals(question: Question) -> dict[str, list[Interval]] | None:
    """Return the interval of every number; None unless all of the statistic's states are hits."""
    states = question.states.values()
    if not states or not all(isinstance(state, Hits) for state in states):
        return None
    count, level = len(question.results), question.level
    return {
        key: [
            unknown(value, level, count, "the value is not finite")
            if math.isnan(value)
            else share(value, level, count, question.range(key))
            for value in values
        ]
        for key, values in question.numbers.items()
    }
