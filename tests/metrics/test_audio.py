"""Metrics of waveforms against their formulas in numpy and scipy."""

import math
from collections.abc import Callable
from functools import partial
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mmeval_like
from mmeval_like import (
    ComplexScaleInvariantSNR,
    PermutationInvariantTraining,
    ScaleInvariantSDR,
    ScaleInvariantSNR,
    SignalDistortionRatio,
    SignalNoiseRatio,
    SourceAggregatedSDR,
)
from mmeval_like.metrics._common.decibels import decibels
from mmeval_like.metrics.audio import ratios
from mmeval_like.testing import MetricCase, check_metric
from mmeval_like.writing import arrays
from tests.helpers import requires
from tests.helpers.examples import examples


def waves(*shape: int) -> Callable[[np.random.Generator, int], tuple[Any, Any]]:
    """A maker of waveforms with some noise, of another loudness and offset."""

    def make(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
        truth = rng.normal(size=(n, *shape)) + 0.3
        return 3 * truth + rng.normal(size=truth.shape) - 1, truth

    return make


def of_many_lengths(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
    """Lists of waveforms (2, T)."""
    pairs = [waves(2, int(rng.integers(3, 30)))(rng, 1) for _ in range(n)]
    return [p[0] for p, _ in pairs], [y[0] for _, y in pairs]


def si_sdr(p: Any, y: Any, zero_mean: bool = False) -> float:
    """By the angle between the signals: tan^2 of it is the distortion's share."""
    if zero_mean:
        p, y = p - p.mean(), y - y.mean()
    p, y = p / np.linalg.norm(p), y / np.linalg.norm(y)
    cosine = float(np.dot(p, y))
    return 10 * math.log10(cosine**2 / (1 - cosine**2))


def snr(p: Any, y: Any) -> float:
    """From norms."""
    return 20 * math.log10(np.linalg.norm(y) / np.linalg.norm(y - p))


def sdr(p: Any, y: Any, taps: int = 4) -> float:
    """By least squares on the delayed copies of the truth, as columns of a matrix."""
    toeplitz = requires("scipy.linalg").toeplitz
    tail = np.zeros(taps - 1)
    columns = toeplitz(np.r_[y, tail], np.r_[y[0], tail])
    p = np.r_[p, tail]
    explained = columns @ np.linalg.lstsq(columns, p, rcond=None)[0]
    return 10 * math.log10((explained**2).sum() / ((p - explained) ** 2).sum())


def averaged(key: str, score: Callable[..., float]) -> Callable[..., dict[str, float]]:
    """An oracle: the mean over samples of the mean over channels."""

    def oracle(predictions: Any, groundtruths: Any) -> dict[str, float]:
        found = []
        for pair in zip(predictions, groundtruths, strict=True):
            p, y = (np.atleast_2d(np.float64(a)) for a in pair)
            found.append(np.mean([*map(score, p, y)]))
        return {key: float(np.mean(found))}

    return oracle


def joined(key: str, score: Callable[..., float]) -> Callable[..., dict[str, float]]:
    """An oracle: the mean over samples of the score of all their numbers."""
    return lambda p, y: averaged(key, score)(p.reshape(len(p), -1), y.reshape(len(y), -1))


def best_order(p: Any, y: Any) -> dict[str, float]:
    """The best mean over all orders of the predictions."""
    orders = [[*order] for order in permutations(range(len(y[0])))]
    found = [
        max(np.mean([*map(si_sdr, a[order], b)]) for order in orders)
        for a, b in zip(p, y, strict=True)
    ]
    return {"pit": float(np.mean(found))}


def mixed(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
    """Three sources each, whose predictions are in another order."""
    p, y = waves(3, 20)(rng, n)
    return p[:, rng.permutation(3)], y


SNR = partial(SignalNoiseRatio, input_order="ct")
SDR = SignalDistortionRatio
CASES = {
    "ScaleInvariantSDR": MetricCase(
        ScaleInvariantSDR, waves(2, 20), averaged("si_sdr", si_sdr), 1e-9, most=6
    ),
    "ScaleInvariantSNR": MetricCase(
        ScaleInvariantSNR,
        waves(20),
        averaged("si_snr", partial(si_sdr, zero_mean=True)),
        1e-9,
        most=6,
    ),
    "ComplexScaleInvariantSNR": MetricCase(
        ComplexScaleInvariantSNR, waves(3, 4, 2), joined("c_si_snr", si_sdr), 1e-9, most=6
    ),
    "SourceAggregatedSDR": MetricCase(
        SourceAggregatedSDR, waves(3, 8), joined("sa_sdr", si_sdr), 1e-9, most=6
    ),
    "SignalDistortionRatio": MetricCase(
        partial(SignalDistortionRatio, 4), waves(25), averaged("sdr", sdr), 1e-9, most=4
    ),
    "PermutationInvariantTraining": MetricCase(
        PermutationInvariantTraining, mixed, best_order, 1e-9, most=3
    ),
}
VARIANTS = {
    "SignalNoiseRatio of waveforms": MetricCase(
        SNR, waves(2, 20), averaged("snr", snr), 1e-9, most=6
    ),
    "ScaleInvariantSDR of lists": MetricCase(
        ScaleInvariantSDR, of_many_lengths, averaged("si_sdr", si_sdr), 1e-9, most=8
    ),
}


@pytest.mark.parametrize("name", [*CASES, *VARIANTS])
def test_laws(name: str) -> None:
    """The metric equals its oracle and keeps every law."""
    check_metric((CASES | VARIANTS)[name], examples=examples(1))


def test_a_filter_of_512() -> None:
    """Of the usual length, on longer and on narrow signals."""
    rng = np.random.default_rng(0)
    time = np.arange(700.0)
    for truth in (rng.normal(size=700), np.sin(time / 9) + 0.1 * np.sin(time / 5)):
        prediction = np.convolve(truth, rng.normal(size=40))[:700] + rng.normal(size=700)
        expected = sdr(prediction, truth, 512)
        assert SignalDistortionRatio()([prediction], [truth])["sdr"] == pytest.approx(
            expected, rel=1e-6
        )


def precise_sdr(p: np.ndarray, y: np.ndarray, taps: int, load_diag: float) -> float:
    """By least squares on columns as in `sdr`, refined in long doubles; a load is more rows."""
    toeplitz = requires("scipy.linalg").toeplitz
    tail = np.zeros(taps - 1)
    load = math.sqrt(load_diag * (y * y).sum()) * np.eye(taps)
    columns = np.r_[toeplitz(np.r_[y, tail], np.r_[y[0], tail]), load]
    left = np.r_[p, tail, np.zeros(taps)].astype(np.longdouble)
    explained = np.zeros_like(left)
    for _ in range(4):
        found = np.linalg.lstsq(columns, left.astype(float), rcond=None)[0].astype(np.longdouble)
        part = columns.astype(np.longdouble) @ found
        explained, left = explained + part, left - part
    return float(10 * np.log10((explained**2).sum() / (left**2).sum()))


@pytest.mark.parametrize("load_diag", [None, 0.0, 1e-18])
@pytest.mark.parametrize("level", [20, 120, 150, 160.5, 200])
def test_sdr_near_the_truth(level: float, load_diag: float | None) -> None:
    """Item 12: the distortion keeps its digits where it is small; it was inf at 160.5 decibels."""
    rng = np.random.default_rng(0)
    for truth in (rng.normal(size=300), np.sin(np.arange(300) ** 2 / 600)):
        noise = rng.normal(size=300)
        noise *= 10 ** (-level / 20) * np.linalg.norm(truth) / np.linalg.norm(noise)
        found = SignalDistortionRatio(8, load_diag=load_diag)([truth + noise], [truth])["sdr"]
        expected = precise_sdr(truth + noise, truth, 8, load_diag or 0.0)
        assert found == pytest.approx(expected, abs=1e-4)


def test_what_is_perfect_and_what_is_silent() -> None:
    """No distortion is infinity, a silent prediction minus infinity; a silent truth is left out."""
    wave, silence = np.arange(1.0, 9.0)[None], np.zeros((1, 8))
    for make in (ScaleInvariantSDR, ScaleInvariantSNR, partial(SignalDistortionRatio, 2)):
        metric = make()
        [value] = metric(2 * wave, wave).values()
        assert value > 140
        assert [*metric(silence, wave).values()] == [-math.inf]
        assert math.isnan(metric.per_sample(wave, silence)[metric.key][0])
        metric.add(np.stack([wave[0] ** 2, wave[0]]), np.stack([wave[0], silence[0]]))
        with pytest.warns(RuntimeWarning, match="undefined for 1 of 2 samples"):
            assert metric.compute() == make()(wave**2, wave)


def test_silent_channels_do_not_count() -> None:
    """A channel without a truth has no score, but the other one has."""
    p, y = waves(2, 10)(np.random.default_rng(0), 1)
    y[0, 1] = 0
    assert ScaleInvariantSDR()(p, y) == ScaleInvariantSDR()(p[:, 0], y[:, 0])
    # Sources that are silent count where powers are summed.
    assert (
        SourceAggregatedSDR()(p, y)["sa_sdr"] < SourceAggregatedSDR()(p[:, :1], y[:, :1])["sa_sdr"]
    )


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_loudness_does_not_matter(scale: float) -> None:
    """Also where powers are beyond float64."""
    p, y = waves(30)(np.random.default_rng(0), 1)
    for make in (ScaleInvariantSDR, ScaleInvariantSNR, partial(SignalDistortionRatio, 3)):
        [value] = make()(p, y).values()
        assert [*make()(p * scale, y / scale).values()] == pytest.approx([value])


def test_zero_mean() -> None:
    """It makes an offset count for nothing, in any metric that has the option."""
    p, y = waves(2, 30)(np.random.default_rng(0), 2)
    for make in (
        ScaleInvariantSDR,
        SNR,
        partial(SignalDistortionRatio, 3),
        SourceAggregatedSDR,
        partial(PermutationInvariantTraining, "snr"),
    ):
        [value] = make(zero_mean=True)(p, y).values()
        assert [*make(zero_mean=True)(p + 5, y - 7).values()] == pytest.approx([value])
        assert [*make()(p + 5, y - 7).values()] != pytest.approx([value])
    assert SNR(zero_mean=True)(p, y)["snr"] == pytest.approx(
        averaged("snr", lambda a, b: snr(a - a.mean(), b - b.mean()))(p, y)["snr"]
    )


@given(st.integers(1, 60), st.floats(-1e3, 1e3))
def test_a_constant_is_silent_without_its_mean(length: int, value: float) -> None:
    """Rounding of the mean leaves no signal: not of the truth, and no noise either."""
    wave, constant = np.arange(length) ** 2.0, np.full(length, value)
    scores = ScaleInvariantSNR().per_sample([wave], [constant])["si_snr"]
    assert np.isnan(scores).all()
    assert SignalNoiseRatio(input_order="CT", zero_mean=True)([constant + 0.3], [constant]) == {
        "snr": math.inf
    }


def test_the_mean_of_loud_signals() -> None:
    """Their sum would overflow."""
    p, y = np.random.default_rng(0).normal(size=(2, 30)) + 3
    found = ScaleInvariantSNR()([p * 2.0**1020], [y * 2.0**1020])
    assert found == ScaleInvariantSNR()([p], [y])


def test_without_the_freedom_of_scale() -> None:
    """The sources' signals and noises are summed as they are."""
    p, y = waves(3, 8)(np.random.default_rng(0), 4)
    found = SourceAggregatedSDR(scale_invariant=False)(p, y)
    assert found["sa_sdr"] == pytest.approx(joined("sa_sdr", snr)(p, y)["sa_sdr"])


@pytest.mark.parametrize("metric", ["si_sdr", "si_snr", "snr", "sdr"])
def test_sources_in_any_order(metric: str) -> None:
    """The order of predictions does not matter, and a name is the metric of that key."""
    make = {
        "si_sdr": ScaleInvariantSDR,
        "si_snr": ScaleInvariantSNR,
        "snr": SNR,
        "sdr": SignalDistortionRatio,
    }[metric]
    p, y = waves(3, 600)(np.random.default_rng(0), 2)
    found = PermutationInvariantTraining(metric)(p[:, [2, 0, 1]], y)
    assert found["pit"] == pytest.approx(make()(p, y)[metric], rel=1e-12)


def test_a_score_of_ones_own() -> None:
    """A function of one prediction and one truth, of which less may be better."""
    p, y = mixed(np.random.default_rng(0), 3)
    metric = PermutationInvariantTraining(lambda a, b: np.abs(a - b).mean(), "min")
    assert metric.higher_is_better is False
    orders = [[*order] for order in permutations(range(3))]
    expected = [
        min(np.abs(a[order] - b).mean() for order in orders) for a, b in zip(p, y, strict=True)
    ]
    assert metric(p, y)["pit"] == pytest.approx(np.mean(expected))


def test_a_perfect_source_among_others() -> None:
    """Infinity is assigned as a number, and shows in the mean."""
    p, y = waves(2, 10)(np.random.default_rng(0), 1)
    p[0, 1] = y[0, 0]
    assert PermutationInvariantTraining()(p, y) == {"pit": math.inf}
    y[0, 1] = 0
    assert math.isnan(PermutationInvariantTraining().per_sample(p, y)["pit"][0])


WAVE = np.ones((1, 9))
BAD = [
    (lambda: SignalDistortionRatio(0), "filter_length must be positive"),
    (lambda: SignalDistortionRatio(4, load_diag=-1), "load_diag must be at least 0"),
    (lambda: SignalDistortionRatio(10).add(WAVE, WAVE), "at least as long as the filter, 10"),
    (lambda: PermutationInvariantTraining("sar"), "metric must be one of"),
    (lambda: PermutationInvariantTraining(mode="best"), "mode must be one of"),
    (lambda: PermutationInvariantTraining().add(WAVE, WAVE), r"waveforms \(S, T\)"),
    (lambda: ScaleInvariantSDR().add(WAVE[..., :0], WAVE[..., :0]), "with numbers"),
    (lambda: ScaleInvariantSDR().add(WAVE, WAVE[:, :8]), "same shape"),
    (
        lambda: ScaleInvariantSDR().add(WAVE, np.full((1, 9), math.nan)),
        "groundtruths must not contain nan",
    ),
    (lambda: ScaleInvariantSDR().add(np.ones((1, 2, 3, 4)), np.ones((1, 2, 3, 4))), "waveforms"),
    (
        lambda: ComplexScaleInvariantSNR().add(np.ones((1, 2, 3, 4)), np.ones((1, 2, 3, 4))),
        r"\(F, T, 2\)",
    ),
    (lambda: SNR(crop_border=1), "apply to images"),
    (lambda: SNR(convert_to="Y"), "apply to images"),
    (lambda: SNR().add(np.ones((1, 2, 3, 4)), np.ones((1, 2, 3, 4))), "waveforms"),
    (lambda: SNR().add(WAVE[..., :0], WAVE[..., :0]), "with numbers"),
]


@pytest.mark.parametrize(("action", "text"), BAD)
def test_bad_arguments_and_inputs(action: Callable[[], Any], text: str) -> None:
    """What means nothing is refused."""
    with pytest.raises(ValueError, match=text):
        action()


def one_signal(p: np.ndarray, y: np.ndarray, key: str) -> float:
    """The score of two signals, by operations on these two alone."""

    def scaled(*signals: np.ndarray) -> list[np.ndarray]:
        most = max(float(np.abs(signal).max()) for signal in signals)
        return [np.ldexp(signal.astype(np.float64), -math.frexp(most)[1]) for signal in signals]

    def inner(a: np.ndarray, b: np.ndarray) -> float:
        return float(arrays.sum_rows((a * b)[None])[0])

    def centred(signal: np.ndarray) -> np.ndarray:
        [small] = scaled(signal)
        mean = arrays.sum_rows(small[None]).item() / signal.size
        mean = min(max(mean, small.min().item()), small.max().item())
        return signal - math.ldexp(mean, math.frexp(float(np.abs(signal).max()))[1])

    p, y = p.astype(np.float64), y.astype(np.float64)
    if key == "snr":
        p, y = scaled(p, y)
        return decibels(inner(y, y), inner(y - p, y - p)) if y.any() else math.nan
    if key == "si_snr":
        p, y = centred(p), centred(y)
    [p], [y] = scaled(p), scaled(y)
    if not y.any():
        return math.nan
    if not p.any():
        return -math.inf
    target = inner(p, y) / inner(y, y) * y
    return decibels(inner(target, target), inner(target - p, target - p))


@pytest.mark.parametrize("key", ["si_sdr", "si_snr", "snr"])
@pytest.mark.parametrize("shape", [(1, 1), (70, 3), (70, 1000), (3, 70_001), (9, 16_000)])
@pytest.mark.parametrize(
    ("dtype", "exponent"),
    [(np.float32, 0), (np.float32, -140), (np.float64, 0), (np.float64, -1072), (np.float64, 1020)],
)
def test_signals_at_once_have_the_bits_of_each_alone(
    key: str, shape: tuple[int, int], dtype: Any, exponent: int
) -> None:
    """Signals that are scored together have the scores of each alone, also at float64's ends."""
    rng = np.random.default_rng(shape[1])
    exponents = exponent * rng.integers(0, 2, (shape[0], 1))
    y = rng.normal(size=shape)
    p = np.ldexp(y + 0.3 * rng.normal(size=shape), exponents).astype(dtype)
    y = np.ldexp(y, exponents[::-1]).astype(dtype)
    y[-1], p[-2:-1], p[:1] = 0, 0, y[:1]
    metrics = {"si_sdr": ScaleInvariantSDR(), "si_snr": ScaleInvariantSNR()}
    expected = [one_signal(*pair, key) for pair in zip(p, y, strict=True)]
    found = ratios.snr(p, y) if key == "snr" else metrics[key].scores(p, y)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("make", "shape"),
    [
        (ScaleInvariantSDR, (0, 5)),
        (ScaleInvariantSNR, (0, 2, 5)),
        (ComplexScaleInvariantSNR, (0, 4, 3, 2)),
        (SourceAggregatedSDR, (0, 3, 8)),
        (PermutationInvariantTraining, (0, 3, 8)),
        (ScaleInvariantSDR, (0,)),
    ],
)
def test_an_array_of_no_signals(make: Callable[[], Any], shape: tuple[int, ...]) -> None:
    """A batch without samples has no scores, whatever the shape of its samples would be."""
    assert make().scores(np.ones(shape), np.ones(shape)).tolist() == []


@pytest.mark.parametrize("name", ["ScaleInvariantSDR", "ScaleInvariantSNR"])
def test_a_waveform_scores_as_one_of_one_channel(name: str) -> None:
    """The axis of a single channel changes no bit: silence, perfect and equal powers included."""
    rng = np.random.default_rng(5)
    metric = getattr(mmeval_like, name)()
    truths = rng.normal(size=(7, 30))
    predictions = truths + rng.normal(size=truths.shape)
    truths[1], predictions[2], predictions[3] = 0.0, 0.0, truths[3]
    predictions[4] = 2 * truths[4]
    flat = metric.scores(predictions, truths)
    channels = metric.scores(predictions[:, None], truths[:, None])
    assert flat.tobytes() == channels.tobytes()
