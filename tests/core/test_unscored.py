"""Samples without a score: they are counted with their reasons, on every rank and in every part."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mmeval_like as mm
from mmeval_like.testing import LocalWorld
from mmeval_like.testing.same import same
from tests.helpers.examples import examples

pytestmark = [
    pytest.mark.filterwarnings("ignore:intervals that promise less"),
    pytest.mark.filterwarnings("ignore:.*others do not count"),
    pytest.mark.filterwarnings("ignore:.*no samples were added"),
]

CLASSES, REASONS = 3, (None, None, None, "error", "timeout")
POLICIES: tuple[Any, ...] = ("drop", 0, 1, "bounds")


@st.composite
def datasets(draw: st.DrawFn) -> dict[str, Any]:
    """Predictions, labels, reasons and groups of a few samples, and how ranks get them."""
    size = draw(st.integers(1, 24))
    some = np.random.default_rng(draw(st.integers(0, 2**32)))
    return {
        "predictions": some.integers(0, CLASSES, size),
        "labels": some.integers(0, CLASSES, size),
        "reasons": [REASONS[i] for i in some.integers(0, len(REASONS), size)],
        "groups": ["xyz"[i] for i in some.integers(0, 3, size)],
        "ranks": draw(st.integers(1, 4)),
        "batch": draw(st.integers(1, 9)),
        "order": some.permutation(size),
    }


def metrics(policy: Any, backend: Any = "non_dist") -> Any:
    """Slices of a collection that follows one policy."""
    members: dict[str, Any] = {"accuracy": mm.Accuracy(interval=0.9)}
    if policy in ("drop", "bounds"):
        members["f1"] = mm.FBetaScore(
            task="multiclass", num_classes=CLASSES, average="micro", interval=0.9
        )
    collection = mm.MetricCollection(members, unscored=policy)
    return mm.Sliced(collection, by=["group"], dist_backend=backend)


def add(one: Any, data: dict[str, Any], places: Any, ids: bool, reasons: list[Any]) -> Any:
    """Add the samples at these places, in batches; predictions without a score are garbage."""
    for start in range(0, len(places), data["batch"]):
        some = places[start : start + data["batch"]]
        why = [reasons[i] for i in some]
        predictions = np.where([r is None for r in why], data["predictions"][some], 99)
        named: dict[str, Any] = {"ids": some} if ids else {}
        by = {"group": [data["groups"][i] for i in some]}
        one.add(predictions, data["labels"][some], by=by, unscored=why, **named)
    return one


def told(result: mm.Result) -> str:
    """Everything that a result says."""
    return repr((dict(result), result.accounts, result.intervals, result.samples))


@pytest.mark.parametrize("policy", POLICIES)
@settings(deadline=None, max_examples=examples(25))
@given(data=datasets())
def test_ranks_batches_and_retries_change_nothing(policy: Any, data: dict[str, Any]) -> None:
    """Ids on any ranks, with failures before and after their retries: the bits of one process.

    Retries may succeed, or fail for another reason: the first reason in the alphabet counts.
    """
    size, ranks = len(data["labels"]), data["ranks"]
    retried = [None if i % 2 else reason for i, reason in enumerate(data["reasons"])]
    again = np.array([i for i in range(size) if data["reasons"][i] and i % 4], int)
    others = [None if i % 2 else "limit" for i in range(size)]
    kept = [
        why and others[i] if why == "timeout" and i % 4 else why for i, why in enumerate(retried)
    ]
    alone = add(metrics(policy), data, np.arange(size), True, kept).compute(size=size)

    def evaluate(backend: Any) -> str:
        one = metrics(policy, backend)
        mine = data["order"][backend.rank :: ranks]
        other = again[(backend.rank + 1) % ranks :: ranks]
        first, second = (mine, data["reasons"]), (other, others)
        for places, reasons in (first, second) if backend.rank % 2 else (second, first):
            add(one, data, places, True, reasons)
        result = one.compute(size=size)
        assert result.planned == size
        assert result.planned == result.scored + sum(result.unscored.values())
        return told(result)

    assert set(LocalWorld(ranks).run(evaluate)) == {told(alone)}


@pytest.mark.parametrize("policy", POLICIES)
@settings(deadline=None, max_examples=examples(25))
@given(data=datasets())
def test_padding_is_dropped_with_and_without_a_score(policy: Any, data: dict[str, Any]) -> None:
    """Without ids, `size=` drops what the sampler repeated, whether or not it has a score."""
    size, ranks = len(data["labels"]), data["ranks"]
    reasons = data["reasons"]
    alone = add(metrics(policy), data, np.arange(size), False, reasons).compute()

    def evaluate(backend: Any) -> str:
        padded = np.arange(-(-size // ranks) * ranks) % size
        one = add(metrics(policy, backend), data, padded[backend.rank :: ranks], False, reasons)
        return told(one.compute(size=size))

    assert set(LocalWorld(ranks).run(evaluate)) == {told(alone)}


@settings(deadline=None, max_examples=examples(40))
@given(data=datasets(), cut=st.floats(0, 1))
def test_dropped_samples_leave_the_values_of_the_others(data: dict[str, Any], cut: float) -> None:
    """Values, intervals and slices are those of the scored samples; the counts add up."""
    size, reasons = len(data["labels"]), data["reasons"]
    scored = np.array([i for i in range(size) if reasons[i] is None], int)
    plain = mm.Accuracy(interval=0.9)
    plain.add(data["predictions"][scored], data["labels"][scored])
    metric = mm.Accuracy(interval=0.9, unscored="drop")
    some = int(cut * size)
    for part in (slice(0, some), slice(some, size)):
        metric.add(data["predictions"][part], data["labels"][part], unscored=reasons[part])

    found = metric.compute()

    assert repr(dict(found)) == repr(dict(plain.compute()))
    assert repr(metric.intervals) == repr(plain.intervals)
    assert found.unscored == {why: reasons.count(why) for why in sorted({*reasons} - {None})}
    assert (found.planned, found.scored) == (size, len(scored))


@settings(deadline=None, max_examples=examples(40))
@given(data=datasets(), value=st.sampled_from([0, 1]))
def test_a_number_is_the_value_of_such_samples(data: dict[str, Any], value: int) -> None:
    """`unscored=0` counts them as wrong, `unscored=1` as right."""
    reasons, labels = data["reasons"], data["labels"]
    without = np.array([reason is not None for reason in reasons])
    other = labels if value else (labels + 1) % CLASSES
    wanted = mm.Accuracy()(np.where(without, other, data["predictions"]), labels)
    metric = mm.Accuracy(unscored=value)

    assert dict(metric(data["predictions"], labels, unscored=reasons)) == dict(wanted)


@pytest.mark.parametrize("value", [0, 1])
@pytest.mark.parametrize("options", [{}, {"num_classes": 3}, {"num_classes": 3, "topk": (1, 2)}])
@pytest.mark.parametrize("scores", [False, True])
def test_a_number_has_the_interval_of_such_samples(
    value: int, options: dict[str, Any], scores: bool
) -> None:
    """Of class indices and of scores: what has no score is of neither kind."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 60)
    predictions = np.where(rng.random(60) < 0.8, labels, (labels + 1) % 3)
    reasons = ["error"] * 5 + [None] * 55
    filled = np.where(np.arange(60) < 5, (labels + 1 - value) % 3, predictions)
    given, wanted = (np.eye(3)[one] if scores else one for one in (predictions, filled))
    metric = mm.Accuracy(interval=0.95, unscored=value, **options)

    found = metric(given, labels, unscored=reasons)

    expected = mm.Accuracy(interval=0.95, **options)(wanted, labels)
    for key in ("top1", "top1_low", "top1_high"):
        assert found[key] == expected[key]


