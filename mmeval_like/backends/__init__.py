"""The registry of communication backends: names, late imports, the automatic choice."""

from __future__ import annotations

import importlib
import sys
import warnings
from importlib.metadata import entry_points

from mmeval_like.backends.base import BaseDistBackend
from mmeval_like.errors import MissingBackendError, UnknownBackendError
from mmeval_like.launchers import detect_launcher

__all__ = [
    "BaseDistBackend",
    "adopt",
    "backend_class",
    "get_dist_backend",
    "install_command",
    "list_all_backends",
    "register_backend",
    "set_default_dist_backend",
]

_ENTRY_POINTS = "mmeval_like.backends"

# name -> "module:Class" or the class; a module is imported when its backend is asked for.
_registry: dict[str, str | type[BaseDistBackend]] = {
    "non_dist": "mmeval_like.backends.non_dist:NonDist",
    "torch": "mmeval_like.backends.torch:TorchDist",
    "torch_cpu": "mmeval_like.backends.torch:TorchCPUDist",
    "torch_cuda": "mmeval_like.backends.torch:TorchCUDADist",
    "mpi4py": "mmeval_like.backends.mpi4py:MPI4PyDist",
    "oneflow": "mmeval_like.backends.oneflow:OneFlowDist",
    "paddle": "mmeval_like.backends.paddle:PaddleDist",
    "zmq": "mmeval_like.backends.zmq:ZmqDist",
}

_PIP_COMMANDS = {
    "torch": "pip install 'mmeval-like[torch]'",
    "torch_cpu": "pip install 'mmeval-like[torch]'",
    "torch_cuda": "pip install 'mmeval-like[torch]'",
    "mpi4py": "pip install 'mmeval-like[mpi]'",
    "oneflow": "pip install 'mmeval-like[oneflow]' (under Python 3.10)",
    "paddle": "pip install paddlepaddle",
    "zmq": "pip install 'mmeval-like[zmq]'",
}

# The automatic choice, in order: the module whose presence in sys.modules shows that the
# program itself uses the library. Importing a library to ask would be a side effect
# (importing OneFlow initialises it and rewrites the environment).
_AUTOMATIC = {
    "torch": "torch",
    "mpi4py": "mpi4py.MPI",
    "oneflow": "oneflow",
    "paddle": "paddle",
    "zmq": "mmeval_like.backends.zmq",
}

_default: str | None = None
_instances: dict[str, BaseDistBackend] = {}
_warned_launcher = False


def list_all_backends() -> list[str]:
    """Return the names of all registered backends, whether or not their library is here.

    Example:
        >>> "mpi4py" in list_all_backends()
        True
    """
    installed = [point.name for point in entry_points(group=_ENTRY_POINTS)]
    return [*_registry, *(name for name in installed if name not in _registry)]


def register_backend(name: str, backend: str | type[BaseDistBackend]) -> None:
    """Make a backend available by name.

    Args:
        name: The name for `dist_backend=`. Registering a name again replaces it.
        backend: The class, or `"module:Class"`, which is imported when first asked for.

    Raises:
        TypeError: `backend` is neither.
        ValueError: `backend` is a string of another form.

    Example:
        >>> register_backend("alone", "mmeval_like.backends.non_dist:NonDist")
        >>> get_dist_backend("alone").world_size
        1
    """
    if isinstance(backend, str):
        module, _, attribute = backend.partition(":")
        if not module or not attribute:
            raise ValueError(f"backend must look like 'module:Class', got {backend!r}")
    elif not (isinstance(backend, type) and issubclass(backend, BaseDistBackend)):
        raise TypeError(
            f"backend must be a subclass of BaseDistBackend or 'module:Class', got {backend!r}"
        )
    _registry[name] = backend
    _instances.pop(name, None)


