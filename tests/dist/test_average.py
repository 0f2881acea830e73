"""average_metrics: one all-reduce, the weighted mean, and an error that all ranks agree on."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mmeval_like as mm
from mmeval_like.testing import LocalWorld

numbers = st.floats(-1e6, 1e6)


def average_in(world, metrics, counts):
    """Every rank averages its own."""
    return world.run(lambda b: mm.average_metrics(metrics[b.rank], counts[b.rank], b))


def errors_in(world, metrics, counts=None):
    """Every rank's exception."""
    with pytest.raises(Exception):  # noqa: B017  whichever the lowest rank raised
        average_in(world, metrics, counts or [1.0] * world.size)
    return world.errors


@given(data=st.data(), ranks=st.integers(1, 4), members_only=st.booleans())
def test_the_weighted_mean(data, ranks, members_only):
    """sum(count * value) / sum(count), the same on every rank, whatever the keys' order."""
    keys = data.draw(st.lists(st.text(max_size=3), unique=True, min_size=1, max_size=5))
    rows = [
        {key: data.draw(numbers) for key in data.draw(st.permutations(keys))} for _ in range(ranks)
    ]
    counts = [data.draw(st.floats(0.01, 1e6)) for _ in range(ranks)]

    results = average_in(LocalWorld(ranks, members_only=members_only), rows, counts)

    for row, result in zip(rows, results, strict=True):
        assert list(result) == list(row)
        for key in keys:
            exact = math.fsum(c * r[key] for c, r in zip(counts, rows, strict=True))
            scale = max(abs(r[key]) for r in rows)
            assert result[key] == pytest.approx(exact / math.fsum(counts), abs=1e-9 * (1 + scale))
            assert result[key] == results[0][key]


def test_one_all_reduce():
    """One message of fixed length, for one key or for a thousand."""
    for keys in (1, 1000):
        world = LocalWorld(3)

        average_in(world, [{f"{k}": 1.0 for k in range(keys)}] * 3, [1.0] * 3)

        assert [dict(calls) for calls in world.calls] == [{"all_reduce": 1}] * 3


def test_more_keys_than_one_message_holds():
    """The rest follows in a second all-reduce; no key is lost."""
    world = LocalWorld(2)
    metrics = [{f"{k:05}": float(k + rank) for k in range(3000)} for rank in range(2)]

    results = average_in(world, metrics, [1.0, 3.0])

    assert results[0] == results[1] == {f"{k:05}": k + 0.75 for k in range(3000)}
    assert dict(world.calls[0]) == {"all_reduce": 2}


def test_no_rank_but_this_one():
    """In one process the values come back as they are, as floats, without a message."""
    world = LocalWorld(1)

    (result,) = average_in(world, [{"a": 0.1, "b": 3, "c": np.float32(0.5)}], [7])

    assert result == {"a": 0.1, "b": 3.0, "c": 0.5}
    assert {type(value) for value in result.values()} == {float}
    assert not world.calls[0]


def test_weight_0_does_not_contribute():
    """Nor do its nan and infinite values."""
    metrics = [{"loss": 1.0}, {"loss": math.nan}, {"loss": 3.0}, {"loss": math.inf}]

    assert average_in(LocalWorld(4), metrics, [1, 0, 1, 0]) == [{"loss": 2.0}] * 4


def test_nan_with_weight_is_nan():
    """A nan that counts is not hidden."""
    results = average_in(LocalWorld(2), [{"loss": 1.0}, {"loss": math.nan}], [1, 1])

    assert all(math.isnan(result["loss"]) for result in results)


@pytest.mark.parametrize("ranks", [1, 2])
def test_all_weights_0(ranks):
    """nan, with a warning, on every rank."""
    backends = LocalWorld(ranks)

    with pytest.warns(UserWarning, match="all weights are 0"):
        results = average_in(backends, [{"loss": 1.0}] * ranks, [0] * ranks)

    assert all(math.isnan(result["loss"]) for result in results)


