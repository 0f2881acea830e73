"""Metrics of language models: of logs that say how each question, text or game came out."""

__all__: list[str] = []
