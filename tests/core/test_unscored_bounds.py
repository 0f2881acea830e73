"""Bounds are the least and the greatest value over all predictions of samples without a score."""

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.testing import LocalWorld
from mmeval_like.testing.same import same
from tests.helpers.examples import examples

MOST = 350  # fillings of one pattern


@dataclass(frozen=True)
class Case:
    """A metric, known inputs of random samples, and the predictions that a sample may have.

    Attributes:
        make: Builds the metric.
        known: Given a generator and n, returns the known inputs by name.
        possible: Given the known inputs of one sample, returns all inputs that it may have.
        inner: Of these, the places of the first that samples with a score have, and of the end.
    """

    make: Callable[..., Any]
    known: Callable[[np.random.Generator, int], dict[str, Any]]
    possible: Callable[[dict[str, Any]], list[dict[str, Any]]]
    inner: tuple[int | None, int | None] = (None, None)


def predictions(*values):
    """The inputs of a sample with each of these predictions."""
    return lambda known: [{**known, "predictions": value} for value in values]


def classes(make, size, ignored=(), **named):
    """Labels, all of `size` classes and some that are ignored, with every class as prediction."""
    weights = {"sample_weight": lambda rng, n: rng.choice([0.0, 0.5, 1.0, 3.0], n)}
    extra = {name: weights[name] for name in named}

    def known(rng, n):
        labels = rng.choice([*range(size), *ignored], n)
        return {"labels": labels, **{name: draw(rng, n) for name, draw in extra.items()}}

    return Case(make, known, predictions(*range(size)))


def ranked(make, size=3):
    """Labels, with scores of all classes, in every order, as predictions."""
    every = [[*map(float, row)] for row in itertools.permutations(range(1, size + 1))]
    return Case(make, classes(make, size).known, predictions(*every))


def label_sets(make, size=2):
    """Rows of 0 and 1, with every such row as prediction."""
    every = [list(row) for row in itertools.product((0, 1), repeat=size)]
    return Case(make, lambda rng, n: {"labels": rng.integers(0, 2, (n, size))}, predictions(*every))


def maps(make, size=3):
    """Maps of two pixels, some of which do not count, with every such map as prediction."""
    every = [np.array([one]) for one in itertools.product(range(size), repeat=2)]
    known = lambda rng, n: {"labels": [*rng.choice([*range(size), 255], (n, 1, 2))]}  # noqa: E731
    return Case(make, known, predictions(*every))


def scores(make, **named):
    """Scores above, below and between others, which also have ties."""
    possible = predictions(-2.0, -1.0, 0.3, 0.4, 0.5, 2.0, 3.0)
    return Case(make, classes(make, 2, **named).known, possible, (2, 5))


def texts(make):
    """Texts, of which predictions may be any, also much longer ones."""
    every = ["a b c", "a b d e", "b b a", "c a"]
    known = lambda rng, n: {"references": [str(rng.choice(every)) for _ in range(n)]}  # noqa: E731
    return Case(make, known, lambda one: predictions("", one["references"], *every, WRONG)(one))


WRONG = "x y z " * 9


def free(make, *values, name="predictions"):
    """Inputs of which nothing is known."""
    return Case(make, lambda rng, n: {}, lambda known: [{name: value} for value in values])


def queries(make):
    """Queries of which nothing is known; one has no relevant document."""
    pair, other = [0.9, 0.1], [0.5, 0.6, 0.1]
    values = [(pair, [1, 0]), (pair, [0, 1]), (other, [0, 0, 2]), ([0.3], [0])]
    inputs = [{"predictions": p, "labels": y} for p, y in values]
    return Case(make, lambda rng, n: {}, lambda known: inputs)


def among(make, name, values, possible):
    """Known inputs that are drawn from some values; `possible` returns the predictions of one."""
    known = lambda rng, n: {name: [values[i] for i in rng.integers(0, len(values), n)]}  # noqa: E731
    return Case(make, known, lambda one: predictions(*possible(one[name]))(one))


def masks(make):
    """Masks of four pixels, of which one to three are in class 1, with every mask as prediction."""
    every = [np.array(one).reshape(2, 2) for one in itertools.product((0, 1), repeat=4)]
    return among(make, "groundtruths", every[1:-1], lambda truth: every)


