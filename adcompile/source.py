"""Where text comes from: files, spans, the source of one function."""

from __future__ import annotations

from dataclasses import field

from adcompile.value_classes import value_class

Comments = tuple[tuple[str, ...], str | None]
"""The comments above a statement, and the one behind it."""


@value_class()
class FunctionSource:
    """The text of one function and where it stands.

    `text` is the dedented source that was parsed; `first_line` and `indent` map its positions back to the file
    (line `k` of `text` is line `first_line + k - 1` of the file, shifted right by `indent` columns).
    Every `Span` in the IR is already in the file's coordinates.
    """

    name: str
    filename: str
    text: str
    first_line: int
    indent: int = 0

    def line(self, number: int) -> str:
        r"""Return a line of the file by its number in the file, or "" outside the function.

        >>> FunctionSource("f", "f.py", "def f(x):\n    return x", first_line=7).line(8)
        '    return x'
        """
        lines = self.text.split("\n")  # not `splitlines`, which ends lines at form feeds too
        at = number - self.first_line
        return " " * self.indent + lines[at] if 0 <= at < len(lines) else ""


@value_class()
class Span:
    """A stretch of a file: lines from 1, columns from 0, as in `ast`; columns count characters, not bytes.

    `source` is the function whose text it is a part of: it goes along wherever that is written out.
    """

    line: int
    column: int
    end_line: int
    end_column: int
    source: FunctionSource | None = field(default=None, compare=False, repr=False)
