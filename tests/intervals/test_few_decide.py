"""Values that few samples decide: their intervals contain the truth, or are marked.

Each world covered 0.53 to 0.91 of all cases before, without a mark. The figures are in the
docstrings; the seeds are fixed.
"""

from collections.abc import Callable
from math import comb
from typing import Any

import numpy as np
import pytest
from scipy.stats import multinomial, norm

import mmeval_like as mm
from mmeval_like._intervals.interval import Interval
from mmeval_like.testing import LocalWorld
from mmeval_like.testing.same import same
from tests.helpers.dealing import deal_everything

pytestmark = pytest.mark.filterwarnings("ignore:intervals that promise less", "ignore:.*undefined")

SURE: dict[str, Any] = {"interval": 0.95}


def coverage(one: Callable[[], Interval], truth: float, times: int) -> tuple[float, float]:
    """How often unmarked intervals contain the truth, and how often they are marked."""
    found = [one() for _ in range(times)]
    plain = [each for each in found if each.thin is None]
    inside = [each.low <= truth <= each.high for each in plain]
    return (float(np.mean(inside)) if inside else 1.0), 1 - len(plain) / times


def interval_of(metric: Any, *batch: Any, **named: Any) -> Interval:
    """The first interval of a metric of one batch."""
    metric.add(*batch, **named)
    metric.compute()
    found: Interval = next(iter(metric.intervals.values()))
    return found


@pytest.mark.parametrize(
    ("area", "positives", "negatives"), [(0.983, 30, 470), (0.993, 40, 1960), (0.98, 400, 30)]
)
def test_an_area_near_1(area: float, positives: int, negatives: int) -> None:
    """0.89, 0.82 to 0.86 and 0.89: a few samples in a wrong order make most of the variance."""
    rng = np.random.default_rng(positives)
    labels = np.repeat([1, 0], [positives, negatives])

    def one() -> Interval:
        scores = rng.normal(size=len(labels)) + np.sqrt(2) * norm.ppf(area) * labels
        return interval_of(mm.AUROC(**SURE), scores, labels)

    inside, marked = coverage(one, area, 150)
    assert inside > 0.92
    assert marked == 0


def test_an_area_of_which_some_positives_are_mislabelled() -> None:
    """If none of 100 is, though 2% are: the interval was above the true area in half of cases."""
    rng = np.random.default_rng(2)
    labels = np.repeat([1, 0], [100, 900])

    def one() -> Interval:
        scores = rng.normal(size=1000) + np.sqrt(2) * norm.ppf(0.98) * labels
        return interval_of(mm.AUROC(**SURE), scores, labels)

    inside, marked = coverage(one, 0.98 * 0.98 + 0.02 * 0.5, 80)
    assert inside > 0.85
    assert marked == 0


def test_an_area_with_many_wrong_samples_has_delongs_interval() -> None:
    """It stays as narrow as it was: 0.8 of 200 and 300."""
    rng = np.random.default_rng(0)
    labels = np.repeat([1, 0], [200, 300])
    for sign in (1, -1):
        found = interval_of(mm.AUROC(**SURE), sign * (rng.normal(size=500) + labels), labels)
        assert found.method == "DeLong, logit t"


def test_areas_are_symmetric() -> None:
    """Swapped scores give 1 minus the area, and the mirrored interval."""
    rng = np.random.default_rng(1)
    labels = np.repeat([1, 0], [40, 300])
    scores = rng.normal(size=340) + 3 * labels
    one, other = (interval_of(mm.AUROC(**SURE), s, labels) for s in (scores, -scores))
    assert one.method == other.method == "DeLong, Newcombe"
    assert (other.low, other.high) == pytest.approx((1 - one.high, 1 - one.low), abs=1e-12)


def test_pass_at_k_with_questions_out_of_reach() -> None:
    """0.53: 2% of the questions cannot be solved, and most others are solved in most attempts."""
    rng = np.random.default_rng(3)

    def draw(count: int) -> np.ndarray:
        chance = np.where(rng.random(count) < 0.02, 0, rng.beta(8, 2, count))
        return rng.binomial(16, chance)

    values = np.array([1 - comb(16 - c, 8) / comb(16, 8) for c in range(17)])
    truth = float(values[draw(1_000_000)].mean())
    inside, marked = coverage(
        lambda: interval_of(mm.PassAtK(k=8, **SURE), draw(30), np.full(30, 16)), truth, 150
    )
    assert inside > 0.92
    assert marked == 0


