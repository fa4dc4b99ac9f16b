"""What functions read from outside: globals, cells, and attributes of the user's own modules and classes."""

from __future__ import annotations

import sys
import types
from typing import TYPE_CHECKING, Any

from adcompile.ir import nodes as n
from adcompile.ir.walk import expressions, statements, walk

if TYPE_CHECKING:
    from adcompile.analyses.program import Program


def names_read(
    program: Program, readers: dict[n.Function, types.FunctionType]
) -> list[tuple[str, Any, str, types.FunctionType | None]]:
    """Every global or cell that the functions read: name, object, scope, and the one of `readers` that reads it."""
    found: dict[tuple[str, str, int], tuple[str, Any, str, types.FunctionType | None]] = {}

    def visit(function: n.Function, fn: types.FunctionType | None) -> None:
        for stmt in statements(function.body):
            for expr in expressions(stmt):
                for e in walk(expr):
                    match e:
                        case n.Ref(name=name, value=value, scope="global" | "closure" | "builtin" as scope):
                            found[name, scope, id(fn)] = (name, value, scope, fn)
                        case n.Lambda(function=inner):
                            visit(inner, fn)
            if isinstance(stmt, n.Define):
                visit(stmt.function, fn)

    for function in program.functions:
        visit(function, readers.get(function))
    return list(found.values())


def attributes_read(program: Program) -> list[tuple[Any, str, Any]]:
    """Every attribute of a module or class of the user's that the functions read: owner, name, value."""
    found: dict[tuple[int, str], tuple[Any, str, Any]] = {}

    def owner_of(expr: n.Expr) -> Any:
        match expr:
            case n.Ref(value=value):
                return value
            case n.Attribute(value=inner, name=name):
                return getattr(owner_of(inner), name, None)
            case _:
                return None

    for function in program.functions:
        for stmt in statements(function.body):
            for e in (e for expr in expressions(stmt) for e in walk(expr)):
                if not isinstance(e, n.Attribute):
                    continue
                owner = owner_of(e.value)
                home = (
                    getattr(owner, "__name__", "")
                    if isinstance(owner, types.ModuleType)
                    else getattr(owner, "__module__", "")
                )
                library = (
                    home.partition(".")[0] in ("numpy", "scipy") or home.partition(".")[0] in sys.stdlib_module_names
                )
                if (
                    isinstance(owner, types.ModuleType | type)
                    and (not library or home == "__main__")
                    and hasattr(owner, e.name)
                ):
                    value = getattr(owner, e.name)
                    if not isinstance(value, types.ModuleType):
                        found[id(owner), e.name] = (owner, e.name, value)
    return list(found.values())
