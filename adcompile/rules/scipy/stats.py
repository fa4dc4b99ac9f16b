"""The rows of the normal distribution in `scipy.stats`, for every way of giving `loc` and `scale`.

With z = (x - loc) / scale and p the density, all follow from dz/dx = 1 / scale and dp/dz = -z p.
"""

from __future__ import annotations

from adcompile.rules.forms import elementwise, linear, opaque, rule
from adcompile.rules.scipy.distributions import continuous, discrete, moments

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

moments("scipy.stats.norm", [], ())

opaque("the most frequent value jumps when items move; find its position on fixed values, and read the array there",
       "scipy.stats.mode")

# ------------------------------------------------ distributions (Johnson, Kotz and Balakrishnan, chapters 13 to 30)

_LINE, _POSITIVE, _UNIT = "rng.normal(size=3)", "rng.uniform(0.5, 1.5, 3)", "rng.uniform(0.2, 0.8, 3)"

_GAMMAINC_SLOPE = "gammainc_slope(scipy.special.gammaln, scipy.special.polygamma, {})"
_BETAINC_SLOPE = "betainc_slope(scipy.special.betaln, scipy.special.polygamma, {})"
_T_PART, _F_PART = "0.5 * df, 0.5, df / (df + {z} ** 2)", "0.5 * dfn, 0.5 * dfd, dfn * {z} / (dfn * {z} + dfd)"

continuous("cauchy", "-2 * {z} / (1 + {z} ** 2)", sample=(_LINE,))
continuous("laplace", "-np.sign({z})", sample=(_POSITIVE,))
continuous("logistic", "-np.tanh(0.5 * {z})", sample=(_LINE,))
continuous("gumbel_r", "np.expm1(-{z})", sample=(_LINE,))
continuous("gumbel_l", "-np.expm1({z})", sample=(_LINE,))
continuous("expon", "-1.0", bounded=True, sample=(_POSITIVE,))
continuous("uniform", "0", bounded=True, sample=(_UNIT,))
continuous("halfnorm", "-{z}", bounded=True, sample=(_POSITIVE,))
continuous("halfcauchy", "-2 * {z} / (1 + {z} ** 2)", bounded=True, sample=(_POSITIVE,))
continuous("rayleigh", "np.divide(1, {z}) - {z}", bounded=True, sample=(_POSITIVE,))
continuous("maxwell", "np.divide(2, {z}) - {z}", bounded=True, sample=(_POSITIVE,))
continuous(
    "t(df)", "-(df + 1) * {z} / (df + {z} ** 2)",
    by={"df": "0.5 * (scipy.special.digamma(0.5 * (df + 1)) - scipy.special.digamma(0.5 * df) - np.divide(1, df)"
              " - np.log1p({z} ** 2 / df) + (df + 1) * {z} ** 2 / (df * (df + {z} ** 2)))"},
    entropy_by={"df": "0.25 * (df + 1) * (scipy.special.polygamma(1, 0.5 * (df + 1)) - scipy.special.polygamma(1, 0.5"
                      " * df)) + 0.5 / df"},
    probability_by={"df": f"-0.25 * np.sign({{z}}) * {_BETAINC_SLOPE.format(f'{_T_PART}, 1, 0')}"
                          " - 0.5 * {z} * scipy.stats.t.pdf({z}, df) / df"},
    sample=(_LINE, "2.5"))
continuous(
    "gamma(a)", "np.divide(a - 1, {z}) - 1", bounded=True, by={"a": "np.log({z}) - scipy.special.digamma(a)"},
    entropy_by={"a": "1 + (1 - a) * scipy.special.polygamma(1, a)"},
    probability_by={"a": _GAMMAINC_SLOPE.format("a, {z}")},
    sample=(_POSITIVE, "1.7"))
continuous(
    "invgamma(a)", "np.divide(np.divide(1, {z}) - a - 1, {z})", bounded=True,
    by={"a": "-np.log({z}) - scipy.special.digamma(a)"},
    probability_by={"a": f"-{_GAMMAINC_SLOPE.format('a, np.divide(1, {z})')}"},
    sample=(_POSITIVE, "2.7"))
