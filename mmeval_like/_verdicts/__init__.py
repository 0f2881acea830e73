"""Verdicts: what intervals show. They are made here, and printed everywhere else."""

__all__: list[str] = []
