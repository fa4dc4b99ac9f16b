"""The rows of `scipy.special`, all elementwise but for the sums over exponentials.

Derivatives: NIST Digital Library of Mathematical Functions (chapter numbers below), which continues M. Abramowitz and
I. Stegun, "Handbook of Mathematical Functions". An argument for which no closed form exists (the order of a Bessel
function, the shape of an incomplete integral) is refused.
"""

from __future__ import annotations

from typing import Any

from adcompile.rules.forms import REFUSE, constant, elementwise, rule

_S = "scipy.special."
_ORDER = REFUSE("the derivative by the order has no closed form")
_SHAPE = REFUSE("the derivative by this parameter has no closed form")
_WIDE = (-1.5, -0.5)

# ------------------------------------------------------------------------------------- logistic and logarithmic

elementwise(f"{_S}expit(x)", "g * ans * (1 - ans)", domain=_WIDE, singular=False)
elementwise(f"{_S}log_expit(x)", "g * scipy.special.expit(-x)", domain=_WIDE)
elementwise(f"{_S}logit(x)", "np.divide(g, x * (1 - x))", domain=(0.1, 0.9), singular="x")
# At x = 0 the product vanishes for every y, and so does its derivative by y.
elementwise(f"{_S}xlogy(x, y)", "g * np.log(y)", "np.divide(g * x, np.where(x == 0, 1, y))", singular="y")
elementwise(f"{_S}xlog1py(x, y)", "g * np.log1p(y)", "np.divide(g * x, np.where(x == 0, 1, 1 + y))", singular="y")
elementwise(f"{_S}entr(x)", "-g * (np.log(x) + 1)", singular="x")
elementwise(f"{_S}rel_entr(x, y)", "g * (np.log(np.divide(x, y)) + 1)", "-np.divide(g * x, y)", singular="x y")
elementwise(f"{_S}kl_div(x, y)", "g * np.log(np.divide(x, y))", "g * (1 - np.divide(x, y))", singular="x y")
elementwise(f"{_S}exp2(x)", "g * ans * math.log(2)")
elementwise(f"{_S}exp10(x)", "g * ans * math.log(10)")
elementwise(f"{_S}expm1(x)", "g * (ans + 1)")
elementwise(f"{_S}log1p(x)", "np.divide(g, 1 + x)", singular="x")
elementwise(f"{_S}cbrt(x)", "g / (3 * ans * ans)", singular="ans")
elementwise(f"{_S}cosm1(x)", "-g * np.sin(x)")
elementwise(f"{_S}sinc(x)", "g * sinc_slope(x)", domain=_WIDE)
elementwise(f"{_S}boxcox(x, y)", "g * np.power(x, y - 1.0)",
            "g * np.where(y == 0, 0.5 * np.log(x) ** 2, (np.log(x) * (y * ans + 1) - ans) / np.where(y == 0, 1, y))",
            singular="x ans")
elementwise(f"{_S}boxcox1p(x, y)", "g * np.power(1 + x, y - 1.0)",
            "g * np.where(y == 0, 0.5 * np.log1p(x) ** 2, "
            "(np.log1p(x) * (y * ans + 1) - ans) / np.where(y == 0, 1, y))", singular="x ans")

# ---------------------------------------------------------------------------------------- gamma and beta (DLMF 5, 8)

for _name in ("gammaln", "loggamma"):
    elementwise(f"{_S}{_name}(x)", "g * scipy.special.digamma(x)")
elementwise(f"{_S}gamma(x)", "g * ans * scipy.special.digamma(x)")
elementwise(f"{_S}rgamma(x)", "-g * ans * scipy.special.digamma(x)")
for _name in ("digamma", "psi"):
    elementwise(f"{_S}{_name}(x)", "g * scipy.special.polygamma(1, x)")
elementwise(f"{_S}polygamma(n, x)", None, "g * scipy.special.polygamma(n + 1, x)",
            sample=("2", "rng.uniform(0.5, 1.5, 3)"))
