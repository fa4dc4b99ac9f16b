"""What each name from outside a function becomes in the text of a module of its own.

| The name stands for | and becomes |
|---|---|
| a module | `import numpy as np`, under the user's alias |
| an object of an importable module | `from numpy import sin as s` |
| a function or class of the user's own module | its source, verbatim, with what that needs |
| a partial application or named tuple | the call that makes it again |
| a number, string, small array, or container of them | `K = 3.0` |
| anything else | `from user_module import NAME`, or a line that the caller fills in |
"""

from __future__ import annotations

import builtins
import inspect
import sys
from dataclasses import dataclass, field
from functools import cache
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, Literal

from adcompile.calls.record import Partials
from adcompile.emit.constants import constant_text
from adcompile.emit.rebuilt import rebuilt
from adcompile.emit.verbatim import OWN, Verbatim, definition, verbatim
from adcompile.errors import UnsupportedError
from adcompile.ir.nodes import Ref
from adcompile.value_classes import value_class

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from adcompile.source import FunctionSource

_NAMESPACES = ("math", "cmath", "operator", "functools", "itertools", "numpy", "numpy.linalg", "numpy.fft",
               "numpy.random", "scipy.special", "scipy.linalg")  # fmt: skip
_COPIED = (f"{OWN}.runtime", f"{OWN}.analyses.readings.prelude")  # of ours; the rest is for those who differentiate
_CONSTANTS = ("math", "numpy", "scipy.constants")


@value_class()
class Builtin:
    """A name that Python itself provides."""


@dataclass(slots=True)
class Module:
    """A module by its path, with the submodules that the text reaches through it."""

    path: str
    submodules: set[str] = field(default_factory=set)


@value_class()
class Member:
    """A name in an importable module; `why` is the comment beside its import."""

    module: str
    attribute: str
    why: str = ""


@value_class()
class Source:
    """A definition that is copied; `is_runtime` for adcompile's own functions, which are always run from the copy."""

    verbatim: Verbatim
    is_runtime: bool


@value_class()
class Constant:
    """A value that is written out."""


@value_class()
class Generated:
    """Another function of the same module."""


@value_class()
class Unavailable:
    """A value that no text can give: the caller has to set it."""


@value_class()
class Undefined:
    """A name that stands for nothing yet: reading it raises `NameError`, as in the user's function."""


Constants = Literal["embed", "import", "argument"]
"""What a module of its own has for data from outside: the values, imports, or arguments in their place."""

Form = Builtin | Module | Member | Source | Constant | Generated | Unavailable | Undefined


def classify(name: str, value: Any, home: str | None) -> Form:
    """Decide what a name becomes. `home` is the name of the user's own module.

    >>> import math, numpy
    >>> classify("np", numpy, None), classify("s", numpy.sin, None)
    (Module(path='numpy', submodules=set()), Member(module='numpy', attribute='sin', why=''))
    >>> classify("pi", math.pi, None), classify("tau", 6.0, None)
    (Member(module='math', attribute='pi', why=''), Constant())
    >>> classify("K", 3.0, None), classify("max", max, None), classify("lock", object(), None)
    (Constant(), Builtin(), Unavailable())
    """
    if type(value).__name__ == "Missing" and type(value).__module__.partition(".")[0] == OWN:
        return Undefined()
    if getattr(builtins, name, _MISSING) is value:
        return Builtin()
    if isinstance(value, ModuleType):
        return Module(value.__name__)
    if type(value) is float:
        for module in _CONSTANTS:
            if getattr(sys.modules.get(module), name, _MISSING) is value:
                return Member(module, name)
    if constant_text(value) is not None:
        return Constant()
    if isinstance(value, type) and issubclass(value, Partials) and (made := rebuilt(value, name)) is not None:
        return Source(made, is_runtime=False)
    where = importable(value, name)
    if type(value).__module__.partition(".")[0] == OWN and not isinstance(value, FunctionType | type):
        return Unavailable() if where is None else Member(*where)  # which does more than the function it was made of
    is_own = where is not None and where[0].startswith(_COPIED)
    if definition(value) is not None and (where is None or where[0] == home or is_own):
        found = _own(value, name) if is_own else verbatim(value, name)
        if found is not None:
            return Source(found, is_runtime=is_own)
    made = rebuilt(value, name) if where is None or where[0] == home else None
    if made is not None:
        return Source(made, is_runtime=False)
    if where is not None:
        return Member(*where)
    if home is not None and _holds(home, name, value):
        return Member(home, name, f"kept where it lives: {_a(value)}")
    return Unavailable()


_own = cache(verbatim)  # of the functions that are copied from `runtime/helpers.py` and its neighbours


