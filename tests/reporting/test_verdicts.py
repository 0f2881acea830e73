"""Verdicts: the sentence of each, as the guide of the report has it."""

import html
import math
from dataclasses import dataclass
from statistics import NormalDist
from types import SimpleNamespace

import pytest

from mmeval_like._core.verdicts import Compared
from mmeval_like._intervals.difference import Difference
from mmeval_like._verdicts.bounds import within_margin
from mmeval_like._verdicts.differences import different
from mmeval_like.reporting.rendering import templates
from mmeval_like.reporting.verdicts import Shown
from mmeval_like.reporting.words import Scale
from tests.helpers import requires

requires("jinja2")

SCORES = (1.0, 10.0)
SHARES = (0.0, 1.0)
BEYOND = (-math.inf, math.inf)


@dataclass(frozen=True)
class Normal:
    """Intervals of a normal distribution."""

    normal: NormalDist
    smallest: float

    def ends(self, level):
        """Both ends."""
        return self.normal.inv_cdf((1 - level) / 2), self.normal.inv_cdf((1 + level) / 2)

    def p_at(self, supposed):
        """The two-sided p-value."""
        return 2 * min(self.normal.cdf(supposed), 1 - self.normal.cdf(supposed))

    def detectable(self, level, power):
        """What the case says."""
        return self.smallest


def compared(
    value,
    low,
    high,
    p,
    *,
    better=None,
    bounds=SCORES,
    detectable=0.19,
    margin=None,
    n=400,
    thin=None,
    unit="sample",
    units=None,
    changed=9,
):
    """A comparison of v2, with v1."""
    error = (high - low) / 3.92
    known = not math.isnan(low)
    family = Normal(NormalDist(value, max(error, 1e-9)), detectable) if known else None
    at = 0.95, error, "paired t", unit, units or n, math.nan, thin
    one = Difference(value, low, high, *at, p=p, changed=changed, family=family)
    metric = SimpleNamespace(direction_of=lambda _: better, ranges={"*": bounds})
    within = None if margin is None else within_margin(one, margin, bounds)
    values = 5.75, 5.75 + value
    of = Compared(
        *("all", "", "k", metric, values, n, None, one, different(one, better), within),
        *(False, ([], [])),
    )
    return Shown(("v1", "v2"), of, Scale.of(bounds, (high - low) / 2, bounds == SHARES))


def said(**options):
    """The title and what is below it, with plain spaces."""
    found = compared(**options)
    macros = templates().get_template("verdict.html.j2").module
    title, below = macros.title(found, *found.names), macros.below(found)
    return found.kind, str(title), html.unescape(below).replace("\N{NO-BREAK SPACE}", " ")


CLEAR = {"value": 0.5, "low": 0.37, "high": 0.63, "p": 1e-9}
SURE = (
    "With 95% confidence the difference is between 0.37 and 0.63 points; chance alone is an "
    "unlikely explanation (p < 0.001)."
)
UNCLEAR = {"value": 0.22, "low": -0.05, "high": 0.49, "p": 0.11, "detectable": 0.38, "n": 100}


