"""What is tried with whatever computes a result: a metric, or what stands around it."""

from __future__ import annotations

import copy
import pickle
import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import mmeval_like as mm

from .kit import shards_of, told
from .seeing import Counted, Seen, Sight

__all__ = ["Subject", "battery", "page_of", "shown"]


@dataclass(frozen=True)
class Subject:
    """What is tried.

    Attributes:
        make: Returns one without samples, for a backend.
        feed: Adds the samples of these places, in one batch; takes `batch` arguments of `call` too.
        count: How many samples there are.
        call: Calls it with the samples of these places; None: it cannot be called.
    """

    make: Callable[[Any], Any]
    feed: Callable[[Any, np.ndarray], None]
    count: int
    call: Callable[[Any, np.ndarray], Any] | None = None

    def alone(self) -> Any:
        """Return one of one process."""
        return self.make("non_dist")

    def fill(self, one: Any, places: Any = None) -> Any:
        """Return it after it got samples in two batches."""
        wanted = np.arange(self.count) if places is None else np.asarray(places, int)
        for part in np.array_split(wanted, 2):
            if len(part):
                self.feed(one, part)
        return one

    def halves(self) -> list[Any]:
        """Return two with half of the samples each."""
        return [self.fill(self.alone(), part) for part in np.array_split(range(self.count), 2)]


def battery(see: Sight, subject: Subject, prefix: str = "", *, drawn: bool = False) -> None:
    """Try everything with a subject; `drawn` with pictures and pages, which take longer."""
    checks: dict[str, Callable[[], Any]] = {
        "compute": lambda: told(subject.fill(subject.alone())),
        "no samples": lambda: told(subject.alone()),
        "twice": lambda: _twice(subject),
        "call": lambda: _called(subject),
        "local": lambda: subject.fill(subject.alone()).compute_local(),
        "later": lambda: _later(subject),
        "merge": lambda: _merged(subject),
        "add two": lambda: told(mm.merge(subject.halves())),
        "subtract": lambda: _subtracted(subject),
        "reset": lambda: _anew(subject),
        "state_dict": lambda: _by_dict(subject),
        "bytes": lambda: _by_bytes(subject),
        "file": lambda: _by_files(subject),
        "copies": lambda: _copied(subject),
        "block": lambda: _block(subject),
        "size": lambda: subject.fill(subject.alone()).compute(subject.count),
        "remaining": lambda: subject.fill(subject.alone()).remaining(subject.count + 1),
        "shown": lambda: shown(subject.fill(subject.alone())),
        "gates": lambda: _gated(subject),
        "2 ranks": lambda: _world(subject, 2),
        "2 ranks, members only": lambda: _world(subject, 2, members_only=True),
        "2 ranks, later": lambda: _world(subject, 2, later=True),
        "3 ranks": lambda: _world(subject, 3),
        "2 ranks, uneven calls": lambda: _uneven(subject),
    }
    if drawn:
        checks |= {"page": lambda: page_of(subject.fill(subject.alone()))}
        checks |= {"plot": lambda: _plotted(subject)}
    for name, check in checks.items():
        see(f"{prefix}{name}", check)


def shown(one: Any) -> Any:
    """Return how it is shown, where classes are as texts that may change."""
    rich = type(one.__rich__()).__name__ if hasattr(one, "__rich__") else None
    return Seen([rich], [repr(one), one._repr_html_() if hasattr(one, "_repr_html_") else None])


def page_of(one: Any) -> Any:
    """Return the numbers of the page of a report; its texts apart."""
    with tempfile.TemporaryDirectory(prefix="net-") as folder:
        path = Path(folder, "page.html")
        mm.report(one, path)
        page = path.read_text(encoding="utf-8")
    page = re.sub(r"<(style|script)\b.*?</\1>|<meta[^>]*>", "", page, flags=re.DOTALL)
    words = re.sub(r"<[^>]*>", " ", page).split()
    return Seen([word for word in words if any(map(str.isdigit, word))], [page])


def _twice(subject: Subject) -> Any:
    one = subject.fill(subject.alone())
    return [told(one), told(one), told(subject.fill(one))]


