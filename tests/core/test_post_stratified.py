"""post_stratified: the mean of slices by known shares, with an interval that holds for them."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest, norm

import mmeval_like as mm
from mmeval_like.testing import LocalWorld
from mmeval_like.testing.same import same
from mmeval_like.writing import PERCENT

pytestmark = pytest.mark.filterwarnings("ignore:intervals that promise less")

SURE: dict[str, Any] = {"interval": 0.95}
SHARES = {"en": 0.7, "de": 0.2, "fr": 0.1}
Z2 = norm.ppf(0.975) ** 2


class Percent(mm.Accuracy):
    """The share of hits in percent."""

    ranges = PERCENT

    def compute_metric(self, results: Any) -> dict[str, float]:
        """A hundred times the accuracy."""
        return {key: 100 * value for key, value in super().compute_metric(results).items()}


def sliced(metric: Any, right: Any, language: Any, **named: Any) -> mm.Result:
    """The result of one batch of hits, or values, by language."""
    found = mm.Sliced(metric, by="language")
    batch = (right, np.ones(len(right), int)) if isinstance(metric, mm.Accuracy) else (right,)
    found.add(*batch, by={"language": language}, **named)
    return found.compute()


def languages(*numbers: int) -> np.ndarray:
    """So many samples of each language."""
    return np.repeat([*SHARES], numbers)


def wilson(value: float, variance: float) -> tuple[float, float]:
    """Wilson's interval of a proportion with this variance."""
    count = value * (1 - value) / variance
    middle = (value + Z2 / (2 * count)) / (1 + Z2 / count)
    arm = math.sqrt(Z2 * variance + (Z2 / (2 * count)) ** 2) / (1 + Z2 / count)
    return middle - arm, middle + arm


def test_the_interval_is_that_of_scipys_wilson_intervals() -> None:
    """Of hits: the value and both ends by numpy, from each slice's proportion, and of them all."""
    counts, hits = np.array([40, 60, 30]), np.array([30, 51, 12])
    right = np.concatenate([np.arange(n) < k for n, k in zip(counts, hits, strict=True)]) * 1
    result = sliced(mm.Accuracy(**SURE), right, languages(*counts))

    found = mm.post_stratified(result, SHARES, by="language")

    rates, shares = hits / counts, np.array([*SHARES.values()])
    ends = [
        binomtest(int(k), int(n)).proportion_ci(0.95, "wilson")
        for k, n in zip(hits, counts, strict=True)
    ]
    low, high = np.array([[one.low, one.high] for one in ends]).T
    value = float(shares @ rates)
    assert found["top1"] == pytest.approx(value, abs=1e-15)
    variances = rates * (1 - rates) / (counts - 1)
    whole = wilson(value, float(shares**2 @ variances))
    wanted = min(value - np.sqrt((shares**2 * (rates - low) ** 2).sum()), whole[0])
    assert found["top1_low"] == pytest.approx(wanted, abs=1e-12)
    wanted = max(value + np.sqrt((shares**2 * (high - rates) ** 2).sum()), whole[1])
    assert found["top1_high"] == pytest.approx(wanted, abs=1e-12)
    one = found.intervals["top1"]
    assert (one.method, one.units, one.thin, found.samples) == ("post-stratified", 130, None, 130)
    assert one.standard_error == pytest.approx(np.sqrt(shares**2 @ variances))


@pytest.mark.parametrize("percent", [False, True])
def test_many_slices_near_1_hold_as_those_of_one_share(percent: bool) -> None:
    """Twelve slices of 15 at 0.97, six of them without a miss: also Wilson's with an effective n.

    The arms of slices alone end below the truth in 9% of cases, at 0.9 in 7%.
    """
    rng, places, inside = np.random.default_rng(5), np.repeat(np.arange(12), 15), 0
    scale, shares = (100 if percent else 1), dict.fromkeys(range(12), 1 / 12)
    for _ in range(100):
        right = (rng.random(180) < 0.97).astype(int)
        metric = Percent(**SURE) if percent else mm.Accuracy(**SURE)
        found = mm.post_stratified(sliced(metric, right, places), shares, by="language")
        low, high = found["top1_low"], found["top1_high"]
        inside += low <= 0.97 * scale <= high
        rates = right.reshape(12, 15).mean(axis=1)
        value, variance = rates.mean(), (rates * (1 - rates) / 14).mean() / 12
        if variance:
            least, most = wilson(value, variance)
            assert low <= least * scale + 1e-9
            assert high >= most * scale - 1e-9
    assert inside >= 94


