"""The rows of statistics, histograms, polynomials, interpolation, sums by the trapezoidal rule and convolutions.

Conventions: counts do not vary with the data, only weights and edges do; the slope of `interp` at a knot is that of the
interval to its right, and 0 outside; a fit is differentiated where the points determine it.
"""

from __future__ import annotations

from typing import Any, cast

from adcompile.rules.forms import REFUSE, bilinear, linear, opaque, rule

_MATRIX, _FIVE = "rng.normal(size=(3, 5))", "rng.normal(size=5)"

# ---------------------------------------------------------------------------------------------------- covariances

rule("np.cov(x)", x="2 * g * (x - np.mean(x)) / (len(x) - 1)",
     jvp="2 * np.sum((x - np.mean(x)) * x_dot) / (len(x) - 1)", when="x.ndim == 1", sample=(_FIVE,))
_COV = "np.cov(x, y=None, rowvar=True, bias=False, ddof=None)"
_DIVISOR = "observations(x, rowvar, bias, ddof)"
rule(_COV, x=f"cov_vjp(g, x, None, rowvar, {_DIVISOR})[0]",
     jvp=f"cov_jvp(variables(x, None, rowvar), variables(x_dot, None, rowvar), {_DIVISOR})", when="y is None",
     sample=(_MATRIX, "None", "False"))
rule(_COV, x=f"cov_vjp(g, x, y, rowvar, {_DIVISOR})[0]", y=f"cov_vjp(g, x, y, rowvar, {_DIVISOR})[1]",
     jvp=f"cov_jvp(variables(x, y, rowvar), variables(x_dot, y_dot, rowvar), {_DIVISOR})", sample=(_MATRIX, _FIVE))
_WEIGHTED = "np.cov(x, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None)"
_BOTH = "x.dtype.kind in 'fc' or y.dtype.kind in 'fc'"  # complex ones, too
for _y, _when, _other in (("None", "y is None and x.dtype.kind in 'fc'", "None"), ("y", _BOTH, f"1j * {_FIVE}")):
    _rows = f"variables(x, {_y}, rowvar)"
    _rows_dot = f"variables(x_dot, {'y_dot' if _y == 'y' else 'None'}, rowvar)"
    _vjp = (f"weighted_cov_vjp(g, x, {_y}, rowvar, *cov_weights(np.shape({_rows})[1], bias, ddof, fweights, aweights))")
    rule(_WEIGHTED, x=f"{_vjp}[0]", aweights=f"aweights_vjp(g, {_rows}, bias, ddof, fweights, aweights)",
         jvp=f"weighted_cov_jvp({_rows_dot}, aweights_dot, {_rows}, bias, ddof, fweights, aweights)", when=_when,
         sample=(f"{_MATRIX} + 1j * {_MATRIX}", _other, "True", "False", "None", "[1, 3, 2, 1, 1]",
                 "rng.uniform(0.5, 1.5, 5)"), **({"y": f"{_vjp}[1]"} if _y == "y" else {}))
_CORRELATION = "np.corrcoef(x, y=None, rowvar=True)"
for _when, _plus in (("", ""), ("x.dtype.kind in 'fc'", f" + 1j * {_FIVE}")):
    rule(_CORRELATION, x="corrcoef_vjp(g, x, None, rowvar)[0]",
         jvp="corrcoef_jvp(variables(x, None, rowvar), variables(x_dot, None, rowvar))",
         when="y is None" + (f" and {_when}" if _when else ""), sample=(f"{_MATRIX}{_plus}",))
    rule(_CORRELATION, x="corrcoef_vjp(g, x, y, rowvar)[0]", y="corrcoef_vjp(g, x, y, rowvar)[1]",
         jvp="corrcoef_jvp(variables(x, y, rowvar), variables(x_dot, y_dot, rowvar))", when=_when or None,
         sample=(f"{_FIVE}{_plus}", f"{_FIVE}{_plus}"))

# ----------------------------------------------------------------------------------------------------- histograms

# The edges that come back are those that were given.
_HISTOGRAM = "np.histogram(x, bins=10, range=None, density=False, weights=None)"
_DENSITY = REFUSE("densities have a rule where density is written out, as True or False")
_LISTED = "(bins.ndim == 1 or isinstance(bins, (tuple, list)))"
_WEIGHTS = "histogram_vjp(g, x, ans[1])"
_WEIGHED = "np.histogram(x, ans[1], weights=weights_dot)[0]"
rule(_HISTOGRAM, x=_DENSITY, bins=_DENSITY, range=_DENSITY, weights=_DENSITY, when="density", view="bins *bins")
rule(_HISTOGRAM, bins=(None, "g"), jvp=(None, "np.asarray(bins_dot)"),
     when=f"{_LISTED} and weights is None and not density", sample=(_FIVE, "np.array([-1.0, 0.1, 1.3])"),
     view="bins *bins")
