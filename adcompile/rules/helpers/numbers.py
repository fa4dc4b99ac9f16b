"""The rows of the helpers in `runtime/helpers.py` that generated code calls, so that it can be differentiated again.

A helper without a row (`digamma`, `power_slope` ...) is written in the language of the compiler, which enters it.
"""

from __future__ import annotations

from adcompile.rules.forms import REFUSE, constant, elementwise, linear, opaque, rule

_MATRIX = ("rng.normal(size=(2, 3))",)

constant("stop_gradient", view="")
constant("solution", view="")
constant("solution_like", view="")
constant("own_value")
linear("as_like(v, like)", v="g", sample=("rng.normal(size=3)", "np.zeros(3)"), view="v")
opaque("a minimum at bounds that vary themselves is not followed; hold them fixed by `stop_gradient`", "limits_of",
       view="")
linear("counted(v, count)", v="g", sample=("rng.normal(size=3)", "3"), view="v")
rule("length_of(v)", v="np.multiply(g / (ans or math.inf), v)", jvp="float(np.dot(v, v_dot)) / (ans or math.inf)",
     sample=("[1.0, -2.0, 0.5]",))
# Lists of their own: the list itself may be changed meanwhile.
linear("counted_items(v, count)", v="g", sample=("[1.0, 2.0]", "2"), view="*v")
linear("several(v)", v="np.array(g)", when="v.ndim >= 1", sample=("rng.normal(size=3)",), view="v")
linear("several(v)", v="g", sample=("[1.0, 2.0]",), view="*v")
linear("number_or_array(v, lists=False)", v="g", when="v.ndim >= 0 or not lists",
       sample=("rng.normal(size=3)",), view="v")
opaque("what is in a list that is not known when compiling has no adjoint", "number_or_array")
linear("solved_by_products(v, product, transposed, at)", v="solved_by_products(g, transposed, product, at)",
       sample=("rng.normal(size=2)", "lambda v: np.array([2 * v[0] + v[1], 4 * v[1]])",
               "lambda v: np.array([2 * v[0], v[0] + 4 * v[1]])", "()"), view="")
linear("unbroadcast(v, shape)", v="np.broadcast_to(g, np.shape(v))", when="v.ndim >= len(shape)",
       sample=("rng.normal(size=(2, 3))", "(3,)"), view="v repeated")
linear("unbroadcast(v, shape)", v="np.broadcast_to(np.reshape(g, np.shape(g)[np.ndim(g) - np.ndim(v):]), np.shape(v))",
       sample=("rng.normal(size=3)", "(1, 1)"), view="v repeated")  # the axes in front are of one item
linear("unless_whole(v, into)", v="unless_whole(g, into)", sample=("rng.normal(size=3)", "np.zeros(3)"), view="v")
linear("real_like(v, value)", v="real_like(g, v)", sample=("rng.normal(size=3) + 1j", "np.zeros(3)"), view="v")
linear("owned_like(v, value)", v="unbroadcast(g, np.shape(v))", sample=("rng.normal(size=3)", "np.zeros((2, 3))"),
       view="")
linear("own_copy(x)", x="g", sample=("rng.normal(size=(3, 2)).T",), view="")
linear("own_tangent(v, x)", v="g", when="v.ndim == x.ndim",
       sample=("rng.normal(size=(2, 3))", "np.zeros((3, 2)).T"), view="")
linear("unreduce(v, shape, axis=None, keepdims=False)", v="np.sum(g, axis)", when="axis is not None and not keepdims",
       sample=("rng.normal(size=2)", "(2, 3)", "1"), view="v repeated")
linear("unreduce(v, shape, axis=None, keepdims=False)", v="unbroadcast(g, np.shape(v))",
       sample=("rng.normal(size=(2, 1))", "(2, 3)"), view="v repeated")
linear("scatter(v, index, like)", v="g[index]", sample=("rng.normal(size=3)", "np.array([0, 2, 0])", "np.zeros(4)"),
       view="")
