"""A whole generated module as text: imports, constants, helpers, and the generated functions.

The text stands on its own. It runs with the user's imports, the standard library and NumPy, without adcompile.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from adcompile.emit.inventory import Inventory, Outside
from adcompile.emit.layout import wrap
from adcompile.emit.names import spell
from adcompile.emit.outside import (
    Builtin,
    Constant,
    Constants,
    Member,
    Module,
    Source,
    Unavailable,
    Undefined,
    lookup_for,
)
from adcompile.emit.scopes import Survey, survey
from adcompile.emit.statements import Line, docstring_lines, function_lines
from adcompile.emit.verbatim import is_formatted
from adcompile.value_classes import value_class

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FunctionType

    from adcompile.ir.nodes import Function, Ref, Variable


@value_class()
class ModuleText:
    """A generated module.

    `lines` maps line numbers of the text to the user's file and line. `objects` are the live objects behind the
    outside names, for a loader that runs the text in this process. `names` are the names of the generated functions,
    `user_names` the names of the user's functions they came from, by those. `own_lines` are the stretches of lines
    (first, last) that a loader with `objects` has to run: generated functions and runtime helpers. `variables` are
    those of each generated function, both by name.
    """

    text: str
    lines: dict[int, tuple[str, int]]
    objects: dict[str, object]
    names: dict[Function, str]
    user_names: dict[str, str]
    own_lines: tuple[tuple[int, int], ...]
    variables: dict[str, dict[str, Variable]]


def emit_module(
    functions: list[Function], *, title: str, primal: FunctionType | None, constants: Constants | None = None
) -> ModuleText:
    """Write the module of some generated functions, in the given order; with `constants`, one that stands alone.

    >>> import math
    >>> from adcompile.ir.nodes import Attribute, Call, Function, Param, Read, Ref, Return, Variable
    >>> from adcompile.source import FunctionSource
    >>> x = Variable("x")
    >>> sine = Call(Attribute(Ref("math", math, "rule"), "sin"), (Read(x),))
    >>> f = Function("f", [Param(x)], [Return(sine)], FunctionSource("f", "f.py", "", 1))
    >>> print(emit_module([f], title="The sine.", primal=None).text)
    \"\"\"The sine.\"\"\"
    <BLANKLINE>
    import math
    <BLANKLINE>
    <BLANKLINE>
    def f(x):
        return math.sin(x)
    <BLANKLINE>
    """
    surveys = [survey(function, lookup_for(function.source, primal)) for function in functions]
    inventory = Inventory(surveys, primal, constants)
    writer = _Writer(inventory)
    writer.preamble(title)
    for one in surveys:
        writer.generated(one)
    entries = (*inventory.user, *inventory.made)
    return ModuleText(
        text="\n".join(writer.lines) + "\n",
        lines=writer.origins,
        objects={
            entry.spelled: entry.value
            for entry in entries
            if not entry.is_runtime
            and not isinstance(entry.form, Undefined)
            and not (isinstance(entry.form, Builtin) and entry.spelled == entry.name)
        },
        names={function: entry.spelled for function, entry in inventory.generated.items()},
        user_names={entry.spelled: function.source.name for function, entry in inventory.generated.items()},
        own_lines=tuple(writer.own),
        variables=writer.variables,
    )


class _Writer:
    def __init__(self, inventory: Inventory) -> None:
        self.inventory = inventory
        self.entries = [*inventory.user, *inventory.made]
        self.lines: list[str] = []
        self.origins: dict[int, tuple[str, int]] = {}
        self.own: list[tuple[int, int]] = []
        self.variables: dict[str, dict[str, Variable]] = {}

    def preamble(self, title: str) -> None:
        """Everything above the generated functions."""
        self.lines += docstring_lines(title, 0)
        copies = [entry.form for entry in self.entries if isinstance(entry.form, Source)]
        if any(copy.verbatim.postponed_annotations and not copy.is_runtime for copy in copies):
            self.lines += ["", "from __future__ import annotations"]
        for section in import_sections(self.entries, self.inventory.home):
            self.lines += ["", *section]
        constants = [line for entry in self.entries for line in _constant_lines(entry)]
        if constants:
            self.lines += ["", *constants]
        for is_runtime in (False, True):
            for entry in self._sources():
                if entry.is_runtime == is_runtime:
                    self.definition(entry)

    def _sources(self) -> list[Outside]:
        """Copied definitions, what a definition needs at once before it; otherwise in the order of first use."""
        done: dict[Outside, None] = {}
        underway: set[Outside] = set()

        def visit(entry: Outside) -> None:
            if entry in done or entry in underway or not isinstance(entry.form, Source):
                return
            underway.add(entry)
            for name, need in entry.needs.items():
                if name in entry.form.verbatim.at_once:
                    visit(need)
            done[entry] = None

        for entry in self.entries:
            visit(entry)
        return list(done)

    def definition(self, entry: Outside) -> None:
        text = (entry.definition_text() or "").split("\n")
        self.lines += ["", ""]
        if entry.is_runtime:
            self.own.append((len(self.lines) + 1, len(self.lines) + len(text)))
        elif self.inventory.constants is not None and not is_formatted("\n".join(text)):  # left as it is
            text = ["# fmt: off", *text, "# fmt: on"]
        self.lines += text

    def generated(self, one: Survey) -> None:
        self.lines += ["", ""]
        start = len(self.lines) + 1
        name, outside = self.inventory.generated[one.function].spelled, self._outside(one)
        names = spell(one, outside)
        self.variables[name] = {spelled: variable for variable, spelled in names.items()}
        lines = function_lines(one, name, names, outside)
        for line in lines:
            self._line(line)
        self.own.append((start, len(self.lines)))

    def _line(self, line: Line) -> None:
        self.lines.append(line.text)
        if line.span is not None and line.span.source is not None:
            self.origins[len(self.lines)] = line.span.source.filename, line.span.line

    def _outside(self, one: Survey) -> Callable[[Ref], str]:
        return lambda ref: self.inventory.of_ref[one, ref].spelled


def import_sections(entries: list[Outside], home: str | None = None) -> list[list[str]]:
    """The import lines: standard library, then third-party packages, each sorted; then the user's module, `home`.

    >>> import os, numpy
    >>> from adcompile.emit.outside import Module
    >>> import_sections([Outside("np", numpy, Module("numpy"), spelled="np"),
    ...                  Outside("os", os, Module("os"), spelled="os")])
    [['import os'], ['import numpy as np']]
    """
    plain: list[tuple[str, str]] = []
    members: dict[str, list[tuple[str, str]]] = {}
    noted: list[str] = []
    for entry in entries:
        match entry.form:
            case Module(path=path, submodules=submodules):
                parent, _, last = path.rpartition(".")
                if submodules and entry.spelled == path:
                    plain += [(submodule, f"import {submodule}") for submodule in submodules]
                elif path == entry.spelled:
                    plain.append((path, f"import {path}"))
                elif parent and last == entry.spelled:
                    members.setdefault(parent, []).append((last, last))
                else:
                    plain.append((path, f"import {path} as {entry.spelled}"))
            case Member(module=module, attribute=attribute, why=""):
                members.setdefault(module, []).append((attribute, entry.spelled))
            case Member(module=module, attribute=attribute, why=why):
                noted.append(f"from {module} import {_as(attribute, entry.spelled)}  # {why}")
            case Builtin() if entry.spelled != entry.name:
                members.setdefault("builtins", []).append((entry.name, entry.spelled))
    sections: tuple[list[str], list[str], list[str]] = ([], [], sorted(noted))
    for path, line in sorted(set(plain)):
        sections[_section(path)].append(line)
    for module, names in sorted(members.items()):
        text = ", ".join(_as(*pair) for pair in sorted(set(names)))
        sections[2 if module == home else _section(module)].extend(wrap(f"from {module} import {text}", 0))
    return [section for section in sections if section]


def _section(path: str) -> int:
    return 0 if path.partition(".")[0] in sys.stdlib_module_names else 1


def _as(name: str, spelled: str) -> str:
    return name if name == spelled else f"{name} as {spelled}"


def _constant_lines(entry: Outside) -> list[str]:
    if isinstance(entry.form, Constant):
        return wrap(f"{entry.spelled} = {entry.constant_text()}", 0)
    if isinstance(entry.form, Unavailable):
        return [f"{entry.spelled} = ...  # set by the caller: {type(entry.value).__name__}"]
    return []
