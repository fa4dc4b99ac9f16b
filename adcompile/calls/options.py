"""What users write as options, in the words of the compiler."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, Literal, TypedDict

import numpy as np

from adcompile.calls.bounded import number_of_bytes
from adcompile.calls.nested import written_out
from adcompile.errors import ADError, ArgumentError
from adcompile.texts.watches import is_library

_OPTIONS = (  # of all transformations together
    *("wrt", "intermediates", "has_aux", "source", "checkpoint", "snapshots", "max_memory", "check", "jit", "mode"),
    *("sparse", "chunk", "hooks", "cache"),
)

_CACHED: Any = type(lru_cache(int))  # what a cache of `functools` makes of a function

Names = str | int | Sequence[str | int] | None
Jit = bool | Literal["auto"]
Check = bool | Literal["always"]
Hooks = Mapping[str, Callable[[Any], Any]] | None


class NumbaOptions(TypedDict, total=False):
    """Numba's own options, for `jit=True`. Indices are tested unless `boundscheck` is False."""

    fastmath: bool
    parallel: bool
    error_model: Literal["python", "numpy"]
    boundscheck: bool


def target_of(fn: Any, what: str) -> tuple[types.FunctionType, tuple[Any, ...], tuple[str, ...]]:
    """The function behind what was given, the arguments bound in front, and the inputs left out unless named."""
    if (generated := getattr(type(fn), "signature_of_generated", None)) is not None:
        found: tuple[types.FunctionType, tuple[Any, ...], tuple[str, ...]] = generated(fn)
        return found
    if isinstance(python := getattr(fn, "py_func", None), types.FunctionType):
        return target_of(python, what)  # under `@njit`
    if isinstance(fn, partial):
        target_of(fn.func, what)  # or this raises
        return written_out(fn), (), ()
    if isinstance(fn, _CACHED):
        return target_of(fn.__wrapped__, what)
    called = inspect.getattr_static(type(fn), "__call__", None)
    if isinstance(called, types.FunctionType) and not is_library(called.__module__):  # an object of the user's
        return written_out(partial(fn)), (), ()  # which looks its `__call__` up at each call, as Python does
    if isinstance(fn, types.MethodType) and isinstance(fn.__func__, types.FunctionType):
        first = next(iter(inspect.signature(fn.__func__, follow_wrapped=False).parameters))
        return fn.__func__, (fn.__self__,), (first,)
    if isinstance(fn, types.FunctionType):
        first = next(iter(inspect.signature(fn, follow_wrapped=False).parameters), "")
        return fn, (), ("self",) if first == "self" else vars(fn).get("__adcompile_captured__", ())
    name = getattr(fn, "__name__", type(fn).__name__)
    hint = "Write `lambda x: ...` or a `def` that calls it." if callable(fn) else "Give it a function."
    raise ArgumentError(
        f"{what} takes a Python function, not {name!r}",
        reason="Its source is what gets differentiated, and this has none.",
        remedy=hint,
    )


def waiting(transformation: Callable[..., Any], given: Mapping[str, Any]) -> partial[Any]:
    """A transformation as a decorator: it has its options, its parameters by name in `given`, but no function yet."""
    own = {name: value for name, value in given.items() if name not in ("fn", "numba")}
    return partial(transformation, **own, **given.get("numba", {}))