elementwise(f"{_S}multigammaln(x, d)",
            "g * np.sum(scipy.special.digamma(np.expand_dims(x, -1) - 0.5 * np.arange(d)), -1)",
            sample=("rng.uniform(2, 3, 3)", "3"), domain=(8, 9))
elementwise(f"{_S}factorial(x)", "g * ans * scipy.special.digamma(x + 1)")
elementwise(f"{_S}beta(x, y)", "g * ans * (scipy.special.digamma(x) - scipy.special.digamma(x + y))",
            "g * ans * (scipy.special.digamma(y) - scipy.special.digamma(x + y))")
elementwise(f"{_S}betaln(x, y)", "g * (scipy.special.digamma(x) - scipy.special.digamma(x + y))",
            "g * (scipy.special.digamma(y) - scipy.special.digamma(x + y))")
for _name in ("binom", "comb"):
    elementwise(f"{_S}{_name}(x, y)", "g * ans * (scipy.special.digamma(x + 1) - scipy.special.digamma(x - y + 1))",
                "g * ans * (scipy.special.digamma(x - y + 1) - scipy.special.digamma(y + 1))",
                domain={"x": (2.1, 3.1), "y": (0.5, 1.5)})
elementwise(f"{_S}poch(x, y)", "g * ans * (scipy.special.digamma(x + y) - scipy.special.digamma(x))",
            "g * ans * scipy.special.digamma(x + y)")
_DENSITY = "np.exp(scipy.special.xlogy(a - 1, x) - x - scipy.special.gammaln(a))"
_GAMMAINC_SLOPE = "gammainc_slope(scipy.special.gammaln, scipy.special.polygamma, {})"
_BETAINC_SLOPE = "betainc_slope(scipy.special.betaln, scipy.special.polygamma, {})"
elementwise(f"{_S}gammainc(a, x)", f"g * {_GAMMAINC_SLOPE.format('a, x')}", f"g * {_DENSITY}")
elementwise(f"{_S}gammaincc(a, x)", f"-g * {_GAMMAINC_SLOPE.format('a, x')}", f"-g * {_DENSITY}")
_BETA_DENSITY = ("np.exp(scipy.special.xlogy(a - 1, x) + scipy.special.xlog1py(b - 1, -x)"
                 " - scipy.special.betaln(a, b))")
for _name, _sign in (("betainc", ""), ("betaincc", "-")):
    elementwise(f"{_S}{_name}(a, b, x)", f"{_sign}g * {_BETAINC_SLOPE.format('a, b, x, 1, 0')}",
                f"{_sign}g * {_BETAINC_SLOPE.format('a, b, x, 0, 1')}", f"{_sign}g * {_BETA_DENSITY}",
                domain={"a": (0.5, 1.5), "b": (0.5, 1.5), "x": (0.2, 0.8)})
_THIRD = REFUSE("there is no rule for its third derivative by this parameter")
_PAIR = "scipy.special.gammaln", "scipy.special.polygamma"
_SCORE = "(np.log(x) - scipy.special.digamma(a))"
elementwise("gammainc_slope(gammaln, polygamma, a, x, order=1)", None, None, f"g * {_GAMMAINC_SLOPE.format('a, x, 2')}",
            f"g * {_DENSITY} * {_SCORE}", when="order == 1",
            sample=(*_PAIR, "rng.uniform(1, 2, 3)", "rng.uniform(0.5, 2.5, 3)"))
elementwise("gammainc_slope(gammaln, polygamma, a, x, order=1)", None, None, _THIRD,
            f"g * {_DENSITY} * ({_SCORE} ** 2 - scipy.special.polygamma(1, a))",
            sample=(*_PAIR, "rng.uniform(1, 2, 3)", "rng.uniform(0.5, 2.5, 3)", "2"))
