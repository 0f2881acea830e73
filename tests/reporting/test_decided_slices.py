"""Slices that a test decides are named, however wide their intervals are."""

import html
import re
from pathlib import Path

import numpy as np

import mmeval_like as mm
from tests.helpers import requires

requires("jinja2")

COUNT = 80  # samples of every slice: the interval of a share of a half is wider than a fifth
NAMES = [f"s{at}" for at in range(6)]
BY = {"part": np.repeat(NAMES, COUNT)}
ONES = np.ones(len(NAMES) * COUNT, int)


def hits(weak: int) -> np.ndarray:
    """Which samples are right: of the third slice this many, of all others nine in ten."""
    found = np.tile(np.arange(COUNT) < 0.9 * COUNT, len(NAMES)).reshape(len(NAMES), COUNT)
    found[3] = np.arange(COUNT) < weak
    return found.reshape(-1).astype(int)


def text_of(metric: mm.Sliced | mm.Paired, path: Path) -> str:
    """The words of the report."""
    mm.report(metric, path)
    body = re.sub(r"<(style|script).*?</\1>", "", path.read_text(), flags=re.DOTALL)
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", body)))


def test_a_slice_that_is_worse_than_the_others_is_the_weakest(tmp_path: Path) -> None:
    """A slice at half the accuracy of the others was "thin data", and no slice was worse."""
    sliced = mm.Sliced(mm.Accuracy(interval=0.95), by="part", rest=True)
    sliced.add(hits(weak=40), ONES, by=BY)
    sliced.compute()
    found = sliced.intervals["part=s3"]["top1"]
    assert found.apart.outcome == "worse"
    assert found.high - found.low > 0.2

    text = text_of(sliced, tmp_path / "score.html")
    assert "No slice is significantly worse" not in text
    assert re.search(r"Where is it weakest\? s3 : 50.0%, −40.0 against", text)
    assert "Thin data, not ranked" not in text


def test_a_slice_that_became_worse_is_said_to_be(tmp_path: Path) -> None:
    """A slice that lost 40 points was "too little data", and no slice differed."""
    pair = mm.Paired(mm.Sliced(mm.Accuracy(), by="part"))
    for side, weak in ((pair.a, 72), (pair.b, 40)):
        side.add(hits(weak), ONES, ids=range(len(ONES)), by=BY)
    pair.compute()
    found = pair.intervals["part=s3"]["top1_difference"]
    assert found.high < 0
    assert found.high - found.low > 0.2

    text = text_of(pair, tmp_path / "compare.html")
    assert "No slice shows a significant difference" not in text
    assert re.search(r"Where does it hold\? A is ahead in s3", text)
    assert "Thin data, not ranked" not in text
