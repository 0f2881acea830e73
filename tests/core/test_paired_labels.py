"""Two systems of a pair have the same labels: `Paired` compares digests where rows have none."""

import inspect
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mmeval_like as mm
from mmeval_like._states.truths import TRUTH, truth_digests
from mmeval_like.arrays.accelerator import DeviceArray, fetch
from mmeval_like.errors import RemoteError
from mmeval_like.tables.guess import is_truth
from mmeval_like.testing.local_world import LocalWorld
from tests.helpers.examples import examples
from tests.helpers.optional import requires

pytestmark = pytest.mark.filterwarnings("ignore")

COUNT = 60
RNG = np.random.default_rng(0)
CLASSES = RNG.integers(0, 3, COUNT)
SCORES = RNG.dirichlet(np.ones(3), COUNT)
NUMBERS = RNG.random(COUNT)
WORDS = np.array([f"word {number}" for number in range(COUNT)], object)
MAPS = RNG.integers(0, 3, (COUNT, 4, 5))


def boxes(number: int) -> dict[str, Any]:
    """The ground truth of one image."""
    corners = np.array([[0, 0, 10 + number, 10], [30, 30, 50, 50]], np.float64)
    return {"bboxes": corners, "labels": np.array([0, 1]), "img_id": number}


def detected(number: int) -> dict[str, Any]:
    """What a detector found in one image."""
    return {**boxes(number), "scores": np.array([0.9, 0.8])}


def others(values: Any) -> Any:
    """Labels that differ for the samples 7 and 50."""
    changed = [*values]
    for place in (7, 50):
        changed[place] = values[place + 1]
        if repr(changed[place]) == repr(values[place]):
            changed[place] = 1 - np.clip(values[place], 0, 1)
    return (
        np.array(changed) if isinstance(values, np.ndarray) and values.dtype != object else changed
    )


# Metrics whose rows have no labels: predictions, and labels.
CASES: dict[str, tuple[Callable[[], Any], Any, Any]] = {
    "accuracy": (mm.Accuracy, CLASSES, CLASSES),
    "log loss": (lambda: mm.LogLoss(task="multiclass"), SCORES, CLASSES),
    "absolute error": (mm.MeanAbsoluteError, NUMBERS, NUMBERS),
    "squared error": (mm.MeanSquaredError, NUMBERS, NUMBERS),
    "texts": (mm.ExactMatch, WORDS.tolist(), WORDS.tolist()),
    "lists of texts": (mm.SQuAD, WORDS.tolist(), [[word, "x"] for word in WORDS]),
    "maps": (lambda: mm.MeanIoU(num_classes=3), MAPS, MAPS),
    "boxes": (
        lambda: mm.VOCMeanAP(num_classes=2),
        [*map(detected, range(COUNT))],
        [*map(boxes, range(COUNT))],
    ),
    "bins": (lambda: mm.AUROC(bins=10, num_classes=1), NUMBERS, CLASSES % 2),
    "weighted kappa": (lambda: mm.CohenKappa(3, use_sample_weight=True), CLASSES, CLASSES),
    "omitted": (lambda: mm.R2Score(nan="omit"), NUMBERS, NUMBERS / 2),
}


def chosen(values: Any, places: Any) -> Any:
    """Some entries of an array or a list."""
    return values[places] if isinstance(values, np.ndarray) else [values[place] for place in places]


def fill(side: Any, predictions: Any, labels: Any, order: Any = None, **named: Any) -> None:
    """Add samples to one system in two batches."""
    order = np.arange(COUNT) if order is None else order
    for batch in np.array_split(order, 2):
        some = {name: np.asarray(values)[batch] for name, values in named.items()}
        side.add(chosen(predictions, batch), chosen(labels, batch), ids=batch, **some)


