"""One `compute()`: what the ranks send each other, compare and combine."""

__all__: list[str] = []
