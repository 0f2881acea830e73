"""Tables with a chart in every row: slices of one or two systems, and classes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mmeval_like._base.account import Account
from mmeval_like._intervals.jackknife.estimand import range_of
from mmeval_like._verdicts.verdict import Verdict
from mmeval_like.plots.reading import Number, Part, Slice
from mmeval_like.reporting.figures import Axis, interval_line, scale_line
from mmeval_like.reporting.verdicts import Shown
from mmeval_like.reporting.words import (
    Scale,
    called,
    clipped,
    label_of_classes,
    p_cell,
    reasons_text,
)

__all__ = ["Forest", "Row", "Taken", "classes", "compared_slices", "parted", "slices"]

_ROWS = 400  # rows of a table: the page must stay below 1.5 MB
_CLASSES = 1_000
_WIDE = 0.2  # share of the range: a wider interval means too few samples
_MORE = 4  # additional columns of a table of classes


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
        reasons: Why samples have no score; empty: all have one.
        possible: The values that samples without a score may give it; empty: unknown.
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
    reasons: str = ""
    possible: str = ""


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
        asked: Whether slices of one system were to be tested against all other samples.
        tested: Whether some of them are.
        averages: The rows of averages over the classes.
        better: Of classes whether more is better; None: unknown.
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
    asked: bool = False
    tested: bool = False
    averages: list[Row] = field(default_factory=list)
    better: bool | None = None

    @property
    def unscored(self) -> list[Row]:
        """The rows of which samples have no score, or whose values these may change."""
        whole = [] if self.whole is None else [self.whole]
        every = [*whole, *self.averages, *self.rows, *self.thin]
        return [row for row in every if row.reasons or row.possible]

    @property
    def shown(self) -> int:
        """The number of rows that the page shows."""
        return len(self.rows) + len(self.thin)

    def named(self, tone: str, *but: str) -> list[str]:
        """Return the names of the rows of a colour, but those with some conclusions."""
        return [row.name for row in self.rows if row.tone == tone and row.reading not in but]

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
    spans = [of.span for of in kept]
    ends = [x for of in kept for x in (of.one.value, of.one.low, of.one.high)]
    ends += [x for span in spans if span is not None for x in span]
    counts = _counts([of.account for of in kept])
    axis = Axis([0.0, *ends], (-width, width))
    several = len({parted(of.of.slice)[1] for of in kept[1:]}) > 1
    rows = []
    for of, span, count in zip(kept, spans, counts, strict=True):
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
                [count or f"{of.samples:,}", *(scale.value(x) for x in of.values)],
                interval_line(
                    axis, [of.one.value, of.one.low, of.one.high], 0.0, tone, thin, span=span
                ),
                scale.number(of.one.value, "+"),
                scale.span(of.one.low, of.one.high, True),
                of.one.value,
                [p_cell(of.p) if of.known else "–"],
                tone,
                thin,
                of.reading,
                reasons=_reasons(of.account),
                possible=of.possible,
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
    bounds: tuple[float, float], title: str,
) -> Forest | None:  # fmt: skip
    """Return a row for every slice of one number, the weakest first; None without slices.

    Args:
        every: All samples, then the slices.
        part: The metric's values for all samples.
        key: The key of the number.
        scale: The format of the number.
        better: Whether more is better; None: unknown.
        bounds: The range of the number.
        title: The name of the number.
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
    axis = Axis([x for n in (whole, *(n for _, n in kept)) for x in (*_ends(n), *_span(n))], bounds)
    accounts = [_account(one, part.metric) for one in (every[0], *(one for one, _ in kept))]
    counts = _counts(accounts)
    several = len({parted(one.name)[1] for one, _ in kept}) > 1
    asked = any(verdict is not None for verdict in verdicts)
    tested = any(verdict is not None and not math.isnan(verdict.p) for verdict in verdicts)
    rows = []
    for (one, number), few, verdict, count, account in zip(
        kept, thin, verdicts, counts[1:], accounts[1:], strict=True
    ):
        value, column = parted(one.name)
        apart = float(number.value) - reference if number.is_known else math.nan
        if tested and verdict is not None:
            apart = verdict.interval.value
        after = [scale.number(apart, "+") if apart == apart else "–"]
        reading, tone = _read(verdict)
        if tested:
            after.append("–" if verdict is None or math.isnan(verdict.p) else p_cell(verdict.p))
            reading = "thin" if few else reading
        draw = interval_line(
            axis, _ends(number), reference, tone if not few else "m", few, span=number.span
        )
        name, sub = value, column * several
        row = _row(name, sub, count or _samples(one), number, scale, draw, after)
        row = replace(row, tone=tone, thin=few, reading=reading, reasons=_reasons(account))
        rows.append(row)
    blank = ["", ""] if tested else [""]
    draw = interval_line(axis, _ends(whole), reference, "m", False, span=whole.span)
    pinned = _row("", "", counts[0] or _samples(every[0]), whole, scale, draw, blank)
    pinned = replace(pinned, reasons=_reasons(accounts[0]))
    level = next((n.interval.level for _, n in kept if n.interval is not None), None)
    ranked = [row for row in rows if not row.thin]
    # A slice in which no sample has a score is last.
    if better is None:
        ranked.sort(key=lambda row: (math.isnan(row.sort), -abs(row.sort - reference)))
    else:
        ranked.sort(key=lambda row: (math.isnan(row.sort), row.sort if better else -row.sort))
    return Forest(
        title,
        scale_line(axis, scale),
        pinned,
        ranked,
        [row for row in rows if row.thin],
        len(known),
        level=level,
        unit=scale.unit,
        asked=asked,
        tested=tested,
    )


