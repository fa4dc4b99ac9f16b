"""What adcompile says when it refuses: the user's line, a caret, the reason, and what to write instead."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from adcompile.source import FunctionSource, Span


_HOME = os.path.join(os.path.dirname(__file__), "analyses", "readings", "")  # noqa: PTH118, PTH120 - as below
_LONGEST = 160  # characters of a line that are shown behind the place in question


class ADError(Exception):
    r"""A refusal. `str` of it is the whole report; the parts are attributes.

    >>> from adcompile.source import FunctionSource, Span
    >>> source = FunctionSource("heat", "/home/me/heat.py", "def heat(u):\n    history.append(u)", first_line=8)
    >>> print(ADError(
    ...     "cannot differentiate a write to `history`, which lives outside `heat`",
    ...     span=Span(9, 4, 9, 18, source),
    ...     reason="A value kept outside the function carries a dependence that no partial could reach.",
    ...     remedy="Return it from `heat`.",
    ... ))
    heat.py:9:5: cannot differentiate a write to `history`, which lives outside `heat`
        9 |     history.append(u)
          |     ^^^^^^^^^^^^^^
    A value kept outside the function carries a dependence that no partial could reach.
    Return it from `heat`.
    """

    def __init__(
        self, message: str, *, span: Span | None = None, reason: str = "", remedy: str = "", is_doubtful: bool = False
    ) -> None:
        self.message = message
        self.source = None if span is None else span.source
        self.span = span
        self.reason = reason
        self.remedy = remedy
        self.is_doubtful = is_doubtful  # whether the function itself may be at fault, so that a call tries it first
        super().__init__(self.report())

    def report(self) -> str:
        """Return the full text: place and message, the line with its caret, reason, remedy."""
        lines = [self.message]
        if self.source is not None and self.span is not None:
            name = os.path.basename(self.source.filename)  # noqa: PTH119 - pathlib takes 4 ms to import, and all import this
            place = f"{name}:{self.span.line}:{self.span.column + 1}"
            text = self.source.line(self.span.line)
            lines = [f"{place}: {self.message}", *(_quote(text, self.span) if text.strip() else ())]
        return "\n".join([*lines, *filter(None, (self.reason, self.remedy))])

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle by parts, so that a refusal survives the way back from a worker process."""
        return _rebuild, (type(self), self.message, self.span, self.reason, self.remedy, self.is_doubtful)


def shortened(refusal: ADError) -> ADError:
    """A refusal without the compiler's own frames and errors, unless ADCOMPILE_FULL_TRACEBACK is set."""
    if not os.environ.get("ADCOMPILE_FULL_TRACEBACK"):
        refusal.__cause__ = refusal.__context__ = None
        refusal.__traceback__ = None
    return refusal


def is_reading(source: FunctionSource) -> bool:
    """Whether a text is read in place of a library's function, and so is none of the user's."""
    return source.filename.startswith(_HOME)


def seen_from(refusal: ADError, span: Span | None) -> ADError:
    """A refusal of a statement; of one within a function that is read in place of a library's, as one of its call."""
    within = refusal.source is not None and is_reading(refusal.source)
    if not within or span is None or span.source is None or is_reading(span.source):
        return refusal
    return type(refusal)(
        refusal.message, span=span, reason=refusal.reason, remedy=refusal.remedy, is_doubtful=refusal.is_doubtful
    )


class UnsupportedError(ADError):
    """The function uses something that adcompile does not differentiate."""


class MissingRuleError(UnsupportedError):
    """The function calls something that no rule gives a derivative for."""


class JitError(UnsupportedError):
    """Numba cannot compile the generated function, or would compute something else than Python does."""


class JitWarning(RuntimeWarning):
    """Why a function with `jit="auto"` runs under Python after all."""


class NeverReturnsError(Exception):
    """For arguments of these kinds every path through the function raises: calling it shows the user's own error."""


