"""What every test may use: optional packages, real processes, the results file."""

from tests.helpers.optional import require_installed, requires

__all__ = ["require_installed", "requires"]
