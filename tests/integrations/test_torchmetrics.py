"""Numbers as torchmetrics' metrics, in the programs that take nothing else."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

import mmeval_like as mm
from mmeval_like.testing import LocalWorld
from tests.helpers.optional import requires

torch = requires("torch")
torchmetrics = requires("torchmetrics")
L = requires("lightning.pytorch")
pytestmark = pytest.mark.filterwarnings("ignore")

GENERATOR = torch.Generator().manual_seed(0)
SCORES = torch.rand(30, 3, generator=GENERATOR)
LABELS = torch.arange(30) % 3
RIGHT = mm.Accuracy(topk=(1, 2))(SCORES, LABELS)
BATCHES = [(SCORES[i : i + 7], LABELS[i : i + 7]) for i in range(0, 30, 7)]


def number(*names: str) -> Any:
    """Return a metric of two numbers in torchmetrics' form."""
    metric = mm.Accuracy(topk=(1, 2))
    return mm.integrations.as_torchmetrics(metric, names[0] if len(names) == 1 else names)


def values(found: Any) -> dict[str, float]:
    """Return the numbers of a collection."""
    return {name: float(value) for name, value in found.items()}


def test_update_forward_compute_reset() -> None:
    """As torchmetrics' metrics: `forward` gives the number of its batch, `compute` that of all."""
    metric = number("top1")
    for _ in range(2):
        for index, batch in enumerate(BATCHES):
            if index % 2:
                metric.update(*batch)
            else:
                assert float(metric(*batch)) == pytest.approx(mm.Accuracy()(*batch)["top1"])
        assert float(metric.compute()) == pytest.approx(RIGHT["top1"])
        assert metric.compute().dtype == torch.get_default_dtype()
        metric.reset()
    assert metric.state_dict() == {}


def test_members_of_a_collection_add_and_exchange_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Although each of them is updated, computed and reset."""
    calls = []
    for name in ("add", "compute"):
        own = getattr(mm.Accuracy, name)

        def spy(self: Any, *args: Any, own: Any = own, name: str = name, **kwargs: Any) -> Any:
            calls.append(name)
            return own(self, *args, **kwargs)

        monkeypatch.setattr(mm.Accuracy, name, spy)
    both = number("top1", "top2")
    for _ in range(2):
        for batch in BATCHES:
            both.update(*batch)
        assert values(both.compute()) == pytest.approx(dict(RIGHT))
        both.reset()
    assert calls == (["add"] * len(BATCHES) + ["compute"]) * 2


@pytest.mark.parametrize("names", [("top1",), ("top1", "top2")])
def test_a_rank_may_add_nothing_between_two_computes(names: tuple[str, ...]) -> None:
    """It gets the number of all samples, those that other ranks have added since included."""

    def run(backend: Any) -> Any:
        metric = mm.Accuracy(topk=(1, 2), dist_backend=backend)
        view = mm.integrations.as_torchmetrics(metric, names)
        view.update(*BATCHES[backend.rank])
        view.compute()
        for batch in BATCHES[2:] if backend.rank == 1 else []:
            view.update(*batch)
        return values(view.compute())

    for found in LocalWorld(2).run(run):
        assert found == pytest.approx({name: RIGHT[name] for name in names})


@pytest.mark.parametrize("again", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_copies_have_samples_of_their_own(again: Any) -> None:
    """Those of a collection's members are shared in the copy as well."""
    both = number("top1", "top2")
    both.update(*BATCHES[0])
    copied = again(both)
    for batch in BATCHES[1:]:
        copied.update(*batch)

    assert values(copied.compute()) == pytest.approx(dict(RIGHT))
    first = mm.Accuracy(topk=(1, 2))(*BATCHES[0])
    assert values(both.compute()) == pytest.approx(dict(first))
    assert set(both.clone(prefix="val/").compute()) == {"val/top1", "val/top2"}


