"""How the entropy, the mean and the variance of a standard distribution of `scipy.stats` depend on its shapes.

See N. L. Johnson, S. Kotz and N. Balakrishnan, "Continuous Univariate Distributions", and A. V. Lazo and P. Rathie, "On
the entropy of continuous probability distributions" (1978). `ans` stands for the value itself. What is missing has no
closed form.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Moments:
    """The derivatives by each shape, as texts.

    Attributes:
        entropy: those of the entropy.
        mean: those of the mean.
        variance: those of the variance.
        symmetric: whether the median is 0, whatever the shapes.
        heavy: whether the tails are so heavy that, for some shapes, there is no mean or variance.
    """

    entropy: dict[str, str] = field(default_factory=dict)
    mean: dict[str, str] = field(default_factory=dict)
    variance: dict[str, str] = field(default_factory=dict)
    symmetric: bool = False
    heavy: bool = False


def _psi(x: str) -> str:
    return f"scipy.special.digamma({x})"


def _slope(x: str) -> str:
    """The derivative of the digamma function."""
    return f"scipy.special.polygamma(1, {x})"


def _gamma(x: str) -> str:
    return f"scipy.special.gamma({x})"


def _centred(second: str, mean: str, slope: str) -> str:
    """The derivative of a variance, by those of the second moment and of the mean."""
    return f"{second} - 2 * {mean} * {slope}"


def _of_weibull(power: str) -> tuple[str, str]:
    """The derivatives of the mean and the variance of what has the moments gamma(1 + k * power), power being 1/c."""
    one, two = f"(1 + {power})", f"(1 + 2 * {power})"
    mean = f"{_gamma(one)} * {_psi(one)}"
    return mean, f"2 * ({_gamma(two)} * {_psi(two)} - {_gamma(one)} ** 2 * {_psi(one)})"


_EULER = "np.euler_gamma"
_WEIBULL, _FRECHET = _of_weibull("np.divide(1, c)"), _of_weibull("np.divide(-1, c)")
_HALF_1, _HALF_2, _HALF = "0.5 * dfn", "0.5 * dfd", "0.5 * (dfn + dfd)"
_LOG_RATIO = "np.log(b / a)"
_CHI = f"0.5 * scipy.stats.chi.mean(df) * ({_psi('0.5 * (df + 1)')} - {_psi('0.5 * df')})"
_NAKAGAMI = f"scipy.stats.nakagami.mean(nu) * ({_psi('nu + 0.5')} - {_psi('nu')} - np.divide(0.5, nu))"
_BETWEEN = "scipy.stats.loguniform.mean(a, b)"
_VONMISES = "(scipy.special.i1e(kappa) / scipy.special.i0e(kappa))"
_SIGNED = "(1 + a ** 2)"
_CUT = "scipy.stats.truncnorm"
_CUT_MEAN, _CUT_VAR = f"{_CUT}.mean(a, b)", f"{_CUT}.var(a, b)"
_CUT_SQUARE = f"({_CUT_VAR} + {_CUT_MEAN} ** 2)"


def _where_cut(end: str, text: str) -> str:
    """What the end of a normal distribution adds where it is cut there; at infinity it is not."""
    at = f"np.where(np.isinf({end}), 0, {end})"
    return f"{_CUT}.pdf({end}, a, b) * ({text.replace('{e}', at)})"


MOMENTS = {
    "t": Moments(
        {"df": f"0.25 * (df + 1) * ({_slope('0.5 * (df + 1)')} - {_slope('0.5 * df')}) + 0.5 / df"},
        {"df": "0.0"}, {"df": "np.divide(-2, (df - 2) ** 2)"}, symmetric=True, heavy=True),
    "gamma": Moments({"a": f"1 + (1 - a) * {_slope('a')}"}, {"a": "1.0"}, {"a": "1.0"}),
    "invgamma": Moments(
        {"a": f"1 - (1 + a) * {_slope('a')}"}, {"a": "np.divide(-1, (a - 1) ** 2)"},
        {"a": "-ans * (np.divide(2, a - 1) + np.divide(1, a - 2))"}, heavy=True),
    "chi2": Moments({"df": f"0.5 + 0.25 * (2 - df) * {_slope('0.5 * df')}"}, {"df": "1.0"}, {"df": "2.0"}),
    "chi": Moments({"df": f"0.5 - 0.25 * (df - 1) * {_slope('0.5 * df')}"}, {"df": _CHI},
                   {"df": _centred("1", "scipy.stats.chi.mean(df)", _CHI)}),
    "beta": Moments(
        {s: f"(a + b - 2) * {_slope('a + b')} - ({s} - 1) * {_slope(s)}" for s in "ab"},
        {"a": "b / (a + b) ** 2", "b": "-a / (a + b) ** 2"},
        {s: f"ans * (1 / {s} - 2 / (a + b) - 1 / (a + b + 1))" for s in "ab"}),
    "f": Moments(
        {"dfn": f"0.5 * ((1 - {_HALF_1}) * {_slope(_HALF_1)} + {_HALF} * {_slope(_HALF)}) - 1 / dfn",
         "dfd": f"0.5 * ({_HALF} * {_slope(_HALF)} - (1 + {_HALF_2}) * {_slope(_HALF_2)}) + 1 / dfd"},
        {"dfn": "0.0", "dfd": "np.divide(-2, (dfd - 2) ** 2)"},
        {"dfn": "ans * (np.divide(1, dfn + dfd - 2) - 1 / dfn)",
         "dfd": "ans * (2 / dfd + np.divide(1, dfn + dfd - 2) - np.divide(2, dfd - 2) - np.divide(1, dfd - 4))"},
        heavy=True),
    "pareto": Moments({"b": "-(1 + 1 / b) / b"}, {"b": "np.divide(-1, (b - 1) ** 2)"},
                      {"b": "ans * (1 / b - np.divide(2, b - 1) - np.divide(1, b - 2))"}, heavy=True),
    "lomax": Moments({"c": "-(1 + 1 / c) / c"}, {"c": "np.divide(-1, (c - 1) ** 2)"},
                     {"c": "ans * (1 / c - np.divide(2, c - 1) - np.divide(1, c - 2))"}, heavy=True),
    "powerlaw": Moments({"a": "(1 / a - 1) / a"}, {"a": "1 / (a + 1) ** 2"},
                        {"a": "ans * (1 / a - 1 / (a + 2) - 2 / (a + 1))"}),
    "lognorm": Moments({"s": "1 / s"}, {"s": "s * np.exp(0.5 * s ** 2)"},
                       {"s": "2 * s * np.exp(s ** 2) * (1 + 2 * np.expm1(s ** 2))"}),
    "weibull_min": Moments({"c": f"({_EULER} / c - 1) / c"}, {"c": f"-{_WEIBULL[0]} / c ** 2"},
                           {"c": f"-({_WEIBULL[1]}) / c ** 2"}),
    "weibull_max": Moments({"c": f"({_EULER} / c - 1) / c"}, {"c": f"{_WEIBULL[0]} / c ** 2"},
                           {"c": f"-({_WEIBULL[1]}) / c ** 2"}),
    "dweibull": Moments({"c": f"({_EULER} / c - 1) / c"}, {"c": "0.0"},
                        {"c": f"-2 * {_gamma('1 + 2 / c')} * {_psi('1 + 2 / c')} / c ** 2"}, symmetric=True),
    "invweibull": Moments({"c": f"-({_EULER} / c + 1) / c"}, {"c": f"{_FRECHET[0]} / c ** 2"},
                          {"c": f"({_FRECHET[1]}) / c ** 2"}, heavy=True),
    "invgauss": Moments({"mu": "3 * scipy.special.hyperu(1, 1, 2 / mu) / mu ** 2"}, {"mu": "1.0"},
                        {"mu": "3 * mu ** 2"}),
    "loguniform": Moments(
        {"a": f"(0.5 - 1 / {_LOG_RATIO}) / a", "b": f"(0.5 + 1 / {_LOG_RATIO}) / b"},
        {"a": f"({_BETWEEN} / a - 1) / {_LOG_RATIO}", "b": f"(1 - {_BETWEEN} / b) / {_LOG_RATIO}"},
        {s: f"{sign}((ans + {_BETWEEN} ** 2) / {s} - {s} - 2 * {_BETWEEN} * ({_BETWEEN} / {s} - 1)) / {_LOG_RATIO}"
         for s, sign in (("a", ""), ("b", "-"))}),
    "gennorm": Moments(
        {"beta": f"-(1 + (1 + {_psi('1 / beta')}) / beta) / beta"}, {"beta": "0.0"},
        {"beta": f"ans * ({_psi('1 / beta')} - 3 * {_psi('3 / beta')}) / beta ** 2"}, symmetric=True),
    "skewnorm": Moments(mean={"a": f"math.sqrt(2 / math.pi) / {_SIGNED} ** 1.5"},
                        variance={"a": f"-4 / math.pi * a / {_SIGNED} ** 2"}),
    "truncnorm": Moments(
        {"a": _where_cut("a", f"0.5 * ({_CUT_SQUARE} - {{e}} ** 2) - 1"),
         "b": _where_cut("b", f"1 - 0.5 * ({_CUT_SQUARE} - {{e}} ** 2)")},
        {"a": _where_cut("a", f"{_CUT_MEAN} - {{e}}"), "b": _where_cut("b", f"{{e}} - {_CUT_MEAN}")},
        {"a": _where_cut("a", f"ans - ({_CUT_MEAN} - {{e}}) ** 2"),
         "b": _where_cut("b", f"({{e}} - {_CUT_MEAN}) ** 2 - ans")}),
    "vonmises": Moments({"kappa": f"{_VONMISES} - kappa * (1 - {_VONMISES} ** 2)"}, {"kappa": "0.0"}, symmetric=True),
    "wrapcauchy": Moments({"c": "-2 * c / (1 - c ** 2)"}),
    "betaprime": Moments(
        {"a": f"(a + b) * {_slope('a + b')} - (a - 1) * {_slope('a')}",
         "b": f"(a + b) * {_slope('a + b')} - (b + 1) * {_slope('b')}"},
        {"a": "np.divide(1, b - 1)", "b": "np.divide(-a, (b - 1) ** 2)"},
        {"a": "ans * (1 / a + np.divide(1, a + b - 1))",
         "b": "ans * (np.divide(1, a + b - 1) - np.divide(1, b - 2) - np.divide(2, b - 1))"}, heavy=True),
    "burr": Moments({"c": f"-(1 + ({_EULER} + {_psi('d')}) / c) / c",
                     "d": f"(1 + 1 / c) * {_slope('d')} - (1 + 1 / d) / d"}),
    "burr12": Moments({"c": f"(({_EULER} + {_psi('d')}) / c - 1) / c",
                       "d": f"(1 - 1 / c) * {_slope('d')} - (1 + 1 / d) / d"}),
    "dgamma": Moments({"a": f"1 + (1 - a) * {_slope('a')}"}, {"a": "0.0"}, {"a": "2 * a + 1"}, symmetric=True),
    "fisk": Moments({"c": "-1 / c"}),
    "gengamma": Moments({"a": f"1 + {_slope('a')} * (1 / c - a)", "c": f"-({_psi('a')} / c + 1) / c"}),
    "genlogistic": Moments({"c": f"{_slope('c + 1')} - 1 / c"}, {"c": _slope("c")},
                           {"c": "scipy.special.polygamma(2, c)"}),
    "genpareto": Moments({"c": "1.0"}, {"c": "np.divide(1, (1 - c) ** 2)"},
                         {"c": "2 * ans * (np.divide(1, 1 - c) + np.divide(1, 1 - 2 * c))"}, heavy=True),
    "laplace_asymmetric": Moments({"kappa": "(kappa - 1 / kappa) / (kappa ** 2 + 1)"}, {"kappa": "-1 - 1 / kappa ** 2"},
                                  {"kappa": "2 * (kappa - 1 / kappa ** 3)"}),
    "loggamma": Moments({"c": f"1 - c * {_slope('c')}"}, {"c": _slope("c")}, {"c": "scipy.special.polygamma(2, c)"}),
    "loglaplace": Moments({"c": "-1 / c"}, {"c": "-2 * c / (c ** 2 - 1) ** 2"},
                          {"c": "-8 * c / (c ** 2 - 4) ** 2 + 4 * c ** 3 / (c ** 2 - 1) ** 3"}, heavy=True),
    "nakagami": Moments({"nu": f"1 - (nu - 0.5) * {_slope('nu')} - 0.5 / nu"}, {"nu": _NAKAGAMI},
                        {"nu": _centred("0", "scipy.stats.nakagami.mean(nu)", _NAKAGAMI)}),
    "ncx2": Moments(mean={"df": "1.0", "nc": "1.0"}, variance={"df": "2.0", "nc": "4.0"}),
    "rdist": Moments({"c": f"(c - 2) * ({_slope('c')} - 0.5 * {_slope('0.5 * c')})"}, {"c": "0.0"},
                     {"c": "-1 / (c + 1) ** 2"}, symmetric=True),
    "skewcauchy": Moments({"a": "0.0"}),
    "bradford": Moments({"c": "0.5 / (1 + c) - 1 / c + 1 / ((1 + c) * np.log1p(c))"}),
    "trapezoid": Moments({"c": "(c - d) / (1 + d - c) ** 2", "d": "(d - c) / (1 + d - c) ** 2"}),
    "triang": Moments({"c": "0.0"}, {"c": "1 / 3"}, {"c": "(2 * c - 1) / 18"}),
    "truncexpon": Moments({"b": "0.25 * b / np.sinh(0.5 * b) ** 2"},
                          {"b": "(0.25 * b / np.sinh(0.5 * b) ** 2) - 1 / np.expm1(b)"}),
}
