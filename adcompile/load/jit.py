"""Text to machine code: a generated module under Numba.

The module is compiled as it is loaded (`load/module.py`). Where everything that it was made from can be named, its
machine code is kept on disk, so that another process finds it there (`load/machine_cache.py`). What Numba refuses is
reported at the user's line.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import linecache
import re
import sys
import threading
import types
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from adcompile.errors import JitError
from adcompile.load.machine_cache import KEPT, MachineCache
from adcompile.load.module import load
from adcompile.source import FunctionSource, Span
from adcompile.texts.watches import is_library
from adcompile.value_classes import value_class

if TYPE_CHECKING:
    from adcompile.load.module import Module

_PLAIN = (int, float, complex, bool, str, type(None), np.generic, np.dtype)
_PATIENCE = 1.0  # seconds, after which one is told what takes so long
_LINE = re.compile(r'File "(?P<file><?[^"]+)", line (?P<line>\d+)')
_NONE_FOR_THESE = re.compile(
    r"No implementation of function Function\(<(built-in )?function (\S*\.)?(?P<name>\w+)[^>]*>\) found for signature:"
)
_SETTING = re.compile(r"Failed in|File|During|def |\s|<source|-|\[")  # lines of its messages that tell nothing new
_RANDOM = re.compile(r"\b(np|numpy)\.random\.\w+|\brandom\.\w+\(")


@value_class()
class IntoRows:
    """A generated function that is given arrays of its result behind its arguments.

    `write` gives its module and its name there; `given` is True for each part of the result that is such an array,
    nested as the result is.
    """

    write: Callable[[], tuple[Module, str]]
    given: Any


@dataclass(slots=True)
class Native:
    """A generated function as machine code (`call`), and what it was made of and for."""

    call: Any
    module: Module
    name: str
    arguments: tuple[Any, ...]
    options: Mapping[str, Any]
    dtypes: Any
    digest: str | None  # of all that the module was made from, where that can be told and is looked for on disk
    on_disk: bool
    into_rows: IntoRows | None = None  # what a batch calls instead, where there is one
    batches: dict[Any, Any] = field(default_factory=dict)  # the loops over sets of arguments, by the types of these


def compile_native(
    module: Module, name: str, arguments: tuple[Any, ...], options: Mapping[str, Any], dtypes: Any, *, on_disk: bool
) -> Native:
    """The generated function `name` as machine code, compiled for the types of these arguments.

    `dtypes` are those that the result must have: the dtype of an array, None for what is no array, an ellipsis for
    anything, a tuple of these for a tuple. Raises `JitError` where Numba cannot take the function, and where it would
    give other results than Python.
    """
    numba = extra("numba")
    drawn = _RANDOM.search(_own_text(module))
    if drawn is not None:
        raise JitError(
            f"cannot compile `{drawn[0].rstrip('(')}` with Numba",
            reason="Numba draws random numbers from a state of its own, so they would be others than Python's.",
            remedy="Pass a `np.random.Generator` as an argument, or leave `jit` out.",
        )
    dispatchers, digest = dispatchers_of(module, name, options, on_disk=on_disk)
    dispatcher = dispatchers[name]
    compile_for(dispatcher, arguments, module, name)
    for made in dispatchers.values():
        _check_powers(made, module, numba)
        _check_eigenvalues(made, module, numba)
    _check_result(dispatcher, dtypes, module, name)
    keep_code(dispatcher)
    return Native(dispatcher, module, name, arguments, options, dtypes, digest, on_disk)


_IN_PYTHON = "__adcompile_in_python__"  # of what machine code cannot call: what it is, and why
_AS_IT_STANDS = "It is called as it stands, not as it is written for Numba, which may compute it otherwise."


def dispatchers_of(
    module: Module, name: str, options: Mapping[str, Any], *, on_disk: bool
) -> tuple[dict[str, Any], str | None]:
    """The functions of a module for Numba to compile, and its digest, by which `name` may be looked for on disk."""
    numba = extra("numba")
    _tell_of_matrices()
    digest = digest_of(module, options) if on_disk else None
    namespace = load(module, name, digest, for_numba=True)
    functions = {key: f for key, f in namespace.items() if isinstance(f, types.FunctionType) or hasattr(f, _IN_PYTHON)}
    dispatchers = {}
    for key, function in functions.items():
        if key in module.objects:
            what, reason = getattr(function, _IN_PYTHON, (f"the call of `{key}`", _AS_IT_STANDS))
            raise JitError(
                f"cannot compile {what} with Numba",
                span=_place(module, _lines_with(module, key)),
                reason=reason,
                remedy="Call it outside and pass what it returns, write it out where it is called, or leave `jit` out.",
            )
        dispatchers[key] = numba.njit(**options)(function)
    namespace.update(dispatchers)
    look_on_disk(dispatchers[name], digest)
    return dispatchers, digest


def compile_for(dispatcher: Any, arguments: Iterable[Any], module: Module, name: str) -> None:
    """Have Numba compile one of its functions, `name` of a module, for the types of these arguments."""
    numba = extra("numba")
    with _spinner(f"Compiling {name} with Numba"), warnings.catch_warnings():
        # Transposed matrices in products: it copies them, as NumPy does.
        warnings.simplefilter("ignore", numba.core.errors.NumbaPerformanceWarning)
        try:
            dispatcher.compile(tuple(numba.typeof(a) for a in arguments))
        except Exception as error:  # what Numba cannot take may also end in a fault of its own, of any class
            raise _refusal(error, module, name) from error


def look_on_disk(dispatcher: Any, digest: str | None) -> None:
    """Have a function of a module with this digest looked for on disk."""
    if digest is not None:
        dispatcher._cache = MachineCache(f"{digest} {dispatcher.py_func.__name__}")  # noqa: SLF001 - `enable_caching` sets it


def keep_code(dispatcher: Any) -> None:
    """Put on disk what was compiled and is as it should be."""
    if isinstance(dispatcher._cache, MachineCache):  # noqa: SLF001 - as above
        dispatcher._cache.keep()  # noqa: SLF001 - as above
        KEPT.say_trouble()


def extra(name: str) -> Any:
    """A module of the extra `jit`."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise JitError(
            f"`jit=True` needs {name}",
            reason="It is not installed.",
            remedy="Install it with `pip install adcompile[jit]`.",
        ) from error


