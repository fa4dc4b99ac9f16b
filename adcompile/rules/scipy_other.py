"""The rows of distances, and what SciPy does with functions of the user's: refused where an argument varies."""

from __future__ import annotations

from adcompile.rules.forms import constant, opaque, rule

_CLOUDS = ("rng.normal(size=(3, 2))", "rng.normal(size=(4, 2))")
_GAP = "(np.expand_dims(x, 1) - np.expand_dims(y, 0))"
for _metric, _weights, _by in (("euclidean", "(g / np.where(ans, ans, 1))", "(1 / np.where(ans, ans, 1))"),
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

opaque("the solver calls the function in steps that are not seen from outside; use `scipy.integrate.solve_ivp`",
       "scipy.integrate.ode")
opaque("the points at which the function is called are not seen from outside; write it with `scipy.integrate.quad`",
       "scipy.integrate.dblquad", "scipy.integrate.tplquad", "scipy.integrate.nquad")
for _name in ("integral_pieces", "equation_solved", "path_solved", "step_places"):
    constant(_name, view="")
