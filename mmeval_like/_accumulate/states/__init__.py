"""The kinds of state: how rows are kept, folded, merged and sent."""

__all__: list[str] = []
