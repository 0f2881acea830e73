"""Ranks of a launcher with files of their own: they score equal ones, and end together."""

import gzip
import json
from pathlib import Path

import pytest

from tests.helpers.launch import Ranks, run_ranks
from tests.helpers.optional import requires

requires("mpi4py")
requires("pyarrow")
pytestmark = pytest.mark.mpi

PROGRAM = Path(__file__).with_name("unequal_ranks_program.py")
TABLE = "prediction,label\n" + "0,0\n1,0\n2,2\n" * 40
SCORE = ("score", "scores.csv", "--metric", "accuracy", "--quiet")


def ended(folder: Path, tables: list[str | None], *words: tuple[str, ...]) -> Ranks:
    """What two ranks do with their own tables, of which None is missing."""
    for rank, (table, some) in enumerate(zip(tables, words, strict=True)):
        own = folder / str(rank)
        own.mkdir()
        (own / "words.json").write_text(json.dumps(some))
        if table is not None:
            (own / "scores.csv").write_text(table)
            (own / "scores.csv.gz").write_bytes(gzip.compress(table.encode()))
    return run_ranks("mpiexec", len(tables), PROGRAM, folder, check=False)


@pytest.mark.parametrize("name", ["scores.csv", "scores.csv.gz"])
def test_equal_copies_are_one_file(tmp_path, name):
    """On disks of their own, and compressed: each rank then reads what it has unpacked itself."""
    words = ("score", name, "--metric", "accuracy", "--quiet", "--json", "-")
    ranks = ended(tmp_path, [TABLE, TABLE], words, words)
    assert ranks.returncode == 0, ranks
    assert json.loads(ranks.stdout[0]) == {"accuracy": {"top1": 2 / 3}, "samples": 120}


@pytest.mark.parametrize("name", ["scores.csv", "scores.csv.gz"])
def test_unequal_copies_are_refused(tmp_path, name):
    """With as many rows, so that nothing but the bytes tells them apart."""
    words = ("score", name, "--metric", "accuracy", "--quiet")
    ranks = ended(tmp_path, [TABLE, TABLE.replace("1,0", "0,0")], words, words)
    assert ranks.returncode == 2, ranks
    assert f"{name}: rank 1 has another file than rank 0" in ranks.stderr[1]
    assert ranks.stdout == ["", ""]


@pytest.mark.parametrize("missing", [0, 1])
def test_a_file_that_one_rank_lacks_ends_all(tmp_path, missing):
    """The rank says so, and no other waits for it."""
    tables = [None if rank == missing else TABLE for rank in range(2)]
    ranks = ended(tmp_path, tables, SCORE, SCORE)
    assert ranks.returncode == 2, ranks
    assert ranks.stderr[missing].strip() == "mmeval_like: scores.csv: no such file"


def test_other_arguments_are_named(tmp_path):
    """Instead of a wait for a message that never comes."""
    ranks = ended(
        tmp_path, [TABLE, TABLE], SCORE, (*SCORE, "--metric", "cohen_kappa:num_classes=3")
    )
    assert ranks.returncode == 2, ranks
    assert "rank 1 has other arguments than rank 0 (metric)" in ranks.stderr[1]
