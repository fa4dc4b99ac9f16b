"""The discrete distributions of `scipy.stats`, a row each, as `distributions.py` reads it.

See Johnson, Kemp and Kotz, "Univariate Discrete Distributions", chapters 3 to 6 and 11.
"""

from __future__ import annotations

from adcompile.rules.forms import REFUSE, elementwise, opaque
from adcompile.rules.scipy.distributions import discrete
from adcompile.rules.scipy.moments import Moments

_BETAINC_SLOPE = "betainc_slope(scipy.special.betaln, scipy.special.polygamma, {})"
_COUNTS = "np.array([0, 1, 2])"
_DIGAMMA = "scipy.special.digamma"

discrete("bernoulli(p)", by={"p": "np.where({k} == 1, np.divide(1, p), -np.divide(1, 1 - p))"},
         probability_by={"p": "np.where(({k} >= 0) & ({k} < 1), -1.0, 0.0)"},
         moments=Moments({"p": "-scipy.special.logit(p)"}, {"p": "1.0"}, {"p": "1 - 2 * p"}),
         sample=("np.array([0, 1, 1])", "0.3"))
discrete("binom(n, p)", by={"p": "np.divide({k} - n * p, p * (1 - p))"},
         probability_by={"p": "-n * scipy.stats.binom.pmf(np.floor({k}), n - 1, p)"},
         moments=Moments(mean={"p": "n"}, variance={"p": "n * (1 - 2 * p)"}), sample=(_COUNTS, "5", "0.3"))
discrete("geom(p)", by={"p": "np.divide(1, p) - np.divide({k} - 1, 1 - p)"},
         probability_by={"p": "np.maximum(np.floor({k}), 0) * (1 - p) ** (np.maximum(np.floor({k}), 1) - 1)"},
         moments=Moments({"p": "np.log1p(-p) / p ** 2"}, {"p": "-1 / p ** 2"}, {"p": "(p - 2) / p ** 3"}),
         sample=("np.array([1, 2, 4])", "0.3"))
discrete("poisson(mu)", by={"mu": "np.divide({k}, mu) - 1"},
         probability_by={"mu": "-scipy.stats.poisson.pmf(np.floor({k}), mu)"},
         moments=Moments(mean={"mu": "1.0"}, variance={"mu": "1.0"}), sample=(_COUNTS, "1.7"))
elementwise("scipy.stats.poisson.entropy(mu)", "g * (poisson_mean(scipy.stats.poisson.pmf, mu, 0) - np.log(mu))",
            singular="mu")
elementwise("poisson_mean(pmf, mu, order)", None, "g * poisson_mean(scipy.stats.poisson.pmf, mu, order + 1)",
            sample=("scipy.stats.poisson.pmf", "rng.uniform(0.5, 2.5, 3)", "0"))
discrete("nbinom(n, p)", by={"n": f"{_DIGAMMA}({{k}} + n) - {_DIGAMMA}(n) + np.log(p)",
                             "p": "np.divide(n, p) - np.divide({k}, 1 - p)"},
         probability_by={"n": _BETAINC_SLOPE.format("n, np.floor({k}) + 1, p, 1, 0"),
                         "p": "scipy.stats.beta.pdf(p, n, np.floor({k}) + 1)"},
         moments=Moments(mean={"n": "(1 - p) / p", "p": "-n / p ** 2"},
                         variance={"n": "(1 - p) / p ** 2", "p": "n * (p - 2) / p ** 3"}),
         sample=(_COUNTS, "2.5", "0.3"))
discrete("betabinom(n, a, b)",
         by={"a": f"{_DIGAMMA}({{k}} + a) - {_DIGAMMA}(n + a + b) - {_DIGAMMA}(a) + {_DIGAMMA}(a + b)",
             "b": f"{_DIGAMMA}(n - {{k}} + b) - {_DIGAMMA}(n + a + b) - {_DIGAMMA}(b) + {_DIGAMMA}(a + b)"},
         sample=(_COUNTS, "5", "1.7", "2.3"))
discrete("betanbinom(n, a, b)",
         by={"a": f"{_DIGAMMA}(n + a) - {_DIGAMMA}(n + a + b + {{k}}) - {_DIGAMMA}(a) + {_DIGAMMA}(a + b)",
             "b": f"{_DIGAMMA}({{k}} + b) - {_DIGAMMA}(n + a + b + {{k}}) - {_DIGAMMA}(b) + {_DIGAMMA}(a + b)"},
         sample=(_COUNTS, "5", "1.7", "2.3"))
