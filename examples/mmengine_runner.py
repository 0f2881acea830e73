"""Validate with MMEngine's Runner, on one process or on many.

python examples/mmengine_runner.py
torchrun --nproc-per-node 2 examples/mmengine_runner.py
"""

import os
import tempfile

import torch
from mmengine.model import BaseModel
from mmengine.runner import Runner

import mmeval_like.integrations.mmengine  # noqa: F401  (so that configs may say type="MMEvalLike")

# 9 samples; the model gets all of them right except samples 0 and 4.
labels = torch.tensor([0, 1, 2, 0, 1, 2, 0, 1, 2])
inputs = torch.nn.functional.one_hot(labels, 3).float()
inputs[[0, 4]] = torch.tensor([0.1, 0.2, 0.7])
dataset = [{"inputs": x, "data_samples": y} for x, y in zip(inputs, labels, strict=True)]


class Model(BaseModel):
    """Its scores are its inputs, scaled."""

    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(1))

    def forward(self, inputs, data_samples, mode):
        """Return data samples."""
        scores = torch.stack(inputs) * self.scale
        pairs = zip(scores, data_samples, strict=True)
        return [{"pred_score": score, "gt_label": label} for score, label in pairs]


distributed = "RANK" in os.environ  # torchrun started this process
if distributed:
    torch.distributed.init_process_group("gloo")  # MMEngine itself would ask for GPUs
with tempfile.TemporaryDirectory() as folder:
    runner = Runner(
        Model(),
        work_dir=folder,
        val_dataloader={
            "dataset": dataset,
            "batch_size": 2,
            "sampler": {"type": "DefaultSampler", "shuffle": False},
            "collate_fn": {"type": "pseudo_collate"},
        },
        val_cfg={},
        val_evaluator={"type": "MMEvalLike", "metric": {"type": "Accuracy", "thrs": None}},
        launcher="pytorch" if distributed else "none",
        cfg={"model_wrapper_cfg": {"device_ids": None}},  # on a CPU
        log_level="ERROR",
    )
    print(runner.val(), flush=True)
if distributed:
    torch.distributed.destroy_process_group()
