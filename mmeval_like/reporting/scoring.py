"""The report of one system's score: the values, their uncertainty, and the weakest slices."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mmeval_like._core.evaluation import Evaluation
from mmeval_like._intervals.jackknife.estimand import range_of
from mmeval_like.plots.reading import Number, Part, Slice, number_text
from mmeval_like.reporting.each import Each
from mmeval_like.reporting.figures import gauge, histogram
from mmeval_like.reporting.forest import classes, slices
from mmeval_like.reporting.sections import (
    Card,
    Fact,
    Figure,
    Story,
    Table,
    bins,
    place_of,
    spelled,
    texts_of,
)
from mmeval_like.reporting.study import Study
from mmeval_like.reporting.words import (
    Scale,
    clipped,
    counted,
    label_of,
    listed,
    samples_text,
    share,
)

__all__ = ["Matrix", "score_story"]

_FACTS = 4
_FORESTS = 6  # numbers whose slices are shown
_CARDS = 6
_LARGEST = 12  # the most classes of a confusion matrix that is shown as a table
_NUMBERS = 2_000
_SHADES = 10


@dataclass(frozen=True)
class Matrix:
    """A confusion matrix as a table.

    Attributes:
        title: The content of the matrix, in a sentence.
        names: The classes.
        rows: For every true class the cells: the count, its share of the class, and its shade.
        pairs: The most frequent errors: their count, both classes, and their share of the class.
    """

    title: str
    names: list[str]
    rows: list[list[tuple[str, str, str]]]
    pairs: list[tuple[str, str, str]]


@dataclass(frozen=True)
class _Main:
    """A number of all samples, and its format."""

    part: Part
    key: str
    number: Number
    label: str
    scale: Scale
    bounds: tuple[float, float]
    better: bool | None


def score_story(
    metric: Evaluation, every: Sequence[Slice], study: Study, each: Each | None
) -> Story:
    """Return the contents of the page of one system.

    Args:
        metric: The evaluation that computed the numbers.
        every: All samples, then the slices.
        study: The facts about the evaluation.
        each: The scores of single samples, if they are known.
    """
    story = Story("Evaluation of one system")
    whole = every[0]
    places = {place.name or place.metric.name: place.metric for place in metric.plan.places()}
    numbers = [*_read(whole, places, study)]
    matrix = next((m for part in whole.parts if (m := _matrix_of(part)) is not None), None)
    name = clipped(study.names[0]) if study.names else ""
    samples = "" if whole.samples is None else samples_text(whole.samples)
    _say(story, numbers, name, samples, matrix)
    story.name = ": ".join([name] * bool(name) + [_titles(numbers) or "evaluation"])
    reference = _most_frequent(matrix, numbers)
    story.facts = [
        _fact(one, reference if at == 0 else None) for at, one in enumerate(numbers[:_FACTS])
    ]
    if reference is not None and matrix is not None:
        share_of, class_name = reference
        story.below.append(
            f"Always answering “{class_name}”, the most frequent of {counted(len(matrix[0]))} "
            f"classes, would be right on {100 * share_of:.1f}%."
        )
    for one in numbers[:_FORESTS]:
        forest = slices(every, one.part, one.key, one.scale, one.better, one.bounds)
        if forest is not None:
            columns = [clipped(column) for column in study.by]
            kick = f"By {listed(columns)}" if columns else "By slice"
            kick += f": {one.label}" * (len(numbers) > 1)
            note = "The vertical line is the value of all samples."
            if _tested(forest):
                note += " p-values are adjusted for the number of slices, intervals are not."
            story.forests.append((kick, _weakest(forest, one), note, forest))
    if len(numbers) > 1 or any(one.number.interval is not None for one in numbers):
        story.numbers = _all_numbers(numbers)
    taken = _most_taken(matrix)
    directions = {key: one.higher_is_better for key, one in places.items()}
    by_class = classes(whole.parts, directions, taken)
    if by_class is not None:
        ranked = [row for row in by_class.rows if row.sort == row.sort]
        heading = "Every class"
        if ranked:
            heading = f"{by_class.title} is lowest for {ranked[0].name}: {ranked[0].main}"
            if directions.get(whole.parts[0].metric) is False:
                heading = f"{by_class.title} is highest for {ranked[0].name}: {ranked[0].main}"
        story.classes = heading, by_class
    if matrix is not None and len(matrix[0]) <= _LARGEST:
        story.matrix = _matrix(*matrix)
    story.short = [*_in_short(story, numbers, whole, matrix)]
    if each is not None:
        _show_samples(story, each, numbers)
    return story


def _read(whole: Slice, places: Mapping[str, Any], study: Study) -> Iterator[_Main]:
    """Yield all numeric values of the whole."""
    for part in whole.parts:
        metric = places.get(part.metric)
        if metric is None and len(places) == 1:
            metric = next(iter(places.values()))
        for key, number in part.numbers.items():
            if not isinstance(number.value, int | float) or isinstance(number.value, bool):
                continue
            bounds = range_of(metric.ranges, key) if metric is not None else (-math.inf, math.inf)
            method = "" if number.interval is None else number.interval.method
            hits = key.startswith("top") and key[3:].isdigit()
            is_share = (method == "Wilson" or hits) and bounds in ((0.0, 1.0), (0.0, 100.0))
            value = float(number.value)
            scale = Scale.of(bounds, (number.high - number.low) / 2, is_share, value)
            if isinstance(number.value, int):
                scale = Scale(decimals=0)
            label = label_of(
                part.metric or (metric.name if metric else ""), key, len(part.numbers) == 1
            )
            if label == "Mean" and len(study.columns) == 1:
                label = f"Mean of {clipped(study.columns[0][1])}"
            better = None if metric is None else metric.higher_is_better
            yield _Main(part, key, number, label, scale, bounds, better)


def _titles(numbers: Sequence[_Main]) -> str:
    names = [one.label for one in numbers[:3]]
    return ", ".join(names) + f" and {len(numbers) - 3} more" * (len(numbers) > 3)


def _say(story: Story, numbers: Sequence[_Main], name: str, samples: str, matrix: Any) -> None:
    """Fill in the heading and the line below it."""
    on = f" on {samples}" * bool(samples)
    who = [(name, "b")] if name else []
    if not numbers:
        what = "Confusion matrix" if matrix is not None else "Evaluation"
        story.title = [*who, (f"{': ' * bool(name)}{what.lower() if name else what}", ""), (on, "")]
        return
    one = numbers[0]
    value = one.scale.value(float(one.number.value))
    if one.scale.share and one.better and one.key == "top1" and samples and one.number.is_known:
        story.title = [*who, (f" is right on {value} of {samples}", "")]
        if not name:
            verb = "is" if samples == samples_text(1) else "are"
            story.title = [(f"{value} of {samples} {verb} right", "")]
    else:
        label = _inside(one.label)
        verb = "reaches" if one.better else "has"
        if name:
            story.title = [*who, (f" {verb} {_article(label)} {label} of {value}{on}", "")]
        else:
            story.title = [(f"{one.label}: {value}{on}", "")]
    low, high = one.number.low, one.number.high
    if low == low and high == high:
        level = f"{100 * getattr(one.number.interval, 'level', 0.95):g}%"
        who_has = "its " if name else "the "
        story.below.append(
            f"With {level} confidence {who_has}{_inside(one.label)} is between "
            f"{one.scale.value(low)} and {one.scale.value(high)}."
        )
        thin = getattr(one.number.interval, "thin", None)
        if thin:
            story.below.append(f"Read the interval with care: {thin}.")
    elif one.number.interval is not None:
        story.below.append(f"There is no interval: {one.number.interval.thin}.")


def _inside(label: str) -> str:
    """Return the form of a label within a sentence: "mean judge_score", "AUROC"."""
    first = label.split()[0].rstrip(",")
    if first.isupper() or first[1:] != first[1:].lower():
        return label
    return (label[:1].lower() + label[1:]).replace("mean of ", "mean ", 1)


def _article(label: str) -> str:
    first = label.split()[0]
    spelled = first.isupper() or (len(first) > 1 and first[1].isdigit())
    return "an" if first[:1].lower() in ("aefhilmnorsx" if spelled else "aeiou") else "a"


def _fact(one: _Main, reference: tuple[float, str] | None) -> Fact:
    value, (least, most) = float(one.number.value), one.bounds
    drawn = ""
    if math.isfinite(most - least) and least <= value <= most:
        ends = ("0%", "100%") if one.scale.share else (f"{least:g}", f"{most:g}")
        mark = None
        if reference is not None:
            mark = least + reference[0] * (most - least), f"always {reference[1]}"
        drawn = gauge(value, one.number.low, one.number.high, ends, one.bounds, mark)
    sub = one.scale.span(one.number.low, one.number.high)
    if one.number.interval is not None and one.number.interval.thin and sub:
        sub += " ~"
    return Fact(one.label, "", one.scale.value(value), sub, drawn)


def _all_numbers(numbers: Sequence[_Main]) -> Table:
    rows = []
    for one in numbers[:_NUMBERS]:
        found = one.number.interval
        how = ""
        if found is not None and found.method != "none":
            how = f"{found.method}, {found.units:,} {found.unit}s"
        thin = f"{found.thin}" if found is not None and found.thin else ""
        arrow = {True: "higher is better", False: "lower is better"}.get(one.better, "")  # type: ignore[arg-type]
        value = one.scale.value(float(one.number.value))
        row = [one.label, value, one.scale.span(one.number.low, one.number.high), arrow, how, thin]
        rows.append(row)
    head = ["Number", "Value", "Interval", "Direction", "How the interval was made", "Remark"]
    kept = [at for at in range(6) if at < 2 or any(row[at] for row in rows)]
    cut = [[row[at] for at in kept] for row in rows]
    return Table([head[at] for at in kept], cut, len(numbers))


def _matrix_of(part: Part) -> tuple[list[str], np.ndarray] | None:
    """Return the classes and counts of a confusion matrix; None if the part has none."""
    found = part.values.get("confusion_matrix")
    if not isinstance(found, np.ndarray) or found.ndim != 2 or found.shape[0] != found.shape[1]:
        return None
    if found.dtype.kind not in "iu" or not found.size or found.min() < 0:
        return None
    return [clipped(name, 60) for name in part.names(len(found))], found


def _most_frequent(matrix: Any, numbers: Sequence[_Main]) -> tuple[float, str] | None:
    """Return the share and the name of the most frequent class, as the reference of accuracy."""
    if matrix is None or not numbers or numbers[0].key != "top1" or not numbers[0].scale.share:
        return None
    names, counts = matrix
    by_class = counts.sum(axis=1)
    if not by_class.sum():
        return None
    at = int(by_class.argmax())
    return float(by_class[at] / by_class.sum()), names[at]


def _most_taken(matrix: Any) -> list[str]:
    if matrix is None:
        return []
    names, counts = matrix
    found = []
    for at, row in enumerate(counts):
        errors = row.copy()
        errors[at] = 0
        other = int(errors.argmax())
        text = f"{names[other]}, {int(errors[other]):,} of {int(row.sum()):,}"
        found.append(text if errors[other] else "–")
    return found


def _matrix(names: list[str], counts: np.ndarray) -> Matrix:
    """Return a confusion matrix as a table, with the most frequent errors."""
    rows, errors = [], []
    for at, row in enumerate(counts.tolist()):
        total = sum(row)
        cells = []
        for to, count in enumerate(row):
            part = count / total if total else 0.0
            steps = math.ceil(_SHADES * min(1.0, part * (1 if at == to else 2.5)))
            shade = f"{'d' if at == to else 'o'}{steps}" if count else "z"
            cells.append((f"{count:,}", share(count, total) if count else "", shade))
            if at != to and count:
                errors.append((count, at, to, total))
        rows.append(cells)
    errors.sort(key=lambda one: (-one[0], one[1], one[2]))
    pairs = [
        (
            f"{count:,}",
            f"{names[at]} taken for {names[to]}",
            f"{share(count, total)} of {names[at]}",
        )
        for count, at, to, total in errors[:6]
    ]
    wrong = sum(one[0] for one in errors)
    title = "Every sample is in its class"
    if errors:
        count, at, to, _ = errors[0]
        both = count + int(counts[to, at])
        title = f"{share(both, wrong)} of errors mix up {names[at]} and {names[to]}"
    return Matrix(title, names, rows, pairs)


def _weakest(forest: Any, one: _Main) -> str:
    """Return the heading of a table of slices."""
    worse, better = (forest.significant(word) for word in ("worse", "better"))
    if one.better is None:
        apart = forest.significant("higher", "lower")
        if not apart:
            return "No slice differs significantly from the rest" if _tested(forest) else one.label
        return f"{one.label} differs significantly in {counted(len(apart), 'slice')}"
    if len(worse) == 1:
        return f"{worse[0].name} is the one slice that is significantly worse"
    if worse:
        return f"{counted(len(worse), 'slice')} are significantly worse".capitalize()
    if better:
        which = "is significantly better" if len(better) == 1 else "are significantly better"
        return f"{counted(len(better), 'slice').capitalize()} {which}; none is worse"
    if _tested(forest):
        return "No slice is significantly worse than all samples"
    return f"{one.label} by slice"


def _tested(forest: Any) -> bool:
    return any(len(row.after) > 1 for row in forest.rows)


def _in_short(
    story: Story, numbers: Sequence[_Main], whole: Slice, matrix: Any
) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Yield the questions that a reader has, and their answers."""
    if story.forests:
        forest, one = story.forests[0][3], numbers[0]
        if forest.rows and one.better is not None:
            row = forest.rows[0]
            samples = f" on {row.before[0]} samples" if row.before and row.before[0] else ""
            sure = f" ({row.after[-1]})" if len(row.after) > 1 else ""
            text = f": {row.main}{samples}, {row.after[0]} against all{sure}."
            yield "Where is it weakest?", [(row.name, "#slices"), (text, "")]
    if matrix is not None:
        names, counts = matrix
        errors = counts - np.diag(np.diag(counts))
        if errors.sum():
            at, to = np.unravel_index(int(errors.argmax()), errors.shape)
            target = "#confusion" if story.matrix is not None else ""
            text = f": {int(errors[at, to]):,} of all {int(errors.sum()):,} errors."
            pair = f"{names[at]} is most often taken for {names[to]}"
            yield "What does it confuse?", [(pair, target), (text, "")]
    for part in whole.parts:
        found = _calibration(part)
        if found is not None:
            story.calibration = found.partition(":")[0]
            yield "Can its confidence be trusted?", [(found, "")]
            break


