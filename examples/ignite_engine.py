"""Evaluate with PyTorch-Ignite, on one process or on many.

python examples/ignite_engine.py
torchrun --nproc-per-node 2 examples/ignite_engine.py
"""

import os

import torch
from ignite.engine import Engine
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

import mmeval_like as mm

# 9 samples; the model gets all of them right except samples 0 and 4.
labels = torch.tensor([0, 1, 2, 0, 1, 2, 0, 1, 2])
inputs = torch.nn.functional.one_hot(labels, 3).float()
inputs[[0, 4]] = torch.tensor([0.1, 0.2, 0.7])
dataset = mm.Indexed(TensorDataset(inputs, labels))  # every item comes with its index

sampler = None
if "RANK" in os.environ:  # torchrun started this process
    torch.distributed.init_process_group("gloo")
    sampler = DistributedSampler(dataset, shuffle=False)


def evaluate(engine, batch):
    """Return what the metric's `add` takes; the model's scores are its inputs."""
    ids, (inputs, labels) = batch
    return {"predictions": inputs, "labels": labels, "ids": ids}


evaluator = Engine(evaluate)
mm.integrations.attach(mm.Accuracy(thrs=None), evaluator, size=len(dataset))
state = evaluator.run(DataLoader(dataset, batch_size=2, sampler=sampler))
print(state.metrics, flush=True)
if torch.distributed.is_initialized():
    torch.distributed.destroy_process_group()
