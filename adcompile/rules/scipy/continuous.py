"""The continuous distributions of `scipy.stats`, a row each, as `distributions.py` reads it, but for the normal one.

See Johnson, Kotz and Balakrishnan, "Continuous Univariate Distributions", chapters 13 to 30, and the documentation of
SciPy. Where a slope is None, the density has no closed form whose derivative is one: then probabilities and quantiles
alone have derivatives, by the variable, position and scale.
"""

from __future__ import annotations

from adcompile.rules.forms import REFUSE, elementwise, opaque
from adcompile.rules.scipy.distributions import continuous

_LINE, _POSITIVE, _UNIT = "rng.normal(size=3)", "rng.uniform(0.5, 1.5, 3)", "rng.uniform(0.2, 0.8, 3)"
_ABOVE, _SYMMETRIC = "rng.uniform(1.2, 2.5, 3)", "rng.uniform(-0.7, 0.7, 3)"

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
    probability_by={"df": f"-0.25 * np.sign({{z}}) * {_BETAINC_SLOPE.format(f'{_T_PART}, 1, 0')}"
                          " - 0.5 * {z} * scipy.stats.t.pdf({z}, df) / df"},
    sample=(_LINE, "2.5"))
continuous("gamma(a)", "np.divide(a - 1, {z}) - 1", bounded=True, by={"a": "np.log({z}) - scipy.special.digamma(a)"},
           probability_by={"a": _GAMMAINC_SLOPE.format("a, {z}")}, sample=(_POSITIVE, "1.7"))
continuous("invgamma(a)", "np.divide(np.divide(1, {z}) - a - 1, {z})", bounded=True,
           by={"a": "-np.log({z}) - scipy.special.digamma(a)"},
           probability_by={"a": f"-{_GAMMAINC_SLOPE.format('a, np.divide(1, {z})')}"}, sample=(_POSITIVE, "2.7"))
continuous("chi2(df)", "np.divide(0.5 * df - 1, {z}) - 0.5", bounded=True,
           by={"df": "0.5 * (np.log(0.5 * {z}) - scipy.special.digamma(0.5 * df))"},
           probability_by={"df": f"0.5 * {_GAMMAINC_SLOPE.format('0.5 * df, 0.5 * {z}')}"}, sample=(_POSITIVE, "3.2"))
continuous("chi(df)", "np.divide(df - 1, {z}) - {z}", bounded=True,
           by={"df": "np.log({z}) - 0.5 * (math.log(2) + scipy.special.digamma(0.5 * df))"},
           probability_by={"df": f"0.5 * {_GAMMAINC_SLOPE.format('0.5 * df, 0.5 * {z} ** 2')}"},
           sample=(_POSITIVE, "3.2"))
