"""The rows of distances, and what SciPy does with functions of the user's: refused where an argument varies."""

from __future__ import annotations

from adcompile.rules.forms import constant, linear, opaque, rule

_CLOUDS = ("rng.normal(size=(3, 2))", "rng.normal(size=(4, 2))")
_GAP = "(np.expand_dims(x, 1) - np.expand_dims(y, 0))"
for _metric, _weights, _by in (("euclidean", "(g / np.where(ans, ans, np.inf))", "(1 / np.where(ans, ans, np.inf))"),
                               ("sqeuclidean", "(2 * g)", "2")):
    rule("scipy.spatial.distance.cdist(x, y, metric='euclidean')", when=f"metric == '{_metric}'",
         x=f"np.sum({_weights}, axis=1, keepdims=True) * x - {_weights} @ y",
         y=f"np.expand_dims(np.sum({_weights}, axis=0), 1) * y - {_weights}.T @ x",
         jvp=f"{_by} * (np.sum(x * x_dot, axis=1, keepdims=True) - x_dot @ y.T - x @ y_dot.T"
             " + np.sum(y * y_dot, axis=1))", sample=(*_CLOUDS, f"'{_metric}'"))
rule("scipy.spatial.distance.cdist(x, y, metric='euclidean')", when="metric == 'cityblock'",
     x=f"np.sum(np.expand_dims(g, 2) * np.sign({_GAP}), axis=1)",
     y=f"-np.sum(np.expand_dims(g, 2) * np.sign({_GAP}), axis=0)",
     jvp=f"np.sum(np.sign({_GAP}) * (np.expand_dims(x_dot, 1) - np.expand_dims(y_dot, 0)), axis=2)",
     sample=(*_CLOUDS, "'cityblock'"))

_D = "scipy.spatial.distance."
_EACH = "np.expand_dims(np.where(ans, ans, 1), -1)"
_MOST = "(np.abs({gap}) == np.expand_dims(ans, -1))"
for _given, _metric, _slope, _values in (
    ("p=2", "minkowski", f"np.sign({{gap}}) * np.abs({{gap}}) ** (p - 1) / {_EACH} ** (p - 1)", ("3.0",)),
    ("", "chebyshev", f"np.sign({{gap}}) * {_MOST} / np.sum({_MOST}, axis=-1, keepdims=True)", ()),
    ("V=None", "seuclidean", f"{{gap}} / V / {_EACH}", ("np.array([1.2, 0.7])",)),
    ("VI=None", "mahalanobis", f"0.5 * {{gap}} @ (VI + VI.T) / {_EACH}", ("np.diag([2.0, 1.5])",)),
):
    _call = f"metric='euclidean'{', ' + _given if _given else ''}"
    _by = _slope.format(gap=_GAP)
    _by_shape = {"V": f"-0.5 * np.sum(np.expand_dims(g, -1) * {_GAP} ** 2 / {_EACH}, axis=(0, 1)) / V ** 2",
                 "VI": f"0.5 * np.einsum('ij,ijk,ijl->kl', g / np.where(ans, ans, 1), {_GAP}, {_GAP})"}
    _more = {name: text for name, text in _by_shape.items() if _given == f"{name}=None"}
    _moved = {"V": f" - 0.5 * np.sum({_GAP} ** 2 / {_EACH} * V_dot / V ** 2, axis=2)",
              "VI": f" + 0.5 * np.einsum('ijk,kl,ijl->ij', {_GAP}, VI_dot, {_GAP}) / np.where(ans, ans, 1)"}
    rule(f"{_D}cdist(x, y, {_call})", when=f"metric == '{_metric}'",
         x=f"np.sum(np.expand_dims(g, 2) * ({_by}), axis=1)", y=f"-np.sum(np.expand_dims(g, 2) * ({_by}), axis=0)",
         jvp=f"np.sum(({_by}) * (np.expand_dims(x_dot, 1) - np.expand_dims(y_dot, 0)), axis=2)"
             + "".join(_moved[name] for name in _more), **_more, sample=(*_CLOUDS, f"'{_metric}'", *_values))
    if not _more:
        _by = _slope.format(gap="pairs_apart(x)")
        rule(f"{_D}pdist(x, {_call})", when=f"metric == '{_metric}'",
             x=f"pairs_apart_vjp(np.expand_dims(g, 1) * ({_by}), len(x))",
             jvp=f"np.sum(({_by}) * pairs_apart(x_dot), axis=1)",
             sample=("rng.normal(size=(4, 3))", f"'{_metric}'", *_values))