continuous(
    "chi2(df)", "np.divide(0.5 * df - 1, {z}) - 0.5", bounded=True,
    by={"df": "0.5 * (np.log(0.5 * {z}) - scipy.special.digamma(0.5 * df))"},
    probability_by={"df": f"0.5 * {_GAMMAINC_SLOPE.format('0.5 * df, 0.5 * {z}')}"},
    sample=(_POSITIVE, "3.2"))
continuous(
    "chi(df)", "np.divide(df - 1, {z}) - {z}", bounded=True,
    by={"df": "np.log({z}) - 0.5 * (math.log(2) + scipy.special.digamma(0.5 * df))"},
    probability_by={"df": f"0.5 * {_GAMMAINC_SLOPE.format('0.5 * df, 0.5 * {z} ** 2')}"},
    sample=(_POSITIVE, "3.2"))
continuous(
    "beta(a, b)", "np.divide(a - 1, {z}) - np.divide(b - 1, 1 - {z})", bounded=True,
    by={"a": "np.log({z}) - scipy.special.digamma(a) + scipy.special.digamma(a + b)",
        "b": "np.log1p(-{z}) - scipy.special.digamma(b) + scipy.special.digamma(a + b)"},
    entropy_by={"a": "(a + b - 2) * scipy.special.polygamma(1, a + b) - (a - 1) * scipy.special.polygamma(1, a)",
                "b": "(a + b - 2) * scipy.special.polygamma(1, a + b) - (b - 1) * scipy.special.polygamma(1, b)"},
    probability_by={"a": _BETAINC_SLOPE.format("a, b, {z}, 1, 0"),
                    "b": _BETAINC_SLOPE.format("a, b, {z}, 0, 1")},
    sample=(_UNIT, "1.7", "2.3"))
continuous(
    "f(dfn, dfd)", "np.divide(0.5 * dfn - 1, {z}) - 0.5 * dfn * (dfn + dfd) / (dfd + dfn * {z})", bounded=True,
    by={"dfn": "0.5 * (np.log(dfn) + 1 + np.log({z}) - np.log(dfd + dfn * {z})"
               " - (dfn + dfd) * {z} / (dfd + dfn * {z})"
               " - scipy.special.digamma(0.5 * dfn) + scipy.special.digamma(0.5 * (dfn + dfd)))",
        "dfd": "0.5 * (np.log(dfd) + 1 - np.log(dfd + dfn * {z}) - (dfn + dfd) / (dfd + dfn * {z})"
               " - scipy.special.digamma(0.5 * dfd) + scipy.special.digamma(0.5 * (dfn + dfd)))"},
    probability_by={"dfn": f"0.5 * {_BETAINC_SLOPE.format(f'{_F_PART}, 1, 0')}"
                           " + {z} * scipy.stats.f.pdf({z}, dfn, dfd) / dfn",
                    "dfd": f"0.5 * {_BETAINC_SLOPE.format(f'{_F_PART}, 0, 1')}"
                           " - {z} * scipy.stats.f.pdf({z}, dfn, dfd) / dfd"},
    sample=(_POSITIVE, "2.7", "4.3"))
continuous(
    "pareto(b)", "-np.divide(b + 1, {z})", bounded=True, by={"b": "np.divide(1, b) - np.log({z})"},
    probability_by={"b": "np.log({z}) * {z} ** -b"}, sample=("rng.uniform(1.2, 2.5, 3)", "2.7"))
continuous(
    "powerlaw(a)", "np.divide(a - 1, {z})", bounded=True, by={"a": "np.divide(1, a) + np.log({z})"},
    probability_by={"a": "np.log({z}) * {z} ** a"}, sample=(_UNIT, "1.7"))
continuous(
    "lognorm(s)", "-np.divide(1 + np.log({z}) / s ** 2, {z})", bounded=True,
    by={"s": "np.divide(np.log({z}) ** 2 / s ** 2 - 1, s)"},
    probability_by={"s": "-scipy.stats.norm.pdf(np.log({z}) / s) * np.log({z}) / s ** 2"}, sample=(_POSITIVE, "0.9"))
