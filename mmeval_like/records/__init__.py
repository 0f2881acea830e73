"""Records: what an evaluation found, so that anybody can compute it again and compare with `==`."""

__all__: list[str] = []
