"""Sliced: every slice has the value of its samples alone, whatever the ranks, batches and order."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mmeval_like as mm
from mmeval_like import state
from mmeval_like._accumulate.keyed import Keyed, PerKey
from mmeval_like._accumulate.keys import key_text
from mmeval_like._accumulate.states.folding import Extremum
from mmeval_like._accumulate.states.powers import Powers
from mmeval_like._accumulate.tagged import Cells, Tagged
from mmeval_like.metrics.statistics.moments import MomentSums
from mmeval_like.metrics.statistics.weighted_counts import WeightedCount
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
    """Every metric, in any batches on 1 to 3 ranks, with and without ids: `==` on every slice."""
    case = CASES[name]
    rng = np.random.default_rng(len(name))
    families = (("x",), ("x", "y"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for ranks, with_ids in ((1, False), (3, False), (2, True)):
            count = int(rng.integers(max(case.least, 6), max(case.most, 12) + 1))
            data = case.samples(rng, count)
            columns = {n: [VALUES[i] for i in rng.integers(0, 3, count)] for n in "xy"}
            try:
                expected = by_hand(case, data, columns, families)
            except Exception:  # a metric that is not defined for a single sample, for instance
                columns = {n: ["en"] * count for n in "xy"}
                expected = by_hand(case, data, columns, families)
            lists = not with_ids and case.make()._appends_to_list
            if with_ids and case.make()._appends_to_list:
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


def test_summaries_compare_the_slices():
    """The four numbers of each float, against numpy, on every rank; nothing else changes."""
    rng = np.random.default_rng(5)
    labels, scores = rng.integers(0, 2, 60), rng.random(60)
    columns = {"x": rng.integers(0, 4, 60).tolist(), "y": rng.choice(["a", "b"], 60).tolist()}
    members = {"acc": mm.Accuracy(num_classes=2), "auroc": mm.AUROC(), "stat": mm.StatScores()}

    def program(backend, summaries):
        sliced = mm.Sliced(members, ["x", ("x", "y")], backend, summaries=summaries)
        mine = slice(backend.rank, None, 3)
        by = {name: column[mine] for name, column in columns.items()}
        sliced.add((scores[mine] > 0.5).astype(int), labels[mine], by=by)
        return sliced.compute()

    plain = LocalWorld(3).run(lambda backend: program(backend, False))[0]
    for found in LocalWorld(3).run(lambda backend: program(backend, True)):
        for family, commas in (("x", 0), ("x,y", 1)):
            between = found.pop(f"between {family}")
            assert between.keys() == members.keys()
            assert between["stat"] == {}
            for member, key in (("acc", "top1"), ("auroc", "auroc")):
                values = np.array([
                    one[member][key] for name, one in plain.items()
                    if "=" in name and name.count(",") == commas
                ])  # fmt: skip
                low, high = np.nanmin(values), np.nanmax(values)
                assert between[member] == {
                    f"{key}_min": low, f"{key}_max": high,
                    f"{key}_difference": high - low, f"{key}_ratio": low / high,
                }  # fmt: skip
        assert same(found, plain)


def test_summaries_of_slices_without_a_value():
    """What is nan is left out; without any value all are nan, and so is a ratio to 0."""
    sliced = mm.Sliced(mm.Mean(), by="x", summaries=True)
    with pytest.warns(RuntimeWarning, match="no samples"):
        assert sliced.compute()["between x"] == {}
    sliced.add([np.nan, -1.0, 0.0], by={"x": ["a", "b", "c"]})
    between = sliced.compute()["between x"]
    assert np.isnan(between.pop("mean_ratio"))
    assert between == {"mean_min": -1.0, "mean_max": 0.0, "mean_difference": 1.0}
    sliced.reset()
    sliced.add([np.nan], by={"x": ["a"]})
    assert all(np.isnan(value) for value in sliced.compute()["between x"].values())


def test_no_slice_takes_the_place_of_a_summary():
    """Columns and values of any name: every slice and every summary has a key of its own."""
    names = ["between x", "x", "all"]
    sliced = mm.Sliced(mm.Mean(), by=names, summaries=True)
    sliced.add([1.0, 2.0], by={name: ["x", "between x"] for name in names})
    assert len(sliced.compute()) == 1 + 3 * (2 + 1)


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
    pytest.importorskip("safetensors")

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


def test_bad_input_loses_nothing():
    """Each is refused by name, and what was there is still there."""
    sliced = mm.Sliced({"a": mm.Accuracy(), "m": mm.ConfusionMatrix(3)}, by=["zone"])
    sliced.add([0, 1], [0, 0], by={"zone": ["x", "y"]})
    before = sliced.compute()
    with pytest.raises(ValueError, match=r"map the columns \['zone'\]"):
        sliced.add([0], [0], by={"zoen": ["x"]})
    with pytest.raises(ValueError, match="value for each of the 2 samples, got 1"):
        sliced.add([0, 1], [0, 0], by={"zone": ["x"]})
    with pytest.raises(TypeError, match="integers or texts"):
        sliced.add([0], [0], by={"zone": [0.5]})
    with pytest.raises(ValueError, match="in member 'm'"):
        sliced.add([0], [5], by={"zone": ["x"]})

    assert same(sliced.compute(), before)
    for by in ([], [()], ["a", "a"], [("a", "a")]):
        with pytest.raises((TypeError, ValueError), match="by must"):
            mm.Sliced(mm.Accuracy(), by=by)
    with pytest.raises(TypeError, match="metrics must"):
        mm.Sliced("accuracy", by="zone")


def test_an_error_of_compute_names_the_slice():
    """And every rank has it."""

    class Picky(mm.BaseMetric):
        total = state.sum(int)

        def rows(self, values):
            return {"total": np.asarray(values)}

        def compute_metric(self, results):
            if results.total == 3:
                raise ValueError("three is refused")
            return {"total": results.total}

    sliced = mm.Sliced(Picky(), by=["zone"])
    sliced.add([1, 3], by={"zone": ["a", "b"]})

    with pytest.raises(ValueError, match=r"three is refused \(in the slice 'zone=b'\)"):
        sliced.compute()


def test_the_call_and_the_reset():
    """Calling it keeps nothing; reset forgets the slices as well."""
    sliced = mm.Sliced(mm.Accuracy(), by=["zone"])
    assert sliced([0], [0], by={"zone": ["a"]}) == {"all": {"top1": 1.0}, "zone=a": {"top1": 1.0}}
    sliced.add([0], [1], by={"zone": ["b"]})
    sliced.reset()
    sliced.add([0], [0], by={"zone": ["c"]})

    assert sliced.compute() == {"all": {"top1": 1.0}, "zone=c": {"top1": 1.0}}


@pytest.mark.parametrize("values", [
    np.array([1, 2, 1]), np.array(["a", "b", "a"]), np.array(["a", None, "a"], object),
    ["a", float("nan"), "a"], [np.int64(3), True, "x"],
])  # fmt: skip
def test_columns_of_any_kind(values):
    """Numpy arrays, lists, missing values and truth values."""
    sliced = mm.Sliced(mm.Accuracy(), by=["zone"])
    sliced.add([0, 0, 0], [0, 1, 0], by={"zone": values})

    assert len(sliced.compute()) == 1 + len({str(v) for v in list(values)})


STATES = [state.sum(int), state.sum(bool), state.sum(int, (3,)), state.sum(float),
          state.sum(float, (2,)), state.count(5), state.count(4096), state.count(None),
          state.max(), state.min(int, (2,)), state.tally(), Powers(2), MomentSums(2),
          WeightedCount(4, 2, 2)]  # fmt: skip


def rows_for(inner, rng, count):
    """Rows of a state, large and small ones among them."""
    shape = (count, *getattr(inner, "shape", ()))
    if isinstance(inner, Powers):
        return rng.normal(size=(count, 2)) * 10.0 ** rng.integers(-20, 20, (count, 2))
    if isinstance(inner, MomentSums):
        return rng.choice([1.0, 0.3], (count, 2, 3)) * rng.choice([1e20, 1e-3], (count, 2, 3))
    if isinstance(inner, WeightedCount):
        codes = rng.integers(0, 4, (count, 2))
        return np.concatenate([rng.normal(size=(count, 2)), codes], axis=1)
    if "bool" in repr(inner):
        return rng.random(count) < 0.5
    if "float" in repr(inner):
        return rng.normal(size=shape) * 10.0 ** rng.integers(-200, 200, shape)
    if "tally" in repr(inner):
        return rng.choice([-(1 << 62), 3, 4, 1 << 62], count)
    if "count" in repr(inner):
        return rng.integers(0, getattr(inner, "bins", 5), (count, 2)[: int(rng.integers(1, 3))])
    return rng.integers(-(1 << 62), 1 << 62, shape)


def of_key(keyed, folded, key):
    """The value of a key, as the inner state writes it."""
    groups = PerKey(keyed, folded).groups([key], np.array([0]), 1)
    return {name: array.tolist() for name, array in keyed.inner.to_arrays(groups.one(0)).items()}


@pytest.mark.parametrize("inner", STATES, ids=repr)
@pytest.mark.parametrize(("count", "kinds"), [(0, 1), (30, 10), (2000, 3), (600, 500)])
def test_all_keys_at_once_are_each_key_by_itself(inner, count, kinds):
    """Folding, merging, subtracting, writing: `==` to the state on the rows of each key alone."""
    rng = np.random.default_rng(count + kinds)
    keyed, pieces, of_keys = Keyed(inner), [], {}
    for _ in range(3):
        keys = [(int(i), "x") for i in rng.integers(0, kinds, count)]
        cells = Cells(keys)
        rows = rows_for(inner, rng, count)
        pieces.append(keyed.check("x", Tagged(cells, cells.numbers(keys), rows)))
        for key in set(keys):
            which = [place for place, other in enumerate(keys) if other == key]
            alone = of_keys.get(key, inner.empty())
            of_keys[key] = inner.fold(alone, inner.check("x", rows[which]))
    expected = {
        key: {name: array.tolist() for name, array in inner.to_arrays(folded).items()}
        for key, folded in of_keys.items()
    }

    def check(folded, expected):
        assert {key: of_key(keyed, folded, key) for key in folded.used()} == expected

    check(keyed.fold_pieces(keyed.empty(), pieces), expected)
    step = keyed.empty()
    for piece in pieces:
        step = keyed.fold(keyed.copy(step), piece)
    check(step, expected)
    apart = [keyed.fold(keyed.empty(), piece) for piece in pieces]
    merged = keyed.merge(apart[2], keyed.merge(apart[0], apart[1]))
    check(merged, expected)
    check(keyed.from_arrays(keyed.to_arrays(merged)), expected)
    for name, array in keyed.to_arrays(step).items():  # the order of arrival is no matter
        assert np.array_equal(array, keyed.to_arrays(merged)[name])
    if not isinstance(inner, Extremum):
        left = keyed.subtract(keyed.merge(merged, step), merged)
        check(left, expected)


def test_a_class_of_states_of_ones_own_is_sliced():
    """A state that derives from one of the package may fold in another way: nothing is assumed."""

    class Twice(type(state.sum(int))):
        def fold(self, folded, rows):
            return super().fold(folded, 2 * rows)

    class Doubled(mm.BaseMetric):
        total = Twice(int, ())

        def rows(self, values):
            return {"total": np.asarray(values)}

        def compute_metric(self, results):
            return {"total": results.total}

    sliced = mm.Sliced(Doubled(), by="x")
    sliced.add([1, 2, 3], by={"x": ["a", "b", "a"]})
    assert sliced.compute() == {"all": {"total": 12}, "x=a": {"total": 8}, "x=b": {"total": 4}}


@pytest.mark.parametrize("dtype", [np.uint64, object])
def test_integers_beyond_int64_are_slices(dtype):
    """One of them, some that lie close together, and some that do not."""
    for values in ([2**63], [2**63, 2**63 + 4, 2**63], [2**63, 5, 2**64 - 1]):
        sliced = mm.Sliced(mm.Accuracy(), by="x")
        sliced.add([1] * len(values), [1] * len(values), by={"x": np.array(values, dtype)})

        found = sliced.compute()
        assert [*found] == ["all", *(f"x={value}" for value in sorted(set(values)))]
