"""The rows of `numpy.polynomial`: series of powers, and of five families of orthogonal polynomials.

All follow from two functions of a family: the matrix of its polynomials at points, and the coefficients of a series'
derivative, which are linear in its own. So the slope of that matrix is the matrix itself, times derived unit series.
"""

from __future__ import annotations

from adcompile.rules.forms import REFUSE, linear, opaque, rule

_C, _LISTED = "rng.normal(size=4)", "(c.ndim == 1 or isinstance(c, (tuple, list)))"
_KNOWN = REFUSE("no rule for the scale of a derived series; multiply the series instead")
FAMILIES = {
    "polynomial": "poly", "chebyshev": "cheb", "legendre": "leg", "hermite": "herm", "hermite_e": "herme",
    "laguerre": "lag",
}
for _module, _short in FAMILIES.items():
    _P = f"np.polynomial.{_module}.{_short}"
    _derived = f"{_P}val(x, {_P}der(c))"
    _jvp = f"{_P}val(x, c_dot) + x_dot * {_derived}"
    if _short != "poly":  # which has shorter ones among the other functions of polynomials
        rule(f"{_P}val(x, c)", x=f"g * {_derived}", jvp=_jvp,
             c=f"g * np.asarray({_P}vander(x, len(c) - 1)[0], np.result_type(g))",
             when=f"x.ndim == 0 and {_LISTED}", sample=("0.4", _C))
        rule(f"{_P}val(x, c)", x=f"g * {_derived}", c=f"g @ {_P}vander(x, len(c) - 1)", jvp=_jvp,
             when=f"x.ndim == 1 and {_LISTED}", sample=("rng.uniform(-0.9, 0.9, 3)", _C))
        rule(f"{_P}val(x, c)", x=f"g * {_derived}", c=f"np.tensordot(g, {_P}vander(x, len(c) - 1), np.ndim(x))",
             jvp=_jvp, when=f"x.ndim >= 2 and {_LISTED}", sample=("rng.uniform(-0.9, 0.9, (2, 3))", _C))
    rule(f"{_P}val(x, c)", x=f"np.sum(g * {_derived}, tuple(range(np.ndim(c) - 1)))", jvp=_jvp,
         c=f"np.moveaxis(np.tensordot(g, {_P}vander(x, len(c) - 1), np.ndim(x)), -1, 0)",
         when="x.ndim >= 1 and c.ndim >= 2", sample=("rng.uniform(-0.9, 0.9, 3)", "rng.normal(size=(4, 2))"))
    _each = f"{_P}val(x, {_P}der(c), tensor=False)"  # of each place, by coefficients of its own
    rule(f"{_P}val(x, c, tensor=True)", x=f"unbroadcast(g * {_each}, np.shape(x))",
         c=f"unbroadcast(np.moveaxis(np.expand_dims(g, -1) * {_P}vander(x, len(c) - 1), -1, 0), np.shape(c))",
         jvp=f"{_P}val(x, c_dot, tensor=False) + x_dot * {_each}",
         when="tensor == False and x.ndim >= 1 and c.ndim >= x.ndim + 1",
         sample=("rng.uniform(-0.9, 0.9, 3)", "rng.normal(size=(4, 3))", "False"))
    _unit = f"{_P}der(np.eye(np.shape(c)[axis], dtype=c.dtype), m, scl)"
    linear(f"{_P}der(c, m=1, scl=1, axis=0)", c=f"g @ {_P}der(np.eye(len(c), dtype=c.dtype), m, scl)", scl=_KNOWN,
           when="c.ndim == 1 and isinstance(m, int)", sample=("rng.normal(size=5)", "2"), view="")
    linear(f"{_P}der(c, m=1, scl=1, axis=0)", scl=_KNOWN, when="c.ndim >= 2 and isinstance(m, int)", view="",
           c=f"np.moveaxis(np.tensordot({_unit}.T, np.moveaxis(g, axis, 0), 1), 0, axis)",
           sample=("rng.normal(size=(2, 5))", "1", "1", "1"))
    linear(f"{_P}int(c, m=1)", c=f"g @ {_P}int(np.eye(len(c), dtype=c.dtype), m)", sample=(_C, "2"),
           when="c.ndim == 1 and isinstance(m, int)", view="")
    _slope = f"({_P}vander(x, max(deg - 1, 0)) @ {_P}der(np.eye(deg + 1, dtype=np.result_type(ans))))"
    rule(f"{_P}vander(x, deg)", x=f"np.sum(g * {_slope}, -1)", jvp=f"np.expand_dims(x_dot, -1) * {_slope}",
         when="x.ndim >= 1", sample=("rng.uniform(-0.9, 0.9, 3)", "3"))
    rule(f"{_P}vander(x, deg)", x=f"np.sum(g * {_slope})", jvp=f"x_dot * {_slope}", when="x.ndim == 0",
         sample=("0.4", "3"))
    for _name, _sign in (("add", ""), ("sub", "-")):  # of which NumPy leaves out the zeros at the end
        rule(f"{_P}{_name}(p, q)", p="relong(g, len(p))", q=f"{_sign}relong(g, len(q))",
             jvp=f"relong(p_dot, len(ans)) {_sign or '+'} relong(q_dot, len(ans))",
             when="p.ndim == 1 and q.ndim == 1", sample=(_C, "rng.normal(size=2)"))
    opaque("it has no rule; read the values at points, and fit them", f"{_P}fromroots", f"{_P}roots", f"{_P}pow",
           f"{_P}div", view="")
    if _short != "poly":
        opaque("products of such series have no rule; multiply what they are at points", f"{_P}mul", f"{_P}mulx",
               view="")
_FULL = "relong(g, len(p) + len(q) - 1)"
rule("np.polynomial.polynomial.polymul(p, q)", p=f"np.correlate({_FULL}, q, 'valid')",
     q=f"np.correlate({_FULL}, p, 'valid')", jvp="relong(np.convolve(p_dot, q) + np.convolve(p, q_dot), len(ans))",
     when="p.ndim == 1 and q.ndim == 1", sample=(_C, "rng.normal(size=2)"))
rule("np.polynomial.polynomial.polymulx(c)", c="relong(g, len(c) + 1)[1:]", when="c.ndim == 1", sample=(_C,),
     jvp="relong(np.concatenate((np.zeros_like(c_dot[:1]), c_dot)), len(ans))")
linear("relong(v, count)", v="relong(g, len(v))", sample=(_C, "6"), view="")
opaque("it has no rule; sum the products with the matrices of np.polynomial.polynomial.polyvander",
       *(f"np.polynomial.{m}.{s}{name}" for m, s in FAMILIES.items()
         for name in ("grid3d", "vander2d", "vander3d")), view="")