def order_of(fn: Any, what: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """What was asked for, in the words of the compiler: the parameters of a transformation by name, each checked."""
    order: dict[str, Any] = {"wrt": input_names(given["wrt"], target_of(fn, what)[0], "wrt")}
    order["source"] = source_option(given["source"])
    if "intermediates" in given:
        order["intermediates"] = intermediate_names(given["intermediates"])
    if "has_aux" in given:
        order["has_aux"] = given["has_aux"]
    if "checkpoint" in given:
        order |= checkpoint_options(given["checkpoint"], given["snapshots"], given["max_memory"])
    if "hooks" in given:
        order |= hook_options(given["hooks"], given["jit"])
    if "chunk" in given:
        order |= chunk_option(given["chunk"])
    if "check" in given:
        order |= check_option(given["check"])
    if "jit" in given:
        order |= jit_options(given["jit"], given["numba"])
    return order | cache_option(given["cache"])


def jit_options(jit: Jit, numba: NumbaOptions) -> dict[str, Any]:
    """What the options for Numba come to, in the words of the compiler."""
    if jit not in (False, True, "auto"):
        raise ArgumentError(f"jit is True, False or 'auto', not {jit!r}")
    unknown = sorted(set(numba) - set(NumbaOptions.__annotations__))
    if unknown:
        import difflib  # noqa: PLC0415 - only on the way to an error

        near = difflib.get_close_matches(unknown[0], [*_OPTIONS, *NumbaOptions.__annotations__], 1)
        raise ArgumentError(
            f"there is no option {unknown[0]!r}",
            reason=f"There are {', '.join(_OPTIONS)}, and those of Numba: {', '.join(NumbaOptions.__annotations__)}.",
            remedy=f"Did you mean {near[0]!r}?" if near else "",
        )
    if numba and not jit:
        raise ArgumentError(f"{next(iter(numba))!r} is an option of Numba", remedy="Give it together with `jit=True`.")
    return {"jit": jit, "numba": tuple(sorted(numba.items()))}


def check_option(check: Check) -> dict[str, Any]:
    """What the option for comparing texts with their functions comes to, in the words of the compiler."""
    if check not in (False, True, "always"):
        raise ArgumentError(f"check is True, False or 'always', not {check!r}")
    return {"check": check}


def cache_option(cache: bool) -> dict[str, Any]:  # noqa: FBT001 - as users write it
    """What the option for texts on disk comes to."""
    if cache not in (False, True):
        raise ArgumentError(f"cache is True or False, not {cache!r}")
    return {} if cache else {"cache": False}


def checkpoint_options(
    checkpoint: str | Sequence[str], snapshots: int | None, max_memory: str | int | None = None
) -> dict[str, Any]:
    """What the options for checkpointing come to, in the words of the compiler."""
    given: Any = checkpoint
    if isinstance(checkpoint, str):
        given = checkpoint.replace(",", " ").split()
    names = tuple(given) if isinstance(given, Iterable) else (given,)
    if not all(isinstance(name, str) for name in names):
        message = f"checkpoint takes names of loops, not {checkpoint!r}"
        raise ArgumentError(message, remedy='A loop is named by its variable or by a name in its range: "t", "steps".')
    if snapshots is not None and (not isinstance(snapshots, int) or isinstance(snapshots, bool) or snapshots < 1):
        message = f"snapshots is a number of at least 1, not {snapshots!r}"
        raise ArgumentError(message, remedy="Leave it out for as many as seem good for the number of steps.")
    if snapshots is not None and not names:
        message = "snapshots is given, but no loop to checkpoint"
        raise ArgumentError(message, remedy='Name it by its variable or its range: `checkpoint="t", snapshots=30`.')
    limit = number_of_bytes(max_memory)
    if limit is not None and snapshots is not None:
        raise ArgumentError("snapshots and max_memory both say how much may be kept", remedy="Give one of them.")
    return {"checkpoint": tuple(dict.fromkeys(names)), "snapshots": snapshots, "max_memory": limit}


def intermediate_names(given: str | Sequence[str]) -> tuple[str, ...]:
    """Names of locals from a name, several in one string, or a sequence."""
    names = given.replace(",", " ").split() if isinstance(given, str) else given or ()
    if not isinstance(names, Iterable) or isinstance(names, bytes) or not all(isinstance(name, str) for name in names):
        message = f"intermediates takes names of locals, not {given!r}"
        raise ArgumentError(message, remedy='Write them as "u v" or ("u", "v"), or "*" for all of them.')
    return tuple(dict.fromkeys(part for name in names for part in name.split()))


def hook_options(hooks: Mapping[str, Callable[[Any], Any]] | None, jit: Jit) -> dict[str, Any]:
    """What the functions that see partials come to, in the words of the compiler."""
    if hooks is None or hooks == {}:
        return {}
    if not isinstance(hooks, Mapping) or not all(isinstance(k, str) and callable(f) for k, f in hooks.items()):
        message = f"hooks takes functions by the names of locals, not {hooks!r}"
        raise ArgumentError(message, remedy='Write `hooks={"u": function}`, or "u[*]" for each time that `u` is set.')
    if jit:
        message = "a hook cannot be called from machine code"
        raise ArgumentError(message, reason="It is a function of Python's.", remedy="Leave `jit` out, or `hooks`.")
    return {"hooks": tuple(hooks.items())}


def chunk_option(chunk: int | None) -> dict[str, Any]:
    """What the option for columns that are made at once comes to."""
    if chunk is None:
        return {}
    if not isinstance(chunk, int) or isinstance(chunk, bool) or chunk < 1:
        raise ArgumentError(f"chunk is a number of columns, at least 1, not {chunk!r}")
    return {"chunk": chunk}


def source_option(source: str | None) -> str | None:
    """The text of a function, as given."""
    if not isinstance(source, str | None):
        message = f"source is the text of the function, not {source!r}"
        raise ArgumentError(message, remedy="Leave it out where Python finds the text itself: in a file, a notebook.")
    return source


def input_names(given: Names, fn: types.FunctionType, what: str) -> tuple[str, ...] | None:
    """Names from a name, several in one string, a sequence, or positions."""
    if given is None:
        return None
    if isinstance(given, str):
        return tuple(given.replace(",", " ").split())
    if isinstance(given, int) and not isinstance(given, bool):
        given = (given,)
    if not isinstance(given, Iterable) or isinstance(given, bytes):
        message = f"{what} takes names or positions, not {given!r}"
        raise ArgumentError(message, remedy='Write them as "x w", ("x", "w") or (0, 1).')
    inputs = list(inspect.signature(fn, follow_wrapped=False).parameters)
    found: list[str] = []
    for name in given:
        if isinstance(name, str):
            found += name.split()
        elif isinstance(name, int) and not isinstance(name, bool) and -len(inputs) <= name < len(inputs):
            found.append(inputs[name])
        else:
            raise ArgumentError(
                f"{what} takes names or positions, not {name!r}",
                reason=f"The inputs of `{fn.__name__}` are {', '.join(inputs)}.",
                remedy='Write them as "x w", ("x", "w") or (0, 1).',
            )
    return tuple(dict.fromkeys(found))


def annotated(fn: types.FunctionType, bound: tuple[Any, ...]) -> tuple[Any, ...]:
    """What is bound in front, values of the annotated types, and numbers where nothing is annotated."""
    found = list(bound)
    annotations = inspect.get_annotations(fn)
    for name, p in list(inspect.signature(fn, follow_wrapped=False).parameters.items())[len(bound) :]:
        if p.kind is p.VAR_POSITIONAL:
            found.append(())
        elif p.kind is p.VAR_KEYWORD:
            found.append({})
        elif name in annotations:
            found.append(_example_of(annotations[name], name, fn))
        else:
            found.append(1.0 if p.default is p.empty else p.default)
    return tuple(found)


def assumed(refusal: ADError, fn: types.FunctionType) -> ADError:
    """A refusal of a text for which nobody gave arguments, with what was assumed of them."""
    plain = [p for p in inspect.signature(fn, follow_wrapped=False).parameters.values() if p.default is p.annotation]
    names = [f"`{p.name}`" for p in plain if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD) and p.name != "self"]
    if not names:
        return refusal
    count = "counts as a number" if len(names) == 1 else "count as numbers"
    known = f"Without arguments {', '.join(names)} {count}"
    remedy = f"{known}: if that is wrong, give some (`source_for(*args)`, or `--args`)."
    return type(refusal)(refusal.message, span=refusal.span, reason=refusal.reason, remedy=remedy)


def _example_of(annotation: Any, name: str, fn: types.FunctionType) -> Any:
    """A value of an annotated type."""
    simple: dict[Any, Any] = {float: 1.0, int: 1, bool: True, complex: 1.0 + 0j, "float": 1.0, "int": 1, "bool": True}
    if isinstance(annotation, str) and annotation not in simple:
        annotation = fn.__globals__.get(annotation, annotation)
    if annotation in simple:
        return simple[annotation]
    text = str(annotation)
    if annotation is np.ndarray or "ndarray" in text or "NDArray" in text:
        return np.ones(2, np.float32 if "float32" in text else np.float64)
    raise ArgumentError(
        f"cannot tell from its annotation what `{name}` of `{fn.__name__}` is",
        reason=f"It is annotated as {text}.",
        remedy="Ask for the text with arguments: `source_for(*args)`.",
    )
