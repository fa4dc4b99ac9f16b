"""The three lines that a tape takes, in one place, so that another executor can have other lines."""

from __future__ import annotations

from typing import Protocol


class TapeStyle(Protocol):
    """How a tape is made, written and read back, as the text of one statement each."""

    def new(self, tape: str) -> str:
        """Make an empty tape."""

    def push(self, tape: str, value: str) -> str:
        """Put a value on a tape."""

    def pop(self, target: str, tape: str) -> str:
        """Take the last value off a tape."""


class ListTape:
    """Tapes as Python lists, the fastest under CPython.

    >>> style = ListTape()
    >>> style.new("u_tape"), style.push("u_tape", "u"), style.pop("u", "u_tape")
    ('u_tape = []', 'u_tape.append(u)', 'u = u_tape.pop()')
    """

    def new(self, tape: str) -> str:
        """`tape = []`."""
        return f"{tape} = []"

    def push(self, tape: str, value: str) -> str:
        """`tape.append(value)`."""
        return f"{tape}.append({value})"

    def pop(self, target: str, tape: str) -> str:
        """`target = tape.pop()`."""
        return f"{target} = {tape}.pop()"
