"""The rows of the normal distribution in `scipy.stats`, for every way of giving `loc` and `scale`.

With z = (x - loc) / scale and p the density, all follow from dz/dx = 1 / scale and dp/dz = -z p.
"""

from __future__ import annotations

from adcompile.rules.forms import elementwise, linear, opaque, rule
from adcompile.rules.scipy.distributions import add_moments

for _given in ("x", "x, loc", "x, loc, scale", "x, scale"):
    _z = "(x - loc)" if "loc" in _given else "x"
    _call = f"scipy.stats.norm.{{}}({_given})"
    _density = f"scipy.stats.norm.pdf({_given.replace('x, scale', 'x, 0, scale')})"
    _log_density = _density.replace("pdf", "logpdf")
    # By x; the derivative by loc is its negative. By the scale: both for division by it, and the scale's own.
    _texts = {
        "logpdf": f"g * {_z}", "pdf": f"g * ans * {_z}", "cdf": f"g * {_density}", "sf": f"g * {_density}",
        "logcdf": f"g * np.exp({_log_density} - ans)", "logsf": f"g * np.exp({_log_density} - ans)",
    }
    for _name, _text in _texts.items():
        _falls = _name in ("logpdf", "pdf", "sf", "logsf")
        if "scale" not in _given:
            _by_x, _by_scale = _text, ""
        elif _name == "logpdf":
            _by_x = f"np.divide({_text}, scale * scale)"
            _by_scale = f"np.divide(g * (np.square(np.divide({_z}, scale)) - 1), scale)"
        elif _name == "pdf":
            _by_x = f"np.divide({_text}, scale * scale)"
            _by_scale = f"np.divide(g * ans * (np.square(np.divide({_z}, scale)) - 1), scale)"
        else:
            _by_x = _text
            _by_scale = f"{'' if _falls else '-'}{_text} * np.divide({_z}, scale)"
        _down, _up = (f"-{_by_x}", _by_x) if _falls else (_by_x, f"-{_by_x}")
        _named = {"x": _down, "loc": _up, "scale": _by_scale}
        elementwise(_call.format(_name), *(_named[name] for name in _given.split(", ")))
    # Quantiles, whose derivative is the reciprocal of the density there.
    _there = _density.replace("(x", "(ans")
    for _name, _sign in (("ppf", ""), ("isf", "-")):
        _named = {"x": f"{_sign}g / {_there}", "loc": "g",
                  "scale": f"g * np.divide({'(ans - loc)' if 'loc' in _given else 'ans'}, scale)"}
        elementwise(_call.format(_name), *(_named[name] for name in _given.split(", ")),
                    domain={"x": (0.1, 0.9), "loc": (-0.5, 0.5), "scale": (0.5, 1.5)})

add_moments("scipy.stats.norm", [], ())

opaque("the most frequent value jumps when items move; find its position on fixed values, and read the array there",
       "scipy.stats.mode")

# ------------------------------------------------------------------ distributions of vectors (Petersen and Pedersen,
# "The Matrix Cookbook", section 8): of the covariance, which is symmetric, one triangle is read

_NORMAL = "scipy.stats.multivariate_normal"
_APART = "np.linalg.solve({cov}, centred(x, mean, {count}).T)"
_NORMAL_SAMPLE = ("rng.normal(size=(4, 3))", "rng.normal(size=3)",
                  "np.array([[2.0, 0.3, 0.1], [0.3, 1.5, 0.2], [0.1, 0.2, 1.0]])")
for _name, _g in (("logpdf", "g"), ("pdf", "g * ans")):
    for _when, _cov, _count in (("mean.ndim == 1 and cov.ndim == 2", "mirror_triangle(cov)", "len(mean)"),
                                (None, "covariance_matrix(cov, mean)", "len(covariance_matrix(cov, mean))")):
        _out = _APART.format(cov=_cov, count=_count)
        _slope = f"np.ravel({_g}) * {_out}"
        _bar = f"0.5 * (({_slope}) @ {_out}.T - np.sum({_g}) * np.linalg.inv({_cov}))"
        _moved = _cov.replace("cov)", "cov_dot)").replace("cov,", "cov_dot,")
        _dot = (f"np.sum({_out} * (0.5 * {_moved} @ {_out} - centred(x_dot, mean_dot, {_count}).T), axis=0)"
                f" - 0.5 * np.trace(np.linalg.solve({_cov}, {_moved}))")
        rule(f"{_NORMAL}.{_name}(x, mean=None, cov=1)", when=_when,
             x=f"np.reshape(-({_slope}).T, np.shape(x))", mean=f"np.reshape({_out} @ np.ravel({_g}), np.shape(mean))",
             cov=f"fold_triangle({_bar})" if _when else f"of_covariances({_bar}, cov)",
             jvp=f"{'ans * ' if _name == 'pdf' else ''}np.reshape({_dot}, np.shape(ans))",
             sample=_NORMAL_SAMPLE if _when else (*_NORMAL_SAMPLE[:2], "1.3"))
