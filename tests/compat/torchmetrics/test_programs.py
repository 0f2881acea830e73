"""Programs of torchmetrics get torchmetrics' number or an error, never another number."""

from __future__ import annotations

import contextlib
import importlib
import math
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.optional import requires

torch = requires("torch")
original = requires("torchmetrics")
pytestmark = pytest.mark.filterwarnings("ignore")

ours = pytest.importorskip("mmeval_like.compat.torchmetrics")
BOTH = (original, ours)


@pytest.mark.parametrize("name", ["aggregation", "classification", "detection", "regression"])
def test_no_file_of_torchmetrics_is_imported_under_our_name(name: str) -> None:
    """Its classes would look like ours, and compute as torchmetrics."""
    folder = Path(original.__file__).parent / name
    for stem in {one.stem for one in folder.glob("[!_]*.py")} | {"accuracy"}:
        with contextlib.suppress(ModuleNotFoundError):
            found = importlib.import_module(f"{ours.__name__}.{name}.{stem}")
            assert str(folder) not in str(found.__file__)


def test_scores_that_are_nan_are_no_hits() -> None:
    """Nan is above all numbers, as in argmax and topk, and equal to other nans."""
    random = torch.Generator().manual_seed(0)
    labels = torch.arange(40) % 4
    some = torch.rand(40, 4, generator=random)
    some[torch.arange(40), torch.randint(0, 4, (40,), generator=random)] = math.nan
    for scores in (torch.full((40, 4), math.nan), some):
        for top_k in (1, 2, 3):
            options = {"task": "multiclass", "num_classes": 4, "top_k": top_k}
            expected, found = (where.Accuracy(**options)(scores, labels) for where in BOTH)
            assert found == expected


@pytest.mark.parametrize("name", ["AUROC", "AveragePrecision"])
def test_areas_at_thresholds_refuse_what_exact_areas_refuse(name: str) -> None:
    """Labels out of range raise what torchmetrics raises, if it does, and a nan is no score."""
    for options, scores, labels in (
        ({"task": "binary"}, (4,), [0, 1, 2, 1]),
        ({"task": "binary", "ignore_index": 2}, (4,), [0, 1, 2, -1]),
        ({"task": "multiclass", "num_classes": 3}, (4, 3), [0, 1, 3, 2]),
        ({"task": "multilabel", "num_labels": 2}, (2, 2), [[0, 1], [1, 7]]),
        ({"task": "multilabel", "num_labels": 2, "average": "micro"}, (2, 2), [[0, 1], [1, 7]]),
    ):
        for thresholds in (None, 5):
            given = torch.full(scores, 0.5), torch.tensor(labels)
            with pytest.raises((ValueError, RuntimeError)) as found:
                getattr(ours, name)(thresholds=thresholds, **options)(*given)
            if (name, options["task"]) == ("AUROC", "binary"):
                continue  # torchmetrics 1.9 does not look at these labels
            with pytest.raises((ValueError, RuntimeError)) as expected:
                getattr(original, name)(thresholds=thresholds, **options)(*given)
            assert str(found.value) == str(expected.value)
    for thresholds in (None, 5):
        metric = getattr(ours, name)(task="binary", thresholds=thresholds)
        with pytest.raises(ValueError, match="must not contain nan"):
            metric(torch.tensor([math.nan, 0.6, 0.4]), torch.tensor([0, 1, 0]))


def test_scores_in_bfloat16_at_thresholds() -> None:
    """As mixed precision gives them: their values in float32."""
    scores = torch.rand(20, generator=torch.Generator().manual_seed(0)).bfloat16()
    labels = torch.arange(20) % 2
    for given in (scores, scores.float()):
        expected, found = (
            where.AUROC(task="binary", thresholds=7)(given, labels) for where in BOTH
        )
        assert torch.allclose(found, expected)


def test_sums_of_opposite_infinities_are_nan() -> None:
    """A sum without samples is 0, a sum that has no value is not."""
    values = torch.tensor([math.inf, -math.inf])
    for where in BOTH:
        assert where.SumMetric()(values).isnan()
        assert where.SumMetric().compute() == 0


def test_collections_choose_arguments_by_name() -> None:
    """Each member gets those that torchmetrics' class takes."""
    given: dict[str, Any] = {
        "preds": torch.tensor([0, 1, 1]), "target": torch.tensor([0, 1, 0]),
        "value": torch.tensor([1.0, 4.0]),
    }  # fmt: skip
    expected, found = (
        original.MetricCollection([where.MeanMetric(), where.Accuracy(task="binary")])(**given)
        for where in BOTH
    )
    assert expected == found


def test_groups_that_share_states_are_refused() -> None:
    """Only the first of a group gets samples; the others would compute from none."""
    given = torch.tensor([0.2, 0.7, 0.6]), torch.tensor([0, 1, 0])
    classes = ours.classification.BinaryROC, ours.classification.BinaryPrecisionRecallCurve
    for groups in (True, False, [["BinaryROC", "BinaryPrecisionRecallCurve"]]):
        collection = original.MetricCollection(
            [one(thresholds=5) for one in classes], compute_groups=groups
        )
        expected = collection(*given)
        for _ in range(2):
            collection.update(*given)
        for copy in (collection, collection.clone()):
            if groups not in (True, False):
                with pytest.raises(TypeError, match="must be True or False, got a list"):
                    copy.compute()
                continue
            for name, value in copy.compute().items():
                for one, other in zip(value, expected[name], strict=True):
                    assert torch.allclose(one, other, equal_nan=True)
        collection.reset()
        again = collection(*given)
        assert torch.equal(again["BinaryROC"][0], expected["BinaryROC"][0])