@settings(deadline=None, max_examples=examples(25))
@given(data=datasets(), cut=st.floats(0, 1))
def test_parts_merge_subtract_and_travel(data: dict[str, Any], cut: float) -> None:
    """Merging, bytes, pickles and subtracting keep the account, with equal bits."""
    size, some = len(data["labels"]), int(cut * len(data["labels"]))
    reasons = data["reasons"]
    whole = add(metrics("bounds"), data, np.arange(size), False, reasons)
    first = add(metrics("bounds"), data, np.arange(some), False, reasons)
    second = add(metrics("bounds"), data, np.arange(some, size), False, reasons)

    total = first + metrics("bounds").from_bytes(second.to_bytes())
    assert told(total.compute()) == told(whole.compute())
    total = pickle.loads(pickle.dumps(total))
    assert told(total.compute()) == told(whole.compute())
    total.subtract(second)
    assert told(total.compute()) == told(first.compute())


def test_windows_and_last_samples_account_for_theirs() -> None:
    """The account is of the samples in the window."""
    reasons = ["error", None, "timeout", None, None, "error"]
    for around in (mm.Running, lambda m, n: mm.Windowed(m, n, buckets=n)):
        metric = around(mm.Accuracy(unscored="drop"), 4)
        metric.add([9, 0, 9, 0, 1, 9], [0] * 6, unscored=reasons)

        found = metric.compute()

        assert dict(found) == {"top1": 0.5}
        assert (found.planned, found.unscored) == (4, {"error": 1, "timeout": 1})


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("groups", ["aabb", "aaaa"])
@pytest.mark.parametrize("more", [{}, {"rest": True}, {"summaries": True}])
def test_slices_without_a_scored_sample_warn_once(policy: Any, groups: str, more: Any) -> None:
    """Of a compute there is one warning, under "drop"; no slice says that it has no samples."""
    for reasons in ([None, None, "x", "x"], ["x"] * 4):
        metric = mm.Sliced(mm.Accuracy(unscored=policy, interval=0.9), by=["g"], **more)
        metric.add([1] * 4, [1, 0, 1, 1], by={"g": list(groups)}, unscored=reasons)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = metric.compute()
        said = [str(one.message) for one in caught if "promise less" not in str(one.message)]
        assert len(said) == (policy == "drop"), said
        for name, account in found.accounts.items():
            own = [r for r, g in zip(reasons, groups, strict=True) if name in ("all", f"g={g}")]
            assert account.planned == len(own)
            assert account.unscored == ({"x": own.count("x")} if "x" in own else {})
            if own.count("x") == len(own):
                value = {0: 0.0, 1: 1.0}.get(policy, float("nan"))
                assert found[name]["top1"] == pytest.approx(value, nan_ok=True)
                assert account.bounds == ({"top1": (0, 1)} if policy == "bounds" else {})


