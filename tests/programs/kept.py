"""Transformations of the programs of the corpus, compiled once for all the tests of a program that stand together."""

from __future__ import annotations

import copy
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np

import adcompile
from adcompile import ADError
from adcompile.calls.transformations import Gradient, VectorJacobian

from . import structures
from .checks import seed_of
from .corpus import Program

_MOST = 32
_kept: OrderedDict[tuple[Any, ...], Any] = OrderedDict()


def _once(make: Callable[..., Any]) -> Callable[..., Any]:
    def once(fn: Callable[..., Any], **options: Any) -> Any:
        options = {name: option for name, option in options.items() if option is not None}
        key = (make, fn, *sorted(options.items()))
        found = _kept.pop(key, None)
        _kept[key] = found = make(fn, **options) if found is None else found
        if len(_kept) > _MOST:
            _kept.popitem(last=False)
        return found

    return once


grad = _once(adcompile.grad)
vjp = _once(adcompile.vjp)
jvp = _once(adcompile.jvp)


def differentiated(program: Program, **options: Any) -> Any:
    """The gradient of a program, or its pull-back, with some options of its order besides those of the program."""
    own: dict[str, Any] = {} if program.wrt is None else {"wrt": program.wrt}
    if "rewrites" not in options:
        return (vjp if program.vector else grad)(program.fn, **own, **options)
    if program.vector:
        return VectorJacobian(program.fn, {**own, "seed": True, **options}, "vjp")
    return Gradient(program.fn, {**own, **options}, "grad")


def answer(program: Program, **options: Any) -> tuple[Any, dict[str, Any] | None]:
    """Value and partials, or the refusal and None."""
    args, kwargs = copy.deepcopy((program.args, dict(program.kwargs)))
    seed = ()
    if program.vector:
        seed = (seed_of(program, program.fn(*copy.deepcopy(program.args), **copy.deepcopy(dict(program.kwargs)))),)
    try:
        with np.errstate(all="ignore"):
            value, partials = differentiated(program, **options)(*seed, *args, **kwargs)
    except ADError as error:
        return str(error), None
    return value, partials._asdict()


def assert_same(program: Program, got: tuple[Any, Any], want: tuple[Any, Any], digits: float, what: str) -> None:
    """That two answers agree in everything but the last digits."""
    tolerance = 1e-5 if program.single else digits
    for (path, one), (_, other) in zip(structures.leaves(got), structures.leaves(want), strict=True):
        if isinstance(one, str) or isinstance(other, str) or one is None:
            assert one == other, f"{program.name}: {path}, {what}"
        else:
            np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance, err_msg=f"{path}, {what}")
