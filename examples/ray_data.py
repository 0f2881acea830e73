"""Metrics of a table that is divided among Ray's workers: with Ray Data, and with your own tasks.

python examples/ray_data.py
"""

import numpy as np
import pandas as pd
import ray

import mmeval_like as mm

ray.init(num_cpus=2)

# 9 samples; the model gets all of them right except samples 0 and 4.
labels = np.array([0, 1, 2, 0, 1, 2, 0, 1, 2])
scores = np.eye(3)[labels]
scores[[0, 4]] = [0.1, 0.2, 0.7]
days = ["mon"] * 4 + ["tue"] * 5
frame = pd.DataFrame(scores, columns=["p_0", "p_1", "p_2"]).assign(label=labels, day=days)

# Ray Data: every block becomes a state, and the workers merge the states.
states = mm.integrations.States(mm.Accuracy(), predictions="p_*", labels="label")
blocks = ray.data.from_pandas(frame).repartition(3)  # or read_parquet("s3://...")
[row] = mm.integrations.ray_states(blocks, states).take_all()
print(states.read([row["state"]]).compute())

# Of every day.
rows = mm.integrations.ray_states(blocks, states, keys=["day"]).sort("day").take_all()
print({row["day"]: states.read([row["state"]]).compute() for row in rows})


# Tasks: each returns the metric that it filled.
@ray.remote
def evaluate(ids):
    metric = mm.Accuracy()
    metric.add(scores[ids], labels[ids], ids=ids)  # a task that runs twice counts once
    return metric


tasks = [evaluate.remote(ids) for ids in np.array_split(np.arange(9), 4)]
print(mm.merge(ray.get(tasks)).compute(size=9))
