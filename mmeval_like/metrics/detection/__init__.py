"""What the detection metrics share: inputs, overlaps, matching, tables, curves."""

__all__: list[str] = []
