"""The registry of communication backends: names, lazy imports, and the automatic choice."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from mmeval_like._base.names import did_you_mean
from mmeval_like.backends.base import BaseDistBackend
from mmeval_like.backends.launched import refuse_if_launched, warn_if_launched
from mmeval_like.backends.non_dist import NonDist
from mmeval_like.backends.records import RECORDS
from mmeval_like.errors import MissingBackendError, UnknownBackendError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = [
    "adopt",
    "find_backend",
    "find_initialized",
    "get_dist_backend",
    "install_command",
    "list_all_backends",
    "register_backend",
    "set_default_dist_backend",
]

_ENTRY_POINTS = "mmeval_like.backends"

# Other names of backends: those of the libraries, and of torch's transports.
_ELSEWHERE = {
    "gloo": "torch", "mpi": "mpi4py", "nccl": "torch", "paddle_dist": "paddle", "pytorch": "torch",
}  # fmt: skip

Maker: TypeAlias = Callable[..., BaseDistBackend]

# The registered backends: "module:name", or a class or function that returns the backend.
_registry: dict[str, str | Maker] = {name: record.target for name, record in RECORDS.items()}

_default: str | None = None
_instances: dict[str, BaseDistBackend] = {}


def list_all_backends() -> list[str]:
    """Return the names of all registered backends, whether or not their libraries are installed.

    Example:
        >>> "mpi4py" in list_all_backends()
        True
    """
    return [*_registry, *(name for name in _entry_points() if name not in _registry)]


def register_backend(name: str, backend: str | Maker) -> None:
    """Make a backend available by name.

    Args:
        name: The name for `dist_backend=`. Registering a name again replaces it.
        backend: A subclass of `BaseDistBackend` whose constructor needs no arguments, a function
            without arguments that returns a backend, or the location of one of these as
            `"module:name"`, which is imported when the backend is first used.

    Raises:
        TypeError: `backend` has the wrong type, or needs arguments.
        ValueError: `backend` is a string that is not of the form `"module:name"`.

    Example:
        >>> register_backend("alone", "mmeval_like.backends.non_dist:NonDist")
        >>> get_dist_backend("alone").world_size
        1
    """
    if isinstance(backend, str):
        module, _, attribute = backend.partition(":")
        if not module or not attribute:
            raise ValueError(f"backend must look like 'module:Class', got {backend!r}")
    else:
        _check_maker(backend)
    _registry[name] = backend
    _instances.pop(name, None)


def _check_maker(maker: object) -> None:
    if not callable(maker) or (isinstance(maker, type) and not issubclass(maker, BaseDistBackend)):
        raise TypeError(
            "backend must be a subclass of BaseDistBackend, a function that returns a backend, or "
            f"'module:name', got {maker!r}"
        )
    import inspect  # takes as long as a third of numpy's import

    try:
        inspect.signature(maker).bind()
    except TypeError as error:
        name = getattr(maker, "__name__", repr(maker))
        raise TypeError(
            f"backend must take no arguments, but {name}() needs some ({error}): register "
            f"a function that returns them, for instance lambda: {name}(...), or pass the metric "
            "an instance"
        ) from None
    except ValueError:  # Python cannot determine its signature
        return


def set_default_dist_backend(name: str | None) -> None:
    """Set the backend of all metrics that do not specify one.

    Args:
        name: A registered name, or None for the automatic choice (which is the default).

    Raises:
        UnknownBackendError: No backend has this name.

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
        name: A registered name; a backend instance, which is returned unchanged; or None for the
            default (`set_default_dist_backend`). The automatic default looks at the libraries that
            the program has imported: an initialised torch process group, an MPI world of several
            ranks, OneFlow's or Paddle's environment, or a `zmq` group; if it finds none, it is
            `non_dist`.

    Warns:
        RuntimeWarning: Once, if a launcher started several processes, but no backend was given and
            no library is initialised.

    Raises:
        UnknownBackendError: No backend has this name.
        MissingBackendError: The backend's library cannot be loaded; the error says what to install.
        LauncherMismatchError: A launcher started several processes, but the given backend is not
            initialised, or MPI sees only one process: this process would evaluate only its own
            samples.

    Example:
        >>> get_dist_backend("non_dist").all_gather_object(1)
        [1]
    """
    if name is None:
        name = _default
    if name is None:
        chosen = _choose()
        if chosen is None:
            warn_if_launched()
            return _instance("non_dist")
        return chosen
    if isinstance(name, NonDist):
        return name
    backend = name if isinstance(name, BaseDistBackend) else _instance(name)
    if name != "non_dist" and not backend.is_initialized:
        refuse_if_launched(name)
    return backend


def find_initialized(name: str | None) -> BaseDistBackend | None:
    """Return the backend of this name if the program already uses its library, without warnings.

    Args:
        name: As for `get_dist_backend`. "non_dist" is always found.

    Returns:
        The backend; None if the library is not imported or not initialised, or if no backend has
        this name.
    """
    name = _default if name is None else name
    if name is None:
        return _choose()
    record = RECORDS.get(name)
    imported = record is not None and (not record.module or record.module in sys.modules)
    if name not in _instances and not imported:
        return None
    backend = _instance(name)
    return backend if backend.is_initialized or name == "non_dist" else None


def adopt(name: str, backend: BaseDistBackend) -> None:
    """Use this instance as the backend of this name."""
    _check_known(name)
    _instances[name] = backend


def install_command(name: str) -> str:
    """Return the command that installs a backend's library on this system."""
    record = RECORDS.get(name)
    if record is None:
        return "see the documentation of the package that provides it"
    import ctypes.util  # takes several ms, and only errors need it

    for library, command in record.install_for.items():
        if ctypes.util.find_library(library) is not None:
            return command
    return record.install