_BY = {"by_a": "np.log(x) - scipy.special.digamma(a) + scipy.special.digamma(a + b)",
       "by_b": "np.log1p(-x) - scipy.special.digamma(b) + scipy.special.digamma(a + b)"}
_PAIR = "scipy.special.betaln", "scipy.special.polygamma"
_SAMPLE = (*_PAIR, "rng.uniform(1, 2, 3)", "rng.uniform(1, 2, 3)", "rng.uniform(0.2, 0.8, 3)")
for _orders, _next_a, _next_b, _factor in (
    ("1, 0", "2, 0", "1, 1", f"({_BY['by_a']})"), ("0, 1", "1, 1", "0, 2", f"({_BY['by_b']})"),
    ("2, 0", None, None, f"(({_BY['by_a']}) ** 2 + scipy.special.polygamma(1, a + b) - scipy.special.polygamma(1, a))"),
    ("1, 1", None, None, f"(({_BY['by_a']}) * ({_BY['by_b']}) + scipy.special.polygamma(1, a + b))"),
    ("0, 2", None, None, f"(({_BY['by_b']}) ** 2 + scipy.special.polygamma(1, a + b) - scipy.special.polygamma(1, b))"),
):
    _a, _b = _orders.split(", ")
    elementwise("betainc_slope(betaln, polygamma, a, b, x, by_a, by_b)", None, None,
                _THIRD if _next_a is None else f"g * {_BETAINC_SLOPE.format(f'a, b, x, {_next_a}')}",
                _THIRD if _next_b is None else f"g * {_BETAINC_SLOPE.format(f'a, b, x, {_next_b}')}",
                f"g * {_BETA_DENSITY} * {_factor}", when=f"by_a == {_a} and by_b == {_b}", sample=(*_SAMPLE, _a, _b))
elementwise(f"{_S}zeta(x, q)", _SHAPE, "-g * x * scipy.special.zeta(x + 1, q)",
            domain={"x": (1.5, 2.5), "q": (0.5, 1.5)})
constant(f"{_S}gammasgn", view="")

# ---------------------------------------------------------------- error functions and the normal distribution (DLMF 7)

_GAUSS = "(2 / math.sqrt(math.pi)) * np.exp(-x * x)"
elementwise(f"{_S}erf(x)", f"g * {_GAUSS}", domain=_WIDE, singular=False)
elementwise(f"{_S}erfc(x)", f"-g * {_GAUSS}", domain=_WIDE, singular=False)
elementwise(f"{_S}erfcx(x)", "2 * g * (x * ans - 1 / math.sqrt(math.pi))", domain=_WIDE)
elementwise(f"{_S}erfi(x)", "g * (2 / math.sqrt(math.pi)) * np.exp(x * x)", domain=_WIDE)
elementwise(f"{_S}dawsn(x)", "g * (1 - 2 * x * ans)", domain=_WIDE)
elementwise(f"{_S}erfinv(x)", "g * (0.5 * math.sqrt(math.pi)) * np.exp(ans * ans)", domain=(-0.8, 0.8))
elementwise(f"{_S}erfcinv(x)", "-g * (0.5 * math.sqrt(math.pi)) * np.exp(ans * ans)", domain=(0.2, 1.8))
elementwise(f"{_S}ndtr(x)", "g * np.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)", domain=_WIDE, singular=False)
elementwise(f"{_S}log_ndtr(x)", "g * np.exp(-0.5 * x * x - ans) / math.sqrt(2 * math.pi)", domain=_WIDE)
elementwise(f"{_S}ndtri(x)", "g * math.sqrt(2 * math.pi) * np.exp(0.5 * ans * ans)", domain=(0.1, 0.9))
elementwise(f"{_S}owens_t(x, y)",
            "-g * scipy.special.erf(x * y / math.sqrt(2)) * np.exp(-0.5 * x * x) / math.sqrt(8 * math.pi)",
            "g * np.exp(-0.5 * x * x * (1 + y * y)) / (2 * math.pi * (1 + y * y))", domain=_WIDE)
