"""Distances that no row is about, as the compiler reads them: see `prelude.py`.

SciPy's own value is kept to the last bit; its derivative is that of the formulas here, of points along the last axis.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import rel_entr

from adcompile.analyses.readings import prelude_rotation
from adcompile.analyses.readings.prelude import exactly
from adcompile.ir import nodes as n
from adcompile.ir.kinds import Static
from adcompile.runtime.cuts import unread
from adcompile.runtime.scipy.filters import with_words

if TYPE_CHECKING:
    from adcompile.analyses.readings.prelude import Keywords


def apart(metric: Any, x: Any, y: Any, w: Any, p: Any = 2, v: Any = None, vi: Any = None) -> Any:
    """How far points are apart from others, each item counting by its weight."""
    if metric == "euclidean":
        return root(np.sum(w * (x - y) ** 2, axis=-1))
    if metric == "sqeuclidean":
        return np.sum(w * (x - y) ** 2, axis=-1)
    if metric == "cityblock":
        return np.sum(w * np.abs(x - y), axis=-1)
    if metric == "chebyshev":
        return np.max(np.abs(x - y) * (w > 0), axis=-1)
    if metric == "minkowski":
        powers = np.sum(w * np.abs(x - y) ** p, axis=-1)
        return np.where(powers > 0.0, powers ** (1.0 / p), 0.0)
    if metric == "canberra":
        sizes = np.abs(x) + np.abs(y)
        return np.sum(w * np.abs(x - y) / np.where(sizes > 0.0, sizes, 1.0), axis=-1)
    if metric == "braycurtis":
        return np.sum(w * np.abs(x - y), axis=-1) / np.sum(w * np.abs(x + y), axis=-1)
    if metric == "cosine":
        return turned(x, y, w)
    if metric == "correlation":
        whole = np.sum(w + np.zeros(np.shape(x)[-1]))
        means = np.sum(w * x, axis=-1, keepdims=True) / whole, np.sum(w * y, axis=-1, keepdims=True) / whole
        return turned(x - means[0], y - means[1], w)
    if metric == "jensenshannon":
        return diverging(x / np.sum(x, axis=-1, keepdims=True), y / np.sum(y, axis=-1, keepdims=True), -1)
    if metric == "seuclidean":
        return root(np.sum((x - y) ** 2 / v, axis=-1))
    if metric == "mahalanobis":
        return root(np.sum((x - y) @ vi * (x - y), axis=-1))
    return unread("this metric", "Write the distance out with NumPy.")


def root(squares: Any) -> Any:
    """The square root, of which the slope counts as 0 where it is 0."""
    return np.where(squares > 0.0, np.sqrt(squares), 0.0)


def turned(x: Any, y: Any, w: Any) -> Any:
    """What the cosine of the angle between two directions lacks of 1."""
    return 1.0 - np.sum(w * x * y, axis=-1) / np.sqrt(np.sum(w * x * x, axis=-1) * np.sum(w * y * y, axis=-1))


def diverging(p: Any, q: Any, axis: Any) -> Any:
    """The distance of Jensen and Shannon between probabilities."""
    m = (p + q) / 2.0
    return root((np.sum(rel_entr(p, m), axis=axis) + np.sum(rel_entr(q, m), axis=axis)) / 2.0)


def of_all_pairs(  # its arguments are called as SciPy has them
    function: Any, XA: Any, XB: Any, metric: Any = "euclidean", **words: Any  # noqa: N803 - the same
) -> Any:
    """`scipy.spatial.distance.cdist`."""
    first, second = np.asarray(XA), np.asarray(XB)
    v, vi, w = words.get("V"), words.get("VI"), words.get("w")
    if metric == "seuclidean" and v is None:
        v = np.var(np.vstack((first, second)), axis=0, ddof=1)
    if metric == "mahalanobis" and vi is None:
        vi = np.linalg.inv(np.cov(np.vstack((first, second)).T)).T
    made = apart(metric, first[:, None, :], second[None, :, :], 1.0 if w is None else w, words.get("p", 2), v, vi)
    return exactly(made, with_words, function, words, XA, XB, metric)


def matrix_of(function: Any, x: Any, y: Any, p: Any = 2) -> Any:
    """`scipy.spatial.distance_matrix`."""
    made = apart("minkowski", np.asarray(x)[:, None, :], np.asarray(y)[None, :, :], 1.0, p)
    return exactly(made, function, x, y, p)


def of_pairs(function: Any, X: Any, metric: Any = "euclidean", **words: Any) -> Any:  # noqa: N803 - as SciPy has it
    """`scipy.spatial.distance.pdist`."""
    points = np.asarray(X)
    i, j = np.triu_indices(len(points), 1)
    v, vi, w = words.get("V"), words.get("VI"), words.get("w")
    if metric == "seuclidean" and v is None:
        v = np.var(points, axis=0, ddof=1)
    if metric == "mahalanobis" and vi is None:
        vi = np.linalg.inv(np.cov(points.T)).T
    made = apart(metric, points[i], points[j], 1.0 if w is None else w, words.get("p", 2), v, vi)
    return exactly(made, with_words, function, words, X, metric)


def of_two(metric: Any, function: Any, u: Any, v: Any, w: Any) -> Any:
    """How far two points are apart."""
    return exactly(apart(metric, np.asarray(u), np.asarray(v), 1.0 if w is None else w), function, u, v, w)


def euclidean_of_two(function: Any, u: Any, v: Any, w: Any = None) -> Any:
    """`scipy.spatial.distance.euclidean`."""
    return of_two("euclidean", function, u, v, w)


def sqeuclidean_of_two(function: Any, u: Any, v: Any, w: Any = None) -> Any:
    """`scipy.spatial.distance.sqeuclidean`."""
    return of_two("sqeuclidean", function, u, v, w)


def cityblock_of_two(function: Any, u: Any, v: Any, w: Any = None) -> Any:
    """`scipy.spatial.distance.cityblock`."""
    return of_two("cityblock", function, u, v, w)


def cosine_of_two(function: Any, u: Any, v: Any, w: Any = None) -> Any:
    """`scipy.spatial.distance.cosine`."""
    return of_two("cosine", function, u, v, w)


def chebyshev_of_two(function: Any, u: Any, v: Any, w: Any = None) -> Any:
    """`scipy.spatial.distance.chebyshev`."""
    return of_two("chebyshev", function, u, v, w)


def canberra_of_two(function: Any, u: Any, v: Any, w: Any = None) -> Any:
    """`scipy.spatial.distance.canberra`."""
    return of_two("canberra", function, u, v, w)


def braycurtis_of_two(function: Any, u: Any, v: Any, w: Any = None) -> Any:
    """`scipy.spatial.distance.braycurtis`."""
    return of_two("braycurtis", function, u, v, w)


def correlation_of_two(function: Any, u: Any, v: Any, w: Any = None, centered: Any = True) -> Any:
    """`scipy.spatial.distance.correlation`."""
    if not centered:
        return exactly(turned(np.asarray(u), np.asarray(v), 1.0 if w is None else w), function, u, v, w, centered)
    return of_two("correlation", function, u, v, w)


def minkowski_of_two(function: Any, u: Any, v: Any, p: Any = 2, w: Any = None) -> Any:
    """`scipy.spatial.distance.minkowski`."""
    made = apart("minkowski", np.asarray(u), np.asarray(v), 1.0 if w is None else w, p)
    return exactly(made, function, u, v, p, w)


def scaled_of_two(function: Any, u: Any, v: Any, V: Any) -> Any:  # noqa: N803 - as SciPy has it
    """`scipy.spatial.distance.seuclidean`."""
    return exactly(apart("seuclidean", np.asarray(u), np.asarray(v), 1.0, 2, V), function, u, v, V)


def divergence(function: Any, p: Any, q: Any, base: Any = None, *, axis: Any = 0) -> Any:
    """`scipy.spatial.distance.jensenshannon`."""
    first, second = np.asarray(p), np.asarray(q)
    shares = first / np.sum(first, axis=axis, keepdims=True), second / np.sum(second, axis=axis, keepdims=True)
    made = diverging(shares[0], shares[1], axis)
    if base is not None:
        made = made / np.sqrt(np.log(base))
    return exactly(made, with_words, function, {"axis": axis}, p, q, base)


READ_FOR: dict[str, Any] = {
    "cdist": of_all_pairs, "pdist": of_pairs, "euclidean": euclidean_of_two, "sqeuclidean": sqeuclidean_of_two,
    "cityblock": cityblock_of_two, "cosine": cosine_of_two, "chebyshev": chebyshev_of_two,
    "canberra": canberra_of_two, "braycurtis": braycurtis_of_two, "correlation": correlation_of_two,
    "minkowski": minkowski_of_two, "seuclidean": scaled_of_two, "jensenshannon": divergence,
    "distance_matrix": matrix_of, **prelude_rotation.READ_FOR,
}
_WITH_ROWS = {"euclidean", "sqeuclidean", "cityblock", "minkowski", "chebyshev"}  # without weights
_OF_ALL_PAIRS = {"cosine": (), "seuclidean": ("V",), "mahalanobis": ("VI",)}  # and of `cdist`, with these


def _by_metric(place: int) -> Any:
    """Whether no row is about a metric, which stands at this place or has a name."""

    def read(args: Sequence[n.Expr], keywords: Keywords) -> bool:
        words = dict(keywords)
        told = words.get("metric", args[place] if len(args) > place else n.Const("euclidean", kind=Static("euclidean")))
        known = told.value if isinstance(told, n.Const) else getattr(told.kind, "value", None)
        if not isinstance(known, str):
            return False
        if known in _OF_ALL_PAIRS and place == 2:
            return not all(name in words for name in _OF_ALL_PAIRS[known])
        return known not in _WITH_ROWS or "w" in words

    return read


def _has_weights(place: int) -> Any:
    """Whether there are weights, at this place or by name."""
    return lambda args, keywords: len(args) > place or "w" in dict(keywords)


FITS: dict[str, Any] = {
    "cdist": _by_metric(2), "pdist": _by_metric(1), "minkowski": _has_weights(3),
    **dict.fromkeys(("euclidean", "sqeuclidean", "cityblock", "cosine"), _has_weights(2)),
    **prelude_rotation.FITS,
}
METHODS_OF: dict[str, type] = {**prelude_rotation.METHODS_OF}
