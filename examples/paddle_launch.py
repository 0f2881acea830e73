"""Evaluate with Paddle's DataLoader on several processes.

python -m paddle.distributed.launch --nproc_per_node 2 examples/paddle_launch.py
"""

import numpy as np
import paddle
from paddle.io import DataLoader, DistributedBatchSampler, TensorDataset

import mmeval_like as mm

paddle.distributed.init_parallel_env()  # metrics then find the group by themselves

# 9 samples; the model gets all of them right except samples 0 and 4.
labels = np.array([0, 1, 2, 0, 1, 2, 0, 1, 2])
inputs = np.eye(3, dtype="float32")[labels]
inputs[[0, 4]] = [0.1, 0.2, 0.7]
tensors = TensorDataset([paddle.to_tensor(inputs), paddle.to_tensor(labels)])
dataset = mm.Indexed(tensors)  # every item comes with its index

metric = mm.Accuracy()
sampler = DistributedBatchSampler(dataset, batch_size=2)  # repeats samples at the end
for ids, (batch, truth) in DataLoader(dataset, batch_sampler=sampler):
    metric.add(paddle.nn.functional.softmax(batch), truth, ids=ids)
print(metric.compute(size=len(dataset)), flush=True)
