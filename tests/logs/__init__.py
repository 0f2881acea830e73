"""Logs of real harnesses, what makes them, and the tests of reading them."""