def poses(make, joints, some=(0, 1)):
    """Single instances, of which some joints are visible, and each prediction right or wrong."""
    coords = np.arange(2.0 * joints).reshape(1, joints, 2)

    def known(rng, n):
        truths = []
        for _ in range(n):
            mask = np.zeros((1, joints))
            mask[0, list(some)] = rng.random(len(some)) < 0.8
            sizes = {
                f"{item}_size": [[4.0, 4.0 * (rng.random() < 0.8)]] for item in ("bbox", "head")
            }
            truths.append({"coords": coords, "mask": mask, **sizes})
        return {"groundtruths": truths}

    found = []
    for far in itertools.product((-1.0, 0.0, 9.0), repeat=len(some)):
        moved = coords.copy()
        moved[0, list(some)] += np.array(far)[:, None]
        found.append({"coords": moved})
    return Case(make, known, predictions(*found))


def of(metric, **options):
    """A metric with these options, and more."""
    return lambda **more: metric(**options, **more)


PAIRS = [*itertools.product((-2, -1, 0.4, 2), repeat=2)]
THREE = {"task": "multiclass", "num_classes": 3}
SETS = {"task": "multilabel", "num_classes": 2}
AVERAGES = ("macro", "micro", "weighted", None)
CASES = {}
for _metric in (mm.Precision, mm.Recall, mm.FBetaScore, mm.JaccardIndex, mm.Specificity,
                mm.NegativePredictiveValue, mm.FalsePositiveRate, mm.FalseNegativeRate,
                mm.Informedness, mm.Markedness):  # fmt: skip
    _name = _metric.__name__
    CASES[f"{_name}, binary"] = classes(of(_metric), 2)
    for _average in AVERAGES:
        CASES[f"{_name}, {_average}"] = classes(of(_metric, average=_average, **THREE), 3)
        _make = of(_metric, average=_average, **SETS)
        CASES[f"{_name}, sets, {_average}"] = label_sets(_make)
    CASES[f"{_name}, two classes"] = classes(of(_metric, task="multiclass", num_classes=2), 2)
    CASES[f"{_name}, one for 0 / 0"] = classes(of(_metric, zero_division=1.0, **THREE), 3)
    CASES[f"{_name}, sets, one"] = label_sets(of(_metric, zero_division=1.0, **SETS))
    CASES[f"{_name}, ignored"] = classes(of(_metric, average="micro", ignore_index=1, **THREE), 3)
    CASES[f"{_name}, padding"] = classes(of(_metric, ignore_index=-1, **THREE), 3, [-1])
    if _metric is not mm.Markedness:
        for _average in AVERAGES:
            _options = {"zero_division": math.nan, "average": _average}
            CASES[f"{_name}, nan, {_average}"] = classes(of(_metric, **_options, **THREE), 3)
            CASES[f"{_name}, nan, sets, {_average}"] = label_sets(of(_metric, **_options, **SETS))
for _metric in (mm.Precision, mm.FBetaScore, mm.Specificity):
    _make = of(_metric, average="samples", **SETS)
    CASES[f"{_metric.__name__}, samples"] = label_sets(_make)
    _make = of(_metric, use_sample_weight=True)
    CASES[f"{_metric.__name__}, weighted"] = classes(_make, 2, sample_weight=True)
    _make = of(_metric, average="micro", use_sample_weight=True, **THREE)
    CASES[f"{_metric.__name__}, weighted, micro"] = classes(_make, 3, sample_weight=True)
for _average in AVERAGES:
    _make = of(mm.SingleLabelPrecisionRecallF1score, num_classes=3, average=_average)
    CASES[f"SingleLabel, {_average}"] = classes(_make, 3)
    CASES[f"Accuracy, {_average}"] = classes(of(mm.Accuracy, num_classes=3, average=_average), 3)
    _make = of(mm.Accuracy, topk=(1, 2), thrs=(0.0, None), num_classes=3, average=_average)
    CASES[f"Accuracy, several k, {_average}"] = ranked(_make)
    _make = of(mm.HammingDistance, average=_average, **THREE)
    CASES[f"HammingDistance, {_average}"] = classes(_make, 3)
