"""Deprecated names resolve to the same classes, with a warning."""

import pytest

import mmeval_like
from mmeval_like import metrics
from mmeval_like._base.names import Listing

ALIASES = Listing(metrics.__name__).deprecated


@pytest.mark.parametrize("alias", ALIASES)
@pytest.mark.parametrize("module", [mmeval_like, metrics])
def test_aliases(module: object, alias: str) -> None:
    """From the package and from its metrics; the warning shows where the name was used."""
    with pytest.warns(DeprecationWarning, match=f"{alias} is deprecated.*{ALIASES[alias]}") as seen:
        found = getattr(module, alias)

    assert found is getattr(metrics, ALIASES[alias])
    assert seen[0].filename == __file__


def test_import_statement() -> None:
    """`from mmeval_like import F1Metric` works too."""
    with pytest.warns(DeprecationWarning, match="F1Score"):
        from mmeval_like import F1Metric

    assert F1Metric is mmeval_like.F1Score


def test_other_names_do_not_exist() -> None:
    """What is no alias is an ordinary missing attribute; listing names warns of nothing."""
    for module in (mmeval_like, metrics):
        with pytest.raises(AttributeError, match="no attribute 'CocoMetric'"):
            module.CocoMetric  # noqa: B018
        assert not set(ALIASES) & set(dir(module))
