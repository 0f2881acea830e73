"""AUROC against scikit-learn, and what is kept of the scores."""

import math
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from mmeval_like import AUROC, ROC, MetricCollection, PrecisionRecallCurve
from mmeval_like.backends.wire.named import pack_named
from mmeval_like.testing import LocalWorld, MetricCase, check_metric
from tests.helpers.examples import examples
from tests.metrics import classes

EMPTY = {"auroc": math.nan}


def area(scores: np.ndarray, truth: np.ndarray, weights: Any = None) -> float:
    """scikit-learn's area of one class; nan where it is undefined."""
    counted = truth if weights is None else truth[weights > 0]
    if len(set(counted.tolist())) < 2:
        return math.nan
    return roc_auc_score(truth, scores, sample_weight=weights)


def oracle(
    scores: np.ndarray, labels: np.ndarray, weights: Any = None, average: str | None = "macro"
) -> dict[str, Any]:
    """One class, or every class against the rest."""
    if scores.ndim == 1:
        return {"auroc": area(scores, labels, weights)}
    truth = labels if labels.ndim == 2 else labels[:, None] == np.arange(classes.CLASSES)
    areas = np.array([area(s, t, weights) for s, t in zip(scores.T, truth.T, strict=True)])
    if average is None:
        return {"auroc_classwise": areas}
    known = ~np.isnan(areas)
    if not known.any():
        return EMPTY
    importance = truth.sum(axis=0)[known] if average == "weighted" else None
    return {"auroc": np.average(areas[known], weights=importance)}


def weighted_sets(rng: np.random.Generator, n: int) -> classes.Arguments:
    """Scores, one-hot rows and weights."""
    return *classes.label_sets(rng, n), classes.weights(rng, n)


def case(sample: Any, average: str | None = "macro", **options: Any) -> MetricCase:
    """A case of the metric."""
    make = partial(AUROC, average=average, **options)
    return MetricCase(make, sample, partial(oracle, average=average))


CASES = {
    "AUROC, binary": MetricCase(AUROC, classes.binary, oracle, empty=EMPTY),
    "AUROC, logits": MetricCase(AUROC, classes.logits, oracle, empty=EMPTY),
    "AUROC, logits, weighted": case(classes.weighted_logits, use_sample_weight=True),
    "AUROC, binary, weighted": case(classes.weighted_binary, use_sample_weight=True),
    "AUROC, classes": case(classes.tied_scores, task="multiclass", num_classes=4),
    "AUROC, classes, weighted average": case(classes.tied_scores, "weighted", task="multiclass"),
    "AUROC, label sets": case(classes.label_sets, None, task="multilabel", num_classes=4),
    "AUROC, label sets, weighted": case(
        weighted_sets, None, task="multilabel", num_classes=4, use_sample_weight=True
    ),
    # The scores are multiples of 1/16, 1/4 and 1/8: the bins below hold one value each.
    "AUROC, binary, bins": case(classes.binary, bins=16 * 3),
    "AUROC, binary, bins, weighted": case(classes.weighted_binary, bins=48, use_sample_weight=True),
    "AUROC, classes, bins": case(
        classes.tied_scores, None, task="multiclass", num_classes=4, bins=12
    ),
    "AUROC, label sets, bins": case(classes.label_sets, task="multilabel", num_classes=4, bins=24),
}


@pytest.mark.parametrize("name", CASES)
def test_laws(name: str) -> None:
    """The metric equals scikit-learn's value and keeps every law."""
    check_metric(CASES[name], examples=examples(4), libraries=["array_api_strict"])


scores_and_labels = st.lists(
    st.tuples(st.floats(allow_nan=False, width=32), st.integers(0, 1)), min_size=1, max_size=30
)