rule(f"{_S}fresnel(x)", x=("g * np.sin(0.5 * math.pi * x * x)", "g * np.cos(0.5 * math.pi * x * x)"),
     jvp=("x_dot * np.sin(0.5 * math.pi * x * x)", "x_dot * np.cos(0.5 * math.pi * x * x)"))

_SLOPE = "(2j / math.sqrt(math.pi) - 2 * x * ans)"
rule(f"{_S}wofz(x)", x=f"real_like(g * np.conj({_SLOPE}), x)", jvp=f"x_dot * {_SLOPE}", when="x.dtype.kind in 'fc'",
     sample=("rng.normal(size=3) + 1j * rng.normal(size=3)",))
# The inverse of w exp(w), on any branch (DLMF 4.13); on the real one the result is complex as well.
_SLOPE = "(z + np.exp(ans))"
rule(f"{_S}lambertw(z, k=0, tol=1e-8)", z=f"unbroadcast(real_like(g / np.conj{_SLOPE}, z), np.shape(z))",
     jvp=f"z_dot / {_SLOPE}", when="z.dtype.kind in 'fc'", singular="z",
     sample=("rng.normal(size=3) + 1j * rng.normal(size=3)", "0", "1e-8"))
# Spherical harmonics, by the polar and by the azimuthal angle (DLMF 14.10.5, 14.30).
_SLOPE = ("(m * np.cos(theta) / np.sin(theta) * ans"
          " + np.sign(np.sin(theta)) * np.sqrt((n - m) * (n + m + 1.0)) * np.exp(-1j * phi)"
          f" * {_S}sph_harm_y(n, np.minimum(m + 1, n), theta, phi))")
rule(f"{_S}sph_harm_y(n, m, theta, phi)", theta=f"unbroadcast(np.real(g * np.conj({_SLOPE})), np.shape(theta))",
     phi="unbroadcast(np.real(g * np.conj(1j * m * ans)), np.shape(phi))",
     jvp=f"theta_dot * {_SLOPE} + phi_dot * 1j * m * ans",
     sample=("np.array([2, 3, 1])", "np.array([1, -2, 1])", "rng.uniform(0.5, 1.5, 3)", "rng.uniform(0.5, 1.5, 3)"))

# ---------------------------------------------------------------------------------- exponential integrals (DLMF 6, 25)

elementwise(f"{_S}expi(x)", "np.divide(g * np.exp(x), x)", singular="x")
elementwise(f"{_S}exp1(x)", "-np.divide(g * np.exp(-x), x)", singular="x")
elementwise(f"{_S}expn(n, x)", None, "-g * scipy.special.expn(n - 1, x)", when="n >= 1",
            sample=("2", "rng.uniform(0.5, 1.5, 3)"))
rule(f"{_S}sici(x)", x=("g * np.sinc(x / math.pi)", "np.divide(g * np.cos(x), x)"),
     jvp=("x_dot * np.sinc(x / math.pi)", "np.divide(x_dot * np.cos(x), x)"))
elementwise(f"{_S}spence(x)", "-g * np.where(x == 1, 1, np.divide(np.log(x), np.where(x == 1, 1, x - 1)))",
            domain=(1.5, 2.5), singular="x")

# ---------------------------------------------------------------- Bessel and hypergeometric functions (DLMF 10, 13, 15)

