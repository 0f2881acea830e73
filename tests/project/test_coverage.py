"""The table of other libraries' names is current, and names each once."""

import pytest
import sklearn.metrics

from tools.coverage import PAGE, is_here, names_of, page, read


def test_page_is_current() -> None:
    """The page is what the tool writes."""
    assert page() == PAGE.read_text(), "run: python -m tools.coverage --write"


@pytest.mark.parametrize("library", read())
def test_names_are_listed_once(library: str) -> None:
    """A library's name has one line, of a known form."""
    rows = read()[library]
    names = [row.theirs for row in rows]

    assert len(names) == len(set(names))
    assert {row.kind for row in rows} <= {"=", "!", "-"}


def test_every_metric_of_mmeval_is_here() -> None:
    """Nothing of MMEval is missing."""
    assert all(is_here(name) for row in read()["MMEval"] for name in names_of(row.ours))


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
