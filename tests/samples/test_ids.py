"""Ids that are texts: the numbers of integer ids to the last bit, and no kind taken for another."""

import hashlib
import importlib.util

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mmeval_like as mm
from mmeval_like._samples.ids import distinct, read_ids, shown
from mmeval_like.testing import LocalWorld
from mmeval_like.testing.same import same
from tests.helpers.examples import examples

TEXTS = st.text(max_size=40) | st.text("ab", min_size=14, max_size=17)


@pytest.mark.filterwarnings("ignore:the ids of two batches")
@settings(max_examples=examples(25), deadline=None)
@given(
    names=st.lists(TEXTS, min_size=1, max_size=12, unique=True),
    data=st.data(),
    ranks=st.integers(1, 4),
)
def test_texts_count_as_integers_do(names, data, ranks):
    """However samples are dealt and repeated, the value and the report are those of indices."""
    again = data.draw(st.lists(st.integers(0, len(names) - 1), max_size=10))
    dealt = data.draw(st.permutations([*range(len(names)), *again]))
    values = np.random.default_rng(len(dealt)).normal(size=len(names))

    def evaluate(backend, as_texts):
        metric = mm.MeanSquaredError(dist_backend=backend)
        mine = dealt[backend.rank :: ranks]
        for place in range(0, len(mine), 3):
            batch = mine[place : place + 3]
            ids = [names[index] for index in batch] if as_texts else batch
            metric.add(values[batch], np.zeros(len(batch)), ids=ids)
        value, report = metric.compute(size=len(names)), metric.report
        counts = (report.seen, report.unique, report.missing, report.duplicated, report.differing)
        return value, counts

    found = LocalWorld(ranks).run(lambda backend: evaluate(backend, True))
    expected = LocalWorld(ranks).run(lambda backend: evaluate(backend, False))

    assert same(found, expected)


@given(texts=st.lists(TEXTS, max_size=30))
def test_different_texts_have_different_bits(texts):
    """And the first of equal ones is the one that a dict finds; short ones are known again."""
    ids = read_ids(texts, len(texts)) if texts else np.empty((0, 2), np.uint64)

    unique, first, inverse = distinct(ids)

    places = {text: texts.index(text) for text in texts}
    assert sorted(first.tolist()) == sorted(places.values())
    assert [first[which] for which in inverse] == [places[text] for text in texts]
    assert all(
        tuple(a) < tuple(b) for a, b in zip(unique.tolist(), unique[1:].tolist(), strict=False)
    )
    for text, known in zip(texts, shown(ids), strict=True):
        short = len(text.encode("utf-8", "surrogatepass")) <= 15
        assert known == text if short else known.startswith("blake2b:...")


@given(
    ids=st.lists(st.integers(0, 30), max_size=40),
    start=st.sampled_from([0, 7, 200, 2**62]),
)
def test_indices_are_counted_as_they_are_sorted(ids, start):
    """Ids that leave few out, and ids that leave many, give what numpy's sorting gives."""
    found = np.array(ids, np.int64) + start
    wanted = np.unique(found, return_index=True, return_inverse=True)

    for one, other in zip(distinct(found), wanted, strict=True):
        assert np.array_equal(one, other)
    if len(found):
        for dense in (0, 2**64):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr("mmeval_like._samples.ids._DENSE", dense if start < 300 else 0)
                for one, other in zip(distinct(found), wanted, strict=True):
                    assert np.array_equal(one, other)


def test_texts_that_differ_at_their_end_count_apart():
    """Short ones as well as long ones, whose bits are the hash that the documentation names."""
    for start in ("sample-", "a name of more than fifteen bytes, number "):
        metric = mm.Accuracy(dist_backend="non_dist")
        metric.add([0, 1, 1], [0, 0, 0], ids=[f"{start}1", f"{start}2", f"{start}2"])
        assert metric.compute() == {"top1": 0.5}

    text = f"{start}1"
    bits = read_ids([text], 1).astype(">u8").tobytes()
    digest = hashlib.blake2b(text.encode(), digest_size=16).digest()
    assert bits == bytes([digest[0] | 0x80]) + digest[1:]