def test_one_question_that_is_nearly_always_solved_does_not_move_an_end_far() -> None:
    """The lower end was 0.878 if all 30 were solved, and 0.99998 if one had 8 of 16."""
    lows = []
    for last in (16, 15, 8, 7, 4):
        correct = np.append(np.full(29, 16), last)
        lows.append(interval_of(mm.PassAtK(k=8, **SURE), correct, np.full(30, 16)).low)
    assert max(lows) - min(lows) < 0.03


@pytest.mark.parametrize(("least", "most"), [(0, 9), (1, 10), (101, 110), (-9, 0)])
def test_a_bounded_mean_does_not_depend_on_where_its_scale_begins(least: int, most: int) -> None:
    """Neither does its method: few bad scores, no bad scores, and hits."""
    rng = np.random.default_rng(4)
    usual = np.clip(np.round(rng.normal(7, 1, 60)), 0, 9)
    for scores in (np.append(usual[1:], 0.0), usual, np.repeat([0.0, 9.0], [4, 56])):
        one = interval_of(mm.Mean(bounds=(0, 9), **SURE), scores)
        other = interval_of(mm.Mean(bounds=(least, most), **SURE), scores + least)
        assert (other.method, other.thin) == (one.method, None)
        assert (other.low - least, other.high - least) == pytest.approx((one.low, one.high))
    assert interval_of(mm.Mean(bounds=(0, 9), **SURE), np.append(usual[1:], 0)).method == "betting"


@pytest.mark.parametrize(("failures", "count", "before"), [(0.06, 60, 0.88), (0.1, 30, 0.8)])
def test_a_bounded_mean_with_rare_failures(failures: float, count: int, before: float) -> None:
    """A Dice score that is 0 for a few images; if there are any, the interval allows for others."""
    rng = np.random.default_rng(5)

    def one() -> Interval:
        while True:
            failed = rng.random(count) < failures
            if failed.any():
                return interval_of(
                    mm.Mean(bounds=(0, 1), **SURE), np.where(failed, 0, rng.beta(30, 3, count))
                )

    inside, marked = coverage(one, (1 - failures) * 30 / 33, 150)
    assert inside > 0.94 > before
    assert marked == 0


def dice_scores(rng: np.random.Generator, count: int) -> np.ndarray:
    """Around 0.91, of which 6 in 100 are 0."""
    return np.where(rng.random(count) < 0.06, 0, rng.beta(30, 3, count))


def high_scores(rng: np.random.Generator, count: int) -> np.ndarray:
    """Around 0.97, of which 3 in 100 are 0.3."""
    usual = np.clip(rng.normal(0.97, 0.01, count), 0, 1)
    return np.where(rng.random(count) < 0.03, 0.3, usual)


def judged(rng: np.random.Generator, count: int) -> np.ndarray:
    """Scores of 8 and 9, of which 2 in 100 are the lowest."""
    return np.where(rng.random(count) < 0.02, 0, (7.0 + (rng.random(count) < 0.5)) / 9)


@pytest.mark.parametrize("count", [20, 100])
@pytest.mark.parametrize(("draw", "truth"), [
    (dice_scores, 0.94 * 30 / 33), (high_scores, 0.97 * 0.97 + 0.009), (judged, 0.98 * 7.5 / 9),
])  # fmt: skip
def test_failures_that_samples_may_not_show(
    draw: Callable[..., np.ndarray], truth: float, count: int
) -> None:
    """Intervals contained the truth in 0.43 to 0.95, or were marked: no sample was a failure."""
    rng = np.random.default_rng(count)
    inside, marked = coverage(
        lambda: interval_of(mm.Mean(bounds=(0, 1), **SURE), draw(rng, count)), truth, 40
    )
    assert inside > 0.94
    assert marked == 0


def test_failures_that_many_samples_may_not_show() -> None:
    """In 1%: 200 samples contain none in 13% of cases; unmarked intervals were then too high."""
    rng = np.random.default_rng(20)

    def one() -> Interval:  # only such samples, which are the ones that may miss the truth
        return interval_of(mm.Mean(bounds=(0, 1), **SURE), rng.beta(30, 3, 200))

    inside, marked = coverage(one, 0.99 * 30 / 33, 20)
    assert (inside, marked) == (1, 0)