elementwise(f"{_S}j0(x)", "-g * scipy.special.j1(x)")
elementwise(f"{_S}y0(x)", "-g * scipy.special.y1(x)")
elementwise(f"{_S}i0(x)", "g * scipy.special.i1(x)")
elementwise(f"{_S}k0(x)", "-g * scipy.special.k1(x)")
elementwise(f"{_S}j1(x)", "0.5 * g * (scipy.special.j0(x) - scipy.special.jv(2, x))", singular=False)
elementwise(f"{_S}y1(x)", "0.5 * g * (scipy.special.y0(x) - scipy.special.yv(2, x))")
elementwise(f"{_S}i1(x)", "0.5 * g * (scipy.special.i0(x) + scipy.special.iv(2, x))")
elementwise(f"{_S}k1(x)", "-0.5 * g * (scipy.special.k0(x) + scipy.special.kv(2, x))")
elementwise(f"{_S}i0e(x)", "g * (scipy.special.i1e(x) - np.sign(x) * ans)")
elementwise(f"{_S}i1e(x)", "g * (0.5 * (scipy.special.i0e(x) + scipy.special.ive(2, x)) - np.sign(x) * ans)")
for _name, _sign in (("jv", "-"), ("jn", "-"), ("yv", "-"), ("yn", "-"), ("iv", "+")):
    elementwise(f"{_S}{_name}(n, x)", _ORDER,
                f"0.5 * g * (scipy.special.{_name}(n - 1, x) {_sign} scipy.special.{_name}(n + 1, x))",
                sample=("2", "rng.uniform(0.5, 1.5, 3)"))
for _name in ("kv", "kn"):
    elementwise(f"{_S}{_name}(n, x)", _ORDER,
                f"-0.5 * g * (scipy.special.{_name}(n - 1, x) + scipy.special.{_name}(n + 1, x))",
                sample=("2", "rng.uniform(0.5, 1.5, 3)"))
elementwise(f"{_S}ive(n, x)", _ORDER,
            "g * (0.5 * (scipy.special.ive(n - 1, x) + scipy.special.ive(n + 1, x)) - np.sign(x) * ans)",
            sample=("2", "rng.uniform(0.5, 1.5, 3)"))
elementwise(f"{_S}kve(n, x)", _ORDER, "g * (ans - 0.5 * (scipy.special.kve(n - 1, x) + scipy.special.kve(n + 1, x)))",
            sample=("2", "rng.uniform(0.5, 1.5, 3)"))
elementwise(f"{_S}k0e(x)", "g * (ans - scipy.special.k1e(x))")
elementwise(f"{_S}k1e(x)", "g * (ans - 0.5 * (scipy.special.k0e(x) + scipy.special.kve(2, x)))")
# Struve's functions (DLMF 11.4.29), spherical ones (DLMF 10.47) and Airy's (DLMF 9.2).
for _name in ("struve", "modstruve"):
    elementwise(f"{_S}{_name}(v, x)", _ORDER, f"g * (scipy.special.{_name}(v - 1, x) - np.divide(v * ans, x))",
                sample=("1.5", "rng.uniform(0.5, 1.5, 3)"))
for _name, _sign in (("jn", "-"), ("yn", "-"), ("in", "+"), ("kn", "+")):
    _call, _at = f"{_S}spherical_{_name}(n, x, derivative=False)", ("2", "rng.uniform(0.5, 1.5, 3)")
    elementwise(_call, None, f"g * {_S}spherical_{_name}(n, x, True)", when="not derivative", sample=_at)
    _bent = "(1 - n * (n + 1) / x ** 2)" if _sign == "-" else "(1 + n * (n + 1) / x ** 2)"
    elementwise(_call, None, f"g * ({_sign}{_bent} * {_S}spherical_{_name}(n, x) - np.divide(2 * ans, x))",
                when="derivative", sample=(*_at, "True"))
_OF_AIRY = ("ans[1]", "x * ans[0]", "ans[3]", "x * ans[2]")
rule(f"{_S}airy(x)", x=tuple(f"g * {text}" for text in _OF_AIRY), jvp=tuple(f"x_dot * {text}" for text in _OF_AIRY),
     when="x.dtype.kind == 'f'")