continuous(
    "weibull_min(c)", "np.divide(c - 1 - c * {z} ** c, {z})", bounded=True,
    by={"c": "np.divide(1, c) + np.log({z}) * (1 - {z} ** c)"},
    probability_by={"c": "np.log({z}) * {z} ** c * np.exp(-({z} ** c))"}, sample=(_POSITIVE, "1.7"))
continuous(
    "invgauss(mu)", "-np.divide(1.5 + 0.5 * ({z} / mu ** 2 - np.divide(1, {z})), {z})", bounded=True,
    by={"mu": "({z} - mu) / mu ** 3"},
    probability_by={"mu": "-2 / mu ** 2"
                          " * np.exp(np.divide(2, mu) + scipy.stats.norm.logcdf(-({z} / mu + 1) / np.sqrt({z})))"},
    sample=(_POSITIVE, "0.9"))
continuous(
    "loguniform(a, b)", "-np.divide(1, {z})", bounded=True,
    by={"a": "1 / (a * np.log(b / a))", "b": "-1 / (b * np.log(b / a))"},
    probability_by={"a": "-np.log(b / {z}) / (a * np.log(b / a) ** 2)",
                    "b": "-np.log({z} / a) / (b * np.log(b / a) ** 2)"},
    sample=(_POSITIVE, "0.3", "2.5"))
continuous(
    "gennorm(beta)", "-beta * np.sign({z}) * np.abs({z}) ** (beta - 1.0)",
    by={"beta": "np.divide(1 + np.divide(scipy.special.digamma(np.divide(1, beta)), beta), beta)"
                " - scipy.special.xlogy(np.abs({z}) ** beta, np.abs({z}))"},
    probability_by={"beta": "-0.5 * np.sign({z}) / beta ** 2 * "
                            + _GAMMAINC_SLOPE.format("1 / beta, np.abs({z}) ** beta") +
                            " + scipy.special.xlogy({z}, np.abs({z})) * scipy.stats.gennorm.pdf({z}, beta) / beta"},
    sample=(_POSITIVE, "1.7"))
continuous(
    "skewnorm(a)", "a * np.exp(scipy.stats.norm.logpdf(a * {z}) - scipy.stats.norm.logcdf(a * {z})) - {z}",
    by={"a": "{z} * np.exp(scipy.stats.norm.logpdf(a * {z}) - scipy.stats.norm.logcdf(a * {z}))"},
    probability_by={"a": "-np.exp(-0.5 * {z} ** 2 * (1 + a ** 2)) / (math.pi * (1 + a ** 2))"},
    sample=(_LINE, "0.9"))
continuous(
    "truncnorm(a, b)", "-{z}", bounded=True,
    by={"a": "scipy.stats.truncnorm.pdf(a, a, b)", "b": "-scipy.stats.truncnorm.pdf(b, a, b)"},
    probability_by={"a": "-scipy.stats.truncnorm.pdf(a, a, b) * {d}.sf({at})",
                    "b": "-scipy.stats.truncnorm.pdf(b, a, b) * {d}.cdf({at})"},
    sample=("rng.uniform(-0.5, 0.5, 3)", "-0.9", "1.1"))
continuous(
    "vonmises(kappa)", "-kappa * np.sin({z})",
    by={"kappa": "np.cos({z}) - scipy.special.i1e(kappa) / scipy.special.i0e(kappa)"}, sample=(_LINE, "1.7"))
continuous(
    "wrapcauchy(c)", "-2 * c * np.sin({z}) / (1 + c ** 2 - 2 * c * np.cos({z}))", bounded=True,
    by={"c": "-2 * c / (1 - c ** 2) - 2 * (c - np.cos({z})) / (1 + c ** 2 - 2 * c * np.cos({z}))"},
    sample=(_POSITIVE, "0.4"))

