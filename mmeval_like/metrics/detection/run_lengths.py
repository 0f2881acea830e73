"""COCO's compressed run lengths: whether they are valid, and how many pixels they cover.

pycocotools does not check this, and loops forever over the runs of two masks that cover different
numbers of pixels.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mmeval_like.metrics.detection.runs import begins_of_runs, lengths_of_runs, place_in_run

__all__ = ["pixels_of"]

_MOST_DIGITS = 7  # of 5 bits each, for a 32-bit integer


def pixels_of(texts: Sequence[bytes]) -> np.ndarray:
    """Return how many pixels the runs of every mask cover, int64 (n,); -1 for invalid runs.

    An integer is written in digits of 5 bits, the lowest first; 32 is added to all digits except
    the last, whose fifth bit is the sign, and 48 to each. From the fourth integer of a mask on, it
    is the difference to the last run but one. Source: https://github.com/cocodataset/cocoapi.

    Args:
        texts: The compressed counts.

    Example:
        >>> pixels_of([b"54", b"5", b"5T", b"5e"]).tolist()  # 5 and 4, 5, 5 and -12, 5 and ...
        [9, 5, -1, -1]
    """
    lengths = np.array([len(text) for text in texts], np.int64)
    digits = np.frombuffer(b"".join(texts), np.uint8).astype(np.int64) - 48
    owner = np.repeat(np.arange(len(texts)), lengths)
    pixels = np.zeros(len(texts), np.int64)
    if not digits.size:
        return pixels
    bad = [owner[(digits < 0) | (digits > 63)]]
    is_last = digits & 32 == 0
    finals = lengths.cumsum()[lengths > 0] - 1
    bad.append(owner[finals[~is_last[finals]]])
    is_last[finals] = True
    ends = is_last.nonzero()[0]
    starts = np.append(0, ends[:-1] + 1)
    widths = ends - starts + 1
    bad.append(owner[ends[widths > _MOST_DIGITS]])
    places = np.minimum(np.arange(len(digits)) - np.repeat(starts, widths), _MOST_DIGITS)
    numbers = np.add.reduceat((digits & 31) << 5 * places, starts)
    numbers -= (digits[ends] >> 4 & 1) << 5 * np.minimum(widths, _MOST_DIGITS)

    # The first run is separate; then runs accumulate separately at even and at odd indices.
    owner = owner[ends]
    turns = place_in_run(owner)
    chains = 3 * owner + np.where(turns == 0, 0, 1 + turns % 2)
    order = np.argsort(chains, kind="stable")
    begins = begins_of_runs(chains[order])
    runs = numbers[order].cumsum()
    runs -= np.repeat(runs[begins] - numbers[order[begins]], lengths_of_runs(begins, len(runs)))
    bad.append(owner[order[runs < 0]])
    np.add.at(pixels, owner[order], runs)
    pixels[np.concatenate(bad)] = -1
    return pixels
