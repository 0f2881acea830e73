"""What the site says of every metric, from its docstring: formula, arguments, names elsewhere.

`docs/conf.py` puts it below what stands in a page of docs/metrics, where people wrote down an
example by hand and what goes wrong. `python -m tools.metric_pages Accuracy` prints one section.
"""

import inspect
import re
import sys
from functools import cache

from mmeval_like import BaseMetric, metrics
from mmeval_like._names import Listing
from tools.coverage import ROOT, names_of, read
from tools.formulas import formulas, mathml
from tools.metrics_index import page_of

# The tables that say what the names of these libraries are; the others follow where they have one.
ALWAYS = ("torchmetrics", "scikit-learn", "MMEval")
SECTION = re.compile(r"(Args|Raises|Formula|Example|Returns of `compute`|Returns)\b.*?:\s*")
SHARED = {"ids", "clusters", "**options"}  # arguments that mean the same in every metric
COMMON = (
    "The constructor also takes the [options of every metric](README.md#options-of-every-metric), "
    "and `add` also [`ids` and `clusters`](README.md#what-every-add-takes)."
)


def sections(page: str) -> str:
    """What stands below a page, by its name without the ending: a section for every metric."""
    return "\n\n".join(map(section, names_on(page)))


@cache
def names_on(page: str) -> list[str]:
    """The metrics of a page, in the order of the list of all metrics."""
    return [name for name in Listing(metrics.__name__).modules if page_of(name) == f"{page}.md"]


def linked(text: str) -> str:
    """The list of all metrics, where a name leads to the metric's own section of its page."""
    return re.sub(
        r"\[(\w+)\]\((\w+\.md)\)", lambda m: f"[{m[1]}]({m[2]}#reference-{m[1].lower()})", text
    )


def options() -> str:
    """What the constructor of every metric takes, and what every `add` does."""
    found = entries("Options of every metric", inspect.getdoc(BaseMetric), "Args")
    found += entries(
        "What every `add` takes", inspect.getdoc(metrics.Mean.add), "Args", shared=True
    )
    return "\n\n".join(found).replace("### ", "## ") + "\n"


def section(name: str) -> str:
    """The reference of one metric, in Markdown."""
    metric = getattr(metrics, name)
    text = inspect.getdoc(metric) or ""
    summary, *blocks = re.split(r"\n\n(?=\S)", text)
    parts = [f"## Reference: {name}", summary, *map(typeset, formulas(text))]
    if formulas(text):
        parts.append("[What the letters stand for](README.md#letters-in-formulas)")
    parts += [block for block in blocks if not SECTION.match(block)]
    parts += entries("Arguments of the constructor", text, "Args")
    parts += entries("Arguments of `add`", inspect.getdoc(getattr(metric, "add", None)), "Args")
    parts += [COMMON, *(" ".join(b.split()) for b in blocks if b.startswith("Returns"))]
    parts += entries("Errors of the constructor", text, "Raises")
    example = inspect.cleandoc(text.partition("\nExample:\n")[2].partition("\n\n")[0])
    if example:
        parts += ["### Example", f"```python\n>>> from mmeval_like import {name}\n{example}\n```"]
    return "\n\n".join([*parts, "### In other libraries", elsewhere(name)])


def typeset(formula: str) -> str:
    """A formula as an element of the page, and in plain text for whoever hovers over it."""
    plain = formula.replace("<", "&lt;").replace('"', "&quot;")
    return (
        f'<div style="overflow-x: auto; padding: 0.4em 0" title="{plain}">{mathml(formula)}</div>'
    )


def entries(title: str, text: str | None, header: str, shared: bool = False) -> list[str]:
    """A list of arguments or errors, under a title; nothing where there are none.

    Those that mean the same in every metric are left out, or with `shared` the others.
    """
    block = (text or "").partition(f"\n{header}:\n")[2].partition("\n\n")[0]
    listed = []
    for entry in re.split(r"\n(?=    \S)", block):
        name, _, meaning = entry.strip().partition(": ")
        if name and (name in SHARED) == shared:
            listed.append(f"- `{name}`: {' '.join(meaning.split())}")
    return [f"### {title}", "\n".join(listed)] if listed else []


def elsewhere(name: str) -> str:
    """A table: what other libraries call a metric, and where they differ."""
    lines = ["| library | name there | where it differs |", "|---|---|---|"]
    for library, theirs in names_elsewhere(name).items():
        shown = ", ".join(f"`{their}`" for their in theirs) or "none"
        lines.append(f"| {library} | {shown} | {'; '.join(differences(library, name, theirs))} |")
    return "\n".join(lines)


def names_elsewhere(name: str) -> dict[str, list[str]]:
    """The names in other libraries, by library; those that everybody asks for also without any."""
    found: dict[str, list[str]] = {library: [] for library in ALWAYS}
    for library, rows in read().items():
        theirs = [row.theirs for row in rows if row.kind != "-" and name in names_of(row.ours)]
        if theirs:
            found[library] = theirs
    return found


def differences(library: str, name: str, theirs: list[str]) -> list[str]:
    """The remarks on the names of a library."""
    found = {row.remark: None for row in read()[library] if row.theirs in theirs and row.remark}
    if library == "torchmetrics":
        found |= dict.fromkeys(remarks_on_torchmetrics().get(name, []))
    if library == "MMEval" and theirs:
        found |= dict.fromkeys(changes_since_mmeval(name))
    return list(found)


@cache
def remarks_on_torchmetrics() -> dict[str, list[str]]:
    """The remarks of the page on torchmetrics, by our names."""
    text = (ROOT / "docs" / "from-torchmetrics.md").read_text()
    table = text.partition("| torchmetrics | here | remarks |")[2].partition("\n## ")[0]
    found: dict[str, list[str]] = {}
    for line in table.splitlines():
        theirs, ours, remark = ([*map(str.strip, line.split("|")), "", "", ""])[1:4]
        for name in re.findall(r"`(\w+)`", theirs if ours == "the same names" else ours):
            found.setdefault(name, []).extend([remark.replace("](", "](../")] if remark else [])
    return found


def changes_since_mmeval(name: str) -> list[str]:
    """A link to the part of the page on MMEval that names a metric in bold letters."""
    text = (ROOT / "docs" / "from-mmeval.md").read_text()
    for part in text.split("\n## ")[1:]:
        if any(
            re.search(rf"\b{name}\b", bold)
            for bold in re.findall(r"^\*\*(.*?)\*\*", part, re.MULTILINE)
        ):
            heading = part.partition("\n")[0]
            anchor = re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-")
            return [f"[what changed](../from-mmeval.md#{anchor})"]
    return []


if __name__ == "__main__":
    print(*map(section, sys.argv[1:]), sep="\n\n")
