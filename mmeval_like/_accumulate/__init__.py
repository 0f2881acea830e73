"""What one rank accumulates: rows, how they fold into states, ids, padding, saved files."""

__all__: list[str] = []
