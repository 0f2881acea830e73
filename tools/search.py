"""How the site's search divides a text: words, and of Chinese every two neighbouring characters.

A name such as ConfusionMatrix is found by itself, and by its parts, which readers write as words.

Chinese is written without spaces. Sphinx takes all characters between two punctuation marks for one
word, so that a reader would have to search for a whole clause in order to find one word of it.
"""

import itertools
import re

HAN = "\u4e00-\u9fff"  # the block of ideographs that both languages below can name
RUN = re.compile(rf"[{HAN}]+|[^\W{HAN}]+")
PART = "[A-Z]*[^A-Z]+|[A-Z]+"  # a capital letter after a small one begins a part

# The same for a query, in the reader's browser: Sphinx calls this function.
SPLIT_QUERY = f"""
var splitQuery = (query) =>
  (query.match(/[{HAN}]+|(?:(?![{HAN}])[\\p{{Letter}}\\p{{Number}}_])+/gu) || []).flatMap((run) =>
    run.length > 1 && /[{HAN}]/.test(run)
      ? Array.from(run.slice(1), (after, i) => run[i] + after)
      : [...new Set([run, ...run.match(/{PART}/g)])]
  );
"""


def terms(text: str) -> list[str]:
    """What a text is found by.

    Example:
        >>> terms("rank 的 Accuracy：混淆矩阵")
        ['rank', '的', 'Accuracy', '混淆', '淆矩', '矩阵']
        >>> terms("a ConfusionMatrix")
        ['a', 'ConfusionMatrix', 'Confusion', 'Matrix']
    """
    return [term for run in RUN.findall(text) for term in _of_run(run)]


def _of_run(run: str) -> list[str]:
    if len(run) > 1 and re.match(f"[{HAN}]", run):
        return [before + after for before, after in itertools.pairwise(run)]
    return list(dict.fromkeys([run, *re.findall(PART, run)]))