def test_the_warning_names_what_does_not_count() -> None:
    """Slices and members of a collection are in one warning, of at most three."""
    metric = mm.Sliced(mm.MetricCollection([mm.Accuracy(), mm.Recall()], unscored="drop"), by=["g"])
    for group in "abcd":
        metric.add([1, 1], [1, 1], by={"g": [group] * 2}, unscored=[None, "x"])
    with pytest.warns(RuntimeWarning) as caught:
        metric.compute()
    assert [str(one.message) for one in caught] == [
        "Accuracy, Recall: 4 of 8 scored; 4 x; g=a: 1 of 2 scored; 1 x; g=b: 1 of 2 scored; 1 x; "
        "and 2 more; the others do not count"
    ]


def test_samples_that_nobody_added_are_absent() -> None:
    """With ids and `missing="report"`, they have no score, and follow the policy."""

    def evaluate(backend: Any) -> Any:
        found = []
        for policy in POLICIES:
            metric = mm.Accuracy(unscored=policy, dist_backend=backend)
            metric.add([0], [backend.rank], ids=[3 * backend.rank])
            result = metric.compute(size=5, missing="report")
            assert (result.planned, result.unscored) == (5, {"absent": 3})
            found.append((result["top1"], result.bounds))
        return found

    for found in LocalWorld(2).run(evaluate):
        assert found == [(0.5, {}), (0.2, {}), (0.8, {}), (0.5, {"top1": (0.2, 0.8)})]


def test_absent_samples_count_in_the_slice_of_missing_values() -> None:
    """Their slices are unknown, as is that of a sample whose column has no value."""
    sliced = mm.Sliced(mm.Accuracy(unscored="drop"), by="language")
    sliced.add([0, 0], [0, 1], ids=[0, 1], by={"language": ["en", None]})

    accounts = sliced.compute(size=4, missing="report").accounts

    planned = {name: (one.planned, one.scored) for name, one in accounts.items()}
    assert planned == {"all": (4, 2), "language=-": (3, 1), "language=en": (1, 1)}


