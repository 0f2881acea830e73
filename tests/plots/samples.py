"""Samples whose results are drawn, and what is read off the axes."""

import numpy as np

RNG = np.random.default_rng(0)
LABELS = RNG.integers(0, 3, 200)
SCORES = RNG.random((200, 3))
SCORES[np.arange(200), LABELS] += 0.3
SCORES /= SCORES.sum(axis=1, keepdims=True)
CLASSES = ["<b>cat</b>", "$x^2$", "كلب\x00\n"]


def added(metric, *batch, **named):
    """The metric, with a batch."""
    metric.add(*batch, **named)
    return metric


def lines_of(ax):
    """The points of every line that is drawn."""
    return [np.transpose(line.get_data()) for line in ax.get_lines()]