continuous(
    "beta(a, b)", "np.divide(a - 1, {z}) - np.divide(b - 1, 1 - {z})", bounded=True,
    by={"a": "np.log({z}) - scipy.special.digamma(a) + scipy.special.digamma(a + b)",
        "b": "np.log1p(-{z}) - scipy.special.digamma(b) + scipy.special.digamma(a + b)"},
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
continuous("pareto(b)", "-np.divide(b + 1, {z})", bounded=True, by={"b": "np.divide(1, b) - np.log({z})"},
           probability_by={"b": "np.log({z}) * {z} ** -b"}, sample=("rng.uniform(1.2, 2.5, 3)", "2.7"))
continuous("powerlaw(a)", "np.divide(a - 1, {z})", bounded=True, by={"a": "np.divide(1, a) + np.log({z})"},
           probability_by={"a": "np.log({z}) * {z} ** a"}, sample=(_UNIT, "1.7"))
continuous(
    "lognorm(s)", "-np.divide(1 + np.log({z}) / s ** 2, {z})", bounded=True,
    by={"s": "np.divide(np.log({z}) ** 2 / s ** 2 - 1, s)"},
    probability_by={"s": "-scipy.stats.norm.pdf(np.log({z}) / s) * np.log({z}) / s ** 2"}, sample=(_POSITIVE, "0.9"))
continuous("weibull_min(c)", "np.divide(c - 1 - c * {z} ** c, {z})", bounded=True,
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
continuous("skewnorm(a)", "a * np.exp(scipy.stats.norm.logpdf(a * {z}) - scipy.stats.norm.logcdf(a * {z})) - {z}",
           by={"a": "{z} * np.exp(scipy.stats.norm.logpdf(a * {z}) - scipy.stats.norm.logcdf(a * {z}))"},
           probability_by={"a": "-np.exp(-0.5 * {z} ** 2 * (1 + a ** 2)) / (math.pi * (1 + a ** 2))"},
           sample=(_LINE, "0.9"))
continuous(
    "truncnorm(a, b)", "-{z}", bounded=True,
    by={"a": "scipy.stats.truncnorm.pdf(a, a, b)", "b": "-scipy.stats.truncnorm.pdf(b, a, b)"},
    probability_by={"a": "-scipy.stats.truncnorm.pdf(a, a, b) * {d}.sf({at})",
                    "b": "-scipy.stats.truncnorm.pdf(b, a, b) * {d}.cdf({at})"},
    sample=("rng.uniform(-0.5, 0.5, 3)", "-0.9", "1.1"))
continuous("vonmises(kappa)", "-kappa * np.sin({z})",
           by={"kappa": "np.cos({z}) - scipy.special.i1e(kappa) / scipy.special.i0e(kappa)"}, sample=(_LINE, "1.7"))
continuous("wrapcauchy(c)", "-2 * c * np.sin({z}) / (1 + c ** 2 - 2 * c * np.cos({z}))", bounded=True,
           by={"c": "-2 * c / (1 - c ** 2) - 2 * (c - np.cos({z})) / (1 + c ** 2 - 2 * c * np.cos({z}))"},
           sample=(_POSITIVE, "0.4"))

# ------------------------------------------------------------------------------------ of a standard variable alone

continuous("anglit", "-2 * np.tan(2 * {z})", bounded=True, sample=(_SYMMETRIC,))
continuous("arcsine", "0.5 * (np.divide(1, 1 - {z}) - np.divide(1, {z}))", bounded=True, sample=(_UNIT,))
continuous("cosine", "-np.tan(0.5 * {z})", bounded=True, sample=(_SYMMETRIC,))
continuous("gibrat", "-np.divide(1 + np.log({z}), {z})", bounded=True, sample=(_POSITIVE,))
continuous("halflogistic", "-np.tanh(0.5 * {z})", bounded=True, sample=(_POSITIVE,))
continuous("hypsecant", "-np.tanh({z})", sample=(_LINE,))
continuous("levy", "np.divide(np.divide(0.5, {z}) - 1.5, {z})", bounded=True, sample=(_POSITIVE,))
continuous("levy_l", "-np.divide(np.divide(0.5, {z}) + 1.5, {z})", bounded=True, sample=(f"-{_POSITIVE}",))
continuous("moyal", "0.5 * np.expm1(-{z})", sample=(_LINE,))
continuous("semicircular", "-np.divide({z}, 1 - {z} ** 2)", bounded=True, sample=(_SYMMETRIC,))
continuous("wald", "-np.divide(1.5 + 0.5 * ({z} - np.divide(1, {z})), {z})", bounded=True, sample=(_POSITIVE,))
continuous("kstwobign", None, bounded=True, moments=False, sample=(_POSITIVE,))
continuous("landau", None, moments=False, sample=(_LINE,))

# -------------------------------------------------------------------------------- relatives of gamma, beta and Weibull

continuous(
    "betaprime(a, b)", "np.divide(a - 1, {z}) - (a + b) / (1 + {z})", bounded=True,
    by={"a": "np.log({z}) - np.log1p({z}) - {special}.digamma(a) + {special}.digamma(a + b)",
        "b": "-np.log1p({z}) - {special}.digamma(b) + {special}.digamma(a + b)"},
    probability_by={"a": _BETAINC_SLOPE.format("a, b, {z} / (1 + {z}), 1, 0"),
                    "b": _BETAINC_SLOPE.format("a, b, {z} / (1 + {z}), 0, 1")},
    sample=(_POSITIVE, "1.7", "4.3"))
continuous("dgamma(a)", "np.sign({z}) * (np.divide(a - 1, np.abs({z})) - 1)",
           by={"a": "np.log(np.abs({z})) - {special}.digamma(a)"},
           probability_by={"a": f"0.5 * np.sign({{z}}) * {_GAMMAINC_SLOPE.format('a, np.abs({z})')}"},
           sample=(_POSITIVE, "1.7"))
continuous(
    "gengamma(a, c)", "np.divide(c * a - 1 - c * {z} ** c, {z})", bounded=True,
    by={"a": "c * np.log({z}) - {special}.digamma(a)", "c": "np.divide(1, c) + np.log({z}) * (a - {z} ** c)"},
    probability_by={"a": f"np.sign(c) * {_GAMMAINC_SLOPE.format('a, {z} ** c')}",
                    "c": "np.divide({z} * np.log({z}) * scipy.stats.gengamma.pdf({z}, a, c), c)"},
    sample=(_POSITIVE, "1.7", "1.3"))
continuous(
    "halfgennorm(beta)", "-beta * {z} ** (beta - 1.0)", bounded=True, moments=False,
    by={"beta": "np.divide(1 + np.divide({special}.digamma(np.divide(1, beta)), beta), beta)"
                " - {special}.xlogy({z} ** beta, {z})"},
    probability_by={"beta": f"{_GAMMAINC_SLOPE.format('1 / beta, {z} ** beta')} / -beta ** 2"
                            " + {special}.xlogy({z}, {z}) * scipy.stats.halfgennorm.pdf({z}, beta) / beta"},
    sample=(_POSITIVE, "1.7"))
continuous("loggamma(c)", "c - np.exp({z})", by={"c": "{z} - {special}.digamma(c)"},
           probability_by={"c": _GAMMAINC_SLOPE.format("c, np.exp({z})")}, sample=(_LINE, "1.7"))
continuous(
    "nakagami(nu)", "np.divide(2 * nu - 1, {z}) - 2 * nu * {z}", bounded=True,
    by={"nu": "np.log(nu) + 1 - {special}.digamma(nu) + 2 * np.log({z}) - {z} ** 2"},
    probability_by={"nu": f"{_GAMMAINC_SLOPE.format('nu, nu * {z} ** 2')}"
                          " + 0.5 * {z} * scipy.stats.nakagami.pdf({z}, nu) / nu"}, sample=(_POSITIVE, "1.7"))
continuous(
    "rdist(c)", "-np.divide((c - 2) * {z}, 1 - {z} ** 2)", bounded=True,
    by={"c": "0.5 * (np.log1p(-({z} ** 2)) - {special}.digamma(0.5 * c) + {special}.digamma(0.5 * c + 0.5))"},
    probability_by={"c": f"0.5 * ({_BETAINC_SLOPE.format('0.5 * c, 0.5 * c, 0.5 * (1 + {z}), 1, 0')}"
                         f" + {_BETAINC_SLOPE.format('0.5 * c, 0.5 * c, 0.5 * (1 + {z}), 0, 1')})"},
    sample=(_SYMMETRIC, "2.7"))
_SIDE = "((a + 0.5) / (1 + {r}) - (b + 0.5) / (1 - {r}))"
_R, _S = "({z} / np.sqrt(a + b + {z} ** 2))", "np.sqrt(a + b + {z} ** 2)"
_SIDE, _TILT = _SIDE.replace("{r}", _R), f"0.5 * {{z}} / {_S} ** 3"
continuous(
    "jf_skew_t(a, b)", f"{_SIDE} * (a + b) / {_S} ** 3",
    by={s: f"np.log1p({sign}{_R}) - {_SIDE} * {_TILT} - math.log(2) - {{special}}.digamma({s})"
           " + {special}.digamma(a + b) - 0.5 / (a + b)" for s, sign in (("a", ""), ("b", "-"))},
    probability_by={s: f"{_BETAINC_SLOPE.format(f'a, b, 0.5 * (1 + {_R}), {which}')}"
                       " - 0.5 * {z} * scipy.stats.jf_skew_t.pdf({z}, a, b) / (a + b)"
                    for s, which in (("a", "1, 0"), ("b", "0, 1"))},
    moments=False, sample=(_LINE, "2.7", "3.3"))
continuous(
    "dweibull(c)", "np.divide(c - 1 - c * np.abs({z}) ** c, {z})",
    by={"c": "np.divide(1, c) + np.log(np.abs({z})) * (1 - np.abs({z}) ** c)"},
    probability_by={"c": "0.5 * np.sign({z}) * np.log(np.abs({z})) * np.abs({z}) ** c * np.exp(-(np.abs({z}) ** c))"},
    sample=(_POSITIVE, "1.7"))
continuous("invweibull(c)", "np.divide(c * {z} ** -c - c - 1, {z})", bounded=True,
           by={"c": "np.divide(1, c) - np.log({z}) * (1 - {z} ** -c)"},
           probability_by={"c": "np.log({z}) * {z} ** -c * np.exp(-({z} ** -c))"}, sample=(_POSITIVE, "3.7"))
continuous("weibull_max(c)", "np.divide(c - 1 - c * (-{z}) ** c, {z})", bounded=True,
           by={"c": "np.divide(1, c) + np.log(-{z}) * (1 - (-{z}) ** c)"},
           probability_by={"c": "-np.log(-{z}) * (-{z}) ** c * np.exp(-((-{z}) ** c))"},
           sample=(f"-{_POSITIVE}", "1.7"))
continuous(
    "exponweib(a, c)", "np.divide(c - 1 - c * {z} ** c + (a - 1) * c * {z} ** c / np.expm1({z} ** c), {z})",
    bounded=True, moments=False,
    by={"a": "np.divide(1, a) + np.log(-np.expm1(-({z} ** c)))",
        "c": "np.divide(1, c) + np.log({z}) * (1 - {z} ** c + (a - 1) * {z} ** c / np.expm1({z} ** c))"},
    probability_by={"a": "np.log(-np.expm1(-({z} ** c))) * {d}.cdf({at})",
                    "c": "np.divide({z} * np.log({z}) * scipy.stats.exponweib.pdf({z}, a, c), c)"},
    sample=(_POSITIVE, "1.7", "1.3"))
continuous("exponpow(b)", "np.divide(b - 1 - b * {z} ** b * np.expm1({z} ** b), {z})", bounded=True, moments=False,
           by={"b": "np.divide(1, b) + np.log({z}) * (1 - {z} ** b * np.expm1({z} ** b))"},
           probability_by={"b": "np.divide({z} * np.log({z}) * scipy.stats.exponpow.pdf({z}, b), b)"},
           sample=(_POSITIVE, "1.7"))
_BETWEEN = "(np.exp(-(a ** c)) - np.exp(-(b ** c)))"
_MOVED = "(np.log({}) * {} ** c * np.exp(-({} ** c)))"
_ENDS = f"({_MOVED.format('b', 'b', 'b')} - {{special}}.xlogy(a ** c, a) * np.exp(-(a ** c)))"
continuous(
    "truncweibull_min(c, a, b)", "np.divide(c - 1 - c * {z} ** c, {z})", bounded=True, moments=False,
    by={"c": f"np.divide(1, c) + np.log({{z}}) * (1 - {{z}} ** c) - {_ENDS} / {_BETWEEN}",
        "a": "scipy.stats.truncweibull_min.pdf(a, c, a, b)", "b": "-scipy.stats.truncweibull_min.pdf(b, c, a, b)"},
    probability_by={"c": f"(np.log({{z}}) * {{z}} ** c * np.exp(-({{z}} ** c)) - {{special}}.xlogy(a ** c, a)"
                         f" * np.exp(-(a ** c)) - {{d}}.cdf({{at}}) * {_ENDS}) / {_BETWEEN}",
                    "a": "-scipy.stats.truncweibull_min.pdf(a, c, a, b) * {d}.sf({at})",
                    "b": "-scipy.stats.truncweibull_min.pdf(b, c, a, b) * {d}.cdf({at})"},
    sample=(_POSITIVE, "1.7", "0.3", "2.2"))

# --------------------------------------------------------------------------------------- of powers of the variable

_POWER = "{z} ** c / (1 + {z} ** c)"
continuous(
    "burr(c, d)", "np.divide((d + 1) * c / (1 + {z} ** c) - c - 1, {z})", bounded=True,
    by={"c": "np.divide(1, c) + np.log({z}) * ((d + 1) / (1 + {z} ** c) - 1)",
        "d": "np.divide(1, d) - np.log1p({z} ** -c)"},
    probability_by={"c": "np.divide({z} * np.log({z}) * scipy.stats.burr.pdf({z}, c, d), c)",
                    "d": "-np.log1p({z} ** -c) * {d}.cdf({at})"}, sample=(_POSITIVE, "2.7", "1.3"))
continuous(
    "burr12(c, d)", f"np.divide(c - 1 - (d + 1) * c * {_POWER}, {{z}})", bounded=True,
    by={"c": f"np.divide(1, c) + np.log({{z}}) * (1 - (d + 1) * {_POWER})",
        "d": "np.divide(1, d) - np.log1p({z} ** c)"},
    probability_by={"c": "np.divide({z} * np.log({z}) * scipy.stats.burr12.pdf({z}, c, d), c)",
                    "d": "np.log1p({z} ** c) * {d}.sf({at})"}, sample=(_POSITIVE, "2.7", "1.3"))
continuous("fisk(c)", f"np.divide(c - 1 - 2 * c * {_POWER}, {{z}})", bounded=True,
           by={"c": f"np.divide(1, c) + np.log({{z}}) * (1 - 2 * {_POWER})"},
           probability_by={"c": "np.divide({z} * np.log({z}) * scipy.stats.fisk.pdf({z}, c), c)"},
           sample=(_POSITIVE, "2.7"))
continuous("lomax(c)", "-(c + 1) / (1 + {z})", bounded=True, by={"c": "np.divide(1, c) - np.log1p({z})"},
           probability_by={"c": "np.log1p({z}) * {d}.sf({at})"}, sample=(_POSITIVE, "2.7"))
continuous("loglaplace(c)", "np.divide(-np.sign(np.log({z})) * c - 1, {z})", bounded=True,
           by={"c": "np.divide(1, c) - np.abs(np.log({z}))"},
           probability_by={"c": "0.5 * np.log({z}) * np.exp(-c * np.abs(np.log({z})))"}, sample=(_ABOVE, "2.7"))
continuous(
    "kappa3(a)", "-np.divide((a + 1) * {z} ** a, {z} * (a + {z} ** a))", bounded=True, moments=False,
    by={"a": "np.divide(1, a) + np.log(a + {z} ** a) / a ** 2"
             " - (1 + 1 / a) * (1 + np.log({z}) * {z} ** a) / (a + {z} ** a)"},
    probability_by={"a": "{d}.cdf({at}) * (np.log(a + {z} ** a) / a - (1 + np.log({z}) * {z} ** a) / (a + {z} ** a))"
                         " / a"}, sample=(_POSITIVE, "3.7"))
_POWER = "{z} ** s / (1 + {z} ** s)"
continuous(
    "mielke(k, s)", f"np.divide(k - 1 - (s + k) * {_POWER}, {{z}})", bounded=True, moments=False,
    by={"k": "np.divide(1, k) + np.log({z}) - np.log1p({z} ** s) / s",
        "s": f"k * np.log1p({{z}} ** s) / s ** 2 - (1 + k / s) * np.log({{z}}) * {_POWER}"},
    probability_by={"k": "{d}.cdf({at}) * (np.log({z}) - np.log1p({z} ** s) / s)",
                    "s": f"{{d}}.cdf({{at}}) * k * (np.log1p({{z}} ** s) / s - np.log({{z}}) * {_POWER}) / s"},
    sample=(_POSITIVE, "2.7", "4.3"))
continuous(
    "truncpareto(b, c)", "-np.divide(b + 1, {z})", bounded=True, moments=False,
    by={"b": "np.divide(1, b) - np.log({z}) - np.log(c) / (c ** b - 1)", "c": "-b / (c * (c ** b - 1))"},
    probability_by={"b": "(np.log({z}) * {z} ** -b - {d}.cdf({at}) * np.log(c) * c ** -b) / (1 - c ** -b)",
                    "c": "-{d}.cdf({at}) * b / (c * (c ** b - 1))"}, sample=(_ABOVE, "1.7", "4.3"))
continuous("bradford(c)", "-c / (1 + c * {z})", bounded=True,
           by={"c": "np.divide(1, c) - 1 / ((1 + c) * np.log1p(c)) - {z} / (1 + c * {z})"},
           probability_by={"c": "({z} / (1 + c * {z}) - {d}.cdf({at}) / (1 + c)) / np.log1p(c)"}, sample=(_UNIT, "1.7"))
continuous("truncexpon(b)", "-1.0", bounded=True, by={"b": "-np.divide(1, np.expm1(b))"},
           probability_by={"b": "-{d}.cdf({at}) / np.expm1(b)"}, sample=(_POSITIVE, "2.7"))

# ------------------------------------------- of extremes, where log1p(c z) / c has the limit z (Coles, "An Introduction
# to Statistical Modeling of Extreme Values", chapters 3 and 4)

elementwise("log1p_part(z, c, order=0)", "g / (1 + c * z)", "g * log1p_part(z, c, 1)", when="order == 0")
elementwise("log1p_part(z, c, order=0)", "g * math.factorial(order) * (-z) ** order / (1 + c * z) ** (order + 1)",
            "g * log1p_part(z, c, order + 1)", sample=("rng.uniform(0.5, 1.5, 3)", "0.4", "1"))
_LOG, _BENT = "log1p_part(-{z}, c)", "log1p_part(-{z}, c, 1)"
continuous("genextreme(c)", f"np.divide(np.exp({_LOG}) - 1 + c, 1 - c * {{z}})", bounded=True, moments=False,
           by={"c": f"(1 - np.exp({_LOG}) - c) * {_BENT} - {_LOG}"},
           probability_by={"c": f"-{{d}}.cdf({{at}}) * np.exp({_LOG}) * {_BENT}"}, sample=(_SYMMETRIC, "0.3"))
continuous("genhalflogistic(c)", f"np.divide(c - 1 + 2 * {{special}}.expit({_LOG}), 1 - c * {{z}})", bounded=True,
           moments=False, by={"c": f"(1 - c - 2 * {{special}}.expit({_LOG})) * {_BENT} - {_LOG}"},
           probability_by={"c": f"-2 * {{special}}.expit({_LOG}) * {{special}}.expit(-({_LOG})) * {_BENT}"},
           sample=(_UNIT, "0.3"))
continuous("genpareto(c)", "-np.divide(1 + c, 1 + c * {z})", bounded=True,
           by={"c": "-log1p_part({z}, c) - (1 + c) * log1p_part({z}, c, 1)"},
           probability_by={"c": "log1p_part({z}, c, 1) * {d}.sf({at})"}, sample=(_POSITIVE, "0.2"))
_T, _LOG, _BENT = "np.exp(log1p_part(-{z}, k))", "log1p_part(-{z}, k)", "log1p_part(-{z}, k, 1)"
_UNDER = f"log1p_part(-{_T}, h)"
continuous(
    "kappa4(h, k)", f"np.divide((1 - h) * {_T} / (1 - h * {_T}) - 1 + k, 1 - k * {{z}})", bounded=True, moments=False,
    by={"h": f"(1 - h) * log1p_part(-{_T}, h, 1) - {_UNDER}",
        "k": f"(1 - k - (1 - h) * {_T} / (1 - h * {_T})) * {_BENT} - {_LOG}"},
    probability_by={"h": f"{{d}}.cdf({{at}}) * log1p_part(-{_T}, h, 1)",
                    "k": f"-{{d}}.cdf({{at}}) * {_T} / (1 - h * {_T}) * {_BENT}"}, sample=(_UNIT, "0.3", "0.2"))
continuous(
    "gompertz(c)", "1 - c * np.exp({z})", bounded=True, moments=False, by={"c": "np.divide(1, c) - np.expm1({z})"},
    probability_by={"c": "np.expm1({z}) * {d}.sf({at})"}, sample=(_UNIT, "1.7"))
continuous("genlogistic(c)", "(c + 1) * {special}.expit(-{z}) - 1", by={"c": "np.divide(1, c) - np.logaddexp(0, -{z})"},
           probability_by={"c": "-np.logaddexp(0, -{z}) * {d}.cdf({at})"}, sample=(_LINE, "1.7"))
_LEFT, _RATE = "(1 - np.exp(-c * {z}))", "(a + b * (1 - np.exp(-c * {z})))"
continuous(
    "genexpon(a, b, c)", f"b * c * np.exp(-c * {{z}}) / {_RATE} - {_RATE}", bounded=True, moments=False,
    by={"a": f"1 / {_RATE} - {{z}}", "b": f"{_LEFT} / {_RATE} - {{z}} + {_LEFT} / c",
        "c": f"b * {{z}} * np.exp(-c * {{z}}) * (1 / {_RATE} + 1 / c) - b * {_LEFT} / c ** 2"},
    probability_by={"a": "{z} * {d}.sf({at})", "b": f"({{z}} - {_LEFT} / c) * {{d}}.sf({{at}})",
                    "c": f"b * ({_LEFT} / c - {{z}} * np.exp(-c * {{z}})) / c * {{d}}.sf({{at}})"},
    sample=(_POSITIVE, "0.7", "1.3", "0.9"))

# ------------------------------------------------------------------------------------ relatives of the normal one

_FALLS = "np.exp({norm}.logpdf({z}) - {norm}.logsf({z}))"
_FALLS_LOG = _FALLS.replace("{z}", "np.log({z}) / s")
continuous("alpha(a)", "np.divide(np.divide(np.divide(1, {z}) - a, {z}) - 2, {z})", bounded=True, moments=False,
           by={"a": "np.divide(1, {z}) - a - np.exp({norm}.logpdf(a) - {norm}.logcdf(a))"},
           probability_by={"a": "({norm}.pdf(a - np.divide(1, {z})) - {d}.cdf({at}) * {norm}.pdf(a)) / {norm}.cdf(a)"},
           sample=(_POSITIVE, "1.7"))
_LEFT = "(np.sqrt({z}) - np.divide(1, np.sqrt({z})))"
continuous("fatiguelife(c)", "np.divide(1, 1 + {z}) - np.divide(1.5, {z}) - (0.5 - np.divide(0.5, {z} ** 2)) / c ** 2",
           bounded=True, moments=False, by={"c": f"({_LEFT} ** 2 / c ** 2 - 1) / c"},
           probability_by={"c": f"-{{norm}}.pdf({_LEFT} / c) * {_LEFT} / c ** 2"}, sample=(_POSITIVE, "1.7"))
continuous("foldnorm(c)", "c * np.tanh(c * {z}) - {z}", bounded=True, by={"c": "{z} * np.tanh(c * {z}) - c"},
           probability_by={"c": "{norm}.pdf({z} + c) - {norm}.pdf({z} - c)"}, sample=(_POSITIVE, "1.7"))
_OVER = "{z} - np.divide(1, K)"
continuous("exponnorm(K)", f"np.exp({{norm}}.logpdf({_OVER}) - {{norm}}.logcdf({_OVER})) - np.divide(1, K)",
           by={"K": f"({_OVER} - K + np.exp({{norm}}.logpdf({_OVER}) - {{norm}}.logcdf({_OVER}))) / K ** 2"},
           probability_by={"K": f"-(({_OVER}) * scipy.stats.exponnorm.pdf({{z}}, K) + {{norm}}.pdf({{z}}) / K) / K"},
           moments=False, sample=(_LINE, "0.9"))
for _name, _slope, _place, _unit in (
    ("johnsonsu", "-({z} + b * np.sqrt(1 + {z} ** 2) * {u}) / (1 + {z} ** 2)", "np.arcsinh({z})", _LINE),
    ("johnsonsb", "-np.divide(1 - 2 * {z} + b * {u}, {z} * (1 - {z}))", "np.log(np.divide({z}, 1 - {z}))", _UNIT),
):
    _u = f"(a + b * {_place})"
    continuous(f"{_name}(a, b)", _slope.replace("{u}", _u), bounded=_name == "johnsonsb", moments=False,
               by={"a": f"-{_u}", "b": f"np.divide(1, b) - {_u} * {_place}"},
               probability_by={"a": f"{{norm}}.pdf{_u}", "b": f"{{norm}}.pdf{_u} * {_place}"},
               sample=(_unit, "0.3", "1.7"))
continuous("powernorm(c)", f"-{{z}} - (c - 1) * {_FALLS}", by={"c": "np.divide(1, c) + {norm}.logsf({z})"},
           probability_by={"c": "-{norm}.logsf({z}) * {d}.sf({at})"}, moments=False, sample=(_LINE, "1.7"))
continuous(
    "powerlognorm(c, s)", f"-np.divide(1 + np.log({{z}}) / s ** 2 + (c - 1) * {_FALLS_LOG} / s, {{z}})", bounded=True,
    moments=False,
    by={"c": "np.divide(1, c) + {norm}.logsf(np.log({z}) / s)",
        "s": f"(np.log({{z}}) ** 2 / s ** 2 - 1 + (c - 1) * {_FALLS_LOG} * np.log({{z}}) / s) / s"},
    probability_by={"c": "-{norm}.logsf(np.log({z}) / s) * {d}.sf({at})",
                    "s": f"-c * {_FALLS_LOG} * np.log({{z}}) / s ** 2 * {{d}}.sf({{at}})"},
    sample=(_POSITIVE, "1.7", "0.9"))
continuous(
    "recipinvgauss(mu)", "0.5 * np.divide(np.divide(1, mu ** 2 * {z}) - 1, {z}) - 0.5", bounded=True, moments=False,
    by={"mu": "np.divide(np.divide(1, mu) - {z}, {z} * mu ** 2)"},
    probability_by={"mu": "2 / mu ** 2 * np.exp(np.divide(2, mu) + {norm}.logcdf(-(1 / mu + {z}) / np.sqrt({z})))"},
    sample=(_POSITIVE, "0.9"))
_ARGUS = "(0.5 * {special}.gammainc(1.5, 0.5 * chi ** 2))"
_BENT = "(chi ** 2 * {norm}.pdf(chi) / (0.5 * {special}.gammainc(1.5, 0.5 * chi ** 2)))"
continuous(
    "argus(chi)", "np.divide(1, {z}) - np.divide({z}, 1 - {z} ** 2) + chi ** 2 * {z}", bounded=True, moments=False,
    by={"chi": f"np.divide(3, chi) - {_BENT} - chi * (1 - {{z}} ** 2)"},
    probability_by={"chi": f"{{d}}.sf({{at}}) * {_BENT} - (1 - {{z}} ** 2) ** 1.5 * chi ** 2"
                           f" * {{norm}}.pdf(chi * np.sqrt(1 - {{z}} ** 2)) / {_ARGUS}"},
    sample=(_UNIT, "1.7"))

# -------------------------------------------------------------------- of Cauchy's and Laplace's, and in pieces

_NEAR, _FAR = "(1 + ({z} - c) ** 2)", "(1 + ({z} + c) ** 2)"
_SUM = f"(1 / {_NEAR} + 1 / {_FAR})"
continuous("foldcauchy(c)", f"-2 * (({{z}} - c) / {_NEAR} ** 2 + ({{z}} + c) / {_FAR} ** 2) / {_SUM}", bounded=True,
           by={"c": f"2 * (({{z}} - c) / {_NEAR} ** 2 - ({{z}} + c) / {_FAR} ** 2) / {_SUM}"},
           probability_by={"c": f"(1 / {_FAR} - 1 / {_NEAR}) / math.pi"}, sample=(_POSITIVE, "1.7"))
_K = "(1 + a * np.sign({z}))"
continuous(
    "skewcauchy(a)", f"-2 * {{z}} / ({{z}} ** 2 + {_K} ** 2)",
    by={"a": f"2 * np.sign({{z}}) * {{z}} ** 2 / ({_K} * ({{z}} ** 2 + {_K} ** 2))"},
    probability_by={"a": f"np.sign({{z}}) * (np.arctan({{z}} / {_K}) - {{z}} * {_K} / ({{z}} ** 2 + {_K} ** 2))"
                         " / math.pi - 0.5"}, sample=(_POSITIVE, "0.3"))
continuous(
    "laplace_asymmetric(kappa)", "np.where({z} < 0, np.divide(1, kappa), -kappa)",
    by={"kappa": "np.where({z} < 0, -{z} / kappa ** 2, -{z}) - (kappa - 1 / kappa) / (kappa ** 2 + 1)"},
    probability_by={"kappa": "np.exp(-np.abs({z}) * np.where({z} < 0, np.divide(1, kappa), kappa))"
                             " * (2 * kappa / (kappa ** 2 + 1) + np.abs({z})) / (kappa ** 2 + 1)"},
    sample=(_POSITIVE, "1.7"))
continuous(
    "rel_breitwigner(rho)", "-4 * {z} * ({z} ** 2 - rho ** 2) / (({z} ** 2 - rho ** 2) ** 2 + rho ** 2)", bounded=True,
    moments=False,
    by={"rho": "2 * ({z} ** 2 - rho ** 2) * ({z} ** 2 + rho ** 2) / (rho * (({z} ** 2 - rho ** 2) ** 2 + rho ** 2))"
               " + (0.5 / (np.sqrt(1 + rho ** -2) * (1 + np.sqrt(1 + rho ** -2))) - 1 / (1 + rho ** -2)) / rho ** 3"},
    sample=(_POSITIVE, "1.7"))
continuous("triang(c)", "np.where({z} < c, np.divide(1, {z}), np.divide(1, {z} - 1))", bounded=True,
           by={"c": "np.where({z} < c, -np.divide(1, c), np.divide(1, 1 - c))"},
           probability_by={"c": "-np.where({z} < c, np.divide({z}, c), np.divide(1 - {z}, 1 - c)) ** 2"},
           sample=("np.array([0.1, 0.2, 0.97])", "0.95"))
_TRAPEZOID = "np.where({{z}} < c, {}, np.where({{z}} > d, {}, {}))"
_WIDE = "(1 + d - c)"
continuous(
    "trapezoid(c, d)", _TRAPEZOID.format("np.divide(1, {z})", "np.divide(1, {z} - 1)", "0"), bounded=True,
    by={"c": f"1 / {_WIDE} - np.where({{z}} < c, np.divide(1, c), 0)",
        "d": f"np.where({{z}} > d, np.divide(1, 1 - d), 0) - 1 / {_WIDE}"},
    probability_by={"c": f"({{d}}.cdf({{at}}) - np.where({{z}} < c, np.divide({{z}}, c) ** 2, 1)) / {_WIDE}",
                    "d": "(np.where({z} > d, 1 - np.divide(1 - {z}, 1 - d) ** 2, 0) - {d}.cdf({at}))"
                         f" / {_WIDE}"},
    sample=("np.array([0.1, 0.4, 0.8])", "0.3", "0.7"))
_NORMED = "(np.divide(m, beta * (m - 1)) * np.exp(-0.5 * beta ** 2) + math.sqrt(2 * math.pi) * {norm}.cdf(beta))"
_DROP = "(np.divide(m, beta) - beta - {z})"
continuous(
    "crystalball(beta, m)", f"np.where({{z}} > -beta, -{{z}}, m / np.where({{z}} > -beta, 1, {_DROP}))",
    by={"beta": f"np.where({{z}} > -beta, 0, (m / beta ** 2 + 1) * m / np.where({{z}} > -beta, 1, {_DROP}) - m / beta"
                f" - beta) + (m / beta ** 2 + 1) / (m - 1) * np.exp(-0.5 * beta ** 2) / {_NORMED}",
        "m": f"np.where({{z}} > -beta, 0, np.log(m / beta) + 1 - np.log(np.where({{z}} > -beta, 1, {_DROP}))"
             f" - m / beta / np.where({{z}} > -beta, 1, {_DROP}))"
             f" + np.exp(-0.5 * beta ** 2) / (beta * (m - 1) ** 2 * {_NORMED})"},
    moments=False, sample=("np.array([-2.0, -0.3, 0.7])", "0.9", "3.1"))

# ----------------------------------------------------------- of Bessel functions (DLMF 10.29), whose order is held


def _falls(order: str, at: str) -> str:
    """The text of the slope of the logarithm of K, the modified Bessel function that falls."""
    return (f"(-0.5 * ({{special}}.kve({order} - 1, {at}) + {{special}}.kve({order} + 1, {at}))"
            f" / {{special}}.kve({order}, {at}))")


_ORDER = REFUSE("the derivative by the order of a Bessel function has no closed form")
_ROOT, _GAP = "np.sqrt(1 + {z} ** 2)", "np.sqrt(a ** 2 - b ** 2)"
_INNER, _OUTER = _falls("(p - 0.5)", f"(a * {_ROOT})"), _falls("p", f"({_GAP})")
continuous(
    "genhyperbolic(p, a, b)", f"b + (p - 0.5) * {{z}} / (1 + {{z}} ** 2) + a * {{z}} / {_ROOT} * {_INNER}",
    by={"p": _ORDER, "a": f"p * a / (a ** 2 - b ** 2) - (p - 0.5) / a + {_ROOT} * {_INNER} - a / {_GAP} * {_OUTER}",
        "b": f"{{z}} - p * b / (a ** 2 - b ** 2) + b / {_GAP} * {_OUTER}"},
    moments=False, sample=(_LINE, "0.7", "1.9", "0.6"))
continuous("geninvgauss(p, b)", "np.divide(p - 1, {z}) - 0.5 * b * (1 - np.divide(1, {z} ** 2))", bounded=True,
           moments=False, by={"p": _ORDER, "b": f"-0.5 * ({{z}} + np.divide(1, {{z}})) - {_falls('p', 'b')}"},
           sample=(_POSITIVE, "0.7", "1.9"))
_RATIO = f"({{special}}.k0e(a * {_ROOT}) / {{special}}.k1e(a * {_ROOT}))"
continuous("norminvgauss(a, b)", f"b - 2 * {{z}} / (1 + {{z}} ** 2) - a * {{z}} / {_ROOT} * {_RATIO}",
           by={"a": f"a / {_GAP} - {_ROOT} * {_RATIO}", "b": f"{{z}} - b / {_GAP}"}, moments=False,
           sample=(_LINE, "1.9", "0.6"))
continuous(
    "rice(b)", "np.divide(1, {z}) - {z} + b * {special}.i1e(b * {z}) / {special}.i0e(b * {z})", bounded=True,
    by={"b": "{z} * {special}.i1e(b * {z}) / {special}.i0e(b * {z}) - b"},
    probability_by={"b": "-{z} * np.exp(-0.5 * ({z} - b) ** 2) * {special}.i1e(b * {z})"}, sample=(_POSITIVE, "1.7"))
_RISES = "{special}.ive(0.5 * df, np.sqrt(nc * {z})) / {special}.ive(0.5 * df - 1, np.sqrt(nc * {z}))"
continuous("ncx2(df, nc)", f"np.divide(0.5 * df - 1, {{z}}) - 0.5 + 0.5 * np.sqrt(np.divide(nc, {{z}})) * {_RISES}",
           bounded=True, by={"df": _ORDER, "nc": f"0.5 * np.sqrt(np.divide({{z}}, nc)) * {_RISES} - 0.5"},
           probability_by={"nc": "-scipy.stats.ncx2.pdf({z}, df + 2, nc)"}, sample=(_POSITIVE, "3.2", "1.7"))
# Of a skew that is nearly none it is the normal one.
_SKEW = "np.where(np.abs(skew) < 1.6e-05, 1, skew)"
_WAY = f"(2 * {{z}} + 4 / {_SKEW})"
continuous(
    "pearson3(skew)",
    f"np.where(np.abs(skew) < 1.6e-05, -{{z}}, np.divide(8 / {_SKEW} ** 2 - 2, {_WAY}) - 2 / {_SKEW})", bounded=True,
    moments=False,
    by={"skew": "np.where(np.abs(skew) < 1.6e-05, ({z} ** 3 - 3 * {z}) / 6,"
                f" (2 * {{z}} + 8 / {_SKEW}) / {_SKEW} ** 2 - 1 / {_SKEW}"
                f" - (4 / {_SKEW} ** 2 - 1) * (2 * {{z}} + 8 / {_SKEW}) / ({_SKEW} * {_WAY})"
                f" - 8 / {_SKEW} ** 3 * (np.log({_WAY} / {_SKEW}) - {{special}}.digamma(4 / {_SKEW} ** 2)))"},
    sample=(_LINE, "0.7"))
continuous("vonmises_line(kappa)", "-kappa * np.sin({z})", bounded=True, moments=False,
           by={"kappa": "np.cos({z}) - {special}.i1e(kappa) / {special}.i0e(kappa)"}, sample=(_LINE, "1.7"))

# ------------------------------------------------------------- of which the density has no slope in closed form

_SLOPE = "scipy.stats.tukeylambda.cdf({z}, lam) ** (lam - 2) - scipy.stats.tukeylambda.sf({z}, lam) ** (lam - 2)"
continuous("tukeylambda(lam)", f"(1 - lam) * ({_SLOPE}) * scipy.stats.tukeylambda.pdf({{z}}, lam) ** 2",
           bounded=True, moments=False, sample=("rng.uniform(-0.3, 0.3, 3)", "0.3"))
continuous("gausshyper(a, b, c, z)", "np.divide(a - 1, {z}) - np.divide(b - 1, 1 - {z}) - c * z / (1 + z * {z})",
           bounded=True, moments=False, sample=(_UNIT, "1.7", "2.3", "0.7", "0.4"))
for _name, _sample in (("ksone(n)", ("rng.uniform(0.2, 0.4, 3)", "5")), ("kstwo(n)", ("rng.uniform(0.2, 0.4, 3)", "5")),
                       ("ncf(dfn, dfd, nc)", (_POSITIVE, "3.2", "5.3", "1.7")), ("nct(df, nc)", (_LINE, "4.2", "0.3")),
                       ("irwinhall(n)", (_POSITIVE, "3"))):
    continuous(_name, None, bounded=True, moments=False, sample=_sample)
opaque("its density is an integral that SciPy computes anew at each point; write the integral with"
       " `scipy.integrate.quad`", *(f"scipy.stats.{_name}.{_function}" for _name in ("levy_stable", "studentized_range",
       "dpareto_lognorm") for _function in ("logpdf", "pdf", "cdf", "sf", "logcdf", "logsf", "ppf", "isf")))
