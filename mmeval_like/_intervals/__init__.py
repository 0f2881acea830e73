"""Intervals: quantiles, tests, and how an estimate and its spread become an interval."""

__all__: list[str] = []
