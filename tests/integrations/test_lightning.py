"""Lightning's own Trainer, on one process."""

import pytest

import mmeval_like as mm
from tests.helpers.optional import requires

torch = requires("torch")
pytestmark = pytest.mark.filterwarnings("ignore")
L = requires("lightning.pytorch")


class Model(L.LightningModule):
    """Scores are the inputs."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(1, 1)

    def validation_step(self, batch, batch_idx, dataloader_idx=0):
        return {"logits": batch[1][0]}

    test_step = validation_step

    def training_step(self, batch, batch_idx):
        return self.layer(torch.ones(1)).sum()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


def test_callback(tmp_path):
    """The sanity check leaves no samples; the numbers are those of each stage's own epoch."""
    scores = torch.rand(9, 3, generator=torch.Generator().manual_seed(0))
    labels = torch.tensor([0, 1, 2] * 3)
    data = mm.Indexed(torch.utils.data.TensorDataset(scores, labels))
    loader = torch.utils.data.DataLoader(data, batch_size=4)
    metric = mm.Accuracy()
    callback = mm.integrations.MetricsCallback(
        metric, lambda out, b: {"predictions": out["logits"], "labels": b[1][1], "ids": b[0]}
    )
    trainer = L.Trainer(
        max_epochs=2, callbacks=[callback], logger=False, enable_progress_bar=False,
        enable_checkpointing=False, accelerator="cpu", default_root_dir=str(tmp_path),
        enable_model_summary=False,
    )  # fmt: skip

    trainer.fit(Model(), loader, loader)

    expected = mm.Accuracy()(scores, labels)["top1"]
    assert float(trainer.callback_metrics["val/top1"]) == pytest.approx(expected)
    assert metric.compute() == {"top1": expected}
    assert metric.compute().samples == 9
    [found] = trainer.test(Model(), loader, verbose=False)
    assert found == {"test/top1": pytest.approx(expected)}


def test_loaders_have_numbers_of_their_own():
    """Although the ids of both begin at 0; by the names that Lightning itself would give."""
    scores = torch.rand(12, 3, generator=torch.Generator().manual_seed(1))
    labels = torch.tensor([0, 1, 2] * 4)
    parts = (slice(5), slice(5, 12))
    data = [mm.Indexed(torch.utils.data.TensorDataset(scores[p], labels[p])) for p in parts]
    metrics = {"acc": mm.Accuracy(topk=(1, 2))}
    callback = mm.integrations.MetricsCallback(
        metrics, lambda out, b: {"predictions": out["logits"], "labels": b[1][1], "ids": b[0]}
    )
    trainer = L.Trainer(
        callbacks=[callback], logger=False, enable_progress_bar=False, accelerator="cpu"
    )
    loaders = [torch.utils.data.DataLoader(one, batch_size=3) for one in data]

    expected = {
        f"acc_{top}/dataloader_idx_{index}": value
        for index, part in enumerate(parts)
        for top, value in mm.Accuracy(topk=(1, 2))(scores[part], labels[part]).items()
    }
    for prefix, evaluate in (("val", trainer.validate), ("test", trainer.test)):
        evaluate(Model(), loaders, verbose=False)
        found = {name: float(value) for name, value in trainer.callback_metrics.items()}
        assert found == pytest.approx({f"{prefix}/{name}": v for name, v in expected.items()})