def set_default_dist_backend(name: str | None) -> None:
    """Set the backend of every metric that names none.

    Args:
        name: A registered name, or None for the automatic choice (which is the default).

    Raises:
        UnknownBackendError: No such backend.

    Example:
        >>> set_default_dist_backend("non_dist")
        >>> get_dist_backend().world_size
        1
        >>> set_default_dist_backend(None)
    """
    global _default
    if name is not None:
        _check_known(name)
    _default = name


def get_dist_backend(name: str | BaseDistBackend | None = None) -> BaseDistBackend:
    """Return the backend of this name; the same instance each time.

    Args:
        name: A registered name; a backend instance, which is returned as it is; or None for
            the default (`set_default_dist_backend`). The automatic default looks at the
            libraries that the program has imported: an initialised torch process group, an
            MPI world of several ranks, OneFlow's or Paddle's environment, a `zmq` group; else
            `non_dist`.

    Warns:
        RuntimeWarning: Once, when a launcher started several processes, but the backend is not
            initialised, and was not asked for as "non_dist".

    Raises:
        UnknownBackendError: No such backend.
        MissingBackendError: The backend's library cannot be loaded; says what to install.

    Example:
        >>> get_dist_backend("non_dist").all_gather_object(1)
        [1]
    """
    if name is None:
        name = _default
        if name is None:
            chosen = _choose()
            if chosen is None:
                _warn_if_launched()
                return _instance("non_dist")
            return chosen
    elif isinstance(name, BaseDistBackend):
        return name
    backend = _instance(name)
    if name != "non_dist" and not backend.is_initialized:
        _warn_if_launched()
    return backend


def adopt(name: str, backend: BaseDistBackend) -> None:
    """Let an instance be the one that a name stands for."""
    _check_known(name)
    _instances[name] = backend


def install_command(name: str) -> str:
    """Return how to install the library of a backend."""
    return _PIP_COMMANDS.get(name, "see the documentation of the package that provides it")


def _instance(name: str) -> BaseDistBackend:
    if name not in _instances:
        _instances[name] = backend_class(name)()
    return _instances[name]


def _choose() -> BaseDistBackend | None:
    for name, module in _AUTOMATIC.items():
        # A module being imported by another thread may lack what is asked for here;
        # `backend_class` waits for it. A ValueError: variables that are another launcher's.
        try:
            if module in sys.modules and (backend := _instance(name)).is_initialized:
                return backend
        except ValueError:
            continue
    return None


def _warn_if_launched() -> None:
    global _warned_launcher
    place = detect_launcher()
    if place is not None and not _warned_launcher:
        _warned_launcher = True
        warnings.warn(
            f"{place.launcher.name} started {place.size} processes, but no communication "
            f"library is initialised: each process evaluates its own shard only. To combine "
            f'them, {place.launcher.advice}; if this is meant, pass dist_backend="non_dist".',
            RuntimeWarning,
            stacklevel=3,
        )


def _check_known(name: str) -> None:
    if name not in list_all_backends():
        raise UnknownBackendError(
            f"unknown dist_backend {name!r}; known backends: {', '.join(list_all_backends())}. "
            f"register_backend adds one."
        )


def backend_class(name: str) -> type[BaseDistBackend]:
    """Return the class of a backend.

    Raises:
        UnknownBackendError: No such backend.
        MissingBackendError: The backend's library cannot be loaded; says what to install.
    """
    _check_known(name)
    target = _registry.get(name)
    if target is None:
        (point,) = entry_points(group=_ENTRY_POINTS, name=name)
        target = point.value
    if not isinstance(target, str):
        return target
    module, _, attribute = target.partition(":")
    try:
        cls: type[BaseDistBackend] = getattr(importlib.import_module(module), attribute)
    # mpi4py without an MPI library raises RuntimeError, not ImportError.
    except (ImportError, RuntimeError) as error:
        install = install_command(name)
        raise MissingBackendError(
            f"the library of dist_backend {name!r} cannot be loaded ({error}); install: {install}"
        ) from error
    return cls