@pytest.mark.parametrize("count", [100, 367, 368])
def test_samples_that_are_alike_hold_for_any_distribution_if_one_failure_would_decide(
    count: int,
) -> None:
    """Whether samples or clusters, of any scale; not if they vary more, nor hits."""
    clusters = np.repeat(np.arange(count), 4)
    rng = np.random.default_rng(12)
    alike, wide = rng.normal(0.9, 0.01, count * 4), rng.random(count * 4)
    hits = np.where(wide < 0.9, 1.0, 0.0)
    usual = "Wilson, effective n"
    for least, most in ((0, 1), (1, 10), (-500, 0)):
        for values, few in ((alike, count < 368), (1 - alike, count < 368), (wide, 0), (hits, 0)):
            scaled = least + (most - least) * values
            one = interval_of(mm.Mean(bounds=(least, most), **SURE), scaled[:count])
            method = "Wilson" if values is hits else usual  # which is that of hits
            assert (one.method, one.thin) == ("betting" if few else method, None)
            named = {"clusters": clusters}
            one = interval_of(mm.Mean(bounds=(least, most), **SURE), scaled, **named)
            assert (one.unit, one.units) == ("cluster", count)
            assert (one.method, one.thin) == ("betting" if few else usual, None)
    right = hits.astype(int)
    found = interval_of(mm.Accuracy(**SURE), right, right**0, clusters=clusters)
    assert (found.method, found.thin) == (usual, None)
    attempts = np.full(count, 16)
    solved = np.where(np.arange(count) % 2, 6, 7)  # of pass@2, far from both bounds
    one = interval_of(mm.PassAtK(k=2, **SURE), solved, attempts)
    assert (one.method, one.thin) == ("betting" if count == 100 else usual, None)


@pytest.mark.parametrize("count", [100, 367, 368])
def test_alike_clusters_of_unequal_sizes_hold_for_any_distribution(count: int) -> None:
    """They were marked. Of 100, 3.5 failing ones may be unseen; from 368 on, they would be seen."""
    sizes = np.arange(count) % 2 + 3
    clusters = np.repeat(np.arange(count), sizes)
    values = np.random.default_rng(12).normal(0.9, 0.01, len(clusters))
    one = interval_of(mm.Mean(bounds=(0, 1), **SURE), values, clusters=clusters)
    assert one.thin is None
    if count == 368:
        assert one.method == "Wilson, effective n"
    else:
        assert one.method == "betting"
        assert 0.9 * 3.5 / count < one.value - one.low < 0.9 * 6 / count


def sizes_of(kind: str, rng: np.random.Generator) -> np.ndarray:
    """The sizes of 30 clusters."""
    return {
        "alike": np.full(30, 10),
        "one is larger": np.append(np.full(29, 10), 11),
        "unlike": 1 + rng.geometric(1 / 9, 30),
    }[kind]


@pytest.mark.parametrize("usual", [0.98, 0.95])
@pytest.mark.parametrize("kind", ["alike", "one is larger", "unlike"])
def test_hits_in_clusters_of_which_few_fail(kind: str, usual: float) -> None:
    """6% of 30 clusters have 10% hits: no mark told, and 14% of the intervals were too high.

    Of these, nearly all had no failing cluster, and were like those here.
    """
    rng = np.random.default_rng(21)
    truth = 0.94 * usual + 0.06 * 0.1

    def one() -> Interval:
        clusters = np.repeat(np.arange(30), sizes_of(kind, rng))
        right = (rng.random(len(clusters)) < usual).astype(int)
        return interval_of(mm.Accuracy(**SURE), right, right**0, clusters=clusters)

    inside, marked = coverage(one, truth, 25)
    assert (inside, marked) == (1, 0)


def test_misses_in_clusters_mirror_hits() -> None:
    """A share of 0.02 has the interval of 0.98, mirrored."""
    clusters = np.repeat(np.arange(30), 10)
    right = (np.arange(300) % 47 > 0).astype(float)
    one, other = (
        interval_of(mm.Mean(bounds=(0, 1), **SURE), each, clusters=clusters)
        for each in (right, 1 - right)
    )
    assert one.method == other.method == "Wilson, effective n, betting"
    assert (other.low, other.high) == pytest.approx((1 - one.high, 1 - one.low), abs=1e-9)


def test_hits_in_clusters_that_vary_have_the_usual_interval() -> None:
    """One more that failed would move the share by less than half of the way to the end."""
    rng = np.random.default_rng(22)
    clusters = np.repeat(np.arange(100), 10)
    for share in (0.9, 0.7, 0.2):
        chance = rng.beta(9 * share, 9 * (1 - share), 100)
        right = (rng.random(1000) < chance[clusters]).astype(int)
        found = interval_of(mm.Accuracy(**SURE), right, right**0, clusters=clusters)
        assert (found.method, found.thin) == ("Wilson, effective n", None)


