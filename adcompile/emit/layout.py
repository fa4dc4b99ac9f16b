r"""Breaks lines that are too long inside brackets, the way Black does.

>>> print("\n".join(wrap("energy = combine(first_term, second_term, third_term)", 0, width=30)))
energy = combine(
    first_term,
    second_term,
    third_term,
)
>>> print("\n".join(wrap("total = first_term * weight + second_term", 0, width=30)))
total = (
    first_term * weight
    + second_term
)
>>> print("\n".join(wrap("first_part, second_part, third_part = parts(whole)", 0, width=30)))
(
    first_part,
    second_part,
    third_part,
) = parts(whole)
>>> print("\n".join(wrap("total = weight * combine(first_term, second_term)", 0, width=30)))
total = weight * combine(
    first_term, second_term
)
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from adcompile.value_classes import value_class

WIDTH = 88
INDENT = "    "

_TOKEN = re.compile(
    r"""(?P<string>\b[rbfuRBFU]{0,2}(?:\"\"\"(?:\\.|[^\\])*?\"\"\"|'''(?:\\.|[^\\])*?'''|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
                  |\"\"\"(?:\\.|[^\\])*?\"\"\"|'''(?:\\.|[^\\])*?'''|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
      |(?P<word>[\w.]+)|(?P<open>[\[({])|(?P<close>[\])}])|(?P<operator>[^\s\w\[\](){}"',]+)|(?P<comma>,)|(?P<space>\s+)""",
    re.VERBOSE | re.DOTALL,
)
_COMMA = 18
_PRIORITY = {
    "for": 20, "if": 16, "else": 16, "and": 14, "or": 14, "in": 10, "is": 10, "not": 10,
    "<": 10, ">": 10, "==": 10, "!=": 10, "<=": 10, ">=": 10, "|": 9, "^": 8, "&": 7, "<<": 6, ">>": 6,
    "+": 5, "-": 5, "*": 4, "/": 4, "//": 4, "%": 4, "@": 4, "**": 3,
}  # fmt: skip
_KEYWORD = re.compile(r"(if|elif|while|return|for .+? in|yield|from [\w.]+ import) ")
_ASSIGNS = re.compile(r"(?:[-+*/%@&|^]|//|\*\*|<<|>>)?=")


@value_class()
class _Cut:
    """A place outside all brackets where a line may be broken: `at` begins the next line."""

    at: int
    priority: int


@dataclass(slots=True)
class _Scan:
    """What stands outside all brackets of a text: cuts, bracket pairs, and where the last assignment sign ends."""

    cuts: list[_Cut]
    brackets: list[tuple[int, int]]
    assigned: int = 0


def wrap(text: str, depth: int, width: int = WIDTH) -> list[str]:
    """The lines of one statement (or of the header of a compound one), indented.

    >>> wrap("x = 1", 1)
    ['    x = 1']
    """
    indent = INDENT * depth
    if len(indent) + len(text) <= width or "\n" in text:
        return [indent + line if not at else line for at, line in enumerate(text.split("\n"))]
    return _Wrapper(width).statement(text, depth)


class _Wrapper:
    def __init__(self, width: int) -> None:
        self.width = width

    def fits(self, text: str, depth: int) -> bool:
        return len(INDENT) * depth + len(text) <= self.width

    def statement(self, text: str, depth: int) -> list[str]:
        if text.startswith(("def ", "class ", "@")):
            return self.bracket(text, depth, first=True)
        body, tail = (text[:-1], ":") if text[-1] == ":" else (text, "")
        start = _prefix(body)
        target = body[: start - len(" = ")]
        if body[:start].endswith(" = ") and not self.fits(body[:start] + "(", depth) and _scan(target).cuts:
            return self._exploded("(", target, ")" + body[len(target) :] + tail, depth)
        scan = _scan(body[start:])
        top = max((cut.priority for cut in scan.cuts), default=0)
        is_one = [cut.priority for cut in scan.cuts].count(top) == 1
        ends_in_brackets = bool(scan.brackets) and scan.brackets[-1][1] == len(body) - start - 1
        if body.startswith("assert "):
            end = next((cut.at - 1 for cut in _scan(body).cuts if cut.priority == _COMMA), len(body))
            return self._exploded("assert (", body[len("assert ") : end], ")" + body[end:], depth)
        if not start or not scan.cuts:
            return self.bracket(text, depth)
        if is_one and ends_in_brackets and not body.startswith("from "):
            # No parentheses are put around what brackets of its own can break; those of an index do not count.
            last = start + scan.brackets[-1][0]
            is_index = body[last] == "[" and body[last - 1] not in " (["
            head_fits = self.fits(body[: last + 1], depth)
            if head_fits if top == _COMMA else (not is_index and self._fitting(text, depth)):
                return self.bracket(text, depth)
        return self._exploded(body[:start] + "(", body[start:], ")" + tail, depth)

    def bracket(self, text: str, depth: int, *, first: bool = False) -> list[str]:
        """Break inside one pair of brackets: the last whose head and tail fit."""
        pairs = [pair for pair in _scan(text).brackets if pair[1] - pair[0] > 1]
        if not pairs:
            return [INDENT * depth + text]
        opening, closing = (self._fitting(text, depth) or pairs)[0 if first else -1]
        return self._exploded(text[: opening + 1], text[opening + 1 : closing], text[closing:], depth)

    def _fitting(self, text: str, depth: int) -> list[tuple[int, int]]:
        """The pairs of brackets with something in them, where what stands before and behind fits."""
        pairs = [pair for pair in _scan(text).brackets if pair[1] - pair[0] > 1]
        return [p for p in pairs if self.fits(text[: p[0] + 1], depth) and self.fits(text[p[1] :], depth)]

    def _exploded(self, head: str, body: str, tail: str, depth: int) -> list[str]:
        is_display = head[-2:-1] in ("", " ", "(", "[", "{")  # and no call, index or parameters
        has_comma = any(cut.priority == _COMMA for cut in _scan(body).cuts)
        lines = [INDENT * depth + head]
        lines += self.inside(body, depth + 1, force=has_comma and (is_display or head.startswith("from ")))
        if head.startswith("def ") and not has_comma:
            lines[-1] += ","
        if self.fits(tail, depth):
            return [*lines, INDENT * depth + tail]
        if tail.startswith(") = ") and _scan(tail[len(") = ") :]).cuts:  # several names are set to as many values
            return lines + self._exploded(") = (", tail[len(") = ") :], ")", depth)
        return lines + self.bracket(tail, depth)

    def inside(self, text: str, depth: int, *, force: bool = False, behind: str = "") -> list[str]:
        """The lines of what stands between brackets: whole if it fits, else cut at its loosest operator."""
        if self.fits(text + behind, depth) and not force:
            return [INDENT * depth + text]
        scan = _scan(text)
        if not scan.cuts:
            return self.bracket(text, depth)
        loosest = max(cut.priority for cut in scan.cuts)
        places = [cut.at for cut in scan.cuts if cut.priority == loosest]
        pieces = [text[a:b].strip() for a, b in zip([0, *places], [*places, len(text)], strict=True)]
        lines: list[str] = []
        for at, piece in enumerate(pieces):
            last = at == len(pieces) - 1
            if loosest == _COMMA:
                if last and not piece:
                    continue
                lines += self.inside(piece.removesuffix(","), depth, behind=",")
                lines[-1] += ","
            else:
                lines += self.inside(piece, depth)
        return lines


def _prefix(text: str) -> int:
    """Where the expression begins that may be put in parentheses; 0 if nothing stands before it.

    >>> [text[_prefix(text):] for text in ("x[i] = f(y)", "return a, b", "for i in range(n)", "f(x)")]
    ['f(y)', 'a, b', 'range(n)', 'f(x)']
    """
    keyword = _KEYWORD.match(text)
    return keyword.end() if keyword else _scan(text).assigned


def _scan(text: str) -> _Scan:
    """Find the cuts and brackets of a text; the commas of `lambda a, b:` and of `for a, b in` separate nothing."""
    found = _Scan([], [])
    opened: list[int] = []
    inside: list[str] = []  # the `lambda ...:` and `for ... in` that have begun outside all brackets
    before = ""
    for token in _TOKEN.finditer(text):
        word = token.group()
        kind = token.lastgroup
        if kind == "space":
            continue
        if kind == "open":
            opened.append(token.start())
        elif kind == "close":
            if not opened:
                continue  # the end of what another line began
            start = opened.pop()
            if not opened:
                found.brackets.append((start, token.start()))
        elif not opened:
            if inside and word == {"lambda": ":", "for": "in"}[inside[-1]]:
                inside.pop()
            elif kind == "operator" and _ASSIGNS.fullmatch(word) and text[token.start() - 1] == " ":
                found.assigned = token.end() + 1
            elif kind == "comma" and not inside:
                found.cuts.append(_Cut(token.end(), _COMMA))
            elif not inside and _separates(text, token, before):
                found.cuts.append(_Cut(token.start(), _PRIORITY[word]))
            if word in ("lambda", "for"):
                inside.append(word)
        before = word
    return found


def _separates(text: str, token: re.Match[str], before: str) -> bool:
    """Whether a token is an operator between two operands: those have spaces on both sides."""
    word = token.group()
    spaced = text[token.start() - 1 : token.start()] == " " and text[token.end() : token.end() + 1] == " "
    if word not in _PRIORITY or not spaced or token.lastgroup == "string":
        return False
    if word == "not":  # `a not in b`, but neither `a and not b` nor `a is not b`
        return text.startswith(" in ", token.end()) and before not in _PRIORITY
    return not (word == "in" and before == "not")
