"""The site says of every metric whether samples without a score have bounds."""

import re

from mmeval_like import metrics


def test_the_site_says_it_of_every_metric() -> None:
    """One row for each, with a link to its page."""
    from tools.bounds import bounds_of, page

    rows = re.findall(r"^\| \[`(\w+)`\]\((\w+)\.md\) \| (.+) \|$", page(), re.MULTILINE)

    assert sorted(rows) == [(name, name, bounds_of(name)) for name in sorted(metrics.__all__)]
    assert bounds_of("BalancedAccuracy") == "exact"
    assert bounds_of("R2Score") == "none"
