"""Tools to test metrics and backends of one's own; they need no test framework."""

from mmeval_like.testing.local_world import LocalWorld

__all__ = ["LocalWorld"]