def test_what_reads_states_is_refused() -> None:
    """`Running` adds up the states of calls, of which there are none; so does no exchange."""
    running = original.wrappers.Running(ours.MeanMetric(), window=2)
    with pytest.raises(TypeError, match="has no states that a wrapper could add up"):
        running(1.0), running.compute()
    with pytest.raises(TypeError, match="sync_on_compute=False"):
        ours.MeanMetric(distributed_available_fn=lambda: False)


@pytest.mark.parametrize("name", ["Accuracy", "AUROC", "ConfusionMatrix", "JaccardIndex"])
def test_ignored_scores_make_logits_of_others_as_in_torchmetrics(name: str) -> None:
    """There they do for most quotients of counts, and not for matrices and areas."""
    given = torch.tensor([0.2, 0.3, 0.7, -9.0]), torch.tensor([0, 1, 0, 3])
    expected, found = (
        getattr(where, name)(task="binary", ignore_index=3)(*given) for where in BOTH
    )
    assert torch.equal(expected, found)


def test_wrong_labels_and_scores_of_whole_samples_are_refused() -> None:
    """As torchmetrics refuses them, or, where it computes from them, as all other classes do."""
    scores, labels = torch.rand(4, 3), torch.tensor([0, 1, 2, 1])
    for cls, options, batch, as_there in (
        ("MultilabelExactMatch", {"num_labels": 3}, (scores, torch.full((4, 3), 2)), True),
        ("MultilabelExactMatch", {"num_labels": 3}, (scores, torch.full((4, 3), -1)), True),
        ("MulticlassExactMatch", {"num_classes": 3}, (scores, labels + 1), False),
        ("MulticlassROC", {"num_classes": 3}, (scores, labels - 1), False),
        ("BinaryHingeLoss", {}, (torch.tensor([math.nan]), torch.tensor([1])), False),
    ):
        with pytest.raises((ValueError, RuntimeError)) as found:
            getattr(ours.classification, cls)(**options).update(*batch)
        if as_there:
            with pytest.raises((ValueError, RuntimeError)) as expected:
                getattr(original.classification, cls)(**options).update(*batch)
            assert str(found.value) == str(expected.value)


def test_curves_of_one_class_have_the_recall_that_they_have() -> None:
    """If all samples are of class 0, torchmetrics says recall 1 at each threshold of it."""
    scores, labels = torch.tensor([[0.9, 0.1], [0.6, 0.4]]), torch.zeros(2).long()
    expected, found = (
        where.PrecisionRecallCurve(task="multiclass", num_classes=2)(scores, labels)[1][0].tolist()
        for where in BOTH
    )
    assert expected == [1.0, 1.0, 0.0]
    assert found == [1.0, 0.5, 0.0]


def test_curves_of_all_classes_together() -> None:
    """Those at thresholds are those at all scores; torchmetrics fails. Means are refused."""
    random = torch.Generator().manual_seed(0)
    scores = torch.randint(0, 5, (20, 3), generator=random) / 4
    labels = torch.randint(0, 3, (20,), generator=random)
    options = {"task": "multiclass", "num_classes": 3}
    for name in ("ROC", "PrecisionRecallCurve"):
        cls = getattr(ours.classification, f"Multiclass{name}")
        binned, exact = (cls(3, average="micro", thresholds=one)(scores, labels)
                         for one in ([0.0, 0.25, 0.5, 0.75, 1.0], None))  # fmt: skip
        for one, other in zip(binned, exact, strict=True):
            assert torch.allclose(one, other[-len(one) :])
        with pytest.raises(TypeError, match="average=None"):
            cls(3, average="macro")
    assert len(ours.ROC(**options)(scores, labels)[0]) == 3


def test_the_ranking_loss_of_equal_scores_is_scikit_learns() -> None:
    """Beside a sample that has all labels, torchmetrics' is another one."""
    sk = requires("sklearn.metrics")
    scores, labels = torch.tensor([[0.3, 0.7], [0.5, 0.5]]), torch.tensor([[1, 1], [0, 1]])
    expected = sk.label_ranking_loss(labels.numpy(), scores.numpy())
    theirs, found = (
        where.classification.MultilabelRankingLoss(2)(scores, labels) for where in BOTH
    )
    assert float(found) == expected == 0.5
    assert float(theirs) != expected
    with pytest.raises(TypeError, match="ignore_index must be None"):
        ours.classification.MultilabelRankingLoss(2, ignore_index=-1)


def test_average_precision_of_one_class_is_that_of_the_curve() -> None:
    """If all samples are of class 0, the mean leaves out the others; torchmetrics has them as 0."""
    given = torch.rand(4, 3, generator=torch.Generator().manual_seed(0)), torch.zeros(4).long()
    expected, found = (
        float(where.AveragePrecision(task="multiclass", num_classes=3)(*given)) for where in BOTH
    )
    assert expected == pytest.approx(1 / 3)
    assert found == 1.0


def test_precision_where_no_score_reaches_a_threshold() -> None:
    """It is 0 / 0, and no precision that a threshold could have; torchmetrics returns nan."""
    options = {"task": "binary", "min_recall": 0.0, "thresholds": [0.5, 0.6]}
    given = torch.tensor([0.1, 0.2]), torch.tensor([0, 1])
    expected, found = (where.PrecisionAtFixedRecall(**options)(*given)[0] for where in BOTH)
    assert expected.isnan()
    assert found == 0
