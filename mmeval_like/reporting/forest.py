"""Tables with a chart in every row: slices of one or two systems, and classes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mmeval_like._verdicts.verdict import Verdict
from mmeval_like.plots.reading import Number, Part, Slice, number_text
from mmeval_like.reporting.figures import Axis, interval_line, scale_line
from mmeval_like.reporting.verdicts import Shown
from mmeval_like.reporting.words import Scale, clipped, label_of, p_cell

__all__ = ["Forest", "Row", "Taken", "classes", "compared_slices", "parted", "slices"]

_ROWS = 400  # rows of a table: the page must stay below 1.5 MB
_CLASSES = 1_000
_WIDE = 0.2  # share of the range: a wider interval means too few samples
_MORE = 3  # additional columns of a table of classes


@dataclass(frozen=True)
class Taken:
    """The class that samples of another class are most often taken for.

    Attributes:
        name: The class.
        count: The number of these samples.
        total: The number of all samples of the other class.
    """

    name: str
    count: int
    total: int


@dataclass(frozen=True)
class Row:
    """A row of a table with a chart.

    Attributes:
        name: The slice or class of the row.
        sub: The kind of this slice or class.
        before: Cells before the chart.
        line: The chart.
        main: The number of the chart, as a string.
        span: The interval of the number; empty: unknown.
        sort: The number itself.
        after: Cells after the number.
        tone: "a", "b" or "m": the colour of the chart.
        thin: Whether there are too few samples for a conclusion: the interval is wide, and no
            verdict is decided.
        reading: The conclusion of a slice: of two systems the `kind` of `Compared`, of one system
            "better", "worse", "higher", "lower", "unclear", "thin", "unknown" or nothing.
        taken: The class that this class is most often taken for; None: it never is.
    """

    name: str
    sub: str
    before: list[str]
    line: str
    main: str
    span: str
    sort: float
    after: list[str]
    tone: str = "m"
    thin: bool = False
    reading: str = ""
    taken: Taken | None = None


@dataclass(frozen=True)
class Forest:
    """A table with a chart in every row.

    Attributes:
        title: The name of the numbers.
        scale: The numbers above the charts.
        whole: The row of all samples, if any.
        rows: The rows that can be ranked, in order.
        thin: The rows with too little data.
        total: The number of all rows; some are not kept if the page would grow too large.
        level: The level of the intervals; None: no intervals.
        unit: The unit of differences.
        adjusted: Whether p-values are adjusted for the number of slices.
        columns: The names of the numbers in `after`, of classes.
        has_taken: Whether it is known for what each class is taken.
        tested: Whether slices of one system are tested against all other samples.
    """

    title: str
    scale: str
    whole: Row | None
    rows: list[Row]
    thin: list[Row] = field(default_factory=list)
    total: int = 0
    level: float | None = None
    unit: str = ""
    adjusted: bool = False
    columns: list[str] = field(default_factory=list)
    has_taken: bool = False
    tested: bool = False

    @property
    def shown(self) -> int:
        """The number of rows that the page shows."""
        return len(self.rows) + len(self.thin)

    def named(self, tone: str) -> list[str]:
        """Return the names of the rows of a colour."""
        return [row.name for row in self.rows if row.tone == tone]

    def read_as(self, *readings: str) -> list[Row]:
        """Return the rows with one of these conclusions."""
        return [row for row in self.rows if row.reading in readings]


def parted(name: str) -> tuple[str, str]:
    """Return the value and the column of a slice.

    Example:
        >>> parted("category=math"), parted("age=1,place=2")
        (('math', 'category'), ('age=1,place=2', ''))
    """
    column, sign, value = name.partition("=")
    if not sign or ("," in value and "=" in value.partition(",")[2]):
        return clipped(name), ""
    return clipped(value) or "(empty)", clipped(column)


def compared_slices(every: Sequence[Shown], title: str) -> Forest:
    """Return a row for every slice of two systems, the largest difference first.

    Args:
        every: The slices, all samples first.
        title: The name of the numbers.
    """
    kept, (bounds, scale) = every[: _ROWS + 1], (every[0].bounds, every[0].scale)
    width = bounds[1] - bounds[0]
    ends = [x for of in kept for x in (of.one.value, of.one.low, of.one.high)]
    axis = Axis([0.0, *ends], (-width, width))
    several = len({parted(of.of.slice)[1] for of in kept[1:]}) > 1
    rows = []
    for of in kept:
        value, column = parted(of.of.slice)
        is_whole = of is every[0]
        decided = is_whole or of.verdict.decided
        thin = not decided and _is_thin(of.one, bounds, of.known)
        ahead = "b" if (of.one.value > 0) == (of.better is not False) else "a"
        tone = ahead if of.verdict.decided and of.verdict.outcome != "same" else "m"
        rows.append(
            Row(
                value,
                column if several and not is_whole else "",
                [f"{of.samples:,}", *(scale.value(x) for x in of.values)],
                interval_line(axis, [of.one.value, of.one.low, of.one.high], 0.0, tone, thin),
                scale.number(of.one.value, "+"),
                scale.span(of.one.low, of.one.high, True),
                of.one.value,
                [p_cell(of.p) if of.known else "–"],
                tone,
                thin,
                of.reading,
            )
        )
    ranked = sorted((r for r in rows[1:] if not r.thin), key=lambda r: -abs(r.sort))
    return Forest(
        title,
        scale_line(axis, scale, "+"),
        rows[0],
        ranked,
        [row for row in rows[1:] if row.thin],
        len(every) - 1,
        level=every[0].one.level,
        unit=scale.unit,
        adjusted=any(of.of.corrected for of in kept),
    )


def slices(
    every: Sequence[Slice], part: Part, key: str, scale: Scale, better: bool | None,
    bounds: tuple[float, float],
) -> Forest | None:  # fmt: skip
    """Return a row for every slice of one number, the weakest first; None without slices.

    Args:
        every: All samples, then the slices.
        part: The metric's values for all samples.
        key: The key of the number.
        scale: The format of the number.
        better: Whether more is better; None: unknown.
        bounds: The range of the number.
    """
    numbers = [(one, one.number(part.metric, key)) for one in every[1:]]
    known = [(one, number) for one, number in numbers if number is not None]
    whole = part.numbers[key]
    if not known or isinstance(whole.value, str):
        return None
    kept = known[:_ROWS]
    reference = float(whole.value) if whole.is_known else math.nan
    verdicts = [_against_others(number) for _, number in kept]
    thin = [
        not (verdict is not None and verdict.decided)
        and _is_thin(number.interval, bounds, number.low == number.low)
        for (_, number), verdict in zip(kept, verdicts, strict=True)
    ]
    everything = [x for _, n in kept for x in _ends(n)]
    axis = Axis([*_ends(whole), *everything], bounds)
    several = len({parted(one.name)[1] for one, _ in kept}) > 1
    tested = any(verdict is not None for verdict in verdicts)
    rows = []
    for (one, number), few, verdict in zip(kept, thin, verdicts, strict=True):
        value, column = parted(one.name)
        apart = float(number.value) - reference if number.is_known else math.nan
        if verdict is not None:
            apart = verdict.interval.value
        after = [scale.number(apart, "+") if apart == apart else "–"]
        reading, tone = _read(verdict)
        if tested:
            after.append("–" if verdict is None or math.isnan(verdict.p) else p_cell(verdict.p))
            reading = "thin" if few else reading
        draw = interval_line(axis, _ends(number), reference, tone if not few else "m", few)
        name, sub = value, column * several
        row = _row(name, sub, one.samples, number, scale, draw, after)
        rows.append(replace(row, tone=tone, thin=few, reading=reading))
    blank = ["", ""] if tested else [""]
    draw = interval_line(axis, _ends(whole), reference, "m", False)
    pinned = _row("", "", every[0].samples, whole, scale, draw, blank)
    level = next((n.interval.level for _, n in kept if n.interval is not None), None)
    ranked = [row for row in rows if not row.thin]
    if better is None:
        ranked.sort(key=lambda row: -abs(row.sort - reference))
    else:
        ranked.sort(key=lambda row: row.sort if better else -row.sort)
    return Forest(
        label_of(part.metric, key, len(part.numbers) == 1),
        scale_line(axis, scale),
        pinned,
        ranked,
        [row for row in rows if row.thin],
        len(known),
        level=level,
        unit=scale.unit,
        tested=tested,
    )


def classes(
    parts: Sequence[Part], directions: dict[str, bool | None], most_taken: Sequence[Taken | None]
) -> Forest | None:
    """Return a row for every class, the weakest by its first number first; None without classes.

    A list whose length differs from that of the first list has no values of classes, and is
    skipped.

    Args:
        parts: The metrics.
        directions: By metric, whether more is better.
        most_taken: For each class the class that it is most often confused with; empty: unknown.
    """
    columns = [(part, key, found) for part in parts for key, found in part.by_class.items()]
    if not columns:
        return None
    part, key, first = columns[0]
    columns = [column for column in columns if len(column[2]) == len(first)][: 1 + _MORE]
    names = part.names(len(first))
    halves = [(n.high - n.low) / 2 for n in first if n.low == n.low]
    counts = all(isinstance(n.value, int) for n in first)
    scale = Scale(decimals=0 if counts else 2 if halves else 3)
    better = directions.get(part.metric)
    up = better if better is not None else True
    order = sorted(
        range(len(first)),
        key=lambda at: (not first[at].is_known, first[at].value * (1 if up else -1)),
    )[:_CLASSES]
    axis = Axis([0.0, *(x for at in order for x in _ends(first[at]))], (0.0, 1.0))
    has_taken = len(most_taken) == len(first)
    rows = []
    for at in order:
        number = first[at]
        few = number.interval is not None and _is_thin(number.interval, (0.0, 1.0), True)
        after = [_cell(found[at]) for _, _, found in columns[1:]]
        value = float(number.value) if number.is_known else math.nan
        line = interval_line(axis, _ends(number), math.nan, "b", few)
        span = scale.span(number.low, number.high)
        main = scale.number(value)
        name = clipped(names[at])
        taken = most_taken[at] if has_taken else None
        rows.append(Row(name, "", [], line, main, span, value, after, "b", few, taken=taken))
    title = label_of(part.metric, key, len(part.by_class) == 1)
    level = next((n.interval.level for n in first if n.interval is not None), None)
    return Forest(
        title,
        scale_line(axis, scale),
        None,
        [row for row in rows if not row.thin],
        [row for row in rows if row.thin],
        len(first),
        level=level,
        columns=[label_of(p.metric, k, len(p.by_class) == 1) for p, k, _ in columns[1:]],
        has_taken=has_taken,
    )


def _row(
    name: str,
    sub: str,
    samples: int | None,
    number: Number,
    scale: Scale,
    line: str,
    after: list[str],
) -> Row:
    """Return the row of a slice of one system."""
    value = float(number.value) if number.is_known else math.nan
    before = ["" if samples is None else f"{samples:,}"]
    span = scale.span(number.low, number.high)
    return Row(name, sub, before, line, scale.value(value), span, value, after)


def _is_thin(one: Any, bounds: tuple[float, float], known: bool) -> bool:
    """Return whether an interval is too wide for a conclusion."""
    wide = _WIDE * (bounds[1] - bounds[0])
    return one is not None and known and math.isfinite(wide) and one.high - one.low > wide


def _against_others(number: Number) -> Verdict | None:
    """Return the verdict on a slice and all other samples; None if it was not asked for."""
    found: Verdict | None = getattr(number.interval, "apart", None)
    return found


def _read(verdict: Verdict | None) -> tuple[str, str]:
    """Return what a verdict says of a slice, and its colour."""
    if verdict is None or math.isnan(verdict.p):
        return "unknown", "m"
    if not verdict.decided:
        return "unclear" if verdict.why is None else "marked", "m"
    return verdict.outcome, "b" if verdict.outcome in ("better", "higher") else "a"


def _ends(number: Number) -> list[float]:
    value = float(number.value) if number.is_known else math.nan
    return [value, number.low, number.high]


def _cell(number: Number) -> str:
    return number_text(number.value)
