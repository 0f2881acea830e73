"""Sealed samples: few bytes that merge in any order, or an error that says why they cannot."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mmeval_like as mm
from mmeval_like import state
from mmeval_like.testing.inputs import take_samples
from mmeval_like.testing.same import same
from tests.helpers.examples import examples
from tests.metric_cases import CASES

ROWS = 40


def merged(parts, rng):
    """The parts in random order and grouping, each sealed and read, or not, before every merge."""
    parts = [parts[place] for place in rng.permutation(len(parts))]
    empty = mm.merge([parts[0]])
    empty.reset()

    def sealed(part):
        return empty.from_bytes(part.seal())

    while len(parts) > 1:
        place = int(rng.integers(len(parts) - 1))
        two = [sealed(one) if rng.integers(2) else one for one in parts[place : place + 2]]
        parts[place : place + 2] = [mm.merge(two)]
    return sealed(parts[0])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of too few samples
@pytest.mark.parametrize("name", sorted(CASES))
@settings(max_examples=examples(2))
@given(seed=st.integers(0, 2**32 - 1), with_ids=st.booleans())
def test_any_order_of_sealed_parts_gives_the_bits_of_one_process(name, seed, with_ids):
    """Of every metric; one whose value depends on the order says so, unless there are ids."""
    case, rng = CASES[name], np.random.default_rng(seed)
    count = int(rng.integers(case.least, case.most + 1))
    data, whole = case.samples(rng, count), case.make(dist_backend="non_dist")
    with_ids = with_ids and not whole.plan.lists
    parts = []
    for places in np.array_split(np.arange(count), int(rng.integers(1, 5))):
        parts.append(case.make(dist_backend="non_dist"))
        if len(places):
            ids = {"ids": places} if with_ids else {}
            parts[-1].add(*take_samples(data, places), **ids)
            whole.add(*take_samples(data, places), **ids)
    if not with_ids and not all(
        one.commutes for store in whole._samples().stores() for one in store.states.values()
    ):
        with pytest.raises(TypeError, match="order of the samples"):
            whole.seal()
        return

    assert with_ids or not case.order_matters
    assert same(merged(parts, rng).compute(), whole.compute())


RNG = np.random.default_rng(0)
LABELS, GUESSES, OTHERS, CLUSTERS = RNG.integers(0, 3, (4, ROWS))
SCORES, DAYS = RNG.random(ROWS).round(1), np.array(["mon", "tue", ""])[RNG.integers(0, 3, ROWS)]


def pair(metric, rows):
    """Both systems of a pair get the samples."""
    for side, guesses in ((metric.a, GUESSES), (metric.b, OTHERS)):
        side.add(guesses[rows], LABELS[rows], ids=rows)


WRAPPED = {
    "clusters": (
        lambda: mm.FBetaScore(task="multiclass", num_classes=3, interval=0.95),
        lambda metric, rows: metric.add(GUESSES[rows], LABELS[rows], clusters=CLUSTERS[rows]),
    ),
    "collection": (
        lambda: mm.MetricCollection(acc=mm.Accuracy(interval=0.95), kappa=mm.CohenKappa(3)),
        lambda metric, rows: metric.add(GUESSES[rows], LABELS[rows]),
    ),
    "paired": (lambda: mm.Paired(mm.Accuracy(interval=0.95)), pair),
    "recorded": (
        lambda: mm.Recorded(mm.Accuracy()),
        lambda metric, rows: metric.add(GUESSES[rows], LABELS[rows]),
    ),
    "slices": (
        lambda: mm.Sliced(
            {"acc": mm.Accuracy(interval=0.9), "loss": mm.MeanSquaredError()}, ["day", "x"]
        ),
        lambda metric, rows: metric.add(
            GUESSES[rows], LABELS[rows], by={"day": DAYS[rows], "x": rows % 2}
        ),
    ),
    "slices of scores": (
        lambda: mm.Sliced(mm.AUROC(), by="day"),
        lambda metric, rows: metric.add(SCORES[rows], LABELS[rows] % 2, by={"day": DAYS[rows]}),
    ),
    "unscored": (
        lambda: mm.Accuracy(unscored="bounds"),
        lambda metric, rows: metric.add(
            GUESSES[rows], LABELS[rows], unscored=["late" if r % 3 else None for r in rows]
        ),
    ),
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of too few samples
@pytest.mark.parametrize("kind", WRAPPED)
@settings(max_examples=examples(10))
@given(seed=st.integers(0, 2**32 - 1), cuts=st.lists(st.integers(0, ROWS), max_size=5))
def test_what_stands_around_metrics_is_sealed_too(kind, seed, cuts):
    """With their intervals, accounts, slices and digests."""
    make, feed = WRAPPED[kind]
    whole, parts = make(), []
    feed(whole, np.arange(ROWS))
    for rows in np.split(np.arange(ROWS), sorted(cuts)):
        parts.append(make())
        if len(rows):
            feed(parts[-1], rows)

    total = merged(parts, np.random.default_rng(seed))

    assert same(total.compute(), whole.compute())
    assert repr(total.intervals) == repr(whole.intervals)  # a nan in them equals nothing
    assert total.accounts == whole.accounts
    if kind == "recorded":
        assert total.record()["claim"] == whole.record()["claim"]


COUNTS_AND_SUMS = {
    "Accuracy": lambda: mm.Accuracy(topk=(1, 5)),
    "CohenKappa": lambda: mm.CohenKappa(10),
    "ConfusionMatrix": lambda: mm.ConfusionMatrix(10),
    "FBetaScore": lambda: mm.FBetaScore(task="multiclass", num_classes=10, average=None),
    "Accuracy with interval": lambda: mm.Accuracy(interval=0.95),
    "Mean": mm.Mean,
    "MeanSquaredError": mm.MeanSquaredError,
    "MeanSquaredError with interval": lambda: mm.MeanSquaredError(interval=0.95),
    "R2Score": mm.R2Score,
}


@pytest.mark.parametrize("name", COUNTS_AND_SUMS)
def test_counts_and_sums_take_2_kb(name):
    """Of any number of samples; the rows that wait for `size=` would take far more."""
    metric, rng = COUNTS_AND_SUMS[name](), np.random.default_rng(0)
    if ("M" in name and "Confusion" not in name) or name == "R2Score":
        given = (rng.normal(size=100_000) * 1e6, rng.normal(size=100_000))[: 1 + (name != "Mean")]
    elif name == "Accuracy":
        given = rng.random((20_000, 10)), rng.integers(0, 10, 20_000)
    else:
        given = tuple(rng.integers(0, 10, (2, 100_000)))
    metric.add(*given)

    data = metric.seal()

    assert len(data) <= 2000
    assert len(data) < len(metric.to_bytes())
    assert same(metric.from_bytes(data).compute(), metric.compute())


def test_a_sealed_part_drops_no_padding():
    """Its last rows are folded: `size=` says so, and ids= still work."""
    metric = mm.Accuracy(max_padding=2)
    metric.add([1, 1, 0, 0], [1, 0, 0, 0])
    assert metric.compute(size=3).samples == 3
    with pytest.raises(ValueError, match="size"):
        metric.from_bytes(metric.seal()).compute(size=3)
    assert metric.compute(size=3).samples == 3  # sealing changes nothing

    known = mm.Accuracy()
    known.add([1, 1, 0], [1, 0, 0], ids=[0, 1, 2])
    twice = mm.merge([known, known.from_bytes(known.seal())])
    assert twice.compute(size=3) == known.compute(size=3)
    assert twice.report.duplicated == 3


def test_a_file_of_sealed_samples(tmp_path):
    """It is loaded with others, and gives the same file when it is saved again."""
    metric = mm.MeanSquaredError()
    metric.add([1.0, 2.0], [0.5, 0.25])
    path = tmp_path / "sealed.safetensors"
    path.write_bytes(metric.seal())
    fresh = mm.MeanSquaredError()
    fresh.load([path])
    assert fresh.compute() == metric.compute()
    assert fresh.seal() == metric.seal()


def test_the_order_of_samples_is_the_reason_to_refuse():
    """Lists, the last rows, windows, and the member of a collection that keeps them."""

    class Listed(mm.BaseMetric):
        rows_of = state.cat(float)

        def rows(self, values):
            """The values."""
            return {"rows_of": np.asarray(values, float)}

        def compute_metric(self, results):
            """The first one."""
            return {"first": float(results.rows_of[0])}

    for metric in (
        Listed(),
        mm.Running(mm.Mean(), 2),
        mm.MetricCollection(a=mm.Mean(), b=Listed()),
    ):
        metric.seal()  # no samples have an order
        metric.add([3.0, 1.0])
        with pytest.raises(TypeError, match="order of the samples") as error:
            metric.seal()
        assert ("'rows_of' of b" in str(error.value)) == isinstance(metric, mm.MetricCollection)
        assert metric.compute().samples == 2
    listed = Listed()
    listed.add([3.0, 1.0], ids=[1, 0])
    assert listed.from_bytes(listed.seal()).compute() == {"first": 1.0}
    with pytest.raises(TypeError, match="window"):
        mm.Windowed(mm.Mean(), 4, 2).seal()


@pytest.mark.parametrize("kind", ["slices", "collection"])
def test_every_flipped_bit_and_every_missing_byte_is_found(kind):
    """An error that says what is wrong, or a byte that means nothing and the same result."""
    make, feed = WRAPPED[kind]
    metric = make()
    feed(metric, np.arange(ROWS))
    good, expected = metric.seal(), metric.compute()
    for place in range(len(good)):
        changed = bytearray(good)
        changed[place] ^= 1 << place % 8
        for data in (bytes(changed), good[:place], good + good[:place] if place else b""):
            try:
                found = metric.from_bytes(data).compute()
            except ValueError as error:
                assert "the given data" in str(error)  # noqa: PT017 both outcomes are allowed
            else:
                assert same(found, expected)


@pytest.mark.parametrize("kind", [bytearray, memoryview])
def test_bytes_in_the_forms_that_engines_have(kind):
    """Such as the rows of Spark, or a message."""
    metric = mm.Accuracy()
    metric.add([0, 1, 1], [0, 1, 0])

    assert same(metric.from_bytes(kind(metric.seal())).compute(), metric.compute())


@pytest.mark.parametrize("name", ["COCODetection", "LVISDetection", "CocoKeypoints"])
@pytest.mark.parametrize("sliced", [False, True])
def test_images_without_an_identity_are_not_sealed(name, sliced):
    """At equal scores they are ranked by their places: the order of merges would decide."""
    inside = {"scores": np.array([0.5]), "labels": np.array([0])}
    boxes = {"bboxes": np.array([[0.0, 0, 10, 10]])}
    if name == "CocoKeypoints":
        found = {"keypoints": np.ones((1, 17, 3)), "scores": np.array([0.5])}
        truth = {"keypoints": np.ones((1, 17, 3)), "areas": np.array([100.0])} | boxes
        make = mm.CocoKeypoints
    else:
        found, truth = inside | boxes, {"labels": np.array([0])} | boxes
        classes = {"dataset_meta": {"classes": ("a",)}}
        make = lambda: getattr(mm, name)(**classes)  # noqa: E731
    for named in ({}, {"img_id": 7}):
        metric = mm.Sliced(make(), by="zone") if sliced else make()
        batch = {"by": {"zone": ["x"]}} if sliced else {}
        metric.add([found | named], [truth | named], **batch)
        if named:
            assert isinstance(metric.seal(), bytes)
        else:
            with pytest.raises(TypeError, match="give each image its img_id"):
                metric.seal()
