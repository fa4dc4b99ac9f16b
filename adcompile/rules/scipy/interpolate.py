"""The rows of `scipy.interpolate`: what its objects compute, by values, by points, and by the points between pieces.

The objects are read as `analyses/readings/prelude_interpolate.py` has them. The rows are of what the reading calls.
"""

from __future__ import annotations

from typing import Any

from adcompile.rules.forms import REFUSE, constant, elementwise, linear, opaque, rule

_I = "scipy.interpolate."
_C, _X, _Q = "rng.normal(size=(4, 3))", "np.array([0.0, 1.0, 2.5, 4.0])", "rng.uniform(0.5, 3.5, 5)"
_KNOTS = REFUSE("no rule for the points that a spline goes through; by their values there is one")
_AT = "c, x, q, nu + 1, extrapolate, axis"

rule("piecewise(c, x, q, nu=0, extrapolate=True, axis=0)", c="piecewise_vjp(g, c, x, q, nu, axis)",
     q=f"at_points(g, piecewise({_AT}), q, axis)", x=f"of_knots(at_points(g, piecewise({_AT}), q, axis), x, q)",
     jvp="piecewise(c_dot, x, q, nu, extrapolate, axis)"
         f" + moved_points(piecewise({_AT}), x, q, x_dot, q_dot, axis)", sample=(_C, _X, _Q))
rule("piecewise_vjp(v, c, x, q, nu=0, axis=0)", v="piecewise(g, x, q, nu, True, axis)",
     q="at_points(v, piecewise(g, x, q, nu + 1, True, axis), q, axis)",
     x="of_knots(at_points(v, piecewise(g, x, q, nu + 1, True, axis), q, axis), x, q)",
     jvp="piecewise_vjp(v_dot, c, x, q, nu, axis) + piecewise_vjp(moved_points(v, x, q, x_dot, q_dot, axis), c, x,"
         " q, nu + 1, axis)",
     sample=("rng.normal(size=5)", _C, _X, _Q))
rule("at_points(v, slope, q, axis)", v="slope * spread_points(g, slope, q, axis)",
     slope="v * spread_points(g, slope, q, axis)",
     jvp="at_points(v_dot, slope, q, axis) + at_points(v, slope_dot, q, axis)",
     sample=("rng.normal(size=5)", "rng.normal(size=5)", _Q, "0"))
linear("spread_points(v, like, q, axis)", v="at_points(g, np.ones_like(like), q, axis)",
       sample=("rng.normal(size=5)", "np.zeros((5, 2))", "np.zeros(5)", "0"))
linear("of_knots(v, x, q)", v="-g[pieces_of(x, q)]", sample=("rng.normal(size=5)", _X, _Q), view="")
linear("interpolation_knots(make, x, k)", x=_KNOTS)
rule("values_through(make, points, y, q, nu=0)", y="values_through_vjp(g, make, points, y, q, nu)",
     q="at_points(g, values_through(make, points, y, q, nu + 1), q, 0)",
     jvp="values_through(make, points, y_dot, q, nu)"
         " + moved_points(values_through(make, points, y, q, nu + 1), np.zeros(2), q, 0.0, q_dot, 0)",
     sample=(f"{_I}KroghInterpolator", _X, "rng.normal(size=4)", _Q))
rule("values_through_vjp(v, make, points, y, q, nu)", v="values_through(make, points, g, q, nu)",
     q="at_points(v, values_through(make, points, g, q, nu + 1), q, 0)",
     jvp="values_through_vjp(v_dot, make, points, y, q, nu) + values_through_vjp(moved_points(v, np.zeros(2), q, 0.0,"
         " q_dot, 0), make, points, y, q, nu + 1)",
     sample=("rng.normal(size=5)", f"{_I}KroghInterpolator", _X, "np.zeros(4)", _Q, "0"))
_CLOUD = "np.array([[0.0, 0.0], [5.0, 0.0], [0.0, 5.0], [5.0, 5.0], [2.0, 2.0]])"
_WHERE = REFUSE("no rule for the places at which this is read; by the values there is one")
linear("values_over(make, points, y, q, options)", y="values_over_vjp(g, make, points, y, q, options)", q=_WHERE,
       sample=(f"{_I}RBFInterpolator", _CLOUD, "rng.normal(size=5)", "rng.uniform(0.5, 2.5, (3, 2))", "()"), view="")
linear("values_over_vjp(v, make, points, y, q, options)", v="values_over(make, points, g, q, options)", q=_WHERE,
       sample=("rng.normal(size=3)", f"{_I}RBFInterpolator", _CLOUD, "np.zeros(5)", "rng.uniform(0.5, 2.5, (3, 2))",
               "()"), view="")
