"""Samples that are divided into groups by their ids or contents while they are added."""

import functools
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like._intervals.jackknife.estimand import Estimand, numbers_of
from mmeval_like._intervals.jackknife.groups import without_sample_groups
from mmeval_like._intervals.rounding import without_rounding
from mmeval_like._states import keyed
from mmeval_like._states.clusters import grouped_results, keyed_states, keys_of, tagged
from mmeval_like._states.results import make_results
from mmeval_like._states.rows import Ragged
from mmeval_like._states.sample_groups import sample_groups, with_groups
from mmeval_like.testing.local_world import LocalWorld

pytestmark = pytest.mark.filterwarnings("ignore")

COUNT = 90
CLASSES: dict[str, Any] = {"task": "multiclass", "num_classes": 4}
LABELS: dict[str, Any] = {"task": "multilabel", "num_classes": 9}
Draw = Callable[[np.random.Generator, int], tuple[Any, ...]]


def images(rng: np.random.Generator, count: int) -> tuple[np.ndarray, ...]:
    """Maps of 19 classes, of which few are in an image."""
    own = rng.integers(0, 19, (count, 3))
    labels = np.take_along_axis(own, rng.integers(0, 3, (count, 36)), axis=1).reshape(count, 6, 6)
    wrong = rng.random((count, 6, 6)) > rng.beta(6, 2, (count, 1, 1))
    return np.where(wrong, rng.integers(0, 19, (count, 6, 6)), labels), labels


def label_sets(rng: np.random.Generator, count: int) -> tuple[np.ndarray, ...]:
    """Which of nine labels each sample has."""
    labels = (rng.random((count, 9)) < 0.3).astype(int)
    return np.where(rng.random((count, 9)) < 0.8, labels, 1 - labels), labels


def scores(rng: np.random.Generator, count: int) -> tuple[np.ndarray, ...]:
    """Probabilities of four classes, and labels."""
    labels = rng.integers(0, 4, count)
    return rng.dirichlet(np.ones(4), count) / 2 + np.eye(4)[labels] / 2 * rng.random(
        (count, 1)
    ), labels


def weighted_scores(rng: np.random.Generator, count: int) -> tuple[np.ndarray, ...]:
    """Probabilities of four classes, labels and weights."""
    return (*scores(rng, count), rng.gamma(2.0, 1.0, count))


def weighted(rng: np.random.Generator, count: int) -> tuple[np.ndarray, ...]:
    """Predictions, labels and weights."""
    labels = rng.integers(0, 4, count)
    predictions = np.where(rng.random(count) < 0.7, labels, rng.integers(0, 4, count))
    return predictions, labels, rng.gamma(2.0, 1.0, count)


def positive(rng: np.random.Generator, count: int) -> tuple[np.ndarray, ...]:
    """Predictions and labels above 0."""
    labels = rng.gamma(3.0, 1.0, count)
    return labels * rng.uniform(0.6, 1.4, count), labels


def tokens(rng: np.random.Generator, count: int) -> tuple[Any, ...]:
    """Sequences of different lengths of the classes of tokens."""
    labels = [rng.integers(0, 3, int(n)) for n in rng.integers(1, 9, count)]
    return [np.where(rng.random(len(a)) < 0.7, a, 0) for a in labels], labels


CASES: dict[str, tuple[Callable[..., mm.BaseMetric], Draw]] = {
    "mIoU": (functools.partial(mm.MeanIoU, num_classes=19), images),
    "multilabel": (functools.partial(mm.Precision, average=None, **LABELS), label_sets),
    "AUROC": (functools.partial(mm.AUROC, **CLASSES), scores),
    "AP": (functools.partial(mm.AveragePrecision, **CLASSES), scores),
    "AP of each": (
        functools.partial(mm.AveragePrecision, average=None, use_sample_weight=True, **CLASSES),
        weighted_scores,
    ),
    "F1": (functools.partial(mm.FBetaScore, use_sample_weight=True, **CLASSES), weighted),
    "recall": (functools.partial(mm.Recall, use_sample_weight=True, **CLASSES), weighted),
    "D2": (mm.D2PinballScore, positive),
    "D2 Tweedie": (mm.D2TweedieScore, positive),
    "tokens": (functools.partial(mm.F1Score, num_classes=3, mode=["micro", "macro"]), tokens),
    "any classes": (
        functools.partial(mm.SingleLabelPrecisionRecallF1score, thrs=(0.0, 0.5)),
        scores,
    ),
}


