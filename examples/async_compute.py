"""Compute a metric every 50 steps of a training, without the training waiting for it.

torchrun --nproc-per-node 2 examples/async_compute.py
"""

import time

import torch
from torch.nn.parallel import DistributedDataParallel

import mmeval_like as mm

STEPS, EVERY, ROUNDS = 300, 50, 3

torch.distributed.init_process_group("gloo")  # "nccl" on GPUs
torch.set_num_threads(1)
rank = torch.distributed.get_rank()
metric = mm.AUROC()  # exact: it keeps its scores, and sorts them at every compute


def train(how):
    """Train, and return how many seconds it takes, and what the metric was on the way."""
    torch.manual_seed(0)  # the same model on every rank
    layers = [torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1)]
    model = DistributedDataParallel(torch.nn.Sequential(*layers))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    data = torch.Generator().manual_seed(rank)  # of its own on every rank
    metric.reset()
    results, handles = [], []
    torch.distributed.barrier()
    start = time.perf_counter()
    for step in range(1, STEPS + 1):
        inputs = torch.randn(1024, 64, generator=data)
        labels = (inputs.sum(1) + torch.randn(1024, generator=data) > 0).float()
        scores = model(inputs)[:, 0]
        optimizer.zero_grad()
        torch.nn.functional.binary_cross_entropy_with_logits(scores, labels).backward()
        optimizer.step()
        metric.add(scores.detach(), labels.long())
        if step % EVERY == 0:
            if how == "compute":
                results.append(metric.compute())
            elif how == "compute_async":
                handles.append(metric.compute_async())  # result() would wait for it
            metric.reset()
    results += [handle.result() for handle in handles]
    return time.perf_counter() - start, results


train("compute_async")  # warms up; the first call makes a group of its own
ways = ("no compute", "compute", "compute_async")
rounds = [{how: train(how) for how in ways} for _ in range(ROUNDS)]
assert all(one["compute"][1] == one["compute_async"][1] for one in rounds)
if rank == 0:
    for how in ways:
        print(f"{how}: {min(one[how][0] for one in rounds):.2f} s")
    print("at the end:", rounds[-1]["compute_async"][1][-1])
torch.distributed.destroy_process_group()