def _called(subject: Subject) -> Any:
    if subject.call is None:
        return "it takes no calls"
    one = subject.fill(subject.alone())
    return [subject.call(one, np.arange(subject.count // 2)), told(one)]


def _later(subject: Subject) -> Any:
    one = subject.fill(subject.alone())
    handle = one.compute_async()
    one.reset()
    return [handle.result(), one.compute()]


def _merged(subject: Subject) -> Any:
    first, second = subject.halves()
    first.merge(second)
    return [told(first), told(second)]


def _subtracted(subject: Subject) -> Any:
    first, second = subject.halves()
    first.merge(second)
    first.subtract(second)
    return told(first)


def _anew(subject: Subject) -> Any:
    one = subject.fill(subject.alone(), range(3))
    one.reset()
    return told(subject.fill(one))


def _by_dict(subject: Subject) -> Any:
    one, other = subject.fill(subject.alone()), subject.fill(subject.alone(), range(2))
    kept = one.state_dict()
    other.load_state_dict(kept)
    return Seen(told(other), [len(kept)])


def _by_bytes(subject: Subject) -> Any:
    data = subject.fill(subject.alone()).to_bytes()
    return Seen(told(subject.alone().from_bytes(data)), [len(data)])


def _by_files(subject: Subject) -> Any:
    with tempfile.TemporaryDirectory(prefix="net-") as folder:
        paths = [Path(folder, str(number)) for number in range(2)]
        for one, path in zip(subject.halves(), paths, strict=True):
            one.save(path)
        one = subject.alone()
        one.load(paths)
        return told(one)


def _copied(subject: Subject) -> Any:
    one = subject.fill(subject.alone(), range(4))
    others = [copy.deepcopy(one), pickle.loads(pickle.dumps(one))]
    for other in others:
        subject.fill(other)
    return [told(each) for each in (one, *others)]


def _block(subject: Subject) -> Any:
    one = subject.alone()
    with one.evaluation() as run:
        subject.fill(one)
    return run.result


def _gated(subject: Subject) -> Any:
    one = subject.fill(subject.alone())
    one.compute()
    keys = [key for key in _keys(one.intervals) if not key.endswith("_difference")]
    keys += [key.removesuffix("_difference") for key in _keys(one.intervals)]
    bounds = [{"at_least": 0.4}, {"at_most": 0.4}, {"margin": 0.1}]
    found = []
    for key in [*dict.fromkeys(keys), "none"]:
        for bound in bounds:
            try:
                found.append([key, mm.gate(one, key, **bound)])
            except (TypeError, ValueError, AttributeError) as error:
                found.append([key, type(error).__name__])
    return found


def _keys(intervals: Any) -> list[str]:
    if "all" in intervals and isinstance(intervals["all"], dict):
        intervals = intervals["all"]
    found = []
    for key, one in intervals.items():
        found += [f"{key}.{name}" for name in _keys(one)] if isinstance(one, dict) else [key]
    return found


def _world(subject: Subject, ranks: int, members_only: bool = False, later: bool = False) -> Any:
    world = Counted(ranks, members_only=members_only)
    shards = shards_of(subject.count, ranks, "unzip")

    def evaluate(backend: Any) -> Any:
        one = subject.fill(subject.make(backend), shards[backend.rank])
        return told(one, one.compute_async().result()) if later else told(one)

    return Seen(world.run(evaluate), world=world)


def _uneven(subject: Subject) -> Any:
    """Ranks call a metric on batches unequally often, and then compute it and another one."""
    world = Counted(2)

    def evaluate(backend: Any) -> Any:
        one, other = subject.make(backend), subject.make(backend)
        shard = shards_of(subject.count, 2, "unzip")[backend.rank]
        subject.fill(one, shard)
        calls = 0 if subject.call is None else 3 * (1 - backend.rank) + 1
        for _ in range(calls):
            subject.call(one, shard[:2])
        subject.fill(other, shard[:3])
        return [told(one), told(other), told(subject.fill(subject.make(backend), shard))]

    return Seen(world.run(evaluate), world=world)


def _plotted(subject: Subject) -> Any:
    from matplotlib import pyplot as plt

    figure = subject.fill(subject.alone()).plot()
    lines = [
        [np.asarray(line.get_xdata(), float), np.asarray(line.get_ydata(), float)]
        for axes in figure.axes
        for line in axes.lines
    ]
    patches = [[*patch.get_extents().bounds] for axes in figure.axes for patch in axes.patches]
    plt.close(figure)
    return Seen([len(figure.axes), lines, patches], [mm.plots.alternative(figure)])