def standing_alone(form: Form, name: str, value: Any, home: str | None, constants: Constants) -> Form:
    """What a name becomes in a module that runs without its caller; refused where it can be nothing there."""
    if constants == "import" and isinstance(value, type) and home is not None and _holds(home, name, value):
        return Member(home, name)
    is_data = isinstance(form, Constant | Unavailable)
    if isinstance(form, Member) and not callable(value):
        is_data = bool(form.why) or form.module == home
    if not is_data or (constants == "embed" and isinstance(form, Constant)):
        return form
    is_importable = home is not None and _holds(home, name, value)
    if constants == "import" and home is not None and is_importable:
        return Member(home, name)
    other = "import" if is_importable else "argument"
    alone = "its text alone does not make it" if definition(value) else "too large or too special to be written out"
    why, remedy = {
        "embed": (f"It is {_a(value)}, and {alone}.", other),
        "import": ("It is not a name of an importable module: of a script, or of an enclosing function.", "embed"),
        "argument": ("A function that is copied as it stands reads it.", "embed"),
    }[constants]
    message = f"cannot write `{name}` into a module of its own"
    raise UnsupportedError(message, reason=why, remedy=f'Try `constants="{remedy}"`, or pass it as an argument.')


def importable(value: Any, name: str) -> tuple[str, str] | None:
    """The module and attribute under which an object can be imported; the most public module that has it.

    >>> import numpy
    >>> importable(numpy.linalg.norm, "norm"), importable(numpy.exp, "e"), importable(len, "length")
    (('numpy.linalg', 'norm'), ('numpy', 'exp'), ('builtins', 'len'))
    """
    if isinstance(value, ModuleType):
        return None
    home = getattr(value, "__module__", None)
    names = dict.fromkeys(n for n in (getattr(value, "__name__", None), name) if isinstance(n, str))
    modules = dict.fromkeys([*_public(home), *_NAMESPACES] if isinstance(home, str) else _NAMESPACES)
    if not callable(value):
        modules = dict.fromkeys(_public(home)) if isinstance(home, str) else {}
    for module in modules:
        for attribute in names:
            if _holds(module, attribute, value):
                return module, attribute
    return None


def submodules_of(path: str, module: ModuleType, attributes: tuple[str, ...]) -> str | None:
    """The deepest submodule on a chain of attributes, if it takes an import of its own.

    >>> import xml.etree.ElementTree
    >>> submodules_of("xml", xml, ("etree", "ElementTree", "parse"))
    'xml.etree.ElementTree'
    """
    deepest = None
    at: Any = module
    for attribute in attributes:
        at = getattr(at, attribute, None)
        path = f"{path}.{attribute}"
        if not isinstance(at, ModuleType) or at.__name__ != path or path not in sys.modules:
            break
        deepest = path
    return None if deepest is None or deepest.startswith("numpy.") else deepest


def lookup_for(source: FunctionSource, primal: FunctionType | None) -> Callable[[str], Ref | None]:
    """Resolve the names in text that came from a function: from the user's function, or the module of its file.

    >>> from adcompile.source import FunctionSource
    >>> def f(): return 1
    >>> lookup = lookup_for(FunctionSource("f", f.__code__.co_filename, "", 1), f)
    >>> lookup("f").value is f, lookup("max"), lookup("nowhere")
    (True, Ref(name='max', value=<built-in function max>, scope='builtin'), None)
    """
    places: list[tuple[str, Mapping[str, Any]]] = []
    if primal is not None and primal.__code__.co_filename == source.filename:
        cells = inspect.getclosurevars(primal).nonlocals if primal.__closure__ else {}
        places += [("closure", cells), ("global", primal.__globals__)]
    else:
        files = (module for module in list(sys.modules.values()) if _file_of(module) == source.filename)
        places += [("global", vars(module)) for module in files]
    places.append(("builtin", vars(builtins)))

    def lookup(name: str) -> Ref | None:
        return next((Ref(name, names[name], scope) for scope, names in places if name in names), None)

    return lookup


def _file_of(module: object) -> str | None:
    found = getattr(module, "__dict__", {}).get("__file__")
    return found if isinstance(found, str) else None


def _public(path: str) -> list[str]:
    """`scipy.linalg._basic` can be had from `scipy.linalg` if that exports it."""
    pieces = path.split(".")
    private = next((at for at, piece in enumerate(pieces) if piece.startswith("_")), len(pieces))
    parents = [".".join(pieces[:count]) for count in range(private, 0, -1)]
    return [*parents[:1], path] if private == len(pieces) else [*parents, path]


def _holds(module: str, name: str, value: Any) -> bool:
    found = sys.modules.get(module)
    if found is None or module == "__main__" or getattr(found, "__spec__", None) is None:
        return False
    return getattr(found, name, _MISSING) is value


def _a(value: Any) -> str:
    name = "array" if type(value).__name__ == "ndarray" else type(value).__name__
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


_MISSING = object()
