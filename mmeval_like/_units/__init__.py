"""Units: from merged states to what remains without a sample, and from there to intervals."""

__all__: list[str] = []
