"""The report of a comparison: which system is better, by how much, how surely, and where."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from mmeval_like._base.keys import WHOLE
from mmeval_like._core.paired import Paired
from mmeval_like._intervals.interval import Interval, estimate
from mmeval_like._intervals.interval import share as as_share
from mmeval_like._intervals.jackknife.estimand import range_of
from mmeval_like.reporting.each import Each
from mmeval_like.reporting.figures import histogram, sample_bar
from mmeval_like.reporting.forest import Forest, compared_slices
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
from mmeval_like.reporting.verdicts import Compared, verdict
from mmeval_like.reporting.words import (
    Scale,
    clipped,
    counted,
    label_of,
    listed,
    p_said,
    p_text,
    samples_text,
    share,
)

__all__ = ["compare_story"]

_CARDS = 4  # samples in each list
_IDS = 24  # ids in each list, if samples have no texts
_NUMBERS = 6  # numbers whose slices are shown


def compare_story(
    pair: Paired,
    values: Mapping[str, Any],
    study: Study,
    each: Each | None,
    margin: float | None,
) -> Story:
    """Return the contents of the page of a comparison.

    Args:
        pair: The `Paired` that compared the systems, after `compute`.
        values: The results of `compute`, by slice.
        study: The facts about the evaluation.
        each: The scores of single samples, if they are known.
        margin: The largest difference up to which the systems count as equivalent.
    """
    a, b = map(clipped, study.names if len(study.names) == 2 else ("A", "B"))
    names = a, b
    by_number: dict[tuple[str, str], list[tuple[str, Compared]]] = {}
    for which, member, metric, one, found, key in _comparisons(pair, values):
        bounds = range_of(metric.ranges, key)
        known = by_number.setdefault((member, key), [])
        if known:
            scale = known[0][1].scale
        else:
            half = (one.high - one.low) / 2
            is_share = "flips_up" in found and math.isfinite(bounds[1] - bounds[0])
            scale = Scale.of(bounds, half, is_share, found[f"{key}_a"])
        better = metric.higher_is_better
        limit = margin if not known and len(by_number) == 1 else None
        known.append((which, Compared(names, key, one, found, better, bounds, scale, limit)))
    story = Story("Comparison of two systems")
    if not by_number:
        story.title = [("No number can be compared", "")]
        return story
    first = next(iter(by_number))
    main = by_number[first][0][1]
    labels = {at: _label(pair, at, [k for m, k in by_number if m == at[0]]) for at in by_number}
    label = labels[first] = _with_column(labels[first], study)
    story.name = f"{names[1]} against {names[0]}: {label}"
    _say(story, main, each, label)
    _count(story, main, each, names)
    for at, every in [*by_number.items()][:_NUMBERS]:
        if len(every) > 1:
            forest = compared_slices(every, every[0][1].scale, labels[at])
            columns = [clipped(name) for name in study.by]
            kick = f"By {listed(columns)}" if columns else "By slice"
            kick += f": {labels[at]}" * (len(by_number) > 1)
            note = "Each line is the interval of the difference. Where it crosses 0, these samples "
            note += "do not settle which system is ahead."
            if len(every) > 2 and pair.correction is not None:
                note += " p-values are adjusted for the number of slices, intervals are not: the "
                note += "reading follows p."
            story.forests.append((kick, _where(forest, main), note, forest))
    story.short = [*_in_short(main, each, names, story.forests[:1])]
    if len(by_number) > 1:
        story.numbers = _numbers({labels[at]: every[0][1] for at, every in by_number.items()})
    if each is not None and not each.is_hits:
        story.figures = _distribution(each, main, names)
    story.cards = _changes(each, main, names) if each is not None else _flips(main, names)
    return story


def _comparisons(
    pair: Paired, values: Mapping[str, Any]
) -> Iterator[tuple[str, str, Any, Interval, Mapping[str, Any], str]]:
    """Yield slice, member, metric, interval, values and key of every comparison."""
    metrics = {place.name: place.metric for place in pair.a.plan.places()}
    for which, found in values.items():
        intervals: Any = pair.intervals
        intervals = intervals[which] if WHOLE in intervals else intervals
        for name, one in intervals.items():
            members = one.items() if isinstance(one, Mapping) else [("", one)]
            for inner, interval in members:
                nested = isinstance(one, Mapping)
                member, key = (name, inner) if nested else ("", name)
                metric = metrics.get(member, pair.metric)
                of_member = found[member] if nested else found
                yield which, member, metric, interval, of_member, key.removesuffix("_difference")


def _label(pair: Paired, at: tuple[str, str], keys: Sequence[str]) -> str:
    member, key = at
    return label_of(member or pair.metric.name, key, len(keys) == 1)


def _with_column(label: str, study: Study) -> str:
    """Return "Mean of judge_score" if one column was read, otherwise the label."""
    if label == "Mean" and len(study.columns) == 1:
        return f"Mean of {clipped(study.columns[0][1])}"
    return label


def _say(story: Story, main: Compared, each: Each | None, label: str) -> None:
    """Fill in the heading and the lines below it."""
    said = verdict(main)
    story.title, story.verdict = said.title, (said.kind, said.sign, said.word)
    least, most = main.bounds
    bounded = math.isfinite(most - least) and not main.scale.share and (least, most) != (0.0, 1.0)
    over = f", from {least:g} to {most:g}," * bounded
    better = {True: "higher is better", False: "lower is better"}.get(main.better, "")  # type: ignore[arg-type]
    better = f" ({better})" * bool(better)
    first = f"{label}{over} over the same {samples_text(main.samples)}{better}."
    story.below = [first, said.below]
    if main.one.thin and main.kind != "unknown":
        story.below.append(f"Read the interval with care: {main.one.thin}.")
    scale, (a, b) = main.scale, main.values
    unit = f" {scale.unit}" * bool(scale.unit)
    story.facts = [
        Fact(f"A: {main.names[0]}", "a", scale.value(a), _own_span(main, each, 0)),
        Fact(f"B: {main.names[1]}", "b", scale.value(b), _own_span(main, each, 1)),
        Fact(
            "Difference, B − A",
            "",
            scale.number(main.one.value, "+"),
            scale.span(main.one.low, main.one.high, True) + unit if main.known else "no interval",
        ),
        Fact(
            "Paired samples",
            "",
            f"{main.samples:,}",
            p_said(main.p) if main.known else "",
        ),
    ]


def _own_span(main: Compared, each: Each | None, side: int) -> str:
    """Return the interval of one system's own value; empty if it is unknown."""
    one, value = main.one, main.values[side]
    if one.method == "Tango":
        found = as_share(value, one.level, main.samples, main.bounds)
    elif one.method == "paired t" and one.unit == "sample" and each is not None:
        scores = each.scores[side]
        variance = float(np.var(scores, ddof=1)) / len(scores) if len(scores) > 1 else math.nan
        if not math.isfinite(variance):
            return ""
        count = len(scores)
        found = estimate(value, variance, main.bounds, one.level, count, count - 1)
    else:
        return ""
    return main.scale.span(found.low, found.high)


