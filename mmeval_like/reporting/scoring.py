"""The facts of one system's score: the values, their uncertainty, and the weakest slices."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from mmeval_like._base.account import Account
from mmeval_like._core.evaluation import Evaluation
from mmeval_like._intervals.interval import share as as_share
from mmeval_like._intervals.jackknife.estimand import range_of
from mmeval_like._verdicts.bounds import at_bound, exact
from mmeval_like.plots.reading import Number, Part, Slice, number_text
from mmeval_like.reporting.each import Each
from mmeval_like.reporting.forest import Forest, Row, Taken, classes, slices
from mmeval_like.reporting.sections import Card, Histogram, bins, place_of, texts_of
from mmeval_like.reporting.study import Study
from mmeval_like.reporting.unscored import Lost, Unscored, unscored
from mmeval_like.reporting.words import Scale, called, clipped, label_of

__all__ = ["Score", "score_story"]

_FORESTS = 6  # numbers whose slices are shown
_CARDS = 6
_LARGEST = 12  # the most classes of a confusion matrix that is shown as a table
_PAIRS = 6  # errors that are listed
_SHADES = 10
_LEVEL = 0.95  # of the interval of the accuracy that the confidence is compared with


@dataclass(frozen=True)
class Scored:
    """A number of all samples.

    Attributes:
        part: The values of its metric.
        key: Its key.
        number: The number, with its interval.
        label: Its name on the page.
        scale: Its format.
        bounds: Its range.
        better: Whether more is better; None: unknown.
        of_samples: Whether its metric counts every sample once, as right or wrong.
    """

    part: Part
    key: str
    number: Number
    label: str
    scale: Scale
    bounds: tuple[float, float]
    better: bool | None
    of_samples: bool

    @property
    def value(self) -> float:
        """The number itself."""
        return float(self.number.value)

    @property
    def low(self) -> float:
        """The lower end of its interval; nan: no interval."""
        return self.number.low

    @property
    def high(self) -> float:
        """The upper end of its interval; nan: no interval."""
        return self.number.high

    @property
    def span(self) -> str:
        """Its interval; empty without one."""
        return self.scale.span(self.low, self.high)

    @property
    def possible(self) -> str:
        """Its values that samples without a score may give it; empty: unknown."""
        return "" if self.number.span is None else self.scale.span(*self.number.span)

    @property
    def is_between(self) -> bool:
        """Whether it has an interval."""
        return not math.isnan(self.low) and not math.isnan(self.high)

    @property
    def level(self) -> float:
        """The level of its interval."""
        return float(getattr(self.number.interval, "level", 0.95))

    @property
    def thin(self) -> str:
        """Why its interval promises less than its level; empty if it does not."""
        return getattr(self.number.interval, "thin", None) or ""

    @property
    def method(self) -> str:
        """The method of its interval; empty if there is none."""
        found: str = getattr(self.number.interval, "method", "none")
        return "" if found == "none" else found

    @property
    def counts_right(self) -> bool:
        """Whether it is the share of samples that are right."""
        right = self.of_samples and self.scale.share and bool(self.better)
        return right and self.key in ("top1", "accuracy") and self.number.is_known

    @property
    def in_range(self) -> bool:
        """Whether it lies within a known range."""
        least, most = self.bounds
        return math.isfinite(most - least) and least <= self.value <= most

    def at_share(self, share: float) -> float:
        """Return the value at a share of the range."""
        least, most = self.bounds
        return least + share * (most - least)


@dataclass(frozen=True)
class Always:
    """The system that always answers the most frequent class.

    Attributes:
        name: The class.
        share: The share of samples on which it is right.
        classes: The number of classes.
    """

    name: str
    share: float
    classes: int


@dataclass(frozen=True)
class Confused:
    """Samples of one class that are taken for another.

    Attributes:
        true: The class of the samples.
        predicted: The class that they are taken for.
        count: Their number.
        total: The number that they are compared with: of the class, or of all errors.
    """

    true: str
    predicted: str
    count: int
    total: int


@dataclass(frozen=True)
class Matrix:
    """A confusion matrix as a table.

    Attributes:
        names: The classes.
        rows: For every true class the cells: the count, and its shade.
        totals: For every true class the number of its samples.
        errors: The most frequent errors.
        mixed: The number of errors, in both directions, of the first of these pairs.
        wrong: The number of all errors.
    """

    names: list[str]
    rows: list[list[tuple[int, str]]]
    totals: list[int]
    errors: list[Confused]
    mixed: int
    wrong: int


@dataclass(frozen=True)
class Calibration:
    """Whether the confidence is calibrated.

    Attributes:
        claimed: The mean confidence; for a binary task, the mean probability of class 1.
        right: The accuracy; for a binary task, the share of class 1.
        in_bins: The mean absolute difference of the two in single bins.
        matches: Whether the interval of the accuracy contains the confidence; None: unknown.
    """

    claimed: float
    right: float
    in_bins: float
    matches: bool | None

    @property
    def gap(self) -> float:
        """The confidence in excess of the accuracy."""
        return self.claimed - self.right


@dataclass(frozen=True)
class Distribution:
    """The distribution of the scores of single samples.

    Attributes:
        label: The name of the number whose scores they are.
        scale: The format of the scores.
        bars: The histogram.
        low: The first quartile.
        median: The median.
        high: The third quartile.
        mean: The mean.
    """

    label: str
    scale: Scale
    bars: Histogram
    low: float
    median: float
    high: float
    mean: float


@dataclass(frozen=True)
class Worst:
    """The samples that score worst, or lowest if nobody knows what is better.

    Attributes:
        cards: The samples.
        better: Whether more is better; None: unknown.
        hits: Whether every sample is either right or wrong.
        wrong: The number of samples that are wrong.
    """

    cards: list[Card]
    better: bool | None
    hits: bool
    wrong: int


@dataclass(frozen=True)
class Score:
    """The facts on the page of one system.

    Attributes:
        name: The name of the system; empty: unknown.
        samples: The number of samples that count; None: unknown.
        numbers: The numbers of all samples.
        unscored: The samples without a score; None: all have one.
        confusion: Whether there is a confusion matrix.
        always: The system to compare an accuracy with.
        matrix: The confusion matrix, unless it is too large for a table.
        most_confused: The most frequent error.
        sliced: The numbers that have slices.
        forests: The slices of these numbers.
        classes: The numbers of every class.
        calibration: Whether the confidence is calibrated.
        distribution: The distribution of the scores of single samples.
        worst: The samples that score worst.
    """

    template: ClassVar[str] = "score.html.j2"

    name: str
    samples: int | None
    numbers: list[Scored]
    unscored: Unscored | None = None
    confusion: bool = False
    always: Always | None = None
    matrix: Matrix | None = None
    most_confused: Confused | None = None
    sliced: list[Scored] = field(default_factory=list)
    forests: list[Forest] = field(default_factory=list)
    classes: Forest | None = None
    calibration: Calibration | None = None
    distribution: Distribution | None = None
    worst: Worst | None = None

    @property
    def directions(self) -> set[bool | None]:
        """Of its numbers whether more is better, each once; None: unknown."""
        of_classes = [] if self.classes is None else [self.classes.better]
        return {*of_classes, *(one.better for one in self.numbers)}

    @property
    def weakest_class(self) -> Row | None:
        """The class with the worst number; None if this is a class that is not ranked."""
        if self.classes is None or self.classes.better is None:
            return None
        ranked = [row for row in self.classes.rows if not math.isnan(row.sort)]
        values = [row.sort for row in (*ranked, *self.classes.thin) if not math.isnan(row.sort)]
        if not ranked:
            return None
        worst = max if self.classes.better is False else min
        return ranked[0] if ranked[0].sort == worst(values) else None


def score_story(
    metric: Evaluation,
    every: Sequence[Slice],
    study: Study,
    each: Each | None,
    lost: Sequence[Lost] = (),
) -> Score:
    """Return the facts on the page of one system.

    Args:
        metric: The evaluation that computed the numbers.
        every: All samples, then the slices.
        study: The facts about the evaluation.
        each: The scores of single samples, if they are known.
        lost: The samples without a score, if they are known.
    """
    places = {place.name or place.metric.name: place.metric for place in metric.plan.places()}
    whole = _counted(every[0], places)
    numbers = _once([*_read(whole, places, study, not metric.plan.forgets)])
    found = next((m for part in whole.parts if (m := _matrix_of(part)) is not None), None)
    names, counts = found or ([], np.zeros((0, 0), np.int64))
    cut = [
        (one, forest)
        for one in numbers[:_FORESTS]
        if (
            forest := slices(every, one.part, one.key, one.scale, one.better, one.bounds, one.label)
        )
    ]
    of_classes = classes(whole.parts, places, _taken(names, counts))
    calibrations = (_calibration(part) for part in whole.parts)
    chosen = None
    if each is not None:
        chosen = next(n for n in numbers if (n.part.metric, n.key) == (each.metric, each.key))
    account, of_main = _account(whole, places)
    return Score(
        clipped(study.names[0]) if study.names else "",
        whole.samples,
        numbers,
        unscored=unscored(account, of_main, numbers[0].possible if numbers else "", lost),
        confusion=found is not None,
        always=_always(names, counts, numbers),
        matrix=_matrix(names, counts) if 0 < len(names) <= _LARGEST else None,
        most_confused=_most_confused(names, counts),
        sliced=[one for one, _ in cut],
        forests=[forest for _, forest in cut],
        classes=of_classes,
        calibration=next((one for one in calibrations if one is not None), None),
        distribution=None if each is None or chosen is None else _distribution(each, chosen),
        worst=None if each is None or chosen is None else _worst(each, chosen, lost),
    )


def _account(whole: Slice, metrics: Mapping[str, Any]) -> tuple[Account | None, Any]:
    """Return the account of the first metric that has one, and this metric."""
    only = next(iter(metrics.values()))
    for part in whole.parts:
        if part.account is not None:
            return part.account, metrics.get(part.metric, only)
    return None, None


def _counted(whole: Slice, metrics: Mapping[str, Any]) -> Slice:
    """Return all samples; their number is that of the samples that count."""
    account, metric = _account(whole, metrics)
    if account is None or metric.unscored not in ("drop", "bounds"):
        return whole
    return replace(whole, samples=account.scored)


def _read(whole: Slice, places: Mapping[str, Any], study: Study, every: bool) -> Iterator[Scored]:
    """Yield all numeric values of the whole, of which every sample counts, or only the last."""
    for part in whole.parts:
        metric = places.get(part.metric)
        if metric is None and len(places) == 1:
            metric = next(iter(places.values()))
        for key, number in part.numbers.items():
            if not isinstance(number.value, int | float) or isinstance(number.value, bool):
                continue
            bounds = range_of(metric.ranges, key) if metric is not None else (-math.inf, math.inf)
            method = "" if number.interval is None else number.interval.method
            is_accuracy = _counts_all(whole, part, key)
            hits = (key.startswith("top") and key[3:].isdigit()) or is_accuracy
            is_share = (method == "Wilson" or hits) and bounds in ((0.0, 1.0), (0.0, 100.0))
            value = float(number.value)
            scale = Scale.of(bounds, (number.high - number.low) / 2, is_share, value)
            if isinstance(number.value, int):
                scale = Scale(decimals=0)
            name = part.metric or (metric.name if metric else "")
            name = "" if part.averages else name  # accuracy and macro F1 need no other name
            label = label_of(*called(metric, name, key), len(part.numbers) == 1)
            better = None if metric is None else metric.direction_of(key)
            each = is_accuracy or (metric is not None and metric.statistic.counts_samples)
            each = each and every
            yield Scored(part, key, number, study.label(label), scale, bounds, better, each)


def _counts_all(whole: Slice, part: Part, key: str) -> bool:
    """Return whether a number is the accuracy of a table in which every sample counts once."""
    rows = [*part.averages.values()]
    return key == "accuracy" and bool(rows) and rows[0]["support"].value == whole.samples


def _once(numbers: list[Scored]) -> list[Scored]:
    """Return the numbers without the accuracy of a table of classes that Accuracy has, too."""
    top = {one.value for one in numbers if one.key == "top1"}
    return [
        one
        for one in numbers
        if not (one.part.averages and one.key == "accuracy" and one.value in top)
    ]


def _matrix_of(part: Part) -> tuple[list[str], np.ndarray] | None:
    """Return the classes and counts of a confusion matrix; None if the part has none."""
    found = part.values.get("confusion_matrix")
    if not isinstance(found, np.ndarray) or found.ndim != 2 or found.shape[0] != found.shape[1]:
        return None
    if found.dtype.kind not in "iu" or not found.size or found.min() < 0:
        return None
    return [clipped(name, 60) for name in part.names(len(found))], found


def _always(names: Sequence[str], counts: np.ndarray, numbers: Sequence[Scored]) -> Always | None:
    """Return the reference of an accuracy; None if the first number is not that of the counts."""
    if not counts.sum() or not numbers or numbers[0].key != "top1" or not numbers[0].scale.share:
        return None
    if not math.isclose(numbers[0].value, np.trace(counts) / counts.sum(), rel_tol=1e-9):
        return None
    by_class = counts.sum(axis=1)
    at = int(by_class.argmax())
    return Always(names[at], float(by_class[at] / by_class.sum()), len(names))


def _most_confused(names: Sequence[str], counts: np.ndarray) -> Confused | None:
    errors = counts - np.diag(np.diag(counts))
    if not errors.sum() or len(names) == 2:  # of two classes, one is always taken for the other
        return None
    at, to = divmod(int(errors.argmax()), len(names))
    return Confused(names[at], names[to], int(errors[at, to]), int(errors.sum()))


def _taken(names: Sequence[str], counts: np.ndarray) -> list[Taken | None]:
    """Return for every class the class that it is most often taken for; None if it never is."""
    found: list[Taken | None] = []
    for at, row in enumerate(counts):
        errors = row.copy()
        errors[at] = 0
        other = int(errors.argmax())
        taken = Taken(names[other], int(errors[other]), int(row.sum()))
        found.append(taken if errors[other] else None)
    return found


def _matrix(names: list[str], counts: np.ndarray) -> Matrix:
    """Return a confusion matrix as a table, with the most frequent errors."""
    rows, errors = [], []
    totals = counts.sum(axis=1).tolist()
    for at, row in enumerate(counts.tolist()):
        cells = []
        for to, count in enumerate(row):
            part = count / totals[at] if totals[at] else 0.0
            steps = math.ceil(_SHADES * min(1.0, part * (1 if at == to else 2.5)))
            cells.append((count, f"{'d' if at == to else 'o'}{steps}" if count else "z"))
            if at != to and count:
                errors.append((count, at, to))
        rows.append(cells)
    errors.sort(key=lambda one: (-one[0], one[1], one[2]))
    listed = [Confused(names[at], names[to], n, totals[at]) for n, at, to in errors[:_PAIRS]]
    mixed = 0
    if errors:
        count, at, to = errors[0]
        mixed = count + int(counts[to, at])
    return Matrix(names, rows, totals, listed, mixed, sum(one[0] for one in errors))


def _calibration(part: Part) -> Calibration | None:
    """Return whether the confidence is calibrated; None if this is unknown."""
    values = part.values
    if not {"accuracy", "confidence", "count"} <= values.keys():
        return None
    right, claimed, count = (
        np.asarray(values[name], float) for name in ("accuracy", "confidence", "count")
    )
    total = count.sum()
    if right.ndim != 1 or not total > 0:
        return None
    kept = count > 0
    true = float((right[kept] * count[kept]).sum() / total)
    said = float((claimed[kept] * count[kept]).sum() / total)
    apart = float((np.abs(right - claimed)[kept] * count[kept]).sum() / total)
    clusters = (
        n.interval is not None and n.interval.unit == "cluster" for n in part.numbers.values()
    )
    if any(clusters) or np.asarray(values["count"]).dtype.kind == "f":
        return Calibration(said, true, apart, None)  # how clusters, or weights, vary is unknown
    hits = round(true * total)
    accuracy = as_share(hits / total, _LEVEL, round(total), (0.0, 1.0))
    outcome = at_bound("at least", exact(accuracy, (0.0, 1.0)), said, True, (0.0, 1.0)).outcome
    return Calibration(said, true, apart, outcome == "undecided")


def _distribution(each: Each, one: Scored) -> Distribution | None:
    if each.is_hits:
        return None
    [scores] = each.scores
    labels, [counts], _, edges = bins([scores], one.scale, False)
    bars = Histogram(labels, [(counts, ["b"] * len(counts))], edges)
    low, middle, high = (float(x) for x in np.quantile(scores, (0.25, 0.5, 0.75)))
    finer = Scale.of(one.bounds, (high - low) / 2, one.scale.share, middle).decimals
    scale = replace(one.scale, decimals=max(one.scale.decimals, finer))
    return Distribution(one.label, scale, bars, low, middle, high, float(np.mean(scores)))


def _worst(each: Each, one: Scored, lost: Sequence[Lost]) -> Worst | None:
    """Return the samples with a score that score worst; None without texts, or if all are right."""
    if not any(each.texts):
        return None
    [scores] = each.scores
    up, hits = one.better is not False, each.is_hits and one.better is not None
    listed = {name for of_system in lost for name in of_system.ids}  # they have their own list
    known = np.flatnonzero([name not in listed for name in each.ids])
    order = known[np.argsort(scores[known] if up else -scores[known], kind="stable")]
    chosen = [at for at in order[:_CARDS].tolist() if not hits or scores[at] != up]
    if not chosen:
        return None
    cards = []
    for at in chosen:
        text = "" if hits else number_text(float(scores[at]))
        cards.append(Card(*place_of(each, at), "", text, texts_of(each.texts[0], at)))
    return Worst(cards, one.better, hits, int(np.sum(scores[known] != up)))
