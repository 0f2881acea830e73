"""Verdicts: bounds, plans and repeated gates."""