def test_absent_samples_need_labels_for_bounds_of_classes() -> None:
    """The error says how to add them with their labels, which is then enough."""
    metric = mm.FBetaScore(task="multiclass", num_classes=2, average="micro", unscored="bounds")
    metric.add([0, 1], [0, 0], ids=[0, 1])

    with pytest.raises(ValueError, match=r"1 samples .* labels are unknown.*add_unscored\(ids="):
        metric.compute(size=3, missing="report")

    metric.add_unscored(ids=[2], labels=[1], reason="refusal")
    result = metric.compute(size=3)
    assert result.bounds == {"fbeta": (1 / 3, 2 / 3)}
    assert result.unscored == {"refusal": 1}


def test_a_pair_accounts_for_both_systems() -> None:
    """Scored on both, on one or on neither; the worst case of one meets the best of the other."""
    labels = [1] * 100
    pair = mm.Paired(mm.Accuracy(unscored="bounds"))
    pair.a.add([1] * 70 + [0] * 30, labels, ids=range(100), unscored=[None] * 95 + ["error"] * 5)
    pair.b.add(
        [1] * 90 + [0] * 10,
        labels,
        ids=range(100),
        unscored=["timeout"] * 2 + [None] * 96 + ["timeout"] * 2,
    )

    found = pair.compute()

    assert found.unscored == {"a: error": 3, "a: error, b: timeout": 2, "b: timeout": 2}
    assert found["samples"] == 93
    worst, best = found.bounds["top1_difference"]
    assert (worst, best) == pytest.approx((0.88 - 0.75, 0.92 - 0.70))
    interval = pair.intervals["top1_difference"]
    assert interval.low < worst < found["top1_difference"] < best < interval.high
    assert (found["top1_p"] < 0.05) == (interval.low > 0)
    assert mm.gate(pair, "top1", margin=0.0).outcome == "pass"


def test_a_pair_says_how_samples_of_one_side_are_accounted_for() -> None:
    """The error names them, and what to call, which is then enough."""
    pair = mm.Paired(mm.Accuracy(unscored="drop"))
    pair.a.add([1, 1, 0], [1, 1, 1], ids=["p", "q", "r"])
    pair.b.add([1, 1], [1, 1], ids=["q", "r"])
    with pytest.raises(ValueError, match=r"only a has the ids \['p'\].*add_unscored\(ids="):
        pair.compute()
    pair.b.add_unscored(ids=["p"], reason="absent")

    assert pair.compute().account.one_sided == (1, 0, 0)


@pytest.mark.parametrize("policy", POLICIES)
def test_a_record_of_each_system_leaves_their_comparison_as_it_is(policy: Any) -> None:
    """The values, the counts and the bounds of a pair of records are those of the pair alone."""
    results = []
    for around in (lambda metric: metric, mm.Recorded):
        pair = mm.Paired(around(mm.MetricCollection([mm.Accuracy(unscored=policy)])))
        pair.a.add([1] * 9, [1] * 6 + [0] * 3, ids=range(9), unscored=[None] * 8 + ["error"])
        pair.b.add([1] * 9, [1] * 6 + [0] * 3, ids=range(9), unscored=["error"] * 2 + [None] * 7)
        results.append(pair.compute())

    assert same(results[1], results[0])
    assert results[1].accounts == results[0].accounts
    assert results[0].unscored == {"a: error": 1, "b: error": 2}


@pytest.mark.parametrize("policy", POLICIES)
def test_a_pair_without_samples_has_none(policy: Any) -> None:
    """No policy makes an error of it: the result says that there are none, in slices, too."""
    assert mm.Paired(mm.Accuracy(unscored=policy)).compute() == {"samples": 0}
    sliced = mm.Sliced(mm.Accuracy(unscored=policy), by="language")
    assert mm.Paired(sliced).compute() == {"all": {"samples": 0}}


WHYS = st.sampled_from([None, None, "x", ", b: ", "x, b: y", "b: x", "a: x", "a: x, b: y"])


