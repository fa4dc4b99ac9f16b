"""Checks one call against its row: the adjoints and the tangent that the texts give, beside finite differences.

The texts are evaluated as they stand, so this needs no compiler. Numbers are float64 (steps are taken as large as the
truncation error of a five-point formula allows); `single` runs the same texts in float32 and compares types.
"""

from __future__ import annotations

import ast
import math
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from adcompile.ir.nodes import Display, Expr
from adcompile.rules.forms import Row, Text
from adcompile.rules.registry import choose, rows_for_function
from adcompile.runtime import helpers as runtime

_STEP = 1e-4
_WEIGHTS = ((1, 8 / 12), (-1, -8 / 12), (2, -1 / 12), (-2, 1 / 12))


def check(function: Callable[..., Any], *args: Any, rtol: float = 1e-6, single: bool = True, held: tuple[str, ...] = (),
          signs: tuple[int | None, ...] = (), **keywords: Any) -> Row:
    """Compare both modes of a call's row with finite differences, for all arguments but those `held`.

    `signs` names, for each result that consists of vectors, the axis along which they lie: LAPACK may turn them
    around from one step to the next, and then they are turned back.
    """
    rng = np.random.default_rng(7)
    row, bound = chosen(function, args, keywords)
    given = {id(value) for value in (*args, *keywords.values())}
    active = [name for name, text in row.texts.items()
              if isinstance(text, str | tuple) and name not in held and _varies(bound[name])
              and (id(bound[name]) in given or name == row.variadic)]
    assert active, f"{row.call}: nothing to check"

    def call(values: dict[str, Any]) -> Any:
        value = function(*_replaced(args, bound, values), **{k: _swap(v, bound, values) for k, v in keywords.items()})
        return tuple(map(_aligned, value, ans, signs)) if signs and values else value

    ans: Any = None
    ans = call({})
    seed = _like(ans, lambda part: _random(part, rng))
    for name in active:
        got = adjoint(row, bound, ans, seed, name)
        expected = _numeric(lambda value, name=name: _inner(seed, call({name: value})), bound[name])
        _compare(got, expected, bound[name], f"{row.call}: adjoint of {name}", rtol)
    dots = {name: _like(bound[name], lambda part: _random(part, rng)) for name in active}
    moved = [(weight, call({name: _moved(bound[name], dots[name], _STEP * k) for name in active}))
             for k, weight in _WEIGHTS]
    got = tangent(row, bound, ans, dots, function)
    for k, part in enumerate(got):
        if part is not None:
            of = [(weight, value[k] if isinstance(ans, tuple) else value) for weight, value in moved]
            numeric = sum(weight * np.asarray(value) for weight, value in of) / _STEP
            shown = ans[k] if isinstance(ans, tuple) else ans
            assert np.shape(part) == np.shape(shown), f"{row.call}: the tangent has shape {np.shape(part)}"
            np.testing.assert_allclose(part, numeric, rtol=rtol, atol=rtol * 10, err_msg=f"{row.call}: tangent {k}")
    if single and not np.iscomplexobj(seed if not isinstance(seed, tuple) else 0.0):
        with np.errstate(all="ignore"):  # float32 kernels of BLAS raise flags for lanes that are not part of the matrix
            _check_single(row, bound, function, args, keywords, active)
    return row


