"""What is run on every rank of every world: the next suite is one more row."""

from collections.abc import Callable

from mmeval_like.backends import BaseDistBackend
from mmeval_like.testing import backend_laws
from tests.distributed.dist_laws import dist_laws

Law = Callable[[BaseDistBackend], None]

# Each suite is a function that returns its laws by name. A law is called on all ranks with the
# backend; it raises AssertionError when it is broken, NotImplementedError (on all ranks) with the
# reason when the backend does not support what it asks for.
SUITES: tuple[Callable[[], dict[str, Law]], ...] = (backend_laws, dist_laws)


def all_laws() -> dict[str, Law]:
    """Every law of every suite, in the order in which the ranks run them."""
    return {name: law for suite in SUITES for name, law in suite().items()}
