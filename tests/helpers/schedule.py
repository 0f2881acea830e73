"""What the workers of pytest-xdist take from the queue: a file, or a part of a long one."""

import re

from xdist.scheduler import LoadFileScheduling

# One worker takes a whole file, because its tests share what they made. The tests of these long
# files share less: what matches is taken by itself, and no worker has a file left when others end.
# Files of lost ranks stay whole: launches at the same time would make their time limits tight.
_PARTS = re.compile(
    r"""
    tests/arrays/test_array_libraries\.py::\w+\[\w+      # one process for each library
    | tests/distributed/test_laws\.py::\w+\[\w+-\w+-\d  # one launch for each world and size
    | tests/(hunt/test_hunt|integrations/test_recipes)\.py::.*
    """,
    re.VERBOSE,
)


class PartsScheduling(LoadFileScheduling):
    """The scheduling of `--dist=loadfile`, with long files divided."""

    def _split_scope(self, nodeid: str) -> str:
        part = _PARTS.match(nodeid)
        return part[0] if part else str(super()._split_scope(nodeid))
