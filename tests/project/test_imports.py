"""Which room of the package may import which, which packages it may, and which names are public.

A room is a file or a folder of `mmeval_like/`.
"""

import ast
import importlib
import re
import sys
from pathlib import Path

import pytest

import mmeval_like
from mmeval_like._core.outside import OUTSIDE
from mmeval_like.backends.records import RECORDS
from tests.helpers import require_installed

PACKAGE = Path(mmeval_like.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))


def name_of(file: Path) -> str:
    """A file as the tables here name it."""
    return file.relative_to(PACKAGE).as_posix()


# The rooms from the ground up, and what each may import: rooms above its own line only, so that no
# two rooms import each other, not even through others and not even for types.
ROOMS = {
    "_base": "",
    "arrays": "_base",
    "errors": "",
    "_exact": "",
    "_states": "_base _exact arrays",
    "state": "_states",
    "_samples": "_base _exact _states arrays",
    # Estimates in, intervals out: it knows neither samples nor ranks.
    "_intervals": "_base _exact _states",
    # What intervals show: pass or fail, better or worse, how many samples are needed.
    "_verdicts": "_intervals",
    # A backend moves bytes: it knows neither metrics nor what they are made of.
    "backends": "_base errors",
    "_exchange": "_base _samples _states arrays backends errors",
    "dist": "_base arrays backends errors",
    # It draws what `compute` returned, and knows no metric.
    "plots": "_base arrays",
    # What it calls of the rooms above it, it imports by name at the first call: `_core/outside.py`.
    "_core": "_base _exchange _intervals _samples _states _verdicts arrays backends",
    # What authors of metrics import: it names the rooms below, so that metrics need not know them.
    "writing": "_base _core _exact _intervals _states arrays state",
    # A metric is a formula on what the door for authors has; see FAMILIES below.
    "metrics": "_base writing",
    "logs": "_base metrics writing",
    "tables": "_base _core arrays errors",
    "records": "_base _core _intervals _samples _states _verdicts arrays backends tables",
    "reporting": "_base _core _intervals _verdicts backends metrics plots records",
    "compat": "_base _core backends metrics writing",
    "mmeval_like": "*",  # whatever stands above
    "core": "_base backends mmeval_like",  # the paths of MMEval
    "integrations": "_base _core mmeval_like records tables",
    "testing": "_core _exchange _samples _states arrays backends errors",
    "cli": "*",
    "__main__": "cli",
}
# What evaluates. All other rooms are satellites: they use the core, which imports none of them.
CORE = {
    *("_base", "arrays", "errors", "_exact", "_states", "state", "_samples", "_intervals"),
    *("_verdicts", "backends", "_exchange", "_core", "writing", "metrics"),
}
# Modules that users import by name, and so are no rooms' files.
PUBLIC = {"errors", "state"}
BACKENDS = {record.module for record in RECORDS.values()} - {""}
FRAMEWORKS = BACKENDS | {"array_api_compat", "cupy", "jax", "tensorflow"}
DOMAIN = {"cv2", "pesq", "pycocotools", "pystoi", "scipy", "shapely", "skimage"}
# By the beginning of a file's path: the packages that may be imported in it. All other files get
# along with numpy.
PACKAGES = {
    "arrays/": FRAMEWORKS,
    "arrays/arrow.py": {"pyarrow"},
    "backends/": FRAMEWORKS,
    "metrics/": DOMAIN,
    "_core/options.py": {"typing_extensions"},  # for type checkers, which bring it
    "tables/arrow_columns.py": {"pyarrow"},
    "tables/arrow_sources.py": {"fsspec", "pyarrow"},
    "tables/remote_files.py": {"pyarrow"},
    "logs/": {"pyarrow"},  # its Zstandard, its Parquet
    "cli/": {"pyarrow", "rich", "shtab", "tomli", "tomllib"},
    "plots/": {"matplotlib"},
    "records/history.py": {"pandas"},
    "records/state_column.py": {"pyarrow"},
    "reporting/": {"jinja2", "matplotlib"},
    "_base/showing.py": {"rich"},
    "_core/result.py": {"pandas"},
    "compat/torchmetrics/": {"torch", "torchmetrics"},
    "compat/torchmetrics/detection/": {"pycocotools", "torchvision"},
    "integrations/beam.py": {"apache_beam"},
    "integrations/daft.py": {"daft", "pyarrow"},
    "integrations/dask.py": {"pandas"},
    "integrations/groups.py": {"pyarrow"},
    "integrations/ignite.py": {"ignite"},
    "integrations/keras.py": {"keras"},
    "integrations/lightning.py": {"lightning"},
    "integrations/ray.py": {"pandas", "pyarrow", "ray"},
    "integrations/spark.py": {"pyarrow", "pyspark"},
    "integrations/mmengine.py": {"mmengine"},
    "integrations/openmmlab/": {"PIL", "mmengine", "pycocotools"},
    "integrations/torchmetrics.py": {"torch", "torchmetrics"},
    "integrations/trl.py": {"accelerate", "transformers"},
    "testing/": FRAMEWORKS,
}
# The packages that users import from: they re-export, and list all of it.
DOORS = ("backends/__init__.py", "core/__init__.py", "dist/__init__.py", "testing/__init__.py")
# The families of metrics that may use another one's modules. All may use those of `_common`.
FAMILIES = {
    "curves": {"classification"},
    "features": {"regression"},
    "keypoints": {"detection"},
    "language_models": {"text"},
    "tracking": {"detection"},
}
METRICS = [file for file in FILES if file.is_relative_to(PACKAGE / "metrics")]
# The packages whose names are loaded on first use: see _base/names.py.
LISTS = (
    "__init__.py",
    "core/dist_backends/__init__.py",
    "integrations/__init__.py",
    *(name_of(file) for file in METRICS if file.name == "__init__.py"),
)