elementwise(f"{_S}hyp0f1(b, x)", _SHAPE, "g * np.divide(scipy.special.hyp0f1(b + 1, x), b)")
elementwise(f"{_S}hyperu(a, b, x)", _SHAPE, _SHAPE, "-g * a * scipy.special.hyperu(a + 1, b + 1, x)")
elementwise(f"{_S}hyp1f1(a, b, x)", _SHAPE, _SHAPE, "g * np.divide(a, b) * scipy.special.hyp1f1(a + 1, b + 1, x)")
elementwise(f"{_S}hyp2f1(a, b, c, x)", _SHAPE, _SHAPE, _SHAPE,
            "g * np.divide(a * b, c) * scipy.special.hyp2f1(a + 1, b + 1, c + 1, x)",
            sample=("0.7", "1.2", "1.9", "rng.uniform(0.1, 0.5, 3)"))

for _name in ("jve", "yve"):  # of real numbers they are not scaled
    elementwise(f"{_S}{_name}(n, x)", _ORDER,
                f"0.5 * g * (scipy.special.{_name}(n - 1, x) - scipy.special.{_name}(n + 1, x))",
                sample=("2", "rng.uniform(0.5, 1.5, 3)"))

# ----------------------------------------------------------------------------------- orthogonal polynomials (DLMF 18.9)

for _call, _slope in (
    ("legendre(n, x)", "0.5 * (n + 1) * scipy.special.eval_jacobi(n - 1, 1, 1, x)"),
    ("chebyt(n, x)", "n * scipy.special.eval_chebyu(n - 1, x)"),
    ("chebyu(n, x)", "2 * scipy.special.eval_gegenbauer(n - 1, 2, x)"),
    ("hermite(n, x)", "2 * n * scipy.special.eval_hermite(n - 1, x)"),
    ("hermitenorm(n, x)", "n * scipy.special.eval_hermitenorm(n - 1, x)"),
    ("laguerre(n, x)", "-scipy.special.eval_genlaguerre(n - 1, 1, x)"),
    ("genlaguerre(n, a, x)", "-scipy.special.eval_genlaguerre(n - 1, a + 1, x)"),
    ("gegenbauer(n, a, x)", "2 * a * scipy.special.eval_gegenbauer(n - 1, a + 1, x)"),
    ("jacobi(n, a, b, x)", "0.5 * (n + a + b + 1) * scipy.special.eval_jacobi(n - 1, a + 1, b + 1, x)"),
):
    _parameters = _call.partition("(n, ")[2].removesuffix("x)").split(", ")[:-1]
    _fixed: dict[str, Any] = dict.fromkeys(_parameters, _SHAPE)  # `n` is a literal
    elementwise(f"{_S}eval_{_call}", **_fixed, x=f"g * {_slope}", when="n >= 1",
                sample=("3", *("0.7" for _ in _parameters), "rng.uniform(0.2, 0.8, 3)"))

# ---------------------------------------------------------------------------------------- elliptic integrals (DLMF 19)

elementwise(f"{_S}ellipk(m)", "g * 0.5 * elliptic_moment(0.5 * math.pi, m, 1, 3)", domain=(-0.5, 0.8))
elementwise(f"{_S}ellipe(m)", "-g * 0.5 * elliptic_moment(0.5 * math.pi, m, 1, 1)", domain=(-0.5, 0.8))
elementwise(f"{_S}ellipkinc(x, m)", "np.divide(g, np.sqrt(1 - m * np.sin(x) ** 2))",
            "g * 0.5 * elliptic_moment(x, m, 1, 3)", domain={"x": (-4.0, 4.0), "m": (-0.5, 0.8)})
elementwise(f"{_S}ellipeinc(x, m)", "g * np.sqrt(1 - m * np.sin(x) ** 2)", "-g * 0.5 * elliptic_moment(x, m, 1, 1)",
            domain={"x": (-4.0, 4.0), "m": (-0.5, 0.8)})
elementwise("elliptic_moment(x, m, n, s)",
            "np.divide(g * np.sin(x) ** (2 * n), np.power(1 - m * np.sin(x) ** 2, 0.5 * s))",
            "g * 0.5 * s * elliptic_moment(x, m, n + 1, s + 2)", sample=("rng.uniform(0.2, 1.2, 3)", "0.4", "1", "3"))

