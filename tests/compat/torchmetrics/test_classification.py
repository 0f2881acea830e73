"""torchmetrics' classes of classification: the installed torchmetrics is the oracle."""

from __future__ import annotations

import copy
import inspect
import itertools
import pickle
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from tests.helpers.optional import requires

torch = requires("torch")
original = requires("torchmetrics")
pytestmark = pytest.mark.filterwarnings("ignore")

ours = pytest.importorskip("mmeval_like.compat.torchmetrics")
TASKS = ("Binary", "Multiclass", "Multilabel")
COUNTED = [name for name in ours.classification.__all__ if name.startswith(TASKS)]

OPTIONS: dict[str, tuple[Any, ...]] = {
    "num_classes": (4,),
    "num_labels": (3,),
    "beta": (0.5,),
    "average": (None, "macro", "weighted", "micro"),
    "top_k": (1, 2),
    "multidim_average": ("global", "samplewise"),
    "ignore_index": (None, -1, 0),
    "zero_division": (0, 1),
    "normalize": (None, "true", "pred", "all"),
    "weights": (None, "linear", "quadratic"),
    "thresholds": (None, 5, [0.1, 0.5, 0.7]),
    "max_fpr": (None, 0.4),
    "n_bins": (5,),
    "norm": ("l1", "l2", "max"),
    "squared": (False, True),
    "multiclass_mode": ("crammer-singer", "one-vs-all"),
    "min_precision": (0.3, 0.6),
    "min_recall": (0.3, 0.6),
    "min_specificity": (0.3, 0.6),
    "min_sensitivity": (0.3, 0.6),
}
# Who is right: docs/compat-torchmetrics.md.
DIFFERENT: dict[str, tuple[dict[str, Any], ...]] = {
    "MultilabelStatScores": ({"average": "weighted", "multidim_average": "samplewise"},),
    "BinaryMatthewsCorrCoef": ({"ignore_index": 0},),
    "MultilabelMatthewsCorrCoef": ({"ignore_index": 0},),
}
for name in ("CoverageError", "RankingAveragePrecision", "RankingLoss"):
    DIFFERENT[f"Multilabel{name}"] = ({"ignore_index": -1}, {"ignore_index": 0})
for name in ("PrecisionRecallCurve", "ROC", "EER"):
    DIFFERENT[f"Multiclass{name}"] = (
        {"average": "macro"},
        {"average": "micro", "thresholds": 5},
        {"average": "micro", "thresholds": [0.1, 0.5, 0.7]},
    )


def options_of(name: str) -> Iterator[dict[str, Any]]:
    """Yield the combinations of options that torchmetrics takes."""
    cls = getattr(original.classification, name)
    known = [key for key in OPTIONS if key in inspect.signature(cls).parameters]
    for values in itertools.product(*(OPTIONS[key] for key in known)):
        options = dict(zip(known, values, strict=True))
        if any(other.items() <= options.items() for other in DIFFERENT.get(name, ())):
            continue
        try:
            cls(**options)
        except ValueError:
            continue
        yield options


def batch(name: str, options: dict[str, Any], random: Any) -> tuple[Any, Any]:
    """Return scores, half of them logits, and labels, some of them ignored."""
    inner = (3,) if options.get("multidim_average") == "samplewise" else ()
    scores, labels = (12, *inner), (12, *inner)
    if not name.startswith("Binary"):
        scores = (12, 4 if name.startswith("Multiclass") else 3, *inner)
        labels = scores if name.startswith("Multilabel") else labels
    preds = torch.rand(scores, generator=random)
    if torch.rand(1, generator=random) < 0.5:
        preds = 4 * preds - 2
    target = torch.randint(0, 3 if name.startswith("Multiclass") else 2, labels, generator=random)
    if options.get("ignore_index") is not None:
        target[torch.rand(labels, generator=random) < 0.2] = options["ignore_index"]
        target[0] = 1  # torchmetrics fails where nothing counts
    return preds, target


def same(one: Any, other: Any) -> None:
    """Check that two values are equal but for rounding; torchmetrics' ±1 may be integers."""
    if isinstance(one, tuple | list):
        assert type(one) is type(other)
        for pair in zip(one, other, strict=True):
            same(*pair)
        return
    assert one.shape == other.shape
    assert torch.allclose(one.float(), other.float(), atol=2e-6, equal_nan=True), (one, other)


