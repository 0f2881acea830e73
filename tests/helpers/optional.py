"""Optional packages: a visible skip where one is missing, a failure where it was promised."""

import fcntl
import importlib
import importlib.util
import os
import shutil
import tempfile
from pathlib import Path
from types import ModuleType

from tests.helpers.browser import find_browser
from tests.helpers.launch import mpiexec

PROMISED = "MMEVAL_LIKE_REQUIRE"  # comma separated names of packages that must be there


def requires(name: str) -> ModuleType:
    """Return an optional package, or skip the test where it is missing: `requires("torch")`."""
    # Some packages write a cache when they are first imported, which another process then reads.
    with open(Path(tempfile.gettempdir(), "mmeval_like_imports.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        require_installed(name)
        return importlib.import_module(name)


def require_installed(*names: str) -> None:
    """Like `requires`, without importing: for tests whose child processes use the package.

    The name "mpiexec" stands for an MPI library's launcher, "nvidia-smi" for a GPU, "node" for
    Node.js, "browser" for a Chromium.
    """
    import pytest  # here, so that the programs of child processes load none of it

    missing = [name for name in names if not _found(name)]
    promised = os.environ.get(PROMISED, "").split(",")
    for name in missing:
        if name.partition(".")[0] in promised:
            pytest.fail(f"{name} is not installed, but {PROMISED} lists it", pytrace=False)
    if missing:
        in_a_test = "PYTEST_CURRENT_TEST" in os.environ
        pytest.skip(f"needs {', '.join(missing)}", allow_module_level=not in_a_test)


def _found(name: str) -> bool:
    if name == "mpiexec":
        return mpiexec() is not None
    if name in ("node", "nvidia-smi"):
        return shutil.which(name) is not None
    if name == "browser":
        return find_browser() is not None
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # a submodule of a package that is not there
        return False