linear("polynomials_derived(c, nu)", c="polynomials_derived_vjp(g, nu)", sample=(_C, "1"), view="")
linear("polynomials_derived_vjp(v, nu)", v="polynomials_derived(g, nu)", sample=(_C, "1"), view="")
constant("out_of_bounds", "places_by_steps", "sheets_at", "coefficients_of", "antiderivative_of", "integral_of",
         "triangles_around", "nearest_places", view="")
linear("held(x)", x=_KNOTS)
linear("interpolation_weights(make, x, y, k)", x=_KNOTS, y="interpolation_weights_vjp(g, make, x, k)",
       sample=(f"{_I}make_interp_spline", _X, "rng.normal(size=4)", "3"), view="y")
linear("interpolation_weights_vjp(v, make, x, k)", v="interpolation_weights(make, x, g, k)",
       sample=("rng.normal(size=4)", f"{_I}make_interp_spline", _X, "3"), view="")
_SPLINE = (f"{_I}BSpline", "np.array([0.0, 0, 0, 0, 1, 2, 4, 4, 4, 4])", "rng.normal(size=6)", "3", _Q)
_AT_POINTS = "at_points(g, spline_at(make, t, c, k, q, nu + 1, extrapolate, axis), q, axis)"
_WEIGHTS = "spline_at_vjp(g, make, t, c, k, q, nu, extrapolate, axis)"
_MOVED = ("spline_at(make, t, c_dot, k, q, nu, extrapolate, axis) + moved_points("
          "spline_at(make, t, c, k, q, nu + 1, extrapolate, axis), np.zeros(2), q, 0.0, q_dot, axis)")
rule("spline_at(make, t, c, k, q, nu=0, extrapolate=True, axis=0)", c=_WEIGHTS, q=_AT_POINTS,
     sample=(_SPLINE[0], "np.array([0.0, 0.1, 0.3, 0.4, 1, 2, 4, 4.1, 4.2, 4.4])", *_SPLINE[2:], "0", "True"),
     t="spline_knots_vjp(g, make, t, c, k, q, nu, axis)", when="extrapolate == True",
     jvp=f"{_MOVED} + spline_knots_jvp(make, t, c, k, q, nu, axis, t_dot)")
rule("spline_at(make, t, c, k, q, nu=0, extrapolate=True, axis=0)", c=_WEIGHTS, q=_AT_POINTS, jvp=_MOVED,
     sample=_SPLINE)
opaque("no rule for the second derivative by the knots of a spline", "spline_knots_vjp", "spline_knots_jvp", view="")
_MIXED = REFUSE("no rule for the second derivative by weights, and by knots or points")
linear("spline_at_vjp(v, make, t, c, k, q, nu, extrapolate, axis)", t=_MIXED, q=_MIXED,
       v="spline_at(make, t, g, k, q, nu, extrapolate, axis)",
       sample=("rng.normal(size=5)", *_SPLINE, "0", "True", "0"), view="")
_HELD = f"{_I}UnivariateSpline({_X}, [0.0, 1.0, 0.5, 0.2])"
elementwise("evaluated(held, q, nu=0)", None, "g * held_slopes(held, q, 1, True)", when="nu == 0", sample=(_HELD, _Q))
elementwise("evaluated(held, q, nu=0)", None, "g * held_slopes(held, q, nu + 1, False)", sample=(_HELD, _Q, "1"))
elementwise("held_slopes(held, q, nu, of_value)", None, "g * held_slopes(held, q, nu + 1, of_value)",
            sample=(_HELD, _Q, "1", "True"))
_UNKNOWN = "this spline is not known by its parts; name the tuple that `{}` returns"
_LINE = (_Q, f"{_I}splrep({_X}, [0.0, 1.0, 0.5, 0.2])")
for _when, _slope, _options in (
    ("der == 0 and ext == 3", f"{_I}splev(q, tck, 1, 1)", ("0", "3")),  # which is constant beyond the ends
    ("der == 0", f"{_I}splev(q, tck, 1, ext)", ("0", "1")),
    (None, f"line_slopes({_I}splev, q, tck, der + 1, ext)", ("1", "3")),
):
    elementwise(f"{_I}splev(q, tck, der=0, ext=0)", f"g * {_slope}", tck=REFUSE(_UNKNOWN.format("splrep")),
                when=_when, sample=(*_LINE, *_options))
elementwise("line_slopes(read, q, tck, der, ext=0)", None, "g * line_slopes(read, q, tck, der + 1, ext)",
            sample=(f"{_I}splev", *_LINE, "1"))