# ---------------------------------------------- discrete distributions (Johnson, Kemp and Kotz, "Univariate Discrete
# Distributions", chapters 3 to 6)

_COUNTS = "np.array([0, 1, 2])"
_DIGAMMA = "scipy.special.digamma"

discrete("bernoulli(p)", by={"p": "np.where({k} == 1, np.divide(1, p), -np.divide(1, 1 - p))"},
         probability_by={"p": "np.where(({k} >= 0) & ({k} < 1), -1.0, 0.0)"}, sample=("np.array([0, 1, 1])", "0.3"))
discrete("binom(n, p)", by={"p": "np.divide({k} - n * p, p * (1 - p))"},
         probability_by={"p": "-n * scipy.stats.binom.pmf(np.floor({k}), n - 1, p)"}, sample=(_COUNTS, "5", "0.3"))
discrete("geom(p)", by={"p": "np.divide(1, p) - np.divide({k} - 1, 1 - p)"},
         probability_by={"p": "np.maximum(np.floor({k}), 0) * (1 - p) ** (np.maximum(np.floor({k}), 1) - 1)"},
         sample=("np.array([1, 2, 4])", "0.3"))
discrete("poisson(mu)", by={"mu": "np.divide({k}, mu) - 1"},
         probability_by={"mu": "-scipy.stats.poisson.pmf(np.floor({k}), mu)"}, sample=(_COUNTS, "1.7"))
elementwise("scipy.stats.poisson.entropy(mu)", "g * (poisson_mean(scipy.stats.poisson.pmf, mu, 0) - np.log(mu))",
            singular="mu")
elementwise("poisson_mean(pmf, mu, order)", None, "g * poisson_mean(scipy.stats.poisson.pmf, mu, order + 1)",
            sample=("scipy.stats.poisson.pmf", "rng.uniform(0.5, 2.5, 3)", "0"))
discrete("nbinom(n, p)", by={"n": f"{_DIGAMMA}({{k}} + n) - {_DIGAMMA}(n) + np.log(p)",
                             "p": "np.divide(n, p) - np.divide({k}, 1 - p)"},
         probability_by={"n": _BETAINC_SLOPE.format("n, np.floor({k}) + 1, p, 1, 0"),
                         "p": "scipy.stats.beta.pdf(p, n, np.floor({k}) + 1)"}, sample=(_COUNTS, "2.5", "0.3"))
discrete("betabinom(n, a, b)",
         by={"a": f"{_DIGAMMA}({{k}} + a) - {_DIGAMMA}(n + a + b) - {_DIGAMMA}(a) + {_DIGAMMA}(a + b)",
             "b": f"{_DIGAMMA}(n - {{k}} + b) - {_DIGAMMA}(n + a + b) - {_DIGAMMA}(b) + {_DIGAMMA}(a + b)"},
         sample=(_COUNTS, "5", "1.7", "2.3"))

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
_BY_PARTS = "((np.transpose([alpha - 1]) if np.ndim(x) == 2 else alpha - 1) / on_simplex(x, alpha))"
_BY_ALPHA = ("scipy.special.digamma(np.sum(alpha)) - scipy.special.digamma(alpha)")
for _name, _g, _one in (("logpdf", "g", ""), ("pdf", "g * ans", "ans * ")):
    rule(f"scipy.stats.dirichlet.{_name}(x, alpha)", x=f"of_simplex({_g} * {_BY_PARTS}, x)",
         alpha=f"np.reshape(np.log(on_simplex(x, alpha)), (len(alpha), -1)) @ np.ravel({_g})"
               f" + np.sum({_g}) * ({_BY_ALPHA})",
         jvp=f"{_one}(np.sum(of_simplex({_BY_PARTS}, x) * x_dot, axis=0)"
             f" + np.dot(alpha_dot, np.log(on_simplex(x, alpha))) + np.dot(alpha_dot, {_BY_ALPHA}))",
         sample=("np.array([[0.2, 0.5, 0.3], [0.3, 0.1, 0.4]])", "np.array([1.2, 2.3, 1.9])"))

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
