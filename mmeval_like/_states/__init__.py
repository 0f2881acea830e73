"""Rows, the kinds of state that they fold into, and the results of merged states."""

__all__: list[str] = []