_SURFACE = ("(np.array([0.0, 0, 0, 1, 2, 4, 4, 4]), np.array([0.0, 0, 2, 3, 3]), rng.normal(size=15), 2, 1)")
_PLACES = ("np.sort(rng.uniform(0.1, 3.9, 4))", "np.array([0.4, 1.3, 2.6])")
_OVER = "np.reshape({}, (np.size(x), np.size(y)))"
for _call, _slope, _before in (
    (f"{_I}bisplev(x, y, tck, dx=0, dy=0)", f"surface_slopes({_I}BSpline, x, y, tck, {{}})", ()),
    ("surface_slopes(make, x, y, tck, dx, dy)", "surface_slopes(make, x, y, tck, {})", (f"{_I}BSpline",)),
):
    _by_x, _by_y = _slope.format("dx + 1, dy"), _slope.format("dx, dy + 1")
    _fixed: dict[str, Any] = {"tck": REFUSE(_UNKNOWN.format("bisplrep"))}
    rule(_call, x=f"g * {_by_x}", y=f"g * {_by_y}", jvp=f"{_by_x} * x_dot + {_by_y} * y_dot", **_fixed,
         when="x.ndim == 0 and y.ndim == 0", sample=(*_before, "1.3", "0.7", _SURFACE, "1", "0"))
    rule(_call, x=f"np.reshape(np.sum({_OVER.format(f'g * {_by_x}')}, 1), np.shape(x))",
         y=f"np.reshape(np.sum({_OVER.format(f'g * {_by_y}')}, 0), np.shape(y))", **_fixed,
         jvp=f"np.reshape({_OVER.format(_by_x)} * np.reshape(x_dot, (-1, 1)) + {_OVER.format(_by_y)} * y_dot,"
             " np.shape(ans))", sample=(*_before, *_PLACES, _SURFACE, "1", "0"))

_GRID = ("(np.array([0.0, 1.0, 2.5, 4.0]), np.array([0.0, 1.0, 2.0]))", "rng.normal(size=(4, 3))",
         "rng.uniform(0.2, 1.8, (5, 2))")
_READ = "grid_read(read, points, {}, xi, 'linear', False, None if fill_value is None else 0.0)"
_TWICE = REFUSE("no rule for the second derivative by the points at which a grid is read")
_VALUES = "grid_values_vjp(g, points, np.shape(values), xi, fill_value)"
rule("grid_read(read, points, values, xi, method, bounds_error, fill_value)", values=_VALUES,
     when="method in ('linear', 'slinear') and values.ndim == len(points)",
     xi="np.reshape(g, np.shape(xi)[:-1] + (1,)) * grid_slopes(points, values, xi, fill_value)",
     jvp=_READ.format("values_dot") + " + np.sum(grid_slopes(points, values, xi, fill_value) * xi_dot, -1)",
     sample=(f"{_I}interpn", *_GRID, "'linear'", "True", "None"))
linear("grid_read(read, points, values, xi, method, bounds_error, fill_value)", values=_VALUES, view="",
       xi=REFUSE("no rule for the points at which several values each are read; read one after the other"),
       when="method in ('linear', 'slinear') and fill_value is None",
       sample=(f"{_I}interpn", _GRID[0], "rng.normal(size=(4, 3, 2))", _GRID[2], "'linear'", "True", "None"))
_OF_ONE = "np.reshape({}, np.shape(xi)[:-1] + (1,))"
rule("grid_values_vjp(v, points, shape, xi, fill_value)", when="len(shape) == len(points)",
     v=f"np.asarray({_READ.format('g').replace('read, ', f'{_I}interpn, ', 1)}, v.dtype)",
     xi=f"{_OF_ONE.format('v')} * grid_slopes(points, g, xi, fill_value)",
     jvp=f"grid_values_vjp(v_dot, points, shape, xi, fill_value)"
         f" + grid_slopes_vjp({_OF_ONE.format('v')} * xi_dot, points, shape, xi, fill_value)",
     sample=("rng.normal(size=5)", _GRID[0], "(4, 3)", _GRID[2], "None"))
linear("grid_values_vjp(v, points, shape, xi, fill_value)", xi=_TWICE,
       v=_READ.format("g").replace("read, ", f"{_I}interpn, ", 1),
       sample=("rng.normal(size=(5, 2))", _GRID[0], "(4, 3, 2)", _GRID[2], "None"), view="")
rule("grid_slopes(points, values, xi, fill_value)",
     values="grid_slopes_vjp(g, points, np.shape(values), xi, fill_value)",
     xi="np.sum(np.expand_dims(g, -1) * grid_bends(points, values, xi, fill_value), -2)",
     jvp="grid_slopes(points, values_dot, xi, fill_value)"
         " + np.sum(grid_bends(points, values, xi, fill_value) * np.expand_dims(xi_dot, -2), -1)",
     sample=(*_GRID, "0.5"))
linear("grid_slopes_vjp(v, points, shape, xi, fill_value)", v="grid_slopes(points, g, xi, fill_value)",
       xi=REFUSE("no rule for the third derivative by the points at which a grid is read"),
       sample=("rng.normal(size=(5, 2))", _GRID[0], "(4, 3)", _GRID[2], "None"), view="")
opaque("no rule for the third derivative by the points at which a grid is read", "grid_bends")