rule(f"{_NORMAL}.entropy(mean=None, cov=1)",
     cov="of_covariances(0.5 * g * np.linalg.inv(covariance_matrix(cov, mean)), cov)",
     jvp="0.5 * np.trace(np.linalg.solve(covariance_matrix(cov, mean), covariance_matrix(cov_dot, mean)))",
     sample=_NORMAL_SAMPLE[1:])
_BY_ALPHA = ("scipy.special.digamma(np.sum(alpha)) - scipy.special.digamma(alpha)")
for _ndim, _less, _logs, _x in (
    (1, "alpha - 1", "np.log(on_simplex(x, alpha)) * {}", "np.array([0.2, 0.5])"),
    (2, "np.transpose([alpha - 1])", "np.log(on_simplex(x, alpha)) @ {}",
     "np.array([[0.2, 0.5, 0.3], [0.3, 0.1, 0.4]])"),
):
    _by_parts = f"({_less}) / on_simplex(x, alpha)"
    for _name, _g, _one in (("logpdf", "g", ""), ("pdf", "g * ans", "ans * ")):
        _whole = _g if _ndim == 1 else f"np.sum({_g})"
        rule(f"scipy.stats.dirichlet.{_name}(x, alpha)", when=f"x.ndim == {_ndim}",
             x=f"of_simplex({_g} * {_by_parts}, x)", alpha=f"{_logs.format(f'({_g})')} + {_whole} * ({_BY_ALPHA})",
             jvp=f"{_one}(np.sum(of_simplex({_by_parts}, x) * x_dot, axis=0)"
                 f" + np.dot(alpha_dot, np.log(on_simplex(x, alpha))) + np.dot(alpha_dot, {_BY_ALPHA}))",
             sample=(_x, "np.array([1.2, 2.3, 1.9])"))
_SLOPE = ("((np.sum(alpha) - len(alpha)) * scipy.special.polygamma(1, np.sum(alpha))"
          " - (alpha - 1) * scipy.special.polygamma(1, alpha))")
rule("scipy.stats.dirichlet.entropy(alpha)", alpha=f"g * {_SLOPE}", jvp=f"np.dot(alpha_dot, {_SLOPE})",
     when="alpha.ndim == 1", sample=("np.array([1.2, 2.3, 1.9])",))

linear("of_rank(v, rank)", v="g", when="rank == 0 and v.ndim == 0", sample=("1.3", "0"), view="v")
linear("of_rank(v, rank)", v="g", when="rank == 1 and v.ndim == 1", sample=("rng.normal(size=3)", "1"), view="v")
linear("of_rank(v, rank)", v="g", when="rank == 2 and v.ndim == 2", sample=("rng.normal(size=(3, 2))", "2"), view="v")
opaque("its probabilities must sum to one, and what it does where they do not differs from version to version; write"
       " `gammaln(n + 1) + np.sum(xlogy(x, p) - gammaln(x + 1))`",
       "scipy.stats.multinomial.logpmf", "scipy.stats.multinomial.pmf")

# --------------------------------------------------------------------------------------------- the error of a mean

_COUNT = "(np.size(x) if axis is None else np.size(x, axis))"
rule("scipy.stats.sem(x, axis=0, ddof=1)",
     x="unreduce(g / np.where(ans, ans, math.inf), np.shape(x), axis) * deviations(x, axis, ddof)"
       f" / {_COUNT}",
     jvp=f"np.sum(deviations(x, axis, ddof) * x_dot, axis) / (np.where(ans, ans, math.inf) * {_COUNT})",
     sample=("rng.normal(size=(4, 3))", "0"))