rule(_HISTOGRAM, bins=(None, "g"), weights=(_WEIGHTS, None), jvp=(_WEIGHED, "np.asarray(bins_dot)"),
     when=f"{_LISTED} and not density", sample=(_FIVE, "np.array([-1.0, 0.1, 1.3])", "None", "False", _FIVE),
     view="bins *bins")
_RANGE = REFUSE("np.histogram has no rule for the ends of its range; give the edges themselves as bins")
rule(_HISTOGRAM, range=_RANGE, jvp=(None, "0 * ans[1]"), when="range is not None and weights is None and not density",
     view="bins *bins")
rule(_HISTOGRAM, range=_RANGE, weights=(_WEIGHTS, None), jvp=(_WEIGHED, None), when="range is not None and not density",
     sample=(_FIVE, "3", "(-1, 2)", "False", _FIVE), view="bins *bins")
_EVEN = "edges_jvp(x_dot, x, len(ans[1]))"
rule(_HISTOGRAM, x=(None, "edges_vjp(g, x)"), jvp=(None, _EVEN),
     when="range is None and weights is None and not density", sample=(_FIVE, "3"), view="bins *bins")
rule(_HISTOGRAM, x=(None, "edges_vjp(g, x)"), weights=(_WEIGHTS, None), jvp=(_WEIGHED, _EVEN),
     when="range is None and not density", sample=(_FIVE, "3", "None", "False", _FIVE), view="bins *bins")

_PLANE = "np.histogram2d(x, y, bins=10, range=None, density=False, weights=None)"
_WEIGHED_2D = "np.histogram2d(x, y, (ans[1], ans[2]), weights=weights_dot)[0]"
_EDGES = REFUSE("the edges vary with this argument; give a number of bins and no range, or hold the edges fixed")
rule(_PLANE, x=(None, "edges_vjp(g, x)", None), y=(None, None, "edges_vjp(g, y)"),
     jvp=(None, "edges_jvp(x_dot, x, len(ans[1]))", "edges_jvp(y_dot, y, len(ans[2]))"),
     when="range is None and bins.ndim == 0 and weights is None and not density", sample=(_FIVE, _FIVE, "3"),
     view="bins *bins")
rule(_PLANE, x=(None, "edges_vjp(g, x)", None), y=(None, None, "edges_vjp(g, y)"),
     weights=("histogram2d_vjp(g, x, y, ans[1], ans[2])", None, None),
     jvp=(_WEIGHED_2D, "edges_jvp(x_dot, x, len(ans[1]))", "edges_jvp(y_dot, y, len(ans[2]))"),
     when="range is None and bins.ndim == 0 and not density", sample=(_FIVE, _FIVE, "3", "None", "False", _FIVE),
     view="bins *bins")
rule(_PLANE, x=_EDGES, y=_EDGES, bins=_EDGES, range=_EDGES,
     weights=("histogram2d_vjp(g, x, y, ans[1], ans[2])", None, None), jvp=(_WEIGHED_2D, None, None),
     when="not density", sample=(_FIVE, _FIVE, "[3, 2]", "None", "False", _FIVE), view="bins *bins")

rule("np.histogram_bin_edges(x, bins=10)", x="edges_vjp(g, x)", jvp="edges_jvp(x_dot, x, len(ans))",
     when="bins.ndim == 0", sample=(_FIVE, "3"))

rule("np.histogram_bin_edges(x, bins=10, range=None)", bins="g", jvp="np.asarray(bins_dot)", when=_LISTED,
     sample=(_FIVE, "np.array([-1.0, 0.1, 1.3])"), view="bins *bins")
rule("np.histogram_bin_edges(x, bins=10, range=None)", range=_RANGE, when="range is not None and bins.ndim == 0",
     jvp="np.zeros_like(ans)", view=None)
rule("np.histogram_bin_edges(x, bins=10, range=None)", x=_EDGES, range=_EDGES, bins=_EDGES, view=None)
opaque("sum the products with np.bincount of a flat index of bins", "np.histogramdd")
linear("np.bincount(x, weights=None, minlength=0)", weights="g[x]",
       sample=("np.array([0, 2, 2, 1])", "rng.normal(size=4)"), view="")

# -------------------------------------------------------------------------------------- polynomials, interpolation

