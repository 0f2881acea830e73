"""The page that the site has of every metric, from its docstring and from a page of docs/metrics.

Title, formula, example, arguments, what people wrote of it by hand (`tools/families.py`), errors,
and its names in other libraries. `python -m tools.metric_pages Recall` prints a page.
"""

import inspect
import re
import sys
from functools import cache
from html import unescape

from mmeval_like import BaseMetric, metrics
from tools.coverage import read
from tools.families import DOCS, Family, Section, family_of
from tools.formulas import formulas, mathml, unexplained

# The tables that say what the names of these libraries are; the others follow where they have one.
ALWAYS = ("torchmetrics", "scikit-learn", "MMEval")
SECTION = re.compile(r"(Args|Raises|Formula|Example|Returns of `compute`|Returns)\b.*?:\s*")
SEE = re.compile(r"; see\s+`(\w+)`")  # where the code goes on, which is on the page as well
SOURCE = re.compile(r"\s*\bSources?:\s.*?[)\d]\.(?=\s+[A-Z`]|$)", re.DOTALL)
# What a table of other names covers, behind the libraries.
FIELDS = re.compile(r", (texts|detection|classification|regression|segmentation)\b.*")
SHARED = {"ids", "clusters", "**options"}  # arguments that mean the same in every metric
COMMON = (
    "The constructor also takes the [options of every metric](README.md#options-of-every-metric), "
    "and `add` also takes [`ids` and `clusters`](README.md#what-every-add-takes)."
)
LETTERS = "[Notation](README.md#letters-in-formulas)"


def page(name: str) -> str:
    """The page of one metric, in Markdown."""
    metric = getattr(metrics, name)
    text = inspect.getdoc(metric) or ""
    family = family_of(name)
    blocks = re.split(r"\n\n(?=\S)", text)
    top, details = beginning(text, family)
    written = by_hand(name, family)
    worked = "\n".join(part.text for part in written if part.heading == "Worked example")
    parts = [f"# {name}", *top, *example(name, text, worked)]
    parts += entries("Arguments of the constructor", text, "Args")
    parts += entries("Arguments of `add`", inspect.getdoc(getattr(metric, "add", None)), "Args")
    parts += [COMMON, *returned(blocks)]
    parts += [f"## {part.heading}\n\n{part.text}" for part in written]
    parts += entries("Errors of the constructor", text, "Raises")
    parts += ["## Details", *details] if details else []
    parts += ["## In other libraries", elsewhere(name)]
    parts += [f"## State\n\n{part.text}" for part in family.about(name) if part.heading == "State"]
    return "\n\n".join(parts) + "\n"


def beginning(text: str, family: Family) -> tuple[list[str], list[str]]:
    """What a metric is, with its formula; and what is said of it further down.

    What the docstring says stands beside the formula, whose letters it explains. Of a metric that
    has a page of docs for itself that page explains them, mostly.
    """
    summary, *blocks = re.split(r"\n\n(?=\S)", text)
    described = [shown(block) for block in blocks if not SECTION.match(block)]
    found = formulas(text)
    formula = [*map(typeset, found), LETTERS] if found else []
    if len(family.names) > 1:
        return [summary, *formula, *described], []
    written = re.split(r"\n\n(?=\S|    )", family.sections[0].text)
    if written[0].startswith(("    ", "|", "```")) or not written[0]:
        written.insert(0, summary)
    if any("Source" in block for block in written):
        described = [block for block in (SOURCE.sub("", block) for block in described) if block]
    at = next((i for i, block in enumerate(written) if is_formula(block)), None)
    needed = unexplained(found, " ".join(["p y w i", *written]))  # the letters of all formulas
    if at is not None and found and len(found) >= written[at].count(" = "):
        written[at : at + 1] = formula
    else:
        written[1:1] = formula
    return ([*written, *described], []) if needed else (written, described)


def shown(block: str) -> str:
    """A part of a docstring, without references to classes that have no page."""
    return SEE.sub(lambda see: see[0] if see[1] in metrics.__all__ else "", block)


def is_formula(block: str) -> bool:
    """Whether people wrote a formula, in plain text."""
    return block.startswith("    ") and " = " in block


def example(name: str, text: str, worked: str = "") -> list[str]:
    """The example of the docstring, but where the same one is worked by hand."""
    code = inspect.cleandoc(text.partition("\nExample:\n")[2].partition("\n\n")[0])
    if all(line.partition("  #")[0] in worked for line in code.splitlines()):
        return []
    return ["## Example", f"```python\n>>> from mmeval_like import {name}\n{code}\n```"]