constant("zero_like", "zeros_alike", "buffers_like", view="")
linear("add_like(v, w)", v="g", w="g", sample=("[1.0, 2.0]", "[3.0, 4.0]"), view="")
linear("copy_like(v)", v="g", sample=("[1.0, 2.0]",), view="")
linear("copied_apart(v, others=())", v="g", sample=("[rng.normal(size=3), [1.0, 2.0]]",), view="")
linear("copied_list(v)", v="g", sample=("[1.0, 2.0]",), view="")
rule("with_counts(v, value, ways)", v="g", jvp="v_dot", sample=("[1.0, 2.0]", "[1.0, 2.0]", "((2,),)"), view="v *v")
linear("view_like(v, x, view)", v="unview(g, x, view)", sample=(_MATRIX[0], "np.ones((2, 3))", "np.ones(2)"), view="v")
linear("unview(v, x, view)", v="view_like(g, x, view)", sample=("rng.normal(size=2)", "np.ones((2, 3))", "np.ones(2)"),
       view="")
linear("unsum(v, xs)", v="sum(g)", sample=("2.0", "[1.0, 3.0]"), view="")

linear("share_ties(v, x, top, axis=None, keepdims=False, start=None)",
       v="mean_of_ties(g, x, top, axis, keepdims, start)", sample=("1.5", "np.array([1.0, 2.0, 2.0])", "2.0"), view="")
linear("mean_of_ties(v, x, top, axis=None, keepdims=False, start=None)",
       v="share_ties(g, x, top, axis, keepdims, start)",
       sample=("rng.normal(size=3)", "np.array([1.0, 2.0, 2.0])", "2.0"), view="")
constant("share_of_start", view="")
linear("deviations(x, axis=None, ddof=0)", x="deviations(g, axis, ddof)", sample=("rng.normal(size=(2, 3))", "1", "1"),
       view="")
linear("align(w, x, axis)", w="align_vjp(g, np.shape(w), x, axis)", when="isinstance(axis, tuple) and w.ndim < x.ndim",
       sample=("rng.normal(size=(4, 2))", "np.zeros((2, 3, 4))", "(2, 0)"), view="w")
linear("align_vjp(v, shape, x, axis)", v="align(g, x, axis)", sample=("rng.normal(size=(2, 1, 4))", "(4, 2)",
       "np.zeros((2, 3, 4))", "(2, 0)"), view="v")
linear("align(w, x, axis)", w="np.reshape(g, np.shape(w))", sample=("rng.normal(size=3)", "np.zeros((2, 3))", "1"),
       view="w")
_RANKED = "x, q, axis=None, keepdims=False, method='linear', numbers=False"
_HOW = "x, q, axis, keepdims, method, numbers"
_OF_RANKS = "np.reshape(np.sum(np.reshape({}, (np.size(q), -1)), 1), np.shape(q))"
_RANKS_DOT = "np.reshape(q_dot, np.shape(q) + (1,) * (np.ndim({}) - np.ndim(q)))"
_ITEMS, _RANKS = "rng.normal(size=(4, 3))", ("rng.normal(size=(4, 3))", "np.array([0.3, 0.8])", "0")
# Of complex numbers there is a median alone. A quantile is linear between two items, and so in its rank.
for _name, _other, _of_rank, _rank_jvp, _one, _drawn in (
    ("unquantile", "quantile_tangent", f"v * rank_tangent(g, {_HOW})",
     f"unrank(v * {_RANKS_DOT.format('v')}, {_HOW})", "1.5", "rng.normal(size=(2, 3))"),
    ("quantile_tangent", "unquantile", f"g * rank_tangent(v, {_HOW})",
     f"rank_tangent(v, {_HOW}) * {_RANKS_DOT.format('ans')}", "rng.normal(size=4)", _ITEMS),
):
    _call, _back = f"{_name}(v, {_RANKED})", f"{_other}(g, {_HOW})"
    linear(_call, v=_back, when="q >= 0", sample=(_one, "rng.normal(size=4)", "0.5"), view="")  # a number in the text
    rule(_call, v=_back, q=_OF_RANKS.format(_of_rank), jvp=f"{_name}(v_dot, {_HOW}) + {_rank_jvp}",
         sample=(_drawn, *_RANKS))
    linear(_call, v=_back, q=REFUSE("quantiles of complex numbers have no rule for their rank"), view="",
           sample=(f"np.ravel({_one}) + 1j", "rng.normal(size=4) + 1j", "np.array([0.5])"))