def _counts(accounts: Sequence[Account | None]) -> list[str]:
    """Return for each account how many of the samples have a score; empty if all samples have."""
    if not any(map(_reasons, accounts)):
        return [""] * len(accounts)
    return ["" if one is None else f"{one.scored:,} of {one.planned:,}" for one in accounts]


def _reasons(account: Account | None) -> str:
    """Return why samples have no score; empty if all have one."""
    return "" if account is None else reasons_text(account, 5)


def _account(one: Slice, metric: str) -> Account | None:
    part = one.part(metric)
    return None if part is None else part.account


def _samples(one: Slice) -> str:
    return "" if one.samples is None else f"{one.samples:,}"


@dataclass(frozen=True)
class Column:
    """The numbers of all classes under one name.

    Attributes:
        label: The name of the numbers.
        numbers: A number for every class.
        part: The metric that has them.
        averages: The averages over the classes, by name.
        bounds: The range of the numbers.
        better: Whether more is better; None: unknown.
    """

    label: str
    numbers: list[Number]
    part: Part
    averages: dict[str, Number]
    bounds: tuple[float, float]
    better: bool | None

    @property
    def level(self) -> float | None:
        """The level of the intervals; None: no intervals."""
        known = (one.interval.level for one in self.numbers if one.interval is not None)
        return next(known, None)

    def scale(self, decimals: int) -> Scale:
        """Return the format of the numbers; counts have no decimals, percentages one."""
        if all(isinstance(one.value, int) for one in self.numbers):
            return Scale(decimals=0)
        return Scale(decimals=1 if self.bounds == (0.0, 100.0) else decimals)


