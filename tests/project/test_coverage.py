"""The tables of other libraries' names have each name once, and name classes that exist."""

import pytest
import sklearn.metrics

import mmeval_like
from mmeval_like import metrics
from tools.coverage import PAGE, Row, page, read


@pytest.mark.parametrize("library", read())
def test_names_are_listed_once(library: str) -> None:
    """A library's name has one row, with a class that can be imported, or the reason why not."""
    rows = read()[library]
    names = [row.theirs for row in rows]

    assert len(names) == len(set(names))
    assert {name for row in rows for name in row.names} <= {*mmeval_like.__all__}
    assert [row.theirs for row in rows if not row.ours and not row.remark] == []


def test_a_row_is_read_as_people_write_it() -> None:
    """Classes with options, several classes, a remark, a reason."""
    rows = {row.theirs: row for table in read().values() for row in table}

    assert rows["BinnedAUROC"] == Row("BinnedAUROC", ("AUROC(bins=)",), "")
    assert rows["BinnedAUROC"].names == ["AUROC"]
    assert sum(len(table) for table in read().values()) == PAGE.read_text().count("\n| `")


def test_the_site_links_classes_and_counts_names() -> None:
    """The other columns stay as they are; what is no metric has no page."""
    lines = page().splitlines()

    assert "| `BinnedAUROC` | [`AUROC(bins=)`](metrics/AUROC.md) | |" in lines
    assert "| `SubgroupDifference` | `Sliced(summaries=True)` | |" in lines
    assert f"Of {len(read()['MMEval'])} names, {len(read()['MMEval'])} have a class here." in lines


def test_every_metric_of_mmeval_is_here() -> None:
    """Nothing of MMEval is missing."""
    assert all(row.names and {*row.names} <= {*metrics.__all__} for row in read()["MMEval"])


def test_every_metric_of_scikit_learn_is_listed() -> None:
    """What the installed version has is in the table, or is no metric."""
    listed = {row.theirs for row in read()["scikit-learn"]}
    helpers = {"check_scoring", "get_scorer", "get_scorer_names", "make_scorer", "cluster",
               "euclidean_distances", "nan_euclidean_distances", "DistanceMetric"}  # fmt: skip
    found = {
        name
        for name in sklearn.metrics.__all__
        if name not in helpers and not name.startswith("pairwise_") and "Display" not in name
    }

    assert found - listed == set()
