"""Evaluate with torch under Slurm's srun, which starts one process for each rank.

srun -n 2 python examples/slurm_torch.py
"""

import torch

import mmeval_like as mm

# 9 samples; the model gets all of them right except samples 0 and 4.
labels = torch.tensor([0, 1, 2, 0, 1, 2, 0, 1, 2])
scores = torch.nn.functional.one_hot(labels, 3).float()
scores[[0, 4]] = torch.tensor([0.1, 0.2, 0.7])

mm.dist.init_dist("slurm", backend="gloo")  # or "nccl"; addresses and ranks come from Slurm
rank, ranks = mm.dist.get_dist_info()
metric = mm.Accuracy()
for ids in torch.arange(9)[rank::ranks].split(2):
    metric.add(scores[ids], labels[ids], ids=ids)
print(metric.compute(size=9), flush=True)
torch.distributed.destroy_process_group()
