"""How many random inputs the tests try: all of them, or the share that their environment wants."""

import os

SHARE = float(os.environ.get("MMEVAL_LIKE_EXAMPLES", "1"))  # as the row of noxfile.py says


def examples(number: int) -> int:
    """Return the share of a number of random inputs, at least one."""
    return max(1, round(number * SHARE))