@settings(deadline=None, max_examples=examples(25))
@given(data=st.data(), policy=st.sampled_from(POLICIES))
def test_reasons_do_not_decide_which_system_has_a_score(data: st.DataObject, policy: Any) -> None:
    """Scored on both, on one or on neither: the numbers are right for every text of a reason."""
    whys = data.draw(st.lists(st.tuples(WHYS, WHYS), min_size=1, max_size=9))
    pair = mm.Paired(mm.Sliced(mm.Accuracy(unscored=policy), by=["g"]))
    groups = data.draw(st.lists(st.sampled_from("ab"), min_size=len(whys), max_size=len(whys)))
    for side, reasons in zip((pair.a, pair.b), zip(*whys, strict=True), strict=True):
        ones, ids = [1] * len(whys), range(len(whys))
        side.add(ones, ones, ids=ids, by={"g": groups}, unscored=[*reasons])

    for name, account in pair.compute().accounts.items():
        own = [why for why, g in zip(whys, groups, strict=True) if name in ("all", f"g={g}")]
        lacks = [(a is not None, b is not None) for a, b in own]
        sides = [(False, True), (True, False), (True, True)]
        assert account.one_sided == tuple(map(lacks.count, sides))
        assert (account.planned, account.scored) == (len(own), lacks.count((False, False)))


def test_a_gate_passes_in_the_worst_case_only() -> None:
    """A model that fails on hard samples passes a gate if they are dropped, and not otherwise."""
    outcomes = {}
    for policy in ("drop", 0, "bounds"):
        metric = mm.Accuracy(interval=0.95, unscored=policy)
        reasons = [None] * 900 + ["error"] * 100
        metric.add([0] * 1000, [0] * 880 + [1] * 20 + [1] * 100, unscored=reasons)
        metric.compute()
        outcomes[policy] = mm.gate(metric, "top1", at_least=0.9).outcome

    assert outcomes == {"drop": "pass", 0: "fail", "bounds": "undecided"}


def test_the_verdict_at_bounds_rests_on_exact_ends() -> None:
    """The interval of a gate is Clopper and Pearson's at the worst and at the best."""
    metric = mm.Accuracy(interval=0.95, unscored="bounds")
    metric.add([0] * 100, [0] * 90 + [1] * 10, unscored=[None] * 95 + ["error"] * 5)
    metric.compute()
    ends = []
    for hits in (90, 95):
        one = mm.Accuracy(interval=0.95)
        one.add([0] * hits + [1] * (100 - hits), [0] * 100)
        one.compute()
        ends.append(mm.gate(one, "top1", at_least=0.5).interval)

    found = mm.gate(metric, "top1", at_least=0.5).interval

    assert (found.low, found.high) == (ends[0].low, ends[1].high)


def test_without_failures_the_bounds_are_the_value() -> None:
    """A program may read the bounds whether or not samples have failed."""
    found = mm.Accuracy(unscored="bounds", interval=0.95)([0, 1], [0, 0])
    plain = mm.Accuracy(interval=0.95)([0, 1], [0, 0])

    assert dict(found) == dict(plain)
    assert found.bounds == {"top1": (0.5, 0.5)}


def test_flips_of_pairs_are_listed_among_the_scored() -> None:
    """The ids of samples that flipped are those that both systems scored."""
    pair = mm.Paired(mm.Accuracy(unscored="drop"), list_flips=True)
    pair.a.add([0, 0, 1], [1, 1, 1], ids=[3, 4, 5])
    pair.b.add([1, 1, 1], [1, 1, 1], ids=[3, 4, 5], unscored=["error", None, None])

    assert pair.compute()["flips_up_ids"] == [4]


