"""Sparse Jacobians against dense ones, made another way, and against differences; and what is refused."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.optimize import least_squares
from scipy.sparse import csr_array

from adcompile import ADError, derivative, hessian, jacobian
from adcompile.calls.transformations import Jacobian, SparseJacobian
from adcompile.errors import ArgumentError, UnsupportedError
from adcompile.runtime import patterns as runtime_patterns
from tests.native.run_by_python import texts_of

from . import sparse_functions as f

RNG = np.random.default_rng(11)
X, P = RNG.normal(size=7), RNG.random(7)
ROWS, MORE = RNG.normal(size=(4, 3)), RNG.normal(size=(4, 4)) + 3.0
LAYER = {"w": X, "b": 2.0}
BUNDLE = (
    RNG.normal(size=(2, 4)),
    RNG.normal(size=(3, 3)),
    np.array([0, 1, 0, 1]),
    np.array([0, -1, 2, 2]),
    RNG.normal(size=(4, 2)),
)
Case = tuple[Callable[..., Any], tuple[Any, ...]] | tuple[Callable[..., Any], tuple[Any, ...], str]
CASES: list[Case] = [
    (f.residuals, BUNDLE, "cameras points"),
    (f.overwritten, (X,)),
    (f.twice_in_step, (X,)),
    (f.then_constant, (P,)),
    (f.any_order, (X,)),
    (f.adds, (X,)),
    (f.other_name, (X,)),
    (f.early, (P,)),
    (f.unpacked, (X[:3], P), "p"),
    (f.negatives, (X,)),
    (f.views, (MORE, ROWS)),
    (f.view_before, (X, 3)),
    (f.helped, (ROWS, ROWS + 1)),
    (f.helped_array, (ROWS, ROWS + 1)),
    (f.helped_loop, (ROWS,)),
    (f.helped_loop_both, (ROWS,)),
    (f.inner, (ROWS, X[:3])),
    (f.prelude, (ROWS, X[:3])),
    (f.counter, (X,)),
    (f.zipped, (X, X + 1, X[:2])),
    (f.boundary, (X, 2.0)),
    (f.grid, (RNG.normal(size=(5, 4)),)),
    (f.grid, (np.asfortranarray(RNG.normal(size=(5, 4))),)),
    (f.matvec, (ROWS, X[:3])),
    (f.matvec, (ROWS[::2, ::-1], X[:3])),
    (f.reassigned, (X,)),
    (f.whiled, (X,)),
    (f.branches, (X,)),
    (f.gathered, (X, np.array([[0, 1], [2, 2], [-1, 0]]))),
    (f.mask, (X, RNG.random((3, 7)) > 0.5)),
    (f.scatter, (ROWS[:, :2], np.array([[0, 1], [2, 2], [3, 1], [5, 4]]))),
    (f.workspace_inside, (X,)),
    (f.whole_sum, (X,)),
    (f.cond_expr, (P,)),
    (f.index_changed, (X,)),
    (f.stepped_rows, (X,)),
    (f.reused_loop_variable, (X,)),
    (f.two_loops, (X,)),
    (f.of_dict, (LAYER, X), "p.w p.b"),
    (f.of_record, (f.Camera(2.0, X[:2], "left"), X), "cam.focus cam.turn"),
    (f.empty_like, (X,)),
    (f.of_tuple_target, (X,)),
    (f.of_unpacked_call, (ROWS, ROWS + 1)),
    (f.vector_augment, (ROWS, np.array([0, 2, 2, 1]))),
    (f.vector_minus, (ROWS, np.array([0, 2, 2, 1]))),
    (f.rows_of, (ROWS, X[:3])),
    (f.errstate, (X,)),
    (f.filled_by_helper, (X,)),
    (f.moved_view, (ROWS,)),
    (f.list_in_step, (ROWS,)),
    (f.tape_vector, (ROWS,)),
    (f.two_tapes, (ROWS,)),
    (f.while_inner, (X,)),
    (f.break_after, (P,)),
    (f.else_loop, (X,)),
    (f.whole_arg, (X[:3], P), "p"),
    (f.minus_seen, (X, P), "x"),
    (f.zero_d, (np.array(2.0), X)),
    (f.scalar_in_branch, (X, 2.0, 3.0), "a b"),
    (f.maxima, (X,)),
    (f.scaled_rows, (ROWS,)),
    (f.nested_prelude_overwritten, (ROWS,)),
    (f.reads_value_cond, (X,)),
    (f.inverted, (ROWS,)),
]


def both(case: Case) -> tuple[list[Any], list[Any]]:
    """The sparse Jacobians of a case, and the dense ones as matrices."""
    function, args, *wrt = case
    options: dict[str, Any] = {"wrt": wrt[0]} if wrt else {}
    made = jacobian(function, sparse=True, **options)(*args)
    dense = jacobian(function, **options)(*args)
    made, dense = (m if isinstance(m, tuple) else (m,) for m in (made, dense))
    rows = function(*args).size
    return list(made), [np.reshape(d, (rows, -1)) for d in dense]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)
def test_it_is_the_dense_jacobian(case: Case) -> None:
    made, dense = both(case)
    assert len(made) == len(dense)
    for matrix, expected in zip(made, dense, strict=True):
        assert isinstance(matrix, csr_array) and matrix.has_canonical_format
        assert matrix.shape == expected.shape and matrix.dtype == expected.dtype
        np.testing.assert_allclose(matrix.toarray(), expected, rtol=1e-12, atol=1e-14)


def differences(function: Callable[..., Any], args: tuple[Any, ...], k: int) -> Any:
    found = np.zeros((function(*args).size, args[k].size))
    for column in range(args[k].size):
        step = np.zeros(args[k].size)
        step[column] = 1e-6
        moved = [
            function(*args[:k], args[k] + sign * step.reshape(args[k].shape), *args[k + 1 :]).ravel()
            for sign in (1, -1)
        ]
        found[:, column] = (moved[0] - moved[1]) / 2e-6
    return found


@pytest.mark.parametrize("function", [f.residuals, f.inner, f.prelude, f.helped_array, f.two_tapes, f.adds, f.grid])
def test_it_agrees_with_differences(function: Callable[..., Any]) -> None:
    args = next(case[1] for case in CASES if case[0] is function)
    made = jacobian(function, wrt=0, sparse=True)(*args)
    np.testing.assert_allclose(made.toarray(), differences(function, args, 0), rtol=1e-6, atol=1e-7)


def test_only_what_a_number_depends_on_has_entries() -> None:
    by_camera, by_point = jacobian(f.residuals, wrt="cameras points", sparse=True)(*BUNDLE)
    assert (by_camera.shape, by_camera.nnz, by_point.shape, by_point.nnz) == ((8, 8), 24, (8, 9), 16)
    assert by_camera.indices[:6].tolist() == [0, 2, 3, 1, 2, 3]
    assert by_point.indices[4:8].tolist() == [6, 8, 7, 8]  # the second observation is of the last point


def test_a_step_goes_forward_once_and_back_for_each_number() -> None:
    text = jacobian(f.residuals, wrt="cameras points", sparse=True).source_for(*BUNDLE)
    assert text.count("z = points[p, 2] - cameras[c, 2]\n") == 3  # the line itself, and the headings of two rows
    assert text.count("        cameras_jac.append(") == 6
    assert "# Backward sweep of the step, once for each number that it sets" in text
    assert "zeros_like" not in text


def test_of_rows_that_are_set_twice_the_last_counts() -> None:
    made = jacobian(f.overwritten, sparse=True)(np.arange(1.0, 6.0))  # 0, 1, 2, 0, 1
    assert made.toarray().tolist() == [[0, 0, 0, 8, 0], [0, 0, 0, 0, 10], [0, 0, 6, 0, 0]]
    assert made.nnz == 3


def test_what_is_set_to_a_constant_afterwards_has_no_entries() -> None:
    made = jacobian(f.then_constant, sparse=True)(np.array([0.25, 0.75]))
    assert made.nnz == 1
    assert made[0, 0] == 0.5


def test_rows_that_are_added_to_add_up() -> None:
    made = jacobian(f.adds, sparse=True)(np.array([2.0, 3.0]))
    assert made.toarray().tolist() == [[4.0, 0.0], [-4.0, 6.0], [-3.0, -2.0]]


def test_rows_that_are_not_set_are_empty() -> None:
    made = jacobian(f.grid, sparse=True)(np.ones((3, 3)))
    assert np.diff(made.indptr).tolist() == [0, 0, 0, 0, 5, 0, 0, 0, 0]


@pytest.mark.parametrize("jit", [False, True])
def test_loops_of_no_steps_give_empty_matrices(jit: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    texts_of(monkeypatch)
    made = jacobian(f.counter, sparse=True, jit=jit)(np.zeros(0))
    assert made.shape == (0, 0)
    made = jacobian(f.whiled, sparse=True, jit=jit)(X[:0])
    assert made.shape == (0, 0)


def test_entries_have_the_precision_of_the_input() -> None:
    made = jacobian(f.single_precision, sparse=True)(X.astype(np.float32))
    assert made.dtype == np.float32
    np.testing.assert_allclose(made.toarray(), jacobian(f.single_precision)(X.astype(np.float32)), rtol=1e-6)


def test_whole_numbers_stand_for_reals() -> None:
    by_x, by_a = jacobian(f.boundary, sparse=True)(X, 3)
    assert by_x[6, 6] == 3.0
    assert by_a.shape == (7, 1) and by_a[0, 0] == -1.0


def test_it_serves_least_squares() -> None:
    times = np.linspace(0.0, 2.0, 12)

    def misfit(p: Any) -> Any:
        errors = np.empty(12)
        for i in range(12):
            errors[i] = p[0] * np.exp(-p[1] * times[i]) - 3.0 * np.exp(-0.7 * times[i])
        return errors

    found = least_squares(misfit, np.array([1.0, 1.0]), jac=jacobian(misfit, sparse=True), tr_solver="lsmr")
    np.testing.assert_allclose(found.x, [3.0, 0.7], rtol=1e-6)


def test_arguments_stay_what_they_are() -> None:
    seen = P.copy()
    jacobian(f.minus_seen, wrt="x", sparse=True)(X, seen)
    assert np.array_equal(seen, P)


# ------------------------------------------------------------------------------------------------------- under Numba

NATIVE = (
    f.residuals, f.overwritten, f.adds, f.early, f.unpacked, f.helped, f.helped_array, f.inner, f.prelude, f.grid,
    f.two_loops, f.vector_augment, f.two_tapes, f.while_inner, f.break_after, f.whole_sum, f.mask,
)  # fmt: skip


@pytest.mark.usefixtures("some_under_numba")
@pytest.mark.parametrize("case", [case for case in CASES if case[0] in NATIVE], ids=lambda case: case[0].__name__)
def test_numba_makes_the_same_entries(case: Case) -> None:
    function, args, *wrt = case
    options: dict[str, Any] = {"wrt": wrt[0]} if wrt else {}
    under_python = jacobian(function, sparse=True, **options)(*args)
    under_numba = jacobian(function, sparse=True, jit=True, **options)(*args)
    if not isinstance(under_python, tuple):
        under_python, under_numba = (under_python,), (under_numba,)
    for one, other in zip(under_python, under_numba, strict=True):
        assert one.shape == other.shape and one.dtype == other.dtype
        assert one.indptr.tolist() == other.indptr.tolist() and one.indices.tolist() == other.indices.tolist()
        np.testing.assert_allclose(one.data, other.data, rtol=1e-12, atol=1e-14)


def test_arrays_grow_where_a_step_adds_more_than_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    texts_of(monkeypatch)

    def triangle(x: Any) -> Any:
        out = np.zeros(len(x))
        for i in range(len(x)):
            out[i] = np.sum(x[: i + 1] ** 2) * x[-1]
        return out

    x = np.linspace(1.0, 2.0, 40)
    made = jacobian(triangle, sparse=True, jit=True)(x)
    assert made.nnz == 40 * 41 // 2 + 39
    np.testing.assert_allclose(made.toarray(), jacobian(triangle)(x), rtol=1e-12)


# ------------------------------------------------------------------------------------ by groups, where rows are refused

class ByRows(SparseJacobian):
    """`jacobian(sparse=True)` by rows, or not at all."""

    def _compiled(self, arguments: tuple[Any, ...], **changes: Any) -> Any:
        return super(Jacobian, self)._compiled(arguments, **changes)


REFUSED = [
    (f.carried, (X,), "`s` goes from one step to the next"),
    (f.reads_back, (X,), "A step reads from `out` what another one has set"),
    (f.scaled_after, (X,), "All of `out` is set, or changed, more than once"),
    (f.returned_scaled, (X,), "not an array that it makes and then sets part by part"),
    (f.before, (X,), "`y` is an array that is computed before the loop"),
    (f.in_place, (X,), "`x`, which it is differentiated by, is changed"),
    (f.workspace, (X,), "`tmp` goes from one step to the next"),
    (f.two_dims, (ROWS[:, :2],), "sets too much of `out` at once"),
    (f.alias_param, (X, np.zeros(7)), "`out` is not made by it"),
    (f.row_alias, (X,), "Several names stand for one array that is changed: `out`, `r`"),
    (f.listed, (X,), "not an array that it makes and then sets part by part"),
    (f.tried, (P,), "It has a `try` in it"),
    (f.mixed, (X,), "set at one place, and added to at another"),
    (f.last_of, (X,), "`prev` goes from one step to the next"),
    (f.add_at, (X, np.arange(7)), "changes `out` in another way than by setting a part of it"),
    (f.ravel_f, (ROWS,), "not an array that it makes and then sets part by part"),
    (f.init_from, (X, P), "All of `out` varies from the start"),
    (f.inner_carry, (ROWS,), "`s` goes from one step to the next"),
]


@pytest.mark.parametrize(("function", "args", "reason"), REFUSED, ids=[case[0].__name__ for case in REFUSED])
def test_what_a_loop_does_not_show_groups_do(function: Callable[..., Any], args: tuple[Any, ...], reason: str) -> None:
    names = "x out" if function is f.alias_param else None
    rows = jacobian(function, wrt=names and "x", sparse=True)
    with pytest.raises(UnsupportedError) as caught:
        ByRows(function, rows._options, "jacobian")(*args)
    assert reason in caught.value.reason
    assert caught.value.span is not None and caught.value.remedy
    made = jacobian(function, wrt=names and "x", sparse=True)
    assert "groups_of_columns(" in made.source_for(*args)
    found, dense = made(*args), jacobian(function, wrt=names and "x")(*args)
    for one, want in zip(*((m,) if not isinstance(m, tuple) else m for m in (found, dense)), strict=True):
        assert isinstance(one, csr_array)
        np.testing.assert_allclose(one.toarray(), want.reshape(one.shape), rtol=1e-13, atol=1e-15)


class ByGroups(SparseJacobian):
    """`jacobian(sparse=True)` by groups of columns, also where rows can be made."""

    def _order(self, **changes: Any) -> Any:
        return super()._order(**{**changes, "sparse": "groups"})


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)
def test_groups_find_what_rows_find(case: Case) -> None:
    function, args, *wrt = case
    rows = jacobian(function, sparse=True, **({"wrt": wrt[0]} if wrt else {}))
    found, want = ByGroups(function, rows._options, "jacobian")(*args), rows(*args)
    for one, other in zip(*((m,) if not isinstance(m, tuple) else m for m in (found, want)), strict=True):
        assert one.shape == other.shape and one.dtype == other.dtype
        np.testing.assert_allclose(one.toarray(), other.toarray(), rtol=1e-12, atol=1e-14)


def differences_of(x: Any, a: float) -> Any:
    return a * (x[1:] - x[:-1]) ** 2


def set_and_added(x: Any) -> Any:
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = x[i] ** 2
    out[1:] += x[:-1]
    return out * 1.0


def blurred(x: Any) -> Any:
    m = x.reshape(4, -1)
    inner = np.where(m[1:-1, 1:-1] > 0.0, m[:-2, 1:-1] + m[2:, 1:-1], m[1:-1, :-2] * m[1:-1, 2:])
    return np.concatenate((inner.ravel(), np.sum(m, axis=1), m[0] @ np.ones((m.shape[1], 2)), np.cumsum(m[:, 0])))


def scattered(x: Any, k: Any) -> Any:
    out = np.zeros(len(x))
    np.add.at(out, k, np.sin(x[::-1]))
    return np.stack((out, x * np.mean(x[:2])), axis=1).T


def stencils(u: Any, steps: int) -> Any:
    u = u.copy()
    for _ in range(steps):
        u[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
    return u


def in_containers(x: Any) -> Any:
    parts = {"a": x[:3], "b": [x * 2.0, np.zeros(3)]}
    parts["b"][1][0] = x[0]
    both = [p * parts["a"][0] for p in parts["b"]]
    return np.concatenate((both[0], both[1], -parts["a"]))


def rotated(x: Any, m: Any) -> Any:
    return np.einsum("ij,kj->ki", m, x.reshape(-1, 2)) + np.outer(x[::2], m[0])


ENTRIES = [
    (differences_of, (X, 2.0), "x", 12),
    (differences_of, (X, 2.0), "x a", 12),
    (set_and_added, (X,), "x", 13),
    (blurred, (np.append(X, X[:5]),), "x", None),
    (scattered, (X, np.array([0, 1, 1, 4, 4, 6, 6])), "x", 7 + 7 * 2 + 5),
    (stencils, (X, 2), "u", 1 + 4 + 5 + 5 + 5 + 4 + 1),
    (in_containers, (X,), "x", None),
    (rotated, (X[:6], MORE[:2, :2]), "x", 12),
]


@pytest.mark.parametrize(("function", "args", "wrt", "count"), ENTRIES)
def test_expressions_of_arrays(
    function: Callable[..., Any], args: tuple[Any, ...], wrt: str, count: int | None
) -> None:
    found, dense = jacobian(function, wrt=wrt, sparse=True)(*args), jacobian(function, wrt=wrt)(*args)
    found, dense = ((m,) if not isinstance(m, tuple) else m for m in (found, dense))
    for one, want in zip(found, dense, strict=True):
        np.testing.assert_allclose(one.toarray(), want.reshape(one.shape), rtol=1e-13, atol=1e-15)
    assert count in (None, found[0].nnz)


def test_single_precision_and_nothing() -> None:
    single = jacobian(differences_of, wrt="x", sparse=True)(X.astype(np.float32), 2.0)
    assert single.dtype == np.float32
    np.testing.assert_allclose(single.toarray(), jacobian(differences_of, wrt="x")(X, 2.0), rtol=1e-5, atol=1e-6)
    assert jacobian(lambda x: x * x, sparse=True)(np.zeros(0)).shape == (0, 0)
    assert jacobian(lambda x: np.ones(2) * 3.0 + 0.0 * x[0], sparse=True)(X).shape == (2, 7)


def test_a_pattern_does_not_go_by_the_numbers() -> None:
    found = jacobian(lambda x: x[1:] * x[:-1], sparse=True)(np.zeros(4))
    assert found.nnz == 6 and not found.toarray().any()
    second = hessian(lambda x: np.sum(x[1:] ** 2 * x[:-1] ** 2), sparse=True)(np.zeros(4))
    assert second.nnz == 10 and not second.toarray().any()


def springs(x: Any) -> Any:
    return np.sum(((x[1:] - x[:-1]) ** 2 - 1.0) ** 2)


def rosenbrock(x: Any) -> Any:
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def arrow(x: Any) -> Any:
    return x[0] ** 2 * np.sum(x[1:] ** 3)


def membrane(x: Any, triangles: Any) -> Any:
    u = x[triangles]
    return np.sum(np.cosh(u @ np.array([[1.0, 0.5], [-1.0, 0.2], [0.3, 1.0]]))) + np.sum(u[:, 0] * u[:, 1])


def elements(x: Any, triangles: Any) -> Any:
    u, stiffness = x[triangles], np.array([[2.0, -1.0, -1.0], [-1.0, 1.0, 0.0], [-1.0, 0.0, 1.0]])
    return np.einsum("ni,ij,nj->", u, stiffness, u)


HESSIANS = [
    (elements, (X, np.array([[0, 1, 2], [2, 3, 4], [4, 5, 6]])), 7 + 18, None),
    (springs, (X,), 19, 3),
    (rosenbrock, (X,), 19, 3),
    (arrow, (X,), 19, 2),
    (membrane, (X, np.array([[0, 1, 2], [2, 3, 4], [4, 5, 6]])), 7 + 18, 4),
    (lambda x: np.sum(x[1:] * x[:-1]), (X,), 12, None),
]


@pytest.mark.parametrize(("function", "args", "count", "groups"), HESSIANS)
def test_hessians_of_arrays(
    function: Callable[..., Any], args: tuple[Any, ...], count: int, groups: int | None
) -> None:
    made = hessian(function, wrt="x", sparse=True)
    assert "groups_of_both(" in made.source_for(*args)
    found = made(*args)
    assert found.nnz == count
    assert (found != found.T).nnz == 0
    np.testing.assert_allclose(found.toarray(), hessian(function, wrt="x")(*args), rtol=1e-12, atol=1e-13)
    pattern = np.array([frozenset(row) for row in np.split(found.indices, found.indptr[1:-1])], object)
    assert groups in (None, runtime_patterns.groups_of_both(pattern, found.shape[0])[1])


def test_what_is_not_known_may_depend_on_all_that_it_is_given() -> None:
    def spectrum(x: Any) -> Any:
        return np.concatenate([np.linalg.eigvalsh(x[:4].reshape(2, 2)) * x[0], x[3:] ** 2])

    found = jacobian(spectrum, sparse=True)(X)
    np.testing.assert_allclose(found.toarray(), jacobian(spectrum)(X), rtol=1e-12, atol=1e-14)
    assert found.nnz == 8 + len(X) - 3


def _rough(x: Any) -> Any:
    return np.sum(np.diff(x) ** 4) + np.sum(np.diff(x, n=2) ** 2 * x[2:])


def _growing(x: Any) -> Any:
    total = 0.0
    for v in x[:3]:
        total += np.exp(-total * v) * v
    return total + np.sum(np.log(np.diag(np.outer(x, x) + np.diag(x))))


def _joined(x: Any) -> Any:
    y = np.concatenate([x[:2] ** 2, np.sin(x[2:]), np.array([x[0] * x[3]])])
    return np.sum(y[:-1] * y[1:])


def _stacked(x: Any) -> Any:
    first, second = np.stack((x[:-1] * x[1:], x[1:] ** 2))
    return np.sum(first * second) + np.sum(np.hstack((x[:3] ** 2, x[3:])) ** 2)


_ENTRIES = {_rough: 5 * len(X) - 6, _joined: 3 * len(X) + 4, _stacked: 3 * len(X) - 2}  # five diagonals, three and more


@pytest.mark.parametrize("function", [_rough, _growing, _joined, _stacked])
def test_hessians_of_differences_diagonals_tapes_and_what_is_joined(function: Callable[..., Any]) -> None:
    found = hessian(function, sparse=True)(X)
    np.testing.assert_allclose(found.toarray(), hessian(function)(X), rtol=1e-12, atol=1e-13)
    assert found.nnz == _ENTRIES.get(function, found.nnz)


def test_what_may_be_a_part_of_a_tangent_is_refused() -> None:
    def squeezed(x: Any) -> Any:  # what is written into the part belongs to the pattern of the whole
        part = np.squeeze(x)
        part[2] = part[0] * part[1]
        part.squeeze()[3] *= 2.0
        return np.sum(x**3)

    with pytest.raises(UnsupportedError):
        hessian(squeezed, sparse=True)(np.array([X[:4]]))


def test_a_line_that_is_not_known_is_refused() -> None:
    def running(x: Any) -> Any:
        return np.sum(np.cumprod(x) ** 2)

    with pytest.raises(UnsupportedError) as caught:
        hessian(running, sparse=True)(X)
    assert caught.value.remedy


def test_a_refusal_shows_the_line_and_what_to_write() -> None:
    with pytest.raises(UnsupportedError) as caught:
        ByRows(f.carried, jacobian(f.carried, sparse=True)._options, "jacobian")(X)
    first, line, caret, reason, remedy = str(caught.value).splitlines()
    assert first.startswith("sparse_functions.py:") and first.endswith("make a sparse Jacobian of `carried`")
    assert "s = s + x[i]" in line and "^" in caret
    assert reason == "`s` goes from one step to the next, so that a number depends on the steps before."
    assert remedy == "Leave `sparse` out, or write one loop whose steps each set their own part of the value."


def test_containers_are_named_by_their_parts() -> None:
    with pytest.raises(ADError, match="cannot make a sparse Jacobian of `of_dict` with respect to `p`") as caught:
        jacobian(f.of_dict, sparse=True)(LAYER, X)
    assert caught.value.remedy == 'Name its parts: `wrt="p.w p.b"`.'


def test_a_format_is_no_option() -> None:
    with pytest.raises(ArgumentError, match="sparse is True or False, not 'csc'"):
        jacobian(f.carried, sparse="csc")


def test_columns_are_refused() -> None:
    with pytest.raises(ArgumentError, match="made row by row"):
        jacobian(f.carried, sparse=True, mode="forward")


def test_a_batch_is_refused() -> None:
    with pytest.raises(ArgumentError, match="no batch of sparse Jacobians of `counter`"):
        jacobian(f.counter, sparse=True).batch(ROWS)
    with pytest.raises(ArgumentError, match="no batch of sparse Jacobians of `counter`"):
        jacobian(f.counter, sparse=True, jit=True).batch_source_for(ROWS)


def test_without_scipy_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    found = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name.startswith("scipy"):
            raise ImportError(name)
        return found(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(UnsupportedError, match=r"adcompile\[scipy\]"):
        jacobian(f.counter, sparse=True)(X)


def test_an_index_out_of_range_is_the_functions_own_error() -> None:
    def beyond(x: Any) -> Any:
        out = np.zeros(2)
        for i in range(3):
            out[i] = x[i] ** 2
        return out

    with pytest.raises(IndexError, match="index 2 is out of bounds for axis 0 with size 2"):
        jacobian(beyond, sparse=True)(np.ones(3))


def test_real_and_imaginary_parts_keep_their_pattern() -> None:
    """Of an array of sets NumPy takes zeros for the imaginary part."""

    def f(x: Any) -> Any:
        z = x + 1j * x[::-1]
        w = z * z
        return w.imag + np.real(w)

    x = np.array([0.3, 0.7, 1.1])
    np.testing.assert_allclose(jacobian(f, sparse=True)(x).toarray(), jacobian(f)(x), rtol=1e-12)


def halves_set(x: Any, y: Any) -> Any:
    z = np.empty(3, dtype=complex)
    z.real = x * y
    z.imag[:] = y
    z.imag[0] *= x[2]
    z = z * z
    return np.sum(z.real) + np.sum(z.imag * x)


def test_one_half_of_complex_numbers_that_is_set_leaves_the_other_in_the_pattern() -> None:
    x, y = np.array([0.3, 0.7, 1.1]), np.array([0.5, -0.4, 0.9])
    dense = hessian(halves_set, wrt="x")(x, y)
    np.testing.assert_allclose(hessian(halves_set, wrt="x", sparse=True)(x, y).toarray(), dense, rtol=1e-12, atol=1e-12)
    steps = 1e-5 * np.eye(3)
    slope = derivative(halves_set, wrt="x")
    by_differences = [(slope(x + h, y) - slope(x - h, y)) / 2e-5 for h in steps]
    np.testing.assert_allclose(dense, by_differences, rtol=1e-6, atol=1e-6)
