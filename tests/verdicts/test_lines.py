"""Verdicts as sentences: one line, the same from Python and from the command line."""

import numpy as np
import pytest

import mmeval_like as mm
from mmeval_like.cli import main
from tests.cli.files import write
from tests.helpers.paired import sliced_pair

pytestmark = pytest.mark.filterwarnings("ignore:intervals that promise less")


def test_a_verdict_is_printed_as_the_command_prints_it(tmp_path, capsys):
    """Without the name of the number, which a verdict does not know; `repr` shows every field."""
    labels, slices = np.ones(300, int), np.repeat(["a", "b", "c"], 100)
    predictions = (np.arange(300) % 10 < np.repeat([9, 9, 7], 100)).astype(int)
    sliced = mm.Sliced(mm.Accuracy(interval=0.95), by="part")
    sliced.add(predictions, labels, by={"part": slices.tolist()})
    sliced.compute()
    verdict = mm.gate(sliced, "top1", at_least=0.72)

    path = write(tmp_path, "npz", {"predictions": predictions, "labels": labels, "part": slices})
    asked = ["--metric", "accuracy", "--at-least", "0.72", "--by", "part"]
    assert main(["gate", str(path), *asked]) == 3
    line = capsys.readouterr().out.strip()
    assert str(verdict) == line.replace("accuracy.top1 ", "")
    assert verdict.line("accuracy.top1") == line
    assert line.startswith("UNDECIDED accuracy.top1 0.8333 [")
    assert repr(verdict).startswith("Verdict(question='at least'")


def test_the_number_of_samples_says_of_what():
    """What the worst slice needs are samples of this slice, and not of all."""
    labels, slices = np.ones(400, int), np.repeat(["a", "b"], 200)
    a = (np.arange(400) % 10 < 8).astype(int)
    pair = sliced_pair(a, np.roll(a, 3), labels, slices)
    verdict = mm.gate(pair, "top1", margin=0.02)

    needed = [verdict.needed, verdict.slices[verdict.worst].needed]
    assert verdict.outcome == "undecided"
    assert all(needed)
    assert f"; needs about {needed[0]:,} samples in all; worst slice: " in str(verdict)
    assert str(verdict).endswith(f" undecided; needs about {needed[1]:,} samples of this slice")


def test_differences_and_slices_against_the_rest_have_their_p_value():
    """There is no bound that they could be compared with."""
    sliced = mm.Sliced(mm.Accuracy(interval=0.95), by="part", rest=True)
    hits = (np.arange(200) < 150).astype(int)
    sliced.add(hits, np.ones(200, int), by={"part": ["a"] * 100 + ["b"] * 100})
    sliced.compute()
    found = sliced.intervals["part=b"]["top1"].apart
    assert str(found).startswith("WORSE -0.5 [-0.")
    assert str(found).endswith(f"; p = {found.p:.3g}")