def at(batch: Sequence[Any], places: Sequence[int]) -> list[Any]:
    """The samples at these places."""
    return [
        [column[place] for place in places] if isinstance(column, list) else column[list(places)]
        for column in batch
    ]


def alone(make: Callable[..., mm.BaseMetric], batch: Sequence[Any], **named: Any) -> mm.BaseMetric:
    """The metric of these samples, computed."""
    metric = make(interval=0.95)
    metric.add(*batch, **named)
    metric.compute()
    return metric


@pytest.mark.parametrize("name", CASES)
def test_each_has_an_interval(name: str) -> None:
    """Every number has an interval around it, of groups, and the value stays as it was."""
    make, draw = CASES[name]
    batch = draw(np.random.default_rng(0), COUNT)
    metric = alone(make, batch, ids=range(COUNT))
    plain = make()
    plain.add(*batch)
    result = metric.compute()
    for key, value in plain.compute().items():
        assert repr(result[key]) == repr(value)
    found = [one for i in metric.intervals.values() for one in (i if isinstance(i, list) else [i])]
    assert found
    for one in found:
        assert one.unit == "group"
        assert 30 < one.units <= 50
        assert one.low <= one.value <= one.high
        assert one.low < one.high
        assert one.thin is None or (name == "mIoU" and "bias" in one.thin)


@pytest.mark.parametrize("ids", ["none", "integers", "texts"])
@pytest.mark.parametrize("name", CASES)
def test_intervals_have_the_same_bits(name: str, ids: str) -> None:
    """On any number of ranks, in any order and batches, and with repeated samples."""
    make, draw = CASES[name]
    rng = np.random.default_rng(1)
    batch = draw(rng, COUNT)
    names: list[Any] = [1000 + 7 * i for i in range(COUNT)]
    if ids == "texts":
        names = [f"a sample with the name {i}" for i in names]
    known: dict[str, Any] = {} if ids == "none" else {"ids": names}
    expected = repr(alone(make, batch, **known).intervals)
    for ranks in (1, 2, 3):
        order = rng.permutation(COUNT).tolist()
        if ids != "none":  # a sampler repeats samples
            order = [*order, *order[:5]]

        def program(backend: Any, order: Any = order, ranks: int = ranks) -> str:
            metric = make(interval=0.95, dist_backend=backend)
            mine = order[backend.rank :: ranks]
            for start in range(0, len(mine), 11 * ranks):
                some = mine[start : start + 11 * ranks]
                more = {"ids": [names[place] for place in some]} if known else {}
                metric.add(*at(batch, some), **more)
            metric.compute()
            return repr(metric.intervals)

        assert LocalWorld(ranks).run(program) == [expected] * ranks


@pytest.mark.parametrize("ids", [[], np.zeros(0, int)], ids=["list", "array"])
def test_a_batch_without_samples_may_have_ids(ids: Any) -> None:
    """It adds nothing, as it does without ids."""
    batch = ([1.0, 2.0, 3.0, 5.0], [1.0, 2.0, 4.0, 3.0])
    metric = mm.D2PinballScore(interval=0.95)
    metric.add([], [], ids=ids)
    metric.add(*batch, ids=range(4))

    metric.compute_local()

    assert repr(metric.intervals) == repr(alone(mm.D2PinballScore, batch, ids=range(4)).intervals)


@pytest.mark.parametrize("name", ["mIoU", "AUROC", "F1", "D2", "tokens"])
def test_padding_is_left_out(name: str) -> None:
    """Samples that `size=` drops change no interval."""
    make, draw = CASES[name]
    batch = draw(np.random.default_rng(2), 31)
    expected = repr(alone(make, batch).intervals)

    def program(backend: Any) -> str:
        metric = make(interval=0.95, dist_backend=backend)
        mine = [place % 31 for place in range(backend.rank, 32, 2)]
        for start in (0, 9):
            metric.add(*at(batch, mine[start : start + 9]))
        metric.compute(size=31)
        return repr(metric.intervals)

    assert LocalWorld(2).run(program) == [expected] * 2


