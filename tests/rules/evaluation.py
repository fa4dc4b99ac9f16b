"""Evaluates a row's texts on plain values, doing for them what the engine does, and differences the call itself."""

from __future__ import annotations

import cmath
import functools
import inspect
import math
import sys
import warnings
from types import CodeType
from typing import Any

import numpy as np

from adcompile.runtime import helpers as runtime

from .cases import Case

_HELPERS = {name: value for name, value in vars(runtime).items() if inspect.isfunction(value)}


@functools.cache
def _compiled(text: str, where: str) -> CodeType:
    return compile(text, where, "eval")


def run(text: str, names: dict[str, Any], where: str) -> Any:
    """The value of a text."""
    optional = {"scipy": sys.modules["scipy"]} if "scipy" in sys.modules else {}
    scope = {"np": np, "math": math, "cmath": cmath, **optional, **_HELPERS}
    code = _compiled(text, where)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return eval(code, scope | names)


def call(case: Case, arguments: dict[str, Any]) -> Any:
    """The row's call."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return case.call(arguments)


# --------------------------------------------------------------------------------------------- values as vectors


def reals(value: Any, like: Any = None) -> np.ndarray[Any, Any]:
    """All real numbers of a value, in order, a complex number counting as two.

    With `like`, the value only has to give its parts by index where `like` is a list or tuple.
    """
    like = value if like is None else like
    if isinstance(like, list | tuple):
        parts = [reals(value[k], item) for k, item in enumerate(like)]
        return np.concatenate(parts) if parts else np.zeros(0)
    array, shape = np.asarray(value), np.shape(like)
    if np.asarray(like).dtype.kind not in "fc":
        return np.zeros(0)
    assert array.shape == shape, f"has shape {array.shape} where {shape} is needed"
    if np.asarray(like).dtype.kind != "c":
        return np.ravel(array.real).astype(float)
    return np.ravel(np.stack((array.real, array.imag), -1)).astype(float)


def with_reals(value: Any, numbers: np.ndarray[Any, Any]) -> Any:
    """The value with other numbers in the places of its own."""
    rest = list(numbers)

    def place(part: Any) -> Any:
        if isinstance(part, list | tuple):
            return type(part)(place(item) for item in part) if type(part) in (list, tuple) else [place(i) for i in part]
        array = np.asarray(part)
        if array.dtype.kind not in "fc":
            return part
        count = array.size * (2 if array.dtype.kind == "c" else 1)
        own, rest[:] = np.array(rest[:count], float), rest[count:]
        own = own.view(complex) if array.dtype.kind == "c" else own
        new = np.reshape(own, array.shape)
        return type(part)(new) if isinstance(part, float | complex) and not isinstance(part, np.generic) else new[()] \
            if isinstance(part, np.generic) else new

    return place(value)


def random_like(value: Any, rng: np.random.Generator) -> Any:
    """A random value of the same structure, shapes and types."""
    return with_reals(value, rng.uniform(-1, 1, len(reals(value))))


def differences(case: Case, name: str, direction: np.ndarray[Any, Any], step: float = 1e-4) -> np.ndarray[Any, Any]:
    """The derivative of the call along a direction in one argument: two central differences, of fourth order."""
    start = reals(case.arguments[name])
    estimates = []
    for h in (step, 2 * step):
        ends = [reals(call(case, case.arguments | {name: with_reals(case.arguments[name], start + s * h * direction)}))
                for s in (1, -1)]
        estimates.append((ends[0] - ends[1]) / (2 * h))
    return np.asarray((4 * estimates[0] - estimates[1]) / 3)


# ------------------------------------------------------------------------------------------------- the two modes


def reverse(case: Case, ans: Any, g: Any) -> dict[str, Any]:
    """The adjoints that a row's texts give."""
    row = case.row
    result = {}
    for name in case.varied:
        text = row.texts[name]
        values = case.arguments | {"ans": ans, "g": g}
        if isinstance(text, tuple):
            parts = [run(part, values | {"g": g[k]}, row.where) for k, part in enumerate(text) if part is not None]
            total = parts[0]
            for part in parts[1:]:
                total = total + part
        else:
            total = run(str(text), values, row.where)
        if row.form == "elementwise":
            own, out = np.shape(total), np.shape(ans)
            assert np.broadcast_shapes(own, out) == out, f"the text gives the shape {own}, the call {out}"
            total = runtime.unbroadcast(total, np.shape(case.arguments[name]))
        result[name] = total
    return result


def forward(case: Case, ans: Any, tangents: dict[str, Any]) -> np.ndarray[Any, Any]:
    """The tangent of the result that the row's form and texts give."""
    row = case.row
    zeros = {name: with_reals(case.arguments[name], np.zeros(len(reals(case.arguments[name])))) for name in case.varied}
    tangents = zeros | tangents
    match row.form:
        case "linear":
            return reals(call(case, case.arguments | tangents))
        case "bilinear":
            changes: list[dict[str, Any]] = [{name: t} for name, t in tangents.items() if name != row.variadic]
            if row.variadic is not None and row.variadic in tangents:
                items, dots = case.arguments[row.variadic], tangents[row.variadic]
                changes += [{row.variadic: (*items[:k], dots[k], *items[k + 1 :])} for k in range(len(items))]
            return np.asarray(sum(reals(call(case, case.arguments | change)) for change in changes))
        case "elementwise":
            total = np.zeros(np.shape(ans), np.asarray(ans).dtype)
            for name, tangent in tangents.items():
                total = total + run(str(row.texts[name]), case.arguments | {"ans": ans, "g": tangent}, row.where)
            return reals(np.broadcast_to(total, np.shape(ans)), ans)
        case _:
            held = {f"{name}_dot": _zero(value) for name, value in case.arguments.items()}
            values = case.arguments | held | {f"{k}_dot": v for k, v in tangents.items()} | {"ans": ans}
            if isinstance(row.jvp, tuple):
                dots_of = [0 * np.asarray(part) if text is None else run(text, values, row.where)
                           for text, part in zip(row.jvp, ans, strict=True)]
                return reals(dots_of, ans)
            return reals(run(str(row.jvp), values, row.where), ans)


def _zero(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return type(value)(map(_zero, value)) if type(value) in (list, tuple) else value
    return np.zeros_like(value) if isinstance(value, np.ndarray) else 0.0