@pytest.mark.filterwarnings("ignore:the ids of two batches")
def test_a_report_names_texts():
    """The warning and the report name the id; of a long one the end of its hash."""
    metric = mm.Accuracy(dist_backend="non_dist")
    metric.add([1, 1], [1, 1], ids=["img-7", "photos/2024/img-0000007.png"])
    metric.add([0, 0], [1, 1], ids=["img-7", "photos/2024/img-0000007.png"])

    with pytest.warns(RuntimeWarning, match=r"2 ids came with different samples.*img-7, blake2b"):
        assert metric.compute() == {"top1": 1.0}
    assert metric.report.differing_ids[0] == "img-7"


@pytest.mark.parametrize("ranks", [1, 3])
def test_what_is_missing(ranks):
    """`size` counts the different texts; `remaining` says which of a list nobody added."""

    def evaluate(backend):
        metric = mm.Accuracy(dist_backend=backend)
        metric.add([1], [1], ids=["a"])
        left = metric.remaining(["b", "a", "a long name that is hashed"])
        with pytest.raises((ValueError, mm.RemoteError), match="1 of the 2 samples were added by"):
            metric.compute(size=2)
        with pytest.raises(TypeError, match="the names of all samples"):
            metric.remaining(2)
        return left, metric.compute(size=1)

    left = ["b", "a long name that is hashed"]
    assert LocalWorld(ranks).run(evaluate) == [(left, {"top1": 1.0})] * ranks

    metric = mm.Accuracy(dist_backend="non_dist")
    assert metric.remaining(["a"]) == ["a"]  # no samples: of no kind
    metric.add([1, 1], [1, 1], ids=["a", "b"])
    with pytest.raises(ValueError, match="at most size=1 different ids, got 2"):
        metric.compute(size=1)


def test_ranks_agree_on_the_kind():
    """Integers on one rank and texts on another are an error on every rank."""

    def evaluate(backend):
        metric = mm.Accuracy(dist_backend=backend)
        metric.add([1], [1], ids=["0"] if backend.rank else [0])
        with pytest.raises(ValueError, match="integers on all ranks, or strings on all ranks"):
            metric.compute()
        with pytest.raises(TypeError, match="remaining"):
            metric.remaining(1)
        metric.reset()
        if backend.rank:  # a rank without samples agrees with any
            metric.add([1], [1], ids=["0"])
        return metric.compute()

    assert LocalWorld(2).run(evaluate) == [{"top1": 1.0}] * 2


def test_kinds_do_not_mix():
    """Neither in a batch, nor between batches, parts or files; nothing is lost by the error."""
    texts, numbers = (mm.Accuracy(dist_backend="non_dist") for _ in range(2))
    texts.add([1], [1], ids=["0"])
    numbers.add([1], [1], ids=[0])

    with pytest.raises(
        TypeError, match=r"ids must be strings for all samples, .* got 1 at index 1"
    ):
        texts.add([1, 1], [1, 1], ids=["1", 1])
    with pytest.raises(TypeError, match="ids must be"):
        texts.add([1, 1], [1, 1], ids=[1, "1"])
    with pytest.raises(ValueError, match="ids must not have missing values, got none at index 1"):
        texts.add([1, 1], [1, 1], ids=["1", None])
    with pytest.raises(TypeError, match="lists of strings"):
        texts.add([1], [1], ids=[["1"]])
    with pytest.raises(ValueError, match="strings as ids=, this batch has integers as ids="):
        texts.add([1], [1], ids=[0])
    with pytest.raises(ValueError, match="ids of another kind"):
        texts.merge(numbers)
    assert texts.compute(size=1) == numbers.compute(size=1) == {"top1": 1.0}


