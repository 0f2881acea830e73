"""Metrics of waveforms: separated, enhanced, transmitted or generated sound, and who speaks."""

__all__: list[str] = []
