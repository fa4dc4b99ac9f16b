"""Generated source as a notebook shows it: with colours."""

from __future__ import annotations

from pygments import highlight
from pygments.formatters.html import HtmlFormatter
from pygments.lexers.python import PythonLexer

_FONT = "font-family: ui-monospace, Menlo, Consolas, monospace; font-size: 13px; line-height: 125%; margin: 0"


def highlighted(text: str) -> str:
    """A text as HTML, coloured by itself, without a style sheet of the page's."""
    formatter = HtmlFormatter(style="friendly", noclasses=True, nobackground=True, prestyles=_FONT)
    coloured = highlight(text, PythonLexer(), formatter)
    return f"<details open><summary>generated source</summary>{coloured}</details>"
