"""The quotes of f-strings: valid on Python 3.11, where an expression inside cannot reuse the quote around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_OUTER = ('"', "'", '"""', "'''")


def choose(render: Callable[[str, str], str | None], avoid: str) -> str:
    r"""The first pair of quotes, outside and inside, with which an f-string can be written.

    `avoid` is the quote that nested text should use: a nested f-string takes that one first.

    >>> choose(lambda outer, inner: f"f{outer}{inner}{outer}" if outer == "'" else None, '"')
    'f\'"\''
    """
    order = _OUTER if avoid == '"' else ("'", '"', "'''", '"""')
    for outer in order:
        for inner in ("'", '"') if outer[0] == '"' else ('"', "'"):
            text = render(outer, inner)
            if text is not None:
                return text
    # Only reached with a backslash inside the braces, which a program can have from Python 3.12 on.
    raise ValueError("an f-string with a backslash or all kinds of quotes inside its braces")


def fits(inside: str, outer: str) -> bool:
    r"""Whether the text of an expression may stand in the braces of an f-string with these quotes.

    >>> fits("d['a']", '"'), fits("d['a']", "'"), fits(r"'\n'", '"')
    (True, False, False)
    """
    return "\\" not in inside and outer not in inside and "\n" not in inside


def plain(text: str, quote: str) -> str:
    r"""The literal part of an f-string, escaped.

    >>> plain('a "b" {c}\n', '"')
    'a \\"b\\" {{c}}\\n'
    """
    body = repr(text + '"')[1:-2].replace("\\'", "'")
    return body.replace(quote[0], "\\" + quote[0]).replace("{", "{{").replace("}", "}}")