@given(scores_and_labels)
def test_it_is_a_count_of_pairs(samples: list[tuple[float, int]]) -> None:
    """Any floats, infinities and both zeros: the correctly rounded share of ordered pairs."""
    pairs = [(p, n) for p, one in samples if one for n, zero in samples if not zero]
    metric = AUROC()
    metric.add(np.array([s for s, _ in samples], np.float32), [label for _, label in samples])
    if not pairs:
        with pytest.warns(RuntimeWarning, match="undefined"):
            assert math.isnan(metric.compute()["auroc"])
        return
    higher = sum(Fraction(1 + (p > n) - (p < n), 2) for p, n in pairs)

    assert metric.compute() == {"auroc": float(higher / len(pairs))}


def test_mixed_dtypes_are_compared_exactly() -> None:
    """Batches of float32 and of float64: equal numbers are equal, others are not."""
    metric = AUROC()
    metric.add(np.array([0.5, 0.1], np.float32), [1, 0])
    metric.add(np.array([0.5, 0.1], np.float64), [0, 1])  # float32's 0.1 is above float64's

    assert metric.compute() == {"auroc": (0.5 + 1 + 0 + 0) / 4}


@pytest.mark.parametrize(
    ("dtype", "size"), [(np.float16, 4), (np.float32, 4), (np.float64, 8), (np.int64, 8)]
)
def test_bytes_per_sample(dtype: type, size: int) -> None:
    """4 bytes a sample travel for scores of up to 32 bits, 8 for others; labels are free."""
    metric = AUROC()
    metric.add(np.arange(1000).astype(dtype), np.arange(1000) % 2)
    store = metric._samples().stores()[0]
    sent = sum(len(bytes(piece)) for piece in pack_named(store.part(0).to_dict(store.states)))

    assert 1000 * size < sent < 1000 * size + 200


@given(st.integers(0, 999), st.booleans())
def test_what_is_sent_does_not_depend_on_order(seed: int, weighted: bool) -> None:
    """Every rank sends its scores sorted, with their weights, in whatever order they came."""
    rng = np.random.default_rng(seed)
    batch = classes.weighted_binary(rng, 30)[: 3 if weighted else 2]
    sent = []
    for order in (np.arange(30), rng.permutation(30)):
        metric = AUROC(use_sample_weight=weighted)
        for part in np.array_split(order, 3):
            metric.add(*(column[part] for column in batch))
        store = metric._samples().stores()[0]
        sent.append(b"".join(pack_named(store.part(0).to_dict(store.states))))

    assert sent[0] == sent[1]


def test_one_ranking_serves_a_collection() -> None:
    """Areas and curves of one task keep the scores once."""
    metrics = MetricCollection(
        {"auroc": AUROC(), "roc": ROC(), "pr": PrecisionRecallCurve(), "list": AUROC(average=None)}
    )

    assert len(metrics._samples().stores()) == 1


def test_undefined_classes() -> None:
    """Classes without positive or negative samples are nan, left out of means with a warning."""
    scores, labels = np.array([[0.5, 0.3, 0.2], [0.1, 0.8, 0.1]]), [0, 1]

    assert AUROC("multiclass", average=None)(scores, labels)["auroc_classwise"][:2] == [1.0, 1.0]
    assert math.isnan(AUROC("multiclass", average=None)(scores, labels)["auroc_classwise"][2])
    with pytest.warns(RuntimeWarning, match=r"undefined .*\[2\]"):
        assert AUROC("multiclass")(scores, labels) == {"auroc": 1.0}


def test_very_many_pairs() -> None:
    """More pairs than int64 can count, in a histogram."""
    metric = AUROC(bins=2)
    metric.add([0.1, 0.9, 0.1, 0.9], [0, 0, 1, 1])
    store = metric._samples().stores()[0]
    part = store.part(0)
    part.folded["histogram"] *= 10**12
    store.merge(part)

    assert metric.compute() == {"auroc": 0.5, "auroc_error_bound": 0.25}


