"""Spells every variable of a generated function from its role. Nobody else spells.

The user's names stay as they are; all others are made from the name of the variable that they belong to, and take the
first free number where that name is taken: with a user variable `x_bar` about, the adjoint of `x` is `x_bar_1`.
"""

from __future__ import annotations

import keyword
import re
import unicodedata
from typing import TYPE_CHECKING

from adcompile.emit.descriptions import described
from adcompile.ir.nodes import Ref, Role, Variable

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable

    from adcompile.emit.scopes import Scope, Survey

_SUFFIXES = {
    Role.TEMPORARY: "_tmp", Role.ADJOINT: "_bar", Role.TANGENT: "_dot", Role.PATTERN: "_pattern", Role.TAPE: "_tape",
    Role.SNAPSHOTS: "_snapshots", Role.KEPT: "_kept", Role.ITEM: "_item", Role.PARTIAL: "_partial",
    Role.PARTIALS: "_partials", Role.JACOBIAN: "_jac",
}  # fmt: skip
_NOT_IN_A_NAME = re.compile(r"\W+")


def first_free(name: str, is_taken: Callable[[str], bool], number: int = 0) -> str:
    """The name itself, or with the first number that makes it free; `number` is one below which none is free.

    >>> first_free("x_bar", {"x_bar", "x_bar_1"}.__contains__)
    'x_bar_2'
    """
    if not number and not is_taken(name):
        return name
    number = max(number, 1)
    while is_taken(f"{name}_{number}"):
        number += 1
    return f"{name}_{number}"


def spell(survey: Survey, outside: Callable[[Ref], str]) -> dict[Variable, str]:
    """The name of each variable of a generated function, given the names of what lies outside it.

    >>> from adcompile.emit.scopes import survey
    >>> from adcompile.ir.nodes import Assign, Function, Param, Read, Return
    >>> from adcompile.source import FunctionSource
    >>> x, x_bar = Variable("x"), Variable("x_bar")
    >>> adjoint = Variable("x", Role.ADJOINT, x)
    >>> f = Function("f", [Param(x), Param(x_bar)], [Assign(adjoint, Read(x_bar)), Return(Read(adjoint))],
    ...              FunctionSource("f", "f.py", "", 1))
    >>> list(spell(survey(f), lambda ref: ref.name).values())
    ['x', 'x_bar', 'x_bar_1']
    """
    reserved = survey.user_names() | {outside(ref) for ref in survey.refs}
    spelling = _Spelling(survey, outside, reserved)
    for variable in survey.variables:
        if variable.role is Role.USER:
            spelling.user(variable)
    for variable in survey.variables:
        spelling.made(variable)
    return {variable: spelling.names[variable] for variable in survey.variables}


class _Spelling:
    def __init__(self, survey: Survey, outside: Callable[[Ref], str], reserved: Container[str]) -> None:
        self.survey = survey
        self.reserved = reserved
        self.names: dict[Variable, str] = {}
        self.numbers: dict[tuple[str, frozenset[Scope]], int] = {}  # the last that was given, of a name in some scopes
        self.taken: dict[Scope, set[str]] = {scope: {outside(ref) for ref in scope.refs} for scope in survey.scopes}

    def user(self, variable: Variable) -> None:
        """The user's own name. Two variables of one name (an inlined callee's) in one scope: the later is numbered."""
        scopes = self.survey.variables[variable]
        if any(variable.name in self.taken[scope] for scope in scopes):
            self._take(variable, self._first_free(variable.name, scopes), scopes)
        else:
            self._take(variable, variable.name, scopes)

    def made(self, variable: Variable) -> str:
        """The name of a variable that the compiler made; a variable that is not in the text only lends its name."""
        if variable in self.names:
            return self.names[variable]
        if variable.role is Role.USER:
            return variable.name
        base = variable.name
        if variable.of is not None and variable.role in _SUFFIXES:
            base = self.made(variable.of)
        wanted = base + "".join(map(_piece, variable.path)) + _SUFFIXES.get(variable.role, "")
        if variable.role is Role.COUNT:
            wanted = "trips"
        elif variable.holds is not None:
            wanted = described(variable.holds, self.made, is_seen=variable in self.survey.variables) or wanted
        wanted = unicodedata.normalize("NFKC", wanted)  # as Python reads it: the key "ﬁ" makes the name `fi`
        scopes = self.survey.variables.get(variable)
        if scopes is None:
            return wanted
        name = self._first_free(wanted, scopes)
        self._take(variable, name, scopes)
        return name

    def _first_free(self, name: str, scopes: Iterable[Scope]) -> str:
        """The first free name; what is taken stays so, and is not tried again."""
        key = name, frozenset(scopes)
        found = first_free(name, self._is_taken(scopes), self.numbers.get(key, 0))
        if found != name:
            self.numbers[key] = int(found[len(name) + 1 :])
        return found

    def _is_taken(self, scopes: Iterable[Scope]) -> Callable[[str], bool]:
        return lambda name: (
            name in self.reserved or keyword.iskeyword(name) or any(name in self.taken[scope] for scope in scopes)
        )

    def _take(self, variable: Variable, name: str, scopes: Iterable[Scope]) -> None:
        self.names[variable] = name
        for scope in scopes:
            self.taken[scope].add(name)


def _piece(step: str | int) -> str:
    """One step of a path as part of a name.

    >>> _piece("w"), _piece(0), _piece("layer 1/bias")
    ('_w', '_0', '_layer_1_bias')
    """
    return "_" + _NOT_IN_A_NAME.sub("_", str(step)).strip("_")
