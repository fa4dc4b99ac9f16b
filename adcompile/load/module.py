"""Text to functions: compiles a generated module and makes it visible to debuggers.

The text is registered in `linecache` under a made-up file name, so that pdb, tracebacks and `inspect.getsource` show
it. What stands outside the generated functions is not run: their outside names are the live objects of the user's
program, so that identity, breakpoints and monkeypatching hold.
"""

from __future__ import annotations

import itertools
import linecache
import os
import sys
import types
import weakref
from typing import TYPE_CHECKING, Protocol

from adcompile.load.tracebacks import forget, remember
from adcompile.texts.generated import generated_file

if TYPE_CHECKING:
    import ast
    from collections.abc import Mapping

    from adcompile.ir.nodes import Variable


_numbers: dict[str, itertools.count[int]] = {}  # of the texts of each name


class Module(Protocol):
    """What a loader needs of a generated module; `emit.ModuleText` says what the parts are."""

    @property
    def text(self) -> str:
        """The whole text."""

    @property
    def lines(self) -> Mapping[int, tuple[str, int]]:
        """The user's file and line of each line of the text that has one."""

    @property
    def objects(self) -> Mapping[str, object]:
        """The live object behind each outside name."""

    @property
    def user_names(self) -> Mapping[str, str]:
        """The names of the user's functions, by those of the generated ones."""

    @property
    def own_lines(self) -> tuple[tuple[int, int], ...]:
        """The stretches of lines to run, first and last."""

    @property
    def variables(self) -> Mapping[str, Mapping[str, Variable]]:
        """The variables of each generated function, both by name."""

class _Registration:
    """Lives in the globals of the generated functions, and so exactly as long as any of them can still be called."""

    __slots__ = ("__weakref__", "filename")

    def __init__(self, filename: str) -> None:
        self.filename = filename


def load(
    module: Module, filename_hint: str, digest: str | None = None, *, for_numba: bool = False
) -> dict[str, object]:
    r"""Compile a generated module; the namespace that comes back holds its functions by name.

    With a digest it is a module that other code finds by that: machine code tells what it belongs to so.
    In debug mode the functions are watched while they run, except those that Numba is to compile.

    >>> from pathlib import Path
    >>> from types import SimpleNamespace
    >>> text = "factor = ...\n\ndef double(x):\n    return factor * x\n"
    >>> module = SimpleNamespace(text=text, lines={}, objects={"factor": 2}, user_names={}, own_lines=((3, 4),),
    ...                          variables={})
    >>> double = load(module, "double")["double"]
    >>> double(4), Path(double.__code__.co_filename).name
    (8, 'double_1.py')
    """
    registration = _Registration(_register(module.text, filename_hint))
    remember(registration.filename, module.lines, module.user_names)
    weakref.finalize(registration, _unregister, registration.filename).atexit = False
    namespace: dict[str, object] = {"__name__": registration.filename}
    if digest is not None:
        home = types.ModuleType(f"adcompile_{digest}")
        sys.modules[home.__name__] = home
        namespace = vars(home)
    namespace.update(module.objects)
    namespace["<registration>"] = registration  # no name of a program
    own = _own(module)
    program: str | ast.Module = own
    if watching() and not for_numba:
        from adcompile.load.watching import WATCH, watched  # noqa: PLC0415 - only in debug mode

        program, namespace[WATCH] = watched(own, registration.filename, filename_hint, module.variables)
    code = compile(program, registration.filename, "exec", dont_inherit=True)
    exec(code, namespace)  # noqa: S102 - this is what a compiler's output is for
    return namespace


def watching() -> bool:
    """Whether texts are watched that are loaded from now on: debug mode."""
    return os.environ.get("ADCOMPILE_WATCH", "0") != "0"


def _own(module: Module) -> str:
    r"""The generated functions and runtime helpers; the other lines are left empty, so that line numbers hold.

    >>> from types import SimpleNamespace
    >>> _own(SimpleNamespace(text="import numpy\n\ndef f():\n    return 1\n", own_lines=((3, 4),)))
    '\n\ndef f():\n    return 1\n\n'
    """
    kept = {number for first, last in module.own_lines for number in range(first, last + 1)}
    return "".join(f"{line}\n" if at in kept else "\n" for at, line in enumerate(module.text.split("\n"), 1))


def _register(text: str, hint: str) -> str:
    """Put the text into `linecache` under a name of its own.

    An entry without a modification time is left alone by `linecache.checkcache`. `setdefault` is atomic, so two threads
    never get one name.
    """
    numbers = _numbers.setdefault(hint, itertools.count(1))
    while True:
        filename = generated_file(f"{hint}_{next(numbers)}")
        entry = len(text), None, [f"{line}\n" for line in text.rstrip("\n").split("\n")], filename
        if linecache.cache.setdefault(filename, entry) is entry:
            return filename


def _unregister(filename: str) -> None:
    linecache.cache.pop(filename, None)
    forget(filename)
