"""The formats of numbers, p-values and names in the report's sentences, tables and figures."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from typing import Any

from mmeval_like._base.account import Account
from mmeval_like.plots.style import printable

__all__ = [
    "Scale",
    "article",
    "called",
    "clipped",
    "counted",
    "inside",
    "label_of",
    "label_of_classes",
    "level_text",
    "listed",
    "p_cell",
    "p_said",
    "p_text",
    "percent",
    "quoted",
    "rare",
    "reasons_text",
    "samples_text",
    "share",
    "signed",
    "stem_names",
    "thousands",
]

_LONGEST = 120  # characters of a name
_DECIMALS = 6
_EXACT = 1e15  # larger numbers have no decimals
_OF_CLASSES = ("precision", "recall", "f1", "f1-score", "support", "tp", "fp", "tn", "fn")
_BORDER = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_MIXED = ("mIoU", "IoU", "mAP", "FBeta")  # words with a capital within
_DETECTED = re.compile(r"(bbox|segm|proposal)_(mAP|AR@\d+|precision)(?:_(50|75|s|m|l))?")
_KINDS = {"bbox": "Box", "segm": "Mask", "proposal": "Proposal"}
_OF_DETECTED = {
    **{"50": "IoU 0.50", "75": "IoU 0.75"},
    **{"s": "small objects", "m": "medium objects", "l": "large objects"},
}
_MINUS = "\N{MINUS SIGN}"
_COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_SPELLED = {
    **{one.lower(): one for one in ("AUROC", "AUC", "BLEU", "COCO", "CTC", "ECE", "EER", "F1")},
    **{one.lower(): one for one in ("FID", "IoU", "LPIPS", "MAE", "MCC", "METEOR", "MSE", "NDCG")},
    **{one.lower(): one for one in ("NIST", "PESQ", "PSNR", "R2", "RMSE", "ROC", "ROUGE", "SNR")},
    **{one.lower(): one for one in ("SSIM", "STOI", "TER", "VOC", "WER", "CER", "mIoU", "mAP")},
    **{"f1score": "F1 score", "f1-score": "F1", "top1": "top-1", "top5": "top-5"},
    **{"fbeta": "F-beta", "tp": "TP", "fp": "FP", "tn": "TN", "fn": "FN"},
}


@dataclass(frozen=True)
class Scale:
    """The format of the values of one number: all values have the same number of decimals.

    They show at least one digit of the half width of the interval, so that what is significant is
    not written as 0.

    Attributes:
        share: Whether values are shares of the samples, written as percentages.
        factor: The factor by which values are multiplied before they are written.
        unit: The unit of differences: "points" on bounded scales that do not end at 1, otherwise
            empty.
        decimals: The number of decimals.
    """

    share: bool = False
    factor: float = 1.0
    unit: str = ""
    decimals: int = 3

    @classmethod
    def of(
        cls, bounds: tuple[float, float], half: float, share: bool, size: float = math.nan
    ) -> Scale:
        """Return the scale of a number.

        Args:
            bounds: The range of the metric.
            half: Half the width of the interval for all samples; nan: no interval.
            share: Whether the number is a share of the samples.
            size: The value itself: a tiny value needs more than three decimals.
        """
        if share:
            factor = 100 / (bounds[1] - bounds[0])
            return cls(True, factor, "points", min(max(1, _digits(half * factor)), _DECIMALS))
        # Points of a scale that ends at 1 would be hundredths.
        finite = math.isfinite(bounds[1] - bounds[0]) and bounds[1] > 1
        decimals = 3
        # On a scale that ends at 1, a 1 has the decimals of other values.
        most = 0.99 if bounds == (0.0, 1.0) else math.inf
        for known in (half, min(abs(size), most) / 10):
            if math.isfinite(known) and known > 0:
                decimals = 1 - math.floor(math.log10(known))
                break
        least = max(3, _digits(half))
        if math.isfinite(size) and 0 < abs(size) < 0.01:
            least = max(least, 1 - math.floor(math.log10(abs(size))))
        return cls(False, 1.0, "points" if finite else "", max(0, min(least, decimals, 12)))

    def number(self, value: float, sign: str = "") -> str:
        """Return a number without a unit; with `sign="+"` also with a plus sign.

        Example:
            >>> Scale(decimals=2).number(-0.5, "+"), Scale(decimals=0).number(12345.6)
            ('−0.50', '12,346')
        """
        if math.isnan(value):
            return "undefined"
        if math.isinf(value):
            return f"{_MINUS * (value < 0)}∞"
        if self.decimals > _DECIMALS:  # many zeros are hard to count
            return f"{value * self.factor:{sign}.2g}".replace("-", _MINUS)
        text = f"{value * self.factor:{sign},.{self.decimals}f}"
        if not text.strip("+-0.,"):  # zero has no sign
            text = text.lstrip("+-")
        return text.replace("-", _MINUS) if len(text) < 24 else f"{value * self.factor:.3g}"

    def value(self, value: float) -> str:
        """Return a value; a share is a percentage that never rounds to 0% or 100%.

        Example:
            >>> [Scale(True, 100, "points", 1).value(x) for x in (0.86, 0.9999, 1.0)]
            ['86.0%', '> 99.9%', '100.0%']
        """
        if not self.share or not math.isfinite(value):
            return self.number(value)
        percent, last = value * self.factor, 10**-self.decimals
        if 0 < percent < last / 2:
            return f"< {last:.{self.decimals}f}%"
        if 100 - last / 2 <= percent < 100:
            return f"> {100 - last:.{self.decimals}f}%"
        return f"{percent:.{self.decimals}f}%"

    def difference(self, value: float) -> str:
        """Return the size of a difference with its unit.

        Example:
            >>> Scale(True, 100, "points", 1).difference(-0.032)
            '3.2 points'
        """
        return f"{self.number(abs(value))} {self.unit}".strip()

    def step(self, value: float) -> str:
        """Return an effect that single samples do not exceed: rounded up, to two digits or more.

        A whole number has no decimals.

        Example:
            >>> Scale(unit="points", decimals=2).step(1.0), Scale(decimals=0).step(0.2801)
            ('1 point', '0.29')
        """
        size, decimals = abs(value) * self.factor, self.decimals
        if not size < _EXACT:
            return self.difference(value)
        if float(value).is_integer() and self.factor == 1:
            decimals = 0
        elif size:
            decimals = max(decimals, 1 - math.floor(math.log10(size)))
        up = Decimal(repr(size)).quantize(Decimal(1).scaleb(-decimals), ROUND_CEILING)
        return f"{up:,f} {self.unit.removesuffix('s') if up == 1 else self.unit}".strip()

    def span(self, low: float, high: float, signed: bool = False) -> str:
        """Return both ends of an interval: "83.9% to 87.8%"; an empty text without an interval."""
        if math.isnan(low) or math.isnan(high):
            return ""
        if signed:
            return f"{self.number(low, '+')} to {self.number(high, '+')}"
        return f"{self.value(low)} to {self.value(high)}"


def _digits(half: float) -> int:
    """Return how many decimals show the first digit of half a width; 0 without an interval."""
    return -math.floor(math.log10(half)) if math.isfinite(half) and half > 0 else 0


def clipped(cell: object, longest: int = _LONGEST) -> str:
    r"""Return a text for the page: shortened if too long, and without control characters.

    Example:
        >>> clipped("a\x00b"), len(clipped("x" * 1_000))
        ('a\ufffdb', 120)
    """
    text = str(cell)
    text = text if len(text) <= longest else f"{text[: longest - 1]}…"
    return printable(text)


def p_text(p: float) -> str:
    """Return a p-value after "=", "<" or ">"; rounding never moves it across 0.05.

    Example:
        >>> [p_text(p).replace("\N{NO-BREAK SPACE}", " ") for p in (4e-13, 0.012, 0.9999, 0.0499)]
        ['< 0.001', '= 0.012', '> 0.99', '= 0.0499']
    """
    if p < 0.001:
        sign, text = "<", "0.001"
    elif p > 0.99:
        sign, text = ">", "0.99"
    else:
        decimals = 2 if p >= 0.1 else 4 if f"{p:.3f}" == "0.050" else 3
        sign, text = "=", f"{p:.{decimals}f}"
    return f"{sign}\N{NO-BREAK SPACE}{text}"


def p_said(p: float) -> str:
    """Return a p-value for a sentence: "p = 0.012", with spaces that do not break."""
    return f"p\N{NO-BREAK SPACE}{p_text(p)}"


def p_cell(p: float) -> str:
    """Return a p-value for a cell of a table: "0.012", "< 0.001"."""
    return p_text(p).removeprefix("=\N{NO-BREAK SPACE}")


def level_text(level: float) -> str:
    """Return the level of an interval: "95%"."""
    return f"{100 * level:g}%"


def percent(value: float, decimals: int = 1) -> str:
    """Return a share as a percentage; unlike those of `Scale.value`, it may round to 0% or 100%."""
    return f"{100 * value:.{decimals}f}%"


def rare(percent: float) -> str:
    """Return a percentage that may be tiny: "1.0%", "0.0003%"."""
    return f"{percent:.1f}%" if percent >= 0.1 else f"{percent:.2g}%"


def signed(value: float) -> str:
    """Return a number with its sign and one decimal, or its first digits: "+3.2", "+0.017"."""
    tiny = 0 < abs(value) < 0.1
    return Scale(decimals=1 + _digits(abs(value)) if tiny else 1).number(value, "+")


def thousands(number: float) -> str:
    """Return a whole number: "1,200"."""
    return f"{number:,.0f}"


def share(part: int, whole: int) -> str:
    """Return a share of samples as a percentage without decimals, never rounded to 0% or 100%.

    Example:
        >>> share(1, 3), share(1, 1_000), share(999, 1_000)
        ('33%', '< 1%', '> 99%')
    """
    if not whole:
        return "0%"
    percent = 100 * part / whole
    if 0 < percent < 1:
        return "< 1%"
    return "> 99%" if 99 < percent < 100 else f"{percent:.0f}%"


def counted(number: int, noun: str = "", plural: str = "") -> str:
    """Return a number in words up to ten, with its noun.

    Example:
        >>> counted(3, "slice"), counted(1, "slice"), counted(1_200)
        ('three slices', 'one slice', '1,200')
    """
    text = _COUNTS[number] if 0 <= number <= 10 else f"{number:,}"
    if not noun:
        return text
    return f"{text} {noun if number == 1 else plural or f'{noun}s'}"


def samples_text(number: int) -> str:
    """Return a number of samples: "1 sample", "1,200 samples"."""
    return f"{number:,} sample{'s' * (number != 1)}"


def reasons_text(account: Account, most: int = 20) -> str:
    """Return how many samples have no score for each reason: "2 error, 1 timeout".

    Args:
        account: The account. In a comparison its reasons name the systems: "10 (b: error)".
        most: The most reasons that are named.
    """
    form = "{:,} ({})" if any(account.one_sided) else "{:,} {}"
    said = [form.format(count, clipped(why)) for why, count in account.unscored.items()]
    more = sum([*account.unscored.values()][most:])
    return ", ".join([*said[:most], *[f"{more:,} for other reasons"] * bool(more)])


def quoted(name: str) -> str:
    """Return a name in quotation marks."""
    return f"“{name}”"


def listed(names: Sequence[str]) -> str:
    """Return names as a list in a sentence.

    Example:
        >>> listed(["math", "code", "safety"]), listed(["code"])
        ('math, code and safety', 'code')
    """
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def stem_names(paths: Sequence[str]) -> list[str]:
    """Return a name for each file: its stem, or, if stems are equal, the shortest differing path.

    Example:
        >>> stem_names(["runs/old.jsonl", "runs/new.jsonl"])
        ['old', 'new']
        >>> stem_names(["runs/1/preds.csv", "runs/2/preds.csv"])
        ['1/preds', '2/preds']
    """
    steps = [re.split(r"[/\\]", path) for path in paths]
    for one in steps:
        for _ in range(2):  # "preds.csv.gz"
            head, dot, end = one[-1].rpartition(".")
            if dot and head and 0 < len(end) <= 7:
                one[-1] = head
    for depth in range(1, max(map(len, steps), default=1) + 1):
        names = ["/".join(one[-depth:]) for one in steps]
        if len(set(names)) == len(names):
            return names
    return [one[-1] for one in steps]


def label_of(metric: str, key: str, alone: bool) -> str:
    """Return the name of a number on the page.

    Args:
        metric: The name of the metric: its class, or its name on the command line.
        key: The key of the number.
        alone: Whether the metric has no other number.

    Example:
        >>> label_of("mean", "mean", True), label_of("Accuracy", "top1", True)
        ('Mean', 'Accuracy')
        >>> label_of("accuracy", "top5", False), label_of("auroc", "auroc_macro", False)
        ('Accuracy, top-5', 'AUROC macro')
        >>> label_of("COCODetection", "bbox_mAP_50", False)
        'Box mAP, IoU 0.50'
    """
    if detected := _DETECTED.fullmatch(key):
        kind, item, of = detected.groups()
        return f"{_KINDS[kind]} {item}{f', {_OF_DETECTED[of]}' if of else ''}"
    name, _, options = metric.partition(":")
    squashed, inner = (re.sub(r"[^a-z0-9]", "", one.lower()) for one in (name, key))
    if not name or (squashed and squashed in inner):
        found = _words(key)
    elif alone and (inner in squashed or key == "top1" or inner == _initials(name)):
        found = _words(name)
    elif inner in squashed:
        found = _words(key)
    else:
        found = f"{_words(name)}, {_words(key)[:1].lower()}{_words(key)[1:]}"
        if _words(key)[1:2].isupper() or _words(key)[1:2].isdigit():
            found = f"{_words(name)}, {_words(key)}"
    return f"{found} ({options})" if options and ("=" in options) and not alone else found


def called(metric: Any, name: str, key: str) -> tuple[str, str]:
    """Return the name of a metric and of one of its numbers; F-beta with beta = 1 is F1.

    Example:
        >>> from mmeval_like import FBetaScore
        >>> called(FBetaScore(), "FBetaScore", "fbeta"), called(FBetaScore(beta=2), "f2", "fbeta")
        (('F1', 'f1'), ('f2', 'fbeta'))
    """
    if getattr(metric, "beta", None) == 1:
        return name.replace("FBetaScore", "F1"), key.replace("fbeta", "f1")
    return name, key


def label_of_classes(metric: str, key: str, alone: bool) -> str:
    """Return the name of the numbers of classes; the arguments are those of `label_of`.

    Example:
        >>> label_of_classes("F1", "precision_classwise", False)
        'Precision'
        >>> label_of_classes("MeanIoU", "iou_classwise", True)
        'Mean IoU'
    """
    item = key.removesuffix("_classwise")
    return _words(item) if item in _OF_CLASSES else label_of(metric, item, alone)


def inside(label: str) -> str:
    """Return the form of a label within a sentence.

    Example:
        >>> inside("Mean of judge_score"), inside("AUROC"), inside("Mean squared error")
        ('mean judge_score', 'AUROC', 'mean squared error')
    """
    first = label.split()[0].rstrip(",")
    if first.isupper() or first[1:] != first[1:].lower():
        return label
    return (label[:1].lower() + label[1:]).replace("mean of ", "mean ", 1)


def article(label: str) -> str:
    """Return the indefinite article of a label.

    Example:
        >>> article("accuracy"), article("recall"), article("F1 score"), article("AUROC")
        ('an', 'a', 'an', 'an')
    """
    first = label.split()[0]
    spelled = first.isupper() or (len(first) > 1 and first[1].isdigit())
    return "an" if first[:1].lower() in ("aefhilmnorsx" if spelled else "aeiou") else "a"


def _initials(name: str) -> str:
    return "".join(word[:1].lower() for word in _words(name).split())


def _apart(name: str) -> str:
    r"""Return a name with spaces between its words.

    Example:
        >>> _apart("VOCMeanAP"), _apart("MeanIoU"), _apart("FBetaScore"), _apart("mAP@0.5")
        ('VOC Mean AP', 'Mean IoU', 'FBeta Score', 'mAP@0.5')
    """
    if name.isupper():
        return name
    text = _BORDER.sub(" ", name)
    for known in _MIXED:
        text = text.replace(_BORDER.sub(" ", known), known)
    return text


def _words(name: str) -> str:
    words = [
        _SPELLED.get(one.lower(), one.lower() if one.istitle() else one)
        for piece in name.replace("_", " ").split()
        for one in _apart(piece).split()
    ]
    text = " ".join(words) or name
    return text[:1].upper() + text[1:] if text[:1].islower() and text[1:2] not in "IA" else text
