"""MMEval's path of the registry of backends."""

from mmeval_like.backends import get_dist_backend, list_all_backends, set_default_dist_backend

__all__ = ["get_dist_backend", "list_all_backends", "set_default_dist_backend"]
