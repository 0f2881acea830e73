"""From merged states to the results without one sample, and from there to intervals."""

__all__: list[str] = []