def test_one_sample_more_in_a_cluster_moves_the_interval_little() -> None:
    """Whether few clusters may decide is no yes or no: 300 samples with 4 to 60 misses."""
    rng = np.random.default_rng(23)
    for missed in range(4, 61, 4):
        right, clusters = np.ones(300, int), np.repeat(np.arange(30), 10)
        right[rng.choice(300, missed, replace=False)] = 0
        one = interval_of(mm.Accuracy(**SURE), right, right**0, clusters=clusters)
        right, clusters = np.append(right, 1), np.append(clusters, 7)
        other = interval_of(mm.Accuracy(**SURE), right, right**0, clusters=clusters)
        moved = max(abs(one.low - other.low), abs(one.high - other.high))
        assert moved < 0.25 * (one.high - one.low), missed


def test_a_gate_tells_how_many_clusters_it_needs_if_few_may_decide() -> None:
    """A bound of 0.95 passed: now it needs far more than the 30 clusters that show no failure."""
    right = np.ones(300, int)
    right[[5, 77, 140, 200, 250, 299]] = 0
    metric = mm.Accuracy(**SURE)
    metric.add(right, right**0, clusters=np.repeat(np.arange(30), 10))
    metric.compute()
    verdict = mm.gate(metric, "top1", at_least=0.9)
    assert verdict.outcome == "undecided"
    found = metric.intervals["top1"]
    assert verdict.needed is not None
    assert verdict.needed > 30 * ((0.98 - found.low) / 0.08) ** 2


