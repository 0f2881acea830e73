"""Objects and arrays as bytes."""

__all__: list[str] = []
