"""The laws that every metric keeps, checked on one of one's own: `check_metric`."""

from __future__ import annotations

import copy
import pickle
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from mmeval_like.testing.inputs import converters, layouts, take_samples
from mmeval_like.testing.local_world import LocalWorld
from mmeval_like.testing.metric_case import (
    MetricCase,
    add_in_batches,
    deal,
    draw,
    evaluate_on_ranks,
    value_of,
)
from mmeval_like.testing.same import close, same

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
        examples: How many random inputs to try for each law.
        seed: Of the random inputs.
        libraries: Array libraries to pass the inputs in as well: "torch", "jax", ...; each must
            be installed.
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
                    warnings.simplefilter("ignore")  # few samples: undefined values warn
                    if name == "array_libraries":
                        for library in libraries:
                            _array_library(case, rng, library)
                    else:
                        laws[name](case, rng)
            except Exception as error:
                raise AssertionError(
                    f"law {name!r} (seed={seed}, example {example}): {error}"
                ) from error


def metric_laws() -> dict[str, Callable[[MetricCase, np.random.Generator], None]]:
    """Return the laws by name, each a function of a case and a random generator."""
    return {
        "equals_oracle": _equals_oracle,
        "any_batches": _any_batches,
        "any_shards": _any_shards,
        "padding_is_dropped": _padding_is_dropped,
        "every_id_once": _every_id_once,
        "any_order": _any_order,
        "call_is_stateless": _call_is_stateless,
        "compute_again": _compute_again,
        "copies_and_merges": _copies_and_merges,
        "any_layout": _any_layout,
        "array_libraries": lambda case, rng: None,  # run by check_metric, for each library
        "no_samples": _no_samples,
    }


# The laws ----------------------------------------------------------------------------------


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
    _check_plain(value)


def _any_batches(case: MetricCase, rng: np.random.Generator) -> None:
    data, count = draw(case, rng)
    metric = case.make(dist_backend="non_dist")
    add_in_batches(metric, data, np.arange(count), rng)
    _expect(metric.compute(), value_of(case, data), "in several batches")


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
                _expect(value, expected, f"on {ranks} ranks with {sizes} samples, {mode}")


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
            _expect(value, expected, f"with {each * ranks - count} padded samples, {mode}")


def _every_id_once(case: MetricCase, rng: np.random.Generator) -> None:
    if case.make()._appends_to_list:  # MMEval's add() takes no ids
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
        _expect(value, expected, "by ids, with repeated samples")


def _any_order(case: MetricCase, rng: np.random.Generator) -> None:
    if case.order_matters:
        return
    data, count = draw(case, rng)
    shuffled = take_samples(data, rng.permutation(count))
    _expect(value_of(case, shuffled), value_of(case, data), "with the samples in another order")


def _call_is_stateless(case: MetricCase, rng: np.random.Generator) -> None:
    data, _ = draw(case, rng)
    other, _ = draw(case, rng)
    metric = case.make(dist_backend="non_dist")
    metric.add(*data)
    _expect(metric(*other), value_of(case, other), "called as a function")
    try:
        metric(object())
    except Exception:
        pass
    else:
        raise AssertionError("calling the metric with an object() must raise")
    _expect(metric.compute(), value_of(case, data), "after the metric was called as a function")


def _compute_again(case: MetricCase, rng: np.random.Generator) -> None:
    data, count = draw(case, rng)
    metric = case.make(dist_backend="non_dist")
    half = count // 2
    if half:
        metric.add(*take_samples(data, np.arange(half)))
        first = metric.compute()
        _expect(metric.compute(), first, "computed twice")
    metric.add(*take_samples(data, np.arange(half, count)))
    _expect(metric.compute(), value_of(case, data), "computed in between")
    metric.reset()
    metric.add(*data)
    _expect(metric.compute(), value_of(case, data), "after reset")


def _copies_and_merges(case: MetricCase, rng: np.random.Generator) -> None:
    data, count = draw(case, rng)
    expected = value_of(case, data)
    cut = int(rng.integers(0, count + 1))
    first, second = case.make(dist_backend="non_dist"), case.make()
    if cut:
        first.add(*take_samples(data, np.arange(cut)))
    if cut < count:
        second.add(*take_samples(data, np.arange(cut, count)))
    if _importable(type(first)):  # pickle finds classes by name: not those inside a function
        first = pickle.loads(pickle.dumps(first))
    merged = copy.deepcopy(first)
    merged.merge(second)
    _expect(merged.compute(), expected, "pickled, copied and merged")


def _any_layout(case: MetricCase, rng: np.random.Generator) -> None:
    data, _ = draw(case, rng)
    expected = value_of(case, data)
    if case.array_inputs:
        for name, arranged in layouts(data):
            _expect(value_of(case, arranged), expected, f"given as {name}")
    metric = case.make(dist_backend="non_dist")
    lent = copy.deepcopy(data)
    metric.add(*lent)
    if not same(lent, data):
        raise AssertionError("add() changed its input")
    for column in lent:
        if isinstance(column, np.ndarray):
            column[...] = np.zeros((), column.dtype)
    _expect(metric.compute(), expected, "after the caller overwrote the batch")


def _array_library(case: MetricCase, rng: np.random.Generator, library: str) -> None:
    data, _ = draw(case, rng)
    if not case.array_inputs:
        return
    convert = converters()[library]
    converted = tuple(convert(c) if isinstance(c, np.ndarray) else c for c in data)
    _expect(value_of(case, converted), value_of(case, data), f"given as {library} arrays")


def _no_samples(case: MetricCase, rng: np.random.Generator) -> None:
    def outcome(backend: Any) -> Any:
        try:
            return case.make(dist_backend=backend).compute()
        except Exception as error:
            return type(error)

    outcomes = [outcome("non_dist")]
    for members_only in (False, True):
        outcomes += LocalWorld(3, members_only=members_only).run(outcome)
    failed = isinstance(outcomes[0], type)
    if case.empty is not None and not same(outcomes[0], case.empty):
        raise AssertionError(f"without samples expected {case.empty!r}, got {outcomes[0]!r}")
    for other in outcomes[1:]:
        # On the ranks that only hear of a failure it is a RemoteError.
        if not same(other, outcomes[0]) and not (failed and isinstance(other, type)):
            raise AssertionError(f"without samples: {other!r} in a world, {outcomes[0]!r} alone")


# What they check with --------------------------------------------------------------------------


def _expect(value: Any, expected: Any, how: str) -> None:
    if not same(value, expected):
        raise AssertionError(f"{how}: {value!r}, in one process and one batch: {expected!r}")


def _importable(cls: type) -> bool:
    return getattr(sys.modules.get(cls.__module__), cls.__qualname__, None) is cls


def _check_plain(value: Any) -> None:
    """Raise unless a result is made of plain Python and numpy values."""
    if isinstance(value, Mapping):
        for entry in value.values():
            _check_plain(entry)
    elif isinstance(value, list | tuple):
        for entry in value:
            _check_plain(entry)
    elif not (value is None or isinstance(value, bool | int | float | str | np.ndarray)):
        raise AssertionError(f"results must be plain values, got {type(value).__name__}")
