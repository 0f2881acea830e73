"""Metrics of how far several raters, or judges, agree."""

__all__: list[str] = []
