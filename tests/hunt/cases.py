"""The samples and oracles of the tests, in ways that the laws do not combine."""

from __future__ import annotations

from tests.hunt.trial import Generator, Trial
from tests.metric_cases import CASES

__all__ = ["draw"]

# Of the package: the tests have metrics of their own.
NAMES = sorted(n for n in CASES if type(CASES[n].make()).__module__.startswith("mmeval_like."))


def draw(rng: Generator) -> Trial:
    """Return the case of a random metric with samples of its own."""
    name = NAMES[int(rng.integers(len(NAMES)))]
    case = CASES[name]
    count = int(rng.integers(case.least, case.most + 1))
    data = case.samples(rng, count)
    expected = None if case.oracle is None else case.oracle(*data)
    return Trial(case.make, {}, data, count, expected, case.tolerance, case.order_matters)