CASES |= {
    "SingleLabel, binary": classes(
        of(mm.SingleLabelPrecisionRecallF1score, num_classes=2, average="binary"), 2
    ),
    "SingleLabel, many classes": classes(
        of(mm.SingleLabelPrecisionRecallF1score, num_classes=40, average=None), 3
    ),
    "Accuracy": classes(of(mm.Accuracy), 3),
    "Accuracy, several k": ranked(of(mm.Accuracy, topk=(1, 2))),
    "Accuracy, weighted": classes(of(mm.Accuracy, use_sample_weight=True), 3, sample_weight=True),
    "SubsetAccuracy": classes(of(mm.SubsetAccuracy, **THREE), 3),
    "SubsetAccuracy, sets": label_sets(of(mm.SubsetAccuracy, **SETS)),
    "BalancedAccuracy": classes(of(mm.BalancedAccuracy, **THREE), 3),
    "BalancedAccuracy, adjusted": classes(of(mm.BalancedAccuracy, adjusted=True), 2),
    "GeometricMean": classes(of(mm.GeometricMean, **THREE), 3),
    "LikelihoodRatios": classes(of(mm.LikelihoodRatios), 2),
    "StatScores": classes(of(mm.StatScores, **THREE), 3),
    "StatScores, each": classes(of(mm.StatScores, average=None, **THREE), 3),
    "StatScores, sets": label_sets(of(mm.StatScores, average=None, **SETS)),
    "ClassificationReport": classes(of(mm.ClassificationReport, **THREE), 3),
    "CohenKappa, two classes": classes(of(mm.CohenKappa, num_classes=2), 2),
    "CohenKappa": classes(of(mm.CohenKappa, num_classes=3), 3),
    "CohenKappa, linear": classes(of(mm.CohenKappa, num_classes=3, weights="linear"), 3),
    "CohenKappa, quadratic": classes(of(mm.CohenKappa, num_classes=4, weights="quadratic"), 4),
    "CohenKappa, many classes": Case(
        of(mm.CohenKappa, num_classes=40),
        lambda rng, n: {"labels": rng.integers(0, 3, n)},
        predictions(0, 1, 2, 30),
    ),
    "CohenKappa, weighted": classes(
        of(mm.CohenKappa, num_classes=3, use_sample_weight=True), 3, sample_weight=True
    ),
    "MeanIoU": maps(of(mm.MeanIoU, num_classes=3)),
    "MeanIoU, two classes": maps(of(mm.MeanIoU, num_classes=2, classwise_results=True), 2),
    "MeanIoU, foreground": maps(of(mm.MeanIoU, num_classes=3, include_background=False)),
    "MeanIoU, 0 for nan": maps(of(mm.MeanIoU, num_classes=3, nan_to_num=0)),
    "MatthewsCorrCoef": classes(of(mm.MatthewsCorrCoef, num_classes=2), 2),
    "MatthewsCorrCoef, sets": label_sets(of(mm.MatthewsCorrCoef, **SETS)),
    "AUROC": scores(of(mm.AUROC)),
    "AUROC, weighted": scores(of(mm.AUROC, use_sample_weight=True), sample_weight=True),
    "AUROC, partial": scores(of(mm.AUROC, max_fpr=0.4)),
    "AUROC, bins": Case(
        of(mm.AUROC, bins=4), classes(of(mm.AUROC), 2).known, predictions(0.0, 0.3, 0.6, 1.0)
    ),
    "GiniCoefficient": scores(of(mm.GiniCoefficient)),
    "AveragePrecision": scores(of(mm.AveragePrecision, task="binary", percent=False)),
    "AveragePrecision, sets": Case(
        of(mm.AveragePrecision, percent=False, average=None, **SETS),
        label_sets(None).known,
        predictions(
            (0.4, 0.4), (0.5, 0.4), (0.4, 0.5), *itertools.product((-2, -1, 0.4, 2), repeat=2)
        ),
        (0, 3),
    ),
    "Mean": free(of(mm.Mean, bounds=(1, 5)), 1.0, 2.0, 5.0, name="values"),
    "Mean, lower is better": free(
        of(mm.Mean, bounds=(1, 5), higher_is_better=False), 1.0, 2.0, 5.0, name="values"
    ),
    "PassAtK": free(of(mm.PassAtK, k=(1, 2)), [0, 0], [1, 0], [1, 1], name="correct"),
    "PassHatK": free(of(mm.PassHatK, k=2), [0, 0], [1, 0], [1, 1], name="correct"),
    "GPassAtK": free(of(mm.GPassAtK, k=2), [0, 0], [1, 0], [1, 1], name="correct"),
    "WinRate": free(of(mm.WinRate), 0, 0.5, 1, name="outcomes"),
    "PositionBias": Case(
        of(mm.PositionBias),
        lambda rng, n: {},
        lambda known: [
            {"outcomes": one, "swapped_outcomes": other}
            for one in (0, 0.5, 1)
            for other in (0, 0.5, 1)
        ],
    ),
    "ExactMatch": texts(of(mm.ExactMatch)),
    "SQuAD": texts(of(mm.SQuAD)),
    "ROUGE": texts(of(mm.ROUGE)),
    "PCKAccuracy": poses(of(mm.PCKAccuracy, thr=0.3, norm_item=["bbox", "head"]), 2),
    "MpiiPCKAccuracy": poses(of(mm.MpiiPCKAccuracy), 16, [9, 6]),
    "JhmdbPCKAccuracy": poses(of(mm.JhmdbPCKAccuracy), 15, [7, 8]),
    "VQAAccuracy": among(
        of(mm.VQAAccuracy, normalizer=str.lower),
        "references",
        [["a"] * 10, ["a", "b", "c"], ["A", "a", "b", "c"], ["b"] * 3 + ["a"] * 7],
        lambda answers: ("", *answers),
    ),
    "ANLS": among(of(mm.ANLS), "references", [["ab"], ["abc", "x"]], lambda one: ("", one[0])),
    "SymmetricMeanAbsolutePercentageError": among(
        of(mm.SymmetricMeanAbsolutePercentageError),
        "labels",
        [0.0, 1.0, -2.0],
        lambda label: (label, -label, 1.0, -1.0),
    ),
    "CosineSimilarity": among(
        of(mm.CosineSimilarity),
        "labels",
        [[3.0, 4.0], [0.0, 2.0], [-5.0, 0.0]],
        lambda label: (label, [-one for one in label], [1.0, 1.0]),
    ),
    "MajorityVote": among(
        of(mm.MajorityVote),
        "labels",
        ["1", "2"],
        lambda label: (["1", "1"], ["2"], ["1", "2", "3"], [None, "2"]),
    ),
    "GeneralizedDiceScore": masks(of(mm.GeneralizedDiceScore, num_classes=2)),
    "BoundaryIoU": masks(of(mm.BoundaryIoU, num_classes=2)),
    "NormalizedSurfaceDistance": masks(
        of(mm.NormalizedSurfaceDistance, num_classes=2, tolerance=0.5)
    ),
    "LabelRankingLoss": among(
        of(mm.LabelRankingLoss),
        "labels",
        [[1, 0, 0], [0, 1, 1]],
        lambda label: ([0.9, 0.5, 0.1], [0.1, 0.5, 0.9], [0.5, 0.9, 0.8]),
    ),
    "AlphaNDCG": Case(
        of(mm.AlphaNDCG, empty="zero"),
        lambda rng, n: {},
        lambda known: [
            {"predictions": [0.9, 0.1], "labels": topics}
            for topics in ([[1, 0], [0, 1]], [[0, 0], [1, 1]], [[0, 0], [0, 0]])
        ],
    ),
    "RetrievalMRR": queries(of(mm.RetrievalMRR, empty="zero")),
    "RetrievalMAP": queries(of(mm.RetrievalMAP, empty="zero")),
    "RetrievalNormalizedDCG": queries(of(mm.RetrievalNormalizedDCG, empty="zero")),
    "RetrievalPrecision": queries(of(mm.RetrievalPrecision, empty="zero", top_k=1)),
    "RetrievalRecall": queries(of(mm.RetrievalRecall, empty="zero", top_k=1)),
    "RetrievalMRR, median": queries(of(mm.RetrievalMRR, empty="zero", aggregation="median")),
}


