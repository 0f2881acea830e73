"""Communication backends: the registry, and one module or folder for each library."""

from mmeval_like.backends.base import BaseDistBackend
from mmeval_like.backends.registry import (
    adopt,
    find_backend,
    get_dist_backend,
    install_command,
    list_all_backends,
    register_backend,
    set_default_dist_backend,
)

__all__ = [
    "BaseDistBackend",
    "adopt",
    "find_backend",
    "get_dist_backend",
    "install_command",
    "list_all_backends",
    "register_backend",
    "set_default_dist_backend",
]
