"""What the kit's cases have none of: lists that are changed, late options, copies, padding."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator
from functools import partial
from itertools import permutations
from typing import Any

import numpy as np

import mmeval_like as mm

from .kit import told
from .metrics import (
    Counts,
    Flipped,
    Forgets,
    Half,
    Lists,
    OfEvens,
    Order,
    PerBatch,
    Remembers,
    Share,
    Skips,
)
from .seeing import Counted, Seen, Sight
from .wrappers import classes

__all__ = ["groups"]

CLASSES: tuple[type, ...] = (
    mm.Accuracy, Lists, PerBatch, Forgets, Flipped, Half, Skips, Remembers, Share, Order, Counts
)  # fmt: skip


def groups() -> Iterator[tuple[str, Callable[[Sight], None]]]:
    """Yield every group of checks."""
    yield "lacking/lists", _lists
    yield "lacking/options set late", _late
    yield "lacking/padding", _padding
    for kind in CLASSES:
        yield f"lacking/copies of {kind.__name__}", partial(_copies, kind)
        yield f"lacking/uneven calls of {kind.__name__}", partial(_uneven, kind)
    yield "lacking/numbers of equal metrics", _numbered
    yield "lacking/refused batches", _refused
    yield "lacking/constructors", _constructed


# Lists in MMEval's way ------------------------------------------------------------------------


def _changes() -> dict[str, Callable[[Any], None]]:
    def replace(metric: Any) -> None:
        metric._results = [{"hit": 1, "label": 5}]

    def put(metric: Any) -> None:
        metric._results[1] = {"hit": 0, "label": 9}

    def change(metric: Any) -> None:
        metric._results[0]["label"] = 7

    def delete(metric: Any) -> None:
        del metric._results[:2]

    def spoil(metric: Any) -> None:
        metric._results = ({"hit": 1, "label": 5},)

    def none(metric: Any) -> None:
        metric._results = None

    return {
        "clear": lambda metric: metric._results.clear(),
        "append": lambda metric: metric._results.append({"hit": 1, "label": 4}),
        "extend": lambda metric: metric._results.extend([{"hit": 0, "label": 3}] * 2),
        "sort": lambda metric: metric._results.sort(key=lambda entry: entry["label"]),
        "replace": replace,
        "put": put,
        "change": change,
        "delete": delete,
        "a tuple": spoil,
        "None": none,
    }


def _lists(see: Sight) -> None:
    """The list is the truth: whatever is done to it shows."""
    for name, change in _changes().items():
        see(f"{name}", partial(_changed, change, {}))
        see(f"{name}, interval", partial(_changed, change, {"interval": 0.9}))
        see(f"{name}, saved", partial(_changed_and_saved, change))
        see(f"{name}, later", partial(_changed_later, change))
        see(f"{name}, on a rank", partial(_changed_on_a_rank, change))
        see(f"{name}, in a collection", partial(_changed_in_a_collection, change))
        see(f"{name}, before it joins", partial(_changed_before, change))


def _filled(**options: Any) -> Any:
    metric = Lists(dist_backend="non_dist", **options)
    metric.add(*classes(9))
    return metric


def _changed(change: Callable[[Any], None], options: dict[str, Any]) -> Any:
    metric = _filled(**options)
    first = metric.compute()
    change(metric)
    second = told(metric)
    metric.add(*classes(3, 1))
    third = told(metric)
    metric.reset()
    return [first, second, third, metric._results, len(metric._results)]


def _changed_and_saved(change: Callable[[Any], None]) -> Any:
    metric = _filled()
    change(metric)
    other = Lists(dist_backend="non_dist").from_bytes(metric.to_bytes())
    other.merge(metric)
    fresh = _filled()
    fresh.load_state_dict(metric.state_dict())
    return [told(other), told(fresh), copy.deepcopy(metric)._results, fresh._results]


def _changed_later(change: Callable[[Any], None]) -> Any:
    metric = _filled()
    handle = metric.compute_async()
    change(metric)
    return [handle.result(), metric.compute()]


def _changed_on_a_rank(change: Callable[[Any], None]) -> Any:
    world = Counted(2)

    def evaluate(backend: Any) -> Any:
        metric = Lists(dist_backend=backend)
        metric.add(*classes(5, backend.rank))
        if backend.rank:
            change(metric)
        try:
            return metric.compute()
        except Exception as error:
            return type(error).__name__

    return Seen(world.run(evaluate), world=world)


def _changed_in_a_collection(change: Callable[[Any], None]) -> Any:
    metrics = mm.MetricCollection({"list": Lists(), "plain": mm.Accuracy()}, "non_dist")
    metrics.add(*classes(9))
    member = metrics["list"]
    change(member)
    return [told(member), told(metrics)]


def _changed_before(change: Callable[[Any], None]) -> Any:
    metric = _filled()
    metric.reset()
    change_later = copy.deepcopy(metric)
    change(change_later)
    return told(mm.MetricCollection(a=change_later))


# Options that are set after construction ------------------------------------------------------


def _late(see: Sight) -> None:
    """Options of a metric are read when they are needed."""
    predictions, labels = classes(12)
    recall = partial(mm.Recall, task="multiclass", num_classes=3, average=None)

    def after(make: Callable[[], Any], *changes: tuple[str, Any], when: str = "before") -> Any:
        metric = make()
        metric.dist_backend = "non_dist"
        if when != "before":
            metric.add(predictions[:6], labels[:6])
        if when == "computed":
            metric.compute()
        for name, value in changes:
            setattr(metric, name, value)
        metric.add(predictions[6:], labels[6:])
        found = told(metric)
        data = metric.to_bytes()
        return [found, told(metric.from_bytes(data)), metric(predictions, labels)]

    options: dict[str, tuple[Callable[[], Any], tuple[str, Any]]] = {
        "dataset_meta": (recall, ("dataset_meta", {"classes": ["a", "b", "c"]})),
        "dataset_meta, no classes": (recall, ("dataset_meta", {"x": 1})),
        "interval": (mm.Accuracy, ("interval", 0.95)),
        "interval, off": (partial(mm.Accuracy, interval=0.95), ("interval", None)),
        "interval of errors": (mm.MeanSquaredError, ("interval", 0.95)),
        "interval of a list": (Lists, ("interval", 0.95)),
        "topk": (mm.Accuracy, ("topk", (2,))),
        "statistic": (Counts, ("statistic", OfEvens(3))),
        "max_padding": (mm.Accuracy, ("max_padding", 3)),
        "dist_collect_mode": (mm.Accuracy, ("dist_collect_mode", "cat")),
        "higher_is_better": (mm.Accuracy, ("higher_is_better", False)),
        "ranges": (Share, ("ranges", {})),
    }
    for name, (make, change) in options.items():
        for when in ("before", "added", "computed"):
            see(f"{name}, {when}", partial(after, make, change, when=when))
    see("names of classes", partial(_late_names, recall))
    see("names in a collection", partial(_late_names_in_a_collection, recall))
    see("topk in a collection", _late_in_a_collection)
    see("merge after interval", _merged_late)


def _late_names(recall: Callable[..., Any]) -> Any:
    metric = recall(dist_backend="non_dist")
    metric.dataset_meta = {"classes": ["a", "b", "c"]}
    metric.add(["a", "b", "c", "a"], ["a", "b", "b", "c"])
    found = metric.compute()
    return [found, found.classes, found.flat(), metric.dataset_meta]


def _late_names_in_a_collection(recall: Callable[..., Any]) -> Any:
    member = recall()
    metrics = mm.MetricCollection({"r": member}, "non_dist")
    member.dataset_meta = {"classes": ["a", "b", "c"]}
    metrics.add(["a"], ["a"])
    return told(metrics)


def _late_in_a_collection() -> Any:
    member = mm.Accuracy()
    metrics = mm.MetricCollection({"a": member}, "non_dist")
    member.topk = (2,)  # the collection has a copy
    metrics.add([[0.1, 0.5, 0.4], [0.2, 0.3, 0.5]], [2, 2])
    return told(metrics)


def _merged_late() -> Any:
    one, other = mm.Accuracy(dist_backend="non_dist"), mm.Accuracy(dist_backend="non_dist")
    other.interval = 0.9
    one.add([1], [1])
    other.add([1], [0])
    one.merge(other)
    return told(one)


# Copies ---------------------------------------------------------------------------------------


def _copies(kind: type, see: Sight) -> None:
    """Shallow and deep copies, and pickles, of a metric with and without samples."""
    ways: dict[str, Callable[[Any], Any]] = {
        "shallow": copy.copy,
        "deep": copy.deepcopy,
        "pickle": lambda metric: pickle.loads(pickle.dumps(metric)),
        "twice": lambda metric: copy.deepcopy(pickle.loads(pickle.dumps(metric))),
        "attributes": lambda metric: _renewed(metric),
    }
    for name, way in ways.items():
        for filled in (False, True):
            state = "filled" if filled else "empty"
            see(f"{name}, {state}", partial(_copied, kind, way, filled))
            see(f"{name}, {state}, reset", partial(_copied_and_reset, kind, way, filled))
    # Deep copies and pickles take a number: on ranks that are threads it would be anyone's.
    see("shallow, on 2 ranks", partial(_copied_on_ranks, kind, copy.copy))


def _renewed(metric: Any) -> Any:
    other = copy.copy(metric)
    other.reset()
    return other


def _made(kind: type, filled: bool, backend: Any = "non_dist") -> Any:
    metric = kind(dist_backend=backend)
    if filled:
        metric.add(*classes(8))
    return metric


def _copied(kind: type, way: Callable[[Any], Any], filled: bool) -> Any:
    metric = _made(kind, filled)
    other = way(metric)
    other.add(*classes(5, 3))
    found = [told(other), type(other).__name__, other.name]
    if way is copy.copy and not filled:
        return found  # whether both then share samples is not promised
    return [*found, told(metric)] if way is not copy.copy else found


def _copied_and_reset(kind: type, way: Callable[[Any], Any], filled: bool) -> Any:
    metric = _made(kind, filled)
    other = way(metric)
    other.reset()
    other.add(*classes(5, 3))
    return [told(other), getattr(other, "seen", None), getattr(other, "resets", None)]


def _copied_on_ranks(kind: type, way: Callable[[Any], Any]) -> Any:
    world = Counted(2)

    def evaluate(backend: Any) -> Any:
        metric = _made(kind, True, backend)
        other = way(metric)
        other.reset()
        other.add(*classes(4, backend.rank))
        return told(other)

    return Seen(world.run(evaluate), world=world)


# Ranks that do not do the same ----------------------------------------------------------------


def _uneven(kind: type, see: Sight) -> None:
    """Calls, copies and empty adds differ by rank; the metrics after them are still the same."""
    habits: dict[str, Callable[[Any, int], Any]] = {
        "calls": lambda metric, n: [metric(*classes(3, 1)) for _ in range(n)],
        "per_sample": lambda metric, n: [metric.per_sample(*classes(3, 1)) for _ in range(n)],
        "resets": lambda metric, n: metric.reset() if n else None,
        "local": lambda metric, n: [metric.compute_local() for _ in range(n)],
        "merges": lambda metric, n: [metric.merge(_like(metric)) for _ in range(n)],
        "added to": lambda metric, n: [metric + _like(metric) for _ in range(n)],
        "bytes": lambda metric, n: [metric.from_bytes(metric.to_bytes()) for _ in range(n)],
        "loads": lambda metric, n: [metric.load_state_dict(metric.state_dict()) for _ in range(n)],
        "deep copies": lambda metric, n: [copy.deepcopy(metric) for _ in range(n)],
        "shallow copies": lambda metric, n: [copy.copy(metric) for _ in range(n)],
        "refused": lambda metric, n: [_refuse(metric) for _ in range(n)],
        "windows": lambda metric, n: [mm.Windowed(metric, 4, 2)(*classes(3)) for _ in range(n)],
    }
    for name, habit in habits.items():
        for calls in ((0, 3), (3, 1)):
            see(f"{name}, {calls}", partial(_on_two, kind, habit, calls))


def _like(metric: Any) -> Any:
    return metric.from_bytes(metric.to_bytes())


def _refuse(metric: Any) -> None:
    try:
        metric.add([0, 1], [0])
    except Exception:
        return


def _on_two(kind: type, habit: Callable[[Any, int], Any], calls: tuple[int, int]) -> Any:
    world = Counted(2)

    def evaluate(backend: Any) -> Any:
        found = []
        metric = kind(dist_backend=backend)
        metric.add(*classes(7, backend.rank))
        habit(metric, calls[backend.rank])
        for one in (metric, kind(dist_backend=backend)):
            one.add(*classes(4, 5))
            try:
                found.append(told(one))
            except Exception as error:
                found.append(type(error).__name__)
        return found

    return Seen(world.run(evaluate), world=world)


def _numbered(see: Sight) -> None:
    """Equal metrics are told apart by the order of construction, or by names."""

    def crossed(names: bool, copies: bool) -> Any:
        world = Counted(2)

        def evaluate(backend: Any) -> Any:
            options = [{"name": n} if names else {} for n in ("a", "b")]
            metrics = [mm.Accuracy(dist_backend=backend, **one) for one in options]
            if copies and backend.rank:
                metrics = [copy.deepcopy(metric) for metric in metrics]
            order = metrics if backend.rank else metrics[::-1]
            found = []
            for metric in order:
                metric.add(*classes(4, backend.rank))
                try:
                    found.append(metric.compute())
                except Exception as error:
                    found.append(type(error).__name__)
                    break
            return found

        return world.run(evaluate)

    for names in (False, True):
        for copies in (False, True):
            see(f"names {names}, copies {copies}", partial(crossed, names, copies))
    for name, pair in {
        "options": (partial(mm.Accuracy, topk=1), partial(mm.Accuracy, topk=2)),
        "interval": (mm.Accuracy, partial(mm.Accuracy, interval=0.9)),
        "class": (mm.Accuracy, Flipped),
        "padding": (mm.Accuracy, partial(mm.Accuracy, max_padding=3)),
        "name": (mm.Accuracy, partial(mm.Accuracy, name="x")),
    }.items():
        see(f"ranks of other {name}", partial(_disagree, pair))


def _disagree(pair: tuple[Callable[..., Any], Callable[..., Any]]) -> Any:
    world = Counted(2)

    def evaluate(backend: Any) -> Any:
        metric = pair[backend.rank](dist_backend=backend)
        metric.add(*classes(4, backend.rank))
        try:
            return metric.compute(7 if "padding" in repr(pair) else None)
        except Exception as error:
            return type(error).__name__

    return world.run(evaluate)


# Padding --------------------------------------------------------------------------------------


def _padding(see: Sight) -> None:
    """How many of the last samples may be dropped, by the `max_padding` of members in any order."""
    sizes = (20, 19, 18, 15, 10)
    for chosen in permutations((None, 0, 2, 5), 2):
        for kinds, make in {
            "shared": lambda p: mm.Accuracy(max_padding=p),
            "lists": lambda p: Lists(max_padding=p),
        }.items():
            see(f"{kinds} {chosen}", partial(_padded, make, chosen, sizes))
    for chosen in permutations((0, 2, 5)):
        see(f"three {chosen}", partial(_padded, _three(), chosen, sizes))
    for chosen in ((None, 5), (5, None), (5, 2)):
        see(f"sliced {chosen}", partial(_padded_around, _sliced, chosen, sizes))
        see(f"recorded {chosen}", partial(_padded_around, _recorded, chosen, sizes))
    for padding in (None, 0, 2, 5):
        see(f"alone {padding}", partial(_padded_alone, padding, sizes))
    for chosen in ((2, 5), (5, 2)):
        see(f"2 ranks {chosen}", partial(_padded_on_ranks, chosen))


def _three() -> Callable[[Any], Any]:
    kinds = iter((mm.Accuracy, partial(mm.ConfusionMatrix, 3), partial(mm.CohenKappa, 3)) * 100)
    return lambda padding: next(kinds)(max_padding=padding)


def _sizes_of(metric: Any, sizes: tuple[int, ...]) -> Any:
    found = []
    for size in sizes:
        try:
            found.append(metric.compute(size))
        except ValueError as error:
            found.append(type(error).__name__)
    return found


def _padded(make: Callable[[Any], Any], chosen: tuple[Any, ...], sizes: tuple[int, ...]) -> Any:
    members = {f"m{number}": make(padding) for number, padding in enumerate(chosen)}
    metrics = mm.MetricCollection(members, "non_dist")
    metrics.add(*classes(20))
    return [_sizes_of(metrics, sizes), [metrics[name].max_padding for name in metrics]]


def _sliced(members: dict[str, Any]) -> Any:
    return mm.Sliced(members, by="x", dist_backend="non_dist")


def _recorded(members: dict[str, Any]) -> Any:
    return mm.Recorded(members, dist_backend="non_dist")


def _padded_around(
    around: Callable[[dict[str, Any]], Any], chosen: tuple[Any, ...], sizes: tuple[int, ...]
) -> Any:
    metric = around({f"m{n}": mm.Accuracy(max_padding=p) for n, p in enumerate(chosen)})
    named = {"by": {"x": ["a", "b"] * 10}} if around is _sliced else {}
    metric.add(*classes(20), **named)
    return _sizes_of(metric, sizes)


def _padded_alone(padding: int | None, sizes: tuple[int, ...]) -> Any:
    metric = mm.Accuracy(max_padding=padding, dist_backend="non_dist")
    metric.add(*classes(20))
    metric.add(*classes(0))
    return _sizes_of(metric, sizes)


def _padded_on_ranks(chosen: tuple[int, int]) -> Any:
    world = Counted(2)

    def evaluate(backend: Any) -> Any:
        metrics = mm.MetricCollection(
            {"a": mm.Accuracy(max_padding=chosen[0]), "b": mm.Accuracy(max_padding=chosen[1])},
            backend,
        )
        metrics.add(*classes(8, backend.rank))
        return _sizes_of(metrics, (16, 15, 13, 9))

    return Seen(world.run(evaluate), world=world)


# What is refused ------------------------------------------------------------------------------


def _refused(see: Sight) -> None:
    """A batch that is refused leaves everything as it was."""
    batches = {
        "lengths": ([0, 1], [0]),
        "names": (["a"], ["b"]),
        "negative": ([-1], [0]),
        "floats": ([0.5], [0]),
        "nothing": (),
        "too many": ([0], [0], [0], [0]),
        "None": (None, None),
    }
    for kind in CLASSES:
        for name, batch in batches.items():
            see(f"{kind.__name__}, {name}", partial(_after_refused, kind, batch))
        see(f"{kind.__name__}, unknown", lambda k=kind: k().add([0], [0], nothing=1))


def _after_refused(kind: type, batch: tuple[Any, ...]) -> Any:
    metric = _made(kind, True)
    try:
        metric.add(*batch)
        said = None
    except Exception as error:
        said = type(error).__name__
    together = mm.MetricCollection({"own": kind(), "plain": mm.Accuracy()}, "non_dist")
    together.add(*classes(4))
    try:
        together.add(*batch)
        said = [said, None]
    except Exception as error:
        said = [said, type(error).__name__]
    return [said, told(metric), told(together)]


def _constructed(see: Sight) -> None:
    """Errors of constructors."""
    wrong: dict[str, dict[str, Any]] = {
        "interval 0": {"interval": 0},
        "interval text": {"interval": "x"},
        "interval 1.5": {"interval": 1.5},
        "mode": {"dist_collect_mode": "zip"},
        "padding": {"max_padding": -1},
        "padding text": {"max_padding": "x"},
        "classes twice": {"classes": ["a", "a"]},
        "classes numbers": {"classes": [1, 2]},
        "classes differ": {"classes": ["a"], "dataset_meta": {"classes": ["b"]}},
        "unknown": {"nothing": 1},
        "misspelt": {"intervall": 0.9},
        "backend": {"dist_backend": "nothing"},
    }
    for kind in (mm.Accuracy, Lists, Counts):
        for name, options in wrong.items():
            see(f"{kind.__name__}, {name}", lambda k=kind, o=options: told(k(**o)))
    see("no super", _forgets_super)


def _forgets_super() -> Any:
    class Forgot(mm.BaseMetric):
        def __init__(self) -> None:
            self.x = 1

        def rows(self, values: Any) -> Any:
            return {}

        def compute_metric(self, results: Any) -> Any:
            return {}

    metric = Forgot()
    metric.add([np.int64(1)])
    return told(metric)