@pytest.mark.parametrize("name", CASES)
def test_groups_left_out_give_what_brute_force_gives(name: str) -> None:
    """Values without each group are `==` to the metric of the other samples."""
    make, draw = CASES[name]
    for seed, ids in ((3, None), (4, np.arange(40) * 3)):
        batch = draw(np.random.default_rng(seed), 40)
        metric = make()
        states = metric.statistic.states()
        rows = metric.statistic.rows(*batch)
        checked = {n: state.check(n, rows[n]) for n, state in states.items()}
        groups = sample_groups(ids, checked)
        kept = tagged(checked, with_groups(None, groups))
        keyed = keyed_states(states, grouped=True)
        folded = {
            n: kept[n].copy() if s.ordered else s.fold(s.empty(), kept[n]) for n, s in keyed.items()
        }
        results = make_results(dict(keyed), folded, 40)
        keys = keys_of(results)
        [whole] = grouped_results(results, keys, [0] * len(keys), 1, clustered=True)
        left = without_sample_groups(
            Estimand.of(metric.compute_metric, metric.statistic, states, whole, 0.95, metric.ranges)
        )
        assert left is not None
        assert left.units == len(set(groups.tolist()))
        assert left.unit == "group"
        for place, group in enumerate(sorted(set(groups.tolist()))):
            with without_rounding():
                others = make()
                others.add(*at(batch, np.flatnonzero(groups != group).tolist()))
                brute = numbers_of(others.compute_local())
            for key, several in left.without.items():
                assert repr([one[place] for one in several]) == repr(brute[key]), (key, group)


def test_slices_windows_and_files_have_the_intervals_of_their_samples() -> None:
    """Slices, last samples, merged, saved and subtracted samples: as the metric of these alone."""
    rng = np.random.default_rng(5)
    make, draw = CASES["mIoU"]
    batch, zones = draw(rng, COUNT), rng.integers(0, 3, COUNT)
    sliced = mm.Sliced(make(interval=0.95), by="zone")
    for half in (range(40), range(40, COUNT)):
        sliced.add(*at(batch, half), by={"zone": zones[list(half)]})
    sliced.compute()
    for name, which in {"all": zones >= 0, "zone=1": zones == 1}.items():
        expected = alone(make, at(batch, np.flatnonzero(which).tolist()))
        assert repr(sliced.intervals[name]) == repr(expected.intervals)
    last = repr(alone(make, at(batch, range(COUNT - 30, COUNT))).intervals)
    running = mm.Running(make(interval=0.95), window=30)
    running.add(*batch)
    running.compute()
    assert repr(running.intervals) == last
    halves = [make(interval=0.95) for _ in range(2)]
    halves[0].add(*at(batch, range(50)))
    halves[1].add(*at(batch, range(50, COUNT)))
    one = make(interval=0.95)
    for half in halves:
        other = make(interval=0.95)
        other.load_state_dict(half.state_dict())
        one.merge(other)
    one.compute()
    assert repr(one.intervals) == repr(alone(make, batch).intervals)
    one.subtract(halves[0])
    one.compute()
    assert repr(one.intervals) == repr(alone(make, at(batch, range(50, COUNT))).intervals)


def test_collections_share_what_they_can() -> None:
    """Members have what each has alone; one without intervals is computed from the groups."""
    make, draw = CASES["multilabel"]
    batch = draw(np.random.default_rng(6), COUNT)
    made: dict[str, mm.BaseMetric] = {
        "plain": make(),
        "sure": make(interval=0.95),
        "recall": mm.Recall(interval=0.95, **LABELS),
        "subsets": mm.SubsetAccuracy(interval=0.95),
    }
    both = mm.MetricCollection(made)
    both.add(*batch)
    result = both.compute()
    for name, metric in made.items():
        metric.add(*batch)
        assert repr(metric.compute()) == repr(result[name])
        assert name == "plain" or repr(metric.intervals) == repr(both.intervals[name])
    assert len(both.plan.slots) == 2


