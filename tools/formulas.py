"""Formulas as docstrings write them, in plain text, as MathML, which browsers typeset themselves.

In `a b / c d` the factors a b stand over c, and d follows. What a name is called with, as in
`H(p) / H(y)`, and what stands in brackets or bars, is one factor; round brackets around all that
is above or below a line are not shown. `x_i^2` has an index and a power; `x_(i j)` two indices.
"""

import re
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise
from typing import NamedTuple

TOKEN = re.compile(r"([A-Za-z]+\d*'*|\d+(?:\.\d+)?|<=|>=|!=|\.\.\.|\S)(\s*)")
LETTERS = {"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "lambda": "λ", "mu": "μ"}
LETTERS |= {"pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "φ", "chi": "χ", "kappa": "κ"}
SIGNS = {"*": "·", "<=": "≤", ">=": "≥", "!=": "≠", "in": "∈", "notin": "∉", "-": "−", "...": "…"}
SIGNS |= {sign: sign for sign in "+=<>,"}
# They stand before what they are taken of; what they range over stands below them.
BIG = {"sum": "∑", "prod": "∏", "int": "∫"}
BIG |= {word: word for word in ("mean", "median", "max", "min", "argmax")}
NAME = re.compile(r"[A-Za-z]+")
# Functions and signs, and then plain words, that nobody has to explain.
PLAIN = ("exp", "ln", "log", "sqrt", "cos", "atan", "arccos", "tr", "T", "grad", "in", "notin")
PLAIN += ("and", "where", "given", "bar", "intersection", "union", "recall", "predictions")
PLAIN += ("truths", "labelled", "wins", "keep", "delete", "ideal")
CLOSING = {"(": ")", "[": "]", "|": "|"}
# Browsers draw a border of any font, and not every font's bar.
OVERLINED = 'style="border-top: thin solid; padding-top: 1px"'
SPACE = '<mspace width="0.2em"/>'


class Part(NamedTuple):
    """One factor: its markup, and that without the round brackets in which all of it stands."""

    shown: str
    bare: str
    is_word: bool = False


@dataclass
class Formula:
    """What is left to read of a formula.

    Attributes:
        tokens: Names, numbers and signs, each with the space behind it.
        ends: The brackets that are to be closed, the innermost last.
        at: The place of the next token.
    """

    tokens: list[tuple[str, str]]
    ends: list[str] = field(default_factory=lambda: [""])
    at: int = 0

    def next(self) -> str:
        """Return the next token, or an empty text."""
        return self.tokens[self.at][0] if self.at < len(self.tokens) else ""

    def take(self, expected: str = "") -> str:
        """Return the next token, and go on behind it."""
        token = self.next()
        if not token or (expected and token != expected):
            raise ValueError(f"expected {expected or 'more'}, found {token or 'the end'}")
        self.at += 1
        return token

    def row(self, end: str) -> str:
        """Everything up to a token, which is taken as well."""
        self.ends.append(end)
        parts: list[str] = []
        while self.next() != end:
            if self.next() in SIGNS:
                parts.append(operator(SIGNS[self.take()]))
            elif self.is_big():
                parts.append(self.scripts(operator(BIG[self.take()], big=True), "munder") + SPACE)
            else:
                parts.append(self.quotient())
        self.ends.pop()
        if end:
            self.take(end)
        return "".join(parts)

    def is_big(self) -> bool:
        """Whether the next token is a sign before what it is taken of; `max(a, b)` is a call."""
        space_behind = self.at < len(self.tokens) and self.tokens[self.at][1]
        called = not space_behind and self.tokens[self.at + 1 : self.at + 2] == [("(", "")]
        return self.next() in BIG and not called

    def quotient(self) -> str:
        """Factors, and what they are divided by."""
        factors = [self.factor()]
        while self.goes_on():
            factors.append(self.factor())
        if self.next() != "/":
            return side_by_side(factors)
        self.take("/")
        above = factors[0].bare if len(factors) == 1 else side_by_side(factors)
        return f"<mfrac><mrow>{above}</mrow><mrow>{self.factor().bare}</mrow></mfrac>" + SPACE

    def goes_on(self) -> bool:
        """Whether the next token begins one more factor."""
        token = self.next()
        begins = token.isalnum() or token.endswith("'") or token in ("(", "[", "|")
        return begins and token not in SIGNS and not self.is_big() and token != self.ends[-1]

    def factor(self) -> Part:
        """A name, a number, a bracket or a root, with its index and its power."""
        token = self.take()
        bare = ""
        if token in CLOSING:
            bare = self.row(CLOSING[token])
            shown = operator(token) + bare + operator(CLOSING[token])
            shown, bare = f"<mrow>{shown}</mrow>", bare if token == "(" else ""
        elif token == "sqrt":
            self.take("(")
            shown = f"<msqrt>{self.row(')')}</msqrt>"
        elif token == "bar":
            shown = name(self.take()).replace("<mi>", f"<mi {OVERLINED}>")
        elif token in ("-", "+"):  # as a power
            shown = operator(SIGNS[token])
        else:
            shown = name(token)
        scripted = self.scripts(shown, "msub")
        if token.isalnum() and self.next() == "(" and not self.tokens[self.at - 1][1]:
            self.take("(")
            scripted += f"<mrow>{operator('(')}{self.row(')')}{operator(')')}</mrow>"
            scripted = self.scripts(f"<mrow>{scripted}</mrow>", "msub")
        return Part(scripted, bare if bare and scripted == shown else scripted, len(token) > 1)

    def scripts(self, base: str, below: str) -> str:
        """What stands below and above a name: `msub` beside it, `munder` in its middle."""
        found = {}
        for sign in "_^":
            if self.next() == sign:
                self.take(sign)
                if self.next() == "(":
                    self.take("(")
                    found[sign] = f"<mrow>{self.row(')')}</mrow>"
                else:
                    found[sign] = self.plain()
        above = {"msub": "msup", "munder": "mover"}[below]
        tag = {"_": below, "^": above, "_^": below + above.removeprefix("m")}.get("".join(found))
        return f"<{tag}>{base}{''.join(found.values())}</{tag}>" if tag else base

    def plain(self) -> str:
        """A name, a number or a sign without anything around it."""
        token = self.take()
        return operator(SIGNS[token]) if token in SIGNS else name(token)


def operator(sign: str, big: bool = False) -> str:
    """A sign; a big one has its range below it, also within a line of text."""
    options = ' movablelimits="false"' if big else ""
    return f"<mo{options}>{escape(sign)}</mo>"


def name(token: str) -> str:
    """A number, a letter, which is slanted, or a word, which is upright."""
    if token[0].isdigit():
        return f"<mn>{token}</mn>"
    if not token[0].isalpha():
        raise ValueError(f"a name or a number cannot begin with {token}")
    word, primes = token.rstrip("'"), "′" * token.count("'")
    return f"<mi>{LETTERS.get(word, word)}{primes}</mi>"


def side_by_side(factors: list[Part]) -> str:
    """A product, with space around words."""
    shown = factors[0].shown
    for before, factor in pairwise(factors):
        shown += (SPACE if before.is_word or factor.is_word else "") + factor.shown
    return shown


def mathml(text: str) -> str:
    """One formula as an element that stands on a line of its own.

    Raises:
        ValueError: It is no formula.
    """
    shown = Formula(TOKEN.findall(text)).row("")
    return f'<math display="block"><mrow>{shown}</mrow></math>'


def formulas(docstring: str) -> list[str]:
    """The formulas in the section `Formula` of a cleaned docstring, one a line."""
    section = docstring.partition("\nFormula:\n")[2].partition("\n\n")[0]
    return (
        re.split(r"\n(?! )", re.sub(r"^ {4}", "", section, flags=re.MULTILINE)) if section else []
    )


def unexplained(found: list[str], text: str) -> set[str]:
    """The names in formulas that neither one of these formulas nor a text explains."""
    said = {*NAME.findall(text), *BIG, *PLAIN}
    said |= {part for formula in found for part in NAME.findall(formula.partition("=")[0])}
    said |= {word.lower() for word in said if len(word) > 2}
    parts = {part for formula in found for part in NAME.findall(formula)}
    return {part for part in parts if not said & {part, part.lower()}}
