"""The page says which evaluators are compared, with which options and on how many draws."""

import inspect
from pathlib import Path

import pytest

from tests.helpers.optional import requires

requires("torch")
requires("mmengine")

from mmeval_like.integrations.openmmlab import naming  # noqa: E402
from tests.integrations.openmmlab.cases import CASES, CONFIGS, DRAWS  # noqa: E402

DOCS = Path(__file__).parents[3] / "docs"


def rows() -> list[str]:
    """The rows of the table: names, options other than the default, draws."""
    tried: dict[str, list[str]] = {}
    draws: dict[str, int] = {}
    for name, configs in CONFIGS.items():
        evaluator = name.partition("/")[0]
        options = [option for config in configs for option in config]
        tried.setdefault(evaluator, []).extend(options)
        draws[evaluator] = draws.get(evaluator, 0) + DRAWS * len(configs)
    return [
        f"| `{name}` | {', '.join(f'`{one}`' for one in dict.fromkeys(tried[name]))} | {number} |"
        for name, number in sorted(draws.items())
    ]


@pytest.mark.parametrize("page", ["openmmlab.md", "zh/openmmlab.md"])
def test_the_table_is_what_the_tests_compare(page):
    """Row by row; what is missing is printed as it must stand there."""
    lines = (DOCS / page).read_text().splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith("| `mmaction."))
    expected = rows()
    assert lines[start : start + len(expected) + 1] == [*expected, ""]


def test_every_adapter_is_compared():
    """No evaluator is computed here without a case, and no option has another name or default."""
    names = {
        f"{package}.{name}"
        for package in naming.PACKAGES
        for name in naming.module_of(package).__all__
    }
    assert names == {name.partition("/")[0] for name in CASES}
    for package in naming.PACKAGES:
        for name in naming.module_of(package).__all__:
            options = inspect.signature(getattr(naming.module_of(package), name)).parameters
            assert {"collect_device", "prefix"} <= options.keys()
