"""What can be set after the constructor, and evaluations in which it is set: a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import mmeval_like as mm
from mmeval_like import Statistic, state


@dataclass(frozen=True)
class Above(Statistic):
    """How many values are above a limit: the states are the same for every limit."""

    limit: float

    def states(self) -> dict[str, Any]:
        """One sum."""
        return {"above": state.sum(int)}

    def rows(self, values: Any) -> dict[str, Any]:
        """Whether each value is above the limit."""
        return {"above": (np.asarray(values) > self.limit).astype(int)}


class Below(Statistic):
    """A statistic that is no dataclass; its limit may be changed in place."""

    def __init__(self, limit: float) -> None:
        self.limit = limit

    def states(self) -> dict[str, Any]:
        """One sum."""
        return {"above": state.sum(int)}

    def rows(self, values: Any) -> dict[str, Any]:
        """Whether each value is below the limit."""
        return {"above": (np.asarray(values) < self.limit).astype(int)}


def half(value: float) -> float:
    """A function that is an option."""
    return value / 2


def twice(value: float) -> float:
    """Another one."""
    return value * 2


class Scaled(mm.BaseMetric):
    """The base class, with an option that is an attribute, and one that is a function."""

    def __init__(self, factor: float = 1.0, finish: Any = half, **options: Any) -> None:
        super().__init__(**options)
        self.factor, self.finish = factor, finish


class Tuned(Scaled):
    """Options in an attribute, under a name with an underscore, behind a property, in a list."""

    def __init__(
        self,
        plus: float = 0.0,
        hidden: float = 0.0,
        kept: float = 0.0,
        *,
        many: Any = (),
        **rest: Any,
    ) -> None:
        super().__init__(**rest)
        self.plus, self._hidden, self.many = plus, hidden, many
        self._elsewhere = {"kept": kept}
        self.statistic = Above(0.5)

    @property
    def kept(self) -> float:
        """An option that no attribute holds."""
        return self._elsewhere["kept"]

    @kept.setter
    def kept(self, value: float) -> None:
        self._elsewhere = {"kept": value}

    def compute_metric(self, results: Any) -> dict[str, Any]:
        """A number that depends on every option."""
        number = results.above * self.factor + self.plus + self._hidden + self.kept
        return {"number": float(self.finish(number + sum(self.many)))}


class Listed(mm.BaseMetric):
    """A metric in MMEval's way, with an option."""

    def __init__(self, factor: float = 1.0, **options: Any) -> None:
        super().__init__(**options)
        self.factor = factor

    def add(self, values: Any) -> None:
        """Append the values."""
        self._results += list(values)

    def compute_metric(self, results: Any) -> dict[str, Any]:
        """The first value and the number of values, which depend on the collect mode."""
        return {"number": self.factor * len(results), "order": list(map(float, results))}


def inner(evaluation: Any) -> Any:
    """The metric of an evaluation, or its first one."""
    metric = next(evaluation.plan.places()).metric
    return evaluation if isinstance(evaluation, mm.BaseMetric) else metric


def sides(evaluation: Any) -> list[Any]:
    """The metrics of an evaluation that change together: those of both systems of a pair."""
    if isinstance(evaluation, mm.Paired):
        return [inner(evaluation.a), inner(evaluation.b)]
    return [inner(evaluation)]


def setting(name: str, value: Any) -> Callable[[Any], None]:
    """A change: an attribute of the metric is set."""

    def change(evaluation: Any) -> None:
        for metric in sides(evaluation):
            setattr(metric, name, value)

    return change


def setting_outside(name: str, value: Any) -> Callable[[Any], None]:
    """A change: an attribute of the evaluation itself is set."""
    return lambda evaluation: setattr(evaluation, name, value)


def in_place(evaluation: Any) -> None:
    """A list is changed in place."""
    for metric in sides(evaluation):
        metric.many.append(3.0)


def deleted(evaluation: Any) -> None:
    """An attribute is deleted, after it was set."""
    for metric in sides(evaluation):
        metric.plus = 7.0
        del metric._hidden
        metric._hidden = 1.0


def without_setattr(evaluation: Any) -> None:
    """A subclass's own property sets what the option is."""
    setting("kept", 4.0)(evaluation)


