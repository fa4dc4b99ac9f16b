"""What an exception says, where that is put together from values: Numba formats next to none of them.

    if x < 0:                                                  if x < 0:
        raise ValueError(f"{x:.3f} is negative")      ->           raise ValueError("... is negative")

Machine code raises with what stands in the text. Whoever calls it has Python raise the exception once more, with all of
the message: `raises_in_words` of the `Machine` says whether that is worth it.

>>> from adcompile.frontend import read
>>> from adcompile.ir.show import show
>>> def root(x):
...     if x < 0:
...         raise ValueError(f"{x:.3f} is negative")
...     return x**0.5
>>> function = read(root)
>>> raises_in_words(function)
True
>>> print(show(function))
def root(x):
    if x < 0:
        raise ValueError@builtin('... is negative')
    return (x ** 0.5)
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeGuard

from adcompile.ir import nodes as n
from adcompile.ir.walk import all_blocks, read_in, statements, walk

_HOLE = "..."
_TELLING = (str, repr, format, round, abs, len, float, int, max, min, sum)


def raises_in_words(function: n.Function) -> bool:
    """Leave values out of what exceptions say, in place; whether there were any."""
    found = False
    named = {s.target: s.value for s in statements(function.body) if _is_message(s)}

    def worded(e: n.Expr) -> n.Expr:
        return e if _is_plain(e) else n.Const(_words(named.get(e.variable, e) if isinstance(e, n.Read) else e))

    for stmt in statements(function.body):
        match stmt:
            case n.Raise(error=n.Call(args=args) as error) if not all(map(_is_plain, args)):
                stmt.error, found = replace(error, args=tuple(map(worded, args))), True
            case n.Assert(message=n.Expr() as message) if not _is_plain(message):
                stmt.message, found = worded(message), True
    if found:
        read = read_in(function.body)
        for block in all_blocks(function.body):
            block[:] = [s for s in block if not (_is_message(s) and s.target not in read)]
    return found


def _is_message(stmt: n.Stmt) -> TypeGuard[n.Assign]:
    """Whether a line makes nothing but a text."""
    if not isinstance(stmt, n.Assign) or isinstance(stmt.value, n.Const) or not _is_only_told(stmt.value):
        return False
    return isinstance(stmt.value, n.Template) or _words(stmt.value).replace(_HOLE, "") != ""


def _is_only_told(value: n.Expr) -> bool:
    """Whether nothing is done in a message but to write values down."""
    calls = [e.func for e in walk(value) if isinstance(e, n.Call)]
    plain = all(n.object_of(f) in _TELLING or (isinstance(f, n.Attribute) and f.name == "format") for f in calls)
    return plain and not any(isinstance(e, n.Named | n.Opaque | n.Comprehension) for e in walk(value))


def _is_plain(e: n.Expr) -> bool:
    return isinstance(e, n.Const)


def _words(e: n.Expr) -> str:
    """The literal words of a message, with dots for everything else."""
    match e:
        case n.Const(value=str() as words):
            return words
        case n.Template(pieces=pieces):
            return "".join(piece if isinstance(piece, str) else _HOLE for piece in pieces)
        case n.Binary(op="+", left=left, right=right):
            return _words(left) + _words(right)
        case n.Binary(op="%", left=n.Const(value=str() as words)):
            return words
        case n.Call(func=n.Attribute(value=n.Const(value=str() as words), name="format")):
            return words
        case _:
            return _HOLE
