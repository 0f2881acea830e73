"""Metrics of objects that are followed through a sequence of frames."""

__all__: list[str] = []
