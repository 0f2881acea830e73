"""Metrics of features of images or other samples, which a network of the caller's gives."""

__all__: list[str] = []