@functools.cache
def _tell_of_matrices() -> None:
    """Tell Numba what `mT` of a matrix is, which it has not; stacks of matrices have their axes in no such order."""
    numba = extra("numba")

    @numba.extending.overload_attribute(numba.types.Array, "mT")  # type: ignore[untyped-decorator] # Numba has no types
    def mT(a: Any) -> Any:  # noqa: N802 - messages of Numba have this name
        def of_matrix(a: Any) -> Any:
            return a.T

        return of_matrix if a.ndim == 2 else None


def _own_text(module: Module) -> str:
    lines = module.text.split("\n")
    return "\n".join(line for first, last in module.own_lines for line in lines[first - 1 : last])


# ------------------------------------------------------------------------------------------------ what Numba made of it


def _check_powers(dispatcher: Any, module: Module, numba: Any) -> None:
    """Refuse powers of whole numbers, by the types that Numba found: `2**-1` is 0.5, and Numba's is 0."""
    whole = numba.types.Integer
    for overload in dispatcher.overloads.values():
        annotation = overload.type_annotation
        calls = getattr(annotation, "calltypes", None) or {}  # from the cache it has none: it was looked at before
        for expr, signature in calls.items():
            if getattr(expr, "op", "") not in ("binop", "inplace_binop") or expr.fn.__name__ not in ("pow", "ipow"):
                continue
            base, power = (getattr(kind, "dtype", kind) for kind in signature.args[:2])
            given = annotation.typemap.get(expr.rhs.name)
            positive = any(getattr(kind, "literal_value", -1) >= 0 for kind in (given, signature.args[1]))
            if isinstance(base, whole) and isinstance(power, whole) and not positive:
                raise JitError(
                    "cannot compile a whole number to the power of another with Numba",
                    span=_place(module, [expr.loc.line]),
                    reason="Python's is a float where the power is negative, and has no bound.",
                    remedy="Write `float(...)` around the base.",
                )


def _check_eigenvalues(dispatcher: Any, module: Module, numba: Any) -> None:
    """Refuse eigenvalues of real matrices: where they are complex, Numba raises and NumPy does not."""
    for overload in dispatcher.overloads.values():
        annotation = overload.type_annotation
        for expr, signature in (getattr(annotation, "calltypes", None) or {}).items():
            if getattr(expr, "op", "") != "call":
                continue
            called = getattr(annotation.typemap.get(expr.func.name), "typing_key", None)
            real = isinstance(getattr(signature.args[0] if signature.args else None, "dtype", None), numba.types.Float)
            if real and any(called is one for one in (np.linalg.eigvals, np.linalg.eig, np.roots)):
                raise JitError(
                    f"cannot compile `{getattr(called, '__name__', called)}` of real numbers with Numba",
                    span=_place(module, [expr.loc.line]),
                    reason="It raises where the result is complex.",
                    remedy="Call it outside and pass what it returns, or leave `jit` out.",
                )


