"""Write docs/support-matrix.md from what the test runs recorded, or check that it is still true.

    python -m tools.support_matrix                      writes the page from results/*.jsonl
    python -m tools.support_matrix --check NAME...      compares it with the runs of these names

A cell says "passed" only where every environment that tried it passed. What nobody tried says
"not run here". The versions at the end of the page are not compared: a new release of a library
that changes nothing else is no difference. Nor is the row of a new metric, which the next
`make matrix` writes.
"""

import difflib
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from mmeval_like import metrics
from tests.distributed.worlds import WORLDS
from tests.helpers.array_libraries import LIBRARIES
from tests.helpers.results import ARRAYS, FAILED, PASSED, UNSUPPORTED

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "support-matrix.md"
COLLECTIVES = ROOT / "docs" / "dist.md"
NATIVE = "## Native or built"
NOT_RUN = "not run here"
VERSIONS = "## Measured with"
INTRODUCTION = """\
# Support matrix

`make matrix` writes this page from the results of the last `make test`. A cell says *passed* only
if all its tests passed in every environment. It says *not supported*, or *passed in part*, if a
library does not support what is tested, or only part of it; a footnote gives the reason. It says
*not run here* if no test ran.
"""

Cells = dict[str, dict[str, dict[str, set[tuple[str, str]]]]]  # section, row, column: outcomes


def read(results: Iterable[Path]) -> tuple[Cells, dict[str, dict[str, str]]]:
    """Collect the cells of all runs, and for each run the versions that it measured with."""
    cells: Cells = defaultdict(lambda: defaultdict(lambda: defaultdict(set)))
    versions: dict[str, dict[str, str]] = defaultdict(dict)
    for file in results:
        for line in map(json.loads, file.read_text().splitlines()):
            if "versions" in line:
                versions[file.stem] |= line["versions"]
            else:
                cell = cells[line["section"]][line["row"]][line["column"]]
                cell.add((line["outcome"], line["reason"]))
    return cells, versions


def render(cells: Cells, versions: dict[str, dict[str, str]]) -> str:
    """The whole page."""
    worlds = {
        world.title(variant): [world.column(size) for size in world.sizes]
        for world in WORLDS
        for variant in world.variants
    }
    operations = rows_of(cells, worlds)
    lines = [INTRODUCTION, "## Backends", ""]
    for section, columns in worlds.items():
        lines += [f"### {section}", "", *table(cells[section], operations, columns), ""]
    arrays = cells.get(ARRAYS, {})
    lines += [f"## {ARRAYS}", "", *table(arrays, rows_of(cells, [ARRAYS]), LIBRARIES), ""]
    lines += [NATIVE, "", *native_or_built(), ""]
    lines += [VERSIONS, "", "| environment | versions |", "|---|---|"]
    for name, found in sorted(versions.items()):
        lines.append(f"| {name} | {', '.join(f'{k} {v}' for k, v in sorted(found.items()))} |")
    return "\n".join(lines) + "\n"


def native_or_built() -> list[str]:
    """The table of the page on the collectives, where a test compares it with the backends."""
    section = COLLECTIVES.read_text().partition(NATIVE)[2].partition("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("|")]
    return ["From [the collectives](dist.md), not from the run.", "", *rows]


def rows_of(cells: Cells, sections: Iterable[str]) -> list[str]:
    """The rows of all these sections, each once, in the order in which they were run."""
    return list(dict.fromkeys(row for section in sections for row in cells.get(section, {})))


def table(
    cells: dict[str, dict[str, set[tuple[str, str]]]], rows: list[str], columns: list[str]
) -> Iterator[str]:
    """One table, its reasons as notes below it."""
    yield f"| | {' | '.join(columns)} |"
    yield "|---" * (len(columns) + 1) + "|"
    notes: dict[str, int] = {}
    for row in rows:
        texts = []
        for column in columns:
            found = cells.get(row, {}).get(column, set())
            reasons = sorted({reason for _, reason in found if reason})
            marks = [f"[{notes.setdefault(reason, len(notes) + 1)}]" for reason in reasons]
            texts.append(" ".join([verdict({outcome for outcome, _ in found}), *marks]))
        yield f"| {row} | {' | '.join(texts)} |"
    if notes:
        yield ""
        yield from (f"- [{number}] {reason}" for reason, number in notes.items())


def verdict(outcomes: set[str]) -> str:
    """One word for all that was tried in a cell."""
    if FAILED in outcomes:
        return FAILED
    if outcomes == {PASSED, UNSUPPORTED}:
        return "passed in part"
    return next(iter(outcomes), NOT_RUN)


def is_new_metric(line: str, committed: list[str]) -> bool:
    """Whether a line is the row of a metric that the committed page does not have yet."""
    name = line.removeprefix("| ").partition(" |")[0]
    return name in metrics.__all__ and not any(row.startswith(f"| {name} |") for row in committed)


def check(page: str, expected: list[str], present: set[str]) -> int:
    """Compare with the committed page; differences count when every expected run is there."""
    committed = PAGE.read_text() if PAGE.exists() else ""
    old, new = (text.partition(VERSIONS)[0].splitlines() for text in (committed, page))
    new = [line for line in new if not is_new_metric(line, old)]
    lines = difflib.unified_diff(old, new, "committed page", "this run", lineterm="", n=0)
    difference = list(lines)
    if not difference:
        print(f"{PAGE.relative_to(ROOT)} is what the tests did")
        return 0
    print(f"{PAGE.relative_to(ROOT)} differs from what the tests did:", *difference, sep="\n")
    if missing := [name for name in expected if name not in present]:
        print(f"not an error, since these environments did not run: {', '.join(missing)}")
        return 0
    print("`make matrix` writes it anew")
    return 1


def main(arguments: list[str]) -> int:
    """Write or check; return the exit code."""
    results = sorted((ROOT / "results").glob("*.jsonl"))
    if not results:
        print("no results of a test run here: `make test` leaves them")
        return 1
    page = render(*read(results))
    if arguments[:1] == ["--check"]:
        return check(page, arguments[1:], {file.stem for file in results})
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page)
    print(f"wrote {PAGE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
