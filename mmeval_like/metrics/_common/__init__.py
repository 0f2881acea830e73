"""What the metrics of several families need: checks of options and inputs, and computations."""

__all__: list[str] = []
