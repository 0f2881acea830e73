"""Validate with Lightning, on one process or on many.

python examples/lightning_callback.py
torchrun --nproc-per-node 2 examples/lightning_callback.py
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

    def validation_step(self, batch, index):
        """Return what the callback is given."""
        _, (inputs, _) = batch
        return {"logits": inputs * self.scale}


def arguments(outputs, batch):
    """Return what the metric's `add` takes."""
    ids, (_, labels) = batch
    return {"predictions": outputs["logits"], "labels": labels, "ids": ids}


dataset = mm.Indexed(TensorDataset(inputs, labels))  # every item comes with its index
trainer = L.Trainer(
    callbacks=[mm.integrations.MetricsCallback(mm.Accuracy(thrs=None), arguments)],
    accelerator="cpu",
    devices=int(os.environ.get("WORLD_SIZE", 1)),
    logger=False,
    enable_progress_bar=False,
)
[found] = trainer.validate(Model(), DataLoader(dataset, batch_size=2), verbose=False)
print(found, flush=True)