def test_one_slice_of_share_1_has_its_own_interval() -> None:
    """To the last bit; slices of share 0 add nothing."""
    rng = np.random.default_rng(0)
    values = rng.beta(3, 1, 90)
    result = sliced(mm.Mean(bounds=(0, 1), **SURE), values, languages(30, 30, 30))
    found = mm.post_stratified(result, {"en": 0, "de": 1, "fr": 0}, by="language")
    assert found == {k: result["language=de"][k] for k in ("mean", "mean_low", "mean_high")}


@pytest.mark.parametrize("bounded", [False, True])
def test_coverage_if_the_sample_has_other_shares(bounded: bool) -> None:
    """A tenth of the samples are English, of which 70% would be: the plain value is too low.

    Of values in [0, 1], those of few samples are marked.
    """
    rng = np.random.default_rng(1)
    numbers = rng.multinomial(320, [0.1, 0.5, 0.4], 200)
    rates = np.array([0.9, 0.6, 0.4])
    truth = float(rates @ [*SHARES.values()])
    inside: list[bool] = []
    plain: list[bool] = []
    for one in numbers:
        language = languages(*one)
        chance = np.repeat(rates, one)
        right = (rng.random(320) < chance) * 1
        metric: Any = mm.Accuracy(**SURE)
        if bounded:
            metric, right = mm.Mean(bounds=(0, 1), **SURE), rng.beta(2 * chance, 2 * (1 - chance))
        result = sliced(metric, right, language)
        key = next(iter(result["all"]))
        found = mm.post_stratified(result, SHARES, by="language")
        if found.intervals[key].thin is None:
            inside.append(found[f"{key}_low"] <= truth <= found[f"{key}_high"])
        plain.append(result["all"][f"{key}_low"] <= truth <= result["all"][f"{key}_high"])
    assert len(inside) > 150
    assert np.mean(inside) > 0.92
    assert np.mean(plain) < 0.1


def test_ranks_do_not_matter() -> None:
    """It is computed from results, which every rank has: the bits are equal."""
    rng = np.random.default_rng(2)
    values, language = rng.beta(3, 1, 90), languages(30, 30, 30)
    whole = mm.post_stratified(sliced(mm.Mean(**SURE), values, language), SHARES, by="language")

    def of_rank(backend: Any) -> Any:
        metric = mm.Sliced(mm.Mean(**SURE), by="language", dist_backend=backend)
        here = slice((backend.rank + 1) % 3, None, 3)
        metric.add(values[here], by={"language": language[here]})
        return mm.post_stratified(metric.compute(), SHARES, by="language")

    assert all(same(found, whole) for found in LocalWorld(3).run(of_rank))


def test_collections_columns_and_names() -> None:
    """Members, pairs of columns, integers of numpy, and names that must be quoted."""
    metrics = mm.Sliced({"acc": mm.Accuracy(**SURE), "plain": mm.Accuracy()}, by=["x", ("x", "y")])
    odd = 'a,y="b\\'
    metrics.add([1, 0, 1, 1], [1, 1, 1, 1], by={"x": [odd, odd, "7", "7"], "y": [None, None, 2, 3]})
    result = metrics.compute()
    found = mm.post_stratified(result, {odd: 0.25, "7": 0.75}, by="x")
    assert (found["acc"]["top1"], found["plain"]) == (0.875, {"top1": 0.875})
    assert [*found["acc"]] == ["top1", "top1_low", "top1_high"]
    assert found.intervals["acc"]["top1"].value == 0.875
    shares = {(odd, None): 0.25, ("7", np.int64(2)): np.float64(0.25), ("7", 3): 0.5}
    assert mm.post_stratified(result, shares, by=["x", "y"])["plain"] == {"top1": 0.875}
    with pytest.raises(ValueError, match="none for x="):
        mm.post_stratified(result, {odd: 0.25, 7: 0.75}, by="x")  # not the string


