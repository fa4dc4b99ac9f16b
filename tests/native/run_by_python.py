"""What Numba is given, run by Python, which compiles nothing and sees every name.

Three things are machine code's own, and done here: where NumPy is used a division by zero gives what NumPy gives,
numbers come back as Python's, and no complex number goes into a real array.
"""

from __future__ import annotations

import ast
import operator
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from adcompile.emit import ModuleText
from adcompile.errors import JitError
from adcompile.load.module import load
from adcompile.pipeline import machine

_QUOTIENT = "_quotient"


def texts_of(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts for Numba, from now on: they are run by Python instead."""
    texts: list[str] = []

    def noted(text: ModuleText, *rest: Any, **named: Any) -> Any:
        texts.append(text.text)
        return run_by_python(text, *rest, **named)

    monkeypatch.setattr(machine, "compile_native", noted)
    return texts


def run_by_python(
    text: ModuleText, name: str, _: object, options: Mapping[str, Any], *__: object, **___: object
) -> Any:
    """Stands in for `compile_native`."""
    if options.get("error_model") == "numpy":
        text = replace(text, text=_quiet(text.text), objects={**text.objects, _QUOTIENT: _quotient})
    function: Callable[..., Any] = load(text, name, for_numba=True)[name]

    def call(*arguments: Any) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("error", np.exceptions.ComplexWarning)
            try:
                return _handed_out(function(*arguments))
            except np.exceptions.ComplexWarning as error:
                raise JitError("cannot store a complex number into a real array with Numba") from error

    return SimpleNamespace(call=call, into_rows=None)


def _quiet(text: str) -> str:
    r"""A text with its divisions as calls, line by line where they were.

    >>> _quiet("y = (a + b) / c / d\nz /= y\nx[0] /= y")
    'y = _quotient(_quotient((a + b) , c) , d)\nz = _quotient(z, in_place=True, b= y)\nx[0] /= y'
    """
    lines = [line.encode() for line in text.split("\n")]
    changes: list[tuple[int, int, int, bytes]] = []  # line, column, how much goes, what comes

    def at(line: int, column: int, less: int, more: bytes) -> None:
        changes.append((line - 1, column, less, more))

    def sign_behind(line: int, column: int, sign: bytes) -> tuple[int, int]:
        """Where an operator stands, behind the end of an operand."""
        while (found := lines[line - 1].partition(b"#")[0].find(sign, column)) < 0:
            line, column = line + 1, 0
        return line, found

    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.BinOp(op=ast.Div(), left=left):
                at(node.lineno, node.col_offset, 0, f"{_QUOTIENT}(".encode())
                at(*sign_behind(left.end_lineno or 0, left.end_col_offset or 0, b"/"), 1, b",")
                at(node.end_lineno or 0, node.end_col_offset or 0, 0, b")")
            case ast.AugAssign(op=ast.Div(), target=ast.Name(id=target)):
                sign = sign_behind(node.lineno, node.target.end_col_offset or 0, b"/=")
                at(*sign, 2, f"= {_QUOTIENT}({target}, in_place=True, b=".encode())
                at(node.end_lineno or 0, node.end_col_offset or 0, 0, b")")
    for line, column, less, more in sorted(changes, key=lambda change: (change[:2], change[3] != b")"), reverse=True):
        lines[line] = lines[line][:column] + more + lines[line][column + less :]
    return b"\n".join(lines).decode()


def _quotient(a: Any, b: Any, *, in_place: bool = False) -> Any:
    try:
        return operator.itruediv(a, b) if in_place else a / b
    except ZeroDivisionError:
        with np.errstate(all="ignore"):
            return np.true_divide(a, b).item()


def _handed_out(value: Any) -> Any:
    """What machine code returns, by Python's classes."""
    if isinstance(value, tuple):
        parts = map(_handed_out, value)
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if isinstance(value, list):
        return [_handed_out(item) for item in value]
    return value.item() if isinstance(value, np.generic) else value
