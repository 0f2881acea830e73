"""Sliced: every slice has the value of its samples alone, whatever the ranks, batches and order."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mmeval_like as mm
from mmeval_like import state
from mmeval_like._base.keys import key_text
from mmeval_like.testing import LocalWorld
from mmeval_like.testing.inputs import take_samples
from mmeval_like.testing.metric_case import value_of
from mmeval_like.testing.same import same
from tests.helpers.examples import examples
from tests.metric_cases import CASES

VALUES = ["en", "de", "all", "", None, 7, "7", -1, "a,b=c", "-"]


def by_hand(case, data, columns, families):
    """What every slice must be: the metric of its samples alone."""
    count = len(next(iter(columns.values())))
    found = {"all": value_of(case, data)}
    for family in families:
        keys = list(zip(*(columns[name] for name in family), strict=True))
        for key in set(keys):
            which = np.array([i for i in range(count) if keys[i] == key])
            found[key_text(family, key)] = value_of(case, take_samples(data, which))
    return found


@pytest.mark.parametrize("name", sorted(CASES))
def test_a_slice_is_its_samples_alone(name):
    """Every metric, in any batches on 1 to 3 ranks, with and without ids: `==` on every slice.

    Where few random inputs are tried, on 3 ranks without ids.
    """
    case = CASES[name]
    rng = np.random.default_rng(len(name))
    families = (("x",), ("x", "y"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for ranks, with_ids in ((3, False), (2, True), (1, False))[: examples(3)]:
            count = int(rng.integers(max(case.least, 6), max(case.most, 12) + 1))
            data = case.samples(rng, count)
            columns = {n: [VALUES[i] for i in rng.integers(0, 3, count)] for n in "xy"}
            try:
                expected = by_hand(case, data, columns, families)
            except Exception:  # a metric that is not defined for a single sample, for instance
                columns = {n: ["en"] * count for n in "xy"}
                expected = by_hand(case, data, columns, families)
            lists = not with_ids and case.make().plan.lists
            if with_ids and case.make().plan.lists:
                continue

            def program(backend, data=data, columns=columns, count=count, ranks=ranks,
                        with_ids=with_ids):  # fmt: skip
                sliced = mm.Sliced(case.make(), by=["x", ("x", "y")], dist_backend=backend)
                mine = np.arange(count)[backend.rank :: ranks]
                for batch in np.array_split(mine, 3):
                    if len(batch):
                        by = {n: [column[i] for i in batch] for n, column in columns.items()}
                        options = {"ids": batch} if with_ids else {}
                        sliced.add(*take_samples(data, batch), by=by, **options)
                return sliced.compute(count)

            for found in LocalWorld(ranks).run(program):
                assert found.keys() == expected.keys()
                for key in expected:
                    assert same(found[key], expected[key]), (key, lists)


CELLS = st.tuples(st.integers(0, 3), st.integers(0, 3), st.sampled_from(VALUES))


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(CELLS, min_size=1, max_size=40), st.integers(1, 4), st.integers(1, 9),
       st.randoms(use_true_random=False))  # fmt: skip
def test_order_and_batches_do_not_matter(cells, ranks, batch, random):
    """Samples dealt to ranks in any order, in batches of any size: the same dict, in its order."""

    def evaluate(cells, ranks, batch):
        def program(backend):
            metrics = {"matrix": mm.ConfusionMatrix(4), "acc": mm.Accuracy(thrs=None)}
            sliced = mm.Sliced(metrics, by="zone", dist_backend=backend)
            mine = cells[backend.rank :: ranks]
            for start in range(0, len(mine), batch):
                part = mine[start : start + batch]
                predictions, labels, zones = zip(*part, strict=True)
                sliced.add(np.array(predictions), np.array(labels), by={"zone": zones})
            return sliced.compute()

        return LocalWorld(ranks).run(program)

    (expected,) = evaluate(cells, 1, len(cells))
    shuffled = cells.copy()
    random.shuffle(shuffled)

    for found in evaluate(shuffled, ranks, batch):
        assert list(found) == list(expected)
        assert same(found, expected)
    assert int(expected["all"]["matrix"]["confusion_matrix"].sum()) == len(cells)


def test_padding_is_dropped_before_slices_are_formed():
    """`size=`: the repeated samples are in no slice; a slice of repeated samples is not there."""

    def program(backend):
        sliced = mm.Sliced(mm.Accuracy(), by=["zone"], dist_backend=backend)
        zone = ["a", "b"] if backend.rank == 0 else ["a", "repeated"]
        sliced.add([0, 0], [0, 1], by={"zone": zone})
        return sliced.compute(size=3)

    for found in LocalWorld(2).run(program):
        assert found == {"all": {"top1": 2 / 3}, "zone=a": {"top1": 1.0}, "zone=b": {"top1": 0.0}}


@pytest.mark.filterwarnings("ignore:the ids of two batches")
def test_ids_count_once_with_the_first_copys_slice():
    """A sample that comes again counts once, also where its slice changed; the report knows."""
    sliced = mm.Sliced(mm.Accuracy(), by=["zone"])
    sliced.add([0, 1], [0, 0], by={"zone": ["a", "a"]}, ids=[0, 1])
    sliced.add([0, 1], [0, 0], by={"zone": ["b", "a"]}, ids=[0, 1])

    with pytest.warns(RuntimeWarning, match="1 id came with different samples"):
        assert sliced.compute(2) == {"all": {"top1": 0.5}, "zone=a": {"top1": 0.5}}
    assert (sliced.report.duplicated, sliced.report.differing) == (2, 1)
    with pytest.raises(ValueError, match="ids 2"):
        sliced.compute(3)


def test_a_rank_without_a_slice_has_its_value():
    """Slices that only one rank met are on every rank, and no rank waits for another."""

    def program(backend):
        sliced = mm.Sliced({"acc": mm.Accuracy()}, by=["zone"], dist_backend=backend)
        if backend.rank == 2:
            sliced.add([0], [0], by={"zone": ["rare"]})
        return sliced.compute()

    expected = {"all": {"acc": {"top1": 1.0}}, "zone=rare": {"acc": {"top1": 1.0}}}
    assert LocalWorld(3).run(program) == [expected] * 3


class Order(mm.BaseMetric):
    """States whose values depend on the order of the samples."""

    all = state.objects()
    last = state.last(2, int)

    def rows(self, values):
        """The values."""
        return {"all": list(values), "last": np.asarray(values)}

    def compute_metric(self, results):
        """All of them, and the last two."""
        return {"all": results.all, "last": results.last.tolist()}


class Listed(mm.BaseMetric):
    """A metric in MMEval's way."""

    def add(self, values):
        """Append."""
        self._results += [float(v) for v in values]

    def compute_metric(self, results):
        """What came, in order."""
        return {"values": list(results)}


