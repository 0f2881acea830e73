"""What one rank has added: stored rows, ids, padding, parts for other ranks, saved files."""

__all__: list[str] = []
