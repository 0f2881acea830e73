"""Which way is better is a fact of a number: a metric's secondary numbers may go another way."""

import doctest
import inspect
import io
import re
from contextlib import redirect_stdout
from fnmatch import fnmatchcase

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like import metrics
from mmeval_like.records.claim import describe_metric
from mmeval_like.testing.metric_case import draw, value_of
from tests.helpers import requires
from tests.metric_cases import CASES

UP, DOWN, NONE = True, False, None

# The numbers whose direction is not that of their metric, by a pattern of their keys.
OTHERS = {
    "AUROC": {"*error_bound*": NONE},
    "AveragePrecision": {"*error_bound*": NONE},
    "BestThreshold": {"threshold*": NONE},
    "BrierDecomposition": {"reliability": DOWN, "resolution": UP},
    "ClassificationReport": {"*support": NONE},
    "ClearMOT": {"fp": DOWN, "fn": DOWN, "idsw": DOWN, "frag": DOWN, "ml": DOWN, "pt": NONE},
    "EntityF1": {"support*": NONE},
    "EqualErrorRate": {"threshold*": NONE},
    "ForecastContingency": {
        **{"csi": UP, "pod": UP, "hss": UP, "ets": UP},
        **{"far": DOWN, "pofd": DOWN},
    },
    "InceptionScore": {"inception_score_std": NONE},
    "IntervalScore": {"coverage": NONE},
    "KernelInceptionDistance": {"kid_std": NONE},
    "KlingGuptaEfficiency": {"alpha": NONE, "beta": NONE},
    "KolmogorovSmirnov": {"threshold*": NONE},
    "LikelihoodRatios": {"positive_*": UP, "negative_*": DOWN},
    "MultiLabelPrecisionRecallF1score": {"support*": NONE},
    "PositionBias": {"consistency": UP, "first_bias": DOWN},
    "PrecisionAtFixedRecall": {"threshold*": NONE},
    "RecallAtFixedPrecision": {"threshold*": NONE},
    "RetrievalPrecisionRecallCurve": {"top_k": NONE},
    "RetrievalRecallAtFixedPrecision": {"top_k": NONE},
    "SensitivityAtSpecificity": {"threshold*": NONE},
    "SingleLabelPrecisionRecallF1score": {"support*": NONE},
    "SpecificityAtSensitivity": {"threshold*": NONE},
    "StatScores": {"tp*": UP, "tn*": UP, "fp*": DOWN, "fn*": DOWN},
    "WinRate": {"losses": DOWN, "ties": NONE},
}
# Parts of keys that name no quality: a metric that has such a number must say so.
NEUTRAL = r"support|threshold|top_k|num_|error_bound|_std$|^coverage$|^ties$|^count$|bias$"
GOOD = {("PrecisionRecallDensityCoverage", "coverage"), ("PositionBias", "first_bias")}


def check(metric, result):
    """Compare the direction of every number with the table."""
    name = type(metric).__name__
    for key in map(str, result):
        others = OTHERS.get(name, {})
        fitting = [better for pattern, better in others.items() if fnmatchcase(key, pattern)]
        expected = fitting[0] if fitting else metric.higher_is_better
        assert metric.direction_of(key) is expected, (name, key)
        if re.search(NEUTRAL, key) and (name, key) not in GOOD:
            assert metric.direction_of(key) is None, (name, key)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", metrics.__all__)
def test_every_number_of_an_example_has_its_direction(name, tmp_path):
    """That of the metric or that of the table; and `report` writes a page of every result."""
    requires("jinja2")
    names = {one: getattr(metrics, one) for one in (name, *OTHERS)} | {"np": np, "mm": mm}
    text = inspect.getdoc(getattr(metrics, name)) or ""
    example = doctest.DocTestParser().get_doctest(text, names, name, None, 0)
    with redirect_stdout(io.StringIO()):
        doctest.DocTestRunner(verbose=False).run(example, clear_globs=False)
    for made in example.globs.values():
        if isinstance(made, mm.BaseMetric):
            check(made, made.compute())
            mm.report(made, tmp_path / "page.html")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CASES)
def test_every_number_of_a_case_has_its_direction(name):
    """With the options of every case, which have other keys."""
    case = CASES[name]
    samples, _ = draw(case, np.random.default_rng(0))

    check(case.make(dist_backend="non_dist"), value_of(case, samples))


def test_every_entry_of_the_table_is_said_by_the_class():
    """And by no other class."""
    for name in metrics.__all__:
        said = {*getattr(getattr(metrics, name), "higher_is_better_of", {})}
        known = {*OTHERS.get(name, {})}

        assert bool(said) == bool(known) or name.endswith("MeanAP") or name in BASES, name


BASES = {"GiniCoefficient", "LogAUC", "PrecisionRecallF1score"}  # without a threshold


def interval_scores(*halves):
    """A comparison of intervals of these half widths: the second covers more labels."""
    rng = np.random.default_rng(0)
    labels, pair = rng.normal(size=300), mm.Paired(mm.IntervalScore(alpha=0.1))
    for side, half in zip((pair.a, pair.b), halves, strict=True):
        side.add(np.full(300, -half), np.full(300, half), labels, ids=range(300))
    return pair


def efficiencies():
    """A comparison of a good forecast with one that is 1.6 times too large."""
    rng = np.random.default_rng(0)
    labels, pair = rng.gamma(4, size=300), mm.Paired(mm.KlingGuptaEfficiency())
    for side, factor in ((pair.a, 1.0), (pair.b, 1.6)):
        side.add(factor * labels + 0.2 * rng.normal(size=300), labels, ids=range(300))
    return pair


