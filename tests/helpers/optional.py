"""Optional packages: a visible skip where one is missing, a failure where it was promised."""

import importlib
import importlib.util
import os
from types import ModuleType

import pytest

PROMISED = "MMEVAL_LIKE_REQUIRE"  # comma separated names of packages that must be there


def requires(name: str) -> ModuleType:
    """Import an optional package for a test: ``torch = requires("torch")``."""
    require_installed(name)
    return importlib.import_module(name)


def require_installed(*names: str) -> None:
    """Like `requires`, without importing: for tests whose child processes use the package."""
    missing = [name for name in names if importlib.util.find_spec(name) is None]
    promised = os.environ.get(PROMISED, "").split(",")
    for name in missing:
        if name in promised:
            pytest.fail(f"{name} is not installed, but {PROMISED} lists it", pytrace=False)
    if missing:
        allow_module_level = "PYTEST_CURRENT_TEST" not in os.environ
        reason = f"needs {', '.join(missing)}"
        pytest.skip(reason, allow_module_level=allow_module_level)