@pytest.mark.parametrize("members_only", [False, True])
@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_other_keys_are_named_on_every_rank(ranks, members_only):
    """The same error everywhere, which names the keys that not all ranks have."""
    metrics = [{"loss": 1.0, "top1": 0.5} for _ in range(ranks)]
    metrics[-1] = {"loss": 1.0, "top5": 0.5}

    errors = errors_in(LocalWorld(ranks, members_only=members_only), metrics)

    assert {type(error) for error in errors} == {mm.DisagreementError}
    assert len({str(error) for error in errors}) == 1
    assert "top1" in str(errors[0])
    assert "top5" in str(errors[0])


def test_other_numbers_of_keys_are_an_error_everywhere():
    """One rank has more keys than fit into a message, another has two."""
    metrics = [{"a": 1.0, "b": 2.0}, {f"{k}": 1.0 for k in range(3000)}]

    errors = errors_in(LocalWorld(2), metrics)

    assert {type(error) for error in errors} == {mm.DisagreementError}


@pytest.mark.parametrize("count", [-1.0, math.nan, math.inf])
def test_a_bad_weight_raises_on_every_rank(count):
    """ValueError that names the weight."""
    errors = errors_in(LocalWorld(3), [{"loss": 1.0}] * 3, [1.0, count, 1.0])

    assert {type(error) for error in errors} == {ValueError}
    assert all("count" in str(error) for error in errors)


@pytest.mark.parametrize("metrics", [{"loss": "high"}, {"loss": None}, {3: 1.0}])
def test_a_bad_entry_raises_on_every_rank(metrics):
    """TypeError there, and an error that carries it elsewhere."""
    errors = errors_in(LocalWorld(2), [{"loss": 1.0}, metrics])

    assert isinstance(errors[1], TypeError)
    assert isinstance(errors[0], mm.RemoteError)
    assert errors[0].ranks == [1]


def test_the_metrics_before_an_error_still_work():
    """After a disagreement the ranks are in step again."""

    def average_twice(backend):
        keys = ["a", "b"][backend.rank]
        with pytest.raises(mm.DisagreementError):
            mm.average_metrics({keys: 1.0}, dist_backend=backend)
        return mm.average_metrics({"c": float(backend.rank)}, dist_backend=backend)

    assert LocalWorld(2).run(average_twice) == [{"c": 0.5}] * 2


def test_empty_metrics():
    """No keys: an empty dict on every rank."""
    assert average_in(LocalWorld(2), [{}, {}], [1, 1]) == [{}, {}]


@pytest.mark.parametrize("ranks", [2, 3, 4])
@pytest.mark.parametrize("weight", [1.0, 1000.0, 1e300, 1.7e308, 1e-300])
def test_means_of_the_largest_numbers(ranks, weight):
    """Where the sum of the weighted values, or of the weights, exceeds every float64."""
    largest = float(np.finfo(float).max)
    numbers = {"same": largest, "least": -largest, "small": 0.5, "infinite": math.inf}

    def average(backend):
        other = {"mixed": largest if backend.rank else -largest}
        return mm.average_metrics(numbers | other, weight, backend)

    for found in LocalWorld(ranks).run(average):
        assert found["same"] == pytest.approx(largest, rel=1e-12)
        assert found["least"] == pytest.approx(-largest, rel=1e-12)
        assert found["small"] == pytest.approx(0.5, rel=1e-12)
        assert found["infinite"] == math.inf
        middle = largest * ((ranks - 2) / ranks)
        assert found["mixed"] == pytest.approx(middle, rel=1e-12, abs=1e295)


def test_keys_that_are_equal_are_the_same():
    """A string of numpy, as an array of names has, and one of Python."""
    metrics = [{"a": 1.0, "b": 2.0}, {np.str_("b"): 4.0, np.str_("a"): 3.0}]
    found = average_in(LocalWorld(2), metrics, [1.0, 1.0])
    assert found == [{"a": 2.0, "b": 3.0}] * 2