@pytest.mark.parametrize("name", CASES)
def test_other_labels_for_the_same_ids_are_refused(name: str) -> None:
    """Item 19: the error names the ids and their number; equal labels are compared."""
    make, predictions, labels = CASES[name]
    pair = mm.Paired(make())
    fill(pair.a, predictions, labels)
    fill(pair.b, predictions, labels, RNG.permutation(COUNT))
    assert pair.compute()["samples"] == COUNT
    pair.b.reset()
    fill(pair.b, predictions, others(labels))
    wanted = r"those of the ids \[7, 50\] have different labels .*: 2 of 60 samples"
    with pytest.raises(ValueError, match=wanted):
        pair.compute()


@given(
    st.integers(1, 4),
    st.sampled_from(["accuracy", "absolute error", "texts", "maps"]),
    st.sampled_from(["i4", "i8", "f4", "f8", "list"]),
    st.integers(0, 2**32),
)
@settings(max_examples=examples(12), deadline=None)
def test_ranks_batches_and_dtypes_do_not_count(
    ranks: int, name: str, dtype: str, seed: int
) -> None:
    """Equal labels give the bits of one rank; other ones are refused on every rank."""
    make, predictions, labels = CASES[name]
    expected = mm.Paired(make())
    fill(expected.a, predictions, labels)
    fill(expected.b, predictions, labels)
    form = labels
    if dtype == "list":
        form = [*labels]
    elif name in ("accuracy", "maps"):
        form = labels.astype(dtype if name == "accuracy" or dtype[0] == "i" else "i2")
    rng = np.random.default_rng(seed)
    orders = [rng.permutation(COUNT), rng.permutation(COUNT)]

    def evaluate(backend: Any, of_b: Any) -> Any:
        pair = mm.Paired(make(), dist_backend=backend)
        for side, truth, order in zip((pair.a, pair.b), (labels, of_b), orders, strict=True):
            mine = order[backend.rank :: ranks]
            for batch in np.array_split(mine, min(len(mine), 7)):
                side.add(chosen(predictions, batch), chosen(truth, batch), ids=batch)
        return pair.compute()

    for found in LocalWorld(ranks).run(lambda backend: evaluate(backend, form)):
        assert repr(found) == repr(expected.compute())
    world = LocalWorld(ranks)
    with pytest.raises(ValueError, match=r"\[7, 50\] have different labels"):
        world.run(lambda backend: evaluate(backend, others(labels)))
    for error in world.errors[1:]:
        assert isinstance(error, RemoteError)
        assert "[7, 50] have different labels" in str(error)


