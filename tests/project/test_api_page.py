"""The API page says what the docstrings say."""

import runpy
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_is_up_to_date():
    """docs/api.md is what tools/api_page.py writes."""
    module = runpy.run_path(str(ROOT / "tools" / "api_page.py"))

    assert (ROOT / "docs" / "api.md").read_text() == module["page"]()
