"""Records of evaluations, so that anyone can recompute a result and compare with `==`."""

__all__: list[str] = []