@pytest.mark.parametrize("name", COUNTED)
def test_values_are_torchmetrics(name: str) -> None:
    """Of each batch and of all, for 16 combinations of options, on random batches."""
    random = torch.Generator().manual_seed(len(name))
    every = [*options_of(name)]
    for options in Random(0).sample(every, min(16, len(every))):
        pair = [getattr(where, name)(**options) for where in (original.classification,
                                                              ours.classification)]  # fmt: skip
        for _ in range(2):
            given = batch(name, options, random)
            same(*(metric(*given) for metric in pair))
        same(*(metric.compute() for metric in pair))


def pickled(metric: Any) -> Any:
    """Return what another process would get."""
    return pickle.loads(pickle.dumps(metric))


@pytest.mark.parametrize("name", COUNTED)
def test_it_is_a_metric_of_torchmetrics(name: str) -> None:
    """Of the original's class and signature; copies and pickles have samples of their own."""
    cls = getattr(ours.classification, name)
    assert issubclass(cls, getattr(original.classification, name))
    assert inspect.signature(cls) == inspect.signature(getattr(original.classification, name))
    options = next(options_of(name))
    random = torch.Generator().manual_seed(0)
    first, second = (batch(name, options, random) for _ in range(2))
    metric = cls(**options)
    metric.update(*first)
    value = metric.compute()
    for again in (copy.deepcopy, pickled, cls.clone):
        copied = again(metric)
        copied.update(*second)
        both = cls(**options)
        both.merge_state(copied)
        same(both.compute(), copied.compute())
        same(metric.compute(), value)
    assert metric.state_dict() == {}
    assert metric.to("cpu").device.type == "cpu"


def test_wrong_batches_raise_what_torchmetrics_raises() -> None:
    """And lose nothing that was added before."""
    for cls, options, bad in (
        ("BinaryAccuracy", {}, (torch.rand(3), torch.tensor([0, 1, 2]))),
        ("MulticlassAUROC", {"num_classes": 3}, (torch.rand(3, 4), torch.tensor([0, 1, 2]))),
        ("MulticlassAccuracy", {"num_classes": 3}, (torch.rand(3, 4), torch.tensor([0, 1, 2]))),
        ("MulticlassF1Score", {"num_classes": 3}, (torch.tensor([0, 1]), torch.tensor([0, 3]))),
        ("MultilabelRecall", {"num_labels": 3}, (torch.rand(2, 2), torch.zeros(2, 2).int())),
    ):
        raised = []
        for where in (original.classification, ours.classification):
            metric = getattr(where, cls)(**options)
            for call in (metric.update, metric):
                with pytest.raises((ValueError, RuntimeError)) as error:
                    call(*bad)
                raised.append(str(error.value))
        assert len({*raised}) == 1
        random = torch.Generator().manual_seed(0)
        good = batch(cls, options, random)
        if cls.startswith("Binary"):
            metric.update(*good)
            with pytest.raises((ValueError, RuntimeError)):
                metric.update(*bad)
            fresh = getattr(ours.classification, cls)(**options)
            same(metric.compute(), fresh(*good))
    with pytest.raises(ValueError, match="num_classes"):
        ours.Accuracy(task="multiclass")
    with pytest.raises(ValueError, match=r"got float32 of shape \(3,\) and float32 of shape"):
        ours.AUROC(task="binary").update(torch.rand(3), torch.ones(3))  # it reads float labels
    with pytest.raises(ValueError, match="ascending order, got"):
        ours.AUROC(task="binary", thresholds=[0.5, 0.25])
    with pytest.raises(TypeError, match="dist_sync_fn must be None"):
        ours.Accuracy(task="binary", dist_sync_fn=print)