def test_floats_that_may_have_been_rounded_are_no_ids():
    """2^53 and 2^53 + 1 are one float: as integers they are two ids; likewise of short floats."""
    metric = mm.Accuracy(dist_backend="non_dist")

    for kind, bits in ((np.float64, 53), (np.float32, 24), (np.float16, 11)):
        assert kind(2**bits) == kind(2**bits + 1)
        for ids in (np.array([2**bits, 2**bits + 1], kind), [2**53, 2.0**53]):
            with pytest.raises(ValueError, match="ids must be of an integer dtype from"):
                metric.add([1, 1], [1, 1], ids=ids)
    metric.add([1, 1], [1, 0], ids=[2**53, 2**53 + 1])

    assert metric.compute() == {"top1": 0.5}


def test_texts_outlive_the_process(tmp_path):
    """Files, bytes and merged parts keep them, and count a sample once."""
    first, second = (mm.Accuracy(dist_backend="non_dist") for _ in range(2))
    first.add([1, 0], [1, 1], ids=["a", "a name of more than fifteen bytes"])
    second.add([1, 1], [1, 1], ids=["b", "a"])
    first.save(tmp_path / "first")
    loaded = mm.Accuracy(dist_backend="non_dist")
    loaded.load([tmp_path / "first"])

    whole = mm.merge([loaded, mm.Accuracy().from_bytes(second.to_bytes())])

    assert whole.compute(size=3) == {"top1": 2 / 3}
    numbers = mm.Accuracy(dist_backend="non_dist")
    numbers.add([1], [1], ids=[0])
    with pytest.raises(ValueError, match="ids of two kinds"):
        numbers.load([tmp_path / "first"])


def columns_of_texts(texts):
    """One list of texts as columns of all libraries that are there."""
    yield texts
    yield np.array(texts)
    yield np.array(texts, object)
    for library in ("pandas", "polars", "pyarrow"):
        if importlib.util.find_spec(library) is None:
            continue
        module = importlib.import_module(library)
        if library == "pyarrow":
            yield module.array(texts)
            yield module.array(texts).dictionary_encode()
            yield module.chunked_array([texts[:1], texts[1:]])
        else:
            yield module.Series(texts)
            kind = "category" if library == "pandas" else module.Categorical
            yield module.Series(texts, dtype=kind)


def test_any_library_has_texts():
    """Lists, numpy, pandas, polars, Arrow; also categories of which one is not used."""
    for column in columns_of_texts(["b", "a", "b"]):
        metric = mm.Accuracy(dist_backend="non_dist")
        metric.add([1, 1, 0], [1, 0, 1], ids=column)
        with pytest.warns(RuntimeWarning, match="1 id came with different samples"):
            assert metric.compute(size=2) == {"top1": 0.5}


def test_strings_that_differ_in_nuls_at_the_end_are_two_ids():
    """Unless a numpy array has lost the NULs, as the page says."""
    for ids, unique in ((["a\0", "a"], 2), (np.array(["a\0", "a"], object), 2)):
        metric = mm.Accuracy(dist_backend="non_dist")
        metric.add([1, 1], [1, 0], ids=ids)
        assert metric.compute() == {"top1": 0.5}
        assert metric.report.unique == unique


def test_ids_that_are_places_in_each_batch_are_told():
    """Once, whether the samples differ or not; other ids that repeat are not told."""
    for labels in ([0, 1], [1, 1]):
        metric = mm.Accuracy(dist_backend="non_dist")
        metric.add([0, 1], labels, ids=range(2))
        with pytest.warns(RuntimeWarning, match="places in the dataset, not in the batch"):
            metric.add([0, 1], labels, ids=range(2))
        metric.add([0], [0], ids=[0])  # a second warning would be an error
    again = mm.Accuracy(dist_backend="non_dist")
    for _ in range(2):
        again.add([0, 1], [0, 1], ids=[0, 1])
        again.add([0, 1], [0, 1], ids=[2, 3])
    assert again.report is None
