"""The page of benchmarks has every metric, and says what bounds it where a peer is faster."""

import json
import re
from pathlib import Path

from mmeval_like import metrics

PAGE = Path(__file__).resolve().parents[2] / "docs" / "benchmarks.md"
RELEASED = Path(__file__).with_name("public_names.json")
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


def test_every_metric_has_a_row_or_a_reason() -> None:
    """A metric is in a table beside other packages, or in the list of those without a row.

    A metric that no release has yet waits for the next one, before which the page is made again.
    """
    names = json.loads(RELEASED.read_text())
    released = {name.removeprefix("mmeval_like.") for name in names} & {*metrics.__all__}
    titles = ("COCO detection", "Text and OCR", "Many games", "Every metric beside")
    sections = PAGE.read_text().split("\n## ")
    text = "\n".join(part for part in sections if part.startswith(titles))
    rows = set(re.findall(r"^\| (\w+)", text, re.MULTILINE))
    _, _, reasons = text.partition("\nThese metrics have no row in any table:\n")
    without = {name for line in reasons.splitlines() for name in re.findall(r"`(\w+)`", line)}

    assert len(released) > 200
    assert released - rows - without == set()
    assert rows & without == set()
    assert without <= {*metrics.__all__}
