"""Dealing: the ranks sort, divide and reduce large values together, without gathering them."""

__all__: list[str] = []
