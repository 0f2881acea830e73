"""Metrics of ranked documents: against all orders of equal scores, and scikit-learn."""

import itertools
import math
import warnings
from functools import partial
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.metrics.retrieval import query_ranking
from mmeval_like.testing import MetricCase, check_metric
from mmeval_like.testing.same import same
from tests.helpers import requires
from tests.helpers.examples import examples
from tests.metrics import queries

# By name: the class, its key, and the plain formula.
PLAIN: dict[str, tuple[Any, str, Any]] = {
    "RetrievalMAP": (mm.RetrievalMAP, "map", queries.average_precision),
    "RetrievalMRR": (mm.RetrievalMRR, "mrr", queries.reciprocal_rank),
    "RetrievalNormalizedDCG": (mm.RetrievalNormalizedDCG, "ndcg", queries.ndcg),
    "RetrievalDCG": (mm.RetrievalDCG, "dcg", queries.dcg),
    "RetrievalPrecision": (mm.RetrievalPrecision, "precision", queries.precision),
    "RetrievalRecall": (mm.RetrievalRecall, "recall", queries.recall),
    "RetrievalFBeta": (mm.RetrievalFBeta, "fbeta", queries.f_measure),
    "RetrievalHitRate": (mm.RetrievalHitRate, "hit_rate", queries.hit),
    "RetrievalFallOut": (mm.RetrievalFallOut, "fall_out", queries.fall_out),
    "RetrievalRPrecision": (mm.RetrievalRPrecision, "r_precision", queries.r_precision),
}
TOP_K = [name for name in PLAIN if name != "RetrievalRPrecision"]


def top_two(name: str) -> tuple[Any, Any]:
    """A metric of the first two documents, and its oracle."""
    cls, key, plain = PLAIN[name]
    first = partial(plain, k=2)
    return partial(cls, top_k=2), partial(queries.oracle, first, f"{key}@2")


def area(scores: Any, labels: Any) -> dict[str, float]:
    """The mean over lists that have both classes of the share of pairs in the right order."""
    values = []
    for row, truth in zip(scores, labels, strict=True):
        pairs = list(itertools.product(row[truth >= 1], row[truth < 1]))
        if pairs:
            values.append(np.mean([(a > b) + (a == b) / 2 for a, b in pairs]))
    return {"auroc": float(np.mean(values)) if values else math.nan}


def middle(scores: Any, labels: Any) -> dict[str, float]:
    """The median average precision."""
    values = [
        queries.mean_over_orders(queries.average_precision, s, g, None, None)
        for s, g in zip(scores, labels, strict=True)
    ]
    known = [value for value in values if not math.isnan(value)]
    return {"map": float(np.median(known)) if known else math.nan}


