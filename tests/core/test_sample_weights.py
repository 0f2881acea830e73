"""What a sample's weight means, for every mean of scores and every ratio of sums."""

import inspect
import warnings

import numpy as np
import pytest

from mmeval_like import MaxError, RatioOfSums, SampleMean
from mmeval_like.testing.inputs import take_samples
from mmeval_like.testing.metric_case import draw
from mmeval_like.testing.same import same
from tests.metric_cases import CASES


def comes_without_weights(name: str) -> bool:
    """Whether a case is a mean or a ratio that takes weights, which its samples do not have."""
    metric = CASES[name].make(dist_backend="non_dist")
    if not isinstance(metric, SampleMean | RatioOfSums) or isinstance(metric, MaxError):
        return False
    if getattr(metric, "dtype", float) is int:
        return False
    inputs = metric.scores if isinstance(metric, SampleMean) else metric.parts
    samples, _ = draw(CASES[name], np.random.default_rng(0))
    return len(samples) <= len(inspect.signature(inputs).parameters)


@pytest.mark.parametrize("name", sorted(filter(comes_without_weights, CASES)))
def test_a_weight_is_a_number_of_samples(name: str) -> None:
    """A sample of weight 2 is two samples, one of weight 0 is none; products with 2 are exact."""
    rng = np.random.default_rng(3)
    samples, count = draw(CASES[name], rng)
    weights = rng.integers(0, 3, count)
    weights[:1] = 1
    weighted, repeated = (CASES[name].make(dist_backend="non_dist") for _ in range(2))
    weighted.add(*samples, sample_weight=weights)
    repeated.add(*take_samples(samples, np.repeat(np.arange(count), weights)))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # undefined for some samples
        assert same(weighted.compute(), repeated.compute())


@pytest.mark.parametrize("name", sorted(filter(comes_without_weights, CASES)))
def test_weights_are_given_once(name: str) -> None:
    """By position or by name the value is the same; both, or an input given twice, is an error."""
    samples, count = draw(CASES[name], np.random.default_rng(3))
    metric = CASES[name].make(dist_backend="non_dist")
    inputs = metric.scores if isinstance(metric, SampleMean) else metric.parts
    names = list(inspect.signature(inputs).parameters)
    padded = [*samples, *[None] * (len(names) - len(samples))]
    weights = np.arange(1, count + 1)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # undefined for some samples
        assert same(metric(*padded, weights), metric(*padded, sample_weight=weights))
    with pytest.raises(TypeError, match=r"sample_weight"):
        metric(*padded, weights, sample_weight=weights[::-1])
    with pytest.raises(TypeError):
        metric(*padded, weights, **{names[0]: samples[0]})
    with pytest.raises(TypeError):
        metric(*padded[1:], weights, **{names[0]: samples[0]})
