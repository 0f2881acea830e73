"""The parts of reports of a score and of a comparison: samples, histograms, and the command."""

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
from mmeval_like.reporting.words import Scale, clipped

__all__ = ["Card", "Histogram", "bins", "command_text", "place_of", "texts_of"]

_TEXT = 400  # characters that are shown of a sample's text


@dataclass(frozen=True)
class Histogram:
    """A histogram of one series of values or of several.

    Attributes:
        labels: The labels of the bars or, with `edges`, of the edges of the bars.
        series: For each series the counts, and the colour of every bar.
        edges: Whether bars are ranges of values.
    """

    labels: list[str]
    series: list[tuple[list[int], list[str]]]
    edges: bool

    def counted(self, series: int) -> list[tuple[tuple[str, ...], int]]:
        """Return the bars of a series that are not empty: the label, or both ends; the count."""
        ends = [*pairwise(self.labels)] if self.edges else [(one,) for one in self.labels]
        return [pair for pair in zip(ends, self.series[series][0], strict=True) if pair[1]]


@dataclass(frozen=True)
class Card:
    """A sample that the page shows.

    Attributes:
        id: Its id.
        places: Its slices.
        scores: Its score, or both scores.
        change: The change of its score.
        texts: Its contents: the name of a column, a text, and whether the text is an image.
        sides: The contents for A and B, where they differ.
    """

    id: str
    places: list[str] = field(default_factory=list)
    scores: str = ""
    change: str = ""
    texts: list[tuple[str, str, bool]] = field(default_factory=list)
    sides: list[tuple[str, str, str, bool]] = field(default_factory=list)


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


def place_of(each: Each, at: int) -> tuple[str, list[str]]:
    """Return the id and the slices of a sample."""
    return clipped(each.ids[at], 60), [clipped(column[at], 40) for column in each.places.values()]


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


def _round_step(width: float) -> float:
    power = 10.0 ** math.floor(math.log10(width))
    return float(next(one * power for one in (1, 2, 2.5, 5, 10) if one * power >= width * 0.999))


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
