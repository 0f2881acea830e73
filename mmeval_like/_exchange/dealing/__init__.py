"""Large values that are not gathered: the ranks sort, divide and reduce them together."""

__all__: list[str] = []
