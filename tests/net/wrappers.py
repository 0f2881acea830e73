"""What stands around metrics: collections, slices, pairs, windows, records; alone and in pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

import mmeval_like as mm

from .battery import Subject, battery
from .metrics import Counts, Flipped, Forgets, Half, Lists, Order, Remembers, Share, Skips
from .seeing import Sight, taken

__all__ = ["Wrapped", "classes", "groups"]

Make = Callable[..., Any]


def classes(count: int = 24, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return predictions and labels of three classes."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, count)
    return np.where(rng.random(count) < 0.6, labels, rng.integers(0, 3, count)), labels


def _of_case(name: str, **fixed: Any) -> tuple[Make, tuple[Any, ...]]:
    from tests.metric_cases import CASES

    case = CASES[name]
    count = min(case.most, 24)
    return partial(case.make, **fixed), case.samples(np.random.default_rng(3), count)


def _metrics() -> dict[str, tuple[Make, tuple[Any, ...]]]:
    rng = np.random.default_rng(1)
    sure: dict[str, Any] = {"interval": 0.95}
    numbers = (rng.normal(size=24), rng.normal(size=24))
    scores = (rng.random(24).round(2), rng.integers(0, 2, 24))
    return {
        "Accuracy": (partial(mm.Accuracy, **sure), classes()),
        "Accuracy, plain": (mm.Accuracy, classes()),
        "MeanSquaredError": (partial(mm.MeanSquaredError, **sure), numbers),
        "FBetaScore": (
            partial(mm.FBetaScore, task="multiclass", num_classes=3, average=None, **sure),
            classes(),
        ),
        "ConfusionMatrix": (partial(mm.ConfusionMatrix, 3), classes()),
        "CohenKappa": (partial(mm.CohenKappa, 3, **sure), classes()),
        "AUROC": (partial(mm.AUROC, task="binary", **sure), scores),
        "Mean": (partial(mm.Mean, **sure), (rng.normal(size=24),)),
        "Max": (mm.Max, (rng.normal(size=24),)),
        "BLEU": _of_case("BLEU", **sure),
        "WordErrorRate": _of_case("WordErrorRate", **sure),
        "COCODetection": _of_case("COCODetection_bbox"),
        "Lists": (Lists, classes()),
        "Forgets": (Forgets, classes()),
        "Counts": (partial(Counts, **sure), classes()),
        "Share": (partial(Share, **sure), classes()),
        "Order": (Order, classes()),
        "Flipped": (partial(Flipped, **sure), classes()),
        "Half": (Half, classes()),
        "Skips": (Skips, classes()),
        "Remembers": (Remembers, classes()),
    }


# How one stands around another: each takes what it is put around, and a backend or None.
AROUND: dict[str, Callable[[Any, Any], Any]] = {
    "Collection": lambda inner, backend: mm.MetricCollection({"z": inner}, backend),
    "Sliced": lambda inner, backend: mm.Sliced(inner, by="x", dist_backend=backend),
    "Paired": lambda inner, backend: mm.Paired(inner, dist_backend=backend),
    "Windowed": lambda inner, backend: mm.Windowed(inner, 8, 4, dist_backend=backend),
    "Running": lambda inner, backend: (
        mm.Running(inner, 7) if backend is None else mm.Running(inner, 7, dist_backend=backend)
    ),
    "Recorded": lambda inner, backend: mm.Recorded(inner, dist_backend=backend),
}


class Wrapped:
    """A subject that is made of a metric and what stands around it, from the inside out.

    Args:
        make: Makes the metric.
        data: The arguments of `add`, of all samples.
        around: Names of `AROUND`, the innermost first; or the whole, of a metric's `make` and a
            backend.
        columns: What `add` is given by name, one entry for each sample; `by` is a dict of such.
        paired: Whether two systems get the samples.
    """

    def __init__(
        self,
        make: Make,
        data: tuple[Any, ...],
        around: tuple[str, ...] | Callable[[Make, Any], Any],
        columns: Mapping[str, Any] | None = None,
        *,
        paired: bool | None = None,
    ) -> None:
        self.make_metric, self.data, self.around = make, data, around
        self.count = len(data[0])
        self.columns = {} if columns is None else dict(columns)
        names = around if isinstance(around, tuple) else ()
        self.paired = "Paired" in names if paired is None else paired
        letters = np.random.default_rng(5).integers(0, 3, self.count)
        if "Sliced" in names:
            self.columns.setdefault("by", {"x": ["abc"[number] for number in letters]})
        if self.paired:
            self.columns.setdefault("ids", np.arange(self.count))

    def subject(self) -> Subject:
        """Return what the battery tries."""
        return Subject(self.make, self.feed, self.count, None if self.paired else self.call)

    def make(self, backend: Any) -> Any:
        """Return one without samples; the outermost gets the backend."""
        if not isinstance(self.around, tuple):
            return self.around(self.make_metric, backend)
        if not self.around:
            return self.make_metric(dist_backend=backend)
        one = self.make_metric()
        for name in self.around[:-1]:
            one = AROUND[name](one, None)
        return AROUND[self.around[-1]](one, backend)

    def batch(self, places: np.ndarray, roll: int = 0) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the arguments of a batch; with `roll` those of another system."""
        named: dict[str, Any] = {}
        for name, column in self.columns.items():
            if isinstance(column, dict):
                named[name] = {n: [one[place] for place in places] for n, one in column.items()}
            else:
                named[name] = [column[place] for place in places]
        if not roll:
            return taken(self.data, places), named
        moved = (np.asarray(places) + roll) % self.count
        # The first argument of other samples; where its samples have sizes, all arguments.
        first = self.data[0]
        free = isinstance(first, np.ndarray) or isinstance(first[0], str | dict)
        free = free and len(self.data) > 1
        if free:
            first = taken(self.data[:1], moved)
            return (*first, *taken(self.data[1:], places)), named
        return taken(self.data, moved), named

    def feed(self, one: Any, places: np.ndarray) -> None:
        """Add a batch."""
        for side, roll in ((one.a, 0), (one.b, 2)) if self.paired else ((one, 0),):
            arguments, named = self.batch(places, roll)
            side.add(*arguments, **named)

    def call(self, one: Any, places: np.ndarray) -> Any:
        """Call it with a batch."""
        arguments, named = self.batch(places)
        named = {name: column for name, column in named.items() if name != "ids"}
        return one(*arguments, **named)


