"""Evaluate with torch's DataLoader, or with one prepared by Hugging Face accelerate.

python examples/data_loader.py
torchrun --nproc-per-node 2 examples/data_loader.py
torchrun --nproc-per-node 2 examples/data_loader.py accelerate
"""

import os
import sys

import torch
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

import mmeval_like as mm

# 9 samples; the model gets all of them right except samples 0 and 4.
labels = torch.tensor([0, 1, 2, 0, 1, 2, 0, 1, 2])
inputs = torch.nn.functional.one_hot(labels, 3).float()
inputs[[0, 4]] = torch.tensor([0.1, 0.2, 0.7])


def model(batch: torch.Tensor) -> torch.Tensor:
    """Return the scores of the classes."""
    return batch.softmax(dim=1)


dataset = mm.Indexed(TensorDataset(inputs, labels))  # every item comes with its index
if "accelerate" in sys.argv:
    from accelerate import Accelerator

    loader = Accelerator(cpu=True).prepare(DataLoader(dataset, batch_size=4))
else:
    sampler = None
    if "RANK" in os.environ:  # torchrun started this process
        torch.distributed.init_process_group("gloo")
        sampler = DistributedSampler(dataset, shuffle=False)
    loader = DataLoader(dataset, batch_size=4, sampler=sampler)

metric = mm.Accuracy()
for ids, (batch, batch_labels) in loader:
    metric.add(model(batch), batch_labels, ids=ids)  # a repeated sample counts once
print(metric.compute(size=len(dataset)), flush=True)

if torch.distributed.is_initialized():
    torch.distributed.destroy_process_group()
