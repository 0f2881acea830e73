"""The net: the same program on two commits of the package, compared by `==`.

`python -m tests.net` runs it; `tests/net/__main__.py` says how. The checks use public names alone,
and import each other relatively: they run beside the `tests` of whichever checkout is asked.
"""
