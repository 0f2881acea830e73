"""The parts of reports of a score and of a comparison: facts, samples, and reading guides."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import PurePath
from typing import Any

import numpy as np

from mmeval_like.reporting.each import Each, Image
from mmeval_like.reporting.forest import Forest
from mmeval_like.reporting.study import Study
from mmeval_like.reporting.words import Scale, clipped, listed

__all__ = [
    "Card",
    "Fact",
    "Figure",
    "Story",
    "Table",
    "bins",
    "command_text",
    "duplicates",
    "guide",
    "measured",
    "place_of",
    "spelled",
    "texts_of",
]

Piece = tuple[str, str]  # a text, and its kind: "", "a", "b", "code" or a link's target
_TEXT = 400  # characters that are shown of a sample's text


@dataclass(frozen=True)
class Fact:
    """A number at the top of the page.

    Attributes:
        label: The name of the number.
        side: "a" or "b" for a system, otherwise empty.
        big: The number.
        sub: Its interval, or another detail.
        gauge: The position of the number within its range, as SVG.
    """

    label: str
    side: str
    big: str
    sub: str
    gauge: str = ""


@dataclass(frozen=True)
class Figure:
    """A figure with its heading.

    Attributes:
        title: The heading.
        note: A line below it.
        svg: The figure.
        key: The meaning of its colours.
    """

    title: str
    note: str
    svg: str
    key: list[Piece] = field(default_factory=list)


@dataclass(frozen=True)
class Card:
    """A sample that the page shows.

    Attributes:
        head: Its id and its slices.
        scores: Its score, or both scores.
        change: The change of its score.
        texts: Its contents: the name of a column, a text, and whether the text is an image.
        sides: The contents for A and B, where they differ.
    """

    head: str
    scores: str
    change: str
    texts: list[tuple[str, str, bool]] = field(default_factory=list)
    sides: list[tuple[str, str, str, bool]] = field(default_factory=list)


@dataclass(frozen=True)
class Table:
    """A table without charts.

    Attributes:
        head: The names of the columns.
        rows: The cells.
        total: The number of rows; the page may show only the first ones.
    """

    head: list[str]
    rows: list[list[str]]
    total: int


@dataclass
class Story:
    """The contents of the page, from top to bottom; empty parts are left out.

    Attributes:
        kind: The kind of report.
        title: The heading, in pieces.
        name: The title of the window.
        verdict: The kind, the sign and the word of a verdict.
        below: The lines that make the heading precise.
        facts: The numbers at the top.
        bar: One bar of all samples, and the meaning of its parts.
        short: Questions and their answers.
        forests: Tables of slices: a section's name, its heading, a note, and the table.
        numbers: All numbers.
        classes: The table of classes, with its heading.
        matrix: A confusion matrix.
        calibration: The result of the reliability diagram, in a sentence.
        figures: Distributions: heading, note, and figures.
        cards: Samples: heading, note, and lists of them by their titles.
    """

    kind: str
    title: list[Piece] = field(default_factory=list)
    name: str = ""
    verdict: tuple[str, str, str] | None = None
    below: list[str] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    bar: tuple[str, list[Piece]] | None = None
    short: list[tuple[str, list[Piece]]] = field(default_factory=list)
    forests: list[tuple[str, str, str, Forest]] = field(default_factory=list)
    numbers: Table | None = None
    classes: tuple[str, Forest] | None = None
    matrix: Any = None
    calibration: str = ""
    figures: tuple[str, str, list[Figure]] | None = None
    cards: tuple[str, str, list[tuple[str, str, list[Card]]]] | None = None


def texts_of(values: Mapping[str, Sequence[Any]], at: int) -> list[tuple[str, str, bool]]:
    """Return the contents of a sample: column, text, and whether the text is an image."""
    found = []
    for name, column in values.items():
        value = column[at]
        text = "" if value is None else str(value)
        image = isinstance(value, Image)
        if not image:
            text = " ".join(clipped(line, _TEXT) for line in text[: 4 * _TEXT].split())
            text = text if len(text) <= _TEXT else f"{text[: _TEXT - 1]}…"
        found.append((clipped(name), text, image))
    return found


def place_of(each: Each, at: int) -> str:
    """Return the id and the slices of a sample: "id 1319 · safety"."""
    places = [clipped(column[at], 40) for column in each.places.values()]
    return " · ".join([f"id {clipped(each.ids[at], 60)}", *places])


def bins(
    several: Sequence[np.ndarray], scale: Scale, around_zero: bool
) -> tuple[list[str], list[list[int]], list[float], bool]:
    """Return labels, counts by series, the middle of each bar, and whether bars are ranges.

    Few values have a bar each; otherwise the bars have equal width. No bar of differences contains
    values of both signs.
    """
    together = np.unique(np.concatenate(several))
    low, high = float(together[0]), float(together[-1])
    whole = bool((together == np.round(together)).all())
    if whole and high - low <= 14 and max(-low, high) < 2**53:
        together = np.arange(low, high + 1)
    if len(together) <= 11 or (whole and len(together) <= 15):
        counts = [[int(np.sum(one == value)) for value in together] for one in several]
        shown = Scale(scale.share, scale.factor, "", 0 if whole else scale.decimals)
        sign = "+" if around_zero else ""
        return [shown.number(x, sign) for x in together.tolist()], counts, together.tolist(), False
    if around_zero:
        step = _round_step(max(high, -low) / 10)
        first, last = math.floor(low / step), math.ceil(high / step)
    else:
        step = _round_step((high - low) / 16)
        first, last = math.floor(low / step), math.floor(high / step) + 1
    edges = np.arange(first, last + 1) * step
    counts = [np.histogram(one, edges)[0].tolist() for one in several]
    decimals = max(0, -math.floor(math.log10(step * scale.factor) + 1e-9))
    shown = Scale(False, scale.factor, "", min(decimals, 6))
    labels = [shown.number(x, "+" if around_zero else "") for x in edges.tolist()]
    return labels, counts, ((edges[:-1] + edges[1:]) / 2).tolist(), True


def spelled(name: str, labels: Sequence[str], counts: Sequence[int], edges: bool) -> str:
    """Return the bars of a histogram in words."""
    shown = [f"{low} to {high}" for low, high in pairwise(labels)] if edges else labels
    pairs = zip(shown, counts, strict=True)
    return f"{name}: " + ", ".join(f"{label}: {count:,}" for label, count in pairs if count)


def _round_step(width: float) -> float:
    power = 10.0 ** math.floor(math.log10(width))
    return float(next(one * power for one in (1, 2, 2.5, 5, 10) if one * power >= width * 0.999))


def duplicates(report: Any) -> str:
    """Return in words which samples were added more than once, or are missing."""
    if report is None:
        return "no ids were given: a sample that occurs twice counts twice"
    found = [f"{report.seen:,} rows with {report.unique:,} different ids; each id counts once"]
    if not report.duplicated:
        found = [f"none: {report.seen:,} rows, {report.unique:,} different ids"]
    else:
        found.append(f"ids that occur more than once: {report.duplicated:,}")
    if report.differing:
        found.append(f"ids with differing copies: {report.differing:,} (the first copy counts)")
    if report.missing is not None:
        found.append(f"samples of the dataset that are missing: {report.missing:,}")
    return "; ".join(found)


def command_text(command: Sequence[str]) -> str:
    r"""Return a command in its typed form, one option on each line, without the names of folders.

    Example:
        >>> print(command_text(["score", "runs/new.csv", "--metric", "accuracy"]))
        mmeval_like score new.csv \
          --metric accuracy
    """
    lines = ["mmeval_like"]
    after = False
    for word in command:
        quoted = word if word in ("--", "-") else shlex.quote(_no_folder(word))
        quoted = clipped(quoted, 2_000)
        if word.startswith("--") and len(word) > 2:
            lines.append(quoted)
            after = True
        elif word == "--" and after:
            lines.append(quoted)
        else:
            lines[-1] += f" {quoted}"
    return " \\\n  ".join(lines)


def _no_folder(word: str) -> str:
    name, sign, value = word.partition("=")
    if word.startswith("--") and sign:
        return f"{name}={_no_folder(value)}"
    if not re.search(r"[/\\]", word):
        return word
    return "@" * word.startswith("@") + PurePath(word.replace("\\", "/")).name


def measured(
    study: Study, middle: Sequence[tuple[str, list[Piece]]], made: str
) -> list[tuple[list[Piece], list[Piece]]]:
    """Return the facts about the evaluation: the name of each, and its text.

    Args:
        study: The known facts.
        middle: The facts that the kind of report adds.
        made: When and with which versions the page was made.
    """
    found: list[tuple[list[Piece], list[Piece]]] = []
    if study.metrics:
        pieces: list[Piece] = []
        for one in study.metrics:
            pieces += [(", ", "")] * bool(pieces) + [(clipped(one, 300), "code")]
        found.append(([("Metrics" if len(study.metrics) > 1 else "Metric", "")], pieces))
    sides = ("a", "b") if len(study.files) == 2 else ("",)
    for side, name, files in zip(sides, study.names, study.files, strict=False):
        names = [PurePath(file.replace("\\", "/")).name for file in files]
        shown: list[Piece] = []
        for one in names[:20]:
            shown += [(", ", "")] * bool(shown) + [(clipped(one, 200), "code")]
        if len(names) > 20:
            shown.append((f" and {len(names) - 20:,} more", ""))
        label = f"{side.upper()}: {name}" if side else ("Files" if len(names) > 1 else "File")
        found.append(([(label, side)], shown))
    if study.columns:
        pieces = []
        for argument, column in study.columns:
            pieces += [(f"{', ' * bool(pieces)}{argument} ", ""), (clipped(column, 200), "code")]
        if study.ids:
            pieces += [(", ids ", ""), (clipped(study.ids), "code")]
        found.append(([("Columns", "")], pieces))
    found += [([(name, "")], pieces) for name, pieces in middle if pieces]
    if study.shown:
        columns = listed([f"“{clipped(one)}”" for one in study.shown])
        text = f"this page contains text of samples, from {columns}"
        found.append(([("Private data", "")], [(text, "")]))
    found.append(([("Made", "")], [(made, "")]))
    return found


def guide(story: Story, samples: int | None, level: str, slices: bool) -> list[tuple[str, str]]:
    """Return the guide to the page: terms and their meanings."""
    compares = story.kind.startswith("Comparison")
    size = f"{samples:,} samples" if samples is not None else "samples"
    found = []
    if level:
        found.append(
            (
                f"{level}% interval",
                f"Another {size} of the same kind would give slightly different numbers. Of 100 "
                f"intervals made this way, about {level} contain the long-run value.",
            )
        )
    else:
        found.append(
            (
                "No intervals",
                f"Another {size} of the same kind would give slightly different numbers. "
                "“--interval” on the command line, or “interval=0.95” in Python, shows by how "
                "much.",
            )
        )
    if compares:
        found += [
            (
                "p-value",
                "How often a difference at least this large would turn up if the systems scored "
                "the same on average. It is not the probability that they do.",
            ),
            (
                "Not significant",
                "These samples do not settle it. That is different from “equal”, which takes an "
                "interval that fits inside a margin chosen beforehand.",
            ),
            (
                "Detectable difference",
                "The true difference that an evaluation of this size detects with 80% "
                "power, that is, in four of five cases.",
            ),
        ]
    if slices and level:
        found.append(
            (
                "Adjusted p",
                "The more slices are tested, the more likely one stands out by chance. The "
                "adjusted p-value allows for how many there are.",
            )
        )
    if slices and not compares:
        found.append(
            (
                "Weakest first",
                "Some slice is always the weakest, by chance alone. Confirm on new samples what "
                "is marked as worse.",
            )
        )
    if slices and level:
        found.append(
            (
                "Thin data",
                "A hollow dot has an interval wider than a fifth of the scale. Such a slice is "
                "not ranked: it needs more samples, not a conclusion.",
            )
        )
    found.append(
        (
            "What no interval covers",
            "Wrong labels, a biased judge, samples unlike those in practice, or a model that would "
            "come out differently if it were trained again.",
        )
    )
    return found