CASES = {
    **{
        name: MetricCase(cls, queries.tables, partial(queries.oracle, plain, key))
        for name, (cls, key, plain) in PLAIN.items()
    },
    **{
        f"{name}, lists and ids": MetricCase(
            top_two(name)[0], queries.lists, top_two(name)[1], array_inputs=False
        )
        for name in TOP_K
    },
    "RetrievalAUROC": MetricCase(mm.RetrievalAUROC, queries.tables, area),
    "RetrievalMAP, median": MetricCase(
        partial(mm.RetrievalMAP, aggregation="median"), queries.tables, middle
    ),
    "RetrievalRecall, several k": MetricCase(
        partial(mm.RetrievalRecall, top_k=[3, 1]), queries.lists, None, array_inputs=False
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """The metric is the mean over all orders of equal scores, and keeps every law."""
    check_metric(CASES[name], examples=examples(2), libraries=["array_api_strict"])


def flattened(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """Single documents of a few queries."""
    scores, labels, indexes = (
        rng.integers(0, 3, n) / 4,
        rng.integers(0, 2, n),
        rng.integers(0, 5, n),
    )
    return scores, labels, indexes


def with_ids(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """The same with the documents' ids."""
    return *flattened(rng, n), rng.permutation(n) - 3


def of_lists(make: Any, scores: Any, labels: Any, indexes: Any, ids: Any = None) -> Any:
    """What the same documents are worth as lists."""
    columns = [c for c in (scores, labels, ids) if c is not None]
    groups = [np.flatnonzero(indexes == index) for index in np.unique(indexes)]
    return make()(*([c[group] for group in groups] for c in columns))


@pytest.mark.parametrize("samples", [flattened, with_ids])
def test_single_documents_are_dealt_to_their_queries(samples: Any) -> None:
    """Documents one by one have the value of whole lists, to the last bit, and keep every law."""
    for make in (mm.RetrievalMAP, partial(mm.RetrievalNormalizedDCG, aggregation="max", top_k=2)):
        whole = partial(of_lists, make)
        case = MetricCase(partial(make, flat=True), samples, whole, tolerance=0)
        check_metric(case, examples=examples(2))


EVERY = [*(cls for cls, _, _ in PLAIN.values()), mm.RetrievalAUROC]


def values(cls: Any, *columns: Any) -> Any:
    """What a metric says of every query."""
    return cls().per_sample(*columns)


def real(rng: np.random.Generator) -> tuple[Any, ...]:
    """Lists of a few lengths up to 40, with gains that are no whole numbers, a few scores equal."""
    lengths = rng.choice([7, 20, 21, 40], 12)
    scores = [np.round(rng.random(n), 2) for n in lengths]
    gains = [np.where(rng.random(n) < 0.5, rng.random(n) * 3, 0) for n in lengths]
    return scores, gains


@pytest.mark.parametrize("cls", EVERY)
def test_no_bit_depends_on_the_order_of_documents(cls: Any) -> None:
    """A list that comes in another order is the same list, with ids and without."""
    rng = np.random.default_rng(0)
    scores, gains = real(rng)
    ids = [rng.permutation(len(row)) for row in scores]
    orders = [rng.permutation(len(row)) for row in scores]
    for columns in ((scores, gains), (scores, gains, ids)):
        shuffled = [[c[o] for c, o in zip(col, orders, strict=True)] for col in columns]
        assert same(values(cls, *columns), values(cls, *shuffled))


@pytest.mark.parametrize("cls", EVERY)
def test_no_bit_depends_on_the_path(cls: Any, monkeypatch: Any) -> None:
    """Tables and lists, one by one or in blocks, filled up or not, ranked as if all had ties."""
    rng = np.random.default_rng(1)
    scores, gains = rng.random((9, 30)).round(2), np.floor(rng.random((9, 30)) * 4) / 3
    scores[0], scores[1] = np.arange(30), 0.5  # no score twice; all scores equal
    expected = values(cls, scores, gains)
    assert same(values(cls, [*scores], gains.tolist()), expected)
    longer = values(cls, [*scores, rng.random(77)], [*gains, rng.random(77)])
    assert same({key: found[:-1] for key, found in longer.items()}, expected)

    monkeypatch.setattr(query_ranking, "_ELEMENTS", 1)
    assert same(values(cls, scores, gains), expected)
    monkeypatch.undo()
    plain = query_ranking._order
    monkeypatch.setattr(
        query_ranking, "_order", lambda *a: (plain(*a)[0], np.ones(len(a[0]), np.bool_))
    )
    assert same(values(cls, scores, gains), expected)


def test_scores_of_any_dtype_rank_alike() -> None:
    """Integers that floats would round stay apart; equal ones are ties."""
    labels = [[1, 0, 0]]
    scores = np.array([[2**63 - 2, 2**63 - 1, 2**63 - 1]])
    assert mm.RetrievalMRR()(scores, labels) == {"mrr": 1 / 3}
    for dtype in (np.int8, np.uint8, np.float16, np.float32, np.longdouble):
        assert mm.RetrievalMRR()(np.array([[1, 2, 0]], dtype), labels) == {"mrr": 0.5}
    assert mm.RetrievalMRR()([[False, True, False]], labels)["mrr"] == pytest.approx(5 / 12)
    infinite, judged = [-math.inf, math.inf, -math.inf], [[1], [1]]
    found = mm.RetrievalMRR()([infinite, []], [*labels, []], None, judged)
    assert found["mrr"] == pytest.approx(5 / 24)


def test_equals_scikit_learn() -> None:
    """Normalised and plain gains with ties, the area query by query, average precision without."""
    sk = requires("sklearn.metrics")
    rng = np.random.default_rng(2)
    scores, gains = rng.integers(0, 6, (40, 15)) / 8, rng.integers(0, 4, (40, 15))
    for k in (None, 3):
        [ours] = mm.RetrievalNormalizedDCG(empty="zero", top_k=k)(scores, gains).values()
        assert ours == pytest.approx(sk.ndcg_score(gains, scores, k=k))
        [ours] = mm.RetrievalDCG(top_k=k)(scores, gains).values()
        assert ours == pytest.approx(sk.dcg_score(gains, scores, k=k))
    binary = (gains >= 2).astype(int)
    binary[:, 0], binary[:, 1] = 0, 1
    areas = [sk.roc_auc_score(y, s) for y, s in zip(binary, scores, strict=True)]
    assert mm.RetrievalAUROC()(scores, binary)["auroc"] == pytest.approx(np.mean(areas))
    different = rng.random((40, 15))
    found = [sk.average_precision_score(y, s) for y, s in zip(binary, different, strict=True)]
    assert mm.RetrievalMAP()(different, binary)["map"] == pytest.approx(np.mean(found))


def test_average_precision_is_divided_by_all_relevant_ones() -> None:
    """Gains 1, 0, 1, 1 at k = 2: 1 / 3, as trec_eval has it."""
    assert mm.RetrievalMAP(top_k=2)([[4, 3, 2, 1]], [[1, 0, 1, 1]]) == {"map@2": 1 / 3}


def test_a_scorer_that_knows_nothing() -> None:
    """Equal scores are worth the mean over orders, wherever the relevant document stands."""
    for labels in ([1, 0, 0], [0, 1, 0], [0, 0, 1]):
        assert mm.RetrievalMRR()([[5, 5, 5]], [labels])["mrr"] == pytest.approx(11 / 18)
        assert mm.RetrievalPrecision(top_k=1)([[5, 5, 5]], [labels]) == {"precision@1": 1 / 3}


def test_documents_without_ids_or_with() -> None:
    """The largest id comes first: integers as numbers, texts as texts."""
    batch = [[5, 5]], [[1, 0]]
    assert mm.RetrievalMRR()(*batch, [[10, 9]]) == {"mrr": 1.0}
    assert mm.RetrievalMRR()(*batch, [["10", "9"]]) == {"mrr": 0.5}


def test_precision_of_short_lists() -> None:
    """They are divided by k, or by their own length where that is asked for."""
    batch = [[2, 1]], [[1, 1]]
    assert mm.RetrievalPrecision(top_k=4)(*batch) == {"precision@4": 0.5}
    assert mm.RetrievalPrecision(top_k=4, adaptive_k=True)(*batch) == {"precision@4": 1.0}


@pytest.mark.parametrize("empty", ["zero", "one", "skip"])
@pytest.mark.parametrize("options", [{}, {"top_k": 3}, {"top_k": 3, "adaptive_k": True}])
def test_nothing_that_was_found_is_a_precision_of_0(empty: Any, options: Any) -> None:
    """As in trec_eval: one document was relevant, so the query is none without an answer."""
    metric = mm.RetrievalPrecision(empty=empty, **options)
    [value] = metric([[], [0.5]], [[], [1]], judged=[[1, 0], [1, 0]]).values()
    assert value == (1 / 6 if options == {"top_k": 3} else 0.5)


def test_aggregations_with_weights() -> None:
    """A query of weight 0 does not count, and the others as often as they weigh."""
    batch = [[2, 1]] * 3, [[1, 0], [0, 1], [1, 0]]
    for how, expected in (("mean", 0.75), ("median", 0.75), ("min", 0.5), ("max", 1.0)):
        metric = mm.RetrievalMRR(aggregation=how)
        assert metric(*batch, sample_weight=[0, 1, 1]) == {"mrr": expected}
    heavy = mm.RetrievalMRR(aggregation="median")
    assert heavy(*batch, sample_weight=[1, 3, 1]) == {"mrr": 0.5}


def test_areas_weighted_by_documents() -> None:
    """The area of a longer list counts more."""
    batch = [[2, 1], [1, 2, 3]], [[1, 0], [1, 0, 0]]
    assert mm.RetrievalAUROC(weight="documents")(*batch) == {"auroc": 0.4}
    assert mm.RetrievalAUROC()(*batch) == {"auroc": 0.5}


def test_areas_of_the_first_documents() -> None:
    """Of equal scores at the cut the relevant ones come last, unless ids decide."""
    batch = [[3, 2, 1, 1]], [[0, 1, 1, 0]]
    assert mm.RetrievalAUROC(top_k=3)(*batch) == {"auroc@3": 0.5}
    assert mm.RetrievalAUROC(top_k=3)(*batch, [[1, 2, 4, 3]]) == {"auroc@3": 0.0}
    assert mm.RetrievalAUROC(top_k=3)([[3, 2, 1, 1]], [[1, 1, 1, 0]]) == {"auroc@3": 1.0}


def test_exponential_gains() -> None:
    """2^g - 1, also of gains that are no whole numbers."""
    metric = mm.RetrievalDCG(gain="exponential")
    assert metric([[3, 2]], [[3, 0]]) == {"dcg": 7.0}
    assert metric([[3]], [[0.5]])["dcg"] == pytest.approx(2**0.5 - 1)
    with pytest.raises(ValueError, match="labels must not exceed 1000"):
        metric([[3]], [[1001]])


def test_intervals_of_means() -> None:
    """A mean over queries has an interval, with several k too; extremes have none and say why."""
    rng = np.random.default_rng(0)
    batch = rng.random((80, 12)), rng.integers(0, 2, (80, 12))
    found = mm.RetrievalNormalizedDCG(top_k=[1, 5, 10], interval=0.95)(*batch)
    assert found["ndcg@5_low"] < found["ndcg@5"] < found["ndcg@5_high"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        metric = mm.RetrievalMRR(aggregation="min", interval=0.95)
        metric.add(*batch)
        metric.compute()
    assert "extremes" in metric.intervals["mrr"].thin


@pytest.mark.parametrize(
    "make",
    [
        lambda k: mm.RetrievalPrecisionRecallCurve(max_k=k),
        lambda k: mm.RetrievalRecallAtFixedPrecision(min_precision=0.5, max_k=k),
    ],
)
def test_numpy_integers_are_integers(make):
    """An option that numpy computed makes the same metric: ranks may read it from an array."""
    metric, other = make(3), make(np.int64(3))
    other.add([[3, 1, 2]], [[1, 0, 1]])
    metric.merge(other)
    assert metric.compute().samples == 1