@pytest.mark.parametrize(
    ("options", "kind", "title", "below"),
    [
        (CLEAR | {"better": True}, "better", "v2 is better than v1 by 0.50 points", SURE),
        (CLEAR | {"better": False}, "worse", "v2 is worse than v1 by 0.50 points", SURE),
        (CLEAR, "higher", "v2 scores 0.50 points higher than v1", SURE),
        (
            {"value": -0.5, "low": -0.63, "high": -0.37, "p": 0.012, "better": True},
            "worse",
            "v2 is worse than v1 by 0.50 points",
            "With 95% confidence the difference is between 0.37 and 0.63 points (p = 0.012).",
        ),
        (
            {"value": -0.5, "low": -0.63, "high": -0.37, "p": 0.012},
            "lower",
            "v2 scores 0.50 points lower than v1",
            "With 95% confidence the difference is between −0.63 and −0.37 points (p = 0.012).",
        ),
        (
            {"value": 0.032, "low": 0.01, "high": 0.054, "p": 0.0004, "better": True}
            | {"bounds": SHARES},
            "better",
            "v2 is better than v1 by 3.2 points",
            "With 95% confidence the difference is between 1.0 and 5.4 points; chance alone is an "
            "unlikely explanation (p < 0.001).",
        ),
        (
            {"value": -2.5, "low": -4.5, "high": -0.5, "p": 0.02, "better": False}
            | {"bounds": BEYOND},
            "better",
            "v2 is better than v1 by 2.5",
            "With 95% confidence the difference is between 0.5 and 4.5 (p = 0.020).",
        ),
        (
            UNCLEAR,
            "unclear",
            "No significant difference between v2 and v1",
            "The observed difference is +0.22 points (−0.05 to +0.49, p = 0.11). This does not "
            "show that they are equal. With 100 samples, a true difference of 0.38 points is "
            "detected with a probability of 80%; smaller ones are missed more often. About "
            "300 samples would be needed to detect a true difference of 0.22 points with this "
            "probability.",
        ),
        (
            UNCLEAR | {"value": 0.01, "low": -0.26, "high": 0.28, "p": 0.94},
            "unclear",
            "No significant difference between v2 and v1",
            "The observed difference is +0.01 points (−0.26 to +0.28, p = 0.94). This does not "
            "show that they are equal. With 100 samples, a true difference of 0.38 points is "
            "detected with a probability of 80%; smaller ones are missed more often.",
        ),
        (
            {"value": 0.02, "low": -0.13, "high": 0.17, "p": 0.79, "margin": 0.3},
            "equivalent",
            "v2 and v1 are equivalent within 0.30 points",
            "The 95% interval of the difference, −0.13 to +0.17, lies inside the margin of ±0.30 "
            "points chosen beforehand (two one-sided tests, p < 0.001).",
        ),
        (
            {"value": 0.2, "low": -7.0, "high": 7.4, "p": 0.9, "detectable": 11.0, "n": 6},
            "few",
            "Too few samples to compare v2 with v1",
            "6 samples could show only differences above 11.0 points, more than the metric can "
            "reach.",
        ),
        (
            {"value": 0.0, "low": 0.0, "high": 0.0, "p": 1.0, "detectable": 0.0, "n": 300}
            | {"changed": 0},
            "same",
            "v2 and v1 score the same on all 300 samples",
            "Both score the same on all 300 samples. With 95% confidence their scores differ on "
            "fewer than 1.0% of such samples.",
        ),
        (
            {"value": 0.0, "low": -0.1, "high": 0.1, "p": 1.0, "n": 400, "changed": 0}
            | {"unit": "cluster", "units": 40},
            "same",
            "v2 and v1 score the same on all 400 samples",
            "Both score the same on all 40 clusters (400 samples). With 95% confidence their "
            "scores differ in fewer than 7.2% of such clusters.",
        ),
        (
            CLEAR
            | {"better": True, "unit": "cluster", "units": 3}
            | {"thin": "there are only 3 clusters"},
            "marked",
            "Not enough to say whether v2 and v1 differ",
            "The observed difference is +0.50 points (+0.37 to +0.63, p < 0.001), which decides "
            "nothing: there are only 3 clusters.",
        ),
        (
            UNCLEAR | {"unit": "cluster", "units": 20},
            "unclear",
            "No significant difference between v2 and v1",
            "The observed difference is +0.22 points (−0.05 to +0.49, p = 0.11). This does not "
            "show that they are equal. With 20 clusters (100 samples), a true difference of 0.38 "
            "points is detected with a probability of 80%; smaller ones are missed more often. "
            "About 60 clusters would be needed to detect a true difference of 0.22 points with "
            "this probability.",
        ),
        (
            {"value": 0.1, "low": math.nan, "high": math.nan, "p": math.nan, "thin": "no samples"},
            "unknown",
            "Nothing is known about the difference between v2 and v1",
            "The difference has no interval: no samples.",
        ),
    ],
)
def test_every_verdict_has_its_sentence(options, kind, title, below):
    """Title and explanation, word for word."""
    assert said(**options) == (kind, title, below)


def test_a_large_p_is_never_equality():
    """Without a margin nothing is equivalent; with one, only what the tests show."""
    assert said(**UNCLEAR)[0] == "unclear"
    assert said(**UNCLEAR, margin=0.3)[0] == "unclear"
    assert said(**UNCLEAR, margin=0.6)[0] == "equivalent"


@pytest.mark.parametrize("better", [True, False, None])
@pytest.mark.parametrize("value", [0.5, -0.5])
def test_the_sign_is_that_of_the_difference(better, value):
    """Better is higher where more is better, and lower where less is."""
    low, high = sorted((0.74 * value, 1.26 * value))
    kind = said(value=value, low=low, high=high, p=1e-9, better=better)[0]
    wanted = {
        True: ("better", "worse"),
        False: ("worse", "better"),
        None: ("higher", "lower"),
    }[better]

    assert kind == wanted[value < 0]


@pytest.mark.parametrize("p", [0.0, 1e-300, 0.00049, 0.0005, 0.04996, 0.05004, 0.5, 0.9999, 1.0])
def test_no_p_is_zero_one_or_on_the_wrong_side(p):
    """Nothing is written as 0.000 or 1.00, and 0.05 divides what is written as it does p."""
    below = (
        said(**{**UNCLEAR, "p": max(p, 0.051)})[2] if p >= 0.05 else said(**{**CLEAR, "p": p})[2]
    )

    assert "0.000 " not in below
    assert "= 1.0" not in below
    assert "e-" not in below


@pytest.mark.parametrize("p", [0.001, 0.0015, 0.0039, 0.0094, 0.0099, 0.01, 0.049, 0.2, 0.499])
def test_how_often_chance_does_it_is_close_to_p(p):
    """What is written, as "4 of 1,000", is at most a third away from the p-value."""
    count, of = compared(**{**CLEAR, "p": p}).by_chance.replace(",", "").split(" of ")

    assert int(count) / int(of) == pytest.approx(p, rel=1 / 3)
