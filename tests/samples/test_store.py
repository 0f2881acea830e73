"""The store of one rank: folding early, trimming, merging and packing lose and change nothing."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmeval_like import state
from mmeval_like._samples import padding
from mmeval_like._samples.combine import combine
from mmeval_like._samples.parts import Part
from mmeval_like._samples.store import Store
from mmeval_like._states.kinds.abstract import State
from mmeval_like._states.kinds.folding import FloatSum
from mmeval_like._states.kinds.ordered import Cat, Objects
from mmeval_like._states.rows import Ragged
from mmeval_like.backends.wire.named import pack_named, unpack_named
from mmeval_like.testing.same import same
from tests.helpers.examples import examples


def states():
    """One of every kind."""
    return {
        "total": state.sum(),
        "hits": state.sum(int),
        "codes": state.count(5),
        "best": state.max(),
        "tally": state.tally(),
        "newest": state.last(4, np.int64),
        "kept": state.cat(np.int64),
        "some": state.cat(np.int64),
        "names": state.objects(),
    }


def rows(start, count):
    """Rows of the samples start, start + 1, ..."""
    index = np.arange(start, start + count)
    return {
        "total": index / 7 * 10.0 ** (index % 30),
        "hits": index % 2 == 0,
        "codes": (index % 5).astype(np.uint8),
        "best": -index.astype(np.float32),
        "tally": index * 10**12 % 7,
        "newest": index,
        "kept": index,
        "some": Ragged(np.repeat(index, index % 3), index % 3),
        "names": [f"sample {i}" for i in index],
    }


def value(parts, declared=None, **options):
    """What compute_metric would see, as a plain dict."""
    declared = declared or states()
    options = {"kept": None, "mode": "cat", "size": None} | options
    results, report = combine(declared, parts, **options)
    found = {name: getattr(results, name) for name in declared}
    for name, kept in found.items():
        if isinstance(kept, tuple):
            found[name] = [array.tolist() for array in kept]
        if isinstance(kept, Ragged):
            found[name] = [kept.values.tolist(), kept.lengths.tolist()]
        elif isinstance(kept, np.ndarray):
            found[name] = kept.tolist()
    return found | {"len": len(results), "report": report}


def through_bytes(part, declared=None):
    """The part, packed and unpacked between other bytes."""
    declared = declared or states()
    packed = b"".join([b"abc", *pack_named(part.to_dict(declared)), b"de"])
    found, end = unpack_named(memoryview(packed), 3)
    assert packed[end:] == b"de"
    return Part.from_dict(declared, found)


def filled(batches, ids=None, start=0, **options):
    """A store with batches of these sizes."""
    made = Store(states(), **options)
    for count in batches:
        chosen = None if ids is None else ids[start : start + count]
        made.append(made.check(rows(start, count), chosen))
        start += count
    return made


def expected(count):
    """The values of the first samples, folded at once."""
    return value([filled([count]).part()])


batch_sizes = st.lists(st.integers(0, 6), max_size=6)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Chunks settle after a few rows, so that small examples reach every branch."""
    for kind in (State, FloatSum, Cat, Objects):
        monkeypatch.setattr(kind, "block", 90)
    monkeypatch.setattr(padding, "_RANKS", 3)
    padding.expected_padding.cache_clear()
    yield
    padding.expected_padding.cache_clear()


@settings(max_examples=examples(60))
@given(batches=batch_sizes, data=st.data())
def test_batches_tails_and_bytes_change_nothing(batches, data):
    """Any batches, any tail, in memory or through bytes: the value of one batch."""
    total = sum(batches)
    made = filled(batches, max_padding=data.draw(st.none() | st.integers(0, 10)))
    tail = data.draw(st.none() | st.integers(0, 10))

    part = made.part(tail)

    assert made.count == part.count == total
    assert part.tail_count <= made.waiting
    assert same(value([part]), expected(total))
    assert same(value([through_bytes(made.part(tail))]), expected(total))
    assert same(value([made.part()]), expected(total))  # nothing was used up


@settings(max_examples=examples(60))
@given(batches=batch_sizes, data=st.data())
def test_the_kept_tail_can_be_dropped(batches, data):
    """Rows that were not folded can be dropped from the end, before or after they are sent."""
    made = filled(batches, max_padding=data.draw(st.none() | st.integers(0, 30)))
    total = sum(batches)
    kept = data.draw(st.integers(total - made.waiting, total))

    assert made.waiting >= min(total, 2 if made.max_padding is None else made.max_padding)
    tail = data.draw(st.integers(total - kept, total))
    sent = [through_bytes(made.part(tail))]
    assert same(value(sent, kept=[kept]), expected(kept))
    assert same(value([made.part()], kept=[kept]), expected(kept))