def _instance(name: str) -> BaseDistBackend:
    if name not in _instances:
        backend = find_backend(name)()
        if not isinstance(backend, BaseDistBackend):
            raise TypeError(f"dist_backend {name!r} is {backend!r}, which is not a backend")
        _instances[name] = backend
    return _instances[name]


def _choose() -> BaseDistBackend | None:
    for name, record in RECORDS.items():
        # A module that another thread is importing may still lack attributes; `find_backend` waits
        # for the import. A ValueError means that the variables are those of another launcher.
        try:
            if record.loaded in sys.modules and (backend := _instance(name)).is_initialized:
                return backend
        except ValueError:
            continue
    return None


def _entry_points() -> dict[str, EntryPoint]:
    """Return the backends of other installed packages, by name."""
    from importlib.metadata import entry_points  # costs a third of what numpy's import costs

    return {point.name: point for point in entry_points(group=_ENTRY_POINTS)}


def _check_known(name: str) -> None:
    if name not in _registry and name not in _entry_points():
        known = list_all_backends()
        hint = did_you_mean(name, known, _ELSEWHERE)
        raise UnknownBackendError(
            f"unknown dist_backend {name!r}; known backends: {', '.join(known)}. "
            f"register_backend adds one{hint or '.'}"
        )


def find_backend(name: str) -> Maker:
    """Return the class of a backend, or the function that returns an instance.

    Raises:
        UnknownBackendError: No backend has this name.
        MissingBackendError: The backend's library cannot be loaded, and the error says what to
            install; or its module lacks the registered attribute.
        TypeError: The registered object cannot return a backend, or needs arguments.
    """
    _check_known(name)
    target = _registry.get(name)
    if target is None:
        target = _entry_points()[name].value
    if not isinstance(target, str):
        return target
    module, _, attribute = target.partition(":")
    try:
        found = importlib.import_module(module)
    # mpi4py without an MPI library raises RuntimeError, not ImportError.
    except (ImportError, RuntimeError) as error:
        install = install_command(name)
        raise MissingBackendError(
            f"the library of dist_backend {name!r} cannot be loaded ({error}); install: {install}"
        ) from error
    maker: Maker | None = getattr(found, attribute, None)
    if maker is None:
        raise MissingBackendError(
            f"dist_backend {name!r} was registered as {target!r}, but the module {module} has no "
            f"{attribute}{did_you_mean(attribute, dir(found))}"
        )
    _check_maker(maker)
    return maker
