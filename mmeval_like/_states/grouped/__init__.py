"""Tables: what the rows of every key fold to, of all keys at once; one file for each kind."""

from __future__ import annotations

__all__: list[str] = []
