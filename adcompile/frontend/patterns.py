"""`match` as `if` and `elif`: a pattern is a test and the names that it binds.

A case for everything is the last `else`:

    match kind:                       if kind == "add":
        case "add": A         ->          A
        case "sub" | "neg": B         elif kind == "sub" or kind == "neg":
        case other: C                     B
                                      else:
                                          other = kind
                                          C
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from adcompile.ir import nodes as n
from adcompile.texts.watches import note

_THEMSELVES = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)


class RefusedPatternError(Exception):
    """A pattern that is not lowered: of a dict, of a class that is not known, or of several forms that bind names."""


@dataclass(slots=True)
class Pattern:
    """What a pattern asks of the subject (nothing, if there are no tests), and what it binds to which of its parts."""

    tests: list[n.Expr] = field(default_factory=list)
    bound: list[tuple[str, n.Expr]] = field(default_factory=list)

    def test(self) -> n.Expr | None:
        """The whole test."""
        if len(self.tests) > 1:
            return n.Bool("and", tuple(self.tests))
        return self.tests[0] if self.tests else None


def pattern(node: ast.pattern, subject: n.Expr, lower: Callable[[ast.expr], n.Expr]) -> Pattern:
    r"""Take a pattern apart. `lower` lowers the expressions in it.

    >>> from adcompile.ir.show import show
    >>> case = ast.parse("match x:\n    case 1 | 2: pass").body[0].cases[0]
    >>> show(pattern(case.pattern, n.Read(n.Variable("x")), lambda e: n.Const(e.value)).test())
    '(x == 1 or x == 2)'
    """
    match node:
        case ast.MatchValue(value=value):
            return Pattern([n.Compare(("==",), (subject, lower(value)))])
        case ast.MatchSingleton(value=value):
            return Pattern([n.Compare(("is",), (subject, n.Const(value)))])
        case ast.MatchAs(pattern=None, name=name):
            return Pattern(bound=[] if name is None else [(name, subject)])
        case ast.MatchAs(pattern=ast.pattern() as inner, name=str() as name):
            found = pattern(inner, subject, lower)
            return Pattern(found.tests, [*found.bound, (name, subject)])
        case ast.MatchOr(patterns=patterns):
            options = [pattern(p, subject, lower) for p in patterns]
            if any(option.bound for option in options):
                raise RefusedPatternError
            tests = [option.test() for option in options]
            if any(test is None for test in tests):
                return Pattern()
            return Pattern([n.Bool("or", tuple(test for test in tests if test is not None))])
        case ast.MatchSequence(patterns=patterns):
            return _sequence(patterns, subject, lower)
        case ast.MatchClass(cls=cls):
            return _object(node, lower(cls), subject, lower)
        case _:
            raise RefusedPatternError


def _object(node: ast.MatchClass, cls: n.Expr, subject: n.Expr, lower: Callable[[ast.expr], n.Expr]) -> Pattern:
    """`Circle(x, r=radius)`: an object of that class, each of whose attributes fits."""
    found = Pattern([n.Call(n.Ref("isinstance", isinstance, "builtin"), (subject, cls))])
    known = cls.value if isinstance(cls, n.Ref) else None
    parts = list(zip(node.kwd_attrs, node.kwd_patterns, strict=True))
    if isinstance(known, type) and known in _THEMSELVES and len(node.patterns) == 1:
        inner = pattern(node.patterns[0], subject, lower)
        found.tests += inner.tests
        found.bound += inner.bound
    elif node.patterns:
        names = getattr(known, "__match_args__", ()) if isinstance(known, type) else ()
        if len(names) < len(node.patterns):
            raise RefusedPatternError
        note("attribute", known, "__match_args__", names)
        parts = [*zip(names, node.patterns, strict=False), *parts]
    for name, part in parts:
        if name not in getattr(known, "__match_args__", ()):
            found.tests.append(n.Call(n.Ref("hasattr", hasattr, "builtin"), (subject, n.Const(name))))
        inner = pattern(part, n.Attribute(subject, name), lower)
        found.tests += inner.tests
        found.bound += inner.bound
    return found


def _sequence(patterns: list[ast.pattern], subject: n.Expr, lower: Callable[[ast.expr], n.Expr]) -> Pattern:
    """`[a, b]`: a sequence (no text, no array) of that length, each of whose items fits."""
    star = next((k for k, p in enumerate(patterns) if isinstance(p, ast.MatchStar)), None)
    size = len(patterns) - (star is not None)
    isinstance_ = n.Ref("isinstance", isinstance, "builtin")
    text = n.Display("tuple", tuple(n.Ref(c.__name__, c, "builtin") for c in (str, bytes, bytearray)))
    sequence = n.Ref("Sequence", Sequence, "import")
    length = n.Call(n.Ref("len", len, "builtin"), (subject,))
    found = Pattern(
        [
            n.Call(isinstance_, (subject, sequence)),
            n.Unary("not", n.Call(isinstance_, (subject, text))),
            n.Compare(("==" if star is None else ">=",), (length, n.Const(size))),
        ]
    )
    for k, inner in enumerate(patterns):
        if isinstance(inner, ast.MatchStar):
            if inner.name is not None:
                after = len(patterns) - k - 1
                stop = n.Const(-after) if after else None
                rest = n.Subscript(subject, n.Slice(n.Const(k) if k else None, stop, None))
                found.bound.append((inner.name, n.Call(n.Ref("list", list, "builtin"), (rest,))))
            continue
        index = k if star is None or k < star else k - len(patterns)
        item = pattern(inner, n.Subscript(subject, n.Const(index)), lower)
        found.tests += item.tests
        found.bound += item.bound
    return found