def classes(
    parts: Sequence[Part], metrics: Mapping[str, Any], most_taken: Sequence[Taken | None]
) -> Forest | None:
    """Return a row for every class, the weakest by its main number first; None without classes.

    The main number is one with intervals, if there are any, and preferably F1.

    Args:
        parts: The values of the metrics.
        metrics: The metrics themselves, by name.
        most_taken: For each class the class that it is most often confused with; empty: unknown.
    """
    columns = _columns(parts, metrics)
    if not columns:
        return None
    main = max(columns, key=lambda one: (one.level is not None, one.label == "F1"))
    others = [one for one in columns if one is not main][:_MORE]
    decimals = 3 if main.level is None else 2
    numbers, scale = main.numbers, main.scale(decimals)
    scales = [one.scale(decimals) for one in others]
    names = main.part.names(len(numbers))
    up = main.better is not False
    order = sorted(
        range(len(numbers)),
        key=lambda at: (not numbers[at].is_known, numbers[at].value * (1 if up else -1)),
    )[:_CLASSES]
    shown = [numbers[at] for at in order]
    axis = Axis([0.0, *(x for one in shown for x in (*_ends(one), *_span(one)))], main.bounds)
    has_taken = len(most_taken) == len(numbers)

    def row(name: str, number: Number, after: list[str], taken: Taken | None = None) -> Row:
        few = number.interval is not None and _is_thin(number.interval, main.bounds, True)
        line = interval_line(axis, _ends(number), math.nan, "b", few, True, number.span)
        value, span = _ends(number)[0], scale.span(number.low, number.high)
        text = scale.number(_written(number))
        found = Row(clipped(name), "", [], line, text, span, value, after, "b", few, taken=taken)
        return replace(found, possible=_possible(number, scale))

    def cells(several: Sequence[Number | None]) -> list[str]:
        pairs = zip(several, scales, strict=True)
        return ["" if one is None else how.number(_written(one)) for one, how in pairs]

    rows = [
        row(
            names[at],
            numbers[at],
            cells([one.numbers[at] for one in others]),
            most_taken[at] if has_taken else None,
        )
        for at in order
    ]
    averages = [
        row(name, average, cells([one.averages.get(name) for one in others]))
        for name, average in main.averages.items()
    ]
    return Forest(
        main.label,
        scale_line(axis, scale),
        None,
        [row for row in rows if not row.thin],
        [row for row in rows if row.thin],
        len(numbers),
        level=main.level,
        columns=[one.label for one in others],
        has_taken=has_taken,
        averages=averages,
        better=main.better,
    )


def _columns(parts: Sequence[Part], metrics: Mapping[str, Any]) -> list[Column]:
    """Return the numbers of classes of all metrics, those that two metrics share once.

    Numbers of other classes than the first ones are skipped.
    """
    found: dict[str, Column] = {}
    for part in parts:
        metric = metrics[part.metric]
        for key, numbers in part.by_class.items():
            size = len(next(iter(found.values())).numbers) if found else len(numbers)
            if len(numbers) != size:
                continue
            label = label_of_classes(*called(metric, part.metric, key), len(part.by_class) == 1)
            averages = {
                f"{name.split()[0].capitalize()} average": row[key]
                for name, row in part.averages.items()
            }
            bounds = range_of(metric.ranges, key)
            one = Column(label, numbers, part, averages, bounds, metric.direction_of(key))
            known = found.get(label)
            if known is not None and not _same(known.numbers, numbers):
                found[f"{label} ({part.metric})"] = replace(one, label=f"{label} ({part.metric})")
            elif known is None:
                found[label] = one
            else:  # with the intervals of one, and the averages of the other
                best = known if known.level is not None else one
                found[label] = replace(best, averages=known.averages or averages)
    return [*found.values()]


def _same(one: Sequence[Number], other: Sequence[Number]) -> bool:
    pairs = zip(one, other, strict=True)
    return all(a.value == b.value or not (a.is_known or b.is_known) for a, b in pairs)


def _row(
    name: str,
    sub: str,
    samples: str,
    number: Number,
    scale: Scale,
    line: str,
    after: list[str],
) -> Row:
    """Return the row of a slice of one system."""
    value = float(number.value) if number.is_known else math.nan
    span = scale.span(number.low, number.high)
    row = Row(name, sub, [samples], line, scale.value(_written(number)), span, value, after)
    return replace(row, possible=_possible(number, scale))


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


def _written(number: Number) -> float:
    """Return a value, which may be infinite; nan: it is undefined."""
    return float(number.value) if isinstance(number.value, int | float) else math.nan


def _span(number: Number) -> tuple[float, ...]:
    return () if number.span is None else number.span


def _possible(number: Number, scale: Scale) -> str:
    if number.span is None:
        return ""
    least, most = number.span
    return scale.span(least, most)
