"""Stands in for packages that another package imports and hardly uses: any call is an error."""

import importlib.abc
import importlib.machinery
import sys
import types


class Never:
    """What a stub has under every name: it can be inherited from, and not used."""

    def __init__(self, *args, **options):
        raise AssertionError(f"{type(self).__name__} is a stub")

    def __class_getitem__(cls, item):
        return cls


class _Stub(types.ModuleType):
    __path__ = ()
    __version__ = "999"  # which some packages print or compare

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (Never,), {"__module__": self.__name__})


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


def install(*names):
    """Let stubs be imported by these names and those of their submodules, once."""
    if not any(isinstance(one, _Finder) and one.names == names for one in sys.meta_path):
        sys.meta_path.insert(0, _Finder(names))