_UNIT = "({0} / np.sqrt(np.sum({0} ** 2, axis=1, keepdims=True)))"
_X, _Y = _UNIT.format("x"), _UNIT.format("y")
_LONG = "np.sqrt(np.sum({0} ** 2, axis=1, keepdims=True))"
rule(f"{_D}cdist(x, y, metric='euclidean')", when="metric == 'cosine'",
     x=f"(np.sum(g * (1 - ans), axis=1, keepdims=True) * {_X} - g @ {_Y}) / {_LONG.format('x')}",
     y=f"(np.expand_dims(np.sum(g * (1 - ans), axis=0), 1) * {_Y} - g.T @ {_X}) / {_LONG.format('y')}",
     jvp=f"(1 - ans) * (np.sum({_X} * x_dot / {_LONG.format('x')}, axis=1, keepdims=True)"
         f" + np.sum({_Y} * y_dot / {_LONG.format('y')}, axis=1)) - x_dot / {_LONG.format('x')} @ {_Y}.T"
         f" - {_X} @ (y_dot / {_LONG.format('y')}).T", sample=(*_CLOUDS, "'cosine'"))
_ROOT = "np.where(ans, ans, 1)"
for _name, _call, _slope in (
    ("euclidean", "euclidean(x, y)", f"(x - y) / {_ROOT}"), ("sqeuclidean", "sqeuclidean(x, y)", "2 * (x - y)"),
    ("cityblock", "cityblock(x, y)", "np.sign(x - y)"),
    ("minkowski", "minkowski(x, y, p=2)", f"np.sign(x - y) * np.abs(x - y) ** (p - 1) / {_ROOT} ** (p - 1)"),
):
    rule(f"{_D}{_call}", x=f"g * {_slope}", y=f"-g * {_slope}", jvp=f"np.sum({_slope} * (x_dot - y_dot))",
         when="x.ndim == 1 and y.ndim == 1", sample=("rng.normal(size=3)", "rng.normal(size=3)"))
rule(f"{_D}mahalanobis(x, y, v)", x=f"0.5 * g * (v + v.T) @ (x - y) / {_ROOT}",
     y=f"-0.5 * g * (v + v.T) @ (x - y) / {_ROOT}",
     v=f"0.5 * g * np.outer(x - y, x - y) / {_ROOT}", when="x.ndim == 1 and y.ndim == 1 and v.ndim == 2",
     jvp=f"0.5 * ((x_dot - y_dot) @ (v + v.T) @ (x - y) + (x - y) @ v_dot @ (x - y)) / {_ROOT}",
     sample=("rng.normal(size=3)", "rng.normal(size=3)", "np.diag([2.0, 1.0, 3.0])"))
rule(f"{_D}cosine(x, y)", when="x.ndim == 1 and y.ndim == 1",
     x="g * ((1 - ans) * x / np.dot(x, x) - y / math.sqrt(np.dot(x, x) * np.dot(y, y)))",
     y="g * ((1 - ans) * y / np.dot(y, y) - x / math.sqrt(np.dot(x, x) * np.dot(y, y)))",
     jvp="np.dot((1 - ans) * x / np.dot(x, x) - y / math.sqrt(np.dot(x, x) * np.dot(y, y)), x_dot)"
         " + np.dot((1 - ans) * y / np.dot(y, y) - x / math.sqrt(np.dot(x, x) * np.dot(y, y)), y_dot)",
     sample=("rng.normal(size=3)", "rng.normal(size=3)"))
for _metric, _slope in (("euclidean", f"pairs_apart(x) / np.expand_dims({_ROOT}, 1)"),
                        ("sqeuclidean", "2 * pairs_apart(x)"), ("cityblock", "np.sign(pairs_apart(x))")):
    rule(f"{_D}pdist(x, metric='euclidean')", when=f"metric == '{_metric}'",
         x=f"pairs_apart_vjp(np.expand_dims(g, 1) * ({_slope}), len(x))",
         jvp=f"np.sum(({_slope}) * pairs_apart(x_dot), axis=1)", sample=("rng.normal(size=(4, 3))", f"'{_metric}'"))
linear("pairs_apart(x)", x="pairs_apart_vjp(g, len(x))", sample=("rng.normal(size=(4, 3))",), view="")
linear("pairs_apart_vjp(v, count)", v="pairs_apart(g)", sample=("rng.normal(size=(6, 3))", "4"), view="")
linear(f"{_D}squareform(x)", x=f"{_D}squareform(g + g.T, checks=False)", when="x.ndim == 1",
       sample=("rng.normal(size=6)",), view="")
linear(f"{_D}squareform(x, force='no', checks=True)", x=f"np.triu({_D}squareform(g))", when="x.ndim == 2",
       sample=("(lambda a: a + a.T)(np.triu(rng.normal(size=(4, 4)), 1))", "'no'", "False"), view="")

opaque("the solver calls the function in steps that are not seen from outside; use `scipy.integrate.solve_ivp`",
       "scipy.integrate.ode")
for _name in ("integral_pieces", "array_pieces", "equation_solved", "path_solved", "step_places", "dense_read",
              "event_met", "times_of_event", "equation_with_events"):
    constant(_name, view="")
constant("of_rotation", "turned_from", "quaternion_made", "quaternions_met", "quaternion_held", "axes_in_order",
         "places_in_order", view="")
