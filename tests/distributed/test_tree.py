"""The tree along which gloo's ranks exchange small messages, when all is well and when not."""

from pathlib import Path

import pytest

from tests.helpers.launch import run_ranks
from tests.helpers.optional import require_installed

PROGRAM = Path(__file__).with_name("tree_program.py")


def test_every_rank_is_reached():
    """A branch is its rank and its children's branches; parents and children know each other."""
    require_installed("torch")
    from mmeval_like.backends.torch_tree import Tree

    for ranks in range(1, 70):
        trees = [Tree(rank, ranks, 8) for rank in range(ranks)]
        branches = [[*range(ranks)[tree.upward]] for tree in trees]
        assert branches[0] == [*range(ranks)]
        for tree in trees:
            below = [rank for child in tree.children for rank in branches[child]]
            assert branches[tree.rank] == [tree.rank, *below]
            assert all(trees[child].parent == tree.rank for child in tree.children)
            assert len(tree.children) <= ranks.bit_length()


@pytest.mark.parametrize("wrong", [0, 3, 4], ids=["the root", "a leaf", "between"])
def test_a_rank_that_fails_and_then_leaves(wrong):
    """All others raise long before the timeout, and name it; what failed leaves nothing behind."""
    require_installed("torch")
    ranks = run_ranks("torchrun", 7, PROGRAM, str(wrong), timeout=100, check=False)

    assert ranks.returncode == 0, str(ranks)
    for rank in range(7):
        lines = [line.split("; ", 2) for line in ranks.stdout[rank].splitlines()]
        if rank == wrong:
            assert [fault for fault, *_ in lines] == ["fails", "fails"], str(ranks)
            assert all(error.startswith("TypeError") for *_, error in lines)
            continue
        assert [fault for fault, *_ in lines] == ["fails", "fails", "leaves"], str(ranks)
        for _, seconds, error in lines:
            assert float(seconds) < 20
            assert error.startswith("SyncTimeoutError: all_gather: no answer from rank"), error
            assert f"no answer from rank {wrong}. " in error, str(ranks)
