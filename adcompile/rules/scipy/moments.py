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
        symmetric: whether the median is the same, whatever the shapes.
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


def _of_powers(mean: str, entropy: dict[str, str], slopes: dict[str, str], *, heavy: bool = False) -> Moments:
    """The derivatives where those of the logarithm of the mean of the power `{k}` are known."""
    whole = f"scipy.stats.{mean}"
    first, second = ({s: f"({text.format(k=k)})" for s, text in slopes.items()} for k in (1, 2))
    variance = {s: f"(ans + {whole} ** 2) * {second[s]} - 2 * {whole} ** 2 * {first[s]}" for s in slopes}
    return Moments(entropy, {s: f"ans * {first[s]}" for s in slopes}, variance, heavy=heavy)


_EULER = "np.euler_gamma"
_WEIBULL = {"c": f"-{{k}} * {_psi('1 + {k} / c')} / c ** 2"}
_WEIBULL_ENTROPY = {"c": f"({_EULER} / c - 1) / c"}
_HALF_1, _HALF_2, _HALF = "0.5 * dfn", "0.5 * dfd", "0.5 * (dfn + dfd)"
_LOG_RATIO = "np.log(b / a)"
_BETWEEN = "scipy.stats.loguniform.mean(a, b)"
_VONMISES = "(scipy.special.i1e(kappa) / scipy.special.i0e(kappa))"
_SIGNED = "(1 + a ** 2)"
_FLAT = "scipy.stats.trapezoid.mean(c, d)"
_RICE = "math.sqrt(math.pi / 8) * b * (scipy.special.i0e(0.25 * b ** 2) + scipy.special.i1e(0.25 * b ** 2))"
_FOLDED = "scipy.special.erf(c / math.sqrt(2))"
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
    "chi": _of_powers("chi.mean(df)", {"df": f"0.5 - 0.25 * (df - 1) * {_slope('0.5 * df')}"},
                      {"df": f"0.5 * ({_psi('0.5 * (df + {k})')} - {_psi('0.5 * df')})"}),
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
    "weibull_min": _of_powers("weibull_min.mean(c)", _WEIBULL_ENTROPY, _WEIBULL),
    "weibull_max": _of_powers("weibull_max.mean(c)", _WEIBULL_ENTROPY, _WEIBULL),
    "dweibull": Moments(
        _WEIBULL_ENTROPY, {"c": "0.0"},
        {"c": f"-2 * scipy.special.gamma(1 + 2 / c) * {_psi('1 + 2 / c')} / c ** 2"}, symmetric=True),
    "invweibull": _of_powers("invweibull.mean(c)", {"c": f"-({_EULER} / c + 1) / c"},
                             {"c": f"{{k}} * {_psi('1 - {k} / c')} / c ** 2"}, heavy=True),
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
    "wrapcauchy": Moments({"c": "-2 * c / (1 - c ** 2)"}, symmetric=True),
    "betaprime": Moments(
        {"a": f"(a + b) * {_slope('a + b')} - (a - 1) * {_slope('a')}",
         "b": f"(a + b) * {_slope('a + b')} - (b + 1) * {_slope('b')}"},
        {"a": "np.divide(1, b - 1)", "b": "np.divide(-a, (b - 1) ** 2)"},
        {"a": "ans * (1 / a + np.divide(1, a + b - 1))",
         "b": "ans * (np.divide(1, a + b - 1) - np.divide(1, b - 2) - np.divide(2, b - 1))"}, heavy=True),
    "burr": _of_powers(
        "burr.mean(c, d)",
        {"c": f"-(1 + ({_EULER} + {_psi('d')}) / c) / c", "d": f"(1 + 1 / c) * {_slope('d')} - (1 + 1 / d) / d"},
        {"c": f"{{k}} * ({_psi('1 - {k} / c')} - {_psi('d + {k} / c')}) / c ** 2",
         "d": f"{_psi('d + {k} / c')} - {_psi('d')}"}, heavy=True),
    "burr12": _of_powers(
        "burr12.mean(c, d)",
        {"c": f"(({_EULER} + {_psi('d')}) / c - 1) / c", "d": f"(1 - 1 / c) * {_slope('d')} - (1 + 1 / d) / d"},
        {"c": f"{{k}} * ({_psi('d - {k} / c')} - {_psi('1 + {k} / c')}) / c ** 2",
         "d": f"{_psi('d - {k} / c')} - {_psi('d')}"}, heavy=True),
    "dgamma": Moments({"a": f"1 + (1 - a) * {_slope('a')}"}, {"a": "0.0"}, {"a": "2 * a + 1"}, symmetric=True),
    "fisk": _of_powers("fisk.mean(c)", {"c": "-1 / c"},
                       {"c": f"{{k}} * ({_psi('1 - {k} / c')} - {_psi('1 + {k} / c')}) / c ** 2"}, heavy=True),
    "gengamma": _of_powers(
        "gengamma.mean(a, c)", {"a": f"1 + {_slope('a')} * (1 / c - a)", "c": f"-({_psi('a')} / c + 1) / c"},
        {"a": f"{_psi('a + {k} / c')} - {_psi('a')}", "c": f"-{{k}} * {_psi('a + {k} / c')} / c ** 2"}),
    "genlogistic": Moments({"c": f"{_slope('c + 1')} - 1 / c"}, {"c": _slope("c")},
                           {"c": "scipy.special.polygamma(2, c)"}),
    "genpareto": Moments({"c": "1.0"}, {"c": "np.divide(1, (1 - c) ** 2)"},
                         {"c": "2 * ans * (np.divide(1, 1 - c) + np.divide(1, 1 - 2 * c))"}, heavy=True),
    "laplace_asymmetric": Moments({"kappa": "(kappa - 1 / kappa) / (kappa ** 2 + 1)"}, {"kappa": "-1 - 1 / kappa ** 2"},
                                  {"kappa": "2 * (kappa - 1 / kappa ** 3)"}),
    "loggamma": Moments({"c": f"1 - c * {_slope('c')}"}, {"c": _slope("c")}, {"c": "scipy.special.polygamma(2, c)"}),
    "loglaplace": Moments({"c": "-1 / c"}, {"c": "-2 * c / (c ** 2 - 1) ** 2"},
                          {"c": "-8 * c / (c ** 2 - 4) ** 2 + 4 * c ** 3 / (c ** 2 - 1) ** 3"}, heavy=True),
    "nakagami": _of_powers("nakagami.mean(nu)", {"nu": f"1 - (nu - 0.5) * {_slope('nu')} - 0.5 / nu"},
                           {"nu": f"{_psi('nu + 0.5 * {k}')} - {_psi('nu')} - 0.5 * {{k}} / nu"}),
    "ncx2": Moments(mean={"df": "1.0", "nc": "1.0"}, variance={"df": "2.0", "nc": "4.0"}),
    "rdist": Moments({"c": f"(c - 2) * ({_slope('c')} - 0.5 * {_slope('0.5 * c')})"}, {"c": "0.0"},
                     {"c": "-1 / (c + 1) ** 2"}, symmetric=True),
    "skewcauchy": Moments({"a": "0.0"}),
    "bradford": Moments(
        {"c": "0.5 / (1 + c) - 1 / c + 1 / ((1 + c) * np.log1p(c))"},
        {"c": "1 / c ** 2 - 1 / ((1 + c) * np.log1p(c) ** 2)"},
        {"c": "(2 / np.log1p(c) - 0.5 - 1 / c) / ((1 + c) * np.log1p(c) ** 2) - 1 / (c ** 2 * np.log1p(c))"}),
    "trapezoid": Moments(
        {"c": "(c - d) / (1 + d - c) ** 2", "d": "(d - c) / (1 + d - c) ** 2"},
        {"c": "(ans - 2 * c / 3) / (1 + d - c)", "d": "((1 + 2 * d) / 3 - ans) / (1 + d - c)"},
        {"c": f"(ans - {_FLAT} ** 2 + 4 / 3 * c * {_FLAT} - 0.5 * c ** 2) / (1 + d - c)",
         "d": f"({_FLAT} ** 2 - ans - 2 / 3 * (1 + 2 * d) * {_FLAT} + (1 + 2 * d + 3 * d ** 2) / 6) / (1 + d - c)"}),
    "triang": Moments({"c": "0.0"}, {"c": "1 / 3"}, {"c": "(2 * c - 1) / 18"}),
    "truncexpon": Moments(
        {"b": "0.25 * b / np.sinh(0.5 * b) ** 2"}, {"b": "(b - ans) / np.expm1(b)"},
        {"b": "((b - scipy.stats.truncexpon.mean(b)) ** 2 - ans) / np.expm1(b)"}),
    "rice": Moments(mean={"b": _RICE}, variance={"b": f"2 * b - 2 * scipy.stats.rice.mean(b) * {_RICE}"}),
    "foldnorm": Moments(
        mean={"c": _FOLDED}, variance={"c": f"2 * c - 2 * scipy.stats.foldnorm.mean(c) * {_FOLDED}"}),
}