def test_classes_of_any_task() -> None:
    """`task=` chooses the class; the averages that these take by default differ."""
    for name in ours.classification.__all__:
        if name.startswith(TASKS):
            continue
        for task in ("binary", "multiclass", "multilabel"):
            options = {"task": task, "num_classes": 3, "num_labels": 3}
            needed = {"FBetaScore": "beta", "RecallAtFixedPrecision": "min_precision",
                      "PrecisionAtFixedRecall": "min_recall",
                      "SensitivityAtSpecificity": "min_specificity",
                      "SpecificityAtSensitivity": "min_sensitivity"}  # fmt: skip
            if name in needed:
                options[needed[name]] = 0.5
            try:
                expected = getattr(original.classification, name)(**options)
            except ValueError:
                continue
            found = getattr(ours.classification, name)(**options)
            assert type(found) is getattr(ours.classification, type(expected).__name__)
            for option, value in vars(expected).items():
                if option in OPTIONS and option != "thresholds":
                    assert getattr(found, option) == value


def test_collections_and_trackers() -> None:
    """`clone(prefix=)`, a collection's values, and the best epoch."""
    options = {"task": "multiclass", "num_classes": 3}
    collections = [
        original.MetricCollection(
            {"acc": where.Accuracy(**options), "f1": where.F1Score(average="macro", **options),
             "iou": where.JaccardIndex(**options)}
        ).clone(prefix="val/")
        for where in (original, ours)
    ]  # fmt: skip
    random = torch.Generator().manual_seed(0)
    for _ in range(3):
        given = torch.rand(6, 3, generator=random), torch.randint(0, 3, (6,), generator=random)
        for collection in collections:
            collection.update(*given)
    expected, found = (collection.compute() for collection in collections)
    assert [*expected] == [*found]
    assert all(torch.allclose(expected[key], found[key]) for key in expected)

    tracker = original.MetricTracker(ours.Accuracy(**options))
    for label in (0, 1, 2):
        tracker.increment()
        tracker.update(torch.tensor([1, 1]), torch.tensor([1, label]))
    assert tracker.best_metric(return_step=True)[1] == 1


def test_other_names_are_torchmetrics() -> None:
    """So that an import needs no change but its first words."""
    assert ours.MetricCollection is original.MetricCollection
    assert ours.classification.BinaryLogAUC is original.classification.BinaryLogAUC
    with pytest.raises(AttributeError):
        getattr(ours, "Acuracy")  # noqa: B009


def test_lightning_logs_them(tmp_path: Any) -> None:
    """On the steps and over the epoch, for two epochs, and a checkpoint of the best."""
    lightning = requires("lightning.pytorch")
    random = torch.Generator().manual_seed(0)
    scores, labels = torch.rand(30, 3, generator=random), torch.arange(30) % 3
    options = {"task": "multiclass", "num_classes": 3}

    class Model(lightning.LightningModule):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(1, 1)
            self.accuracy = ours.Accuracy(**options)
            self.more = original.MetricCollection([ours.F1Score(**options), ours.MeanMetric()])

        def training_step(self, batch: Any, index: int) -> Any:
            return self.layer(torch.ones(1)).sum()

        def validation_step(self, batch: Any, index: int) -> None:
            self.accuracy(*batch)
            self.log("accuracy", self.accuracy, on_step=True, on_epoch=True)
            self.more["MulticlassF1Score"](*batch)
            self.more["MeanMetric"](batch[0][:, 0])
            self.log_dict({**self.more})

        def configure_optimizers(self) -> Any:
            return torch.optim.SGD(self.parameters(), 0.1)

    loader = torch.utils.data.DataLoader(
        torch.utils.data.TensorDataset(scores, labels), batch_size=7
    )
    checkpoint = lightning.callbacks.ModelCheckpoint(tmp_path, monitor="accuracy_epoch", mode="max")
    trainer = lightning.Trainer(
        max_epochs=2, callbacks=[checkpoint], logger=False, enable_progress_bar=False,
        accelerator="cpu", enable_model_summary=False, default_root_dir=str(tmp_path),
    )  # fmt: skip
    trainer.fit(Model(), loader, loader)
    found = trainer.callback_metrics
    same(found["accuracy_epoch"], original.Accuracy(**options)(scores, labels))
    same(found["MulticlassF1Score"], original.F1Score(**options)(scores, labels))
    same(found["MeanMetric"], scores[:, 0].mean())
    Model.load_from_checkpoint(checkpoint.best_model_path)