rule("np.polyfit(x, y, deg, w=None)", x="polyfit_vjp_x(g, x, y, deg, w, ans)", y="polyfit_vjp_y(g, x, deg, w)",
     w=REFUSE("np.polyfit has no rule for its weights"), jvp="polyfit_jvp(x_dot, y_dot, x, y, deg, w, ans)",
     sample=("np.arange(5) + 0.1 * rng.normal(size=5)", _FIVE, "2"))
_PLAIN = REFUSE("it has a rule for real points, and for the coefficients alone; solve np.vander with np.linalg.lstsq")
rule("np.polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False)", x=_PLAIN, y=_PLAIN, w=_PLAIN)
rule("np.polyval(p, x)", p="polyval_vjp_p(g, p, x)", x="g * polyval_slope(p, x)",
     jvp="np.polyval(p_dot, x) + x_dot * polyval_slope(p, x)", when="p.ndim == 1 or isinstance(p, (tuple, list))",
     sample=("rng.normal(size=4)", "rng.normal(size=(2, 3))"))
for _when, _equation in (("p.ndim == 1 or isinstance(p, (tuple, list))", "np.array([1.0, -2.0, 0.5, 3.0])"),
                         ("p.ndim == 1 and p.dtype.kind == 'c'", "np.array([1.0, -4.0, 0.5j])")):
    rule("np.roots(p)", p="-np.conj(np.vander(ans, len(p)).T) @ (g / np.conj(polyval_slope(p, ans)))",
         jvp="-np.polyval(p_dot, ans) / polyval_slope(p, ans)", when=_when, sample=(_equation,))
for _name, _sign in (("np.polyadd", ""), ("np.polysub", "-")):  # the shorter one has no highest powers
    linear(f"{_name}(p, q)", p="g[len(g) - len(p):]", q=f"{_sign}g[len(g) - len(q):]",
           when="p.ndim == 1 and q.ndim == 1", sample=("rng.normal(size=4)", "rng.normal(size=2)"), view="")
rule("np.polymul(p, q)", p="np.correlate(refront(g, len(p) + len(q) - 1), q, 'valid')",
     q="np.correlate(refront(g, len(p) + len(q) - 1), p, 'valid')", when="p.ndim == 1 and q.ndim == 1",
     jvp="refront(np.convolve(p_dot, q) + np.convolve(p, q_dot), len(ans))",
     sample=("rng.normal(size=4)", "rng.normal(size=2)"))
linear("np.polyder(p, m=1)", p="polyder_vjp(g, len(p), m)", when="p.ndim == 1 and isinstance(m, int)",
       sample=("rng.normal(size=4)", "2"), view="p if m == 0")
linear("np.polyint(p, m=1)", p="g[:len(p)] / powers_down(len(p) - 1 + m, len(p), m)",
       when="p.ndim == 1 and isinstance(m, int)", sample=("rng.normal(size=4)", "2"), view="p if m == 0")
rule("np.polymul(p, q)", p="np.correlate(refront(g, len(p) + len(q) - 1), q, 'valid')",
     q="np.correlate(refront(g, len(p) + len(q) - 1), p, 'valid')",
     when="p.ndim == 1 and q.ndim == 1 and (p.dtype.kind == 'c' or q.dtype.kind == 'c')",
     jvp="refront(np.convolve(p_dot, q) + np.convolve(p, q_dot), len(ans))",
     sample=("rng.normal(size=4) + 1j", "rng.normal(size=2) - 1j"))
linear("np.polyint(p, m=1, k=None)", p="g[:len(p)] / powers_down(len(p), len(p), 1)", k="g[len(p)]",
       when="p.ndim == 1 and m == 1 and k.ndim == 0", sample=("rng.normal(size=4)", "1", "0.5"), view="p if m == 0")
rule("np.polyint(p, m=1, k=None)", p=REFUSE("constants of integration have no rule; append them with np.append"),
     k=REFUSE("constants of integration have no rule; append them with np.append"), when="k is not None",
     view="p if m == 0")
rule("np.poly(x)", x="poly_vjp(g, x)", jvp="poly_jvp(x_dot, x)", when="x.ndim == 1", sample=("rng.normal(size=3)",))
rule("np.poly(x)", x="np.tensordot(g[1:], characteristic_slopes(x, ans), 1).T", when="x.ndim == 2",
     jvp="np.append(0.0, np.sum(characteristic_slopes(x, ans) * x_dot.T, axis=(1, 2)))",
     sample=("rng.normal(size=(3, 3))",))
