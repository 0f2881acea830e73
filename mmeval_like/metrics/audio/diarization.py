"""DiarizationErrorRate: who spoke when."""

from __future__ import annotations

import importlib
import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from mmeval_like.writing import (
    NOT_NEGATIVE,
    BaseMetric,
    MetricOptions,
    Results,
    Unpack,
    arrays,
    needed_for,
    ratio,
    state,
)

__all__ = ["DiarizationErrorRate"]

_KEYS = ("der", "missed", "false_alarm", "confusion")


class Turn(NamedTuple):
    """A turn of a speaker."""

    start: float
    end: float
    speaker: Hashable


class DiarizationErrorRate(BaseMetric):
    """Diarization error rate (DER): the error of a prediction of who speaks when.

    The rate is the time that is attributed wrongly, over the time of speech. At each moment r
    speakers speak in the ground truth and p in the prediction; c speakers are in both. The
    moment then counts as speech of r speakers; max(r - p, 0) speakers are missed, max(p - r, 0) are
    false alarms, and min(r, p) - c are confused. The names of speakers need not agree: in each
    recording, predicted speakers are mapped one to one to true ones so that the correct time is
    largest. Times are summed over all recordings before they are divided. Source: NIST,
    "The 2009 (RT-09) Rich Transcription meeting recognition evaluation plan" (2009).

    `add` takes `predictions` and `groundtruths`: one list of (start, end, speaker) for each of N
    recordings, in seconds. Turns of one speaker that overlap count once.

    Formula:
        der = (missed + false + confused) / speech

    Args:
        collar: The number of seconds before and after each start and end in the ground truth that
            do not count.
        skip_overlap: Whether moments with several speakers in the ground truth do not count.
        **options: As for `BaseMetric`.

    Returns of `compute`: `der`, and its three shares `missed`, `false_alarm` and `confusion`; nan
    without speech. Lower is better.

    Raises:
        ModuleNotFoundError: scipy is not installed.
        ValueError: `collar` is negative or not finite.

    Example:
        >>> metric = DiarizationErrorRate()
        >>> metric.add([[(0, 6, "A"), (6, 9, "B")]], [[(0, 5, "anna"), (5, 10, "bert")]])
        >>> metric.compute()  # of 10 s, 5 to 6 is confused and 9 to 10 missed
        {'der': 0.2, 'missed': 0.1, 'false_alarm': 0.0, 'confusion': 0.1}
    """

    every_rank_computes = True
    higher_is_better = False
    ranges = NOT_NEGATIVE

    seconds = state.sum(float, (4,))  # missed, false alarms, confused; speech

    def __init__(
        self, collar: float = 0.0, skip_overlap: bool = False, **options: Unpack[MetricOptions]
    ) -> None:
        super().__init__(**options)
        with needed_for(type(self).__name__, "pip install 'mmeval-like[audio]'"):
            importlib.import_module("scipy.optimize")
        if not 0 <= collar < math.inf:
            raise ValueError(f"collar must be at least 0 and finite, got {collar}")
        self.collar, self.skip_overlap = float(collar), skip_overlap

    def rows(self, predictions: Any, groundtruths: Any) -> dict[str, np.ndarray]:
        """Return the seconds of every recording.

        Args:
            predictions: N lists of (start, end, speaker): two numbers, and any text or number.
            groundtruths: N such lists.

        Raises:
            TypeError: The recordings are not lists of (start, end, speaker).
            ValueError: The numbers of recordings differ, a turn ends before it starts, or a time is
                not finite.
        """
        sides = [
            [_turns(turns, name) for turns in _recordings(value, name)]
            for name, value in (("predictions", predictions), ("groundtruths", groundtruths))
        ]
        arrays.check_same_length("predictions", sides[0], "groundtruths", sides[1])
        seconds = [self._seconds(*pair) for pair in zip(*sides, strict=True)]
        return {"seconds": np.array(seconds, np.float64).reshape(-1, 4)}

    def _seconds(self, prediction: list[Turn], truth: list[Turn]) -> tuple[float, ...]:
        """Return the missed, falsely detected, confused and total speech of one recording."""
        from scipy.optimize import linear_sum_assignment

        moments = [*self._moments(prediction, truth)]
        together: Counter[tuple[Hashable, Hashable]] = Counter()
        for length, ours, theirs in moments:
            together.update({(p, t): length for p in ours for t in theirs})
        names = [list(dict.fromkeys(turn.speaker for turn in side)) for side in (prediction, truth)]
        table = np.array([[together[p, t] for t in names[1]] for p in names[0]], np.float64)
        pairs = zip(*linear_sum_assignment(table, maximize=True), strict=True) if table.size else ()
        same = {(names[0][p], names[1][t]) for p, t in pairs}
        parts: list[list[float]] = [[], [], [], []]
        for length, ours, theirs in moments:
            right = sum((p, t) in same for p in ours for t in theirs)
            found, there = len(ours), len(theirs)
            counts = (
                max(there - found, 0),
                max(found - there, 0),
                min(found, there) - right,
                there,
            )
            for part, count in zip(parts, counts, strict=True):
                part.append(count * length)
        return tuple(map(math.fsum, parts))

    def _moments(
        self, prediction: list[Turn], truth: list[Turn]
    ) -> Iterable[tuple[float, set[Hashable], set[Hashable]]]:
        """Yield intervals that count, in which no turn starts or ends, and their speakers."""
        borders = {time for turn in truth for time in (turn.start, turn.end)}
        silent = [(time - self.collar, time + self.collar) for time in borders if self.collar]
        times = {time for turn in (*prediction, *truth) for time in (turn.start, turn.end)}
        for start, end in pairwise(sorted(times.union(*silent))):
            ours, theirs = (
                {turn.speaker for turn in side if turn.start <= start and end <= turn.end}
                for side in (prediction, truth)
            )
            skipped = self.skip_overlap and len(theirs) > 1
            if not skipped and not any(low <= start and end <= high for low, high in silent):
                yield end - start, ours, theirs

    def compute_metric(self, results: Results) -> dict[str, float]:
        """Return the error rate and its shares."""
        exact: Any = results.exact("seconds")
        missed, false, confused, speech = exact.tolist()
        totals = (missed + false + confused, missed, false, confused)
        return {key: ratio(total, speech) for key, total in zip(_KEYS, totals, strict=True)}


def _recordings(value: Any, name: str) -> Sequence[Any]:
    if not isinstance(value, list | tuple):
        raise TypeError(f"{name} must be a list of lists of turns, got {type(value).__name__}")
    return value


def _turns(turns: Any, name: str) -> list[Turn]:
    """Return the turns of one recording, checked."""
    found = []
    for turn in _recordings(turns, name):
        try:
            if isinstance(turn, str):
                raise TypeError("a turn must not be a string")
            start, end, speaker = turn
            found.append(Turn(float(start), float(end), speaker))
            hash(speaker)
        except (TypeError, ValueError) as error:
            text = f"{name} must have turns (start, end, speaker), got {turn!r}"
            raise TypeError(text) from error
        if not -math.inf < found[-1].start <= found[-1].end < math.inf:
            raise ValueError(
                f"{name} must have finite turns that end after they start, got {turn!r}"
            )
    return found