@settings(max_examples=examples(60))
@given(groups=st.lists(batch_sizes, min_size=3, max_size=3), data=st.data())
def test_merging_is_associative(groups, data):
    """(a + b) + c is a + (b + c) is all in one; a merged store goes on like any other."""
    padding = data.draw(st.none() | st.integers(0, 9))
    starts = np.cumsum([0, *map(sum, groups)]).tolist()

    def part(number):
        made = filled(groups[number], start=starts[number], max_padding=padding)
        return made.part(data.draw(st.none() | st.integers(0, 9)))

    left, right, inner = Store(states(), padding), Store(states(), padding), Store(states())
    for number in range(3):
        left.merge(part(number))
    inner.merge(part(1))
    inner.merge(part(2))
    right.merge(part(0))
    right.merge(inner.part())

    for merged in (left, right):
        assert merged.count == starts[3]
        assert same(value([merged.part()]), expected(starts[3]))
        merged.append(merged.check(rows(starts[3], 2)))
        assert same(value([through_bytes(merged.part(1))]), expected(starts[3] + 2))
        kept = merged.count - min(merged.waiting, 2)
        assert same(value([merged.part()], kept=[kept]), expected(kept))


@pytest.mark.filterwarnings("ignore:the ids of two batches")
@settings(max_examples=examples(60))
@given(data=st.data(), mode=st.sampled_from(["unzip", "cat"]))
def test_ids_count_once_wherever_they_are(data, mode):
    """Any assignment of ids to ranks and batches, repeats included: each sample once, in order."""
    total = data.draw(st.integers(1, 8))
    dealt = list(range(total)) + data.draw(st.lists(st.integers(0, total - 1), max_size=5))
    dealt = data.draw(st.permutations(dealt))
    cut = data.draw(st.integers(0, len(dealt)))
    parts = []
    for mine in (dealt[:cut], dealt[cut:]):
        made = Store(states())
        place = 0
        while place < len(mine):
            count = data.draw(st.integers(1, 3))
            batch = [rows(index, 1) for index in mine[place : place + count]]
            joined = {name: _join([row[name] for row in batch]) for name in states()}
            made.append(made.check(joined, mine[place : place + count]))
            place += count
        parts.append(through_bytes(made.part()))

    found = value(parts, mode=mode, size=total)

    report = found.pop("report")
    assert same({**found, "report": None}, expected(total))
    assert (report.seen, report.unique, report.differing) == (len(dealt), total, 0)


def _join(pieces):
    if isinstance(pieces[0], Ragged):
        return Ragged.from_arrays([entry for piece in pieces for entry in piece.split()])
    if isinstance(pieces[0], list):
        return [entry for piece in pieces for entry in piece]
    return np.concatenate(pieces)


