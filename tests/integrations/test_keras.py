"""Keras's own `fit`, by its backend JAX."""

import numpy as np
import pytest

import mmeval_like as mm
from tests.helpers.optional import require_installed, requires

require_installed("jax")
keras = requires("keras")

INPUTS = np.random.default_rng(0).random((10, 3))
LABELS = np.arange(10) % 3


class Batches(keras.utils.PyDataset):
    """3 batches of 4, 4 and 2 samples, which a `for` loop would not end."""

    def __len__(self):
        return 3

    def __getitem__(self, index):
        part = slice(4 * index, 4 * index + 4)
        return INPUTS[part], LABELS[part]


def with_ids():
    """Batches in a list, of which the second has a sample of the first again."""
    parts = [[0, 1, 2, 3, 4, 5], [5, 6, 7, 8, 9]]
    return [(INPUTS[ids], LABELS[ids], ids) for ids in parts]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("data", [Batches(), with_ids()], ids=["PyDataset", "ids"])
def test_the_history_has_every_epochs_numbers(data):
    """Of the weights at its end; other callbacks see them."""
    keras.utils.set_random_seed(0)
    model = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(3)])
    model.compile(keras.optimizers.SGD(0.5), "mse")
    metrics = mm.MetricCollection({"acc": mm.Accuracy(thrs=None, topk=(1, 2))})
    expected, seen = [], []
    callbacks = [
        mm.integrations.KerasMetrics(metrics, data, size=10),
        keras.callbacks.LambdaCallback(
            on_epoch_end=lambda epoch, logs: (
                seen.append(logs["val_acc_top1"]),
                expected.append(metrics(model.predict(INPUTS, verbose=0), LABELS).flat("val_")),
            )
        ),
    ]

    history = model.fit(INPUTS, np.eye(3)[LABELS], epochs=3, callbacks=callbacks, verbose=0)

    for name in ("val_acc_top1", "val_acc_top2"):
        assert history.history[name] == [epoch[name] for epoch in expected]
    assert seen == history.history["val_acc_top1"]
    assert len(set(history.history["val_acc_top2"] + seen)) > 1


@pytest.mark.filterwarnings("ignore")
def test_the_prefix_begins_the_names():
    """The numbers stand in the history under the names that the caller chose."""
    model = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(3)])
    model.compile("sgd", "mse")
    callback = mm.integrations.KerasMetrics(mm.Accuracy(), Batches(), prefix="test/")

    found = model.fit(INPUTS, np.eye(3)[LABELS], callbacks=[callback], verbose=0).history

    expected = mm.Accuracy()(model.predict(INPUTS, verbose=0), LABELS)
    assert found.keys() == {"loss", "test/top1"}
    assert found["test/top1"] == [expected["top1"]]


def test_data_that_is_no_list_of_batches_is_refused():
    """What can be read only once, and arrays of all samples, as `validation_data` takes them."""
    with pytest.raises(TypeError, match="got a generator, which can be read only once"):
        mm.integrations.KerasMetrics(mm.Accuracy(), (batch for batch in with_ids()))
    arrays = mm.integrations.KerasMetrics(mm.Accuracy(), (INPUTS, LABELS))
    with pytest.raises(TypeError, match=r"batches.*write \[\(inputs, labels\)\]"):
        arrays.on_epoch_end(0, {})