@pytest.mark.filterwarnings("ignore")
def test_a_gate_refuses_a_number_without_a_direction():
    """A margin on one side has no side; with both=True it has, and other keys are judged."""
    pair = interval_scores(0.8, 1.6)
    pair.compute()

    with pytest.raises(ValueError, match="whether a higher 'coverage' is better: pass both=True"):
        mm.gate(pair, "coverage", margin=0.05)
    assert mm.gate(pair, "coverage", margin=0.05, both=True).outcome == "fail"
    assert mm.gate(pair, "interval_score", margin=0.05).outcome == "pass"

    pair = efficiencies()
    pair.compute()
    for key in ("alpha", "beta"):
        with pytest.raises(ValueError, match=f"whether a higher '{key}' is better"):
            mm.gate(pair, key, margin=0.05)
    assert mm.gate(pair, "kge", margin=0.05).outcome == "fail"


def test_a_number_may_have_the_other_direction():
    """A judge that prefers the first answer less often passes, and the other way round it fails."""
    swapped = [np.arange(200) % 4 // least for least in (2, 3)]  # half, and a quarter, of ones
    for first, second, outcome in ((*swapped, "fail"), (*swapped[::-1], "pass")):
        pair = mm.Paired(mm.PositionBias())
        for side, outcomes in ((pair.a, first), (pair.b, second)):
            side.add(np.ones(200), outcomes, ids=range(200))
        pair.compute()

        assert mm.gate(pair, "first_bias", margin=0.1).outcome == outcome
        assert mm.gate(pair, "consistency", margin=0.1).outcome == outcome


@pytest.mark.filterwarnings("ignore")
def test_a_comparison_says_higher_where_neither_is_better(tmp_path):
    """Its verdicts, and the page."""
    requires("jinja2")
    pair = interval_scores(0.8, 1.6)
    mm.report(pair, tmp_path / "page.html")
    page = re.sub(r"\s+|<[^>]+>", " ", (tmp_path / "page.html").read_text("utf-8"))

    readings = re.findall(r"Interval score, coverage.{,200}?(Higher|Worse|Better)", page)
    assert readings == ["Higher"]
    assert not re.search(r"Direction\s+(lower|higher)", page)


def test_the_page_of_one_system_has_the_direction_of_every_number(tmp_path):
    """Losses are better if they are lower, and ties are neither."""
    requires("jinja2")
    metric = mm.WinRate()
    metric.add([1, 1, 0.5, 0])
    mm.report(metric, tmp_path / "page.html")
    page = re.sub(r"(\s|<[^>]+>)+", " ", (tmp_path / "page.html").read_text("utf-8"))

    table = page.partition("All numbers")[2]
    assert re.search(r"losses 1 lower is better", table)
    assert not re.search(r"ties 1 (higher|lower)", table)


def test_bounds_are_the_worst_and_the_best_of_every_number():
    """Of games without a score: the most losses are the worst, and the fewest the best."""
    metric = mm.WinRate(unscored="bounds")
    metric.add([1, 0.5, 0])
    metric.add_unscored(reason=["error"] * 2)
    result = metric.compute()

    assert result.bounds["losses"] == (3, 1)
    assert result.bounds["ties"] == (1, 3)


@pytest.mark.filterwarnings("ignore")
def test_a_slice_is_worse_only_where_there_is_a_direction():
    """One whose number has no direction is higher or lower than the others."""
    rng = np.random.default_rng(0)
    metric = mm.Sliced(mm.IntervalScore(alpha=0.1, interval=0.95), by="kind", rest=True)
    labels = np.concatenate([rng.normal(size=200), rng.normal(size=200) * 2])
    metric.add(np.full(400, -1), np.full(400, 1), labels, by={"kind": ["a"] * 200 + ["b"] * 200})
    metric.compute()
    of_slice = metric.intervals["kind=b"]

    assert of_slice["interval_score"].apart.outcome == "worse"
    assert of_slice["coverage"].apart.outcome == "lower"


def test_an_own_direction_wins():
    """A direction that is set on a metric is that of its numbers without another one."""
    metric = mm.MeanBias()
    assert metric.direction_of("bias") is None
    metric.higher_is_better = False
    assert metric.direction_of("bias") is False
    assert mm.Mean(higher_is_better=True).direction_of("mean") is True
    assert mm.Mean(higher_is_better=False).direction_of("mean") is False


def test_a_record_has_the_directions():
    """A metric whose numbers all have its direction is described as before."""
    assert describe_metric(mm.WinRate())["higher_is_better_of"] == {"ties": None, "losses": False}
    assert "higher_is_better_of" not in describe_metric(mm.Accuracy())


def test_numbers_under_keys_that_are_no_strings_are_drawn():
    """Those of thresholds: they are numbers of the metric, not metrics of a collection."""
    requires("matplotlib")
    metric = mm.HmeanIoU(pred_score_thrs=(0.5, 0.7))
    square, other = [0, 0, 2, 0, 2, 2, 0, 2], [5, 5, 6, 5, 6, 6, 5, 6]
    metric.add([[square, other]], [[0.9, 0.6]], [[square]], [[False]])

    assert "0.5 hmean 0.6667" in mm.plots.alternative(metric.plot())
    assert "0.5 hmean 0.6667" in mm.plots.alternative(mm.plots.draw(metric.compute()))
