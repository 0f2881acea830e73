"""One `compute()`: what the ranks tell each other, compare and combine."""

__all__: list[str] = []