def full_name(file: Path) -> str:
    """The name by which a file is imported."""
    name = ".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts)
    return name.removesuffix(".__init__")


MODULES = {full_name(file) for file in FILES}


def imports(file: Path) -> set[str]:
    """The full names of all that a file imports, anywhere in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0 or name_of(file) in LISTS, f"{name_of(file)}: relative import"
            module = node.module or ""
            if node.level:
                module = f"{full_name(file)}.{module}".rstrip(".")
            found |= {f"{module}.{alias.name}" for alias in node.names}
    return found


def module_of(name: str) -> str:
    """The module of this package that a full name is, or is defined in."""
    while name not in MODULES:
        name = name.rpartition(".")[0]
    return name


def room_of(module: str) -> str:
    """The room that a module of this package lies in."""
    room = module.split(".")[1] if "." in module else module
    return room


def own_imports(file: Path) -> set[str]:
    """The modules of this package that a file imports, its own aside."""
    found = {module_of(name) for name in imports(file) if name.partition(".")[0] == "mmeval_like"}
    return found - {module_of(full_name(file))}


def allowed_in(room: str) -> set[str]:
    """The rooms that the table lets a room import."""
    above = set(list(ROOMS)[: list(ROOMS).index(room)])
    return above if ROOMS[room] == "*" else set(ROOMS[room].split())


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_packages_are_imported_in_their_room_only(file: Path) -> None:
    """A framework shows in a backend and in arrays.py, a domain's library in a metric."""
    allowed = {"mmeval_like", "numpy"} | sys.stdlib_module_names
    for place, packages in PACKAGES.items():
        if name_of(file).startswith(place):
            allowed |= packages

    assert {name.partition(".")[0] for name in imports(file)} - allowed == set()


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_rooms_import_what_the_table_allows(file: Path) -> None:
    """No file imports from a room that is not in the line of its own."""
    room = room_of(full_name(file))
    assert room in ROOMS, f"give {room} a line in ROOMS"
    allowed = {room, *allowed_in(room)}

    assert {room_of(module) for module in own_imports(file)} - allowed == set()


@pytest.mark.parametrize("file", METRICS, ids=name_of)
def test_metrics_import_the_door_for_authors_and_their_family(file: Path) -> None:
    """A metric imports `writing`, its own family, those in FAMILIES, `_common`, and no more."""
    if name_of(file) in LISTS:
        pytest.skip("a list of names")
    _, family, _ = name_of(file).split("/")
    families = {family, "_common", *FAMILIES.get(family, ())}
    allowed = {"mmeval_like.writing"} | {f"mmeval_like.metrics.{name}" for name in families}
    doors = {name for name in own_imports(file) if any(is_in(name, door) for door in allowed)}

    assert own_imports(file) - doors == set()


def is_in(module: str, package: str) -> bool:
    """Whether a module is a package, or lies in it."""
    return f"{module}.".startswith(f"{package}.")