EVERY: dict[str, Callable[[Any], None]] = {
    "dataset_meta": setting("dataset_meta", {"source": "b"}),
    "name": setting("name", "validation"),
    "interval": setting("interval", 0.9),
}
OWN: dict[str, Callable[[Any], None]] = {
    "statistic": setting("statistic", Above(0.1)),
    "statistic, no dataclass": setting("statistic", Below(0.7)),
    "option": setting("plus", 2.0),
    "option of the base": setting("factor", 3.0),
    "option with an underscore": setting("_hidden", 2.0),
    "option behind a property": setting("kept", 2.0),
    "option that is a function": setting("finish", twice),
    "option that is a list": setting("many", [1.0, 2.0]),
    "deleted": deleted,
    **EVERY,
}
OUTSIDE: dict[str, Callable[[Any], None]] = {"mode": setting_outside("dist_collect_mode", "cat")}


@dataclass(frozen=True)
class Case:
    """An evaluation, how a rank adds to it, and what can be set late."""

    make: Callable[..., Any]
    add: Callable[[Any, int], None]
    changes: dict[str, Callable[[Any], None]]


def plain(evaluation: Any, rank: int) -> None:
    """Add two values."""
    evaluation.add([0.2 + rank, 0.6])


def labelled(evaluation: Any, rank: int) -> None:
    """Add two predicted classes."""
    evaluation.add([1, 0], [1, rank])


def numbers(evaluation: Any, rank: int) -> None:
    """Add two predicted numbers."""
    evaluation.add([1.0, 0.5], [1.0, rank])


def by_slice(evaluation: Any, rank: int) -> None:
    """Add two values with their slices."""
    evaluation.add([0.2 + rank, 0.6], by={"part": ["x", "y"]})


def to_sides(pair: Any, rank: int) -> None:
    """Add two values to both systems."""
    ids = [2 * rank, 2 * rank + 1]
    pair.a.add([0.2 + rank, 0.6], ids=ids)
    pair.b.add([0.7, 0.1 + rank], ids=ids)


CASES: dict[str, Case] = {
    "Tuned": Case(Tuned, plain, {**OWN, **OUTSIDE}),
    # A list that is an option is read again at every compute; all others know their identity.
    "Growing": Case(lambda **o: Tuned(many=[0.0], **o), plain, {"list in place": in_place}),
    "Listed": Case(Listed, plain, {"option": setting("factor", 3.0), **EVERY, **OUTSIDE}),
    "Accuracy": Case(
        mm.Accuracy,
        labelled,
        {"classes": setting("dataset_meta", {"classes": "ab"}), **EVERY, **OUTSIDE},
    ),
    "MSE": Case(mm.MeanSquaredError, numbers, {**EVERY, **OUTSIDE}),
    "F1": Case(lambda **o: mm.F1Score(num_classes=2, **o), labelled, {**EVERY, **OUTSIDE}),
    "MetricCollection": Case(
        lambda **o: mm.MetricCollection({"a": Tuned(), "b": Tuned(1.0)}, **o),
        plain,
        {
            **OWN,
            **OUTSIDE,
            "prefix": setting_outside("prefix", "val_"),
            "its name": setting_outside("name", "validation"),
        },
    ),
    "nested": Case(
        lambda **o: mm.MetricCollection([mm.MetricCollection([Tuned()], prefix="in_")], **o),
        plain,
        {**OWN, **OUTSIDE},
    ),
    "Sliced": Case(lambda **o: mm.Sliced(Tuned(), by="part", **o), by_slice, {**OWN, **OUTSIDE}),
    "Running": Case(
        lambda **o: mm.Running(Tuned(), 3, **o),
        plain,
        {**OWN, **OUTSIDE, "its name": setting_outside("name", "last")},
    ),
    "Windowed": Case(lambda **o: mm.Windowed(Tuned(), 4, 2, **o), plain, {**OWN, **OUTSIDE}),
    "Recorded": Case(lambda **o: mm.Recorded(Tuned(), **o), plain, {**OWN, **OUTSIDE}),
    "Paired": Case(
        lambda **o: mm.Paired(Tuned(), **o),
        to_sides,
        {
            **{name: change for name, change in OWN.items() if name != "interval"},
            **OUTSIDE,
            "its level": setting_outside("interval", 0.9),
            "its correction": setting_outside("correction", "bh"),
            "its list of flips": setting_outside("list_flips", True),
        },
    ),
}
WHEN = ("before a compute", "after a compute")
LATE = [(case, change) for case, known in CASES.items() for change in known.changes]


def evaluated(backend: Any, case: str, change: str, when: str, ranks: tuple[int, ...]) -> Any:
    """Return the result of an evaluation in which some ranks set something late."""
    known = CASES[case]
    evaluation = known.make(dist_backend=backend)
    _ = evaluation.plan.identity
    if when == "after a compute":
        known.add(evaluation, backend.rank)
        evaluation.compute()
        evaluation.reset()
    if backend.rank in ranks:
        known.changes[change](evaluation)
    known.add(evaluation, backend.rank)
    return evaluation.compute()
