"""NumPy as its signatures allow it to be called: ways that are drawn by themselves, each compared with differences.

    python -m tests.rules.numpy_ways                  # all of them, in half an hour; what is not right is printed
    python -m tests.rules.numpy_ways 10               # every tenth
    python -m tests.rules.numpy_ways 1 np.pad np.sum  # all of some functions

A way is a call that NumPy takes: arrays of some ranks and dtypes, at most two options, by position, by keyword or as a
method. What NumPy itself refuses is no way. The result is made one number, and its slope along a direction in all
arrays is compared in both modes.
"""

from __future__ import annotations

import collections
import importlib.util
import inspect
import itertools
import random
import sys
import tempfile
import warnings
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from adcompile import grad, jvp
from adcompile.errors import ADError
from adcompile.rules.forms import TABLE
from adcompile.rules.methods import METHODS

_ARRAYS = {
    "x", "x1", "x2", "a", "b", "c", "m", "arr", "array", "ar", "y", "v", "p", "q", "A", "z", "filt", "val", "fp", "xp",
    "in_array", "element", "object", "a1", "a2", "object_", "ary", "values", "weights", "d", "s", "A", "B", "start", "stop",
    "seq_of_zeros", "f", "mat",
}
_LISTS = {"tup", "arrays", "xi", "arys", "args", "choicelist", "choices"}
# What an option can be, by its name: texts, of which NumPy itself says which ones fit a call.
_CHOICES: dict[str, tuple[str, ...]] = {
    "axis": ("0", "-1", "1", "None", "(0, 1)", "(-1,)", "(0, -1)", "-2"), "axes": ("(1, 0)", "(0, 1)", "1", "(-1,)", "None"),
    "axis1": ("1", "-1"), "axis2": ("0", "-2"), "axisa": ("0",), "axisb": ("0",), "axisc": ("0",),
    "keepdims": ("True", "False"), "ddof": ("1", "0"), "correction": ("1",), "initial": ("0.5",), "where": ("MASK",),
    "dtype": ("np.float64", "np.float32", "complex", "float", "'d'"), "order": ("'C'", "'F'", "'A'", "'K'"),
    "n": ("1", "2", "3", "5"), "k": ("1", "-1", "0"), "offset": ("1", "-1"), "shift": ("1", "-2", "(1, 1)"),
    "repeats": ("2", "np.array([1, 2, 1])", "[2, 0, 1]"), "reps": ("2", "(2, 1)", "(1, 2, 2)"),
    "indices": ("0", "np.array([0, 1, 0])", "np.array([[1, 0], [0, 0]])", "[1, -1]"),
    "indices_or_sections": ("1", "[1]", "3", "[1, 2]"), "newshape": ("-1", "(-1, 1)", "(3, -1)"),
    "shape": ("(2, 3)", "(3,)", "(4, 2, 3)", "-1", "(1, -1)", "(2, 2, 3)"), "new_shape": ("(4, 2)", "(7,)", "(1, 2)"),
    "norm": ("'ortho'", "'forward'", "'backward'"), "source": ("0", "(0, 1)"), "destination": ("-1", "(1, 0)"),
    "obj": ("1", "[0, 1]", "slice(0, 1)", "-1"), "pad_width": ("1", "(1, 2)", "((1, 0), (0, 2))", "0"),
    "condition": ("x > 0.5", "[True, False, True]"), "condlist": ("[x > 0.6, x > 0.3]",), "num": ("4", "1"),
    "endpoint": ("False", "True"), "retstep": ("True",), "a_min": ("0.4", "None"), "a_max": ("0.7",), "min": ("0.4", "None"),
    "max": ("0.7",), "decimals": ("1",), "bins": ("3", "[0.0, 0.5, 1.0]"), "range": ("(0.0, 1.0)",), "density": ("True",),
    "q": ("0.3", "[0.2, 0.9]"), "method": ("'linear'", "'lower'", "'hazen'", "'nearest'", "'midpoint'", "'median_unbiased'"),
    "overwrite_input": ("True",), "period": ("2.0",), "left": ("0.1",), "right": ("0.2",), "bias": ("True",),
    "rowvar": ("False",), "full": ("True",), "increasing": ("True",), "N": ("2", "4"), "deg": ("1",), "edge_order": ("2",),
    "ord": ("1", "2", "'fro'", "'nuc'", "np.inf", "-np.inf", "-1", "-2", "0", "3"), "rcond": ("1e-9", "None"),
    "rtol": ("1e-9",), "UPLO": ("'U'",), "upper": ("True",), "full_matrices": ("False", "True"), "compute_uv": ("False",),
    "hermitian": ("True",), "include_initial": ("True",), "dx": ("0.5",), "mode": (
        "'full'", "'same'", "'valid'", "'constant'", "'edge'", "'reflect'", "'symmetric'", "'wrap'", "'mean'", "'maximum'",
        "'minimum'", "'median'", "'linear_ramp'", "'empty'", "'clip'", "'raise'", "'complete'", "'reduced'", "'r'"),
    "constant_values": ("0.3", "(0.1, 0.2)"), "end_values": ("0.3",), "stat_length": ("2",), "reflect_type": ("'odd'",),
    "discont": ("1.0",), "to_begin": ("0.1",), "to_end": ("[0.1, 0.2]",), "prepend": ("0.1",), "append": ("0.1",),
    "copy": ("False", "True", "None"), "nan": ("0.1",), "subok": ("False",), "sparse": ("True",), "indexing": ("'ij'",),
    "start": ("0",), "stop": ("2.0",), "kth": ("1",), "window_shape": ("2", "(2, 2)"), "fill_value": ("0.4",),
    "return_counts": ("True",), "deg_": (), "ind": ("[0, 2]",), "mask": ("x > 0.5",), "vals": ("[0.1, 0.2]",), "iterations": (),
    "returned": ("True",), "trim": (), "minlength": ("5",), "base": ("3.0",), "step": ("0.5",), "func1d": (
        "np.sum", "lambda t: t * t"), "M": ("4",), "func": ("np.sum",), "exp": ("2",), "min_": (), "ndmin": ("3",), "stable": ("True",),
    "kind": ("'stable'",), "default": ("0.5",), "subscripts": ("'ij->ji'", "'ij,jk->ik'", "'i,i'", "'...i->...'", "'ii'"),
    "optimize": ("True",), "ndim": (), "device": (), "like": (), "tol": ("1e-9",), "posinf": ("1.0",), "neginf": ("1.0",),
}
_SKIPPED = {"out", "like", "device", "casting", "signature", "extobj", "subok", "max_rows"}
_SHAPES: tuple[tuple[tuple[int, ...], ...], ...] = (
    ((3,),), ((2, 3),), ((3, 3),), ((),), ((2, 3, 2),), ((2, 1, 3, 2),), ((1,),), ((0,),), ((2, 0),), ((2, 3, 3),), ((4, 3),),
)
_PAIRS = (
    ((3,), (3,)), ((2, 3), (2, 3)), ((2, 3), (3,)), ((3, 3), (3,)), ((3, 3), (3, 3)), ((2, 1), (1, 3)), ((), (2, 3)), ((3,), ()),
    ((), ()), ((2, 3, 3), (2, 3, 3)), ((0,), (0,)), ((1,), (3,)), ((2, 3), (3, 2)), ((3,), (2,)), ((2, 2, 3), (3,)),
)
# Calls whose arguments are nothing that a signature tells.
_SPELLED: dict[str, tuple[str, ...]] = {
    "np.einsum": (
        "np.einsum('ij,jk->ik', x, y)", "np.einsum('ij,jk', x, y)", "np.einsum('ii', x)", "np.einsum('ii->i', x)",
        "np.einsum('...j,jk->...k', x, y)", "np.einsum('ij->ji', x)", "np.einsum('ij->', x)", "np.einsum(x, [0, 1], y, [1, 2])",
        "np.einsum('ij,ij->i', x, y, optimize=True)", "np.einsum('ij , jk -> ki', x, y)", "np.einsum('ij,kj,lk->il', x, y, x)",
        "np.einsum('i...->...', x)", "np.einsum('ij,jk->ik', x, y, dtype=float)", "np.einsum('ij,ij', x, y, order='F')",
        "np.einsum(x, [0, 0])", "np.einsum('ij,kl->ijkl', x, y)"),
    "np.where": ("np.where(x > 0.5, x, y)", "np.where(x > 0.5, x, 0.0)", "np.where(True, x, y)", "np.where(x[0] > 0.5, x, y)",
                 "np.where(y > 0.5, 1.0, x * y)", "np.where([[True], [False], [True]], x, y[0])"),
    "np.choose": ("np.choose([0, 1, 0], [x, y])", "np.choose([0, 1, 2], x)", "np.choose([0, 1, 3], (x, y), mode='clip')",
                  "np.choose([0, 1, -1], (x, y), mode='wrap')"),
    "np.block": ("np.block([x, y])", "np.block([[x, y], [y, x]])", "np.block([[x], [y]])", "np.block(x)", "np.block([x[0], 1.0])"),
    "np.c_": ("np.c_[x, y]", "np.c_[x[0], y[0]]", "np.c_[x, y[0]]", "np.c_[x[0], 1.0 * np.arange(3)]"),
    "np.r_": ("np.r_[x, y]", "np.r_[x[0], 0.0, y[0]]", "np.r_[x[0], 1:3]", "np.r_[0.5, 1.0, x[0]]"),
    "np.piecewise": ("np.piecewise(x, [x > 0.5], [lambda t: t * t, lambda t: -t])", "np.piecewise(x, [x > 0.5], [np.sin])",
                     "np.piecewise(x, [x > 0.5, x < 0.3], [np.sin, np.cos, np.exp])", "np.piecewise(x, [x > 0.5], [1.0, 2.0]) * x",
                     "np.piecewise(x, x > 0.5, [np.sin, 0.0])", "np.piecewise(x, [x > 0.5, x < 0.3], [np.sin, 0.5])"),
    "np.vectorize": ("np.vectorize(lambda t: t * t)(x)", "np.vectorize(lambda t, u: t * u)(x, y)", "np.vectorize(np.sin)(x)",
                     "np.vectorize(lambda t: t if t > 0.5 else 0.0)(x)", "np.vectorize(lambda t: t * t, otypes=[float])(x)",
                     "np.vectorize(lambda t, u: t * u)(x, 2.0)", "np.vectorize(lambda t, u: t + u)(x, u=y)",
                     "np.vectorize(lambda v: v.sum(), signature='(n)->()')(x)"),
    "np.frompyfunc": ("np.frompyfunc(lambda t: t * t, 1, 1)(x).astype(float)",),
    "np.apply_along_axis": ("np.apply_along_axis(lambda v: v * v, 0, x)", "np.apply_along_axis(np.sum, 1, x)",
                            "np.apply_along_axis(np.sort, -1, arr=x)", "np.apply_along_axis(lambda v, k: v[k], 0, x, 1)",
                            "np.apply_along_axis(lambda v, k: v[k], 0, x, k=1)", "np.apply_along_axis(np.outer, 0, x, np.ones(2))"),
    "np.apply_over_axes": ("np.apply_over_axes(np.sum, x, [0, 1])", "np.apply_over_axes(np.max, x, 0)"),
    "np.fromfunction": ("np.fromfunction(lambda i, j: x * (i + j), (3, 3))", "np.fromfunction(lambda i: x[0] * i, (3,))"),
    "np.bincount": ("np.bincount([0, 1, 1], weights=x[0])", "np.bincount([0, 1, 1], x[0], 5)"),
    "np.arange": ("np.arange(x[0, 0], 5.0, 0.5)", "np.arange(x[0, 0], x[0, 0] + 2.0)", "np.arange(3) * x", "np.arange(0.0, 2.0, x[0, 0] + 1)"),
    "np.gradient": ("np.gradient(x)", "np.gradient(x, axis=0)", "np.gradient(x, 0.5)", "np.gradient(x, 0.5, axis=(0, 1))",
                    "np.gradient(x, 0.5, 2.0)", "np.gradient(x[0], [0.0, 0.5, 2.0])", "np.gradient(x, edge_order=2)",
                    "np.gradient(x[0], y[0, 0])", "np.gradient(x[0], np.cumsum(y[0]))"),
    "np.ldexp": ("np.ldexp(x, 2)", "np.ldexp(x, [1, 2, 3])"),
    "np.linalg.cholesky": ("np.linalg.cholesky(x @ x.T + 3 * np.eye(3))", "np.linalg.cholesky(x @ x.T + 3 * np.eye(3), upper=True)",
                           "np.linalg.cholesky(np.stack([x @ x.T, y @ y.T]) + 3 * np.eye(3))"),
    "np.poly": ("np.poly(x[0])", "np.poly(x + x.T)"),
    "np.take_along_axis": ("np.take_along_axis(x, np.argsort(x, 0), 0)", "np.take_along_axis(x, np.argsort(x, axis=None), None)",
                           "np.take_along_axis(x, np.array([[0], [1], [1]]), axis=-1)"),
    "x.flat": ("x.flat[1]", "x.flat[[0, 2]]", "x.flat[1:]", "[2.0 * v for v in x.flat]", "np.array([v for v in x.flat])"),
    "x.T": ("x.T", "x.T @ y", "x.mT", "x.real", "x.imag + x", "x.conj()", "x.conjugate()", "x.copy('F')", "x.copy(order='C')",
            "x.flatten()", "x.flatten('F')", "x.ravel('K')", "x.item(2)", "x.tolist()", "x.astype(float)", "x.astype('d', copy=False)",
            "x.reshape(9)", "x.reshape(-1, 1)", "x.reshape((1, -1))", "x.reshape(3, 3, order='F')", "x.transpose()", "x.transpose(1, 0)",
            "x.transpose((1, 0))", "x.swapaxes(0, 1)", "x.squeeze()", "x.view()", "x.round(1) + x", "x.clip(0.3, 0.6)", "x.clip(min=0.3)",
            "x.dot(y)", "x.__add__(y)", "x.trace()", "x.diagonal(1)", "x.repeat(2, axis=0)", "x.take([0, 1], axis=1)",
            "x.compress([True, False, True], 1)", "x.cumsum(axis=1)", "x.cumprod(0)", "x.prod()", "x.std(axis=0, ddof=1)",
            "x.max(1)", "x.min(axis=(0, 1))", "x.sum(keepdims=True)", "x.mean(0, keepdims=True)", "x.var(axis=-1)", "x.searchsorted(0.5) * x"),
    "np.linalg.tensorsolve": ("np.linalg.tensorsolve(x, y[0])", "np.linalg.tensorsolve(x, y[:, 0], axes=(0,))"),
}
_MOST = 40  # ways of one function


