"""The public names: listed once, loaded on first use; what that costs; hints for unknown ones."""

import importlib
import inspect
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import mmeval_like
from mmeval_like import BaseMetric, metrics
from mmeval_like._base.names import Listing, did_you_mean
from mmeval_like._core.options import MetricOptions

OPTIONS = MetricOptions.__annotations__
ROOT = Path(__file__).resolve().parents[2]
PACKAGES = [mmeval_like, metrics]
NAMES = ["Square", "Rhomb", "Kite", "Oblong", "Trapezium"]
SOURCE = '''"""A package with a list."""

from typing import TYPE_CHECKING

from mmeval_like._base.names import lazy_names

if TYPE_CHECKING:
    # Squares
    from .squares import Square as Square
    from .squares import Rhomb, Kite
    from .squares import (
        Oblong,
        Trapezium as Trapezium,
    )

    # Old names
    Quad = Square
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
'''


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """A package with names listed in all ways, in a folder of its own."""
    folder = tmp_path / "shapes_of_a_test"
    folder.mkdir()
    (folder / "__init__.py").write_text(SOURCE)
    (folder / "squares.py").write_text("".join(f"class {name}: pass\n" for name in NAMES))
    (folder / "broken.py").write_text("import a_module_that_is_not_there\n")
    monkeypatch.syspath_prepend(tmp_path)
    import shapes_of_a_test

    yield shapes_of_a_test
    for name in [name for name in sys.modules if name.startswith("shapes_of_a_test")]:
        del sys.modules[name]


def test_a_listed_name_is_loaded_on_first_use(package: ModuleType) -> None:
    """The module of a name is imported by the first use; the second finds an ordinary attribute."""
    assert "shapes_of_a_test.squares" not in sys.modules

    first = package.Square

    assert first.__module__ == "shapes_of_a_test.squares"
    assert vars(package)["Square"] is first


def test_listing_names_loads_none(package: ModuleType) -> None:
    """`dir`, and so tab completion, shows all names and no other, without importing them."""
    assert [name for name in dir(package) if not name.startswith("__")] == sorted(NAMES)
    assert package.__all__ == sorted(NAMES)
    assert Listing(package.__name__).headings == {"Squares": NAMES, "Old names": []}
    assert "shapes_of_a_test.squares" not in sys.modules


def test_a_public_module_is_an_attribute(package: ModuleType) -> None:
    """A module is found without an import of its own; what fails inside it is not hidden."""
    assert package.squares.Square is package.Square
    with pytest.raises(ModuleNotFoundError, match="a_module_that_is_not_there"):
        package.broken  # noqa: B018


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_every_listed_name_exists(package: ModuleType) -> None:
    """All names of `__all__` can be imported, and `dir` shows each, or the family that has it."""
    assert [name for name in package.__all__ if not hasattr(package, name)] == []
    shown = {name for name in dir(package) if not name.startswith("__")}
    families = Listing(package.__name__).families
    inside = {name for family in families for name in getattr(package, family).__all__}
    assert inside | shown - set(families) == set(package.__all__)
    assert inside & shown == set()


def test_dir_is_short_enough_to_read() -> None:
    """The package shows its families in place of hundreds of metrics."""
    assert len([name for name in dir(mmeval_like) if not name.startswith("_")]) <= 60
    assert len(mmeval_like.__all__) > 290


@pytest.mark.parametrize("family", Listing("mmeval_like.metrics").families.values())
def test_a_family_is_a_door(family: str) -> None:
    """A family lists its metrics, which are those of the package, and loads them on first use."""
    package = importlib.import_module(family)

    assert getattr(mmeval_like, family.rpartition(".")[2]) is package
    assert package.__all__
    for name in package.__all__:
        assert getattr(package, name) is getattr(mmeval_like, name)
        assert Listing(family).modules[name].startswith(f"{family}.")
    assert {name for name in dir(package) if not name.startswith("__")} == set(package.__all__)


def test_modules_of_metrics_are_found_without_their_family() -> None:
    """The paths that MMEval has, which the page on MMEval promises, are paths of one module."""
    program = "\n".join(
        [
            "from mmeval_like.metrics.hmean_iou import compute_hmean",
            "from mmeval_like.metrics.bleu import get_n_gram",
            "import mmeval_like.metrics.accuracy as short",
            "import mmeval_like.metrics.classification.accuracy as whole",
            "import mmeval_like as mm",
            "assert short is whole is mm.metrics.accuracy",
            "assert mm.metrics.text.bleu.get_n_gram is get_n_gram",
        ]
    )
    assert "mmeval_like.metrics.text.bleu" in loaded_by(program)
    with pytest.raises(ModuleNotFoundError, match=r"'mmeval_like\.metrics\.blue'"):
        importlib.import_module("mmeval_like.metrics.blue")


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("Acuracy", "Accuracy"),
        ("mse", "MeanSquaredError"),
        ("PrecisionRecall", "PrecisionRecallF1score"),
    ],
)
def test_an_unknown_name_is_answered_with_a_similar_one(
    package: ModuleType, wrong: str, right: str
) -> None:
    """Whatever is misspelt, shortened or named in MMEval's old way."""
    with pytest.raises(AttributeError, match=rf"no attribute '{wrong}'; did you mean .*{right}"):
        getattr(package, wrong)


def test_nothing_similar_gives_no_hint() -> None:
    """A hint that does not help is worse than none."""
    assert did_you_mean("zzz", ["Accuracy"]) == ""
    assert did_you_mean("Acuracy", ["Accuracy"]) == "; did you mean Accuracy?"


def loaded_by(program: str) -> set[str]:
    """The modules that a fresh interpreter has after a program, numpy's own aside."""
    program = f"import sys, numpy; before = set(sys.modules)\n{program}"
    program += "\nprint(*set(sys.modules) - before)"
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    return set(done.stdout.split())


def test_only_numpy_is_loaded() -> None:
    """Importing the package and every public name of it loads numpy and nothing else."""
    loaded = {name.partition(".")[0] for name in loaded_by("from mmeval_like import *")}

    assert "mmeval_like" in loaded
    assert loaded - sys.stdlib_module_names - {"mmeval_like", "numpy"} == set()


def test_import_does_not_grow_with_the_number_of_metrics() -> None:
    """Importing the package loads no metric, and the first metric loads no other."""
    bottom = {"mmeval_like._base", "mmeval_like._base.names"}
    ours = {"mmeval_like", "mmeval_like.metrics"} | bottom
    assert {name for name in loaded_by("import mmeval_like") if "mmeval_like" in name} == ours

    loaded = loaded_by("from mmeval_like import MeanSquaredError")
    assert "importlib.metadata" not in loaded
    listed = set(Listing("mmeval_like.metrics").modules.values())
    assert listed & loaded == {"mmeval_like.metrics.regression.mean_squared_error"}


def test_options_are_those_of_every_metric() -> None:
    """What type checkers know of `**options` is the signature of `BaseMetric`."""
    parameters = [*inspect.signature(BaseMetric.__init__).parameters.values()][1:]

    written = {parameter.name: parameter.annotation for parameter in parameters}
    assert {name: hint.__forward_arg__ for name, hint in OPTIONS.items()} == written
