"""MMEval's path of `BaseDistBackend`."""

from mmeval_like.backends import BaseDistBackend

__all__ = ["BaseDistBackend"]
