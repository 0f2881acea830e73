"""The laws that every metric keeps; `check_metric` checks them on your metric."""

from __future__ import annotations

import copy
import pickle
import sys
import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from mmeval_like._states.kinds.abstract import State
from mmeval_like.testing.arrival_laws import (
    any_blocks,
    any_buffers,
    any_group,
    any_layout,
    any_threads,
)
from mmeval_like.testing.inputs import converters, take_samples
from mmeval_like.testing.local_world import LocalWorld
from mmeval_like.testing.metric_case import (
    MetricCase,
    add_in_batches,
    deal,
    draw,
    evaluate_on_ranks,
    expect,
    value_of,
)
from mmeval_like.testing.same import all_are, check_plain, close, same

__all__ = ["check_metric", "metric_laws"]


def check_metric(
    case: MetricCase,
    *,
    examples: int = 8,
    seed: int = 0,
    libraries: Iterable[str] = (),
    only: Iterable[str] | None = None,
) -> None:
    """Check that a metric keeps every law.

    Args:
        case: The metric and its inputs.
        examples: The number of random inputs to try for each law.
        seed: The seed of the random inputs.
        libraries: Array libraries to pass the inputs in as well: "torch", "jax", ...; each must be
            installed.
        only: Names of laws; default: all of `metric_laws()`.

    Raises:
        AssertionError: A law is broken; the text names it, and the seed.

    Example:
        >>> from mmeval_like import Accuracy
        >>> def samples(rng, n):
        ...     return rng.integers(0, 3, n), rng.integers(0, 3, n)
        >>> def oracle(predictions, labels):
        ...     return {"top1": float((predictions == labels).mean())}
        >>> check_metric(MetricCase(Accuracy, samples, oracle), examples=2)
    """
    laws = metric_laws()
    for name in only if only is not None else laws:
        for example in range(examples):
            rng = np.random.default_rng([seed, example])
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # few samples give undefined values, which warn
                    if name == "array_libraries":
                        for library in libraries:
                            _array_library(case, rng, library)
                    else:
                        laws[name](case, rng)
            except Exception as error:
                place = f"law {name!r} (seed={seed}, example {example})"
                raise AssertionError(f"{place}: {error}") from error


def metric_laws() -> dict[str, Callable[[MetricCase, np.random.Generator], None]]:
    """Return the laws by name, each a function of a case and a random generator."""
    return {
        "plain_values": _plain_values,
        "equals_oracle": _equals_oracle,
        "any_batches": _any_batches,
        "any_shards": _any_shards,
        "padding_is_dropped": _padding_is_dropped,
        "every_id_once": _every_id_once,
        "any_order": _any_order,
        "call_is_stateless": _call_is_stateless,
        "per_sample": _per_sample,
        "compute_again": _compute_again,
        "copies_and_merges": _copies_and_merges,
        "any_blocks": any_blocks,
        "any_layout": any_layout,
        "any_buffers": any_buffers,
        "any_group": any_group,
        "any_threads": any_threads,
        "array_libraries": lambda case, rng: None,  # check_metric runs it for each library
        "no_samples": _no_samples,
    }


def _plain_values(case: MetricCase, rng: np.random.Generator) -> None:
    data, _ = draw(case, rng)
    value = value_of(case, data)
    if not isinstance(value, dict):
        raise AssertionError(f"compute_metric must return a dict, got {value!r}")
    check_plain(value)


def _equals_oracle(case: MetricCase, rng: np.random.Generator) -> None:
    data, _ = draw(case, rng)
    if case.oracle is None:
        return
    value, expected = value_of(case, data), case.oracle(*copy.deepcopy(data))
    for key, wanted in expected.items():
        if key not in value:
            raise AssertionError(f"no key {key!r} in the result, whose keys are {[*value]}")
        if not close(value[key], wanted, case.tolerance):
            raise AssertionError(f"{key} is {value[key]!r}, the oracle says {wanted!r}")


def _any_batches(case: MetricCase, rng: np.random.Generator) -> None:
    data, count = draw(case, rng)
    metric = case.make(dist_backend="non_dist")
    add_in_batches(metric, data, np.arange(count), rng)
    expect(metric.compute(), value_of(case, data), "in several batches")


def _any_shards(case: MetricCase, rng: np.random.Generator) -> None:
    data, count = draw(case, rng)
    expected = value_of(case, data)
    ranks = int(rng.integers(1, 6))
    for mode in ("unzip", "cat"):
        places = np.sort(rng.integers(0, ranks, count))
        shards = deal([int((places == rank).sum()) for rank in range(ranks)], mode)
        for members_only in (False, True):
            values = evaluate_on_ranks(
                case, data, shards, rng, mode=mode, members_only=members_only
            )
            for value in values:
                sizes = [len(shard) for shard in shards]
                expect(value, expected, f"on {ranks} ranks with {sizes} samples, {mode}")