def test_common_is_what_several_families_use() -> None:
    """A module that serves one family alone lies in this family, and not in `_common`."""
    users: dict[str, set[str]] = {}
    for file in METRICS:
        for module in own_imports(file):
            users.setdefault(module, set()).add(file.parent.name)
    common = [full_name(file) for file in METRICS if file.parent.name == "_common"]

    alone = [name for name in common if len(users.get(name, set()) - {"_common"}) < 2]
    assert set(alone) == {"mmeval_like.metrics._common"}


def test_files_of_metrics_have_different_names() -> None:
    """A name tells which file is meant, without its folder."""
    names = [file.stem for file in METRICS if file.stem != "__init__"]

    assert sorted(names) == sorted(set(names))


def test_the_table_has_all_rooms_from_the_ground_up() -> None:
    """A room's line names rooms above it only, and all of it exists."""
    assert set(ROOMS) - {room_of(module) for module in MODULES} == set()
    above: set[str] = set()
    for room in ROOMS:
        assert allowed_in(room) <= above, room
        above.add(room)


def test_the_core_imports_no_satellite() -> None:
    """The table lets no room of the core import one that is not of the core."""
    assert set(ROOMS) >= CORE
    allowed = {(room, other) for room in CORE for other in allowed_in(room)}

    assert not {pair for pair in allowed if pair[1] not in CORE}


def test_the_pages_name_the_core() -> None:
    """CONTRIBUTING.md lists the rooms of the core, and no others."""
    text = (PACKAGE.parent / "CONTRIBUTING.md").read_text()
    sentence = text.partition("The *core* is what evaluates:")[2].partition(".")[0]

    assert set(re.findall(r"`(\w+)`", sentence)) == CORE


def test_the_top_level_is_rooms() -> None:
    """Beside the rooms there are the two modules that users import by name."""
    files = {file.stem for file in PACKAGE.glob("*.py")} - {"__init__", "__main__"}

    assert files == PUBLIC


def test_the_picture_shows_all_rooms() -> None:
    """CONTRIBUTING.md has every room of the import law, above those that it may import."""
    text = (PACKAGE.parent / "CONTRIBUTING.md").read_text()
    picture = text.partition("## The modules")[2].split("```")[1]
    floors = [line.strip().split("   ")[0].split("  ") for line in picture.strip().splitlines()]
    height = {
        room.replace("__init__", "mmeval_like"): -place
        for place, rooms in enumerate(floors)
        for room in rooms
    }

    assert set(height) == set(ROOMS), "draw the room in CONTRIBUTING.md"
    for room, allowed in ROOMS.items():
        for other in allowed.split() if allowed != "*" else ():
            assert height[other] <= height[room], f"{room} stands below {other}"


def test_what_the_core_calls_outside_exists() -> None:
    """It is named in one file, and nothing else in the core is imported by name."""
    for one in OUTSIDE:
        require_module(one.module)
    users = [file for file in FILES if room_of(full_name(file)) == "_core"]
    dynamic = [file for file in users if "importlib" in str(imports(file))]

    assert [name_of(file) for file in dynamic] == ["_core/outside.py"]


def require_module(name: str) -> None:
    """The module of a function that the core calls defines it."""
    [names] = [
        {
            node.name
            for node in ast.parse(file.read_text()).body
            if isinstance(node, ast.FunctionDef)
        }
        for file in FILES
        if full_name(file) == name
    ]
    assert {one.name for one in OUTSIDE if one.module == name} <= names


def test_no_two_files_import_each_other() -> None:
    """Also inside a room there is no circle of imports, at run time or for types."""
    rest = {full_name(file): own_imports(file) for file in FILES}
    while free := {module for module, needs in rest.items() if not needs & set(rest)}:
        rest = {module: needs for module, needs in rest.items() if module not in free}

    assert rest == {}


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_public_names_are_those_listed(file: Path) -> None:
    """`__all__` names what exists, each once; where users import from, it names all there is."""
    parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
    is_package = parts[-1] == "__init__"
    if parts[-1] == "__main__" or (parts[-1].startswith("_") and not is_package):
        pytest.skip("not a module to import from")
    try:
        module = importlib.import_module(".".join(parts[:-1] if is_package else parts))
        listed = module.__all__
        missing = [name for name in listed if not hasattr(module, name)]  # some load a library
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("mmeval_like"):
            raise
        require_installed(error.name)

    assert missing == []
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
