"""What a user calls: metrics, and what is made of their results."""

__all__: list[str] = []
