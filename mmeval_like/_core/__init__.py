"""What users call: evaluations, the plans of what they compute, and the samples that they hold."""

__all__: list[str] = []