def _ahead(each: Each | None, main: Compared) -> tuple[int, int, int] | None:
    """Return the numbers of samples on which A is higher, both are equal, and B is higher."""
    if each is not None:
        a, b = each.scores
        up, down = int(np.sum(b > a)), int(np.sum(b < a))
        return down, len(a) - up - down, up
    if "flips_up" in main.found:
        up, down = main.found["flips_up"], main.found["flips_down"]
        return down, main.samples - up - down, up
    return None


def _count(story: Story, main: Compared, each: Each | None, names: tuple[str, str]) -> None:
    """Fill in the bar of samples."""
    counts = _ahead(each, main)
    if counts is None:
        return
    a, b = names
    hits = "flips_up" in main.found
    parts = [
        (f"only {a} is right" if hits else f"{a} scores higher", "a"),
        ("both right or both wrong" if hits else "same score", "t"),
        (f"only {b} is right" if hits else f"{b} scores higher", "b"),
    ]
    legend = [
        (f"{text}: {number:,}", side) for (text, side), number in zip(parts, counts, strict=True)
    ]
    words = f"Of {sum(counts):,} samples: " + "; ".join(text for text, _ in legend) + "."
    story.bar = sample_bar(counts, words), legend


def _in_short(
    main: Compared,
    each: Each | None,
    names: tuple[str, str],
    forests: Sequence[tuple[str, str, str, Forest]],
) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Yield the questions that a reader has, and their answers."""
    a, b = names
    counts, scale = _ahead(each, main), main.scale
    said = []
    if counts is not None and counts[0] + counts[2]:
        down, _, up = counts
        ahead, most = (b, up) if up >= down else (a, down)
        said.append(
            f"The two differ on {up + down:,} of {main.samples:,} samples; {ahead} "
            f"{'alone is right' if 'flips_up' in main.found else 'scores higher'} on "
            f"{share(most, up + down)} of these."
        )
    if each is not None and not each.is_hits:
        apart = each.scores[1] - each.scores[0]
        with np.errstate(over="ignore", invalid="ignore"):
            spread = float(np.std(apart, ddof=1)) if len(apart) > 1 else 0.0
        if 0 < spread < math.inf:
            said.append(
                f"The mean difference is {abs(float(np.mean(apart))) / spread:.2f} standard "
                f"deviations of the differences ({scale.difference(spread)} each)."
            )
    least = main.values[0]
    if not main.scale.share and main.bounds[0] == 0 and least > 0 and main.one.value:
        change = Scale(decimals=1).number(100 * main.one.value / least, "+")
        said.append(f"Relative to {a} this is {change}%.")
    if main.scale.share and main.one.value:
        wrong = main.bounds[1] - least if main.better is not False else least
        if wrong > 0:
            errors = main.one.value / wrong * (-1 if main.better is not False else 1)
            way = "fewer" if errors < 0 else "more"
            said.append(f"{b} makes {abs(100 * errors):.0f}% {way} errors than {a}.")
    if said:
        yield (
            "How large is it?",
            [(" ".join(said), "")],
        )
    sure = _how_sure(main)
    if sure:
        yield "How sure is it?", [(sure, "")]
    if forests:
        yield "Where does it hold?", [(_holds(forests[0][3]), "")]


def _how_sure(main: Compared) -> str:
    if not main.known:
        return ""
    found = []
    if main.p < 0.001:
        found.append(
            "If the systems scored the same on average, a difference this large would turn up in "
            "fewer than one in 1,000 evaluations of this size."
        )
    elif main.p < 0.5:
        found.append(
            "If the systems scored the same on average, a difference this large would turn up in "
            f"about {max(1, round(100 * main.p))} of 100 evaluations of this size."
        )
    else:
        found.append("A difference this small is what chance alone would give.")
    if math.isfinite(main.detectable) and main.detectable > 0 and not main.too_few:
        found.append(
            f"{main.samples:,} samples detect a difference of "
            f"{main.scale.difference(main.detectable)} with 80% power."
        )
    return " ".join(found)


def _holds(forest: Forest) -> str:
    up = [row.name for row in forest.rows if row.tone == "b"]
    down = [row.name for row in forest.rows if row.tone == "a"]
    rest = [row.name for row in forest.rows if row.tone == "m"]
    found = []
    for names, which in ((up, "B is ahead"), (down, "A is ahead")):
        if names:
            more = f" and {len(names) - 4:,} more slices" if len(names) > 5 else ""
            found.append(f"{which} in {listed(names[:4]) + more if more else listed(names)}.")
    if rest:
        named = listed(rest) if len(rest) <= 4 else counted(len(rest), "other slice")
        found.append(f"In {named} the difference is not significant.")
    if forest.thin:
        found.append(f"There is too little data in {counted(len(forest.thin), 'slice')}.")
    return " ".join(found)


def _where(forest: Forest, main: Compared) -> str:
    """Return the heading of a table of slices."""
    b = main.names[1]
    up = sum(row.tone == "b" for row in forest.rows)
    down = sum(row.tone == "a" for row in forest.rows)
    total = counted(forest.total, "slice")
    if not up and not down:
        return "No slice shows a significant difference"
    rises, falls = "scores higher", "lower"
    if main.better is not None:
        rises, falls = "is better", "worse"
    if not up:
        verb = "scores" if main.better is None else "is"
        return f"{b} {verb} {falls} in {counted(down)} of {total}"
    text = f"{b} {rises} in {counted(up)} of {total}"
    return text + (f" and {falls} in {counted(down)}" if down else "")


def _numbers(every: Mapping[str, Compared]) -> Table:
    head = ["Number", "A", "B", "B − A", "Interval", "p", "Reading"]
    rows = []
    for name, of in every.items():
        said = verdict(of)
        row = [name, *(of.scale.value(x) for x in of.values), of.scale.number(of.one.value, "+")]
        row += [of.scale.span(of.one.low, of.one.high, True) or "unknown"]
        row += [p_text(of.p).removeprefix("=\N{NO-BREAK SPACE}") if of.known else "–", said.word]
        rows.append(row)
    return Table(head, rows[:1_000], len(rows))


def _distribution(
    each: Each, main: Compared, names: tuple[str, str]
) -> tuple[str, str, list[Figure]]:
    a, b = each.scores
    apart = b - a
    labels, [counts], middles, edges = bins([apart], main.scale, True)
    tones = ["b" if x > 0 else "a" if x < 0 else "t" for x in middles]
    words = spelled("Samples by difference", labels, counts, edges)
    note = f"{names[1]} minus {names[0]}, one count for each sample"
    figures = [
        Figure("Difference per sample", note, histogram(labels, [(counts, tones)], words, edges))
    ]
    labels, both, _, edges = bins([a, b], main.scale, False)
    words = ". ".join(
        spelled(name, labels, counts, edges) for name, counts in zip(names, both, strict=True)
    )
    series = [(counts, [tone] * len(counts)) for counts, tone in zip(both, ("a", "b"), strict=True)]
    drawn = histogram(labels, series, words, edges)
    key = [(names[0], "a"), (names[1], "b")]
    figures.append(Figure("Scores of both systems", "Samples with each score", drawn, key))
    size, typical = np.abs(apart), float(np.median(np.abs(apart)))
    same = int(np.sum(apart == 0))
    if same > len(apart) / 2:
        heading = f"Most samples score the same: {same:,} of {len(apart):,}"
    else:
        heading = f"Half of the samples move by {main.scale.step(typical)} or less"
    far = float(np.quantile(size, 0.95))
    below = f"95% of the samples move by {main.scale.step(far)} or less."
    return heading, below, figures


def _changes(
    each: Each, main: Compared, names: tuple[str, str]
) -> tuple[str, str, list[tuple[str, str, list[Card]]]] | None:
    """Return the samples that changed most: those that gained and those that dropped."""
    apart = each.scores[1] - each.scores[0]
    if main.better is False:  # the lower value is better
        apart = -apart
    up, down = int(np.sum(apart > 0)), int(np.sum(apart < 0))
    if not up and not down:
        return None
    most = _CARDS if any(each.texts) else _IDS
    order = np.argsort(-apart, kind="stable")
    gains = [at for at in order[:most].tolist() if apart[at] > 0]
    order = np.argsort(apart, kind="stable")
    drops = [at for at in order[:most].tolist() if apart[at] < 0]
    hits = each.is_hits
    lists = []
    for title, side, chosen in (
        (f"Only {names[1]} is right" if hits else f"{names[1]} gains most", "b", gains),
        (f"Only {names[0]} is right" if hits else f"{names[1]} drops most", "a", drops),
    ):
        if chosen:
            lists.append((title, side, [_card(each, at, main.scale, hits) for at in chosen]))
    shown = [f"{len(gains):,} of {up:,} samples on which {names[1]} is ahead"] * bool(gains)
    shown += [f"{len(drops):,} of {down:,} on which {names[0]} is ahead"] * bool(drops)
    note = f"{listed(shown)}."
    if not hits:
        note += " Extremes are not typical: read them to see what changed, not how often."
    else:
        note += " They are the first in the order of the files, not a random choice."
    if not any(each.texts):
        note += " “--show COLUMN” adds the text or the image of a column."
    heading = "The samples that changed" if hits else "The largest gains and the largest drops"
    return heading, note, lists


def _card(each: Each, at: int, scale: Scale, hits: bool) -> Card:
    a, b = (float(one[at]) for one in each.scores)
    plain = Scale(scale.share, scale.factor, "", scale.decimals)
    if not scale.share and a.is_integer() and b.is_integer():
        plain = Scale(decimals=0)
    scores = "" if hits else f"{plain.number(a)} → {plain.number(b)}"
    change = "" if hits else plain.number(b - a, "+")
    both = [texts_of(texts, at) for texts in each.texts]
    same, sides = [], []
    for in_a, in_b in zip(*both, strict=True) if len(both) == 2 else ():
        if in_a == in_b:
            same.append(in_a)
        else:
            sides += [("a", *in_a), ("b", *in_b)]
    return Card(place_of(each, at), scores, change, same, sides)


def _flips(
    main: Compared, names: tuple[str, str]
) -> tuple[str, str, list[tuple[str, str, list[Card]]]] | None:
    """Return the ids of samples that flipped, if nothing else is known about them."""
    lists = []
    for key, title, side in (
        ("flips_up_ids", f"Only {names[1]} is right", "b"),
        ("flips_down_ids", f"Only {names[0]} is right", "a"),
    ):
        ids = main.found.get(key, [])
        if ids:
            cards = [Card(f"id {clipped(one, 60)}", "", "") for one in ids[:_IDS]]
            lists.append((f"{title}: {len(ids):,}", side, cards))
    if not lists:
        return None
    return "The samples that changed", "The first ones of each kind.", lists
