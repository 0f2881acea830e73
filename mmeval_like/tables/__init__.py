"""Columns of tables, and one call that scores them."""

__all__: list[str] = []
