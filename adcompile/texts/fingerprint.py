"""Does this text compile to that code object? What only tells where the text stands is left out of the comparison."""

from __future__ import annotations
import __future__

import ast
import dis
import inspect
from bisect import bisect_left
from itertools import pairwise
from types import CodeType, ModuleType
from typing import TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import FunctionType

    FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

_FUTURE: Final = sum(
    {getattr(__future__, name).compiler_flag for name in __future__.all_feature_names} - {inspect.CO_NESTED}
)
_SHAPE: Final = (
    inspect.CO_VARARGS
    | inspect.CO_VARKEYWORDS
    | inspect.CO_GENERATOR
    | inspect.CO_COROUTINE
    | inspect.CO_ASYNC_GENERATOR
)
_BOOKKEEPING: Final = frozenset({"CACHE", "EXTENDED_ARG", "NOP", "PRECALL", "PUSH_NULL", "RESUME"})
_JUMPS: Final = frozenset({*dis.hasjrel, *dis.hasjabs})
_CONSTANTS: Final = (int, float, complex, str, bytes, bool, type(None), type(...), tuple, frozenset, CodeType)


def compiles_to(node: FunctionNode, fn: FunctionType) -> bool:
    """Tell whether a `def` or `lambda` is the source of a function.

    >>> f = eval("lambda x: x + scale")
    >>> texts = ["lambda x: x + scale", "lambda x:  (x+scale)  # same", "lambda y: y + scale", "lambda x: x + 1"]
    >>> [compiles_to(ast.parse(text, mode="eval").body, f) for text in texts]
    [True, True, False, False]
    """
    code = fn.__code__
    wanted = fingerprint(code)
    spelled = filter(str.isidentifier, (*code.co_names, *code.co_varnames))
    imported = [name for name in spelled if isinstance(fn.__globals__.get(name), ModuleType)]
    try:
        found = _compile_in_context(node, code, imported)
        if any(fingerprint(each) == wanted for each in found):
            return True
    except SyntaxError:
        return False
    # Calls of attributes (`np.sum(x)`) compile in one of two ways, according to whether the same text imports the name.
    # Which names it imports is only guessed above, so what is left is to compare what the instructions mean.
    meaning = _meaning(code)
    if any(_meaning(each) == meaning for each in found):
        return True
    return is_instrumented(code) and any(_signature(each) == _signature(code) for each in found)


def _compile_in_context(node: FunctionNode, code: CodeType, imported: Sequence[str]) -> list[CodeType]:
    """Compile a function and return the code objects of its name that this makes.

    A dummy function around it binds its free variables, a class mangles its private names as its own does, and all
    other names are global, its own included.
    """
    owner = mangling_class(code)
    bound = [name for name in code.co_freevars if name != "__class__"]
    made = owner or getattr(node, "name", None)
    lines = [f"import {', '.join(imported)}"] if imported else []
    lines += [f"def outer({', '.join(bound)}):", *([f" global {made}"] if made and made not in bound else [])]
    lines += [f" class {owner}:", "  pass"] if owner else [" pass"]
    wrapper = ast.parse("\n".join(lines))
    around = cast("ast.FunctionDef | ast.ClassDef", wrapper.body[-1])
    if isinstance(around.body[-1], ast.ClassDef):
        around = around.body[-1]
    if isinstance(node, ast.Lambda):
        inner: ast.stmt = ast.Expr(node)
    else:
        # Decorators run outside of the code object, and so does whatever else they might not compile for here.
        inner = type(node)(**{**dict(ast.iter_fields(node)), "decorator_list": []})
    around.body[-1:] = [ast.copy_location(inner, node)]
    compiled: CodeType = compile(wrapper, "<compare>", "exec", code.co_flags & _FUTURE, dont_inherit=True)
    return [found for found in _inner(compiled) if found.co_name == code.co_name]


def mangling_class(code: CodeType) -> str | None:
    """Return the class whose name Python puts before a private name (`__x`) in this code, if there is one.

    >>> class Outer:
    ...     def method(self):
    ...         return lambda: self.__x
    >>> mangling_class(Outer.method.__code__), mangling_class(Outer().method().__code__)
    ('Outer', 'Outer')
    """
    parts = code.co_qualname.split(".")
    # What is no identifier is a comprehension, or the inside of a function.
    classes = [part for part, after in pairwise(parts) if part.isidentifier() and after != "<locals>"]
    return classes[-1] if classes else None


def mangle(name: str, owner: str | None) -> str:
    """Return a private name as Python spells it inside a class.

    >>> mangle("__x", "_Model"), mangle("__init__", "Model"), mangle("__x", None)
    ('_Model__x', '__init__', '__x')
    """
    stripped = owner.lstrip("_") if owner else ""
    private = name.startswith("__") and not name.endswith("__") and "." not in name
    return f"_{stripped}{name}" if private and stripped else name


def _inner(code: CodeType) -> Iterator[CodeType]:
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield const
            yield from _inner(const)


def fingerprint(code: CodeType) -> tuple[Any, ...]:
    """Return all of a code object that decides what it does; not its lines, file, or qualified name."""
    own = code.co_qualname if "__qualname__" in code.co_names else None  # the body of a class sets it
    return (
        code.co_code,
        code.co_names,
        code.co_varnames,
        code.co_freevars,
        code.co_cellvars,
        tuple(_constant(const, fingerprint) for const in code.co_consts if own is None or const != own),
        *_signature(code)[0],
    )


def _signature(code: CodeType) -> tuple[Any, ...]:
    counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags & _SHAPE)
    named = code.co_argcount + code.co_kwonlyargcount
    return counts, code.co_varnames[:named]


def _constant(value: Any, of_code: Callable[[CodeType], Any]) -> Any:
    """Return a constant so that equal means identical: `1`, `1.0` and `True` differ, and so do `0.0` and `-0.0`."""
    if isinstance(value, CodeType):
        return of_code(value)
    if isinstance(value, tuple):
        return tuple(_constant(item, of_code) for item in value)
    if isinstance(value, frozenset):
        return frozenset(_constant(item, of_code) for item in value)
    return type(value), repr(value)


def _meaning(code: CodeType) -> tuple[Any, ...]:
    """Return what a code object does, a call of a method and a call of an attribute being the same."""
    kept = [step for step in dis.get_instructions(code) if step.opname not in _BOOKKEEPING]
    places = [step.offset for step in kept]
    steps = []
    for step in kept:
        value = bisect_left(places, step.argval) if step.opcode in _JUMPS else _constant(step.argval, _meaning)
        steps.append(("LOAD_ATTR" if step.opname == "LOAD_METHOD" else step.opname, value))
    return *_signature(code), tuple(steps)


def is_instrumented(code: CodeType) -> bool:
    """Tell whether a tool has rewritten the code since it was compiled, so that it cannot equal its text any more.

    pytest rewrites `assert` (its names start with `@`, which no source can spell); coverage tools that work on
    bytecode put objects of their own among the constants.
    """
    if any(name.startswith("@") for name in (*code.co_names, *code.co_varnames)):
        return True
    if not all(isinstance(const, _CONSTANTS) for const in code.co_consts):
        return True
    return any(is_instrumented(inner) for inner in code.co_consts if isinstance(inner, CodeType))
