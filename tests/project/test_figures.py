"""The figures of the site: each is drawn by the example above it, in the colours of the page."""

import re

from mmeval_like.plots import THEMES
from tests.helpers import requires
from tests.project.test_docs import ROOT
from tools.figures import draws, figures, with_figures

TEXT = """\
# A page

```python
>>> import mmeval_like as mm
>>> metric = mm.Accuracy(interval=0.95)
>>> metric.add([1, 0], [1, 1])
>>> 1 / 0
Traceback (most recent call last):
ZeroDivisionError: division by zero
```

```python requires=no_such_package
import no_such_package
```

```python requires=matplotlib
>>> figure = metric.plot()
```

The end.
"""


def test_a_figure_stands_behind_its_example(tmp_path):
    """Once in light and once in dark colours, with what it shows in words; the same every time."""
    requires("matplotlib")

    text = with_figures("metrics/some", TEXT, tmp_path)

    found = re.findall(r'<img class="only-(\w+)" src="\.\./_images/([^"]*)" alt="([^"]*)"', text)
    assert [theme for theme, *_ in found] == ["light", "dark"]
    assert {alt for *_, alt in found} == {"Values. Accuracy top1 0.5 [0.01258, 0.9874]."}
    for theme, name, _ in found:
        assert THEMES[theme].paper in (tmp_path / name).read_text()
    assert re.sub(r"\n<p><img.*</p>\n\n", "", text) == TEXT
    assert text.index("metric.plot()") < text.index("<img") < text.index("The end.")
    assert figures(TEXT, "light") == [(1, (tmp_path / found[0][1]).read_bytes(), found[0][2])]


def test_a_page_without_figures_stays_as_it_is(tmp_path):
    """Nothing of it is run."""
    text = "```python\nraise SystemExit\n```\n"

    assert with_figures("some", text, tmp_path / "none") == text
    assert not (tmp_path / "none").exists()


def test_the_page_of_plots_shows_each_of_them():
    """Every section between the table of plots and the themes has a figure."""
    text = (ROOT / "docs" / "plots.md").read_text()
    listed = text.partition("\n## Plots by result\n")[2].partition("\n## Themes")[0]
    sections = listed.split("\n## ")
    drawn = [any(map(draws, re.findall(r"```python.*?```", one, re.DOTALL))) for one in sections]

    assert drawn == [False, *[True] * (len(drawn) - 1)]
    assert len(drawn) > 10
