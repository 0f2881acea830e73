"""Write docs/pictures/*.svg: what the pages on concepts show.

Usage: python -m tools.pictures --write
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "pictures"
WIDTH = 760
# Fills that differ for colour-blind readers too, under dark text (Okabe and Ito's hues, lightened).
FILLS = {"plain": "#f1f3f5", "first": "#cfe8fa", "second": "#fde3c0", "result": "#cdeee0"}
STYLE = """\
text { font: 14px system-ui, sans-serif; fill: #1b1f24; text-anchor: middle; }
.left { text-anchor: start; }
.small { font-size: 12px; }
.mono { font-family: ui-monospace, monospace; font-size: 12px; }
.box { stroke: #57606a; }
.padding { stroke: #b42318; stroke-width: 2; stroke-dasharray: 4 3; }
.arrow { stroke: #57606a; stroke-width: 1.5; fill: none; marker-end: url(#head); }
"""
HEAD = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" \
aria-labelledby="title text">
<title id="title">{title}</title>
<desc id="text">{text}</desc>
<defs><style>{style}</style>
<marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" \
orient="auto"><path d="M0 0 8 4 0 8z" fill="#57606a"/></marker></defs>
<rect width="{width}" height="{height}" rx="8" fill="#ffffff"/>
"""


class Picture:
    """An SVG that grows by boxes, arrows and words.

    Args:
        title: What a screen reader says first.
        text: What the picture shows, for those who do not see it.
        height: In pixels; all pictures have the same width.
    """

    def __init__(self, title: str, text: str, height: int) -> None:
        head = {"title": escape(title), "text": escape(text), "style": STYLE}
        self.parts = [HEAD.format(width=WIDTH, height=height, **head)]

    def box(
        self, x: int, y: int, width: int, height: int, lines: Sequence[str], fill: str = "plain",
        kind: str = "box", words: str = "",
    ) -> None:  # fmt: skip
        """A rectangle with lines of words in its middle."""
        self.parts.append(
            f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="{height}" rx="5" '
            f'fill="{FILLS[fill]}"/>\n'
        )
        first = y + height / 2 + 5 - 9 * (len(lines) - 1)
        for number, line in enumerate(lines):
            self.words(x + width / 2, first + 18 * number, line, words)

    def words(self, x: float, y: float, line: str, kind: str = "") -> None:
        """One line of text."""
        self.parts.append(f'<text class="{kind}" x="{x:g}" y="{y:g}">{escape(line)}</text>\n')

    def arrow(self, x1: int, y1: int, x2: int, y2: int) -> None:
        """A line with a head at its second end."""
        self.parts.append(f'<path class="arrow" d="M{x1} {y1}L{x2} {y2}"/>\n')

    def svg(self) -> str:
        """The whole file."""
        return "".join([*self.parts, "</svg>\n"])


def one_message() -> str:
    """From shards to the same result on every rank."""
    title = "One small message from every rank"
    text = (
        "Three ranks each add their own samples and keep a few numbers. In one exchange every rank "
        "sends these numbers once, and every rank returns the same result."
    )
    picture = Picture(title, text, 250)
    for x, word in ((100, "samples"), (290, "what a rank keeps"), (460, "one message"),
                    (660, "the same result")):  # fmt: skip
        picture.words(x, 28, word)
    for rank, (hits, count) in enumerate([(250, 300), (270, 300), (230, 300)]):
        y = 48 + 66 * rank
        middle = y + 24
        fill = "first" if rank % 2 == 0 else "second"
        picture.box(20, y, 160, 48, [f"rank {rank}", f"{count} samples"], fill)
        picture.arrow(182, middle, 218, middle)
        picture.box(222, y, 136, 48, [f"hits {hits}", f"count {count}"], fill, words="mono")
        picture.arrow(360, middle, 408, 134 if rank != 1 else middle)
        picture.arrow(512, 134 if rank != 1 else middle, 566, middle)
        picture.box(570, y, 170, 48, ["{'top1': 0.833…}"], "result", words="mono")
    picture.box(412, 104, 98, 60, ["exchange"], "plain")
    return picture.svg()


def rows_and_states() -> str:
    """From samples to a result, on one rank."""
    title = "Samples, rows, states"
    text = (
        "Four samples, each a prediction and a label. Each becomes one row: 1 for a hit, else 0. "
        "The rows add up in one state, hits, and compute_metric divides it by the number of rows."
    )
    samples = [("cat", "cat"), ("dog", "cat"), ("dog", "dog"), ("fox", "fox")]
    picture = Picture(title, text, 250)
    for x, word in ((110, "samples"), (330, "rows"), (500, "state"), (670, "result")):
        picture.words(x, 28, word)
    for number, (prediction, label) in enumerate(samples):
        y = 44 + 48 * number
        hit = prediction == label
        picture.box(20, y, 180, 38, [f"{prediction}, truly {label}"], "first")
        picture.arrow(202, y + 19, 296, y + 19)
        picture.box(300, y, 60, 38, [str(int(hit))], "second", words="mono")
        picture.arrow(362, y + 19, 432, 136)
    picture.words(250, 240, "rows(…)", "mono")
    picture.words(400, 240, "fold", "mono")
    hits = sum(prediction == label for prediction, label in samples)
    picture.box(436, 112, 126, 48, [f"hits {hits}", f"rows {len(samples)}"], "second", words="mono")
    picture.arrow(564, 136, 606, 136)
    picture.box(610, 112, 130, 48, [f"{hits / len(samples)}"], "result", words="mono")
    picture.words(588, 240, "compute_metric(…)", "mono")
    return picture.svg()


def dealt(samples: int, ranks: int) -> list[list[tuple[int, bool]]]:
    """What torch's DistributedSampler gives to each rank: samples, and whether they are padding."""
    each = -(-samples // ranks)
    order = [(place % samples, place >= samples) for place in range(each * ranks)]
    return [order[rank::ranks] for rank in range(ranks)]


def padding() -> str:
    """What a sampler repeats, and what `size=` leaves out."""
    title = "Padding"
    text = (
        "Nine samples on two ranks. Rank 0 gets samples 0, 2, 4, 6, 8. Rank 1 gets 1, 3, 5, 7 and, "
        "so that both have five, sample 0 again: the padding. compute(size=9) leaves it out."
    )
    picture = Picture(title, text, 190)
    for rank, shard in enumerate(dealt(9, 2)):
        y = 30 + 60 * rank
        picture.words(20, y + 27, f"rank {rank}", "left")
        for place, (sample, again) in enumerate(shard):
            fill = "first" if rank == 0 else "second"
            kind = "padding" if again else "box"
            picture.box(90 + 100 * place, y, 88, 42, [f"sample {sample}"], fill, kind)
    picture.words(590, 116, "← sample 0 again", "left small")
    picture.words(20, 168, "compute(size=9) counts the first 9 samples of the global order: "
                  "0 1 2 3 4 5 6 7 8", "left small")  # fmt: skip
    return picture.svg()


def with_ids() -> str:
    """Samples that several ranks have, counted once by their ids."""
    title = "With ids every sample counts once"
    text = (
        "Two ranks get whole batches of a loader that repeats samples. Each sample comes with its "
        "index. Samples 0 and 1 come on both ranks; with ids= each index counts once, and "
        "compute(size=6) checks that none of the six is missing."
    )
    shards = [[0, 1, 2, 3], [4, 5, 0, 1]]
    picture = Picture(title, text, 236)
    first = {sample: shard for shard in (1, 0) for sample in shards[shard]}
    for rank, shard in enumerate(shards):
        y = 24 + 56 * rank
        picture.words(20, y + 27, f"rank {rank}", "left")
        for place, sample in enumerate(shard):
            kind = "box" if first[sample] == rank else "padding"
            fill = "first" if rank == 0 else "second"
            picture.box(90 + 100 * place, y, 88, 42, [f"id {sample}"], fill, kind)
    picture.words(502, 107, "← ids 0 and 1 again: left out", "left small")
    picture.arrow(285, 124, 285, 164)
    picture.words(20, 196, "counted", "left")
    for place, sample in enumerate(sorted(first)):
        fill = "first" if first[sample] == 0 else "second"
        picture.box(90 + 100 * place, 168, 88, 42, [f"id {sample}"], fill)
    return picture.svg()


PICTURES = {
    "one-message.svg": one_message,
    "rows-and-states.svg": rows_and_states,
    "padding.svg": padding,
    "ids.svg": with_ids,
}


def write() -> None:
    """Write every picture."""
    FOLDER.mkdir(exist_ok=True)
    for name, draw in PICTURES.items():
        (FOLDER / name).write_text(draw())


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        write()
    else:
        print(*PICTURES, sep="\n")
