"""Metrics of class maps, masks, and their surfaces."""

__all__: list[str] = []
