"""The hunts as tests: each commit tries samples of its own, and always the same ones."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.hunt.chase import HUNTS, Done, one

ROUNDS = int(os.environ.get("MMEVAL_LIKE_HUNT", "5"))


def seed_of_commit() -> int:
    """A number made of all files of the commit; 0 outside of a clone."""
    here, tree = Path(__file__).parent, ("git", "rev-parse", "HEAD^{tree}")
    try:
        said = subprocess.run(tree, cwd=here, capture_output=True, text=True).stdout
    except OSError:  # git is not installed
        said = ""
    return int(said[:8] or "0", 16)


@pytest.mark.parametrize("name", HUNTS)
def test_hunt(name: str) -> None:
    """Metrics agree with independent oracles, and with themselves on every way.

    What is found names the command that shows it again. The variable MMEVAL_LIKE_HUNT says how many
    trials there are; `make hunt` tries random seeds.
    """
    seed, done = seed_of_commit(), Done()
    found = [text for trial in range(ROUNDS) if (text := one(name, seed, trial, done))]
    print(f"seed {seed}: {done.trials} trials, {done.comparisons} comparisons")

    assert not found, "\n".join(found)
