"""The page about the design says of combinators what tests/core/test_composition.py tests."""

import re
from pathlib import Path

import pytest

from tests.core import test_composition as composition
from tests.project.test_imports import PACKAGE, ROOMS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "design.md").read_text()


def table(title: str) -> list[list[str]]:
    """The cells of the table whose heading begins with this text, without the heading."""
    rows = PAGE.partition(f"\n| {title}")[2].partition("\n\n")[0].split("\n")[2:]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def kind(cell: str) -> str:
    """A combinator as the tests name it."""
    return cell.strip("`").replace("MetricCollection", "Collection")


REFUSED = [
    (*map(kind, pair), write)
    for pairs, _, write in table("refused")
    for pair in re.findall(r"`(\w+)\((\w+)\)`", pairs)
]


def test_the_table_is_that_of_the_tests() -> None:
    """A pair is a "yes" where it works, and a "no" where it is refused."""
    head = PAGE.partition("\n| | metric |")[2].partition("\n")[0]
    inner = ["metric", *(kind(cell) for cell in re.findall(r"`\w+`", head))]
    found = {
        (kind(outer), name): cell
        for outer, *cells in table("| metric")
        for name, cell in zip(inner, cells, strict=True)
    }

    assert found == {
        (outer, name): "no" if (outer, name) in composition.REFUSED else "yes"
        for outer in composition.OUTER
        for name in composition.INNER
    }


def test_every_refused_pair_is_explained() -> None:
    """Each is in the second table, once."""
    assert sorted((outer, inner) for outer, inner, _ in REFUSED) == sorted(composition.REFUSED)


@pytest.mark.parametrize(("outer", "inner", "write"), REFUSED)
def test_the_order_that_works_is_that_of_the_error(outer: str, inner: str, write: str) -> None:
    """What the page says to write is what the constructor says."""
    middle = composition.around(inner, composition.plain(), "inner")
    with pytest.raises(TypeError) as error:
        composition.around(outer, middle, "outer")

    orders = re.findall(r"`(\w+\(.*\))`", write)
    assert [order for order in orders if order not in str(error.value)] == []


def test_the_rooms_are_those_of_the_imports() -> None:
    """Every room is in the table once, their number is right, and named files exist."""
    named = re.findall(r"`(\w+)`", " ".join(rooms for rooms, _ in table("modules")))
    files = re.findall(r"`(_\w+/[\w/.]*)`", PAGE)

    assert sorted(named) == sorted({*ROOMS, "__init__"} - {"mmeval_like"})
    assert f"There are {len(ROOMS)} modules" in PAGE
    assert [file for file in files if not (PACKAGE / file).exists()] == []
