"""What the tables say of factors: which are finite, what a text leaves out, and where the engine may put a mask.

`singular`, `selects` and `pads` are found from a row's texts and from lists of functions; here each row is run.
"""

from __future__ import annotations

import ast
import itertools
import math
import sys
import warnings
from typing import Any

import numpy as np
import pytest

from adcompile.differentiate.linear.selection import safe
from adcompile.rules.factors import factor, is_layout, renamed
from adcompile.rules.forms import Draft, Refuse, Row
from adcompile.runtime import helpers as runtime

pytest.importorskip("scipy.special")

from .cases import Case, cases, continuous, drafts, fits, name_of
from .evaluation import call, random_like, reals, reverse, run, with_reals

_POINTS = (0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 30.0)
_ELEMENTWISE = [d for d in drafts() if d.form == "elementwise" and not d.name.startswith("scipy.stats.")]
# Texts that leave items out in ways that are not followed: 0 times a slope that is not finite stays NaN there.
_NOT_FOLLOWED = {
    "np.einsum(subscripts, x, optimize=False)", "np.trace(x, offset=0, axis1=0, axis2=1)", "np.polyder(p, m=1)",
    "insert_vjp_x(v, x, index, axis=None)", "mirror_triangle(v, upper=False)", "histogram_vjp(v, x, edges)",
    "unblock_diag(v, xs)", "halve_diagonal(v)", "np.angle(x)", "np.imag(x)", "x.imag",
    *(f"scipy.fft.{name}(x, type=2, s=None, axes=None, norm=None, workers=None)"
      for name in ("dctn", "idctn", "dstn", "idstn")),
    "scipy.ndimage.mean(x, labels=None, index=None)",
}
_LINEAR = [d for d in drafts() if d.form in ("linear", "rule", "bilinear")
           and not any(isinstance(t, Refuse) for t in d.texts.values())]


def at_points(draft: Draft) -> list[tuple[Case, Any, bool]]:
    """A row at all pairs of points that fit: the case, its result, and whether its function is quiet there."""
    found = []
    first = next((c for c in cases(draft) if any(isinstance(v, np.ndarray) for v in c.arguments.values())), None)
    if first is None:
        return []
    names = [n for n in first.row.positional if np.asarray(first.arguments[n]).dtype.kind == "f"]
    for values in itertools.product(_POINTS, repeat=min(len(names), 2)):
        moved = {n: np.array([v]) for n, v in zip(names, values, strict=False)}
        arrays = {n: v for n, v in moved.items() if isinstance(first.arguments[n], np.ndarray)}
        case = Case(first.row, first.arguments | arrays)
        try:
            ans = call(case, case.arguments)
        except (TypeError, ValueError, ArithmeticError):
            continue
        if fits(case) and continuous(ans):
            found.append((case, ans, _is_quiet(case)))
    return found


def _is_quiet(case: Case) -> bool:
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        try:
            case.call(case.arguments)
        except (FloatingPointError, RuntimeWarning):
            return False
    return True


def _slope(case: Case, name: str, ans: Any) -> Any:
    return run(str(case.row.texts[name]), case.arguments | {"ans": ans, "g": np.ones_like(ans)}, case.row.where)


def _texts(case: Case) -> list[str]:
    return [name for name in case.varied if isinstance(case.row.texts[name], str)]


@pytest.mark.parametrize("draft", [d for d in _ELEMENTWISE if not d.row().singular], ids=name_of)
def test_finite_where_the_row_says_so(draft: Draft) -> None:
    for case, ans, _ in at_points(draft):
        for name in _texts(case) if np.all(np.isfinite(ans)) else ():
            assert np.all(np.isfinite(_slope(case, name, ans))), f"{name} of {case}: say what it is singular in"


@pytest.mark.parametrize("draft", [d for d in _ELEMENTWISE if d.row().is_loud], ids=name_of)
def test_loud_where_the_slope_is_not_finite(draft: Draft) -> None:
    for case, ans, quiet in at_points(draft):
        for name in _texts(case) if quiet and np.all(np.isfinite(ans)) else ():
            assert np.all(np.isfinite(_slope(case, name, ans))), f"{name} of {case}: name what decides the slope"


@pytest.mark.parametrize("draft", [d for d in _ELEMENTWISE if isinstance(d.row().singular, str)], ids=name_of)
def test_quiet_where_the_engine_puts_a_number(draft: Draft) -> None:
    row = draft.row()
    names = str(row.singular).split()
    for case, ans, _ in at_points(draft):
        own = {f"{name}_kept": np.ones(1) * safe(row, name) for name in names}
        for name in _texts(case):
            tree = row.trees[name][0]
            assert tree is not None
            text = renamed(tree, names)
            with np.errstate(all="raise"):
                slope = _evaluated(text, case.arguments | own | {"ans": ans, "g": np.zeros(1)})
            assert not np.any(slope), f"{name} of {case}: 0 times what is put there is {slope}"


def _evaluated(tree: ast.expr, values: dict[str, Any]) -> Any:
    scope = {"np": np, "math": math, "scipy": sys.modules.get("scipy")}
    return eval(ast.unparse(tree), vars(runtime) | scope | values)


@pytest.mark.parametrize("draft", [d for d in _LINEAR if d.form == "linear" and d.call not in _NOT_FOLLOWED],
                         ids=name_of)
def test_what_a_linear_row_leaves_out_is_known(draft: Draft) -> None:
    row, rng = draft.row(), np.random.default_rng(1)
    for case in [c for c in cases(draft) if not _is_complex(c)]:
        ans = call(case, case.arguments)
        if any(map(np.iscomplexobj, _items(ans))) or not len(reals(ans)):
            continue
        for name in case.varied:
            zeros = [reals(reverse(case, ans, _positive(ans, rng))[name], case.arguments[name]) == 0 for _ in range(3)]
            known = any(factor(tree).selects for tree in row.trees[name])
            assert known or not np.any(np.all(zeros, axis=0)), f"{name} of {case}: add its helper to `_SELECTING`"


def _layouts(row: Row) -> list[str]:
    """The arguments whose text only moves items."""
    return [name for name, text in row.texts.items()
            if not isinstance(text, tuple) and is_layout(row.trees[name][0])]


@pytest.mark.parametrize("draft", [d for d in _LINEAR if _layouts(d.row())], ids=name_of)
def test_a_mask_goes_through_a_text_as_the_adjoint_does(draft: Draft) -> None:
    row, rng = draft.row(), np.random.default_rng(2)
    for case in [c for c in cases(draft) if not _is_complex(c)]:
        ans = call(case, case.arguments)
        for name in [n for n in case.varied if n in _layouts(row)]:
            g = _positive(ans, rng)
            g = with_reals(g, np.where(rng.random(len(reals(g))) < 0.5, 0.0, reals(g)))
            marks = with_reals(g, np.array(reals(g) != 0, float))
            found = [reals(reverse(case, ans, way)[name], case.arguments[name]) for way in (g, marks)]
            np.testing.assert_array_equal(found[0] != 0, found[1] != 0, err_msg=f"{name} of {case}")
            assert np.all(found[1] >= 0), f"{name} of {case}"


def _positive(value: Any, rng: np.random.Generator) -> Any:
    made = random_like(value, rng)
    return with_reals(made, np.abs(reals(made)) + 0.1)


def _is_complex(case: Case) -> bool:
    return any(np.iscomplexobj(item) for value in case.arguments.values() for item in _items(value))


def _items(value: Any) -> list[Any]:
    if isinstance(value, list | tuple):
        return [item for part in value for item in _items(part)]
    return [value] if isinstance(value, float | complex | np.ndarray) else []
