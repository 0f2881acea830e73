"""Neighbouring rows that are alike, against numpy's correlation of scipy's ranks."""

import numpy as np
import pytest
from scipy.stats import rankdata

from mmeval_like.tables.neighbours import likely_clusters, most_alike, serial_correlation


@pytest.mark.parametrize("ties", [False, True])
def test_it_is_the_correlation_of_ranks(ties: bool) -> None:
    """Their mean and variance are those of all ranks, not of the pairs."""
    rng = np.random.default_rng(ties)
    for count in (2, 10, 77):
        values = rng.integers(0, 4, count).astype(float) if ties else rng.normal(size=count)
        ranks = rankdata(values) - (count + 1) / 2
        wanted = (ranks[1:] * ranks[:-1]).sum() / (ranks**2).sum()
        assert serial_correlation(values) == pytest.approx(wanted, nan_ok=True)
    assert np.isnan(serial_correlation(np.ones(9)))
    assert np.isnan(serial_correlation(np.array([1.0, np.nan, 2.0])))


def test_independent_rows_are_not_alike() -> None:
    """At most about 5 in 10,000 tables; of heavy tails and of hits as well."""
    rng = np.random.default_rng(0)
    draws = (rng.normal, rng.standard_cauchy, lambda size: (rng.random(size) < 0.1).astype(float))
    found = [most_alike({"mse": draw(size=200)}) for draw in draws for _ in range(300)]
    assert sum(one is not None for one in found) <= 4


def test_series_and_documents_are_alike() -> None:
    """Errors with an autocorrelation of 0.5, and hits in documents of ten: 0.88 covered there."""
    rng = np.random.default_rng(1)
    noise, series = rng.normal(size=500), np.zeros(500)
    for place in range(1, 500):
        series[place] = 0.5 * series[place - 1] + noise[place]
    hits = rng.random(500) < np.repeat(rng.beta(1, 1, 50), 10)
    for values in (series, hits.astype(float)):
        assert most_alike({"metric": {"value": values, "names": ["a"] * 500}}) is not None
    assert most_alike({"value": series[:40]}) is None  # too few


def test_columns_that_repeat_are_likely_clusters() -> None:
    """If they are named like a source of rows, and have several entries."""
    tens = np.arange(60) // 10
    columns = {
        "document_id": tens, "questionId": tens, "patient": [f"p{n}" for n in tens],
        "doc_id": np.arange(60), "session_id": np.zeros(60), "label": tens, "category_id": tens,
    }  # fmt: skip
    assert likely_clusters(columns) == ["document_id", "questionId", "patient"]