def _check_result(dispatcher: Any, dtypes: Any, module: Module, name: str) -> None:
    """Insist on arrays of the dtypes that Python would give."""
    made = dispatcher.nopython_signatures[-1].return_type
    if not _has_dtypes(made, dtypes):
        raise JitError(
            f"Numba cannot compile `{module.user_names.get(name, name)}`",
            reason=f"Its result would come out as {made}.",
            remedy='Leave `jit` out, or use `jit="auto"`.',
        )


def _has_dtypes(made: Any, dtypes: object) -> bool:
    """Whether one of Numba's types has these dtypes."""
    if dtypes is ...:
        return True
    if isinstance(dtypes, tuple):
        items = getattr(made, "types", None) if hasattr(made, "count") else None
        return items is not None and len(items) == len(dtypes) and all(map(_has_dtypes, items, dtypes))
    found = str(made.dtype) if hasattr(made, "ndim") else None
    return found == dtypes


def _place(module: Module, lines: list[int]) -> Span | None:
    """Where the last of some lines of a module comes from."""
    places = [module.lines[line] for line in lines if line in module.lines]
    if not places:
        return None
    filename, number = places[-1]
    text = linecache.getline(filename, number).rstrip("\n")
    indent = len(text) - len(text.lstrip())
    return Span(number, indent, number, max(len(text), indent + 1), FunctionSource("", filename, text, number))


def _lines_with(module: Module, name: str) -> list[int]:
    """The lines of a module's text that call something by a name."""
    calls = re.compile(rf"(?<![\w.]){name}\(")
    return [k for k, line in enumerate(module.text.splitlines(), 1) if calls.search(line)]


def _refusal(error: Exception, module: Module, name: str) -> JitError:
    """What Numba says, at the user's line."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    text = _NONE_FOR_THESE.sub(r"Numba has no `\g<name>` for arguments of these types.", text)
    lines = [int(found["line"]) for found in _LINE.finditer(text)]
    said = [line.strip() for line in text.splitlines() if line.strip() and not _SETTING.match(line)]
    reason = said[0] if said else type(error).__name__
    if not isinstance(error, extra("numba").core.errors.NumbaError):
        reason = f"Numba fails with {type(error).__name__}: {reason}"
    return JitError(
        f"Numba cannot compile `{module.user_names.get(name, name)}`",
        span=_place(module, lines),
        reason=f"{reason.rstrip('.')}.",
        remedy='Write it with what Numba takes, leave `jit` out, or use `jit="auto"`.',
    )


@contextmanager
def _spinner(text: str) -> Iterator[None]:
    """Tell on the terminal what takes longer than a second."""
    status: list[Any] = []

    def start() -> None:
        from rich.console import Console  # noqa: PLC0415 - it takes 100 ms to import, and few ever see it

        console = Console(stderr=True)
        if console.is_terminal:
            status.append(console.status(text))
            status[0].start()

    timer = threading.Timer(_PATIENCE, start)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        for shown in status:
            shown.stop()


# ------------------------------------------------------------------------------------------------------------ the cache


def digest_of(module: Module, options: Mapping[str, Any], *also: str) -> str | None:
    """A text that differs for all that Numba would make different machine code of; `also` is what else that depends on.

    None where something that the module reads cannot be told by its text.
    """
    numba = extra("numba")
    told = [module.text, *also, numba.__version__, np.__version__, sys.version, repr(sorted(options.items()))]
    for name, value in sorted(module.objects.items()):
        if isinstance(value, types.ModuleType) and is_library(value.__name__):
            package = sys.modules[value.__name__.partition(".")[0]]
            told.append(f"{name} is {value.__name__} {getattr(package, '__version__', '')}")
        elif isinstance(value, type) and (is_library(value.__module__) or hasattr(value, "_fields")):
            told.append(f"{name} is {value.__module__}.{value.__qualname__}{getattr(value, '_fields', '')}")
        elif isinstance(value, types.BuiltinFunctionType | np.ufunc):
            told.append(f"{name} is {value.__name__} of {getattr(value, '__module__', '')}")
        elif _is_plain(value):
            told.append(f"{name} = {value!r}")
        elif callable(value) and getattr(value, "__module__", "").partition(".")[0] in ("numpy", "math", "builtins"):
            told.append(f"{name} is {value.__module__}.{getattr(value, '__qualname__', '')}")
        else:
            return None
    return hashlib.sha256("\n".join(told).encode()).hexdigest()


def _is_plain(value: object) -> bool:
    return isinstance(value, _PLAIN) or (isinstance(value, tuple) and all(map(_is_plain, value)))
