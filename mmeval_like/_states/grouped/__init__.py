"""Tables: the folded values of all keys of a state; one module for each kind of table."""

from __future__ import annotations

__all__: list[str] = []