def _try(wrapped: Wrapped, drawn: bool, see: Sight) -> None:
    battery(see, wrapped.subject(), drawn=drawn)


DEEP = ("Accuracy", "FBetaScore", "MeanSquaredError", "Lists", "Flipped")


def groups() -> Iterator[tuple[str, Callable[[Sight], None]]]:
    """Yield every group of checks."""
    for name, (make, data) in _metrics().items():
        for outer in ("", *AROUND):
            around = (outer,) if outer else ()
            drawn = name in ("Accuracy", "FBetaScore", "ConfusionMatrix", "AUROC")
            yield (
                f"wrap/{outer or 'plain'}({name})",
                partial(_try, Wrapped(make, data, around), drawn),
            )
    metrics = _metrics()
    for name in DEEP:
        make, data = metrics[name]
        for outer in AROUND:
            for inner in AROUND:
                wrapped = Wrapped(make, data, (inner, outer))
                yield f"wrap/{outer}({inner}({name}))", partial(_pair, wrapped)


def _pair(wrapped: Wrapped, see: Sight) -> None:
    """Try a pair; of one that is refused, or cannot be used, only that."""
    subject = wrapped.subject()

    def used() -> str:
        one = subject.fill(subject.alone())
        one.compute()
        return type(one).__name__

    see("used", used)
    if "value" in see.checks[f"{see.group}/used"]:
        battery(see, subject)
