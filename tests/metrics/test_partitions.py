"""The metrics of partitions and of association against scikit-learn and scipy."""

import math
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats.contingency import association, crosstab
from sklearn import metrics as sk

from mmeval_like import (
    AdjustedMutualInfoScore,
    AdjustedRandScore,
    CompletenessScore,
    CramersV,
    FowlkesMallowsIndex,
    HomogeneityScore,
    MetricCollection,
    MutualInfoScore,
    NormalizedMutualInfoScore,
    PairConfusionMatrix,
    PearsonsContingencyCoefficient,
    RandScore,
    TheilsU,
    TschuprowsT,
    VMeasureScore,
)
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers.examples import examples

MEANS = ("arithmetic", "geometric", "min", "max")


def groups(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
    """Clusters that have something to do with classes, of few and of very large numbers."""
    classes = rng.integers(0, 4, n)
    clusters = np.where(rng.random(n) < 0.6, classes, rng.integers(0, 5, n))
    return clusters, classes


def large(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
    """The same by numbers that need a tally."""
    clusters, classes = groups(rng, n)
    return clusters * 536_870_911, 2**31 - 1 - classes


def ours(function: Any, key: str, clusters: Any, classes: Any, **options: Any) -> dict[str, Any]:
    """The value of a function of scikit-learn."""
    return {key: function(classes, clusters, **options)}


def associated(method: str, key: str, clusters: Any, classes: Any) -> dict[str, float]:
    """The value of scipy, without a correction; nan of one row or column."""
    table = crosstab(classes, clusters).count
    if min(table.shape) == 1:
        return {key: 0.0 if method == "pearson" else math.nan}
    return {key: association(table, method=method)}


def bergsma(geometric: bool, key: str, clusters: Any, classes: Any) -> dict[str, float]:
    """Corrected, from the table by numpy."""
    table = crosstab(classes, clusters).count
    count, (r, k) = table.sum(), table.shape
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / count
    phi = ((table - expected) ** 2 / expected).sum() / count
    phi = max(phi - (r - 1) * (k - 1) / (count - 1), 0.0)
    r, k = (size - (size - 1) ** 2 / (count - 1) for size in (r, k))
    size = math.sqrt((r - 1) * (k - 1)) if geometric else min(r - 1, k - 1)
    return {key: math.sqrt(phi / size)}


def explained(clusters: Any, classes: Any) -> dict[str, float]:
    """By scikit-learn's information, of which H(x) is that of x with itself."""
    whole = sk.mutual_info_score(clusters, clusters)
    return {"theils_u": sk.mutual_info_score(classes, clusters) / whole if whole else math.nan}


def case(cls: Any, function: Any, key: str, tolerance: float = 1e-8) -> MetricCase:
    """A case without options."""
    return MetricCase(cls, groups, partial(ours, function, key), tolerance)


CASES = {
    "MutualInfoScore": case(MutualInfoScore, sk.mutual_info_score, "mutual_info"),
    "NormalizedMutualInfoScore": case(
        NormalizedMutualInfoScore, sk.normalized_mutual_info_score, "nmi"
    ),
    "AdjustedMutualInfoScore": MetricCase(
        AdjustedMutualInfoScore, groups,
        partial(ours, sk.adjusted_mutual_info_score, "ami"), 1e-8, least=8,
    ),
    "RandScore": case(RandScore, sk.rand_score, "rand"),
    "AdjustedRandScore": case(AdjustedRandScore, sk.adjusted_rand_score, "adjusted_rand"),
    "FowlkesMallowsIndex": case(FowlkesMallowsIndex, sk.fowlkes_mallows_score, "fowlkes_mallows"),
    "PairConfusionMatrix": MetricCase(
        PairConfusionMatrix, groups, partial(ours, sk.cluster.pair_confusion_matrix,
                                             "pair_confusion"),
        empty={"pair_confusion": np.zeros((2, 2), np.int64)},
    ),
    "HomogeneityScore": case(HomogeneityScore, sk.homogeneity_score, "homogeneity"),
    "CompletenessScore": case(CompletenessScore, sk.completeness_score, "completeness"),
    "VMeasureScore": case(VMeasureScore, sk.v_measure_score, "v_measure"),
    "CramersV": MetricCase(CramersV, groups, partial(bergsma, False, "cramers_v"), 1e-8, least=16),
    "TschuprowsT": MetricCase(
        TschuprowsT, groups, partial(bergsma, True, "tschuprows_t"), 1e-8, least=16
    ),
    "PearsonsContingencyCoefficient": MetricCase(
        PearsonsContingencyCoefficient, groups,
        partial(associated, "pearson", "contingency_coefficient"), 1e-8, least=8,
    ),
    "TheilsU": MetricCase(TheilsU, groups, explained, 1e-8),
}  # fmt: skip
VARIANTS = {
    "RandScore of large numbers": MetricCase(
        RandScore, large, partial(ours, sk.rand_score, "rand")
    ),
    "RandScore, fixed": MetricCase(
        partial(RandScore, 4, 5), groups, partial(ours, sk.rand_score, "rand")
    ),
    "VMeasureScore, beta 2": MetricCase(
        partial(VMeasureScore, beta=2.0), groups,
        partial(ours, sk.v_measure_score, "v_measure", beta=2.0), 1e-8,
    ),
    **{
        f"NMI, {mean}": MetricCase(
            partial(NormalizedMutualInfoScore, average_method=mean), groups,
            partial(ours, sk.normalized_mutual_info_score, "nmi", average_method=mean), 1e-8,
        )
        for mean in MEANS
    },
    **{
        f"AMI, {mean}": MetricCase(
            partial(AdjustedMutualInfoScore, average_method=mean), groups,
            partial(ours, sk.adjusted_mutual_info_score, "ami", average_method=mean), 1e-8,
            least=8,
        )
        for mean in MEANS
    },
    "CramersV, plain": MetricCase(
        partial(CramersV, bias_correction=False), groups,
        partial(associated, "cramer", "cramers_v"), 1e-8,
    ),
    "TschuprowsT, plain": MetricCase(
        partial(TschuprowsT, bias_correction=False), groups,
        partial(associated, "tschuprow", "tschuprows_t"), 1e-8,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", [*CASES, *VARIANTS])
def test_laws(name: str) -> None:
    """The metric equals its oracle and keeps every law."""
    check_metric((CASES | VARIANTS)[name], examples=examples(3))


PARTITIONS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=9)


@settings(max_examples=examples(60), deadline=None)
@given(PARTITIONS)
def test_small_partitions(pairs: list[tuple[int, int]]) -> None:
    """Every score of few samples, where divisors are often 0, is scikit-learn's."""
    clusters, classes = (list(column) for column in zip(*pairs, strict=True))
    for name, found in CASES.items():
        if found.least > 8 or name in ("TheilsU", "PearsonsContingencyCoefficient"):
            continue
        expected = found.oracle(clusters, classes)  # type: ignore[misc]
        for make in (found.make, partial(found.make, num_classes=4, num_clusters=4)):
            value = make()(clusters, classes)
            for key in expected:
                assert value[key] == pytest.approx(expected[key], abs=1e-7), (name, pairs)


def test_one_count_for_all() -> None:
    """All metrics of partitions share one statistic."""
    members = [found.make() for found in CASES.values()]
    metrics = MetricCollection(members)
    metrics.add([0, 0, 1, 2], [0, 0, 1, 1])

    assert len({metric.statistic for metric in members}) == 1
    assert metrics.compute()["HomogeneityScore"] == {"homogeneity": 1.0}


@given(st.integers(1, 5), st.integers(1, 5), st.integers(1, 3))
def test_independent_columns_are_exactly_so(r: int, k: int, times: int) -> None:
    """A table of equal counts has an association of 0 to the bit, or none."""
    clusters, classes = (np.repeat(axis.ravel(), times) for axis in np.indices((k, r)))
    value = CramersV(bias_correction=False)(clusters, classes)["cramers_v"]

    assert value == 0.0 or (min(r, k) == 1 and math.isnan(value))
    assert PearsonsContingencyCoefficient()(clusters, classes) == {"contingency_coefficient": 0.0}


def test_equal_partitions_are_exactly_so() -> None:
    """Partitions that differ in names only have 1 to the bit."""
    classes = np.repeat(np.arange(7), np.arange(1, 8))
    for name, key in [("HomogeneityScore", "homogeneity"), ("CompletenessScore", "completeness"),
                      ("VMeasureScore", "v_measure"), ("NormalizedMutualInfoScore", "nmi"),
                      ("AdjustedMutualInfoScore", "ami"), ("RandScore", "rand"),
                      ("AdjustedRandScore", "adjusted_rand"),
                      ("FowlkesMallowsIndex", "fowlkes_mallows")]:  # fmt: skip
        assert CASES[name].make()(9 - classes, classes) == {key: 1.0}


def test_one_value_explains_nothing() -> None:
    """A column of one value has no association, and its entropy is 0."""
    assert math.isnan(CramersV()([0, 0], [0, 1])["cramers_v"])
    assert math.isnan(CramersV()([0, 1], [0, 1])["cramers_v"])
    assert math.isnan(CramersV()([0], [0])["cramers_v"])
    assert math.isnan(TschuprowsT()([0, 1], [1, 1])["tschuprows_t"])
    assert math.isnan(TheilsU()([0, 0], [0, 1])["theils_u"])
    assert TheilsU()([0, 1], [0, 0]) == {"theils_u": 0.0}


@pytest.mark.parametrize(
    ("metric", "batch", "error", "text"),
    [
        (RandScore(), ([0, 1], [0]), ValueError, "same length"),
        (RandScore(), ([[0]], [[0]]), ValueError, r"\(N,\)"),
        (RandScore(), ([-1], [0]), ValueError, "predictions must be in"),
        (RandScore(), ([0], [2**31]), ValueError, "labels must be in"),
        (RandScore(num_classes=2), ([0], [2]), ValueError, r"labels must be in \[0, 2\)"),
        (RandScore(2, 3), ([3], [1]), ValueError, r"predictions must be in \[0, 3\)"),
        (RandScore(), ([0.5], [0]), TypeError, "integers"),
    ],
)
def test_bad_inputs(metric: Any, batch: Any, error: type[Exception], text: str) -> None:
    """What are no groups is refused."""
    with pytest.raises(error, match=text):
        metric.add(*batch)


def test_bad_options() -> None:
    """Options that mean nothing are refused."""
    with pytest.raises(ValueError, match="num_classes"):
        RandScore(0)
    with pytest.raises(ValueError, match="average_method"):
        NormalizedMutualInfoScore(average_method="mean")
    with pytest.raises(ValueError, match="beta"):
        VMeasureScore(beta=0)
