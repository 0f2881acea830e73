"""OpenMMLab's own evaluators, imported without the compiled operations that they do not use.

`mmcv.ops` needs a compiler and CUDA, and some packages import others that only their models use.
Those are replaced by stubs, of which any call is an error.
"""

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
import types

from tests.helpers.optional import require_installed

# Nothing else is replaced, and of these only what is not installed: a stub, and what it needs.
STUBS = {"mmcv.ops": "mmcv._ext", "modelindex": "modelindex", "torchvision": "torchvision"}


class _Never:
    """What a stub has under every name: it can be inherited from, and not used."""

    def __init__(self, *args, **options):
        raise AssertionError(f"{type(self).__name__} is a stub")

    def __class_getitem__(cls, item):
        return cls


class _Stub(types.ModuleType):
    __path__ = ()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (_Never,), {"__module__": self.__name__})


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, names):
        self.names = names

    def find_spec(self, name, path=None, target=None):
        if any(name == one or name.startswith(f"{one}.") for one in self.names):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return _Stub(spec.name)

    def exec_module(self, module):
        pass


def original(package: str, name: str) -> type:
    """Return the evaluator of a package, or skip the test if the package is not installed."""
    require_installed("torch", "mmengine", package)
    if not any(isinstance(one, _Finder) for one in sys.meta_path):
        missing = [one for one, needed in STUBS.items() if not _installed(needed)]
        sys.meta_path.insert(0, _Finder(missing))
    found: type = getattr(importlib.import_module(f"{package}.evaluation"), name)
    assert not issubclass(found, _Never)
    return found


def _installed(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False
