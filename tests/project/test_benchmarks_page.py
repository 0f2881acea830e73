"""The page of benchmarks says what bounds a metric wherever another package is faster."""

from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "benchmarks.md"
GOALS = {"counts": 1.0, "scores": 1.0, "sums": 0.5}
"""By kind of metric how many times as long the fastest peer shall take, at least."""


def test_a_metric_below_its_goal_has_words() -> None:
    """Every row of the table of peers is of a kind that has a goal, and below it has a reason."""
    _, _, section = PAGE.read_text().partition("\n## Every metric beside its fastest peer\n")
    table = [line.split("|") for line in section.splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in line[1:-1]] for line in table[2:]]
    below = [row for row in rows if float(row[3]) < GOALS[row[1]]]
    unexplained = [name for name, *_, words in below if not words]

    assert len(rows) > 200
    assert unexplained == []