def joined(samples):
    """The inputs of samples, given those of each."""
    return {name: [one[name] for one in samples] for name in samples[0]}


def numbers(values):
    """All numbers of a result or of bounds, by key and place."""
    found = {}
    for key, value in values.items():
        if isinstance(value, list):
            found |= {(key, place): one for place, one in enumerate(value)}
        elif isinstance(value, int | float):
            found[key, 0] = value
    return found


def ends(each, direction_of):
    """The worst and the best of each number; nan are left out."""
    for key in each[0]:
        known = [one[key] for one in each if not math.isnan(one[key])] or [math.nan]
        low, high = min(known), max(known)
        yield key, ((high, low) if direction_of(key[0]) is False else (low, high))


def drawn(case, rng, count):
    """Random samples: the inputs that each of them may have, and those that it has."""
    known = case.known(rng, count)
    each = [{name: column[i] for name, column in known.items()} for i in range(count)]
    choices = [case.possible(one) for one in each]
    inner = [options[slice(*case.inner)] for options in choices]
    return choices, [options[rng.integers(len(options))] for options in inner]


def subsets(count):
    """Every list of some of these places."""
    for size in range(count + 1):
        yield from map(list, itertools.combinations(range(count), size))


def patterns(case, rng, trials):
    """Random samples, with the ones that have no score."""
    for _ in range(trials):
        count = int(rng.integers(3, 9))
        choices, samples = drawn(case, rng, count)
        width = max(map(len, choices))
        most = max(1, int(math.log(MOST) / math.log(width)))
        without = rng.choice(count, int(rng.integers(0, min(count, most) + 1)), replace=False)
        yield choices, samples, sorted(without.tolist())


