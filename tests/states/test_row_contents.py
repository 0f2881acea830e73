"""The content of rows: equal for copies, and different for everything else."""

import copy
import pickle
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from mmeval_like._states.row_contents import content, content_order


@dataclass
class Sentence:
    """An entry that a metric may append."""

    words: list[str]
    score: float


SHARED = ["a", "b"]
ENTRIES: list[Any] = [
    None, True, 1, 1.0, -0.0, 0.0, 1j, "1", b"1", [1, 2], (1, 2), [[1], 2], [1, [2]], [12], {1, 2},
    {"a": 1}, {"a": 2}, {"b": 1}, np.arange(3), np.arange(3.0), np.arange(4).reshape(2, 2),
    np.arange(4), np.float32(1), np.float64(1), Sentence(["a"], 1.0), Sentence(["a"], 2.0),
    Sentence(["a", "b"], 1.0), int, float, "\ud800", [SHARED, SHARED],
]  # fmt: skip


@pytest.mark.parametrize("entry", ENTRIES, ids=repr)
def test_copies_have_equal_contents(entry: Any) -> None:
    """Deep copies, pickled ones, and those in which nothing is shared any more."""
    found = content(entry)
    assert content(copy.deepcopy(entry)) == found
    assert content(pickle.loads(pickle.dumps(entry))) == found
    assert content([["a", "b"], ["a", "b"]]) == content([SHARED, SHARED])


def test_different_entries_have_different_contents() -> None:
    """Types, nesting, shapes and fields count."""
    assert len({content(entry) for entry in ENTRIES}) == len(ENTRIES)


def test_sets_and_dicts_have_no_order() -> None:
    """Equal ones that were filled in another order, or have another table."""
    forward, backward = {}, {}
    for number in range(100):
        forward[str(number)] = number
        backward[str(99 - number)] = 99 - number
    assert content(forward) == content(backward)
    assert content(set(forward)) == content(set(backward))


def test_what_refers_to_itself_is_of_its_type() -> None:
    """It has no finite content: it stays where it was among its like."""
    endless: list[Any] = []
    endless.append(endless)
    assert content(endless) == b"builtins.list"
    assert content_order([[endless, "a", endless]]).tolist() == [0, 2, 1]


def test_the_order_of_rows_is_that_of_their_contents() -> None:
    """Columns are put in one order together, numbers as numbers."""
    rng = np.random.default_rng(0)
    numbers, entries = rng.integers(0, 3, 50), [{"x": int(x)} for x in rng.integers(0, 4, 50)]
    order = content_order([numbers, entries])
    mixed = rng.permutation(50)
    again = mixed[content_order([numbers[mixed], [entries[place] for place in mixed]])]
    assert [entries[place] for place in order] == [entries[place] for place in again]
    assert (numbers[order] == numbers[again]).all()
    assert content_order([np.array([10.0, 9.0, -1.0])]).tolist() == [2, 1, 0]