@pytest.mark.parametrize("mode", ["unzip", "cat"])
def test_order_within_a_slice_is_the_global_order(mode):
    """States that keep every row, and lists in MMEval's way: as if only the slice were there."""

    def program(backend):
        options = {"dist_collect_mode": mode}
        metrics = {"order": Order(**options), "listed": Listed(**options)}
        sliced = mm.Sliced(metrics, by=["odd"], dist_backend=backend)
        shares = [range(0, 12, 3), range(1, 12, 3), range(2, 12, 3)]
        if mode == "cat":
            shares = [range(4), range(4, 8), range(8, 12)]
        mine = list(shares[backend.rank])
        for start in (0, 2):
            part = mine[start : start + 2]
            sliced.add(part, by={"odd": [str(v % 2) for v in part]})
        return sliced.compute()

    for found in LocalWorld(3).run(program):
        for name, values in (
            ("all", list(range(12))),
            ('odd="0"', list(range(0, 12, 2))),
            ('odd="1"', list(range(1, 12, 2))),
        ):
            assert found[name]["order"] == {"all": values, "last": values[-2:]}
            assert found[name]["listed"] == {"values": values}


def test_saved_and_merged(tmp_path):
    """Files and parts of other slices are merged: nothing is lost or counted twice."""

    def make():
        metrics = {"matrix": mm.ConfusionMatrix(3), "acc": mm.Accuracy(thrs=None)}
        return mm.Sliced(metrics, by=["zone", ("zone", "day")])

    rng = np.random.default_rng(0)
    labels, found = rng.integers(0, 3, (2, 40))
    by = {"zone": [VALUES[i % 7] for i in range(40)], "day": [i % 3 for i in range(40)]}
    whole, parts = make(), []
    whole.add(found, labels, by=by)
    for start in (0, 11, 25):
        piece = slice(start, {0: 11, 11: 25, 25: 40}[start])
        parts.append(make())
        parts[-1].add(found[piece], labels[piece], by={n: v[piece] for n, v in by.items()})
        parts[-1].save(tmp_path / f"{start}.safetensors")
    loaded, merged = make(), make()
    loaded.load(sorted(tmp_path.iterdir()))
    for part in parts:
        merged.merge(part)

    assert same(loaded.compute(), whole.compute())
    assert same(merged.compute(), whole.compute())
    with pytest.raises(ValueError, match="only equal metrics merge"):
        merged.merge(mm.Sliced(mm.ConfusionMatrix(3), by=["zone"]))


def test_subtracted_samples_are_gone_with_their_slices():
    """What is left is as if the samples had never been added; an empty slice is not there."""

    def of(predictions, labels, zones):
        sliced = mm.Sliced({"acc": mm.Accuracy(), "matrix": mm.ConfusionMatrix(3)}, by=["zone"])
        sliced.add(predictions, labels, by={"zone": zones})
        return sliced

    whole = of([0, 1, 2, 0], [0, 1, 1, 2], ["a", "b", "a", "c"])
    whole.subtract(of([1, 2], [1, 1], ["b", "a"]))

    assert same(whole.compute(), of([0, 0], [0, 2], ["a", "c"]).compute())
    with pytest.raises(ValueError, match="subtract"):
        whole.subtract(of([1, 2], [1, 1], ["d", "d"]))


def test_the_call_and_the_reset():
    """Calling it keeps nothing; reset forgets the slices as well."""
    sliced = mm.Sliced(mm.Accuracy(), by=["zone"])
    assert sliced([0], [0], by={"zone": ["a"]}) == {"all": {"top1": 1.0}, "zone=a": {"top1": 1.0}}
    sliced.add([0], [1], by={"zone": ["b"]})
    sliced.reset()
    sliced.add([0], [0], by={"zone": ["c"]})

    assert sliced.compute() == {"all": {"top1": 1.0}, "zone=c": {"top1": 1.0}}