def _calibration(part: Part) -> str | None:
    """Return in words whether the confidence is calibrated; None if this is unknown."""
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
    gap, error = said - true, math.sqrt(max(true * (1 - true), 0.0) / total)
    facts = f"it claims {100 * said:.1f}% on average and is right on {100 * true:.1f}%."
    if abs(gap) <= 1.96 * error:
        return f"Confidence matches accuracy on average: {facts}"
    word = "Overconfident" if gap > 0 else "Underconfident"
    return f"{word} by {abs(100 * gap):.1f} points on average: {facts}"


def _show_samples(story: Story, each: Each, numbers: Sequence[_Main]) -> None:
    """Fill in the distribution of the scores, and the samples that score worst."""
    one = next(n for n in numbers if (n.part.metric, n.key) == (each.metric, each.key))
    [scores] = each.scores
    if not each.is_hits:
        labels, [counts], _, edges = bins([scores], one.scale, False)
        words = spelled("Samples by score", labels, counts, edges)
        drawn = histogram(labels, [(counts, ["b"] * len(counts))], words, edges)
        low, middle, high = (float(x) for x in np.quantile(scores, (0.25, 0.5, 0.75)))
        heading = f"Half of the samples score between {one.scale.value(low)} and "
        heading += one.scale.value(high)
        note = f"The median is {one.scale.value(middle)}, the mean "
        note += f"{one.scale.value(float(np.mean(scores)))}."
        figure = Figure(f"{one.label} of single samples", "Samples by score", drawn)
        story.figures = heading, note, [figure]
    if not any(each.texts):
        return
    up = one.better is not False
    order = np.argsort(scores if up else -scores, kind="stable")
    chosen = [at for at in order[:_CARDS].tolist() if not each.is_hits or scores[at] != up]
    if not chosen:
        return
    cards = []
    for at in chosen:
        text = "" if each.is_hits else number_text(float(scores[at]))
        cards.append(Card(place_of(each, at), "", text, texts_of(each.texts[0], at)))
    if each.is_hits:
        wrong = int(np.sum(scores != up))
        heading, note = "Samples that it gets wrong", f"The first {len(cards)} of {wrong:,} errors."
        note += " An error may be a wrong label: check the label first."
    else:
        heading = "The samples that score worst"
        note = "Extremes are not typical: read them to see what goes wrong, not how often."
    story.cards = heading, note, [("", "", cards)]
