"""Gloo's ranks beside what else a program does with torch: collectives, groups, forks."""

from pathlib import Path

import pytest

from tests.helpers.launch import run_ranks
from tests.helpers.optional import require_installed
from tests.helpers.pace import patient

PROGRAM = Path(__file__).with_name("torch_program.py")


@pytest.mark.parametrize("debug", ["OFF", "DETAIL"])
def test_our_collectives_beside_the_programs(debug):
    """Computes and the program's collectives take turns, also where torch compares the calls."""
    require_installed("torch")

    ranks = run_ranks("plain", 3, PROGRAM, "beside", env={"TORCH_DISTRIBUTED_DEBUG": debug})

    assert ranks.stdout == ["done\n"] * 3


def test_a_destroyed_group_is_not_kept_alive():
    """Who destroyed it gets an error, never its own share; the others need not wait."""
    require_installed("torch")

    ranks = run_ranks("plain", 3, PROGRAM, "destroyed")

    lines = ranks.stdout[1].splitlines()
    assert [line.partition(": ")[0] for line in lines] == ["destroyed 0", "destroyed 1"], str(ranks)
    assert all("process group given to TorchDist was destroyed" in line for line in lines)
    for survivor in (0, 2):
        seconds, _, error = ranks.stdout[survivor].partition("; ")
        assert float(seconds) < patient(10), str(ranks)
        assert "no answer from rank 1. " in error, str(ranks)


def test_a_rank_that_left_the_group_never_takes_its_share_for_the_whole():
    """Metrics that were computed together, their copies too, say that the group is gone."""
    require_installed("torch")

    ranks = run_ranks("plain", 2, PROGRAM, "left")

    for printed in ranks.stdout:
        assert [line.partition(": ")[0] for line in printed.splitlines()] == ["left"] * 3, printed


def test_remaining_on_one_rank_meets_a_compute_on_the_others():
    """Gloo ends a process that gets a message of another length: all our calls begin alike."""
    require_installed("torch")

    ranks = run_ranks("plain", 3, PROGRAM, "meets")

    assert ranks.stdout == ["{'top1': 0.6666666666666666}\n"] * 3, str(ranks)


@pytest.mark.parametrize("backend", ["torch", "torch_cpu"])
def test_a_forked_child_is_refused_at_once(backend):
    """Where gloo would wait for ever: in a data loader's worker that calls compute."""
    require_installed("torch")

    ranks = run_ranks("plain", 2, PROGRAM, "forked", backend)

    for printed in ranks.stdout:
        assert printed.startswith("a forked process (for instance a worker"), str(ranks)
        assert "torch.distributed" in printed