@dataclass(frozen=True)
class Way:
    """One call: its text, and the arrays that vary, by name."""

    name: str
    call: str
    shapes: tuple[tuple[str, tuple[int, ...]], ...]
    dtype: str = "float64"

    def __str__(self) -> str:
        return f"{self.call}  for {', '.join(f'{n}{list(s)}' for n, s in self.shapes)} of {self.dtype}"

    def values(self) -> dict[str, Any]:
        """Numbers for the arrays, the same each time, for which the result is finite."""
        for low, high in ((0.2, 0.9), (1.2, 2.5)):
            rng = np.random.default_rng(zlib.crc32(str(self).encode()))
            drawn = {}
            for name, shape in self.shapes:
                value = rng.uniform(low, high, shape)
                if self.dtype == "complex128":
                    value = value + 1j * rng.uniform(low, high, shape)
                drawn[name] = np.asarray(value).astype(self.dtype) if shape else np.asarray(value).item()
            try:
                if all(np.isfinite(part).all() for part in parts(evaluated(self.call, drawn))):
                    break
            except Exception:  # noqa: BLE001, S112 - asked for below
                continue
        return drawn


def evaluated(call: str, values: dict[str, Any]) -> Any:
    """What a call gives."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return eval(call, {"np": np, **values})


def parts(value: Any) -> list[Any]:
    """The arrays of a result."""
    if isinstance(value, tuple | list):
        return [part for item in value for part in parts(item)]
    return [np.asarray(value)]


# ---------------------------------------------------------------------------------------------------- drawing ways


def names() -> list[str]:
    """The functions of NumPy that have rows, or are read as compositions."""
    found = {d.name for d in TABLE if d.family == "function" and d.name.startswith("np.") and d.form != "constant"}
    return sorted(found | {"np.select", *_SPELLED})


def ways_of(name: str) -> list[Way]:
    """The ways of one function, in the order of a draw that is always the same."""
    found: dict[Way, None] = {}
    shapes = ("x", (3, 3)), ("y", (3, 3))
    spelled = (Way(name, call, tuple(s for s in shapes if s[0] in call)) for call in _SPELLED.get(name, ()))
    drawn = () if name in _SPELLED else candidates(name, eval(name, {"np": np}))
    for way in itertools.chain(spelled, drawn):
        if way not in found and works(way):
            found[way] = None
    ways = list(found)
    random.Random(name).shuffle(ways)  # noqa: S311 - a draw, not a secret
    return ways[:_MOST]


def works(way: Way) -> bool:
    """Whether NumPy takes this call, and gives finite numbers that vary."""
    try:
        result = parts(evaluated(way.call, way.values()))
    except Exception:  # noqa: BLE001 - whatever it says, it is no way of calling
        return False
    return any(part.dtype.kind in "fc" for part in result) and all(
        part.dtype.kind in "fcib" and np.isfinite(part).all() for part in result)


def candidates(name: str, function: Any) -> Iterator[Way]:
    """Calls that a function may take."""
    required, options, variadic = signature_of(function)
    array_names = [p for p in required if p in _ARRAYS]
    lists = [p for p in required if p in _LISTS] + (["args"] if variadic else [])
    if lists and not array_names:
        shapes: tuple[Any, ...] = _PAIRS
        letters = ["x", "y"]
    else:
        letters = ["x", "y", "z"][: len(array_names)]
        shapes = _SHAPES if len(letters) == 1 else _PAIRS if len(letters) == 2 else tuple((s[0],) * 3 for s in _SHAPES)  # noqa: PLR2004
    others = [p for p in required if p not in array_names and p not in lists]
    fillings = list(itertools.product(*(_CHOICES.get(p, ()) for p in others)))
    random.Random(name).shuffle(fillings)  # noqa: S311
    fillings = fillings[:12]
    settings = [{}, *({p: text} for p in options for text in _CHOICES.get(p, ()))]
    pairs = [a | b for a, b in itertools.combinations(settings[1:], 2) if not set(a) & set(b)]
    random.Random(name).shuffle(pairs)  # noqa: S311
    for (of, setting), filling in itertools.product(
            itertools.product(shapes, [*settings, *pairs[:12]]), fillings):
        spelled = dict(zip(array_names, letters, strict=False)) | dict(zip(others, filling, strict=True))
        shown = zip(letters, of, strict=False)
        yield from spellings(name, function, required, spelled, setting, tuple(shown), variadic=variadic, lists=lists)


def signature_of(function: Any) -> tuple[list[str], list[str], bool]:
    """The parameters without default, those with one, and whether any number is taken."""
    if isinstance(function, np.ufunc):
        return ["x"] if function.nin == 1 else ["x1", "x2"], ["dtype", "order"], False
    try:
        parameters = inspect.signature(function).parameters
    except (ValueError, TypeError):
        return ["x"], ["axis", "keepdims"], False
    variadic = any(p.kind is p.VAR_POSITIONAL for p in parameters.values())
    plain = [p for p in parameters.values() if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    return ([p.name for p in plain if p.default is p.empty],
            [p.name for p in plain if p.default is not p.empty and p.name not in _SKIPPED], variadic)


def spellings(name: str, function: Any, required: list[str], spelled: dict[str, str], setting: dict[str, str],
              shapes: tuple[tuple[str, tuple[int, ...]], ...], *, variadic: bool, lists: list[str]) -> Iterator[Way]:
    """One call by position and by keyword, of a function and of a method, for arrays of each dtype."""
    mask = "np.arange(np.size(x)).reshape(np.shape(x)) % 3 > 0"
    texts = [mask if text == "MASK" else text for text in setting.values()]
    words = [f"{p}={text}" for p, text in zip(setting, texts, strict=True)]
    given = []
    for p in required:
        given.append(f"({', '.join(n for n, _ in shapes)})" if p in lists else spelled.get(p, "x"))
    if variadic:
        given += [n for n, _ in shapes] if lists == ["args"] else []
    calls = [f"{name}({', '.join([*given, *words])})"]
    if not isinstance(function, np.ufunc) and not variadic and not lists and len(given) < 4:  # noqa: PLR2004
        calls.append(f"{name}({', '.join([*(f'{p}={v}' for p, v in zip(required, given, strict=True)), *words])})")
        calls.append(f"{name}({', '.join([*given, *texts])})")
    method = next((m for m, path in METHODS.items() if path == name), None)
    if method is not None and given and given[0] == "x" and shapes[0][1]:
        calls.append(f"x.{method}({', '.join([*given[1:], *words])})")
    for call in dict.fromkeys(calls):
        yield Way(name, call, shapes)
    if shapes and shapes[0][1] in ((2, 3), (3,), (3, 3)):
        for dtype in ("float32", "complex128"):
            yield Way(name, calls[0], shapes, dtype)


# --------------------------------------------------------------------------------------------------------- checking


def text_of(way: Way, number: int) -> str:
    """A function for a way, whose value is one number."""
    result = evaluated(way.call, way.values())
    terms, lines = [], [f"made = {way.call}"]

    def add(value: Any, text: str) -> None:
        if isinstance(value, tuple | list):
            for k, item in enumerate(value):
                add(item, f"{text}[{k}]")
            return
        array = np.asarray(value)
        if array.dtype.kind == "c":
            add(array.real, f"np.real({text})")
            add(array.imag, f"np.imag({text})")
        elif array.dtype.kind == "f":
            weights = np.round(np.cos(1.0 + np.arange(array.size) + 3 * len(terms)), 2).reshape(array.shape)
            shown = "1.0" if array.size == 0 else repr(weights.tolist())
            shown = f"np.array({shown})" if array.ndim and array.size else shown
            terms.append(f"np.sum({shown} * np.sin(1.3 * {text}))")

    add(result, "made")
    lines.append(f"return {' + '.join(terms)}")
    body = "\n    ".join(lines)
    return f"def way_{number}({', '.join(n for n, _ in way.shapes)}):\n    {body}\n"


def checked(function: Any, way: Way) -> str:
    """ "right", or what is wrong."""
    values = list(way.values().values())
    rng = np.random.default_rng(5)
    along = [direction(value, rng) for value in values]
    wide = [np.asarray(v).astype("complex128" if way.dtype == "complex128" else "float64") if np.ndim(v) else v
            for v in values]

    def at(h: float) -> Any:
        return function(*[v + h * d for v, d in zip(wide, along, strict=True)])

    def slope(h: float) -> Any:
        return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        expected, finer = slope(1e-4), slope(2e-5)
        if not np.isclose(expected, finer, rtol=1e-4, atol=1e-4) or not np.isfinite(expected):
            return "no slope to compare with"
        loose = 2e-3 if "32" in f"{way.dtype}{way.call}" else 2e-5
        given = [np.array(v) if np.ndim(v) else v for v in values]
        try:
            value, partials = grad(function)(*given)
            reverse = sum(np.sum(np.real(np.conj(p) * d)) for p, d in zip(partials, along, strict=True))
            for p, v in zip(partials, values, strict=True):
                if np.shape(p) != np.shape(v) or np.asarray(p).dtype != np.asarray(v).dtype:
                    return f"wrong: a partial of shape {np.shape(p)} and dtype {np.asarray(p).dtype}"
            _, tangent = jvp(function)(tuple(along), *values)
        except ADError as refusal:
            return f"refused: {(refusal.reason or refusal.message)[:150]}"
        except Exception as error:  # noqa: BLE001 - it is shown
            return f"raised: {type(error).__name__}: {str(error)[:150]}"
        own = function(*values)
        if value != own and not np.isclose(value, own, rtol=1e-6):
            return f"wrong: the value {value} in place of {own}"
        for mode, got in (("reverse", reverse), ("forward", tangent)):
            if not np.isclose(got, expected, rtol=loose, atol=loose):
                return f"wrong: {mode} mode gives {got} in place of {expected}"
    return "right"


def direction(value: Any, rng: np.random.Generator) -> Any:
    """A direction in which a number or an array moves."""
    along = np.asarray(rng.uniform(-1, 1, np.shape(value)))
    if np.iscomplexobj(value):
        along = along + 1j * rng.uniform(-1, 1, np.shape(value))
    return along.astype(value.dtype) if isinstance(value, np.ndarray) else along.item()


def module_of(ways: list[Way], folder: Path) -> Any:
    """All ways as functions of one module."""
    path = folder / f"numpy_ways_{len(list(folder.iterdir()))}.py"
    text = "import numpy as np\n\n\n" + "\n\n".join(text_of(way, k) for k, way in enumerate(ways))
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main() -> None:
    """Check a share of the ways, and print those that are not right, and how many are."""
    every = int(sys.argv[1]) if sys.argv[1:] else 1
    counts = collections.Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[2:] or names():
            ways = ways_of(name)[::every]
            module = module_of(ways, Path(folder))
            for k, way in enumerate(ways):
                found = checked(getattr(module, f"way_{k}"), way)
                counts[found.partition(":")[0]] += 1
                if ":" in found:
                    sys.stdout.write(f"{way}\n    {found}\n")
                    sys.stdout.flush()
    sys.stdout.write(f"{dict(counts)}\n")


if __name__ == "__main__":
    main()
