"""Evaluate a JAX model whose batches are sharded over the devices of several processes.

mpiexec -n 2 python examples/jax_processes.py
"""

import jax
import mpi4py.MPI  # noqa: F401  (metrics then find MPI by themselves)
import numpy as np

import mmeval_like as mm

jax.distributed.initialize(cluster_detection_method="mpi4py")

# 9 samples; the model gets all of them right except samples 0 and 4.
labels = np.array([0, 1, 2, 0, 1, 2, 0, 1, 2])
inputs = np.eye(3)[labels]
inputs[[0, 4]] = [0.1, 0.2, 0.7]

# Every device gets the same number of samples; repeated ids are counted once.
each = -(-len(labels) // jax.device_count()) * jax.local_device_count()
own = np.resize(np.arange(len(labels)), (jax.process_count(), each))[jax.process_index()]
mesh = jax.make_mesh((jax.device_count(),), ("samples",))
spread = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("samples"))
ids = jax.make_array_from_process_local_data(spread, own.astype("int32"))
batch = jax.make_array_from_process_local_data(spread, inputs[own])

scores = jax.jit(jax.nn.softmax)(batch)
metric = mm.Accuracy()
for part, their in zip(scores.addressable_shards, ids.addressable_shards, strict=True):
    found = np.asarray(their.data)  # the samples of one device
    metric.add(part.data, labels[found], ids=found)  # outside jit, where arrays have values
print(metric.compute(size=len(labels)), flush=True)
jax.distributed.shutdown()
