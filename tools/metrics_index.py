"""Write docs/metrics/README.md, or the page to standard output: all metrics, by domain.

Usage: python -m tools.metrics_index [--write]
"""

import inspect
import sys
from pathlib import Path

from mmeval_like import metrics
from mmeval_like._base.names import Listing

PAGE = Path(__file__).resolve().parents[1] / "docs" / "metrics" / "README.md"
HEAD = """\
# The metrics

Every metric gives the same bits on one process and on many. On the site, each metric has a page of
its own with its formula, an example worked by hand, its arguments and errors, usual mistakes, and
its names in other libraries. `help(name)` in Python has the same without the example by hand.

`python -m tools.metrics_index --write` writes this page from the lists of the families in
`mmeval_like/metrics`, which have the groups and their order, and from the docstrings.

## Letters in formulas

The formulas of the metrics use the letters of this table. If a formula has another letter, the
description of its metric explains the letter. A mean or a sum without an index is over the samples.
`[a > b]` is 1 if the condition is true, and 0 otherwise. Bars stand for the magnitude of a number,
the length of a vector or the size of a set; `a * b` is a product, or the inner product of two
vectors.

| letters | what they stand for |
|---|---|
| p, y, w | a prediction, its label (the ground truth), the weight of the sample or 1 |
| TP, FP, FN, TN | the true and false positives, the false and true negatives, of a class |
| s, t | a score, and a threshold: a score of at least t counts as positive |
| i, j; c, k; t | indices of samples or pairs; classes or clusters; thresholds, times or tokens |
| N, C, K | the numbers of samples, of classes, and of clusters |
| P, N under a sum or in bars | the positive and the negative samples |
| tpr, fpr | the rates TP / (TP + FN) and FP / (FP + TN) |
| r_k, precision_k, r | recall and precision down to the k-th highest score; a recall |
| L under a sum or in bars | the classes that a sample has |
| l_c, chars_c, bytes_c | the log-likelihood of choice c, and how long it is |
| n with two indices | in how many samples the two values come together |
| bar x, var, cov, s with an index | a mean, variance, covariance, standard deviation |
| m with an index, s with two | means, variances and covariances of two images in a window |
| H, H(a given b) | an entropy in nats, and the entropy that remains if b is known |
| v, U | 1 where a joint or pixel counts; the unknown pixels of a trimap |
| C(n, k) | in how many ways k of n can be chosen |
| pi with an index inside | an assignment one to one |
| d | a distance: of points, of texts (edits), or of a point from a surface |
| A, B | the points on the surfaces of the predicted and of the true mask |
| r, S, D, I, LCS of texts | a reference; substitutions, deletions, insertions; common subsequence |
| g, rel, hits, R | a document's gain, whether it is relevant; the relevant ones above, and all |
| matches, predicted, referred | how many n-grams match, are in predictions, and are in references |
"""


def page() -> str:
    """The whole page."""
    lines = [HEAD]
    for group, names in Listing(metrics.__name__).headings.items():
        if names:
            lines += [f"## {group}", "", "| metric | |", "|---|---|", *map(row, names), ""]
    return "\n".join(lines).rstrip() + "\n"


def row(name: str) -> str:
    """One line of a table: the metric, linked if it has a page, and what its docstring says."""
    metric = getattr(metrics, name)
    text = (inspect.getdoc(metric) or "").partition("\n")[0]
    text = text.replace("|", "\\|").replace("*", "\\*")
    page = page_of(name)
    shown = f"[{name}]({page})" if (PAGE.parent / page).exists() else f"`{name}`"
    return f"| {shown} | {text} |"


def letters() -> str:
    """The letters that the table explains."""
    rows = (line.split("|") for line in HEAD.splitlines() if line.startswith("|"))
    return " ".join(row[1] for row in rows)


def page_of(name: str) -> str:
    """The file name of a metric's page: that of its module, or of its family."""
    *_, family, module = getattr(metrics, name).__module__.split(".")
    return f"{module}.md" if (PAGE.parent / f"{module}.md").exists() else f"{family}.md"


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(page())
    else:
        print(page(), end="")
