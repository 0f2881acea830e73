"""How the site's search divides a text: words, and of Chinese every two neighbouring characters.

A name such as ConfusionMatrix is found by itself, and by its parts, which readers write as words.
A query is not divided into parts, so that who searches for mAP is not shown every page with an AP.

Chinese is written without spaces. Sphinx takes all characters between two punctuation marks for one
word, so that a reader would have to search for a whole clause in order to find one word of it.
"""

import itertools
import re

HAN = "\u4e00-\u9fff"  # the block of ideographs that both languages below can name
RUN = re.compile(rf"[{HAN}]+|[^\W{HAN}]+")
# A capital letter after a small one begins a part; single letters are none.
PART = "[A-Z]*[^A-Z]+|[A-Z]+"

# What `words` does, in the reader's browser: Sphinx calls this function.
SPLIT_QUERY = f"""
var splitQuery = (query) =>
  (query.match(/[{HAN}]+|(?:(?![{HAN}])[\\p{{Letter}}\\p{{Number}}_])+/gu) || []).flatMap((run) =>
    run.length > 1 && /[{HAN}]/.test(run)
      ? Array.from(run.slice(1), (after, i) => run[i] + after)
      : [run]
  );
"""


def words(text: str) -> list[str]:
    """The words of a text, or what a query asks for.

    Example:
        >>> words("rank 的 Accuracy：混淆矩阵")
        ['rank', '的', 'Accuracy', '混淆', '淆矩', '矩阵']
    """
    return [word for run in RUN.findall(text) for word in _of_run(run)]


def terms(text: str) -> list[str]:
    """What a text is found by: its words, and the parts of names.

    Example:
        >>> terms("a ConfusionMatrix of mAP")
        ['a', 'ConfusionMatrix', 'Confusion', 'Matrix', 'of', 'mAP', 'AP']
    """
    return [term for word in words(text) for term in dict.fromkeys([word, *_parts(word)])]


def _of_run(run: str) -> list[str]:
    if len(run) > 1 and re.match(f"[{HAN}]", run):
        return [before + after for before, after in itertools.pairwise(run)]
    return [run]


def _parts(word: str) -> list[str]:
    return [part for part in re.findall(PART, word) if len(part) > 1]