def bounds_of(case, samples, without):
    """The metric, and its result where some samples have no score."""
    metric = case.make(unscored="bounds", dist_backend="non_dist")
    marks = ["error" if i in without else None for i in range(len(samples))]
    metric.add(**joined(samples), unscored=marks)
    return metric, metric.compute()


def check_bounds(case, choices, samples, without, values):
    """Compare bounds with the ends over all fillings; `values` has those of fillings seen before.

    Returns:
        The number of fillings.
    """
    metric, result = bounds_of(case, samples, without)
    plain, each = case.make(dist_backend="non_dist"), []
    for filling in itertools.product(*(range(len(choices[i])) for i in without)):
        places = dict(zip(without, filling, strict=True))
        seen = tuple(places.get(i) for i in range(len(samples)))
        if seen not in values:
            filled = list(samples)
            for place, option in places.items():
                filled[place] = choices[place][option]
            values[seen] = numbers(plain(**joined(filled)))
        each.append(values[seen])
    found = [numbers({key: pair[end] for key, pair in result.bounds.items()}) for end in (0, 1)]
    for key, (worst, best) in ends(each, metric.direction_of):
        if "error_bound" in key[0]:  # of bins, not of samples
            continue
        pair = found[0][key], found[1][key]
        if metric.outer_bounds and without:
            low, high = sorted((worst, best))
            assert not min(pair) > low + 1e-12, (key, pair, worst, best)
            assert not max(pair) < high - 1e-12, (key, pair, worst, best)
        else:
            assert pair == pytest.approx((worst, best), abs=1e-12, nan_ok=True), (key, samples)
    assert result.account.outer == (metric.outer_bounds and len(without) > 0)
    assert (result.planned, result.scored) == (len(samples), len(samples) - len(without))
    return len(each)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CASES)
def test_bounds_are_the_ends_over_all_predictions(name):
    """Equal where the metric says they are exact; otherwise they contain them."""
    case, rng = CASES[name], np.random.default_rng(sum(map(ord, name)))
    for choices, samples, without in patterns(case, rng, examples(5)):
        check_bounds(case, choices, samples, without, {})


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CASES)
def test_every_pattern_of_few_samples(name):
    """Whichever of up to three samples have no score, all of them and none of them among these."""
    case, rng = CASES[name], np.random.default_rng(len(name))
    for count in (1, 2, 3):
        choices, samples = drawn(case, rng, count)
        values: dict[Any, Any] = {}
        for without in subsets(count):
            if math.prod(len(choices[i]) for i in without) <= MOST // 4:
                assert check_bounds(case, choices, samples, without, values)


@pytest.mark.parametrize(
    "make",
    [
        of(mm.LogLoss),
        of(mm.MeanSquaredError),
        of(mm.Mean),
        of(mm.ConfusionMatrix, num_classes=3),
        of(mm.MatthewsCorrCoef, num_classes=3),
        of(mm.ROC),
        of(mm.KolmogorovSmirnov),
        of(mm.Markedness, zero_division=math.nan, **THREE),
        of(mm.Precision, average="samples", zero_division=math.nan, **SETS),
        of(mm.R2Score),
        of(mm.NIST),
        of(mm.COCODetection, classes=["cat"]),
        of(mm.BrierScore),
        of(mm.MultipleChoiceAccuracy),
        of(mm.EntityF1),
        of(mm.IntersectionOverUnion),
        of(mm.ConcatenatedWER),
    ],
)
def test_unknown_extremes_are_refused(make):
    """A metric without bounds says so when it is made, and names what works."""
    with pytest.raises(TypeError, match=r'defines no bounds .* pass unscored="drop"'):
        make(unscored="bounds")
    make(unscored="drop")


