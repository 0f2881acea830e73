"""Columns of tables: which a metric takes, and Arrow's as arrays and lists."""

__all__: list[str] = []
