"""What the maintainers run beside the tests."""