def returned(blocks: list[str]) -> list[str]:
    """What `compute` returns, under a heading, of the parts of a docstring."""
    found = [SECTION.sub("", block, count=1) for block in blocks if block.startswith("Returns")]
    texts = (" ".join(text.split()) for text in found)
    return (
        ["## Result of `compute`", *(text[0].upper() + text[1:] for text in texts)] if found else []
    )


def by_hand(name: str, family: Family) -> list[Section]:
    """What people wrote of the metric: examples worked by hand, pictures, what goes wrong.

    Of several metrics it begins with what they have in common; a guide has that on its own page.
    """
    chosen = [part for part in family.about(name) if part.heading not in ("", "State")]
    found = [Section("Worked example", part.text) if part.is_of(name) else part for part in chosen]
    if len(family.names) == 1:
        return found
    if family.is_guide:
        left = [part for part in family.others if part not in chosen]
        links = listed([f"[{part.heading}]({family.file}#{part.anchor})" for part in left])
        text = f"[{family.title}]({family.file}) explains {len(family.names)} metrics: {links}."
        return [*found, Section("Related metrics", text)]
    others = [other for other in family.names if other != name]
    also = f"See also {listed([f'[{other}]({other}.md)' for other in others])}."
    text = f"{family.sections[0].text}\n\n{also}"
    return [Section(f"Together with {listed(others)}", text), *found]


def listed(words: list[str]) -> str:
    """Words as a text lists them."""
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def typeset(formula: str) -> str:
    """A formula as an element of the page, and in plain text for whoever hovers over it."""
    plain = formula.replace("<", "&lt;").replace('"', "&quot;")
    return (
        f'<div style="overflow-x: auto; padding: 0.4em 0" title="{plain}">{mathml(formula)}</div>'
    )


def in_terminal(text: str) -> str:
    """The text of a page with its formulas as the docstring writes them."""
    typeset_ones = re.compile(r'<div [^>]*title="([^"]*)">.*?</div>')
    return typeset_ones.sub(lambda found: f"    {unescape(found[1])}", text)


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
    return [f"## {title}", "\n".join(listed)] if listed else []


def options() -> str:
    """What the constructor of every metric takes, and what every `add` does."""
    found = entries("Options of every metric", inspect.getdoc(BaseMetric), "Args")
    found += entries(
        "What every `add` takes", inspect.getdoc(metrics.Mean.add), "Args", shared=True
    )
    return "\n\n".join(found) + "\n"


def elsewhere(name: str) -> str:
    """A table: what other libraries call a metric, and where they differ."""
    lines = ["| library | name there | where it differs |", "|---|---|---|"]
    for library, theirs in names_elsewhere(name).items():
        shown = ", ".join(f"`{their}`" for their in theirs) or "none"
        remarks = "; ".join(differences(library, name, theirs))
        lines.append(f"| {FIELDS.sub('', library)} | {shown} | {remarks} |")
    return "\n".join(lines)


def names_elsewhere(name: str) -> dict[str, list[str]]:
    """The names in other libraries, by library; those that everybody asks for also without any."""
    found: dict[str, list[str]] = {library: [] for library in ALWAYS}
    for library, rows in read().items():
        theirs = [row.theirs for row in rows if name in row.names]
        if theirs:
            found[library] = theirs
    return found


def differences(library: str, name: str, theirs: list[str]) -> list[str]:
    """The remarks on the names of a library."""
    found = {row.remark: None for row in read()[library] if row.theirs in theirs and row.remark}
    if library == "torchmetrics":
        more = remarks_on_torchmetrics().get(name, [])
        said = " ".join(more).lower()
        found = {one: None for one in found if one.partition(";")[0].lower() not in said}
        found |= dict.fromkeys(more)
    if library == "MMEval" and theirs:
        found |= dict.fromkeys(changes_since_mmeval(name))
    return list(found)


@cache
def remarks_on_torchmetrics() -> dict[str, list[str]]:
    """The remarks of the page on torchmetrics, by our names."""
    text = (DOCS / "from-torchmetrics.md").read_text()
    table = text.partition("| torchmetrics | here | remarks |")[2].partition("\n## ")[0]
    found: dict[str, list[str]] = {}
    for line in table.splitlines():
        theirs, ours, remark = ([*map(str.strip, line.split("|")), "", "", ""])[1:4]
        for name in re.findall(r"`(\w+)`", theirs if ours == "the same names" else ours):
            found.setdefault(name, []).extend([remark.replace("](", "](../")] if remark else [])
    return found


def changes_since_mmeval(name: str) -> list[str]:
    """A link to the part of the page on MMEval that names a metric in bold letters."""
    text = (DOCS / "from-mmeval.md").read_text()
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
    print(*map(in_terminal, map(page, sys.argv[1:])), sep="\n\n")
