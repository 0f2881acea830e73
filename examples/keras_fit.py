"""Compute metrics after every epoch of Keras's `fit`, on one process or on many.

KERAS_BACKEND=jax python examples/keras_fit.py
KERAS_BACKEND=torch mpiexec -n 2 python examples/keras_fit.py mpi4py
"""

import sys

import keras
import numpy as np

import mmeval_like as mm

if "mpi4py" in sys.argv:
    import mpi4py.MPI  # noqa: F401  (metrics then find MPI by themselves)

keras.utils.set_random_seed(0)
labels = np.arange(99) % 3
inputs = np.eye(3)[labels] + np.random.default_rng(0).random((99, 3)) / 2
rank, ranks = mm.dist.get_dist_info()  # each of n processes evaluates every n-th sample
validation = [
    (inputs[ids], labels[ids], ids) for ids in np.array_split(np.arange(99)[rank::ranks], 4)
]

model = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(3)])
model.compile(keras.optimizers.Adam(0.1), keras.losses.SparseCategoricalCrossentropy(True))
callbacks = [
    mm.integrations.KerasMetrics(mm.Accuracy(thrs=None), validation, size=99),
    keras.callbacks.EarlyStopping("val_top1", mode="max", patience=3),
]
history = model.fit(inputs, labels, epochs=5, callbacks=callbacks, verbose=0)
print(history.history["val_top1"], flush=True)
