"""What importing costs, which file may import what, and which names are public."""

import ast
import importlib
import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

import mmeval_like
from tests.helpers import require_installed

PACKAGE = Path(mmeval_like.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))
METRICS = [file for file in FILES if file.parent.name == "metrics"]
BACKENDS = [file for file in FILES if file.parent.name == "backends"]

FRAMEWORKS = {
    "array_api_compat", "cupy", "jax", "mpi4py", "oneflow", "paddle", "tensorflow", "torch", "zmq",
}  # fmt: skip
DOMAIN = {"cv2", "pycocotools", "scipy", "shapely"}
# A file's room, by the beginning of its path, and the packages that may be imported in it. All
# other files get along with numpy.
ROOMS = {
    "arrays.py": FRAMEWORKS,
    "backends/": FRAMEWORKS,
    "packing.py": {"torch"},  # a received tensor is made where its bytes are read
    "metrics/": DOMAIN,
    "checkpoint.py": {"safetensors"},
    "cli/": {"pyarrow", "rich", "shtab"},
    "testing/": FRAMEWORKS,
}
# The packages that users import from: they re-export, and list all of it.
DOORS = ("__init__.py", "backends/__init__.py", "dist/__init__.py", "metrics/__init__.py",
         "testing/__init__.py")  # fmt: skip


def name_of(file: Path) -> str:
    """A file as the tables here name it."""
    return file.relative_to(PACKAGE).as_posix()


def imports(file: Path) -> set[str]:
    """The full names of all that a file imports, anywhere in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name_of(file)}: relative import"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def top(names: set[str]) -> set[str]:
    """The packages that these names belong to."""
    return {name.partition(".")[0] for name in names}


def test_import_loads_only_numpy() -> None:
    """A fresh interpreter that imports the package loads numpy and nothing else from outside."""
    program = (
        "import sys; import numpy; before = set(sys.modules); import mmeval_like;"
        "print(*{name.partition('.')[0] for name in set(sys.modules) - before})"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        cwd=PACKAGE.parent,
    )

    loaded = set(done.stdout.split())
    assert "mmeval_like" in loaded
    assert loaded - sys.stdlib_module_names - {"mmeval_like", "numpy"} == set()


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_packages_are_imported_in_their_room_only(file: Path) -> None:
    """A framework shows in a backend and in arrays.py, a domain's library in a metric."""
    allowed = {"mmeval_like", "numpy"} | sys.stdlib_module_names
    for room, packages in ROOMS.items():
        if name_of(file).startswith(room):
            allowed |= packages

    assert top(imports(file)) - allowed == set()


@pytest.mark.parametrize("file", METRICS, ids=name_of)
def test_metrics_know_no_backend(file: Path) -> None:
    """A metric is a formula: it imports neither a backend nor the protocol."""
    forbidden = ("mmeval_like.backends", "mmeval_like.dist", "mmeval_like.sync")

    assert [name for name in imports(file) if name.startswith(forbidden)] == []


@pytest.mark.parametrize("file", BACKENDS, ids=name_of)
def test_backends_know_no_metric(file: Path) -> None:
    """A backend moves bytes: it imports neither a metric nor what a metric is made of."""
    rooms = ("metric", "metrics", "collection", "state", "store", "sync", "average", "testing")
    forbidden = tuple(f"mmeval_like.{room}" for room in rooms)

    assert [name for name in imports(file) if name.startswith(forbidden)] == []


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_public_names_are_those_listed(file: Path) -> None:
    """`__all__` names what exists, each once; where users import from, it names all there is."""
    parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
    is_package = parts[-1] == "__init__"
    if parts[-1] == "__main__" or (parts[-1].startswith("_") and not is_package):
        pytest.skip("not a module to import from")
    try:
        module = importlib.import_module(".".join(parts[:-1] if is_package else parts))
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("mmeval_like"):
            raise
        require_installed(error.name)

    listed = module.__all__
    assert [name for name in listed if not hasattr(module, name)] == []
    assert len(listed) == len(set(listed))
    if name_of(file) in DOORS:
        assert opened(file, module.__name__) - set(listed) == set()


def opened(file: Path, package: str) -> set[str]:
    """The public names that a package's `__init__.py` defines, or imports from its own modules."""
    tree = ast.parse(file.read_text())
    defined = {n.name for n in tree.body if isinstance(n, ast.ClassDef | ast.FunctionDef)}
    imported = {
        alias.asname or alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith(package)
        for alias in node.names
    }
    return {name for name in defined | imported if name[0] not in "_*"}
