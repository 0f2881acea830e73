"""Verdicts are made in `_verdicts` from what `_intervals` computes; all other rooms print them."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import mmeval_like

PACKAGE = Path(mmeval_like.__file__).parent
# The rooms that show numbers to people. Metrics are left out: some compute their own intervals.
SHOW = ("_core", "cli", "integrations", "logs", "plots", "records", "reporting", "tables")
# It writes p-values, so that rounding moves none across 0.05.
FORMATS = PACKAGE / "reporting" / "words.py"
FILES = [
    file for room in SHOW for file in sorted((PACKAGE / room).rglob("*.py")) if file != FORMATS
]
# Functions that decide, or from which a decision could be made anew.
DECIDE = {
    *("normal_cdf", "normal_quantile", "precise_quantile", "t_cdf", "t_quantile"),
    *("binomial_test", "clopper_pearson", "difference_of_shares", "exact_difference", "tail"),
    *("heavy", "kurtosis", "wilson", "bounded", "symmetric"),
}
LEVELS = {0.025, 0.05, 0.975, 1.645, 1.96, 2.576}
ERRORS = {"standard_error", "effective"}


def name_of(file: Path) -> str:
    """A file as the tests name it."""
    return file.relative_to(PACKAGE).as_posix()


def decisions(tree: ast.AST) -> Iterator[str]:
    """What decides in a file: functions of distributions, levels, multiplied errors, p-values."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and "_intervals" in (node.module or ""):
            yield from (alias.name for alias in node.names if alias.name in DECIDE)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div):
            sides = [node.left, node.right]
            yield from (one.attr for one in sides if getattr(one, "attr", "") in ERRORS)
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            names = {getattr(one, "attr", getattr(one, "id", "")) for one in sides}
            known = {one.value for one in sides if isinstance(one, ast.Constant)}
            if names & {"p", "p_value", "p_adjusted"} and not known & {None}:
                yield from (f"p {type(op).__name__}" for op in node.ops if _is_order(op))
            yield from (str(level) for level in LEVELS if level in known)


def _is_order(op: ast.cmpop) -> bool:
    return isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE)


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_no_room_that_shows_numbers_decides(file: Path) -> None:
    """No quantile, no level, no multiplied standard error, no p-value beside a threshold."""
    assert [*decisions(ast.parse(file.read_text()))] == []


def test_the_scan_sees_decisions() -> None:
    """Each kind of decision, as reports once made them."""
    code = """
from mmeval_like._intervals.distributions import t_quantile
arm = t_quantile(0.95, 9) * one.standard_error
sure = one.p < 1 - one.level
gap = abs(gap) <= 1.96
"""
    assert {*decisions(ast.parse(code))} == {"t_quantile", "standard_error", "p Lt", "1.96"}