def test_without_a_policy_they_are_refused() -> None:
    """The error names the numbers and the cure, and nothing is added."""
    metric = mm.Accuracy()
    with pytest.raises(ValueError, match=r'1 of 2 samples have no score.*unscored="drop".*bounds'):
        metric.add([0, 1], [0, 1], unscored=[None, "error"])
    metric.add([0, 1], [0, 1], unscored=[None, None])

    result = metric.compute()

    assert (result.planned, result.scored, result.unscored, result.bounds) == (2, 2, {}, {})


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda m: m.add([0, 1], [0, 1], unscored=[True, False]), TypeError, "None or a reason"),
        (lambda m: m.add([0, 1], [0, 1], unscored="error"), TypeError, "a list with None or"),
        (lambda m: m.add([0, 1], [0, 1], unscored=["", None]), TypeError, "None or a reason"),
        (lambda m: m.add([0, 1], [0, 1], unscored=["x"]), ValueError, "for each"),
        (lambda m: m.add([0, 1], [0, 1], unscored=["x", None, None]), ValueError, "for each"),
        (lambda m: m.add_unscored(reason=None), TypeError, "reason"),
        (lambda m: m.add_unscored(reason=["x", None]), TypeError, "a string for each sample"),
        (lambda m: m.add_unscored(ids=[1, 2], reason=["x"]), ValueError, "ids"),
        (lambda m: setattr(m, "unscored", "bounds"), RuntimeError, "reset"),
    ],
)
def test_what_is_not_a_reason_is_refused(call: Any, error: Any, text: str) -> None:
    """The error says what a reason is, and the samples so far stay as they are."""
    metric = mm.Accuracy(unscored="drop")
    metric.add([0, 1], [0, 0], unscored=[None, "error"])
    before = told(metric.compute())

    with pytest.raises(error, match=text):
        call(metric)

    assert told(metric.compute()) == before


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: mm.Accuracy(unscored=True), '"drop", "bounds", a number'),
        (lambda: mm.Accuracy(unscored=[0]), '"drop", "bounds", a number'),
        (lambda: mm.Accuracy(unscored=0.5), "no a value 0.5|defines no"),
        (lambda: mm.MeanSquaredError(unscored="bounds"), 'no bounds .*unscored="drop"'),
        (lambda: mm.F1Score(2, classes=["a", "b"], unscored="a"), "nor single names of classes"),
    ],
)
def test_a_policy_that_means_nothing_is_refused(make: Any, text: str) -> None:
    """The constructor says what the metric supports."""
    with pytest.raises(TypeError, match=text):
        make()


CLASSES_ABC = {"classes": ["a", "b", "c"]}


@pytest.mark.parametrize(
    "make",
    [
        lambda **more: mm.Accuracy(**CLASSES_ABC, **more),
        lambda **more: mm.CohenKappa(num_classes=3, **CLASSES_ABC, **more),
        lambda **more: mm.MetricCollection([mm.Accuracy(**CLASSES_ABC)], **more),
    ],
)
def test_a_label_is_the_name_of_a_class(make: Any) -> None:
    """It counts as the prediction; another name is refused before any sample is added."""
    predictions, labels = ["a", "b", "?"], ["a", "c", "c"]
    for name in "abc":
        found = make(unscored=name)
        found.add(predictions, labels, unscored=[None, None, "refusal"])
        assert dict(found.compute()) == dict(make()(["a", "b", name], labels))
    for text in ("d", "dorp"):
        with pytest.raises(ValueError, match=f"one of the classes.*got '{text}'"):
            make(unscored=text)


def test_a_label_needs_the_other_inputs() -> None:
    """The error names those of the metric, and no others."""
    metric = mm.Accuracy(**CLASSES_ABC, unscored="a")

    with pytest.raises(ValueError, match="pass labels= of these to add_unscored"):
        metric.add_unscored(reason="error")


def test_a_refused_policy_leaves_the_metric_as_it_was() -> None:
    """The option keeps its value, so that `add` still refuses what the user has not chosen."""
    metric = mm.MeanSquaredError()

    with pytest.raises(TypeError, match="no bounds"):
        metric.unscored = "bounds"

    assert metric.unscored is None


@pytest.mark.parametrize(
    ("make", "values"),
    [
        (mm.ROUGE, (5, -1)),
        (mm.ExactMatch, (5, -1)),
        (mm.MeanSquaredError, (-1,)),
        (mm.LogLoss, (-1,)),
        (lambda **more: mm.Mean(bounds=(1, 5), **more), (0, 6)),
        (lambda **more: mm.FBetaScore(task="multiclass", num_classes=3, **more), ()),
        (mm.AUROC, ()),
    ],
)
def test_impossible_scores_are_refused(make: Any, values: tuple[float, ...]) -> None:
    """A number that is no score of the metric would give a value that no predictions have."""
    for value in values:
        with pytest.raises(TypeError, match=f"defines no value {value}"):
            make(unscored=value)
    for value in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match="finite"):
            make(unscored=value)


