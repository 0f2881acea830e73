"""What metrics accumulate together: a metric is a formula on one of these statistics."""

__all__: list[str] = []