rule("np.poly(x)", x=REFUSE("of complex numbers, it may be real or not; multiply factors with np.convolve"),
     when="x.dtype.kind == 'c'")
rule("np.vander(x, N=None, increasing=False)", x="np.sum(g * vander_slope(x, np.shape(ans)[1], increasing), axis=1)",
     jvp="np.expand_dims(x_dot, 1) * vander_slope(x, np.shape(ans)[1], increasing)", sample=("rng.normal(size=3)", "4"))
rule("np.vander(x, N=None, increasing=False)", when="x.dtype.kind == 'c'", sample=("rng.normal(size=3) + 1j", "4"),
     x="np.sum(g * np.conj(vander_slope(x, np.shape(ans)[1], increasing)), axis=1)",
     jvp="np.expand_dims(x_dot, 1) * vander_slope(x, np.shape(ans)[1], increasing)")
rule("np.polyval(p, x)", p="polyval_vjp_p(g, p, np.conj(x))", x="g * np.conj(polyval_slope(p, x))",
     jvp="np.polyval(p_dot, x) + x_dot * polyval_slope(p, x)",
     when="(p.ndim == 1 or isinstance(p, (tuple, list))) and (x.dtype.kind == 'c' or p.dtype.kind == 'c')",
     sample=("rng.normal(size=4) + 1j", "rng.normal(size=(2, 3)) - 1j"))
rule("np.polynomial.polynomial.polyval(x, c)", x="g * polyval_slope(np.flip(c), x)",
     c="polyval_vjp_p(g, np.flip(c), x)[::-1]", jvp="np.polyval(c_dot[::-1], x) + x_dot * polyval_slope(np.flip(c), x)",
     when="c.ndim == 1 or isinstance(c, (tuple, list))", sample=("rng.normal(size=(2, 3))", "rng.normal(size=4)"))
rule("np.interp(x, xp, fp)", x="g * interp_slope(x, xp, fp)", xp="-interp_vjp_fp(g * interp_slope(x, xp, fp), x, xp)",
     fp="interp_vjp_fp(g, x, xp)",
     jvp="np.interp(x, xp, fp_dot) + interp_slope(x, xp, fp) * (x_dot - np.interp(x, xp, xp_dot))",
     sample=("np.array([0.5, 1.7, -1.0, 4.0, 2.5])", "np.arange(4) + rng.uniform(-0.1, 0.1, 4)", "rng.normal(size=4)"))

rule("np.interp(x, xp, fp)", x="np.real(g * np.conj(interp_slope(x, xp, fp)))",
     xp="-interp_vjp_fp(np.real(g * np.conj(interp_slope(x, xp, fp))), x, xp)", fp="interp_vjp_fp(g, x, xp)",
     jvp="np.interp(x, xp, fp_dot) + interp_slope(x, xp, fp) * (x_dot - np.interp(x, xp, xp_dot))",
     when="fp.dtype.kind == 'c'",
     sample=("np.array([0.5, 1.7, -1.0, 4.0, 2.5])", "np.arange(4) + rng.uniform(-0.1, 0.1, 4)",
             "rng.normal(size=4) + 1j * rng.normal(size=4)"))
for _ends, _sample in ((("left", "right"), ("0.0", "1.0")), (("left",), ("0.5", "None")), (("right",), ("None", "0.5")),
                       ((), ("None", "None"))):
    _tests: dict[str, Any] = {"left": "x < xp[0]", "right": "x > xp[-1]"}
    _given = {end: f"np.sum(np.where({_tests[end]}, g, 0))" for end in _ends}
    _moved = "".join(f" + np.where({_tests[end]}, {end}_dot, 0)" for end in _ends)
    _out = " | ".join(f"({_tests[end]})" for end in _ends)  # where a number stands for the values
    _held = f"np.where({_out}, 0, {{}})" if _ends else "{}"
    rule("np.interp(x, xp, fp, left=None, right=None)", x="g * interp_slope(x, xp, fp)",
         xp="-interp_vjp_fp(g * interp_slope(x, xp, fp), x, xp)", fp=f"interp_vjp_fp({_held.format('g')}, x, xp)",
         **cast("Any", _given),
         jvp=_held.format("np.interp(x, xp, fp_dot)")
         + " + interp_slope(x, xp, fp) * (x_dot - np.interp(x, xp, xp_dot))" + _moved,
         when=" and ".join(f"{end} is {'not ' * (end in _ends)}None" for end in ("left", "right")),
         sample=("np.array([0.5, 1.7, -1.0, 4.0, 2.5])", "np.arange(4) + rng.uniform(-0.1, 0.1, 4)",
                 "rng.normal(size=4)", *_sample))

