"""Collections, slices, pairs, windows and records with their own options; tables and pages."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import mmeval_like as mm

from .battery import Subject, battery
from .kit import told
from .metrics import Counts, Flipped, Lists, Order, Remembers, Share
from .seeing import Counted, Seen, Sight
from .wrappers import Wrapped, classes

__all__ = ["groups"]

COUNT = 24


def groups() -> Iterator[tuple[str, Callable[[Sight], None]]]:
    """Yield every group of checks."""
    for name, members in _collections().items():
        yield f"collection/{name}", partial(_try, partial(_collection, members), {}, False)
        yield (
            f"collection/{name}, clusters",
            partial(_try, partial(_collection, members), {"clusters": _letters(6, 4)}, False),
        )
        yield (
            f"collection/{name}, ids",
            partial(_try, partial(_collection, members), {"ids": np.arange(COUNT)[::-1]}, False),
        )
        yield (
            f"sliced/of {name}",
            partial(_try, partial(_sliced_members, members), {"by": {"x": _letters()}}, False),
        )
    yield "collection/container", _container
    for name, (make, columns) in _slices().items():
        yield f"sliced/{name}", partial(_try, make, columns, False)
    yield "sliced/refused", _refused_slices
    for name, (make, columns) in _pairs().items():
        yield f"paired/{name}", partial(_try, make, columns, True)
    yield "paired/refused", _refused_pairs
    for name, make in _windows().items():
        yield f"windowed/{name}", partial(_try, make, {}, False)
    yield "windowed/steps", _steps
    for name, (make, columns) in _records().items():
        yield f"recorded/{name}", partial(_try_record, make, columns)
    yield "recorded/verify", _verified
    yield "score", _scored


def _letters(kinds: int = 3, seed: int = 5) -> list[str]:
    return ["abcdefgh"[number] for number in np.random.default_rng(seed).integers(0, kinds, COUNT)]


def _try(make: Callable[[Any], Any], columns: dict[str, Any], paired: bool, see: Sight) -> None:
    whole = Wrapped(mm.Accuracy, classes(COUNT), lambda _, b: make(b), columns, paired=paired)
    battery(see, whole.subject(), drawn=True)


# Collections ----------------------------------------------------------------------------------


def _collections() -> dict[str, Callable[[], dict[str, Any]]]:
    f1 = partial(mm.FBetaScore, task="multiclass", num_classes=3)
    return {
        "shared": lambda: {
            "kappa": mm.CohenKappa(3),
            "matrix": mm.ConfusionMatrix(3),
            "macro": f1(),
            "each": f1(average=None),
            "recall": mm.Recall(task="multiclass", num_classes=3),
        },
        "intervals of some": lambda: {
            "plain": mm.Accuracy(),
            "sure": mm.Accuracy(interval=0.95),
            "less": mm.Accuracy(interval=0.5),
            "kappa": mm.CohenKappa(3, interval=0.9),
            "matrix": mm.ConfusionMatrix(3),
        },
        "sure first": lambda: {"sure": mm.Accuracy(interval=0.95), "plain": mm.Accuracy()},
        "with lists": lambda: {"list": Lists(), "accuracy": mm.Accuracy(), "other": Lists()},
        "own adds": lambda: {
            "plain": mm.Accuracy(),
            "flipped": Flipped(),
            "again": Flipped(),
            "sure": Flipped(interval=0.9),
        },
        "own states": lambda: {
            "share": Share(interval=0.9),
            "two": Counts(),
            "too": Counts(2, interval=0.9),
            "three": Counts(3),
            "order": Order(),
        },
        "remembers": lambda: {"remembers": Remembers(), "plain": mm.Accuracy()},
        "nested": lambda: {
            "inner": mm.MetricCollection({"a": mm.Accuracy(), "b": mm.CohenKappa(3)}, prefix="p_"),
            "outer": mm.Accuracy(),
        },
        "running": lambda: {"last": mm.Running(mm.Accuracy(), 5), "all": mm.Accuracy()},
    }


def _collection(members: Callable[[], dict[str, Any]], backend: Any) -> Any:
    return mm.MetricCollection(members(), backend, prefix="c_")


def _sliced_members(members: Callable[[], dict[str, Any]], backend: Any) -> Any:
    return mm.Sliced(members(), by="x", dist_backend=backend, summaries=True)


def _container(see: Sight) -> None:
    """What a collection is beside a sum of samples."""
    predictions, labels = classes(COUNT)

    def filled(name: str = "shared", **options: Any) -> Any:
        metrics = mm.MetricCollection(_collections()[name](), "non_dist", **options)
        metrics.add(predictions, labels)
        return metrics

    for name in _collections():
        see(f"members of {name}", partial(_members, filled, name))
        see(f"clone of {name}", partial(_clone, filled, name))
        see(f"per_sample of {name}", lambda n=name: filled(n).per_sample(predictions, labels))
    see("list", lambda: mm.MetricCollection([mm.Accuracy(), mm.CohenKappa(3)])(*classes(COUNT)))
    see("named", lambda: mm.MetricCollection(name="v", a=mm.Accuracy())(*classes(COUNT)))
    see("no member", lambda: filled()["none"])
    see("no members", lambda: mm.MetricCollection({}))
    see("a number", lambda: mm.MetricCollection({"a": 1}))
    see("a name twice", lambda: mm.MetricCollection([mm.Accuracy(), mm.Accuracy()]))
    see("two backends", lambda: mm.MetricCollection({"a": mm.Accuracy(dist_backend="x")}, "y"))
    see(
        "two modes",
        lambda: mm.MetricCollection(a=mm.Accuracy(), b=mm.Accuracy(dist_collect_mode="cat")),
    )
    see("a refused batch", partial(_refused_batch, filled))


def _members(filled: Callable[..., Any], name: str) -> Any:
    metrics = filled(name)
    found = {}
    for key in metrics:
        one = metrics[key]
        before = told(one)
        one.add(*classes(6, 1))
        found[key] = [before, told(one), type(one).__name__, one.name]
    return [found, len(metrics), "none" in metrics, told(metrics)]


def _clone(filled: Callable[..., Any], name: str) -> Any:
    metrics = filled(name)
    other = metrics.clone("v_")
    other.add(*classes(10, 2))
    return [told(other), other.prefix, told(metrics)]


def _refused_batch(filled: Callable[..., Any]) -> Any:
    metrics = filled("shared")
    errors = []
    for batch in (([0, 1], [0]), ([7], [0]), ([[0.1, 0.9]], [0]), ()):
        try:
            metrics.add(*batch)
        except (TypeError, ValueError) as error:
            errors.append(type(error).__name__)
    return [errors, told(metrics)]


# Slices ---------------------------------------------------------------------------------------


def _slices() -> dict[str, tuple[Callable[[Any], Any], dict[str, Any]]]:
    sure = partial(mm.Accuracy, interval=0.95)
    columns = {"x": _letters(), "y": [*np.random.default_rng(2).integers(0, 2, COUNT).tolist()]}
    gaps = {"x": [None if letter == "c" else letter for letter in _letters()]}
    families = ["x", "y", ("x", "y")]

    def sliced(make: Callable[[], Any], by: Any, **options: Any) -> Callable[[Any], Any]:
        return lambda backend: mm.Sliced(make(), by=by, dist_backend=backend, **options)

    return {
        "families": (sliced(sure, families, summaries=True), {"by": columns}),
        "gaps": (sliced(sure, "x"), {"by": gaps}),
        "ids": (sliced(sure, "x"), {"by": gaps, "ids": np.arange(COUNT)}),
        "clusters": (sliced(sure, families), {"by": columns, "clusters": _letters(6, 4)}),
        "clusters, unused": (sliced(mm.Accuracy, "x"), {"by": gaps, "clusters": _letters(6, 4)}),
        "thresholds": (
            sliced(partial(mm.ConfusionMatrix, 3), ["y", "x"]),
            {"by": columns, "ids": [f"i{n}" for n in range(COUNT)]},
        ),
    }


def _refused_slices(see: Sight) -> None:
    """What slices refuse; what was there stays."""

    def added(**named: Any) -> Any:
        metric = mm.Sliced(mm.Accuracy(), by="x", dist_backend="non_dist")
        metric.add([0, 1], [1, 1], by={"x": ["a", "b"]})
        try:
            metric.add([0, 1], [1, 1], **named)
        except (TypeError, ValueError) as error:
            return [type(error).__name__, told(metric)]
        return told(metric)

    see("no columns", added)
    see("other columns", lambda: added(by={"y": [1, 2]}))
    see("floats", lambda: added(by={"x": [1.5, 2.5]}))
    see("too few", lambda: added(by={"x": ["a"]}))
    see("with ids later", lambda: added(by={"x": ["a", "a"]}, ids=[0, 1]))
    for number, by in enumerate(([], "", ["x", "x"], [("x", "x")], [()], [1])):
        see(f"families {number}", lambda b=by: mm.Sliced(mm.Accuracy(), by=b))
    see("no metric", lambda: mm.Sliced(1, by="x"))  # type: ignore[arg-type]


# Pairs ----------------------------------------------------------------------------------------


def _pairs() -> dict[str, tuple[Callable[[Any], Any], dict[str, Any]]]:
    ids: dict[str, Any] = {"ids": np.arange(COUNT)}
    by = {**ids, "by": {"x": _letters()}}
    f1 = partial(mm.FBetaScore, task="multiclass", num_classes=3, average=None)

    def pair(make: Callable[[], Any], **options: Any) -> Callable[[Any], Any]:
        return lambda backend: mm.Paired(make(), dist_backend=backend, **options)

    def sliced(make: Callable[[], Any]) -> Callable[[], Any]:
        return lambda: mm.Sliced(make(), by="x")

    found: dict[str, tuple[Callable[[Any], Any], dict[str, Any]]] = {
        "flips": (pair(mm.Accuracy, list_flips=True), ids),
        "texts": (
            pair(mm.Accuracy, list_flips=True),
            {"ids": [f"t{n}" for n in np.random.default_rng(0).permutation(COUNT)]},
        ),
        "level": (pair(partial(mm.Accuracy, interval=0.95), interval=0.8), ids),
        "anytime": (pair(mm.Accuracy, anytime=True, planned=100), ids),
        "anytime, F": (pair(f1, anytime=True, planned=30), ids),
        "clusters": (pair(mm.Accuracy), {**ids, "clusters": _letters(6, 4)}),
        "clusters, F": (pair(f1), {**ids, "clusters": _letters(6, 4)}),
        "kappa": (pair(partial(mm.CohenKappa, 3)), ids),
        "errors": (pair(mm.MeanSquaredError), ids),
        "own statistic": (pair(Counts), ids),
        "maximum": (pair(Share), ids),
        "rows": (pair(Order), ids),
        "own add": (pair(Flipped), ids),
        "slices, F": (pair(sliced(f1)), by),
        "slices, clusters": (pair(sliced(mm.Accuracy)), {**by, "clusters": _letters(6, 4)}),
    }
    for correction in ("holm", "bh", None):
        made = pair(sliced(mm.Accuracy), correction=correction, list_flips=True)
        found[f"slices, {correction}"] = (made, by)
    return found


def _refused_pairs(see: Sight) -> None:
    """What pairs refuse."""
    predictions, labels = classes(COUNT)

    def pair(**sides: Any) -> Any:
        one = mm.Paired(mm.Accuracy(), dist_backend="non_dist")
        for side in "ab":
            named = sides.get(side, {"ids": np.arange(COUNT)})
            if named is not None:
                getattr(one, side).add(predictions, labels, **named)
        return told(one)

    see("no ids", lambda: pair(a={}, b={}))
    see("ids in one", lambda: pair(b={}))
    see("one system", lambda: pair(b=None))
    see("other ids", lambda: pair(b={"ids": np.arange(COUNT) + 1}))
    see("other kinds", lambda: pair(b={"ids": [f"{n}" for n in range(COUNT)]}))
    see("clusters in one", lambda: pair(b={"ids": np.arange(COUNT), "clusters": _letters()}))
    see("other order", lambda: pair(b={"ids": np.arange(COUNT)[::-1]}))
    for number, options in enumerate(
        (
            {"correction": "none"},
            {"anytime": True},
            {"planned": 3},
            {"anytime": True, "planned": 0},
            {"interval": 1},
            {"interval": "x"},
        )
    ):
        see(f"options {number}", lambda o=options: mm.Paired(mm.Accuracy(), **o))
    see("a mapping", lambda: mm.Paired({"a": mm.Accuracy()}))  # type: ignore[arg-type]
    see(
        "slices of two",
        lambda: mm.Paired(mm.Sliced({"a": mm.Accuracy(), "b": mm.Accuracy()}, by="x")),
    )


# Windows --------------------------------------------------------------------------------------


def _windows() -> dict[str, Callable[[Any], Any]]:
    def window(make: Callable[[], Any], *sizes: int) -> Callable[[Any], Any]:
        return lambda backend: mm.Windowed(make(), *sizes, dist_backend=backend)

    shared = _collections()["shared"]
    return {
        "of one": window(partial(mm.Accuracy, interval=0.9), 1, 1),
        "of ten": window(partial(mm.Accuracy, interval=0.9), 10),
        "of all": window(mm.Accuracy, 100, 4),
        "maximum": window(Share, 6, 3),
        "rows": window(Order, 6, 3),
        "lists": window(Lists, 6, 2),
        "own add": window(Flipped, 6, 2),
        "remembers": window(Remembers, 6, 2),
        "collection": window(lambda: mm.MetricCollection(shared()), 8, 2),
        "collection of lists": window(
            lambda: mm.MetricCollection(a=Lists(), b=mm.Accuracy()), 8, 2
        ),
        "running of one": lambda b: mm.Running(mm.Accuracy(), 1, dist_backend=b),
        "running, interval": lambda b: mm.Running(mm.Accuracy(interval=0.9), 9, dist_backend=b),
        "running, maximum": lambda b: mm.Running(Share(), 9, dist_backend=b),
        "running, own interval": lambda b: mm.Running(
            mm.Accuracy(), 9, interval=0.8, name="last", dist_backend=b
        ),
    }


def _steps(see: Sight) -> None:
    """Windows after every batch, of many sizes; what they refuse."""
    predictions, labels = classes(60, 9)

    def stepped(make: Callable[[], Any], sizes: tuple[int, ...]) -> Any:
        metric = make()
        found, start = [], 0
        while start < 60:
            stop = min(60, start + sizes[len(found) % len(sizes)])
            metric.add(predictions[start:stop], labels[start:stop])
            found.append(told(metric))
            start = stop
        return found

    makers: dict[str, Callable[[], Any]] = {
        "window": lambda: mm.Windowed(mm.Accuracy(interval=0.9), 12, 4, dist_backend="non_dist"),
        "maxima": lambda: mm.Windowed(Share(), 12, 3, dist_backend="non_dist"),
        "running": lambda: mm.Running(mm.Accuracy(interval=0.9), 12, dist_backend="non_dist"),
    }
    for name, make in makers.items():
        for sizes in ((1,), (3, 5), (20, 1), (60,)):
            see(f"{name}, batches of {sizes}", partial(stepped, make, sizes))
    window = makers["window"]
    see("ids", lambda: window().add([1], [1], ids=[0]))
    see("clusters", lambda: _after(window(), [1, 0], [1, 1], clusters=["a", "b"]))
    see("running, ids", lambda: _after(makers["running"](), [1, 0], [1, 1], ids=[1, 0]))
    see("running, clusters", lambda: _after(makers["running"](), [1], [1], clusters=["a"]))
    for number, arguments in enumerate(((0,), (10, 3), (10, 0), (True,), (1.5,), ("x",))):
        see(f"window {number}", lambda a=arguments: mm.Windowed(mm.Accuracy(), *a))
    see("running, window 0", lambda: mm.Running(mm.Accuracy(), 0))


def _after(metric: Any, *batch: Any, **named: Any) -> Any:
    metric.add(*batch, **named)
    return told(metric)


# Records --------------------------------------------------------------------------------------


def _records() -> dict[str, tuple[Callable[[Any], Any], dict[str, Any]]]:
    ids: dict[str, Any] = {"ids": np.arange(COUNT)}
    by = {"by": {"x": _letters()}}
    shared = _collections()["shared"]

    def record(make: Callable[[], Any]) -> Callable[[Any], Any]:
        return lambda backend: mm.Recorded(make(), dist_backend=backend)

    return {
        "metric": (record(mm.Accuracy), ids),
        "without ids": (record(partial(mm.Accuracy, interval=0.9)), {}),
        "texts": (record(mm.Accuracy), {"ids": [f"i{n}" for n in range(COUNT)]}),
        "clusters": (record(partial(mm.Accuracy, interval=0.9)), {"clusters": _letters(6, 4)}),
        "mapping": (record(shared), ids),
        "collection": (record(lambda: mm.MetricCollection(shared(), prefix="p_")), {}),
        "slices": (record(lambda: mm.Sliced(mm.Accuracy(interval=0.9), by="x")), {**ids, **by}),
        "slices of many": (record(lambda: mm.Sliced(shared(), by="x", summaries=True)), by),
        "own statistic": (record(Counts), ids),
        "lists": (record(Lists), {}),
    }


def _try_record(make: Callable[[Any], Any], columns: dict[str, Any], see: Sight) -> None:
    whole = Wrapped(mm.Accuracy, classes(COUNT), lambda _, b: make(b), columns)
    subject = whole.subject()
    battery(see, subject, drawn=True)
    see("record", lambda: _record(subject.fill(subject.alone())))
    see("record of 2 ranks", lambda: _record_of_ranks(subject))
    see("record of shards", lambda: _record_of_shards(subject))
    see("record with request", lambda: _record(subject.fill(subject.alone()), {"files": ["a"]}))
    see("record too early", lambda: subject.fill(subject.alone()).record())
    see("record after merge", lambda: _record(mm.merge(subject.halves())))


def _record(one: Any, *arguments: Any) -> Any:
    one.compute()
    record = json.loads(json.dumps(one.record(*arguments)))
    return [record["claim"], record["id"], sorted(record)]


def _record_of_ranks(subject: Subject) -> Any:
    world = Counted(2)
    places = np.arange(subject.count)

    def evaluate(backend: Any) -> Any:
        return _record(subject.fill(subject.make(backend), places[backend.rank :: 2]))

    return Seen(world.run(evaluate), world=world)


def _record_of_shards(subject: Subject) -> Any:
    one, other = subject.alone(), subject.alone()
    for number, part in enumerate(np.array_split(np.arange(subject.count), 3)):
        one.shard = f"file-{number % 2}"
        subject.fill(one, part)
    other.load_state_dict(one.state_dict())
    found = [_record(one), {name: list(shard) for name, shard in one.shards.items()}]
    return [*found, _record(other), _record(mm.merge([one, subject.alone()]))]


def _verified(see: Sight) -> None:
    """What is said of records that differ."""
    predictions, labels = classes(COUNT)

    def record(metric: Any = None, **changes: Any) -> Any:
        one = mm.Recorded(mm.Accuracy() if metric is None else metric, dist_backend="non_dist")
        given = {"predictions": predictions, "labels": labels, "ids": np.arange(COUNT), **changes}
        one.add(**given)
        one.compute()
        return one.record()

    others: dict[str, Callable[[], Any]] = {
        "same": record,
        "label": lambda: record(labels=np.where(np.arange(COUNT) == 3, 0, labels)),
        "ids": lambda: record(ids=np.arange(COUNT) + 1),
        "options": lambda: record(mm.Accuracy(topk=1, interval=0.9)),
        "metric": lambda: record(mm.CohenKappa(3)),
        "fewer": lambda: record(
            predictions=predictions[1:], labels=labels[1:], ids=np.arange(1, COUNT)
        ),
    }
    for name, other in others.items():
        see(name, lambda o=other: _words(mm.verify(record(), o())))
    see("no record", lambda: mm.verify({}, record()))


def _words(differences: Any) -> Any:
    return Seen([type(one).__name__ for one in differences], [*map(str, differences)])


# Tables ---------------------------------------------------------------------------------------


def _scored(see: Sight) -> None:
    """Tables of columns."""
    predictions, labels = classes(COUNT)
    rng = np.random.default_rng(8)
    table = {
        "id": [*range(COUNT - 1), 0],
        "predictions": predictions.tolist(),
        "y_true": labels.tolist(),
        "day": ["mon" if number else None for number in rng.integers(0, 2, COUNT)],
        "doc": rng.integers(0, 5, COUNT).tolist(),
        **{f"p_{number}": rng.random(COUNT).tolist() for number in range(3)},
    }
    metrics: dict[str, Callable[[], Any]] = {
        "metric": mm.Accuracy,
        "sure": partial(mm.Accuracy, interval=0.95),
        "mapping": lambda: {"a": mm.Accuracy(), "k": mm.CohenKappa(3)},
        "collection": lambda: mm.MetricCollection(_collections()["shared"](), prefix="p_"),
        "own": Counts,
        "list": Lists,
    }
    for name, make in metrics.items():
        see(f"{name}", lambda m=make: _score(table, m()))
        see(f"{name}, by", lambda m=make: _score(table, m(), by=["day", ("day", "doc")]))
        see(f"{name}, ids", lambda m=make: _score(table, m(), ids="id"))
        see(f"{name}, clusters", lambda m=make: _score(table, m(), clusters="doc"))
        see(f"{name}, columns", lambda m=make: _score(table, m(), labels="y_true"))
    see("pattern", lambda: mm.score(table, mm.Accuracy(), predictions="p_*"))
    see("list of columns", lambda: mm.score(table, mm.Accuracy(), predictions=["p_2", "p_0"]))
    see("no column", lambda: mm.score(table, mm.Accuracy(), predictions="none"))
    see("no argument", lambda: mm.score(table, mm.Accuracy(), nothing="p_0"))
    see("no table", lambda: mm.score(1, mm.Accuracy()))
    see("no metric", lambda: mm.score(table, 1))  # type: ignore[arg-type]
    see("a pair", lambda: mm.score(table, mm.Paired(mm.Accuracy())))  # type: ignore[arg-type]


def _score(table: Any, metric: Any, **columns: Any) -> Any:
    found = mm.score(table, metric, **columns)
    return [found, found.samples, found.report, dict(found.intervals)]
