"""On real ranks: what is set late, who has which number, and who remembers a group that is gone."""

from pathlib import Path

from tests.helpers import require_installed
from tests.helpers.launch import run_ranks

PROGRAM = Path(__file__).with_name("identity_program.py")


def test_who_computes_what() -> None:
    """The program itself checks, on every rank."""
    require_installed("torch")

    ranks = run_ranks("plain", 2, PROGRAM, timeout=100)

    assert ranks.stdout == ["done\n"] * 2