def chosen(function: Callable[..., Any], args: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[Row, dict[str, Any]]:
    """The row that a call fits, and its arguments as plain values."""
    found = choose(rows_for_function(function), args, keywords, function)
    assert found is not None, f"no row fits {function}"
    row, bound = found
    return row, {name: _plain(value) for name, value in bound.items()}


def adjoint(row: Row, bound: dict[str, Any], ans: Any, seed: Any, name: str) -> Any:
    """What the row's text gives for one argument."""
    text = row.texts[name]
    assert isinstance(text, str | tuple)
    parts = [evaluate(part, {**bound, "ans": ans, "g": seed[k] if isinstance(text, tuple) else seed})
             for k, part in enumerate(text if isinstance(text, tuple) else (text,)) if part is not None]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    if row.form == "elementwise":
        total = runtime.unbroadcast(total, np.shape(bound[name]))
    return total


def tangent(row: Row, bound: dict[str, Any], ans: Any, dots: dict[str, Any], function: Callable[..., Any]) -> list[Any]:
    """What the row gives for the tangent of each result."""
    several = isinstance(ans, tuple)
    if row.form == "elementwise":
        total = 0.0
        for name, dot in dots.items():
            total = total + evaluate(str(row.texts[name]), {**bound, "ans": ans, "g": dot})
        return [np.broadcast_to(total, np.shape(ans))]
    zeros = {name: _like(value, np.zeros_like) for name, value in bound.items() if _varies(value)}
    if row.form == "rule":
        still = {name: _still(value) for name, value in bound.items()}
        named = {f"{name}_dot": value for name, value in {**still, **dots}.items()}
        assert row.jvp is not None, f"{row.call}: no jvp"
        texts: Text = row.jvp
        return [None if text is None else evaluate(text, {**bound, **named, "ans": ans})
                for text in (texts if isinstance(texts, tuple) else (texts,))]
    if row.form == "linear":
        still = {name: zeros[name] for name in row.texts if name not in dots and name in zeros}
        out = _forward(row, {**bound, **still, **dots})
        return list(out) if several else [out]
    total = 0.0
    for name, dot in dots.items():
        if name == row.variadic:
            for k in range(len(dot)):
                replaced = tuple(dot[i] if i == k else x for i, x in enumerate(bound[name]))
                total = total + _forward(row, {**bound, name: replaced})
        else:
            total = total + _forward(row, {**bound, name: dot})
    return [total]


def evaluate(text: str, names: dict[str, Any]) -> Any:
    """The value of a row's text."""
    space: dict[str, Any] = {**vars(runtime), "np": np, "math": math, "scipy": sys.modules.get("scipy")}
    return eval(text, space, names)


def _forward(row: Row, values: dict[str, Any]) -> Any:
    """The row's call on other values."""
    tree = ast.parse(row.call, mode="eval").body
    if isinstance(tree, ast.Subscript):
        return evaluate(row.function or "", {})[values[row.variadic or ""]]
    assert isinstance(tree, ast.Call)
    for keyword in tree.keywords:
        keyword.value = ast.Name(keyword.arg or "", ast.Load())
    return evaluate(ast.unparse(tree), values)


# ------------------------------------------------------------------------------------------------------ the values


def _plain(value: Any) -> Any:
    if isinstance(value, Display):
        return tuple(_plain(item) for item in value.items)
    return value.value if isinstance(value, Expr) else value  # type: ignore[attr-defined]


def _varies(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return any(_varies(item) for item in value)
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "fc"
    return isinstance(value, float | complex | np.inexact)


def _aligned(value: Any, like: Any, axis: int | None) -> Any:
    """Vectors turned around where they point away from those that they are compared with."""
    return value if axis is None else value * np.sign(np.sum(value * like, axis=axis, keepdims=True))


def _replaced(args: tuple[Any, ...], bound: dict[str, Any], values: dict[str, Any]) -> list[Any]:
    for name, value in values.items():
        if isinstance(bound[name], tuple) and args[-len(bound[name]):] and len(bound[name]) and all(
                a is b for a, b in zip(args[-len(bound[name]):], bound[name], strict=False)):
            return [*args[:-len(value)], *value]
    return [_swap(arg, bound, values) for arg in args]


def _swap(arg: Any, bound: dict[str, Any], values: dict[str, Any]) -> Any:
    for name, value in values.items():
        if arg is bound[name]:
            return value
    return arg


def _like(value: Any, make: Callable[[Any], Any]) -> Any:
    """The same structure with other numbers."""
    if isinstance(value, list | tuple):
        items = [_like(item, make) for item in value]
        return items if isinstance(value, list) else tuple(items)
    return make(value) if _varies(value) else value


def _random(part: Any, rng: np.random.Generator) -> Any:
    values = rng.uniform(0.5, 1.5, np.shape(part)) * rng.choice((-1.0, 1.0), np.shape(part))
    if np.iscomplexobj(part):
        values = values + 1j * rng.uniform(0.5, 1.5, np.shape(part))
    return values if isinstance(part, np.ndarray) else values[()]


def _still(value: Any) -> Any:
    """The tangent of what does not move."""
    if isinstance(value, list | tuple):
        return [_still(item) for item in value] if isinstance(value, list) else tuple(map(_still, value))
    return np.zeros_like(value) if isinstance(value, np.ndarray) else 0.0


def _moved(value: Any, dot: Any, step: float) -> Any:
    if isinstance(value, list | tuple):
        items = [_moved(item, d, step) for item, d in zip(value, dot, strict=True)]
        return items if isinstance(value, list) else tuple(items)
    return value + step * dot if _varies(value) else value


def _inner(seed: Any, value: Any) -> float:
    if isinstance(value, list | tuple):
        return sum(_inner(s, v) for s, v in zip(seed, value, strict=True))
    return float(np.sum(np.real(np.conj(seed) * value))) if _varies(value) else 0.0


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, list | tuple):
        for item in value:
            yield from _leaves(item)
    elif _varies(value):
        yield value


def _numeric(phi: Callable[[Any], float], value: Any) -> Any:
    """The gradient of `phi` at a value, in the value's structure."""
    if isinstance(value, list | tuple):
        out = []
        for k, item in enumerate(value):
            def at(part: Any, k: int = k) -> float:
                items = [*value[:k], part, *value[k + 1:]]
                return phi(items if isinstance(value, list) else tuple(items))
            out.append(_numeric(at, item) if _varies(item) else None)
        return out
    flat = np.array(value)
    gradient = np.zeros_like(flat)
    for index in np.ndindex(flat.shape):
        for unit in (1.0, 1j) if np.iscomplexobj(flat) else (1.0,):
            slope = 0.0
            for k, weight in _WEIGHTS:
                probe = flat.copy()
                probe[index] += _STEP * k * unit
                slope += weight * phi(probe if isinstance(value, np.ndarray) else probe[()]) / _STEP
            gradient[index] += slope * unit
    return gradient


def _compare(got: Any, expected: Any, value: Any, what: str, rtol: float) -> None:
    if isinstance(value, list | tuple):
        for k, item in enumerate(value):
            if _varies(item):
                _compare(got[k], expected[k], item, f"{what}[{k}]", rtol)
        return
    assert np.shape(got) == np.shape(value), f"{what}: shape {np.shape(got)} for {np.shape(value)}"
    assert np.iscomplexobj(got) <= np.iscomplexobj(value), f"{what} is complex"
    np.testing.assert_allclose(got, expected, rtol=rtol, atol=rtol * 10, err_msg=what)


def _check_single(row: Row, bound: dict[str, Any], function: Callable[..., Any], args: tuple[Any, ...],
                  keywords: dict[str, Any], active: list[str]) -> None:
    """float32 in, float32 out, wherever the function itself keeps float32."""
    def narrow(part: Any) -> Any:
        return np.asarray(part).astype(np.complex64 if np.iscomplexobj(part) else np.float32)[()]

    small = {name: _like(bound[name], narrow) for name in bound if _varies(bound[name])}
    ans = function(*_replaced(args, bound, {k: v for k, v in small.items() if k == row.variadic} or small),
                   **{k: _swap(v, bound, small) for k, v in keywords.items()})
    if any(np.result_type(leaf) != np.float32 for leaf in _leaves(ans)):
        return
    values = {**bound, **small}
    for name in active:
        for leaf, origin in zip(_leaves(adjoint(row, values, ans, _like(ans, np.ones_like), name)),
                                _leaves(values[name]), strict=False):
            wide = np.result_type(leaf) not in (np.float32, np.result_type(origin))
            assert not wide, f"{row.call}: the adjoint of {name} is {np.result_type(leaf)}"
            assert np.all(np.isfinite(leaf)), f"{row.call}: the adjoint of {name} is not finite in float32"
    parts = tangent(row, values, ans, {name: values[name] for name in active}, function)
    for part, of in zip(parts, ans if isinstance(ans, tuple) else (ans,), strict=True):
        if part is not None and _varies(of):
            assert np.result_type(part) == np.float32, f"{row.call}: the tangent is {np.result_type(part)}"