class CacheWarning(RuntimeWarning):
    """Why machine code is compiled anew in each process: it cannot be read from disk, or not be written there."""


class GradientMismatchError(Exception):
    """A generated text gives other numbers than the function and its differences: a mistake of adcompile.

    It is no refusal, and so no `ADError`: nobody should get used to it.
    """


class NonFiniteError(FloatingPointError):
    """A value or a partial is NaN or infinite, within `watch_nonfinite`."""


class SourceError(ADError):
    """The source text of a function cannot be had, or is not the text of this function any more."""


class ArgumentError(ADError, TypeError):
    """An option or an argument of a transformation does not make sense."""


def replaced(owner: Any, name: str) -> UnsupportedError:
    """The refusal of a derivative that reads a name of a library's module or object under which something else is."""
    home = getattr(owner, "__name__", None) or getattr(owner, "name", type(owner).__name__)
    return UnsupportedError(
        f"`{home}.{name}` was replaced by something else, and a derivative needs the first one",
        reason="A generated text reads the name, as any text does.",
        remedy="Give your own function a name of its own.",
    )


def complex_for_real() -> ArgumentError:
    """The refusal of a complex seed or tangent of what is real: half of it would be lost, or made a partial of."""
    return ArgumentError(
        "a complex seed or tangent belongs to a complex value, and this one is real",
        reason="What is asked for is a real number of each real input.",
        remedy="Give its real part, and its imaginary part in a call of its own.",
    )


def not_one_number(function: str, shape: tuple[int, ...], *, is_complex: bool) -> ArgumentError:
    """The refusal of a gradient of what a call has found to be no real number."""
    if is_complex:
        return ArgumentError(
            f"the value of `{function}` is complex here; a gradient is of one real number",
            remedy="Return a real number (np.real(...) of it, say), or use `vjp` with a complex seed of its shape.",
        )
    return ArgumentError(
        f"the value of `{function}` has shape {shape}; a gradient is of one real number",
        remedy="Sum it up, use `vjp` with a seed of the value's shape, `jacobian`, or `hessian`.",
    )


def complex_partial(name: str) -> ArgumentError:
    """The refusal of a partial of a real number that has gone through the root of a negative one."""
    return ArgumentError(
        f"a negative number is raised to a fractional power, and the partial of `{name}` comes out complex",
        reason="Python makes a complex number of that; a derivative by a real number needs both its parts.",
        remedy="Where that is meant, put `complex(...)` around the base; else keep the base above zero.",
    )


def _rebuild(
    cls: type[ADError],
    message: str,
    span: Span | None,
    reason: str,
    remedy: str,
    is_doubtful: bool = False,  # noqa: FBT001, FBT002 - called by `pickle` and `copy` alone
) -> ADError:
    return cls(message, span=span, reason=reason, remedy=remedy, is_doubtful=is_doubtful)


def _quote(text: str, span: Span) -> tuple[str, str]:
    """Return the source line with its number, and the carets under the span's part on that line."""
    text = _around(text.rstrip(), span.column)
    end = span.end_column if span.end_line == span.line else len(text)
    # A tab stays a tab in the caret line: both lines have the same gutter, so whatever width it has, they agree.
    before = "".join("\t" if char == "\t" else " " * _width(char) for char in text[: span.column])
    marked = max(1, sum(map(_width, text[span.column : end])))
    return f"{span.line:>5} | {text}", f"{'':>5} | {before}{'^' * marked}"


def _around(text: str, column: int) -> str:
    """A line as far as it helps: what stands far behind the place that is pointed at is left out."""
    longest = max(column, 0) + _LONGEST
    return text if len(text) <= longest else f"{text[: longest - 4]} ..."


def _width(char: str) -> int:
    """How many columns of a terminal a character takes."""
    if char.isascii():
        return 1
    import unicodedata  # noqa: PLC0415 - only on the way to an error

    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
