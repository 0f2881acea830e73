"""Evaluate a Hugging Face dataset, on one process or on many.

python examples/hf_datasets.py
torchrun --nproc-per-node 2 examples/hf_datasets.py
"""

import os

import numpy as np
import torch
from datasets import Dataset
from datasets.distributed import split_dataset_by_node

import mmeval_like as mm

# 9 samples; the model gets all of them right except samples 0 and 4.
labels = np.array([0, 1, 2, 0, 1, 2, 0, 1, 2])
inputs = np.eye(3)[labels]
inputs[[0, 4]] = [0.1, 0.2, 0.7]
dataset = Dataset.from_dict({"id": range(9), "inputs": inputs, "label": labels})  # or load_dataset

if "RANK" in os.environ:  # torchrun started this process
    torch.distributed.init_process_group("gloo")
rank, ranks = mm.dist.get_dist_info()
shard = split_dataset_by_node(dataset, rank=rank, world_size=ranks)


def predict(batch):
    """Return new columns; the model's scores are its inputs."""
    return {"scores": batch["inputs"]}


# Batch by batch, as they are predicted ...
metric = mm.Accuracy()
for batch in shard.with_format("numpy").iter(batch_size=2):
    metric.add(predict(batch)["scores"], batch["label"], ids=batch["id"])
print(metric.compute(size=len(dataset)), flush=True)

# ... or the columns of a dataset that already has predictions.
predicted = dataset.map(predict, batched=True, batch_size=2)
columns = {"predictions": "scores", "labels": "label", "ids": "id"}
print(mm.score(predicted.with_format("arrow")[:], mm.Accuracy(), **columns), flush=True)
if torch.distributed.is_initialized():
    torch.distributed.destroy_process_group()