def test_what_is_unknown_and_what_is_marked() -> None:
    """Lists are left out; nan stays nan; clusters may lie in several slices."""
    language = languages(30, 30, 30)
    result = sliced(mm.Mean(**SURE), np.append(np.ones(89), np.nan), language)
    found = mm.post_stratified(result, SHARES, by="language")
    assert all(map(math.isnan, found.values()))
    right = np.tile([1, 1, 0], 30)
    clustered = sliced(mm.Accuracy(**SURE), right, language, clusters=np.arange(90) % 30)
    thin = mm.post_stratified(clustered, SHARES, by="language").intervals["top1"].thin
    assert "clusters" in thin
    few = sliced(mm.Accuracy(**SURE), [1, 0, 1], ["en", "de", "fr"])
    assert "only one" in mm.post_stratified(few, SHARES, by="language").intervals["top1"].thin
    assert mm.post_stratified(sliced(mm.Accuracy(), right, language), SHARES, by="language") == {
        "top1": pytest.approx(2 / 3)
    }


def test_shares_that_are_rounded_are_exact_parts_of_1() -> None:
    """Ten tenths add up to 1 - 1e-16 as floats: the value of equal slices is theirs."""
    metric = mm.Sliced(mm.Mean(), by="x")
    metric.add([0.3] * 10, by={"x": [*range(10)]})
    found = mm.post_stratified(metric.compute(), dict.fromkeys(range(10), 0.1), by="x")
    assert found == {"mean": 0.3}


BAD: list[tuple[Any, Any, type[Exception], str]] = [
    ({"en": 0.7, "de": 0.3}, "language", ValueError, "none for language=fr"),
    ({"en": 0.7, "de": 0.2, "fr": 0.2}, "language", ValueError, "add up to 1, got 1.1"),
    ({"en": 1.1, "de": -0.2, "fr": 0.1}, "language", ValueError, "between 0 and 1, got 1.1"),
    ({**SHARES, "en": 0.6, "it": 0.1}, "language", ValueError, "no samples .* language=it"),
    ({**SHARES, "en": math.nan}, "language", ValueError, "between 0 and 1"),
    ({**SHARES, "en": "0.7"}, "language", TypeError, "must be numbers"),
    ({**SHARES, "en": True}, "language", TypeError, "must be numbers"),
    ([0.7, 0.3], "language", TypeError, "must be a dict"),
    (SHARES, "topic", TypeError, "no slices by topic"),
    (SHARES, ["language", "topic"], ValueError, "each of 2 columns"),
]


@pytest.mark.parametrize(("shares", "by", "error", "text"), BAD)
def test_bad_shares_are_refused(shares: Any, by: Any, error: type[Exception], text: str) -> None:
    """With the slice and the number."""
    result = sliced(mm.Accuracy(), [1, 0, 1], ["en", "de", "fr"])
    with pytest.raises(error, match=text):
        mm.post_stratified(result, shares, by=by)


def test_a_metric_or_a_dict_is_no_result() -> None:
    """It takes what compute returned."""
    for given in (mm.Accuracy(), {"language=en": {"top1": 1.0}}):
        with pytest.raises(TypeError, match="what compute"):
            mm.post_stratified(given, SHARES, by="language")  # type: ignore[arg-type]


@pytest.mark.parametrize("keys", [(True, False), ("true", "false"), (np.True_, np.False_)])
def test_shares_of_booleans_are_those_of_their_slices(keys: Any) -> None:
    """A column of booleans has slices called true and false."""
    sliced = mm.Sliced(mm.Accuracy(interval=0.95), by="new")
    sliced.add([1, 1, 0, 1], [1, 1, 1, 1], by={"new": [True, True, False, False]})
    found = mm.post_stratified(sliced.compute(), dict(zip(keys, (0.7, 0.3), strict=True)), by="new")
    assert found["top1"] == 0.85
