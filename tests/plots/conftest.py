"""What holds for all tests of pictures."""

import sys
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def figures_are_closed() -> Iterator[None]:
    """No figure of one test is left to the next."""
    yield
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close("all")
