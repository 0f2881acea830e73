"""The door for authors of metrics: what it has is explained, and costs numpy alone."""

import importlib
import inspect
import sys
from types import GenericAlias

import pytest

from tests.project.test_names import loaded_by

DOORS = ["", ".exact", ".weights", ".states", ".dealing", ".intervals"]
NAMES = [
    (f"mmeval_like.writing{door}", name)
    for door in DOORS
    for name in importlib.import_module(f"mmeval_like.writing{door}").__all__
]
TYPES = ("Unpack",)  # of Python itself


@pytest.mark.parametrize(("door", "name"), NAMES)
def test_every_name_is_explained(door: str, name: str) -> None:
    """Functions and classes show an example; constants are explained by the door's docstring."""
    module = importlib.import_module(door)
    found = getattr(module, name)
    alias = isinstance(found, GenericAlias)  # a class to Python 3.10
    shown = (inspect.isclass(found) and not alias) or inspect.isroutine(found)

    text = found.__doc__ if shown and name not in TYPES else module.__doc__
    assert text is not None
    assert ">>> " in text
    assert name in text or shown


def test_the_doors_load_numpy_alone() -> None:
    """Importing all doors loads no other library, and no metric."""
    loaded = loaded_by("\n".join(f"import mmeval_like.writing{door}" for door in DOORS))

    assert not {name for name in loaded if name.startswith("mmeval_like.metrics.")}
    packages = {name.partition(".")[0] for name in loaded} - {"mmeval_like", "numpy"}
    assert {name for name in packages if not name.startswith("_")} <= sys.stdlib_module_names
