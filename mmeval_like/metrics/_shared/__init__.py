"""Checks and computations that several metrics need."""

__all__: list[str] = []
