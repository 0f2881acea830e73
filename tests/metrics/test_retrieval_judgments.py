"""Metrics of users, few judgments, curves and subtopics: against plain formulas, trec_eval."""

import itertools
import math
from functools import partial
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers.examples import examples
from tests.metrics import queries
from tests.metrics.test_retrieval import same, values
from tests.metrics.test_retrieval_trec import trec, trec_eval


def last_of_equals(plain: Any, scores: Any, labels: Any, *others: Any) -> list[float]:
    """A formula of every list in which the better of equal scores comes last."""
    found = []
    for place, (row, gains) in enumerate(zip(scores, labels, strict=True)):
        order = sorted(range(len(row)), key=lambda i: (-row[i], gains[i]))
        ranked = [float(gains[i]) for i in order]
        judged = ranked if len(others) < 2 else [float(g) for g in others[1][place]]
        found.append(plain(ranked, judged))
    return found


def mean(key: str, plain: Any, *columns: Any) -> dict[str, float]:
    """The mean over lists for which it is defined."""
    known = [v for v in last_of_equals(plain, *columns) if not math.isnan(v)]
    return {key: math.fsum(known) / len(known) if known else math.nan}


def judged_tables(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """Scores and gains of which some are not judged."""
    shape = n, int(rng.integers(1, 7))
    return rng.integers(0, 4, shape) / 4, rng.integers(-1, 2, shape)


@queries.of_relevant
def bpref(gains: Any, judged: Any, k: int | None) -> float:
    """Binary preference."""
    r, n = queries.number(judged), sum(gain == 0 for gain in judged)
    total = 0.0
    for i, gain in enumerate(gains):
        above = min(sum(g == 0 for g in gains[:i]), r)
        total += (gain >= 1) * (1 - above / min(r, n) if above else 1.0)
    return total / r


@queries.of_relevant
def inferred(gains: Any, judged: Any, k: int | None) -> float:
    """Inferred average precision."""
    total = 0.0
    for i, gain in enumerate(gains):
        if gain >= 1:
            r, n = sum(g >= 1 for g in gains[:i]), sum(g == 0 for g in gains[:i])
            likely = (r + 1e-5) / (r + n + 2e-5)
            total += (1 + i * likely) / (i + 1) if i else 1.0
    return total / queries.number(judged)


@queries.of_relevant
def interpolated(gains: Any, judged: Any, k: int | None) -> float:
    """The highest precision at a recall of a half or more."""
    r = queries.number(judged)
    steps = range(1, len(gains) + 1)
    reached = [queries.hits(gains, i) / i for i in steps if 2 * queries.hits(gains, i) >= r]
    return max(reached, default=0.0)


def curve(scores: Any, labels: Any) -> dict[str, Any]:
    """Mean precision and recall of the first three."""
    found = {}
    for key, plain in (("precision", queries.precision), ("recall", queries.recall)):
        each = [queries.oracle(partial(plain, k=k), key, scores, labels)[key] for k in (1, 2, 3)]
        found[key] = np.array(each)
    return found


def best_recall(scores: Any, labels: Any) -> dict[str, Any]:
    """The best recall of the first three where the precision is a third or more."""
    found = curve(scores, labels)
    if np.isnan(found["recall"]).any():
        return {"recall": math.nan}
    good = found["recall"][found["precision"] >= 0.375]
    return {"recall": float(good.max()) if len(good) else 0.0}


def topics(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """Scores that are all different, and subtopics."""
    count = int(rng.integers(1, 5))
    scores = rng.permuted(np.tile(np.arange(count), (n, 1)), axis=1) / 8
    return scores, rng.integers(0, 2, (n, count, 3))


def alpha_ndcg(scores: Any, about: Any) -> dict[str, float]:
    """Of the first three documents; the best order is searched among all that are greedy."""
    found = []

    def gain(table: Any) -> list[float]:
        seen = [sum(table[:i], np.zeros(3, int)) for i in range(len(table))]
        return [float((row * 0.5**times).sum()) for row, times in zip(table, seen, strict=True)]

    def total(table: Any) -> float:
        return sum(g / math.log2(i + 2) for i, g in enumerate(gain(table)[:3]))

    def greedy(table: Any, order: Any) -> bool:
        chosen = [table[i] for i in order]
        return all(
            gain([*chosen[:i], chosen[i]])[-1] >= gain([*chosen[:i], other])[-1]
            for i in range(min(3, len(order)))
            for other in chosen[i:]
        )

    for row, table in zip(scores, about, strict=True):
        ranked = [table[i] for i in np.argsort(-row)]
        best = [
            total([table[i] for i in order])
            for order in itertools.permutations(range(len(table)))
            if greedy(table, order)
        ]
        if table.any():
            found.append((total(ranked), min(best), max(best)))
    if any(low < high - 1e-12 for _, low, high in found):
        return {}  # several greedy orders have different gains
    return {"alpha_ndcg@3": float(np.mean([a / b for a, b, _ in found])) if found else math.nan}


graded = partial(queries.tables, gains=3)
CASES = {
    "RankBiasedPrecision": MetricCase(
        mm.RankBiasedPrecision, queries.tables, partial(queries.oracle, queries.rank_biased, "rbp")
    ),
    "ExpectedReciprocalRank": MetricCase(
        partial(mm.ExpectedReciprocalRank, 2),
        graded,
        partial(queries.oracle, queries.expected_reciprocal_rank, "err"),
    ),
    "JudgedAtK": MetricCase(
        partial(mm.JudgedAtK, top_k=2),
        judged_tables,
        partial(queries.oracle, partial(queries.judged_share, k=2), "judged@2"),
    ),
    "BPref": MetricCase(mm.BPref, judged_tables, partial(mean, "bpref", bpref)),
    "InferredAP": MetricCase(mm.InferredAP, judged_tables, partial(mean, "inf_ap", inferred)),
    "InterpolatedPrecision": MetricCase(
        partial(mm.InterpolatedPrecision, (0.5, 1.0)),
        queries.tables,
        partial(mean, "iprec@0.5", interpolated),
    ),
    "RetrievalPrecisionRecallCurve": MetricCase(
        partial(mm.RetrievalPrecisionRecallCurve, 3),
        queries.tables,
        curve,
        empty={
            **dict.fromkeys(("precision", "recall"), np.full(3, math.nan)),
            "top_k": np.arange(1, 4),
        },
    ),
    "RetrievalRecallAtFixedPrecision": MetricCase(
        partial(mm.RetrievalRecallAtFixedPrecision, 0.375, 3),
        queries.tables,
        best_recall,
        empty={"recall": math.nan, "top_k": 3},
    ),
    "AlphaNDCG": MetricCase(partial(mm.AlphaNDCG, top_k=3), topics, alpha_ndcg),
}


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """The metric is the mean of its plain formula, and keeps every law."""
    check_metric(CASES[name], examples=examples(2), libraries=["array_api_strict"])


def test_equals_trec_eval() -> None:
    """Query by query, with ids that decide between equal scores."""
    columns = trec(np.random.default_rng(3), 200)
    levels = [f"iprec_at_recall_{level / 10:.2f}" for level in range(11)]
    theirs = trec_eval(columns, {"bpref", "iprec_at_recall", "11pt_avg"})
    relevant = np.array([(gains >= 1).any() for gains in columns[3]])
    ours = {"bpref": mm.BPref().per_sample(*columns)["bpref"]}
    found = mm.InterpolatedPrecision().per_sample(*columns)
    ours |= dict(zip([*levels, "11pt_avg"], found.values(), strict=True))
    number = np.array([(gains >= 1).sum() for gains in columns[3]])
    for name, value in ours.items():
        # Of three relevant documents trec_eval takes two for a recall of 0.7: it rounds 2.1 down.
        tenths = [levels.index(name)] if name in levels else range(11 * (name == "11pt_avg"))
        rounded = [(number * t + 9) // 10 == (t / 10 * number + 0.9).astype(int) for t in tenths]
        kept = relevant & np.all([relevant, *rounded], axis=0)
        expected = np.array([query[name] for query in theirs])
        np.testing.assert_allclose(value[kept], expected[kept], rtol=1e-12, err_msg=name)


EVERY = [
    mm.RankBiasedPrecision, partial(mm.ExpectedReciprocalRank, 3), mm.JudgedAtK, mm.BPref,
    mm.InferredAP, mm.InterpolatedPrecision,
]  # fmt: skip


@pytest.mark.parametrize("make", EVERY)
def test_no_bit_depends_on_the_order_of_documents(make: Any) -> None:
    """A list that comes in another order, or among longer ones, is the same list."""
    rng = np.random.default_rng(4)
    scores, gains = rng.integers(0, 9, (8, 20)), rng.integers(-1, 7, (8, 20)) / 2
    gains[gains < 0] = -1
    expected = values(make, scores, gains)
    order = rng.permuted(np.tile(np.arange(20), (8, 1)), axis=1)
    shuffled = [np.take_along_axis(table, order, axis=1) for table in (scores, gains)]
    assert same(values(make, *shuffled), expected)
    longer = values(make, [*scores, np.arange(33)], [*gains, np.ones(33)])
    assert same({key: found[:-1] for key, found in longer.items()}, expected)


def test_recall_where_no_list_is_precise_enough() -> None:
    """It is 0 at the largest k, as torchmetrics has it; of equal ones the smallest k."""
    batch = [[3, 2, 1]], [[0, 0, 1]]
    metric = mm.RetrievalRecallAtFixedPrecision(0.9, 2)
    assert metric(*batch) == {"recall": 0.0, "top_k": 2}
    found = mm.RetrievalRecallAtFixedPrecision(0.3, 3)([[3, 2, 1]], [[1, 0, 0]])
    assert found == {"recall": 1.0, "top_k": 1}


def test_subtopics_of_lists_that_differ() -> None:
    """Lists of any length, with ids, and judged documents that were not found."""
    labels = [np.array([[1, 0], [1, 0]]), np.array([[0, 1]])]
    judged = [np.array([[1, 0], [1, 0], [0, 1]]), np.array([[0, 1]])]
    found = mm.AlphaNDCG().per_sample([[2, 1], [5]], labels, [["a", "b"], ["a"]], judged)
    first, ideal = 1 + 0.5 / math.log2(3), 1 + 1 / math.log2(3) + 0.5 / 2
    np.testing.assert_allclose(found["alpha_ndcg"], [first / ideal, 1.0])


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: mm.RankBiasedPrecision(p=1.0), "p must be between 0 and 1"),
        (lambda: mm.ExpectedReciprocalRank(0), "max_gain must be above 0"),
        (lambda: mm.ExpectedReciprocalRank(1).add([[1]], [[2]]), "labels must not exceed max_gain"),
        (lambda: mm.RetrievalPrecisionRecallCurve(0), "max_k must be positive"),
        (lambda: mm.RetrievalRecallAtFixedPrecision(1.5, 2), "min_precision must be in"),
        (lambda: mm.InterpolatedPrecision([]), "recall must be levels"),
        (lambda: mm.InterpolatedPrecision([1.5]), "recall must be levels"),
        (lambda: mm.AlphaNDCG(alpha=2), "alpha must be in"),
        (lambda: mm.AlphaNDCG(flat=True), "flat must be False"),
        (lambda: mm.AlphaNDCG().add([[1]], [[[2]]]), r"labels must be in \[0, 2\)"),
        (lambda: mm.AlphaNDCG().add([[1]], [[1]]), "labels must have one table for each query"),
    ],
)
def test_bad_options_and_inputs(call: Any, text: str) -> None:
    """What cannot be meant is refused, by name."""
    with pytest.raises(ValueError, match=text):
        call()
