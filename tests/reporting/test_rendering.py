"""Templates: what they are given is text, and a long word may be broken without being changed."""

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmeval_like.reporting.rendering import templates
from tests.helpers import requires

requires("jinja2")


def rendered(template, **facts):
    """What a template of one line says."""
    return templates().from_string(template).render(**facts)


@given(st.lists(st.text("ab<>&\"';-_ =/é", max_size=60), min_size=1, max_size=3))
def test_a_soft_text_is_the_text_with_places_to_break(names):
    """Whatever a text contains, it is shown as it is; tags of the template stay tags."""
    found = rendered(
        "{% macro all() %}{% for one in names %}<i>{{ one }}</i>{% endfor %}{% endmacro %}"
        "{{ all()|soft }}",
        names=names,
    )

    assert re.findall("<[^>]*>", found.replace("<wbr>", "")) == ["<i>", "</i>"] * len(names)
    parts = re.findall("<i>(.*?)</i>", found.replace("<wbr>", ""))
    assert [html.unescape(one) for one in parts] == names
    assert rendered("{{ one|soft }}", one=names[0]) == found[3:].partition("</i>")[0]
    longest = max(map(len, re.split(r"<[^>]*>|\s", html.unescape(found.replace("<wbr>", " ")))))
    assert longest <= 24


@given(st.text("ab<>&\"' ", max_size=30))
def test_a_plain_text_is_what_a_macro_says(name):
    """For a figure, which escapes its words itself."""
    macro = "{% macro m() %}{{ one }}!{% endmacro %}"
    assert rendered(macro + "{{ m()|plain|length }}", one=name) == str(len(name) + 1)


def test_a_fact_that_is_missing_is_an_error():
    """No template leaves a gap where a number was expected."""
    jinja2 = pytest.importorskip("jinja2")
    with pytest.raises(jinja2.UndefinedError):
        rendered("{{ nothing }}")
