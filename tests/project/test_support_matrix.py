"""Which differences from what the tests did are errors of the committed page."""

from pathlib import Path

import pytest

from tools import support_matrix

PAGE = """\
## Metrics and array libraries

| | numpy |
|---|---|
| Accuracy | passed |
| Recall | passed |
"""


@pytest.mark.parametrize(
    ("line", "change", "code"),
    [
        ("| Recall | passed |\n", "", 1),
        ("| Recall | passed |", "| Recall | failed |", 1),
        ("| Recall |", "| Recall | passed |\n| ConfusionMatrix |", 0),
        ("| Recall |", "| Recall | passed |\n| no metric |", 1),
        ("| Recall |", "| Recall |", 0),
    ],
    ids=["a metric is gone", "a cell", "a new metric", "another new row", "nothing"],
)
def test_only_a_new_metric_is_no_error(
    line: str, change: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that a metric can be added without a run of all environments."""
    page = tmp_path / "docs" / "page.md"
    page.parent.mkdir()
    page.write_text(PAGE)
    monkeypatch.setattr(support_matrix, "ROOT", tmp_path)
    monkeypatch.setattr(support_matrix, "PAGE", page)

    assert support_matrix.check(PAGE.replace(line, change), ["newest"], {"newest"}) == code
