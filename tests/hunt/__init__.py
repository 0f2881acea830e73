"""Hunts for wrong numbers."""
