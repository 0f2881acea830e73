"""How sure a number is: intervals, comparisons and tests, made from what was exchanged."""

__all__: list[str] = []
