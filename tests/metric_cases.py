"""The cases of all metrics, by name: the next file of cases is one more line."""

from tests import test_core_laws

CASES = {**test_core_laws.CASES}
