"""Metrics of speech and of speakers, against the packages themselves and a grid of seconds."""

import math
from collections.abc import Callable
from functools import partial
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from mmeval_like import (
    DiarizationErrorRate,
    PerceptualEvaluationSpeechQuality,
    ShortTimeObjectiveIntelligibility,
)
from mmeval_like.testing import MetricCase, check_metric
from tests.helpers import requires
from tests.helpers.examples import examples

FS = 10000


def speech(seconds: float, fs: int = FS) -> Callable[[np.random.Generator, int], tuple[Any, Any]]:
    """A maker of syllables of noise, and of these with more noise."""

    def make(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
        time = np.arange(int(seconds * fs)) / fs
        truth = rng.normal(size=(n, len(time))) * np.sin(9 * time) ** 2
        return truth + 0.5 * rng.normal(size=truth.shape), truth

    return make


def by_pystoi(predictions: Any, groundtruths: Any, extended: bool = False) -> dict[str, float]:
    """The mean of what the package says."""
    stoi = requires("pystoi").stoi
    pairs = zip(groundtruths, predictions, strict=True)
    return {"stoi": np.mean([stoi(y, p, FS, extended=extended) for y, p in pairs])}


def by_pesq(predictions: Any, groundtruths: Any) -> dict[str, float]:
    """The mean of what the package says."""
    pesq = pytest.importorskip("pesq").pesq
    pairs = zip(groundtruths, predictions, strict=True)
    return {"pesq": np.mean([pesq(8000, y, p, "nb") for y, p in pairs])}


def turns(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
    """Recordings of 20 whole seconds, in which three may speak at once."""

    def recording(names: str) -> list[tuple[float, float, str]]:
        found = []
        for name in rng.choice([*names], int(rng.integers(0, 7))):
            start = int(rng.integers(0, 17))
            found.append((start, start + int(rng.integers(1, 5)), str(name)))
        return found

    return [recording("ABC") for _ in range(n)], [recording("xyz") for _ in range(n)]


def second_by_second(
    predictions: Any, groundtruths: Any, collar: int = 0, skip: bool = False
) -> dict[str, float]:
    """On a grid of seconds, with all one-to-one mappings of names."""

    def who(side: Any, second: int) -> set[str]:
        return {name for start, end, name in side if start <= second < end}

    totals = np.zeros(4)
    for prediction, truth in zip(predictions, groundtruths, strict=True):
        edges = [time for start, end, _ in truth for time in (start, end)]
        seconds = [
            (who(prediction, s), who(truth, s))
            for s in range(21)
            if not any(edge - collar <= s < edge + collar for edge in edges)
        ]
        seconds = [(p, t) for p, t in seconds if not (skip and len(t) > 1)]
        right = max(
            sum(len({dict(zip("ABC", names, strict=True))[a] for a in p} & t) for p, t in seconds)
            for names in permutations("xyz")
        )
        totals[0] += sum(max(len(t) - len(p), 0) for p, t in seconds)
        totals[1] += sum(max(len(p) - len(t), 0) for p, t in seconds)
        totals[2] += sum(min(len(p), len(t)) for p, t in seconds) - right
        totals[3] += sum(len(t) for _, t in seconds)
    shares = totals[:3] / totals[3] if totals[3] else np.full(3, math.nan)
    keys = ("der", "missed", "false_alarm", "confusion")
    return dict(zip(keys, (shares.sum(), *shares), strict=True))


CASES = {
    "ShortTimeObjectiveIntelligibility": MetricCase(
        partial(ShortTimeObjectiveIntelligibility, FS), speech(0.6), by_pystoi, 1e-9, most=2
    ),
    "PerceptualEvaluationSpeechQuality": MetricCase(
        partial(PerceptualEvaluationSpeechQuality, 8000, "nb"),
        speech(0.5, 8000),
        by_pesq,
        1e-6,
        most=2,
    ),
    "DiarizationErrorRate": MetricCase(
        DiarizationErrorRate, turns, second_by_second, array_inputs=False, most=8
    ),
}
VARIANTS = {
    "DiarizationErrorRate, with a collar": MetricCase(
        partial(DiarizationErrorRate, collar=1),
        turns,
        partial(second_by_second, collar=1),
        array_inputs=False,
        most=8,
    ),
    "DiarizationErrorRate, without overlap": MetricCase(
        partial(DiarizationErrorRate, skip_overlap=True),
        turns,
        partial(second_by_second, skip=True),
        array_inputs=False,
        most=8,
    ),
}
NEEDS = {"ShortTime": "pystoi", "Perceptual": "pesq"}


@pytest.mark.parametrize("name", [*CASES, *VARIANTS])
def test_laws(name: str) -> None:
    """The metric equals its oracle and keeps every law."""
    for beginning, package in NEEDS.items():
        if name.startswith(beginning):
            requires(package)
    check_metric((CASES | VARIANTS)[name], examples=examples(1))


def test_the_extended_measure_draws_nothing() -> None:
    """It is the package's but for its noise, the same every time, and no draw of others moves."""
    requires("pystoi")
    p, y = speech(0.6)(np.random.default_rng(0), 1)
    metric = ShortTimeObjectiveIntelligibility(FS, extended=True)
    np.random.seed(3)
    values = {metric(p, y)["stoi"] for _ in range(5)}
    drawn = np.random.random()
    np.random.seed(3)

    assert drawn == np.random.random()
    assert len(values) == 1
    assert values.pop() == pytest.approx(by_pystoi(p, y, extended=True)["stoi"], rel=1e-9)


def test_recordings_without_speech() -> None:
    """Too little speech, and silence, have no score."""
    requires("pystoi")
    p, y = speech(0.6)(np.random.default_rng(0), 1)
    metric = ShortTimeObjectiveIntelligibility(FS)

    assert math.isnan(metric.per_sample(p[:, :900], y[:, :900])["stoi"][0])
    assert math.isnan(metric.per_sample(p, 0 * y)["stoi"][0])


def test_recordings_without_an_utterance() -> None:
    """PESQ has none of them, and refuses what is too short."""
    requires("pesq")
    p, y = speech(0.5, 8000)(np.random.default_rng(0), 1)
    metric = PerceptualEvaluationSpeechQuality(8000, "nb")

    assert math.isnan(metric.per_sample(p, 0 * y)["pesq"][0])
    assert math.isnan(metric.per_sample(0 * p, y)["pesq"][0])
    with pytest.raises(ValueError, match="a quarter of a second, 2000 numbers, got 1000"):
        metric.add(p[:, :1000], y[:, :1000])
    with pytest.raises(ValueError, match="mode must be 'nb' where fs is 8000"):
        PerceptualEvaluationSpeechQuality(8000)


def test_turns_of_one_speaker_that_overlap_count_once() -> None:
    """As do turns that another one continues; names may be any texts or numbers."""
    whole = DiarizationErrorRate()([[(0, 9, 1)]], [[(0, 9, "a"), (9, 10.5, "b")]])
    pieces = [(0.0, 5.0, 1), (3.0, 8.0, 1), (8.0, 9.0, 1), (2.0, 2.0, 7)]
    assert DiarizationErrorRate()([pieces], [[(0, 9, "a"), (9, 10.5, "b")]]) == whole
    assert whole["der"] == pytest.approx(1.5 / 10.5)
    assert math.isnan(DiarizationErrorRate()([[(0, 9, 1)]], [[]])["der"])


BAD = [
    (lambda: DiarizationErrorRate(collar=-1), ValueError, "collar must be at least 0"),
    (lambda: DiarizationErrorRate().add([[]], []), ValueError, "same length"),
    (lambda: DiarizationErrorRate().add("AB", ["A"]), TypeError, "a list of lists of turns"),
    (lambda: DiarizationErrorRate().add([[(1, 2)]], [[]]), TypeError, "start, end, speaker"),
    (lambda: DiarizationErrorRate().add([[(1, 2, [])]], [[]]), TypeError, "start, end, speaker"),
    (lambda: DiarizationErrorRate().add([["05A"]], [[]]), TypeError, "start, end, speaker"),
    (lambda: DiarizationErrorRate().add([[(2, 1, "A")]], [[]]), ValueError, "end after they start"),
    (lambda: DiarizationErrorRate().add([[(0, math.nan, 1)]], [[]]), ValueError, "finite turns"),
]


@pytest.mark.parametrize(("action", "error", "text"), BAD)
def test_bad_arguments(action: Callable[[], Any], error: type[Exception], text: str) -> None:
    """What means nothing is refused."""
    with pytest.raises(error, match=text):
        action()
