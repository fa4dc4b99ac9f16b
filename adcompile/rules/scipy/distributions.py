"""The form of a distribution of `scipy.stats`: one row gives those of its densities, probabilities and quantiles.

A continuous distribution is written for its standard variable z = (x - loc) / scale, by what does not follow from
anything else: the slope of the logarithm of its density by z, and by each of its shapes. With p the density and F the
distribution function,

    d log p = slope dz - dscale / scale,    dF = p dx - p dloc - p z dscale,    dq = (du + p dloc + p z dscale) / p

for the quantile q of the probability u (N. L. Johnson, S. Kotz and N. Balakrishnan, "Continuous Univariate
Distributions", chapter 12). Where the density is zero its slope is zero, as in JAX.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from adcompile.rules.forms import REFUSE, Refuse, elementwise
from adcompile.rules.scipy.moments import MOMENTS, Moments

# Of a negative number they warn, or raise where that was asked for.
_RAISES = re.compile(r"np\.(log|sqrt|arctanh)|\*\* [-(]*[a-z]")
_NO_SHAPE = REFUSE("the derivative of this probability by the shape has no closed form")
_NO_SLOPE = REFUSE("the derivative of this density has no closed form; of the probabilities and quantiles by the"
                   " variable, position and scale there is one")
_NO_ENTROPY = REFUSE("the derivative of the entropy by the shape has no rule")
_NO_MOMENT = REFUSE("the derivative of this moment by the shape has no rule")


def continuous(
    name: str, slope: str | None, *, bounded: bool = False, moments: bool = True,
    by: Mapping[str, Any] | None = None, probability_by: Mapping[str, str] | None = None,
    sample: tuple[str, ...],
) -> None:
    """Add the rows of a continuous distribution.

    Args:
        name: the distribution and its shapes, as in `beta(a, b)`.
        slope: that of the logarithm of the standard density, in `{z}` and the shapes, with `{special}` and `{norm}`
            for `scipy.special` and `scipy.stats.norm`; "0" where there is none, None where it has no closed form.
        bounded: whether the density is zero somewhere.
        moments: whether the entropy, the mean and the variance have rows: not where SciPy integrates at each call.
        by: for each shape with a closed form, the derivative of the logarithm of the standard density.
        probability_by: for each shape with a closed form, that of the standard distribution function. It may call
            functions of the distribution as `{d}.sf({at})`, where `{at}` stands for all arguments.
        sample: texts of standard variables and of shapes to test the rows with.
    """
    distribution, _, rest = f"scipy.stats.{name}".partition("(")
    shapes = [s for s in rest.rstrip(")").split(", ") if s]
    by, probability_by = by or {}, probability_by or {}
    given = ", ".join(["x", *shapes, "loc=0", "scale=1"])
    points, *others = sample
    sampled = (f"0.3 + 1.2 * {points}", *others, "0.3", "1.2")

    def at(x: str) -> str:
        return ", ".join([x, *shapes, "loc", "scale"])

    def filled(text: str, x: str = "x") -> str:
        return text.format(z=f"np.divide({x} - loc, scale)", d=distribution, at=at(x), special="scipy.special",
                           norm="scipy.stats.norm")

    def by_shapes(amount: str, nothing: str) -> dict[str, Any]:
        """The texts of the shapes of a density, or the reasons why there are none."""
        known = {s: by.get(s, _NO_SHAPE) for s in shapes}
        return {s: t if isinstance(t, Refuse) else within(f"{amount} * ({t})", nothing) for s, t in known.items()}

    def within(text: str, outside: str) -> str:
        """A text that is 0 outside the support, and takes no logarithm there."""
        if not bounded:
            return filled(text)
        if _RAISES.search(text):
            text = text.replace("{z}", f"np.where({outside}, np.nan, {{z}})")
        return f"np.where({outside}, 0, {filled(text)})"

    def row(function: str, sample: tuple[str, ...], texts: dict[str, Any]) -> None:
        elementwise(f"{distribution}.{function}({given})", sample=sample,
                    **{of: text for of, text in texts.items() if text is not None})

    def moved(factor: str) -> dict[str, str]:
        """The texts of what changes with z alone, by `factor` times dx."""
        return {"x": factor, "loc": f"-{factor}", "scale": filled(f"-{factor} * {{z}}")}

    for function, amount, nothing in (("logpdf", "g", "ans == -np.inf"), ("pdf", "g * ans", "ans == 0")):
        if slope is None:
            row(function, sampled, dict.fromkeys(("x", "loc", "scale", *shapes), _NO_SLOPE))
            continue
        moving = f"np.divide({amount} * ({slope}), scale)"
        stretching = f"np.divide({amount} * (1 + {{z}} * ({slope})), scale)"
        row(function, sampled, {
            "x": None if slope == "0" else within(moving, nothing),
            "loc": None if slope == "0" else within(f"-{moving}", nothing),
            "scale": within(f"-np.divide({amount}, scale)" if slope == "0" else f"-{stretching}", nothing),
            **by_shapes(amount, nothing),
        })

    for function, sign in (("cdf", ""), ("sf", "-")):
        outside = f"{distribution}.pdf({at('x')}) == 0"
        row(function, sampled, {
            **moved(f"{sign}g * {distribution}.pdf({at('x')})"),
            **{s: within(f"{sign}g * ({probability_by[s]})", outside)
               if s in probability_by else _NO_SHAPE for s in shapes},
        })
        logarithm = "np.where(ans == -np.inf, 0, ans)" if bounded else "ans"
        row(f"log{function}", sampled, {
            **moved(f"{sign}g * np.exp({distribution}.logpdf({at('x')}) - {logarithm})"),
            **{s: within(f"{sign}g * ({probability_by[s]}) * np.exp(-{logarithm})", outside)
               if s in probability_by else _NO_SHAPE for s in shapes},
        })

    for function, sign in (("ppf", ""), ("isf", "-")):
        density = f"{distribution}.pdf({at('ans')})"
        row(function, ("rng.uniform(0.1, 0.9, 3)", *others, "0.3", "1.2"), {
            "x": f"{sign}g / {density}", "loc": "g", "scale": filled("g * {z}", "ans"),
            **{s: filled(f"-g * ({probability_by[s]}) / {density}", "ans")
               if s in probability_by else _NO_SHAPE for s in shapes},
        })
    if moments:
        median_by = {s: filled(f"-g * ({text}) / {distribution}.pdf({at('ans')})", "ans")
                     for s, text in probability_by.items()}
        add_moments(distribution, shapes, tuple(others), median_by, has_mean=not re.search("cauchy|levy", name))


def add_moments(distribution: str, shapes: list[str], sample: tuple[str, ...],
                median_by: Mapping[str, str] | None = None, *, has_mean: bool = True) -> None:
    """Add the rows of the entropy, the mean, the median, the variance and its root.

    Args:
        distribution: its whole name.
        shapes: the names of its shapes.
        sample: texts of shapes to test the rows with.
        median_by: for each shape by which the distribution function has a derivative, that of the median.
        has_mean: whether there is a mean and a variance.
    """
    given = ", ".join([*shapes, "loc=0", "scale=1"])
    known = MOMENTS.get(distribution.rpartition(".")[2], Moments())
    mean = {s: text.replace("ans", "np.divide(ans - loc, scale)") for s, text in known.mean.items()}
    variance = {s: text.replace("ans", "np.divide(ans, scale ** 2)") for s, text in known.variance.items()}
    if known.heavy:
        mean, variance = _where_finite(mean), _where_finite(variance)
    deviation = {s: text.replace("ans", "ans ** 2") for s, text in variance.items()}
    moving = {"loc": "g", "scale": "g * np.divide(ans - loc, scale)"}
    rows: tuple[tuple[str, dict[str, str], dict[str, str], Refuse], ...] = (
        ("entropy", _times("g", known.entropy), {"scale": "np.divide(g, scale)"}, _NO_ENTROPY),
        ("mean", _times("g * scale", mean), moving, _NO_MOMENT),
        ("median", dict.fromkeys(shapes, "0.0 * g") if known.symmetric else dict(median_by or {}), moving, _NO_MOMENT),
        ("var", _times("g * scale ** 2", variance), {"scale": "2 * g * np.divide(ans, scale)"}, _NO_MOMENT),
        ("std", _times("0.5 * g * scale ** 2 / ans", deviation), {"scale": "g * np.divide(ans, scale)"}, _NO_MOMENT),
    )
    for function, by_shape, by, otherwise in rows:
        if not has_mean and function in ("mean", "std", "var"):
            continue
        texts: dict[str, Any] = dict.fromkeys(shapes, otherwise) | by_shape | by
        elementwise(f"{distribution}.{function}({given})", sample=(*sample, "0.3", "1.2"), **texts)


def _times(factor: str, by: Mapping[str, str]) -> dict[str, str]:
    return {s: f"{factor} * ({text})" for s, text in by.items()}


def _where_finite(by: Mapping[str, str]) -> dict[str, str]:
    """Where the tails are so heavy that there is no moment, there is no derivative of it."""
    return {s: f"np.where(np.isfinite(ans), {text}, np.nan)" for s, text in by.items()}


def discrete(
    name: str, *, by: Mapping[str, Any], probability_by: Mapping[str, str] | None = None,
    moments: Moments | None = None, sample: tuple[str, ...],
) -> None:
    """Add the rows of a discrete distribution, by its parameters: where the variable moves, it jumps.

    Args:
        name: the distribution and its parameters, as in `binom(n, p)`.
        by: for each parameter that varies, the derivative of the logarithm of the probability, in `{k}`.
        probability_by: for each parameter with a closed form, that of the distribution function.
        moments: those of its mean, its variance and, where it is known, its entropy.
        sample: texts of the variable and of the parameters to test the rows with.
    """
    distribution, _, rest = f"scipy.stats.{name}".partition("(")
    given = f"k, {rest.rstrip(')')}, loc=0"
    for function, amount, nothing in (("logpmf", "g", "ans == -np.inf"), ("pmf", "g * ans", "ans == 0")):
        texts: dict[str, Any] = {
            of: text if isinstance(text, Refuse) else
            f"np.where({nothing}, 0, {amount} * ({text.format(k='(k - loc)')}))"
            for of, text in by.items()}
        elementwise(f"{distribution}.{function}({given})", sample=sample, **texts)
    known = probability_by or {}
    for function, sign in (("cdf", ""), ("sf", "-")):
        texts = {of: f"{sign}g * {known[of].format(k='(k - loc)')}" if of in known else
                 text if isinstance(text, Refuse) else _NO_SHAPE for of, text in by.items()}
        elementwise(f"{distribution}.{function}({given})", sample=sample, **texts)
        logarithms: dict[str, Any] = {
            of: text if isinstance(text, Refuse) else f"np.where(ans == -np.inf, 0, {text} * np.exp(-ans))"
            for of, text in texts.items()}
        elementwise(f"{distribution}.log{function}({given})", sample=(f"{sample[0]}[:1]", *sample[1:]), **logarithms)
    if moments is None:
        return
    given = f"{rest.rstrip(')')}, loc=0"
    rows: dict[str, dict[str, Any]] = {
        "entropy": _times("g", moments.entropy), "mean": _times("g", moments.mean) | {"loc": "g"},
        "var": _times("g", moments.variance), "std": _times("0.5 * g / ans", moments.variance),
    }
    for function, texts in rows.items():
        if texts:
            elementwise(f"{distribution}.{function}({given})", sample=(*sample[1:], "2"), **texts)
