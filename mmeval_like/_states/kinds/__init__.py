"""The kinds of state."""

__all__: list[str] = []
