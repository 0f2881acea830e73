"""The pictures on concepts and unscored, docs/pictures/*.svg, and in Chinese docs/pictures/zh.

`python -m tools.generated` writes them. A picture is narrow, so that its words can be read on a
phone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from xml.sax.saxutils import escape

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "pictures"
WIDTH = 460  # pixels
# Fills that differ for colour-blind readers too, under dark text (Okabe and Ito's hues, lightened).
FILLS = {"plain": "#f1f3f5", "first": "#cfe8fa", "second": "#fde3c0", "result": "#cdeee0",
         "sure": "#8ed6b7"}  # fmt: skip
STYLE = """\
text { font: 14px system-ui, sans-serif; fill: #1b1f24; text-anchor: middle; }
.left { text-anchor: start; }
.right { text-anchor: end; }
.small { font-size: 13px; }
.mono { font-family: ui-monospace, monospace; font-size: 13px; }
.box { stroke: #57606a; }
.padding { stroke: #b42318; stroke-width: 2; stroke-dasharray: 4 3; }
.arrow { stroke: #57606a; stroke-width: 1.5; fill: none; marker-end: url(#head); }
"""
HEAD = """\
<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" \
viewBox="0 0 {width} {height}" lang="{language}" role="img" aria-labelledby="title text">
<title id="title">{title}</title>
<desc id="text">{text}</desc>
<defs><style>{style}</style>
<marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" \
orient="auto"><path d="M0 0 8 4 0 8z" fill="#57606a"/></marker></defs>
<rect width="{width}" height="{height}" rx="8" fill="#ffffff"/>
"""

# By what a screen reader says first: what a picture shows, for those who do not see it.
TEXTS = {
    "One small message from every rank": (
        "Three ranks each add their own samples and keep a few numbers. In one exchange every rank "
        "sends these numbers once, and every rank returns the same result."
    ),
    "Samples, rows, states": (
        "Four samples, each a prediction and a label. Each becomes one row: 1 for a hit, else 0. "
        "The rows add up in one state, hits, and compute_metric divides it by the number of rows."
    ),
    "Padding": (
        "Nine samples on two ranks. Rank 0 gets samples 0, 2, 4, 6, 8. Rank 1 gets 1, 3, 5, 7 and, "
        "so that both have five, sample 0 again: the padding. compute(size=9) leaves it out."
    ),
    "With ids every sample counts once": (
        "Two ranks get whole batches of a loader that repeats samples. Each sample comes with its "
        "index. Samples 0 and 1 come on both ranks; with ids= each index counts once, and "
        "compute(size=6) checks that none of the six is missing."
    ),
    "The slot": (
        "A slot has 4 KiB. It begins with a header: the fingerprint of the metric, the number of "
        "rows, size, and whether this rank failed. The rank's part follows, and the rest is empty."
    ),
    "Every sample is accounted for": (
        "Seven samples: three right, two wrong, two without a score because of an error. The value "
        "of the five with a score is 0.60. If both others were wrong it would be 3 of 7, 0.43; if "
        "both were right, 5 of 7, 0.71: the lighter end of the bar."
    ),
}
CHINESE = {
    "One small message from every rank": "每个 rank 只发送一条小消息",
    TEXTS["One small message from every rank"]: (
        "三个 rank 各自添加自己的样本，只保留几个数值。在一次交换中，每个 rank 把这几个数值发送一"
        "次，随后每个 rank 都返回相同的结果。"
    ),
    "what a\nrank keeps": "rank\n保留的数值",
    "one\nmessage": "一条\n消息",
    "the same\nresult": "相同的\n结果",
    "{} samples": "{} 个样本",
    "exchange": "交换",
    "Samples, rows, states": "样本、行与状态",
    TEXTS["Samples, rows, states"]: (
        "四个样本，每个样本由一个预测和一个标签组成。每个样本成为一行：预测正确记为 1，否则记为 0"
        "。这些行累加到名为 hits 的状态中，compute_metric 再用它除以行数。"
    ),
    "samples": "样本",
    "rows": "行",
    "state": "状态",
    "result": "结果",
    "{}, truly {}": "{}，实为 {}",
    "fold": "折叠",
    "Padding": "填充",
    TEXTS["Padding"]: (
        "九个样本分给两个 rank。rank 0 得到样本 0、2、4、6、8；rank 1 得到样本 1、3、5、7，并且为"
        "了让两个 rank 都有五个样本，再次得到样本 0，这就是填充。compute(size=9) 不计入填充。"
    ),
    "sample {}": "样本 {}",
    "sample 0 again: the padding ↑": "再次出现的样本 0：填充 ↑",
    "compute(size=9) counts the first 9 samples": "compute(size=9) 只计入全局顺序中的",
    "of the global order: {}": "前 9 个样本：{}",
    "With ids every sample counts once": "使用 ids，每个样本只计算一次",
    TEXTS["With ids every sample counts once"]: (
        "加载器会重复样本，两个 rank 各自得到整个批次，每个样本都带有下标。样本 0 和样本 1 在两个"
        " rank 上都出现；使用 ids= 之后，每个下标只计算一次，compute(size=6) 还会检查六个样本是否"
        "齐全。"
    ),
    "↑ ids 0 and 1 again: left out": "↑ 再次出现的 id 0 和 1：不计入",
    "counted": "计入",
    "The slot": "槽",
    TEXTS["The slot"]: (
        "一个槽的大小是 4 KiB。它的开头是头部，其中有指标的指纹、行数、size，以及该 rank 是否已经出"
        "错；随后是该 rank 的部分结果，其余的地方是空的。"
    ),
    "a slot: the message of one rank, 4 KiB": "槽：一个 rank 发送的消息，4 KiB",
    "fingerprint\nnumber of rows\nsize\nfailed, or not": "指纹\n行数\nsize\n是否已经出错",
    "empty": "空",
    "header": "头部",
    "the rank's part": "部分结果",
    "Every sample is accounted for": "每个样本都有交代",
    TEXTS["Every sample is accounted for"]: (
        "七个样本：三个正确，两个错误，两个因出错而没有得分。有得分的五个样本的值是 0.60。如果另外"
        "两个都错，值是 3/7，即 0.43；如果都对，值是 5/7，即 0.71：这就是条形中颜色较浅的一段。"
    ),
    "right": "正确",
    "wrong": "错误",
    "error": "出错",
    "{} planned = {} scored + {} unscored": "应评测 {} = 已得分 {} + 未得分 {}",
    "worst {}": "最差 {}",
    "best {}": "最好 {}",
}
Say = Callable[[str], str]  # gives the words of a picture in the language of its page


class Picture:
    """An SVG that grows by boxes, arrows and words.

    Args:
        say: Gives all words in the language of the picture.
        title: One of TEXTS.
        height: In pixels; all pictures have the same width.
    """

    def __init__(self, say: Say, title: str, height: int) -> None:
        head = {"title": escape(say(title)), "text": escape(say(TEXTS[title])), "style": STYLE}
        language = "zh-CN" if say == in_chinese else "en"
        self.parts = [HEAD.format(width=WIDTH, height=height, language=language, **head)]

    def box(
        self, x: int, y: int, width: int, height: int, lines: Sequence[str], fill: str = "plain",
        kind: str = "box", words: str = "",
    ) -> None:  # fmt: skip
        """A rectangle with lines of words in its middle."""
        self.parts.append(
            f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="{height}" rx="5" '
            f'fill="{FILLS[fill]}"/>\n'
        )
        self.words(x + width / 2, y + height / 2 + 5, "\n".join(lines), words)

    def words(self, x: float, y: float, text: str, kind: str = "") -> None:
        """Lines of text; `y` is where the middle one, or the middle between two, stands."""
        lines = text.split("\n")
        for number, line in enumerate(lines):
            height = y + 18 * number - 9 * (len(lines) - 1)
            self.parts.append(
                f'<text class="{kind}" x="{x:g}" y="{height:g}">{escape(line)}</text>\n'
            )

    def arrow(self, x1: int, y1: int, x2: int, y2: int) -> None:
        """A line with a head at its second end."""
        self.parts.append(f'<path class="arrow" d="M{x1} {y1}L{x2} {y2}"/>\n')

    def svg(self) -> str:
        """The whole file."""
        return "".join([*self.parts, "</svg>\n"])


def in_english(words: str) -> str:
    """The words as they are."""
    return words


def in_chinese(words: str) -> str:
    """The same words in Chinese."""
    return CHINESE[words]


def one_message(say: Say) -> str:
    """From shards to the same result on every rank."""
    picture = Picture(say, "One small message from every rank", 252)
    for x, word in ((60, "samples"), (178, "what a\nrank keeps"), (292, "one\nmessage"),
                    (404, "the same\nresult")):  # fmt: skip
        picture.words(x, 30, say(word))
    for rank, (hits, count) in enumerate([(250, 300), (270, 300), (230, 300)]):
        y = 62 + 62 * rank
        middle = y + 24
        fill = "first" if rank % 2 == 0 else "second"
        picture.box(10, y, 100, 48, [f"rank {rank}", say("{} samples").format(count)], fill)
        picture.arrow(112, middle, 132, middle)
        picture.box(134, y, 88, 48, [f"hits {hits}", f"count {count}"], fill, words="mono")
        picture.arrow(224, middle, 250, 148)
        picture.arrow(334, 148, 358, middle)
        picture.box(360, y, 90, 48, ["{'top1':", "0.833…}"], "result", words="mono")
    picture.box(252, 118, 80, 60, [say("exchange")], "plain")
    return picture.svg()


def rows_and_states(say: Say) -> str:
    """From samples to a result, on one rank."""
    samples = [("cat", "cat"), ("dog", "cat"), ("dog", "dog"), ("fox", "fox")]
    picture = Picture(say, "Samples, rows, states", 250)
    for x, word in ((75, "samples"), (213, "rows"), (325, "state"), (421, "result")):
        picture.words(x, 28, say(word))
    for number, (prediction, label) in enumerate(samples):
        y = 44 + 48 * number
        hit = prediction == label
        picture.box(10, y, 130, 38, [say("{}, truly {}").format(prediction, label)], "first")
        picture.arrow(142, y + 19, 188, y + 19)
        picture.box(190, y, 46, 38, [str(int(hit))], "second", words="mono")
        picture.arrow(238, y + 19, 282, 136)
    picture.words(165, 242, "rows(…)", "mono")
    picture.words(262, 242, say("fold"), "small")
    hits = sum(prediction == label for prediction, label in samples)
    picture.box(284, 112, 82, 48, [f"hits {hits}", f"rows {len(samples)}"], "second", words="mono")
    picture.arrow(368, 136, 390, 136)
    picture.box(392, 112, 58, 48, [f"{hits / len(samples)}"], "result", words="mono")
    picture.words(450, 242, "compute_metric(…)", "mono right")
    return picture.svg()


def dealt(samples: int, ranks: int) -> list[list[tuple[int, bool]]]:
    """What torch's DistributedSampler gives to each rank: samples, and whether they are padding."""
    each = -(-samples // ranks)
    order = [(place % samples, place >= samples) for place in range(each * ranks)]
    return [order[rank::ranks] for rank in range(ranks)]


def padding(say: Say) -> str:
    """What a sampler repeats, and what `size=` leaves out."""
    picture = Picture(say, "Padding", 204)
    for rank, shard in enumerate(dealt(9, 2)):
        y = 16 + 56 * rank
        picture.words(10, y + 26, f"rank {rank}", "left")
        for place, (sample, again) in enumerate(shard):
            fill = "first" if rank == 0 else "second"
            kind = "padding" if again else "box"
            picture.box(66 + 78 * place, y, 72, 42, [say("sample {}").format(sample)], fill, kind)
    picture.words(450, 134, say("sample 0 again: the padding ↑"), "right small")
    picture.words(10, 168, say("compute(size=9) counts the first 9 samples"), "left small")
    counted = " ".join(map(str, range(9)))
    picture.words(10, 188, say("of the global order: {}").format(counted), "left small")
    return picture.svg()


def with_ids(say: Say) -> str:
    """Samples that several ranks have, counted once by their ids."""
    picture = Picture(say, "With ids every sample counts once", 226)
    shards = [[0, 1, 2, 3], [4, 5, 0, 1]]
    first = {sample: shard for shard in (1, 0) for sample in shards[shard]}
    for rank, shard in enumerate(shards):
        y = 16 + 56 * rank
        picture.words(10, y + 26, f"rank {rank}", "left")
        for place, sample in enumerate(shard):
            kind = "box" if first[sample] == rank else "padding"
            fill = "first" if rank == 0 else "second"
            picture.box(74 + 63 * place, y, 57, 42, [f"id {sample}"], fill, kind)
    picture.words(200, 134, say("↑ ids 0 and 1 again: left out"), "left small")
    picture.arrow(134, 120, 134, 162)
    picture.words(10, 192, say("counted"), "left")
    for place, sample in enumerate(sorted(first)):
        fill = "first" if first[sample] == 0 else "second"
        picture.box(74 + 63 * place, 166, 57, 42, [f"id {sample}"], fill)
    return picture.svg()


def slot(say: Say) -> str:
    """What a rank sends first."""
    picture = Picture(say, "The slot", 168)
    picture.words(230, 26, say("a slot: the message of one rank, 4 KiB"))
    fields = say("fingerprint\nnumber of rows\nsize\nfailed, or not").split("\n")
    picture.box(10, 42, 190, 92, fields, "first")
    picture.box(200, 42, 130, 92, ["hits 250", "count 300"], "second", words="mono")
    picture.box(330, 42, 120, 92, [say("empty")])
    picture.words(105, 154, say("header"))
    picture.words(265, 154, say("the rank's part"))
    return picture.svg()


def unscored(say: Say) -> str:
    """Samples without a score, and what they could change."""
    outcomes = ["right", "wrong", "right", "right", "wrong", "error", "error"]
    fills = {"right": "result", "wrong": "second", "error": "plain"}
    picture = Picture(say, "Every sample is accounted for", 196)
    for place, outcome in enumerate(outcomes):
        kind = "padding" if outcome == "error" else "box"
        picture.box(10 + 63 * place, 12, 57, 38, [say(outcome)], fills[outcome], kind, "small")
    hits, missing, planned = (
        sum(one == outcome for one in outcomes) if outcome else len(outcomes)
        for outcome in ("right", "error", "")
    )
    counts = planned, planned - missing, missing
    picture.words(230, 76, say("{} planned = {} scored + {} unscored").format(*counts))
    worst, value, best = hits / planned, hits / counts[1], (hits + missing) / planned
    at = [round(10 + 440 * end) for end in (worst, value, best)]
    picture.box(10, 108, 440, 36, [])
    picture.box(10, 108, at[2] - 10, 36, [], "result")
    picture.box(10, 108, at[0] - 10, 36, [], "sure")
    picture.parts.append(f'<path class="box" stroke-width="3" d="M{at[1]} 102v48"/>\n')
    picture.words(at[1], 98, f"{value:.2f}", "mono")
    picture.words(at[0], 168, say("worst {}").format(f"{worst:.2f}"), "small right")
    picture.words(at[2], 168, say("best {}").format(f"{best:.2f}"), "small left")
    picture.words(10, 188, "0", "mono left")
    picture.words(450, 188, "1", "mono right")
    return picture.svg()


DRAWINGS = {
    "one-message.svg": one_message,
    "rows-and-states.svg": rows_and_states,
    "padding.svg": padding,
    "ids.svg": with_ids,
    "slot.svg": slot,
    "unscored.svg": unscored,
}
PICTURES = {
    f"{folder}{name}": partial(draw, say)
    for folder, say in (("", in_english), ("zh/", in_chinese))
    for name, draw in DRAWINGS.items()
}