# --------------------------------------------------------------------------------- distributions under their old names

elementwise(f"{_S}chdtr(v, x)", f"0.5 * g * {_GAMMAINC_SLOPE.format('0.5 * v, 0.5 * x')}",
            "g * scipy.stats.chi2.pdf(x, v)", domain=(1.5, 2.5))
elementwise(f"{_S}chdtrc(v, x)", f"-0.5 * g * {_GAMMAINC_SLOPE.format('0.5 * v, 0.5 * x')}",
            "-g * scipy.stats.chi2.pdf(x, v)", domain=(1.5, 2.5))
elementwise(f"{_S}erfi(x)", "g * (2 / math.sqrt(math.pi)) * np.exp(x * x)", domain=_WIDE)
elementwise(f"{_S}ndtri_exp(x)", "g * math.sqrt(2 * math.pi) * np.exp(x + 0.5 * ans * ans)", domain=_WIDE)
elementwise(f"{_S}powm1(x, y)", "g * y * np.power(x, y - 1.0)", "g * np.log(x) * (ans + 1)")
elementwise(f"{_S}sindg(x)", "g * math.radians(1) * scipy.special.cosdg(x)", singular=False)
elementwise(f"{_S}cosdg(x)", "-g * math.radians(1) * scipy.special.sindg(x)", singular=False)

# ------------------------------------------------------------------------------------------------------------ others

elementwise(f"{_S}huber(d, x)", "g * np.where(d < np.abs(x), np.abs(x) - d, 0)", "g * np.clip(x, -d, d)",
            domain={"d": (0.2, 0.4), "x": (0.5, 1.5)})
elementwise(f"{_S}pseudo_huber(d, x)", "g * d * (np.sqrt(1 + (x / d) ** 2) - 1) ** 2 / np.sqrt(1 + (x / d) ** 2)",
            "g * x / np.sqrt(1 + (x / d) ** 2)")
elementwise(f"{_S}inv_boxcox(x, y)", "g * np.power(ans, 1.0 - y)", REFUSE("no rule for the exponent of inv_boxcox"))
elementwise(f"{_S}inv_boxcox1p(x, y)", "g * np.power(1 + ans, 1.0 - y)",
            REFUSE("no rule for the exponent of inv_boxcox1p"))
elementwise(f"{_S}exprel(x)", "np.divide(g * (np.exp(x) - ans), x)", domain=(0.5, 1.5), singular="x")
elementwise(f"{_S}wrightomega(x)", "g * ans / (1 + ans)")
# Quantiles: by the variable, the density's reciprocal; by a parameter, that of the function where they are.
_SPREAD = "np.exp(ans + scipy.special.gammaln(a) - scipy.special.xlogy(a - 1, ans))"
for _name, _sign in (("gammaincinv", ""), ("gammainccinv", "-")):
    elementwise(f"{_S}{_name}(a, x)", f"-g * {_GAMMAINC_SLOPE.format('a, ans')} * {_SPREAD}", f"{_sign}g * {_SPREAD}",
                domain=(0.2, 0.8))
_SPREAD = ("np.exp(scipy.special.betaln(a, b) - scipy.special.xlogy(a - 1, ans)"
           " - scipy.special.xlog1py(b - 1, -ans))")
for _name, _sign in (("betaincinv", ""), ("betainccinv", "-")):
    elementwise(f"{_S}{_name}(a, b, x)", f"-g * {_BETAINC_SLOPE.format('a, b, ans, 1, 0')} * {_SPREAD}",
                f"-g * {_BETAINC_SLOPE.format('a, b, ans, 0, 1')} * {_SPREAD}", f"{_sign}g * {_SPREAD}",
                domain=(0.2, 0.8))

# ------------------------------------------------------------------------------------------ sums over exponentials