def test_torchmetrics_own_collection_and_tracker() -> None:
    """They merge no metrics of different options, and find the best epoch."""
    collection = torchmetrics.MetricCollection(
        {
            "accuracy": mm.integrations.as_torchmetrics(mm.Accuracy()),
            "macro": mm.integrations.as_torchmetrics(
                mm.BalancedAccuracy(task="multiclass", num_classes=3)
            ),
            "loss": mm.integrations.as_torchmetrics(mm.LogLoss()),
        }
    )
    shares = SCORES / SCORES.sum(1, keepdim=True)
    for start in range(0, 30, 7):
        collection.update(shares[start : start + 7], LABELS[start : start + 7])
    right = {
        "accuracy": mm.Accuracy()(shares, LABELS)["top1"],
        "macro": mm.BalancedAccuracy(task="multiclass", num_classes=3)(shares, LABELS)[
            "balanced_accuracy"
        ],
        "loss": mm.LogLoss()(shares, LABELS)["log_loss"],
    }
    assert values(collection.compute()) == pytest.approx(right)

    for metric, best in ((mm.Accuracy(), 1), (mm.LogLoss(), 1)):
        tracker = torchmetrics.MetricTracker(
            mm.integrations.as_torchmetrics(metric), maximize=metric.higher_is_better
        )
        for rows in (torch.eye(3)[[1, 1, 2]], torch.eye(3), torch.eye(3)[[0, 0, 0]]):
            tracker.increment()
            tracker.update(rows * 0.7 + 0.1, torch.tensor([0, 1, 2]))
        assert tracker.best_metric(return_step=True)[1] == best


def test_which_number() -> None:
    """Where there are several, the error lists them; torchmetrics' own merging is refused."""
    metric = mm.integrations.as_torchmetrics(mm.Accuracy(topk=(1, 2)))
    metric.update(SCORES, LABELS)
    with pytest.raises(KeyError, match="number must be one of top1, top2, got None"):
        metric.compute()
    with pytest.raises(KeyError, match="got 'top3'"):
        number("top3")(SCORES, LABELS)
    with pytest.raises(NotImplementedError, match="merge the metrics"):
        number("top1").merge_state(number("top1"))


class Model(L.LightningModule):
    """Scores are the inputs."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(1, 1)
        self.accuracy = number("top1")
        self.both = number("top1", "top2")

    def training_step(self, batch: Any, index: int) -> Any:
        return self.layer(torch.ones(1)).sum()

    def validation_step(self, batch: Any, index: int) -> None:
        self.accuracy(*batch)
        self.log("accuracy", self.accuracy, on_step=True, on_epoch=True)
        self.both.update(*batch)
        self.log_dict(self.both)

    def configure_optimizers(self) -> Any:
        return torch.optim.SGD(self.parameters(), 0.1)


def test_lightning_logs_them(tmp_path: Any) -> None:
    """With a sanity check before, in two epochs, and a checkpoint of the best."""
    loader = torch.utils.data.DataLoader(
        torch.utils.data.TensorDataset(SCORES, LABELS), batch_size=7
    )
    checkpoint = L.callbacks.ModelCheckpoint(tmp_path, monitor="accuracy_epoch", mode="max")
    trainer = L.Trainer(
        max_epochs=2, callbacks=[checkpoint], logger=False, enable_progress_bar=False,
        accelerator="cpu", enable_model_summary=False, default_root_dir=str(tmp_path),
    )  # fmt: skip
    model = Model()
    trainer.fit(model, loader, loader)

    found = values(trainer.callback_metrics)
    assert found["accuracy_epoch"] == pytest.approx(RIGHT["top1"])
    assert {name: found[name] for name in RIGHT} == pytest.approx(dict(RIGHT))
    assert float(checkpoint.best_model_score) == pytest.approx(RIGHT["top1"])
    for _ in range(2):
        [again] = trainer.validate(model, loader, verbose=False)
        assert again["top2"] == pytest.approx(RIGHT["top2"])
    Model.load_from_checkpoint(checkpoint.best_model_path)
