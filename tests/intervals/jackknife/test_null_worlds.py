"""Comparisons and gates are seldom wrong where there is no difference: part of `make intervals`."""

import math

import numpy as np
import pytest

from mmeval_like._intervals.betting import Bets
from tools import exact_gates
from tools.bounded_streams import PLANNED, STREAMS, at_looks, bounded_looks
from tools.interval_study import simulate
from tools.null_worlds import WORLDS, at_the_margin, false_alarms, looks

pytestmark = pytest.mark.filterwarnings("ignore")

DRAWS = 300


def allowed(share: float) -> float:
    """What a share may be by chance, in so many worlds."""
    return share + 3 * math.sqrt(share * (1 - share) / DRAWS)


@pytest.mark.parametrize("world", WORLDS[:3], ids=lambda world: world.name)
def test_differences_are_seldom_found_where_there_are_none(world) -> None:
    """300 worlds of 100 samples: p is below 0.05 in 5 of 100."""
    assert false_alarms(world, 100, DRAWS)[0] <= allowed(0.05)


def test_gates_at_the_margin() -> None:
    """300 worlds of 100 samples: a system at the bound passes, and fails, in 2.5 of 100."""
    passed, failed = at_the_margin(100, DRAWS)
    assert passed <= allowed(0.025)
    assert failed <= allowed(0.05)  # more than half a flip each way: passes are the safe side


def test_looking_55_times() -> None:
    """The sequence finds nothing in 95 of 100 streams; a test for a single look does."""
    found = looks(0.0, DRAWS)
    assert found["interval"] <= allowed(0.05)
    assert found["usual"] > 0.25  # so the test can fail
    assert looks(0.05, 20)["interval"] == 1


def test_item_15_looking_191_times_at_bounded_values() -> None:
    """Issue 33, item 15: bets find nothing in 95 of 100 streams; a test of one look does.

    The capitals of the study are those of the package.
    """
    values = STREAMS["scores between 0 and 1"](np.random.default_rng(0))
    capital = float(Bets(PLANNED, 0.95).capital(values, 0.0))
    assert at_looks(values)[-1] == pytest.approx(capital, rel=1e-9)
    for name in [*STREAMS][:4]:
        found = bounded_looks(name, DRAWS)
        assert found["betting"] <= allowed(0.05)
        assert found["usual"] > 0.25  # so the test can fail
    assert bounded_looks("15 of 100 flip, difference 0.05", 20)["betting"] >= 0.9


def test_item_16_gates_of_all_outcomes() -> None:
    """Issue 33, item 16: what the page of the study says of 34 and 54 samples, and 50 pairs."""
    for count in (34, 54):
        found = exact_gates.shares(count)
        assert found["coverage"] >= 0.919 > 0.86 > found["coverage, Wilson"]
        assert max(found["pass"], found["fail"]) <= 0.025 < 0.1 < found["fail, Wilson"]
    found = exact_gates.pairs(50)
    assert max(found["pass"], found["fail"]) <= 0.031


def test_an_interrupted_study_goes_on(tmp_path, monkeypatch, capsys) -> None:
    """What is in the file is not computed again; what was half written never counts."""
    few = [(("looks", f"{d}"), looks, (d, 5)) for d in (0.0, 0.05)]
    monkeypatch.setattr("tools.interval_study.cells", lambda draws, worlds: few)
    kept = tmp_path / "kept.jsonl"
    first = simulate(1, 5, kept, 1)
    assert set(first) == {("looks", "0.0"), ("looks", "0.05")}
    lines = kept.read_text().splitlines()
    kept.write_text(lines[0] + "\n" + lines[1][:20])
    capsys.readouterr()
    assert simulate(1, 5, kept, 1) == first
    assert len(capsys.readouterr().out.splitlines()) == 1