def _padding_is_dropped(case: MetricCase, rng: np.random.Generator) -> None:
    data, count = draw(case, rng)
    expected = value_of(case, data)
    ranks = int(rng.integers(1, 6))
    each = -(-count // ranks)
    padded = np.arange(each * ranks) % count
    for mode in ("unzip", "cat"):
        if mode == "unzip":
            shards = [padded[rank::ranks] for rank in range(ranks)]
        else:
            shards = [padded[rank * each : (rank + 1) * each] for rank in range(ranks)]
        values = evaluate_on_ranks(
            case, data, shards, rng, mode=mode, size=count, max_padding=ranks
        )
        for value in values:
            expect(value, expected, f"with {each * ranks - count} padded samples, {mode}")


def _every_id_once(case: MetricCase, rng: np.random.Generator) -> None:
    if case.make().plan.lists:  # MMEval's add() takes no ids
        return
    data, count = draw(case, rng)
    expected = value_of(case, data)
    ranks = int(rng.integers(1, 5))
    dealt = np.concatenate([np.arange(count), rng.integers(0, count, int(rng.integers(0, 6)))])
    owner = rng.integers(0, ranks, len(dealt))
    if not case.order_matters:
        rng.shuffle(dealt)
    shards = [dealt[owner == rank] for rank in range(ranks)]
    for value in evaluate_on_ranks(case, data, shards, rng, size=count, with_ids=True):
        expect(value, expected, "by ids, with repeated samples")


def _any_order(case: MetricCase, rng: np.random.Generator) -> None:
    if case.order_matters:
        return
    data, count = draw(case, rng)
    shuffled = take_samples(data, rng.permutation(count))
    expect(value_of(case, shuffled), value_of(case, data), "with the samples in another order")


def _call_is_stateless(case: MetricCase, rng: np.random.Generator) -> None:
    data, _ = draw(case, rng)
    other, _ = draw(case, rng)
    metric = case.make(dist_backend="non_dist")
    metric.add(*data)
    expect(metric(*other), value_of(case, other), "called as a function")
    try:
        metric(object())
    except Exception:
        pass
    else:
        raise AssertionError("calling the metric with an object() must raise")
    expect(metric.compute(), value_of(case, data), "after the metric was called as a function")


def _per_sample(case: MetricCase, rng: np.random.Generator) -> None:
    data, count = draw(case, rng)
    metric = case.make(dist_backend="non_dist")
    metric.add(*data)
    values = metric.per_sample(*data)
    for index in range(count):
        alone = metric(*take_samples(data, np.array([index])))
        for key, wanted in alone.items():
            value = values[key][index]
            value = value.item() if isinstance(value, np.generic) else value
            if not same(value, wanted):
                raise AssertionError(
                    f"per_sample gives {key} = {value!r} at index {index}, alone it is {wanted!r}"
                )
    expect(metric.compute(), value_of(case, data), "after per_sample")


def _compute_again(case: MetricCase, rng: np.random.Generator) -> None:
    data, count = draw(case, rng)
    metric = case.make(dist_backend="non_dist")
    half = count // 2
    if half:
        metric.add(*take_samples(data, np.arange(half)))
        first = metric.compute()
        expect(metric.compute(), first, "computed twice")
    metric.add(*take_samples(data, np.arange(half, count)))
    expect(metric.compute(), value_of(case, data), "computed in between")
    metric.reset()
    metric.add(*data)
    expect(metric.compute(), value_of(case, data), "after reset")


def _copies_and_merges(case: MetricCase, rng: np.random.Generator) -> None:
    data, count = draw(case, rng)
    expected = value_of(case, data)
    cut = int(rng.integers(0, count + 1))
    first, second = case.make(dist_backend="non_dist"), case.make()
    if cut:
        first.add(*take_samples(data, np.arange(cut)))
    if cut < count:
        second.add(*take_samples(data, np.arange(cut, count)))
    if _importable(type(first)):  # pickle finds classes by name, so not classes inside a function
        first = pickle.loads(pickle.dumps(first))
    merged = copy.deepcopy(first)
    merged.merge(second)
    expect(merged.compute(), expected, "pickled, copied and merged")
    expect((first + second).compute(), expected, "added, first + second")
    try:
        merged.subtract(second)
    except TypeError:  # a state that keeps rows, or an extremum
        states = first.plan.slots[0].states().values()
        if all(type(state).subtract is not State.subtract for state in states):
            raise
        return
    expect(merged.compute(), first.compute(), "merged and subtracted again")


def _array_library(case: MetricCase, rng: np.random.Generator, library: str) -> None:
    data, _ = draw(case, rng)
    if not case.array_inputs:
        return
    convert = converters()[library]
    converted = tuple(convert(c) if isinstance(c, np.ndarray) else c for c in data)
    expect(value_of(case, converted), value_of(case, data), f"given as {library} arrays")


def _no_samples(case: MetricCase, rng: np.random.Generator) -> None:
    def outcome(backend: Any) -> Any:
        try:
            return case.make(dist_backend=backend).compute()
        except Exception as error:
            return type(error)

    outcomes = [outcome("non_dist")]
    for members_only in (False, True):
        outcomes += LocalWorld(3, members_only=members_only).run(outcome)
    alone, meant = outcomes[0], case.empty
    if not (all_are(alone, meant) if isinstance(meant, float | int) else same(alone, meant)):
        raise AssertionError(
            f"without samples it is {alone!r}, expected {meant!r}: return nan for values that are "
            f"undefined, or pass the expected result as MetricCase(empty=...)"
        )
    for other in outcomes[1:]:
        # Ranks that only learn of another rank's failure raise RemoteError.
        failed = isinstance(alone, type) and isinstance(other, type)
        if not failed and not same(other, alone):
            raise AssertionError(f"without samples: {other!r} in a world, {alone!r} alone")


# Helpers of the laws ---------------------------------------------------------------------------


def _importable(cls: type) -> bool:
    return getattr(sys.modules.get(cls.__module__), cls.__qualname__, None) is cls