def test_refusing_widths_loses_no_sample() -> None:
    """Batches that differ in width make every `compute` raise, and no `add`: none is cut off."""
    metric = AUROC("multilabel", dist_backend="non_dist")
    for width in (3, 4) * 1000:
        metric.add(np.ones((9, width), np.float32), np.zeros((9, width), int))

    assert metric._samples().stores()[0].count == 2 * 1000 * 9
    for _ in range(2):
        with pytest.raises(ValueError, match="same number of classes in every batch"):
            metric.compute()


def test_batches_of_different_width() -> None:
    """While the number of classes is open, batches that differ in it are an error everywhere."""

    def evaluate(backend: Any) -> Any:
        metric = AUROC("multilabel", dist_backend=backend)
        metric.add(np.ones((1, 3 + backend.rank)), np.zeros((1, 3 + backend.rank), int))
        with pytest.raises(Exception, match="same number of classes in every batch"):
            metric.compute()

    LocalWorld(2).run(evaluate)
    metric = AUROC("multilabel")
    for width in (3, 4):
        metric.add(np.ones((1, width)), np.zeros((1, width), int))
    with pytest.raises(ValueError, match="same number of classes in every batch"):
        metric.compute()


BAD = [
    ("binary", ([0.5, 0.1], [1]), ValueError, "same length.* 2 and 1"),
    ("binary", ([0.5], [2]), ValueError, r"labels must be in \[0, 2\), got 2.*; task="),
    ("binary", ([0.5], [-1]), ValueError, r"labels must be in \[0, 2\), got -1"),
    ("binary", ([0.5], [0.5]), TypeError, "labels must be integers"),
    ("binary", ([math.nan], [1]), ValueError, "predictions must not contain nan"),
    ("binary", ([[0.5, 0.5]], [1]), ValueError, r"predictions must have shape \(N,\)"),
    ("binary", ([1j], [1]), TypeError, "predictions must be real"),
    ("binary", (["a"], [1]), TypeError, "predictions"),
    ("binary", ([0.5], [1], [1]), ValueError, "use_sample_weight=True"),
    ("multiclass", ([0.5], [1]), ValueError, r"predictions must have shape \(N, C\)"),
    ("multiclass", ([[0.5, 0.5]], [2]), ValueError, r"labels must be in \[0, 2\)"),
    ("multiclass", ([[0.5, 0.5]], [[1, 0]]), ValueError, r"labels must have shape \(N,\)"),
    ("multilabel", ([[0.5, 0.5]], [1]), ValueError, r"labels must have shape \(N, 2\)"),
    ("multilabel", ([[0.5, 0.5]], [[2, 0]]), ValueError, r"labels must be in \[0, 2\)"),
    ("multilabel", ([[0.5, 0.5]], [[1, 0], [0, 1]]), ValueError, "same length"),
]


@pytest.mark.parametrize(("task", "arguments", "error", "text"), BAD)
def test_bad_inputs(task: str, arguments: Any, error: type[Exception], text: str) -> None:
    """What does not fit the task is refused, with both sides of the comparison."""
    with pytest.raises(error, match=text):
        AUROC(task).add(*arguments)


@pytest.mark.parametrize(
    "options",
    [
        {"task": "multi"},
        {"average": "mean"},
        {"bins": 0},
        {"num_classes": 0, "task": "multiclass"},
        {"num_classes": 3},
        {"bins": 10, "task": "multilabel"},
    ],
)
def test_bad_arguments(options: dict[str, Any]) -> None:
    """Arguments that mean nothing are refused."""
    with pytest.raises(ValueError, match=next(iter(options))):
        AUROC(**options)


@pytest.mark.parametrize("bins", [None, 4])
def test_too_many_samples_to_count_pairs(bins):
    """Merged states of 2^62 samples raise; those of half as many have the exact area."""
    metric = AUROC(bins=bins)
    metric.add(np.array([0.25, 0.75, 0.75, 0.5]), np.array([0, 1, 1, 0]))
    for _ in range(59):
        metric = metric + metric
    assert metric.compute()["auroc"] == 1.0
    metric = metric + metric
    with pytest.raises(OverflowError, match=r"fewer than 2\^62 samples"):
        metric.compute()