def test_contents_do_not_depend_on_dtypes_or_forms() -> None:
    """Equal numbers give equal groups, as integers or floats, in arrays or ragged."""
    numbers = np.random.default_rng(7).integers(-9, 9, (60, 3))
    numbers[:5] = 2**53 + 1
    groups = sample_groups(None, {"x": numbers})
    some = slice(5, None)
    for dtype in (np.int8, np.float32, np.float64):
        found = sample_groups(None, {"x": numbers[some].astype(dtype)})
        assert (found == groups[some]).all()
    ragged = Ragged.from_arrays([*numbers])
    assert (sample_groups(None, {"x": ragged}) == groups).all()
    zeros = [sample_groups(None, {"x": np.array([z])}) for z in (0.0, -0.0)]
    assert zeros[0] == zeros[1]


def test_equal_samples_without_ids_are_marked() -> None:
    """Their groups are uneven; with ids each sample has a group of its own."""
    predictions, labels = label_sets(np.random.default_rng(8), 40)
    many = np.tile(predictions, (20, 1)), np.tile(labels, (20, 1))
    make = CASES["multilabel"][0]
    thin = alone(make, many).intervals["precision_classwise"][0].thin
    assert thin is not None
    assert "ids=" in thin
    known = alone(make, many, ids=range(800)).intervals["precision_classwise"][0]
    assert known.thin is None
    assert known.units == 50


def test_samples_that_were_not_divided_say_so() -> None:
    """A level that is set after samples were added, and the last samples of slices: nan."""
    make, draw = CASES["mIoU"]
    batch = draw(np.random.default_rng(11), 60)
    late = make()
    late.add(*batch)
    late.interval = 0.95
    late.compute()
    last = mm.Sliced(mm.Running(make(interval=0.95), 20), by="zone")
    last.add(*batch, by={"zone": np.arange(60) % 2})
    last.compute()
    for found in (late.intervals["mIoU"], last.intervals["zone=1"]["mIoU"]):
        assert found.method == "none"
        assert found.thin == "its samples were not divided into groups while they were added"


def test_clusters_come_first() -> None:
    """With `clusters=` the clusters are left out, and no groups."""
    make, draw = CASES["mIoU"]
    batch = draw(np.random.default_rng(9), 60)
    found = alone(make, batch, clusters=np.arange(60) % 12).intervals["mIoU"]
    assert (found.unit, found.units) == ("cluster", 12)


@pytest.mark.parametrize("count", [50, 200])
def test_intervals_of_19_classes_cover(count: int) -> None:
    """Of 200 draws at least 0.91 hold the mIoU of the pool that they are drawn from."""
    rng = np.random.default_rng(10)
    pool = images(rng, 3000)
    make = functools.partial(mm.MeanIoU, num_classes=19)
    plain = make()
    plain.add(*pool)
    truth = plain.compute()["mIoU"]
    held = 0
    for _ in range(200):
        which = rng.integers(0, 3000, count).tolist()
        found = alone(make, at(pool, which), ids=range(count)).intervals["mIoU"]
        held += found.low <= truth <= found.high
    assert held >= 182


def test_the_memory_of_groups_of_slices_is_named_before_it_is_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Sums of floats of very many groups warn, with their bytes; without interval= they do not."""
    monkeypatch.setattr(keyed, "_LARGE", 300_000)
    places, classes = np.arange(40), np.arange(40) % 4
    for options in ({"interval": 0.95}, {}):
        sliced = mm.Sliced(mm.MatthewsCorrCoef(4, use_sample_weight=True, **options), by="place")
        sliced.add(classes, classes, sample_weight=np.ones(40), by={"place": places})
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            sliced.compute()
        told = [
            str(one.message) for one in caught if "of samples in each slice" in str(one.message)
        ]
        assert ["keep 40 sums of 8960 bytes" in one for one in told] == [True] * len(options)
