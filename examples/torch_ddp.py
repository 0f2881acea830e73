"""Train with torch's DistributedDataParallel, and evaluate after every epoch.

torchrun --nproc-per-node 2 examples/torch_ddp.py
"""

import torch
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

import mmeval_like as mm

torch.distributed.init_process_group("gloo")  # "nccl" on GPUs
torch.manual_seed(0)  # the same data and model on every rank
labels = torch.arange(99) % 3
inputs = torch.nn.functional.one_hot(labels, 3) + torch.rand(99, 3) / 2
dataset = mm.Indexed(TensorDataset(inputs, labels))  # every item comes with its index
sampler = DistributedSampler(dataset)
training = DataLoader(dataset, batch_size=8, sampler=sampler)
validation = DataLoader(dataset, 8, sampler=DistributedSampler(dataset, shuffle=False))
model = DistributedDataParallel(torch.nn.Linear(3, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
metric = mm.Accuracy(thrs=None)  # the scores are logits: no threshold

for epoch in range(3):
    sampler.set_epoch(epoch)
    for _, (batch, truth) in training:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(batch), truth).backward()
        optimizer.step()

    metric.reset()  # discard the previous epoch
    # If the loop raises on one rank, the block reports it to the other ranks.
    with metric.evaluation(size=len(dataset)) as run, torch.no_grad():
        for ids, (batch, truth) in validation:
            metric.add(model.module(batch), truth, ids=ids)  # without DDP, which synchronises ranks
    print(run.result, flush=True)  # the same on every rank

torch.distributed.destroy_process_group()