def test_a_ratio_in_clusters_is_no_mean_of_them() -> None:
    """Characters found: clusters of long texts count more, whatever their numbers of samples."""
    rng = np.random.default_rng(13)
    lengths = rng.integers(5, 15, 400)
    labels, found = (["a" * n for n in each] for each in (lengths, lengths - 2))
    one = interval_of(mm.CharRecallPrecision(**SURE), found, labels, clusters=np.arange(400) // 4)
    assert one.value > one.units * one.standard_error  # one more cluster would decide a mean
    assert one.thin is None


def test_a_class_of_which_no_label_is_predicted_right_marks_an_interval() -> None:
    """Kappa, MCC and balanced accuracy of classes 9 to 1: 0.87 to 0.91 of 30 samples."""
    rng = np.random.default_rng(6)
    cases: list[tuple[Callable[[], Any], float]] = [
        (lambda: mm.CohenKappa(2, **SURE), 0.3),
        (lambda: mm.MatthewsCorrCoef(2, **SURE), 0.3),
        (lambda: mm.CohenKappa(2, weights="linear", **SURE), 0.3),
        (lambda: mm.BalancedAccuracy(task="multiclass", num_classes=2, **SURE), 0.65),
    ]
    for make, truth in cases:

        def one(make: Callable[[], Any] = make) -> Interval:
            labels = (rng.random(30) < 0.1).astype(int)
            again = (rng.random(30) < 0.1).astype(int)
            return interval_of(make(), np.where(rng.random(30) < 0.3, labels, again), labels)

        assert coverage(one, truth, 100)[0] > 0.93
    labels = np.repeat([0, 1], [40, 4])
    found = interval_of(mm.CohenKappa(2, **SURE), 0 * labels, labels)
    assert found.thin == "none of the 4 labels of class 1 is predicted right"


def test_a_mean_of_many_classes_allows_for_its_bias() -> None:
    """Macro F1 of 100 classes of ten labels, too low by 0.8 standard errors: 0.87 to 0.91."""
    rng = np.random.default_rng(7)

    def draw(count: int) -> tuple[np.ndarray, np.ndarray]:
        labels = rng.integers(0, 100, count)
        wrong = rng.integers(0, 100, count)
        return np.where(rng.random(count) < 0.7, labels, wrong), labels

    make = lambda **o: mm.FBetaScore(task="multiclass", num_classes=100, **o)  # noqa: E731
    metric = make()
    metric.add(*draw(400_000))
    truth = next(iter(metric.compute().values()))
    found = [interval_of(make(**SURE), *draw(1000)) for _ in range(25)]
    assert np.mean([one.low <= truth <= one.high for one in found]) > 0.9
    assert all(one.method.endswith("less bias") for one in found)


@pytest.mark.parametrize("share", [0.5, 0.9])
def test_a_quantile_has_an_exact_interval(share: float) -> None:
    """Of latencies with heavy tails, which have no other valid interval."""
    rng = np.random.default_rng(8)
    draws = rng.standard_t(2, (300, 40))
    truth = float(np.quantile(rng.standard_t(2, 4_000_000), share))
    draw = iter(draws)
    inside, _ = coverage(lambda: interval_of(mm.Quantile(share, **SURE), next(draw)), truth, 300)
    assert inside > 0.93


@pytest.mark.parametrize("dealt", [False, True])
def test_ranks_do_not_matter(monkeypatch: pytest.MonkeyPatch, dealt: bool) -> None:
    """Every new interval has the same bits on one rank and on three, whichever has the samples."""
    if dealt:
        deal_everything(monkeypatch)
    rng = np.random.default_rng(10)
    scores, labels = rng.normal(size=120), (np.arange(120) % 4 == 0).astype(int)
    dice = np.append(rng.beta(30, 3, 118), [0.0, 0.0])
    correct = rng.binomial(16, np.where(np.arange(120) == 7, 0.5, 0.99))
    batches: list[tuple[Callable[..., Any], tuple[np.ndarray, ...], str]] = [
        (mm.AUROC, (scores + 3 * labels, labels), "DeLong, Newcombe"),
        (lambda **o: mm.Mean(bounds=(0, 1), **o), (dice,), "betting"),
        (lambda **o: mm.PassAtK(k=8, **o), (correct, np.full(120, 16)), "betting"),
        (mm.Quantile, (scores,), "order statistics"),
        (mm.MedianAbsoluteError, (scores, 0 * scores), "order statistics"),
    ]
    for make, batch, method in batches:
        whole = make(dist_backend="non_dist", **SURE)
        assert interval_of(whole, *batch).method == method

        def of_rank(backend: Any, make: Any = make, batch: Any = batch) -> Any:
            metric = make(dist_backend=backend, **SURE)
            metric.add(*(column[(backend.rank + 1) % 3 :: 3] for column in batch))
            return metric.compute()

        assert all(same(found, whole.compute()) for found in LocalWorld(3).run(of_rank))


def test_intervals_of_quantiles_end_at_samples_of_all_shards() -> None:
    """The median of errors as the quantile 1/2; clusters and differences are refused."""
    rng = np.random.default_rng(9)
    errors = rng.exponential(size=101)
    median = interval_of(mm.MedianAbsoluteError(**SURE), errors, np.zeros(101))
    quantile = interval_of(mm.Quantile(**SURE), errors)
    ordered = np.sort(errors)
    assert (median.low, median.high) == (quantile.low, quantile.high) == (ordered[40], ordered[60])
    assert (median.method, median.thin) == ("order statistics", None)
    clustered = interval_of(mm.Quantile(**SURE), errors, clusters=np.arange(101) // 10)
    assert np.isnan(clustered.low)
    assert "independent samples" in str(clustered.thin)
    pair = mm.Paired(mm.Quantile())
    pair.a.add(errors, ids=range(101))
    pair.b.add(errors + 1, ids=range(101))
    pair.compute()
    assert np.isnan(pair.intervals["quantile_difference"].low)
    few = interval_of(mm.Quantile(**SURE), errors[:5])
    assert (few.low, few.high, few.thin is None) == (-np.inf, np.inf, False)


@pytest.mark.parametrize(("count", "zeros"), [(20, 0.9), (40, 0.96), (60, 0.98)])
def test_a_mean_of_rare_halves_and_ones_is_rarely_below_its_interval(
    count: int, zeros: float
) -> None:
    """In at most 2.5% of samples, and of the mirrored ones above: before, in 3% to 4%.

    All samples of values 0, 0.5 and 1 are counted, with their probabilities.
    """
    shares = [(1 - zeros) / 2, (1 - zeros) / 2, zeros]
    missed = np.zeros(2)
    for halves, ones in np.ndindex(count, count):
        numbers = [halves, ones, count - halves - ones]
        chance = multinomial.pmf(numbers, count, shares) if min(numbers) >= 0 else 0.0
        if chance < 1e-4 or numbers[1] + 0.5 * numbers[0] < (1 - zeros) * 0.75 * count:
            continue
        values = np.repeat([0.5, 1.0, 0.0], numbers)
        for side, each in enumerate((values, 1 - values)):
            one = interval_of(mm.Mean(bounds=(0, 1), interval=0.95), each)
            truth = 0.75 * (1 - zeros)
            beyond = one.low > truth if side == 0 else one.high < 1 - truth
            missed[side] += chance * (one.thin is None and beyond)
    assert max(missed) < 0.025
