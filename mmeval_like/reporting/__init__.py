"""The report: an HTML page of a result, without network; `mmeval_like.report` writes it."""

from importlib.util import find_spec

__all__ = ["missing_packages"]


def missing_packages() -> list[str]:
    """Return which of the packages that a report needs are not installed."""
    return [name for name in ("jinja2", "matplotlib") if find_spec(name) is None]
