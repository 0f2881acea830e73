"""Log metrics with Lightning's self.log, on one process or on many.

python examples/lightning_self_log.py
torchrun --nproc-per-node 2 examples/lightning_self_log.py
"""

import os

import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset

import mmeval_like as mm

# 9 samples; the model gets all of them right except samples 0 and 4.
labels = torch.tensor([0, 1, 2, 0, 1, 2, 0, 1, 2])
inputs = torch.nn.functional.one_hot(labels, 3).float()
inputs[[0, 4]] = torch.tensor([0.1, 0.2, 0.7])


class Model(L.LightningModule):
    """Its scores are its inputs, scaled."""

    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(1))
        self.accuracy = mm.integrations.as_torchmetrics(mm.Accuracy(thrs=None))
        both = mm.Accuracy(topk=(1, 2), thrs=None)
        self.both = mm.integrations.as_torchmetrics(both, ["top1", "top2"])

    def validation_step(self, batch, index):
        """Add the batch to the metrics, and log them."""
        ids, (inputs, labels) = batch
        scores = inputs * self.scale
        self.accuracy.update(scores, labels, ids=ids)
        self.log("accuracy", self.accuracy)
        self.both.update(scores, labels, ids=ids)
        self.log_dict(self.both)


dataset = mm.Indexed(TensorDataset(inputs, labels))  # every item comes with its index
trainer = L.Trainer(
    accelerator="cpu",
    devices=int(os.environ.get("WORLD_SIZE", 1)),
    logger=False,
    enable_progress_bar=False,
)
[found] = trainer.validate(Model(), DataLoader(dataset, batch_size=2), verbose=False)
print(found, flush=True)
