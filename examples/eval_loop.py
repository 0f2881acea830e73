"""Evaluate a classifier on scikit-learn's digits: the same loop on one process and on many.

python examples/eval_loop.py
mpiexec -n 4 python examples/eval_loop.py mpi4py
torchrun --nproc-per-node 4 examples/eval_loop.py torch
"""

import json
import sys

import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

import mmeval_like as mm

backend = sys.argv[1] if len(sys.argv) > 1 else None
if backend == "torch":
    import torch.distributed

    torch.distributed.init_process_group("gloo")

# Real data: 1,000 images to fit, 797 to score.
images, labels = load_digits(return_X_y=True)
images = images / 16
with threadpool_limits(1):  # the model's last bits depend on the number of threads
    model = LogisticRegression(max_iter=1000).fit(images[:1000], labels[:1000])
    probabilities = model.predict_proba(images[1000:])  # (797, 10)
labels = labels[1000:]
losses = -np.log(probabilities[np.arange(len(labels)), labels])  # one for each image

# What a distributed sampler does: rank r gets samples r, r + world size, ..., and the last
# round is filled up with samples from the beginning.
world = mm.get_dist_backend(backend)
per_rank = -(-len(labels) // world.world_size)
shard = np.resize(np.arange(len(labels)), per_rank * world.world_size)
shard = shard[world.rank :: world.world_size]

metrics = mm.MetricCollection(
    {
        "accuracy": mm.Accuracy(topk=(1, 2)),
        "f1": mm.SingleLabelPrecisionRecallF1score(num_classes=10, percent=False),
    },
    dist_backend=backend,
)
mean_loss = mm.Mean(dist_backend=backend)  # of other values than the collection's members take
for batch in np.split(shard, range(32, len(shard), 32)):
    metrics.add(probabilities[batch], labels[batch])
    mean_loss.add(losses[batch])
# The same on every rank, to the last bit; what the sampler repeated is not counted.
result = metrics.compute(size=len(labels)) | {"loss": mean_loss.compute(size=len(labels))["mean"]}

if world.rank == 0:
    print(json.dumps(result))
if backend == "torch":
    torch.distributed.destroy_process_group()
