"""Code shared by several families of metrics: checks of options and inputs, and computations."""

__all__: list[str] = []