@given(batches=batch_sizes)
def test_copies_are_independent(batches):
    """A deep copy or a pickle has the value, and adding to it leaves the original alone."""
    made = filled(batches)
    for twin in (copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert same(value([twin.part()]), expected(sum(batches)))
        twin.append(twin.check(rows(50, 3)))
        assert same(value([made.part()]), expected(sum(batches)))


def test_parts_do_not_share_what_folds():
    """Folding into a part that was cut leaves the store as it was."""
    made = filled([4, 4, 4])

    first = value([made.part(), made.part()])
    again = value([made.part(), made.part()])

    assert same(first, again)
    assert same(value([made.part()]), expected(12))


def test_what_compute_metric_changes_is_its_own():
    """Ordered rows of a private part may be changed in place."""
    made = filled([3])
    part = made.part().private()
    part.ordered["kept"][:] = -1
    part.ordered["names"].clear()

    assert same(value([made.part()]), expected(3))


def test_what_the_caller_overwrites_is_kept():
    """Rows that are the caller's own arrays, or views of them, are copied."""
    lent = np.arange(4)
    declared = {"a": state.sum(int), "b": state.sum(int), "c": state.cat(np.int64)}
    made = Store(declared)
    given = {"a": lent, "b": lent[::2].repeat(2), "c": Ragged(lent, np.ones(4, int))}
    made.append(made.check(given))
    made.append(made.check({"a": lent[1:3], "b": lent[:2], "c": lent[:2]}))
    lent[:] = 1000

    found = value([made.part()], declared)

    assert (found["a"], found["b"]) == (6 + 3, 4 + 1)
    assert found["c"] == [[0, 1, 2, 3, 0, 1], [1] * 6]


REFUSED = [
    ([np.ones(1, bool)], None, TypeError, "must return a dict of states, got list"),
    ({"hits": np.ones(1, bool)}, None, ValueError, "must return the states"),
    ({**rows(0, 2), "more": []}, None, ValueError, "must return the states .*'more'"),
    ({**rows(0, 2), "names": ["x"]}, None, ValueError, "'total' and 'names' must have rows"),
    ({**rows(0, 2), "codes": np.array([0, 5])}, None, ValueError, "'codes'.*got 5 at index 1"),
    (rows(0, 2), [0], ValueError, r"each of the 2 samples, got shape \(1,\)"),
    (rows(0, 2), [0, -1], ValueError, "must not be negative, got -1"),
    (rows(0, 2), [0.5, 1], TypeError, "ids must be integers"),
]


@pytest.mark.parametrize(("given_rows", "ids", "error", "text"), REFUSED)
def test_refused_rows_leave_nothing(given_rows, ids, error, text):
    """Rows that do not fit are refused with a reason, before anything is kept."""
    made = Store(states())

    with pytest.raises(error, match=text):
        made.check(given_rows, ids)

    assert (made.count, made.waiting) == (0, 0)


def test_ids_for_all_or_none():
    """A store takes ids with every batch or with none; empty batches do not matter."""
    with_ids, without = Store(states()), Store(states())
    with_ids.append(with_ids.check(rows(0, 0)))
    with_ids.append(with_ids.check(rows(0, 2), [0, 1]))
    without.append(without.check(rows(0, 0), []))
    without.append(without.check(rows(0, 2)))

    with pytest.raises(ValueError, match="integers as ids=, this batch has no ids="):
        with_ids.check(rows(2, 1))
    with pytest.raises(ValueError, match="no ids=, this batch has integers as ids="):
        without.check(rows(2, 1), [2])
    with pytest.raises(ValueError, match="parts with ids and parts without"):
        with_ids.merge(without.part())
    with_ids.append(with_ids.check(rows(0, 0)))
    with_ids.merge(Store(states()).part())
    assert with_ids.count == 2


@pytest.mark.parametrize("max_padding", [None, 0, 5])
@pytest.mark.parametrize("before", [0, 10])
def test_large_batches_are_folded_at_once(max_padding, before):
    """Large batches fold without a copy, up to what padding may reach, and keep no rows of others.

    Their parts are those of the same rows in small batches, for any number of rows that count.
    """
    made = {"total": state.sum(), "hits": state.sum(int)}
    count = 200_000
    values = np.random.default_rng(1).normal(size=before + count)
    batch = {"total": values, "hits": np.arange(len(values)) % 3}
    whole, pieces = (Store(made, max_padding) for _ in range(2))
    for start in range(0, len(values), 1000):
        pieces.append(pieces.check({n: part[start : start + 1000] for n, part in batch.items()}))
    own = {name: part.copy() for name, part in batch.items()}
    for some in (slice(0, before), slice(before, None)):
        whole.append(whole.check({name: part[some] for name, part in own.items()}))
    for part in own.values():
        part[:] = 0  # they belong to the caller
    reachable = padding.expected_padding() if max_padding is None else max_padding
    assert whole.waiting == reachable
    assert whole.count == len(values)
    assert sum(len(one.rows["total"]) for one in whole.backlog.batches) == reachable
    for kept in (len(values), len(values) - reachable):
        assert np.array_equal(whole.vector(kept), pieces.vector(kept))
    snapshot = whole.snapshot()
    whole.append(whole.check(batch))
    assert np.array_equal(snapshot.vector(), pieces.vector())


def test_large_batches_that_cannot_fold_change_nothing():
    """Neither counts nor sums change where a state cannot fold a large batch."""

    class Refuses(FloatSum):
        def fold(self, folded, rows):
            if len(rows) > 100:
                raise MemoryError
            return super().fold(folded, rows)

    store = Store({"total": state.sum(), "other": Refuses(float, ())}, 0)
    few, many = np.ones(10), np.ones(200_000)
    store.append(store.check({"total": few, "other": few}))
    before = store.vector()
    with pytest.raises(MemoryError):
        store.append(store.check({"total": many, "other": many}))
    assert store.count == 10
    assert np.array_equal(store.vector(), before)