@pytest.mark.parametrize(
    "metric",
    [
        *(mm.WordErrorRate, mm.CharErrorRate, mm.MatchErrorRate, mm.WordInfoLost),
        *(mm.WordInfoPreserved, mm.TranslationEditRate, mm.EditDistance, mm.BLEU, mm.GoogleBLEU),
        *(mm.CHRFScore,),
    ],
)
def test_a_longer_wrong_text_is_worse_than_the_empty_one(metric):
    """So the empty text is no bound: these metrics refuse bounds, and say what counts it."""
    metric(unscored="drop")
    with pytest.raises(TypeError, match='unscored=""'):
        metric(unscored="bounds")

    def value(prediction):
        one = metric(dist_backend="non_dist")
        one.add(["a b c d e", prediction], ["a b c d e", "f g h i j"])
        [found] = one.compute().values()
        return found

    sign = 1 if metric.higher_is_better else -1
    empty = metric(unscored="", dist_backend="non_dist")
    empty.add(["a b c d e", None], ["a b c d e", "f g h i j"], unscored=[None, "error"])
    assert [*empty.compute().values()] == [value("")]
    assert sign * value(WRONG) < sign * value("")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [*CASES][::3])
def test_intervals_contain_the_bounds(name):
    """An interval reaches from the worst to the best value at least."""
    case, rng = CASES[name], np.random.default_rng(len(name))
    for _, samples, without in patterns(case, rng, 2):
        metric = case.make(unscored="bounds", interval=0.95, dist_backend="non_dist")
        marks = ["error" if i in without else None for i in range(len(samples))]
        metric.add(**joined(samples), unscored=marks)
        result = metric.compute()
        for key, pair in result.bounds.items():
            if key not in result.intervals or isinstance(pair[0], list):
                continue
            one = result.intervals[key]
            for value in pair:
                outside = value < one.low - 1e-12 or value > one.high + 1e-12
                assert not outside, (key, pair, one)


ON_RANKS = (
    "AUROC",
    "AveragePrecision",
    "CohenKappa",
    "FBetaScore, macro",
    "Mean",
    "MeanIoU",
    "ROUGE",
)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ON_RANKS)
def test_ranks_return_the_bounds_of_one_process(name):
    """Whatever the number of ranks, bit for bit."""
    case, rng = CASES[name], np.random.default_rng(len(name))
    for _, samples, without in patterns(case, rng, 3):
        expected = bounds_of(case, samples, without)[1]
        marks = ["error" if i in without else None for i in range(len(samples))]

        def evaluate(backend):
            metric = case.make(unscored="bounds", dist_backend=backend)
            shard = slice(backend.rank, None, backend.world_size)
            if samples[shard]:  # noqa: B023
                metric.add(**joined(samples[shard]), unscored=marks[shard])  # noqa: B023
            return metric.compute()

        for found in LocalWorld(3).run(evaluate):
            assert same(dict(found), dict(expected))
            assert same(dict(found.bounds), dict(expected.bounds))
            assert (found.planned, found.unscored) == (expected.planned, expected.unscored)


@pytest.mark.filterwarnings("ignore")
def test_intervals_of_bounds_stay_in_the_range() -> None:
    """The arm of the scored samples, around the worst value, would leave the range of a share."""
    rng = np.random.default_rng(0)
    for _ in range(10):
        labels = rng.integers(0, 3, 50)
        found = np.where(rng.random(50) < 0.6, labels, rng.integers(0, 3, 50))
        lost = [None if scored else "error" for scored in rng.random(50) < 0.6]
        for make in (mm.Precision, mm.FBetaScore, mm.JaccardIndex):
            options = {"task": "multiclass", "num_classes": 3, "average": None}
            metric = make(**options, unscored="bounds", interval=0.95)
            metric.add(found, labels, unscored=lost)
            metric.compute()
            [several] = metric.intervals.values()
            assert all(0 <= one.low <= one.value <= one.high <= 1 for one in several)
