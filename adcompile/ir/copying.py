"""Copies of blocks of statements."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TypeVar

from adcompile.ir import nodes as n
from adcompile.ir.walk import COMPOUND, fields_of

_S = TypeVar("_S", bound=n.Stmt)
_set = object.__setattr__


def copy_block(body: Iterable[n.Stmt]) -> list[n.Stmt]:
    """A copy of the statements (expressions are shared: they are immutable)."""
    result = []
    for stmt in body:
        new = _copied(stmt)
        if type(new) not in COMPOUND:
            result.append(new)
            continue
        match new:
            case n.If():
                new.then, new.orelse = copy_block(new.then), copy_block(new.orelse)
            case n.For() | n.While():
                new.body, new.orelse = copy_block(new.body), copy_block(new.orelse)
            case n.Try():
                new.body, new.orelse, new.final = map(copy_block, (new.body, new.orelse, new.final))
                new.handlers = [replace(handler, body=copy_block(handler.body)) for handler in new.handlers]
            case n.With():
                new.body = copy_block(new.body)
        result.append(new)
    return result


def _copied(stmt: _S) -> _S:
    new = object.__new__(type(stmt))
    for name in fields_of(stmt):
        _set(new, name, getattr(stmt, name))
    return new
