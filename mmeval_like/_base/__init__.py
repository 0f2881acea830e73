"""Helpers for all modules: lists of names, hints, keys of slices, launchers, tables."""

__all__: list[str] = []
