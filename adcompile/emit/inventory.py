"""All names from outside that a generated module uses, each object once, with the name it has there.

The user's own names come first and keep their spelling; names that rules use follow, and share the user's alias of a
module where there is one. A name that a local variable hides where it is needed takes a number.
"""

from __future__ import annotations

import keyword
import math
import re
from dataclasses import dataclass, field
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from adcompile.emit.constants import constant_text, modules_needed
from adcompile.emit.names import first_free
from adcompile.emit.outside import (
    Constant,
    Constants,
    Form,
    Generated,
    Module,
    Source,
    Unavailable,
    classify,
    standing_alone,
    submodules_of,
)
from adcompile.emit.verbatim import renamed
from adcompile.errors import replaced
from adcompile.ir.nodes import Function, Ref, Role
from adcompile.texts.watches import attribute_of, is_replaced

if TYPE_CHECKING:
    from adcompile.emit.scopes import Scope, Survey


@dataclass(eq=False, slots=True, repr=False)
class Outside:
    """One outside name of the module. `needs` are the outside names of its own text, by how that text spells them."""

    name: str
    value: Any
    form: Form
    avoid: set[str] = field(default_factory=set)
    needs: dict[str, Outside] = field(default_factory=dict)
    spelled: str = ""

    def definition_text(self) -> str | None:
        """The text of a copied definition, under the names that this module has for things."""
        if not isinstance(self.form, Source):
            return None
        found = self.form.verbatim
        names = {old: need.spelled for old, need in self.needs.items()}
        return renamed(found, {**names, found.defines: self.spelled})

    def constant_text(self) -> str | None:
        """The text of a constant's value."""
        names = {key: need.spelled for key, need in self.needs.items()}
        return constant_text(self.value, names.get("np", "np"), names.get("math", "math"))

    @property
    def is_runtime(self) -> bool:
        """Whether this is one of adcompile's own functions."""
        return isinstance(self.form, Source) and self.form.is_runtime


class Inventory:
    """Collects the outside names of generated functions and spells them."""

    def __init__(self, surveys: list[Survey], primal: FunctionType | None, constants: Constants | None = None) -> None:
        self.constants = constants
        self.home = None if primal is None else primal.__module__
        self.user: list[Outside] = []
        self.made: list[Outside] = []
        self.of_ref: dict[tuple[Survey, Ref], Outside] = {}
        self.generated = {s.function: Outside(_function_name(s.function), s.function, Generated()) for s in surveys}
        self.words: set[str] = set().union(*(survey.user_names() for survey in surveys))
        self._known: dict[tuple[str, int], Outside] = {}
        self._modules: dict[int, list[Outside]] = {}
        for is_rule in (False, True):
            for survey in surveys:
                for ref, scopes in survey.refs.items():
                    if (ref.scope == "rule") == is_rule:
                        self.of_ref[survey, ref] = self._ref(ref, scopes, is_rule=is_rule)
        for survey in surveys:
            for ref, attributes in survey.chains:
                self._chain(self.of_ref[survey, ref], attributes, is_rule=ref.scope == "rule")
        self._spell()

    def _ref(self, ref: Ref, scopes: list[Scope], *, is_rule: bool) -> Outside:
        avoid = {variable.name for scope in scopes for variable in scope.sees if variable.role is Role.USER}.union(
            *(scope.words - {ref.name} for scope in scopes)
        )
        if isinstance(ref.value, Function):
            if ref.value not in self.generated:
                raise ValueError(f"the generated function `{ref.value.name}` is called but not in the module")
            outside = self.generated[ref.value]
            outside.avoid |= avoid
            return outside
        return self.add(ref.identifier, ref.value, avoid, is_rule=is_rule)

    def add(self, name: str, value: Any, avoid: set[str], *, is_rule: bool) -> Outside:
        """The entry for an object under a name; a rule's module takes the user's alias where that is visible."""
        if is_rule:
            for alias in self._modules.get(id(value), ()):
                if alias.name not in avoid:
                    return alias
        key = name, id(value)
        if key not in self._known:
            form = classify(name, value, self.home)
            if self.constants is not None:
                form = standing_alone(form, name, value, self.home, self.constants)
            outside = self._known[key] = Outside(name, value, form, set(avoid))
            is_rule = is_rule or outside.is_runtime
            if isinstance(value, ModuleType):
                self._modules.setdefault(id(value), []).append(outside)
            self._add_needs(outside, is_rule=is_rule)
            (self.made if is_rule else self.user).append(outside)  # after what it needs
        outside = self._known[key]
        outside.avoid |= avoid
        return outside

    def _add_needs(self, outside: Outside, *, is_rule: bool) -> None:
        if isinstance(outside.form, Source):
            found = outside.form.verbatim
            self.words |= found.words
            for name, value in found.names.items():
                outside.needs[name] = self.add(name, value, found.words - {name}, is_rule=is_rule)
            for name, *attributes in found.chains:
                if name in outside.needs:
                    self._chain(outside.needs[name], tuple(attributes), is_rule=outside.is_runtime)
        elif isinstance(outside.form, Constant):
            for is_needed, module in zip(modules_needed(outside.value), (np, math), strict=True):
                if is_needed:
                    name = "np" if module is np else "math"
                    outside.needs[name] = self.add(name, module, set(), is_rule=is_rule)

    def _chain(self, outside: Outside, attributes: tuple[str, ...], *, is_rule: bool) -> None:
        _read(outside.value, attributes, is_rule=is_rule)
        if isinstance(outside.form, Module):
            path = submodules_of(outside.form.path, outside.value, attributes)
            if path is not None:
                outside.form.submodules.add(path)

    def _spell(self) -> None:
        taken: set[str] = set()
        for outside in (*self.user, *self.generated.values(), *self.made):
            name = outside.name

            def is_taken(spelling: str, outside: Outside = outside) -> bool:
                return (
                    spelling in taken
                    or spelling in outside.avoid
                    or keyword.iskeyword(spelling)
                    or (spelling != outside.name and spelling in self.words)
                )

            outside.spelled = first_free(name, is_taken)
            taken.add(outside.spelled)
        for outside in (*self.user, *self.made):
            if isinstance(outside.form, Source) and outside.definition_text() is None:
                outside.form = Unavailable()


def _read(owner: Any, attributes: tuple[str, ...], *, is_rule: bool) -> None:
    """Note what a text reads from a module. A rule means what the library had there."""
    for name in attributes:
        found = attribute_of(owner, name)
        if is_rule and is_replaced(owner, name, found):
            raise replaced(owner, name)
        if not isinstance(owner, ModuleType):
            return
        owner = found


def _function_name(function: Function) -> str:
    """The wanted name of a generated function: `<lambda>_grad` becomes `lambda_grad`."""
    if function.name.isidentifier():
        return function.name
    return re.sub(r"\W+", "", function.name)
