"""Metrics of ranked documents."""

__all__: list[str] = []