@pytest.mark.parametrize("clusters", [False, True])
def test_other_labels_in_slices_and_collections_are_refused(clusters: bool) -> None:
    """Slices, last samples, clusters and members of a collection compare labels as well."""
    given_clusters = {"clusters": np.arange(COUNT) // 2} if clusters else {}
    by = {"place": ["x", "y"] * (COUNT // 2)}
    shapes: list[tuple[Any, bool]] = [
        (mm.Sliced(mm.Accuracy(), by="place"), True),
        (mm.MetricCollection(top1=mm.Accuracy(), loss=mm.MeanBias()), False),
        (mm.Sliced({"top1": mm.Accuracy()}, by="place"), True),
        (mm.Recorded(mm.Accuracy()), False),
    ]
    if not clusters:
        shapes.append((mm.Running(mm.Accuracy(), 55), False))
    for metric, sliced in shapes:
        named: dict[str, Any] = {"by": by} if sliced else {}
        pair = mm.Paired(metric)
        for side in (pair.a, pair.b):
            side.add(CLASSES, CLASSES, ids=range(COUNT), **named, **given_clusters)
        assert pair.compute()
        pair.b.reset()
        pair.b.add(CLASSES, others(CLASSES), ids=range(COUNT), **named, **given_clusters)
        with pytest.raises(ValueError, match=r"\[7, 50\] have different labels"):
            pair.compute()


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("name", ["CohenKappa", "ConfusionMatrix", "FBetaScore", "StatScores"])
def test_members_of_which_one_has_digests_and_the_other_labels(name: str, reverse: bool) -> None:
    """Both members compare as they do alone, and refuse other labels."""
    options = {"task": "multiclass"} if name in ("FBetaScore", "StatScores") else {}
    members = {
        "top1": mm.Accuracy(thrs=None),
        "other": getattr(mm, name)(num_classes=3, **options),
    }
    if reverse:
        members = dict(reversed(members.items()))
    pairs = {
        "all": mm.Paired(mm.MetricCollection(members)),
        **{key: mm.Paired(one) for key, one in members.items()},
    }
    for pair in pairs.values():
        pair.a.add(CLASSES[::-1], CLASSES, ids=range(COUNT))
        pair.b.add(CLASSES, CLASSES, ids=range(COUNT))
    whole = pairs.pop("all")
    assert repr(whole.compute()) == repr({key: pairs[key].compute() for key in members})
    whole.b.reset()
    whole.b.add(CLASSES, others(CLASSES), ids=range(COUNT))
    with pytest.raises(ValueError, match=r"\[7, 50\] have different labels"):
        whole.compute()


def test_a_member_does_not_depend_on_the_others() -> None:
    """Of 43 texts whose hits changed only 3 have another number of edits: the error rate's 3."""
    requires("rapidfuzz")
    count, texts = 200, ["a b"] * 200
    a = ["a x"] * count
    b = ["a b y"] * 40 + ["a b"] * 3 + ["a x"] * (count - 43)
    members = {"mer": mm.MatchErrorRate(), "wer": mm.WordErrorRate()}
    pairs = [mm.Paired(members["wer"]), mm.Paired(mm.MetricCollection(members))]
    for pair in pairs:
        pair.a.add(a, texts, ids=range(count))
        pair.b.add(b, texts, ids=range(count))
    alone, together = (pair.compute() for pair in pairs)
    assert repr(together["wer"]) == repr(alone)
    assert repr(pairs[1].intervals["wer"]) == repr(pairs[0].intervals)
    assert pairs[0].intervals["wer_difference"].changed == 3
    assert pairs[1].intervals["mer"]["mer_difference"].changed == 43


def test_names_of_classes_are_their_indices() -> None:
    """One system may give names and the other one indices; a wrong name is another label."""
    pair = mm.Paired(mm.Accuracy(classes=["cat", "dog"]))
    pair.a.add([0, 1, 1], [0, 1, 0], ids=range(3))
    pair.b.add(["cat", "dog", "cat"], ["cat", "dog", "cat"], ids=range(3))
    assert pair.compute()["samples"] == 3
    pair.b.reset()
    pair.b.add([0, 1, 0], y_true=["cat", "cat", "cat"], ids=range(3))
    with pytest.raises(ValueError, match=r"\[1\] have different labels"):
        pair.compute()


@pytest.mark.parametrize(
    "make",
    [
        lambda: mm.Accuracy(task="multiclass", num_classes=3, ignore_index=-100),
        lambda: mm.CohenKappa(3, ignore_index=-100),
        lambda: mm.SingleLabelPrecisionRecallF1score(num_classes=3, ignore_index=-100),
        lambda: mm.BalancedAccuracy(task="multiclass", num_classes=3, ignore_index=-100),
        lambda: mm.MeanIoU(num_classes=3, ignore_index=-100),
    ],
)
def test_batches_may_be_padded_to_any_width(make: Callable[[], Any]) -> None:
    """Positions of the ignored label are no part of the label."""
    lengths = RNG.integers(1, 9, COUNT)
    rows = [RNG.integers(0, 3, length) for length in lengths]

    def padded(batch: np.ndarray) -> np.ndarray:
        wide = np.full((len(batch), lengths[batch].max()), -100)
        for row, place in zip(wide, batch, strict=True):
            row[: lengths[place]] = rows[place]
        return wide

    pair = mm.Paired(make())
    for side, pieces in ((pair.a, 4), (pair.b, 9)):
        for batch in np.array_split(np.arange(COUNT), pieces):
            labels = padded(batch)
            side.add(np.where(labels < 0, 0, labels), labels, ids=batch)
    assert pair.compute()["samples"] == COUNT
    rows[7] = 2 - rows[7]
    rows[50] = (rows[50] + 1) % 3
    pair.b.reset()
    pair.b.add(np.zeros((COUNT, 8), int), padded(np.arange(COUNT)), ids=range(COUNT))
    with pytest.raises(ValueError, match=r"\[(7, )?50\] have different labels"):
        pair.compute()


def test_systems_that_list_their_own_documents_are_compared() -> None:
    """The gains of retrieved documents are no labels of the query: every system has its own."""
    pair = mm.Paired(mm.RetrievalNormalizedDCG())
    pair.a.add([[0.9, 0.5], [0.3, 0.1]], [[1, 0], [0, 1]], ids=[0, 1])
    pair.b.add([[0.9, 0.5, 0.1], [0.3, 0.1, 0.0]], [[1, 0, 1], [0, 0, 1]], ids=[0, 1])
    assert pair.compute()["samples"] == 2


def test_only_sides_of_a_pair_keep_digests() -> None:
    """8 bytes at most for each sample; none outside a pair, and none without a truth."""
    pair = mm.Paired(mm.MeanAbsoluteError())
    fill(pair.a, NUMBERS, NUMBERS)
    saved = pair.a.state_dict()
    kept = [value for key, value in saved.items() if key.endswith(f"tail/{TRUTH}/rows")]
    kept = kept or [value for key, value in saved.items() if f"tail/{TRUTH}" in key]
    assert sum(value.nbytes for value in kept) == 8 * COUNT
    alone = mm.MeanAbsoluteError()
    fill(alone, NUMBERS, NUMBERS)
    judged = mm.Paired(mm.Mean())
    judged.a.add(NUMBERS, ids=range(COUNT))
    labelled = mm.Paired(mm.CohenKappa(3))
    fill(labelled.a, CLASSES, CLASSES)
    for other in (alone, judged.a, labelled.a):
        assert not [key for key in other.state_dict() if TRUTH in key]


@pytest.mark.parametrize("sliced", [False, True])
@pytest.mark.parametrize("name", ["accuracy", "texts", "boxes"])
def test_samples_that_were_saved_without_digests_load(name: str, sliced: bool) -> None:
    """They count as before, and their labels are not compared; those added later are."""
    make, predictions, labels = CASES[name]
    named: dict[str, Any] = {"by": {"place": ["x", "y"] * (COUNT // 2)}} if sliced else {}
    make_one: Any = (lambda: mm.Sliced(make(), by="place")) if sliced else make
    pair = mm.Paired(make_one())
    for side in (pair.a, pair.b):
        side.add(predictions, labels, ids=range(COUNT), **named)
    before = {key: value for key, value in pair.state_dict().items() if TRUTH not in key}
    again = mm.Paired(make_one())
    again.load_state_dict(before)
    assert repr(again.compute()) == repr(pair.compute())
    again.b.reset()
    again.b.add(predictions, others(labels), ids=range(COUNT), **named)
    assert again.compute()
    again.a.reset()
    again.a.add(predictions, labels, ids=range(COUNT), **named)
    with pytest.raises(ValueError, match=r"\[7, 50\] have different labels"):
        again.compute()


def test_every_truth_is_an_argument_that_systems_share() -> None:
    """A metric declares no argument as truth that `compare` takes for a prediction."""
    kinds = [getattr(mm.metrics, name) for name in mm.metrics.__all__]
    for kind in [one for one in kinds if issubclass(one, mm.BaseMetric) and hasattr(one, "add")]:
        takes = inspect.signature(kind.add).parameters
        truths = [argument for argument in kind.truth_inputs if argument in takes]
        assert all(map(is_truth, truths)), kind
    assert mm.BERTScore.truth_inputs == mm.Perplexity.truth_inputs == ()


def test_a_metric_of_ones_own_declares_its_truth() -> None:
    """`truth_inputs` names other arguments, several of them, or none."""

    class Overlap(mm.BaseMetric):
        """The share of equal cells."""

        right = mm.state.sum(bool)
        truth_inputs = ("masks", "edges")

        def rows(self, found: Any, masks: Any, edges: Any = None) -> dict[str, Any]:
            """Whether the first cell is right."""
            return {"right": np.asarray(found)[:, 0] == np.asarray(masks)[:, 0]}

        def compute_metric(self, results: Any) -> dict[str, Any]:
            """The share."""
            return {"share": results.right / max(len(results), 1)}

    class Free(Overlap):
        """The same without a truth."""

        truth_inputs = ()

    flat = MAPS.reshape(COUNT, -1)
    for kind, masks, edges in ((Overlap, others(flat), NUMBERS), (Overlap, flat, others(NUMBERS))):
        for free in (False, True):
            pair = mm.Paired((Free if free else kind)())
            pair.a.add(flat, flat, NUMBERS, ids=range(COUNT))
            pair.b.add(flat, masks, edges=edges, ids=range(COUNT))
            if free:
                assert pair.compute()["samples"] == COUNT
            else:
                with pytest.raises(ValueError, match=r"\[7, 50\] have different labels"):
                    pair.compute()


def test_labels_of_several_positions_are_compared_in_any_form() -> None:
    """An array of labels is equal to a list of its rows; other lengths are other labels."""
    grids = MAPS.reshape(COUNT, -1)
    shorter = [*grids]
    shorter[7] = shorter[7][:-1]
    pair = mm.Paired(mm.ConfusionMatrix(num_classes=3))
    pair.a.add(grids, grids, ids=range(COUNT))
    for labels, wanted in (([*grids], None), (shorter, r"\[7\]"), (grids[:, :-1], "0, 1, 2")):
        pair.b.reset()
        pair.b.add(labels, labels, ids=range(COUNT))
        if wanted is None:
            assert pair.compute()["samples"] == COUNT
        else:
            with pytest.raises(ValueError, match=f"{wanted}.* have different labels"):
                pair.compute()


def test_class_indices_stay_on_an_accelerator() -> None:
    """Digests of integers need no copy to the host, and those of fractions are the host's."""
    torch = requires("torch")
    for labels in (CLASSES, NUMBERS):
        device: Any = DeviceArray(torch.tensor(labels), {})
        found = truth_digests(device, range(COUNT))
        assert (type(found) is DeviceArray) == (labels is CLASSES)
        assert (np.asarray(fetch(found)) == truth_digests(labels, range(COUNT))).all()


@pytest.mark.parametrize("batch", [1, 2, 3, 6])
@pytest.mark.parametrize(
    "make",
    [
        mm.CohenKappa,
        mm.ConfusionMatrix,
        lambda num_classes, **options: mm.FBetaScore(
            task="multiclass", num_classes=num_classes, **options
        ),
    ],
)
def test_batches_without_any_score_leave_labels_equal(make: Any, batch: int) -> None:
    """The labels of the other samples are those of the other system, in whatever batches."""
    labels, reasons = [0, 1, 2, 1, 2, 0], [None, "error", None, None, "error", "error"]
    pair, alone = mm.Paired(make(3, unscored="drop")), mm.Paired(make(3, unscored="drop"))
    for start in range(0, 6, batch):
        part = slice(start, start + batch)
        ids = [*range(6)][part]
        pair.a.add([0, 1, 2, 0, 1, 2][part], labels[part], ids=ids)
        pair.b.add([0, 0, 2, 1, 2, 2][part], labels[part], ids=ids, unscored=reasons[part])
    for side, predictions in ((alone.a, [0, 2, 0]), (alone.b, [0, 2, 1])):
        side.add(predictions, [0, 2, 1], ids=[0, 2, 3])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few samples, and that some have no score
        found, expected = pair.compute(), alone.compute()
    np.testing.assert_equal(dict(found), dict(expected))
    pair.b.add([1], [0], ids=[9])
    pair.a.add([1], [1], ids=[9])
    with pytest.raises(ValueError, match=r"those of the ids \[9\] have different labels"):
        pair.compute()