rule(f"rank_slope({_RANKED})", x=f"unrank(g, {_HOW})", jvp=f"rank_tangent(x_dot, {_HOW})", sample=_RANKS)
linear(f"rank_tangent(v, {_RANKED})", v=f"unrank(g, {_HOW})", sample=(_ITEMS, *_RANKS), view="")
linear(f"unrank(v, {_RANKED})", v=f"rank_tangent(g, {_HOW})", sample=("rng.normal(size=(2, 3))", *_RANKS), view="")
constant("last_places", view="")
linear("undiff(v, shape, n, axis)", v="np.diff(g, n, axis)", sample=("rng.normal(size=3)", "(5,)", "2", "0"), view="v")
elementwise("bessel_i1(x)", "g * (np.i0(x) - np.where(x, ans / np.where(x, x, 1), 0.5))")
linear("undistinct(v, ans_, x, before=())", v="distinct_tangent(g, ans_, x, before)",
       sample=("rng.normal(size=2)", "np.array([2.0, 3.0])", "np.array([3.0, 2.0, 2.0])"), view="")
linear("distinct_tangent(v, ans_, x, before=())", v="undistinct(g, ans_, x, before)",
       sample=("rng.normal(size=3)", "np.array([2.0, 3.0])", "np.array([3.0, 2.0, 2.0])"), view="")
constant("distinct_places", view="")
linear("match_order(v, source, target, axis)", v="match_order(g, target, source, axis)",
       sample=("rng.normal(size=3)", "np.array([1, 2, 3])", "np.array([2, 3, 1])", "0"), view="")
linear("undiagonal(v, shape, offset=0, axis1=0, axis2=1)",
       v="unbroadcast(np.diagonal(g, offset, axis1, axis2), np.shape(v))",
       sample=("rng.normal(size=2)", "(2, 3)", "1"), view="")
_BY_SPACING = REFUSE("no rule for the second derivative by the spacing of np.gradient")
linear("ungradient(v, shape, spacing, axis=None, edge_order=1)", spacing=_BY_SPACING,
       v="np.gradient(g, *spacing, axis=axis, edge_order=edge_order)",
       sample=("rng.normal(size=(5, 4))", "(5, 4)", "(0.5,)", "0", "2"), view="")
linear("unwindow(v, shape, window, axis=None)", v="np.lib.stride_tricks.sliding_window_view(g, window, axis)",
       sample=("rng.normal(size=(2, 2, 2))", "(3, 2)", "2", "0"), view="")
linear("unrepeat(v, shape, repeats, axis=None)", v="np.repeat(g, repeats, axis)",
       sample=("rng.normal(size=(3, 2))", "(2, 2)", "[1, 2]", "0"), view="")
linear("unresize(v, shape)", v="np.resize(g, np.shape(v))", sample=("rng.normal(size=(2, 3))", "(4,)"), view="")
linear("untile(v, shape, reps)", v="np.tile(g, reps)", sample=("rng.normal(size=(2, 6))", "(3,)", "(2, 2)"), view="")
linear("untake(v, indices, like, axis=None)", v="np.take(g, indices, axis)",
       sample=("rng.normal(size=(2, 2))", "[1, 1]", "np.zeros((2, 3))", "1"), view="")
linear("untake_along(v, indices, like, axis)", v="np.take_along_axis(g, indices, axis)",
       sample=("rng.normal(size=3)", "np.array([1, 1, 0])", "np.zeros(2)", "0"), view="")
linear("ungrid(v, xs, indexing='xy', sparse=False)", v="np.meshgrid(*g, indexing=indexing, sparse=sparse)",
       sample=("[rng.normal(size=(2, 3)), rng.normal(size=(2, 3))]", "(np.zeros(3), np.zeros(2))"), view="")
