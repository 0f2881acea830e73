"""What is recorded is never the caller's memory, nor a buffer that the metric uses again."""

import contextlib

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like import Ragged, state


class Reads(mm.BaseMetric):
    """Takes a batch as a dict, as most loaders yield them."""

    total = state.sum()
    hits = state.sum(int)
    codes = state.count(1000)
    kept = state.cat(np.int64)
    ragged = state.cat(np.int64)
    things = state.objects()
    newest = state.last(3, np.int64)

    def rows(self, batch):
        """The very arrays that are in the batch."""
        values = batch["data"][0]
        return {
            "total": batch["floats"],
            "hits": values,
            "codes": values,
            "kept": values,
            "ragged": Ragged(values, batch["lengths"]),
            "things": [{"array": values, "list": [values[:1]]} for _ in values],
            "newest": values,
        }

    def compute_metric(self, results):
        """Everything."""
        return {
            "total": results.total,
            "hits": results.hits,
            "codes": np.flatnonzero(results.codes).tolist(),
            "kept": results.kept.tolist(),
            "ragged": results.ragged.values.tolist(),
            "things": str(results.things),
            "newest": results.newest.tolist(),
        }


class Lengths(mm.BaseMetric):
    """Makes arrays of lists, which numpy takes for floats where there is nothing."""

    total = state.sum(int)
    long = state.sum(bool)
    pair = state.sum(float, (2,))
    longest = state.max(int)
    counted = state.count(9)
    letters = state.tally()
    kept = state.cat(np.int64)
    newest = state.last(2, np.int64)

    def rows(self, texts):
        """Lengths and letters."""
        lengths = np.array([len(text) for text in texts])
        return {
            "total": lengths,
            "long": np.array([len(text) > 1 for text in texts]),
            "pair": np.array([[len(text), 1.0] for text in texts]),
            "longest": lengths,
            "counted": lengths,
            "letters": Ragged.from_arrays([np.array([*map(ord, text)], int) for text in texts]),
            "kept": lengths,
            "newest": lengths,
        }

    def compute_metric(self, results):
        """Some of it."""
        return {"total": results.total, "letters": results.letters[1].tolist()}


def test_a_batch_of_nothing_adds_nothing():
    """Whatever numpy makes of no samples; also as the first batch, the only one, and in slices."""
    batches = [[], ["a", "bb"], [], ["ccc"], []]
    metric, sliced = Lengths(), mm.Sliced(Lengths(), by="key")
    for texts in batches:
        metric.add(texts)
        sliced.add(texts, by={"key": ["x"] * len(texts)})
    expected = Lengths()(["a", "bb", "ccc"])
    assert metric.compute() == expected
    assert sliced.compute()["key=x"] == expected
    with pytest.warns(match="no samples"):
        assert Lengths()([]) == {"total": 0, "letters": []}


class Buffered(mm.BaseMetric):
    """Uses one buffer for all batches."""

    total = state.sum(int)

    def rows(self, values):
        """The same array every time."""
        if not hasattr(self, "_buffer"):
            self._buffer = np.empty(2, int)
        self._buffer[:] = values
        return {"total": self._buffer}

    def compute_metric(self, results):
        """The sum."""
        return {"total": results.total}


@pytest.mark.parametrize("together", [False, True])
def test_a_loop_that_uses_its_buffers_again(together):
    """The loader writes the next batch into the arrays of the last one."""
    fresh, reused = (
        mm.MetricCollection({"a": Reads()}, "non_dist") if together else Reads()
        for _ in range(2)
    )  # fmt: skip
    floats, values, lengths = np.zeros(2), np.zeros(2, int), np.ones(2, int)
    for number in range(5):
        floats[:], values[:] = number / 2, 10 * number
        lengths[:] = (2, 0) if number % 2 else (1, 1)
        reused.add({"data": [values], "floats": floats, "lengths": lengths})
        fresh.add({"data": [values.copy()], "floats": floats.copy(), "lengths": lengths.copy()})
    floats[:], values[:] = 99, 999

    assert reused.compute() == fresh.compute()
    assert "array([40, 40])" in str(reused.compute())
    assert "999" not in str(reused.compute())


def test_a_metric_that_uses_its_buffer_again():
    """Its own rows are copied too."""
    metric = Buffered(dist_backend="non_dist")
    for number in range(3):
        metric.add(np.array([number, 100]))
    assert metric.compute() == {"total": 303}


def test_a_state_that_cannot_fold_loses_no_rows():
    """The error comes again at every compute, and what could be folded was not folded twice."""

    class Fussy(type(state.sum())):
        block = 100

        def fold(self, folded, rows):
            if (rows == 13).any():
                raise ValueError("13 is bad luck")
            return super().fold(folded, rows)

    class Two(mm.BaseMetric):
        plain = state.sum(int)
        fussy = Fussy(float, ())

        def rows(self, values):
            values = np.asarray(values)
            return {"plain": values, "fussy": values.astype(float)}

        def compute_metric(self, results):
            return {"plain": results.plain, "fussy": results.fussy, "count": len(results)}

    metric = Two(dist_backend="non_dist", max_padding=0)
    for value in (13, 1, 2, 3):
        with contextlib.suppress(ValueError):  # as soon as the block is full
            metric.add([value] * 20)
    with pytest.raises(ValueError, match="bad luck"):
        metric.compute()
    store = metric._samples().stores()[0]
    assert store.count == store.waiting + store._folded_count == 80
    assert sum(chunk.count for chunk in store.backlog.batches) == store.waiting