@pytest.mark.parametrize("policy", POLICIES)
def test_a_rank_may_have_no_failures(policy: Any) -> None:
    """`add_unscored` of no samples adds nothing, on whatever rank."""

    def evaluate(backend: Any) -> str:
        metric = mm.Accuracy(unscored=policy, dist_backend=backend)
        metric.add([0, 1], [0, 0], ids=[2 * backend.rank, 2 * backend.rank + 1])
        metric.add_unscored(ids=[4, 5] if backend.rank else [], reason="timeout")
        result = metric.compute(size=6)
        assert (result.planned, result.unscored) == (6, {"timeout": 2})
        return told(result)

    assert len(set(LocalWorld(2).run(evaluate))) == 1
    metric = mm.Accuracy(unscored=policy)
    with pytest.raises(ValueError, match="ids"):
        metric.add_unscored(ids=[1], reason=[])
    assert metric.compute().planned == 0


def test_columns_may_miss_what_has_no_score() -> None:
    """Missing entries of polars and Arrow are allowed where there is a reason, and only there."""
    polars, arrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    for column in (polars.Series, arrow.array, lambda given: arrow.chunked_array([given])):
        metric = mm.Accuracy(unscored=0)
        metric.add(column([0, 1, None]), [0, 1, 1], unscored=column([None, None, "error"]))
        text = mm.ExactMatch(unscored=0)
        text.add(column(["a", None]), ["a", "b"], unscored=[None, "error"])

        assert (dict(metric.compute()), dict(text.compute())) == (
            {"top1": 2 / 3}, {"exact_match": 0.5},
        )  # fmt: skip
        with pytest.raises(ValueError, match="missing"):
            metric.add(column([0, None]), [0, 1], unscored=["error", None])


@pytest.mark.parametrize(
    "make",
    [
        lambda backend: mm.Accuracy(interval=0.9, dist_backend=backend),
        lambda backend: mm.MetricCollection({"a": mm.Accuracy(interval=0.9)}, backend),
        lambda backend: mm.Recorded(mm.Accuracy(interval=0.9), dist_backend=backend),
    ],
)
def test_values_are_sent_without_an_account_where_all_have_a_score(make) -> None:
    """Rank 0 of a backend of five members sends them to the others: not a byte more than before."""
    sent = []

    class Seen(LocalWorld):
        def exchange(self, rank, name, value):
            sent.append(pickle.dumps(value))
            return super().exchange(rank, name, value)

    def evaluate(backend):
        metric = make(backend)
        metric.add([1, 0], [1, 1])
        return metric.compute()

    Seen(2, members_only=True).run(evaluate)

    assert any(b"intervals" in message for message in sent)
    assert not any(b"accounts" in message for message in sent)


@pytest.mark.parametrize(
    ("predictions", "labels", "name"),
    [([None, 1], [1], "predictions"), ([None], [1, 1], "labels"), ([], [1], "predictions")],
)
def test_lengths_are_compared_if_no_sample_has_a_score(predictions, labels, name):
    """As if one had: the sample too many would be lost in silence."""
    metric = mm.Accuracy(unscored="drop")
    with pytest.raises(ValueError, match=f"{name} must have an entry for each of the 1 samples"):
        metric.add(predictions, labels, unscored=["error"])
    metric.add([None], [1], unscored=["error"])
    metric.add([1], [1])
    assert metric.compute().planned == 2


def test_a_pair_without_scores_in_both_says_so():
    """`compute` was called: the error does not ask for it."""
    pair = mm.Paired(mm.Accuracy(unscored="drop"))
    pair.a.add([1], [1], ids=[1])
    pair.b.add([None], [1], ids=[1], unscored=["error"])
    pair.compute()
    with pytest.raises(ValueError, match="samples that have a score in both systems"):
        mm.gate(pair, "top1", margin=0.1)
