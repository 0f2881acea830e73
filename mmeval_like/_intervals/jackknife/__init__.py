"""Intervals from merged states, by results without one sample each."""

__all__: list[str] = []