# ----------------------------------------------------------------------------------------- integrals, convolutions

for _call in ("np.trapezoid({}, axis=-1)", "scipy.integrate.trapezoid({}, axis=-1)"):
    bilinear(_call.format("y, x"),
             y="trapezoid_vjp_y(g, np.diff(along(x, np.ndim(y), axis), axis=axis), np.shape(y), axis)",
             x="trapezoid_vjp_x(g, y, x, axis)", when="x.ndim >= 1 and x.ndim <= y.ndim", sample=(_MATRIX, _FIVE))
    bilinear(_call.format("y, x"),
             y="trapezoid_vjp_y(g, np.diff(along(x, np.ndim(y), axis), axis=axis), np.shape(y), axis)",
             x="np.real(trapezoid_vjp_x(g, np.conj(y), x, axis))",
             when="x.ndim >= 1 and x.ndim <= y.ndim and y.dtype.kind == 'c' and x.dtype.kind != 'c'",
             sample=(f"{_MATRIX} + 1j", _FIVE))
    _line = _call.partition("(")[0] + "(y, dx=1.0, axis=-1)"
    bilinear(_line, y="trapezoid_vjp_y(g, dx * np.ones_like(np.diff(y, axis=axis)), np.shape(y), axis)",
             dx=f"np.sum(g * {_call.format('y').replace('=-1', '=axis')})", when="dx.ndim == 0",
             sample=(_MATRIX, "0.5", "0"))
    bilinear(_line, y="trapezoid_vjp_y(g, dx * np.ones_like(np.diff(np.real(y), axis=axis)), np.shape(y), axis)",
             dx=f"np.sum(g * np.conj({_call.format('y').replace('=-1', '=axis')}))",
             when="dx.ndim == 0 and y.dtype.kind == 'c'",
             sample=("rng.normal(size=(2, 3)) + 1j * rng.normal(size=(2, 3))", "0.5", "0"))

bilinear("np.convolve(x, y, mode='full')", x="g * y", y="np.sum(g * x)", when="x.ndim == 1 and y.ndim == 0",
         sample=(_FIVE, "0.7"))
for _name in ("np.convolve", "np.correlate"):
    rule(f"{_name}(x, y, mode='full')", x=REFUSE("it has a rule for vectors; multiply by a number with `*`"),
         y=REFUSE("it has a rule for vectors; multiply by a number with `*`"), when="x.ndim == 0 or y.ndim == 0")
_LONG, _SHORT = _FIVE, "rng.normal(size=3)"
for _kinds, _plus, _conj in (("", "", "{}"),
                             (" and (x.dtype.kind == 'c' or y.dtype.kind == 'c')", " + 1j", "np.conj({})")):
    _vectors, _samples = f"x.ndim == 1 and y.ndim == 1{_kinds}", (f"{_LONG}{_plus}", f"{_SHORT}{_plus}")
    bilinear("np.convolve(x, y, mode='full')", x="np.correlate(g, y, 'valid')", y="np.correlate(g, x, 'valid')",
             when=f"mode == 'full' and {_vectors}", sample=_samples)
    bilinear("np.convolve(x, y, mode='full')", x="np.correlate(g, y, 'full' if len(x) >= len(y) else 'valid')",
             y="np.correlate(g, x, 'full' if len(y) >= len(x) else 'valid')", when=f"mode == 'valid' and {_vectors}",
             sample=(*_samples, "'valid'"))
    bilinear("np.convolve(x, y, mode='full')", x="np.correlate(uncut(g, x, y, mode), y, 'valid')",
             y="np.correlate(uncut(g, x, y, mode), x, 'valid')", when=_vectors, sample=(*_samples, "'same'"))
    _second = _conj.format("np.flip(np.correlate({}, x, 'valid'))")
    bilinear("np.correlate(x, y, mode='valid')", x="np.convolve(g, y, 'valid')", y=_second.format("g"),
             when=f"mode == 'full' and {_vectors}", sample=(*_samples, "'full'"))
    bilinear("np.correlate(x, y, mode='valid')", x="np.convolve(g, y, 'full' if len(x) >= len(y) else 'valid')",
             y="np.correlate(x, g, 'valid' if len(x) >= len(y) else 'full')", when=f"mode == 'valid' and {_vectors}",
             sample=_samples)
    bilinear("np.correlate(x, y, mode='valid')", x="np.convolve(uncut(g, x, y, mode, True), y, 'valid')",
             y=_second.format("uncut(g, x, y, mode, True)"), when=_vectors, sample=(*_samples, "'same'"))