_BELOW = "np.maximum(np.floor({k}) + 1, 0)"
discrete("planck(lambda_)", by={"lambda_": "np.divide(1, np.expm1(lambda_)) - {k}"},
         probability_by={"lambda_": f"{_BELOW} * np.exp(-lambda_ * {_BELOW})"}, sample=(_COUNTS, "0.7"))
_BELOW = "np.clip(np.floor({k}) + 1, 0, N)"
discrete("boltzmann(lambda_, N)",
         by={"lambda_": "np.divide(1, np.expm1(lambda_)) - {k} - N / np.expm1(lambda_ * N)"},
         probability_by={"lambda_": f"({_BELOW} * np.exp(-lambda_ * {_BELOW}) + np.expm1(-lambda_ * {_BELOW})"
                                    " * N / np.expm1(lambda_ * N)) / -np.expm1(-lambda_ * N)"},
         sample=(_COUNTS, "0.7", "7"))
_ABOVE = "(np.floor({k}) + np.where({k} < 0, 1, 0))"
discrete("dlaplace(a)", by={"a": "np.divide(1, np.sinh(a)) - np.abs({k})"},
         probability_by={"a": f"np.exp(-a * np.abs({_ABOVE})) * ({_ABOVE} + np.where({{k}} < 0, -1, 1)"
                              " / (1 + np.exp(-a))) / (np.exp(a) + 1)"}, sample=("np.array([-2, 0, 1])", "0.7"))
discrete("logser(p)", by={"p": "np.divide({k}, p) + np.divide(1, (1 - p) * np.log1p(-p))"},
         sample=("np.array([1, 2, 4])", "0.3"))
discrete("skellam(mu1, mu2)",
         by={mu: f"np.divide(scipy.stats.skellam.pmf({{k}} {side} 1, mu1, mu2),"
                 " scipy.stats.skellam.pmf({k}, mu1, mu2)) - 1" for mu, side in (("mu1", "-"), ("mu2", "+"))},
         probability_by={"mu1": "-scipy.stats.skellam.pmf(np.floor({k}), mu1, mu2)",
                         "mu2": "scipy.stats.skellam.pmf(np.floor({k}) + 1, mu1, mu2)"},
         sample=("np.array([-1, 0, 2])", "1.7", "0.9"))
_LAST = "np.maximum(np.floor({k}), 1)"
discrete("yulesimon(alpha)",
         by={"alpha": f"np.divide(1, alpha) + {_DIGAMMA}(alpha + 1) - {_DIGAMMA}({{k}} + alpha + 1)"},
         probability_by={"alpha": f"np.where({{k}} < 1, 0, {_LAST} * scipy.special.beta({_LAST}, alpha + 1)"
                                  f" * ({_DIGAMMA}({_LAST} + alpha + 1) - {_DIGAMMA}(alpha + 1)))"},
         sample=("np.array([1, 2, 4])", "1.7"))
discrete("nchypergeom_fisher(M, n, N, odds)",
         by={"odds": "({k} - scipy.stats.nchypergeom_fisher.mean(M, n, N, odds)) / odds"},
         sample=("np.array([1, 2, 3])", "12", "5", "6", "0.7"))
elementwise("scipy.stats.nchypergeom_fisher.mean(M, n, N, odds)", None, None, None,
            "g * scipy.stats.nchypergeom_fisher.var(M, n, N, odds) / odds", sample=("12", "5", "6", "0.7"))
opaque("its derivative is the third moment, which SciPy does not have in closed form",
       "scipy.stats.nchypergeom_fisher.var")
_COUNT = REFUSE("it is a count")
_ZETA = REFUSE("the derivative of the zeta function has no closed form")
discrete("zipf(a)", by={"a": _ZETA}, sample=("np.array([1, 2, 4])", "2.7"))
discrete("zipfian(a, n)", by={"a": _ZETA, "n": _COUNT}, sample=("np.array([1, 2, 4])", "2.7", "6"))
for _name in ("hypergeom(M, n, N)", "nhypergeom(M, n, r)", "randint(low, high)"):
    _counts = _name.partition("(")[2].rstrip(")").split(", ")
    discrete(_name, by=dict.fromkeys(_counts, _COUNT), sample=(_COUNTS, *("4" for _ in _counts)))
