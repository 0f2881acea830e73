"""`Indexed` gives every item with its index, as loaders ask for it."""

import pickle

import numpy as np
import pytest

import mmeval_like as mm
from tests.helpers.optional import requires


class Squares:
    """A dataset that also gives several items at once, and remembers how it was asked."""

    def __init__(self):
        self.asked = []

    def __len__(self):
        return 5

    def __getitem__(self, index):
        self.asked.append(index)
        return index**2

    def __getitems__(self, indices):
        self.asked.append(list(indices))
        return [index**2 for index in indices]


def test_items_come_with_their_indices():
    """One by one, several at once, and by iteration."""
    dataset = mm.Indexed("abc")

    assert len(dataset) == 3
    assert list(dataset) == [(0, "a"), (1, "b"), (2, "c")]
    assert dataset.__getitems__([2, 0]) == [(2, "c"), (0, "a")]
    assert pickle.loads(pickle.dumps(dataset))[1] == (1, "b")
    assert repr(dataset) == "Indexed('abc')"


def test_several_items_are_asked_for_at_once():
    """A dataset that can give a batch is asked for a batch."""
    squares = Squares()

    assert mm.Indexed(squares).__getitems__([3, 1]) == [(3, 9), (1, 1)]
    assert squares.asked == [[3, 1]]


@pytest.mark.parametrize("index", [-1, 3])
def test_indices_out_of_range_are_refused(index):
    """Also negative ones, which no id may be."""
    with pytest.raises(IndexError, match="index must be in"):
        mm.Indexed("abc")[index]


def test_datasets_that_are_only_iterated_are_refused():
    """The error says what to do."""
    with pytest.raises(TypeError, match="yield each sample's index itself"):
        mm.Indexed(iter("abc"))


@pytest.mark.parametrize("workers", [0, 2])
def test_a_loader_of_torch_gives_batches_of_indices_and_items(workers):
    """Shuffled, by this process or by workers: the indices belong to the items."""
    torch = requires("torch")
    dataset = torch.utils.data.TensorDataset(torch.arange(10) * 10, torch.arange(10) % 3)
    loader = torch.utils.data.DataLoader(
        mm.Indexed(dataset), batch_size=4, shuffle=True, num_workers=workers
    )

    seen = []
    for ids, (values, labels) in loader:
        assert (values == ids * 10).all()
        assert (labels == ids % 3).all()
        seen += ids.tolist()

    assert sorted(seen) == list(range(10))


def test_repeated_samples_count_once():
    """With the indices as ids and `size`, what a loader repeated is not counted twice."""
    dataset = mm.Indexed([(0, 0), (1, 1), (2, 1), (1, 1)])
    metric = mm.Accuracy(dist_backend="non_dist")
    for order in ([3, 1], [0, 2], [3, 0]):
        ids, items = zip(*dataset.__getitems__(order), strict=True)
        predictions, labels = np.transpose(items)
        metric.add(predictions, labels, ids=ids)

    assert metric.compute(size=len(dataset)) == {"top1": 0.75}
