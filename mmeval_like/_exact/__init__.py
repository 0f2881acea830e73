"""Exact arithmetic: sums of floats without rounding, and products that are added to them."""

__all__: list[str] = []