_MATRIX = ("rng.normal(size=(2, 3))",)
rule(f"{_S}softmax(x, axis=None)", x="ans * (g - np.sum(g * ans, axis=axis, keepdims=True))",
     jvp="ans * (x_dot - np.sum(x_dot * ans, axis=axis, keepdims=True))", sample=(*_MATRIX, "1"))
rule(f"{_S}log_softmax(x, axis=None)", x="g - np.exp(ans) * np.sum(g, axis=axis, keepdims=True)",
     jvp="x_dot - np.sum(np.exp(ans) * x_dot, axis=axis, keepdims=True)", sample=(*_MATRIX, "1"))
_SUM = f"{_S}logsumexp(x, axis=None, keepdims=False)"
_SOFTMAX = "np.exp(x - unreduce(ans, np.shape(x), axis, keepdims))"
rule(_SUM, x="g * np.exp(x - ans)", jvp="np.sum(np.exp(x - ans) * x_dot)", when="axis is None and not keepdims",
     sample=_MATRIX)
rule(_SUM, x="np.expand_dims(g, axis) * np.exp(x - np.expand_dims(ans, axis))",
     jvp="np.sum(np.exp(x - np.expand_dims(ans, axis)) * x_dot, axis=axis)", when="axis is not None and not keepdims",
     sample=(*_MATRIX, "1"))
rule(_SUM, x="g * np.exp(x - ans)", jvp="np.sum(np.exp(x - ans) * x_dot, axis=axis, keepdims=True)", when="keepdims",
     sample=(*_MATRIX, "0", "True"))
rule(_SUM, x=f"unreduce(g, np.shape(x), axis, keepdims) * {_SOFTMAX}",
     jvp=f"np.sum({_SOFTMAX} * x_dot, axis=axis, keepdims=keepdims)", sample=_MATRIX)
_SIGNED = "np.exp(x - unreduce(ans[0], np.shape(x), axis, keepdims))"
rule(f"{_S}logsumexp(x, axis=None, keepdims=False, return_sign=False)",
     x=(f"unreduce(g, np.shape(x), axis, keepdims) * {_SIGNED}", None),
     jvp=(f"np.sum({_SIGNED} * x_dot, axis=axis, keepdims=keepdims)", None), when="return_sign",
     sample=(*_MATRIX, "1", "False", "True"))
_SHAPES = "np.broadcast_shapes(np.shape(x), np.shape(b))"
_SOFTMAX = f"np.exp(x - unreduce(ans, {_SHAPES}, axis, keepdims))"
rule(f"{_S}logsumexp(x, axis=None, b=None, keepdims=False)",
     x=f"unbroadcast(unreduce(g, {_SHAPES}, axis, keepdims) * b * {_SOFTMAX}, np.shape(x))",
     b=f"unbroadcast(unreduce(g, {_SHAPES}, axis, keepdims) * {_SOFTMAX}, np.shape(b))",
     jvp=f"np.sum({_SOFTMAX} * (b * x_dot + b_dot), axis=axis, keepdims=keepdims)", when="b is not None",
     sample=(*_MATRIX, "1", "rng.uniform(1, 2, 3)"))
_SIGNED = f"(unreduce(ans[1], {_SHAPES}, axis, keepdims) * np.exp(x - unreduce(ans[0], {_SHAPES}, axis, keepdims)))"
rule(f"{_S}logsumexp(x, axis=None, b=None, keepdims=False, return_sign=False)",
     x=(f"unbroadcast(unreduce(g, {_SHAPES}, axis, keepdims) * b * {_SIGNED}, np.shape(x))", None),
     b=(f"unbroadcast(unreduce(g, {_SHAPES}, axis, keepdims) * {_SIGNED}, np.shape(b))", None),
     jvp=(f"np.sum({_SIGNED} * (b * x_dot + b_dot), axis=axis, keepdims=keepdims)", None),
     when="b is not None and return_sign", sample=(*_MATRIX, "1", "np.array([1.5, -1.2, 0.3])", "False", "True"))
