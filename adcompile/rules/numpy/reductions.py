"""The rows of NumPy's reductions, running sums, orderings and differences.

Conventions: ties of `max` and `min` share evenly; `std` of equal numbers has the derivative 0 (as in PyTorch); `sort`,
`median` and `percentile` follow the numbers that they select.
"""

from __future__ import annotations

from typing import Any, cast

from adcompile.rules.forms import REFUSE, linear, rule

_COMPLEX = "x.dtype.kind == 'c'"
_Z = "rng.normal(size=(3, 2)) + 1j * rng.normal(size=(3, 2))"

# Three cases of every reduction: to one number (or all axes kept), over known axes, and over axes not known.
_ALL = "axis is None or keepdims"
_AXIS = "axis is not None and not keepdims and x.ndim >= 1"  # a number may be reduced along axis 0, too
_STRETCH = "np.broadcast_to(np.expand_dims(g, axis), np.shape(x))"

for _name in ("np.sum", "np.add.reduce"):
    _default = "None" if _name == "np.sum" else "0"
    _call = f"{_name}(x, axis={_default}, keepdims=False)"
    linear(_call, x="g", when="x.ndim == 0", view="")
    linear(_call, x="np.broadcast_to(g, np.shape(x))", when=_ALL, view="")
    linear(_call, x=_STRETCH, when=_AXIS, view="")
    linear(_call, x="unreduce(g, np.shape(x), axis, keepdims)", view="")

_call = "np.mean(x, axis=None, keepdims=False)"
linear(_call, x="g", when="x.ndim == 0", view="")
linear(_call, x="np.broadcast_to(g, np.shape(x)) / np.size(x)", when="axis is None", view="")
linear(_call, x="np.broadcast_to(g, np.shape(x)) / np.size(x, axis)",
       when="keepdims and axis.ndim == 0 and x.ndim >= 1", view="")
linear(_call, x=f"{_STRETCH} / np.size(x, axis)", when=f"{_AXIS} and axis.ndim == 0", view="")
linear(_call, x="unreduce(g, np.shape(x), axis, keepdims) * (max(1, np.size(ans)) / max(1, np.size(x)))", view="")

# What `where` leaves out attains nothing, and neither does what is not a number.
_TIES = "share_ties(g, x, ans, axis, keepdims)", "mean_of_ties(x_dot, x, ans, axis, keepdims)"
_PART = "np.where(where, x, math.nan), ans, axis, keepdims, initial)"
_EXTREMES = (("np.max", "None"), ("np.min", "None"), ("np.amax", "None"), ("np.amin", "None"),
             ("np.maximum.reduce", "0"), ("np.minimum.reduce", "0"))
for _name, _default in _EXTREMES:
    _call = f"{_name}(x, axis={_default}, keepdims=False)"
    linear(_call, x="g", when="x.ndim == 0", view="")
    rule(_call, x="share_ties(g, x, ans)", jvp="mean_of_ties(x_dot, x, ans)", when="axis is None and not keepdims",
         domain=(-1.5, 1.5))
    rule(_call, x=_TIES[0], jvp=_TIES[1], domain=(-1.5, 1.5))
    rule(_call, x=_TIES[0], jvp=_TIES[1], when=_COMPLEX, sample=(_Z, "0"))  # real parts first, then imaginary ones
for _name, _default in (*_EXTREMES, ("np.nanmax", "None"), ("np.nanmin", "None")):
    if "nan" in _name:
        _attained = f"np.where(np.isnan(x), 0, {_TIES[0]})"
        rule(f"{_name}(x, axis=None, keepdims=False)", x=_attained, jvp=_TIES[1],
             sample=("np.array([[1.0, np.nan], [-0.5, 2.0]])",))
        rule(f"{_name}(x, axis=None, keepdims=False)", x=_attained, jvp=_TIES[1], when=_COMPLEX,
             sample=("np.array([[1.0 + 1j, np.nan], [-0.5, 2.0j]])",))
    for _kinds, _plus in (("", ""), (f" and {_COMPLEX}", " + 1j")):
        rule(f"{_name}(x, axis={_default}, keepdims=False, initial=None, where=True)", x=f"share_ties(g, {_PART}",
             initial=f"np.sum(g * share_of_start({_PART})",
             jvp=f"mean_of_ties(x_dot, {_PART} + initial_dot * share_of_start({_PART}",
             when=f"initial is not None and initial.ndim == 0{_kinds}",
             sample=(f"rng.normal(size=(2, 3)){_plus}", "1", "True", f"0.1{_plus}",
                     "np.array([[True, False, True], [False, True, True]])"))
for _name in ("np.maximum.accumulate", "np.minimum.accumulate"):  # of several that are equal, the last counts
    rule(f"{_name}(x, axis=0)", x="untake_along(g, last_places(x, ans, axis), x, axis)", when="isinstance(axis, int)",
         jvp="np.take_along_axis(x_dot, last_places(x, ans, axis), axis)", sample=("rng.normal(size=(3, 4))", "1"))
rule("np.logaddexp.reduce(x, axis=0, keepdims=False)",
     x="unreduce(g, np.shape(x), axis, keepdims) * np.exp(x - unreduce(ans, np.shape(x), axis, keepdims))",
     jvp="np.sum(np.exp(x - unreduce(ans, np.shape(x), axis, keepdims)) * x_dot, axis, keepdims=keepdims)",
     sample=("rng.normal(size=(3, 4))", "1"))
_call = "np.ptp(x, axis=None, keepdims=False)"
rule(_call, x="share_ties(g, x, np.max(x, axis, keepdims=keepdims), axis, keepdims)"
       " - share_ties(g, x, np.min(x, axis, keepdims=keepdims), axis, keepdims)",
     jvp="mean_of_ties(x_dot, x, np.max(x, axis, keepdims=keepdims), axis, keepdims)"
         " - mean_of_ties(x_dot, x, np.min(x, axis, keepdims=keepdims), axis, keepdims)", domain=(-1.5, 1.5))
rule(_call, x="share_ties(g, x, np.max(x, axis, keepdims=keepdims), axis, keepdims)"
       " - share_ties(g, x, np.min(x, axis, keepdims=keepdims), axis, keepdims)",
     jvp="mean_of_ties(x_dot, x, np.max(x, axis, keepdims=keepdims), axis, keepdims)"
         " - mean_of_ties(x_dot, x, np.min(x, axis, keepdims=keepdims), axis, keepdims)", when=_COMPLEX,
     sample=(_Z, "1"))

_WITH_NAN = ("np.array([[1.0, np.nan], [-0.5, 2.0]])",)
_WITH_HOLE = ("np.array([[1.0 + 1j, np.nan], [-0.5, 2.0j]])",)
_THERE = "np.logical_not(np.isnan(x))"
_MASKED = ("np.array([[1.0, np.nan, 0.3], [-0.5, 2.0, 1.5]])", "0",
           "np.array([[True, True, False], [True, True, True]])")
for _when, _holed in ((None, _WITH_NAN), (_COMPLEX, _WITH_HOLE)):
    rule("np.nansum(x, axis=None, keepdims=False)",
         x="np.where(np.isnan(x), 0, unreduce(g, np.shape(x), axis, keepdims))",
         jvp="np.sum(np.where(np.isnan(x), 0, x_dot), axis, keepdims=keepdims)", when=_when, sample=_holed)
    rule("np.nanmean(x, axis=None, keepdims=False)", when=_when, sample=_holed,
         x="np.where(np.isnan(x), 0, unreduce(g, np.shape(x), axis, keepdims))"
           f" / np.sum({_THERE}, axis, keepdims=True, dtype=ans.dtype)",
         jvp="np.sum(np.where(np.isnan(x), 0, x_dot), axis, keepdims=keepdims)"
             f" / np.sum({_THERE}, axis, keepdims=keepdims, dtype=ans.dtype)")
_PART = f"{_THERE} & where"
for _kinds, _plus in (("", ""), (f" and {_COMPLEX}", " + 1j")):
    _parted = (f"{_MASKED[0]}{_plus}", _MASKED[1])
    rule("np.nansum(x, axis=None, initial=0, where=True, keepdims=False)", initial="np.sum(g)",
         x=f"np.where({_PART}, unreduce(g, np.shape(x), axis, keepdims), 0)",
         jvp=f"np.sum(np.where({_PART}, x_dot, 0), axis, keepdims=keepdims) + initial_dot",
         when=f"initial.ndim == 0{_kinds}", sample=(*_parted, f"0.5{_plus}", _MASKED[2]))
    rule("np.nanmean(x, axis=None, where=True, keepdims=False)",
         x=f"np.where({_PART}, unreduce(g, np.shape(x), axis, keepdims), 0)"
           f" / np.sum({_PART}, axis, keepdims=True, dtype=ans.dtype)",
         jvp=f"np.sum(np.where({_PART}, x_dot, 0), axis, keepdims=keepdims)"
             f" / np.sum({_PART}, axis, keepdims=keepdims, dtype=ans.dtype)",
         when=_kinds.removeprefix(" and ") or None, sample=(*_parted, _MASKED[2]))

# Reductions of a part: what is not selected gets 0.
_STRETCHED = "unreduce(g, np.shape(x), axis, keepdims)"
_MASK = "np.array([[True, False, True], [False, True, True]])"
for _name, _default in (("np.sum", "None"), ("np.add.reduce", "0")):
    linear(f"{_name}(x, axis={_default}, keepdims=False, initial=0, where=True)", x=f"np.where(where, {_STRETCHED}, 0)",
           initial="np.sum(g)", when="x.ndim >= 1 and initial.ndim == 0",
           sample=("rng.normal(size=(2, 3))", "1", "False", "0.5", _MASK), view="")
linear("np.mean(x, axis=None, keepdims=False, where=True)", when="x.ndim >= 1", x=f"np.where(where, {_STRETCHED}, 0)"
         " / np.sum(np.broadcast_to(where, np.shape(x)), axis, keepdims=True, dtype=ans.dtype)",
       sample=("rng.normal(size=(2, 3))", "1", "False", _MASK), view="")

# What is not a number counts as 1 in a product, and as absent in a variance.
_NUMBERS = "np.where(np.isnan(x), 1, x)"
_OTHERS = f"product_of_others({_NUMBERS}, axis)"
for _when, _holed, _conj in ((None, _WITH_NAN, _OTHERS), (_COMPLEX, _WITH_HOLE, f"np.conj({_OTHERS})")):
    rule("np.nanprod(x, axis=None, keepdims=False)", when=_when, sample=_holed,
         x=f"np.where(np.isnan(x), 0, {_STRETCHED} * {_conj})",
         jvp=f"np.sum(np.where(np.isnan(x), 0, {_OTHERS} * x_dot), axis, keepdims=keepdims)")
_LEFT = f"np.where({_PART}, x, 1)"
_SLOPES = f"np.where({_PART}, product_of_others({_LEFT}, axis), 0)"
rule("np.nanprod(x, axis=None, initial=1, where=True, keepdims=False)", x=f"initial * {_STRETCHED} * {_SLOPES}",
     initial=f"np.sum(g * np.prod({_LEFT}, axis, keepdims=keepdims))",
     jvp=f"initial * np.sum({_SLOPES} * x_dot, axis, keepdims=keepdims)"
         f" + initial_dot * np.prod({_LEFT}, axis, keepdims=keepdims)",
     when="initial.ndim == 0", sample=(*_MASKED[:2], "0.5", _MASKED[2]))
_FOUR_WITH_NAN = ("np.array([[1.0, np.nan, 0.3], [-0.5, 2.0, 1.5]])",)
_HOLED_Z = ("np.array([[1.0 + 1j, np.nan, 0.3], [-0.5, 2.0j, 1.5]])",)
_FAR = {"nanvar": f"2 * {_STRETCHED}",
        "nanstd": "unreduce(g / np.where(ans, ans, math.inf), np.shape(x), axis, keepdims)"}
_BY = {"nanvar": "0.5", "nanstd": "np.where(ans, ans, math.inf)"}
for _name in ("nanvar", "nanstd"):
    for _call, _of, _further in (("axis=None, ddof=0, keepdims=False", "x", ()),
                               ("axis=None, ddof=0, where=True, keepdims=False", "np.where(where, x, math.nan)",
                                ("None", "0", "np.array([[True, True, True], [True, False, True]])"))):
        _deviations, _dot = f"nan_deviations({_of}, axis, ddof)", f"np.where(np.isnan({_of}), 0, x_dot)"
        _slope = f"np.where(np.isnan({_of}), 0, {_FAR[_name]} * {_deviations})"
        rule(f"np.{_name}(x, {_call})", x=_slope, sample=(*_FOUR_WITH_NAN, *_further),
             jvp=f"np.sum({_deviations} * {_dot}, axis, keepdims=keepdims) / {_BY[_name]}")
        rule(f"np.{_name}(x, {_call})", x=_slope, sample=(*_HOLED_Z, *_further), when=_COMPLEX,
             jvp=f"np.sum(np.real(np.conj({_deviations}) * {_dot}), axis, keepdims=keepdims) / {_BY[_name]}")

# A product's slope is the product of the others, which needs no division and so allows zeros.
for _name, _default in (("np.prod", "None"), ("np.multiply.reduce", "0")):
    _call = f"{_name}(x, axis={_default}, keepdims=False)"
    rule(_call, x="g * product_of_others(x)", jvp="np.sum(product_of_others(x) * x_dot)",
         when="axis is None and not keepdims")
    _jvp = "np.sum(product_of_others(x, axis) * x_dot, axis, keepdims=keepdims)"
    rule(_call, x=f"{_STRETCHED} * product_of_others(x, axis)", jvp=_jvp)
    rule(_call, x=f"{_STRETCHED} * np.conj(product_of_others(x, axis))", jvp=_jvp, when=_COMPLEX, sample=(_Z, "0"))
    _others = "np.where(where, product_of_others(np.where(where, x, 1), axis), 0)"
    rule(f"{_name}(x, axis={_default}, keepdims=False, initial=1, where=True)", x=f"initial * {_STRETCHED} * {_others}",
         initial="np.sum(g * np.prod(x, axis, keepdims=keepdims, where=where))",
         jvp=f"initial * np.sum({_others} * x_dot, axis, keepdims=keepdims)"
             " + initial_dot * np.prod(x, axis, keepdims=keepdims, where=where)", when="initial.ndim == 0",
         sample=("rng.normal(size=(2, 3))", "1", "True", "0.5", _MASK))
    rule(f"{_name}(x, axis={_default}, keepdims=False, initial=1, where=True)",
         x=f"np.conj(initial) * {_STRETCHED} * np.conj({_others})",
         initial="np.sum(g * np.conj(np.prod(x, axis, keepdims=keepdims, where=where)))",
         jvp=f"initial * np.sum({_others} * x_dot, axis, keepdims=keepdims)"
             " + initial_dot * np.prod(x, axis, keepdims=keepdims, where=where)",
         when=f"initial.ndim == 0 and {_COMPLEX}",
         sample=("rng.normal(size=(2, 3)) + 1j", "1", "True", "0.5 - 0.3j", _MASK))

_call = "np.var(x, axis=None, ddof=0, keepdims=False)"
rule(_call, x="2 * g * (x - np.mean(x)) / (np.size(x) - ddof)",
     jvp="2 * np.sum((x - np.mean(x)) * x_dot) / (np.size(x) - ddof)", when="axis is None and not keepdims")
rule(_call, x="2 * unreduce(g, np.shape(x), axis, keepdims) * deviations(x, axis, ddof)",
     jvp="2 * np.sum(deviations(x, axis, ddof) * x_dot, axis, keepdims=keepdims)")
rule(_call, x="2 * unreduce(g, np.shape(x), axis, keepdims) * deviations(x, axis, ddof)",
     jvp="2 * np.sum(np.real(np.conj(deviations(x, axis, ddof)) * x_dot), axis, keepdims=keepdims)", when=_COMPLEX,
     sample=(_Z, "0"))
_call = "np.std(x, axis=None, ddof=0, keepdims=False)"
# Of equal numbers the mean may be rounded, and so what they are apart from it, and nothing else.
_APART = "(ans if ans > 4 * np.spacing(abs(np.mean(x))) else math.inf)"
rule(_call, x=f"g * (x - np.mean(x)) / ((np.size(x) - ddof) * {_APART})",
     jvp=f"np.sum((x - np.mean(x)) * x_dot) / ((np.size(x) - ddof) * {_APART})", when="axis is None and not keepdims")
rule(_call, x="unreduce(g / np.where(ans, ans, math.inf), np.shape(x), axis, keepdims) * deviations(x, axis, ddof)",
     jvp="np.sum(deviations(x, axis, ddof) * x_dot, axis, keepdims=keepdims) / np.where(ans, ans, math.inf)")
rule(_call, x="unreduce(g / np.where(ans, ans, math.inf), np.shape(x), axis, keepdims) * deviations(x, axis, ddof)",
     jvp="np.sum(np.real(np.conj(deviations(x, axis, ddof)) * x_dot), axis, keepdims=keepdims)"
         " / np.where(ans, ans, math.inf)", when=_COMPLEX, sample=(_Z, "0"))

for _name, _far, _by in (("np.var", f"2 * {_STRETCHED}", "0.5"),
                         ("np.std", "unreduce(g / np.where(ans, ans, math.inf), np.shape(x), axis, keepdims)",
                          "np.where(ans, ans, math.inf)")):
    for _call, _deviations, _given in (
        ("axis=None, ddof=0, keepdims=False, where=True", "nan_deviations(np.where(where, x, math.nan), axis, ddof)",
         ("0", "1", "False", "np.array([[True, False, True], [True, True, False], [True, True, True]])")),
        ("axis=None, keepdims=False, correction=0", "deviations(x, axis, correction)", ("0", "False", "1")),
    ):
        rule(f"{_name}(x, {_call})", x=f"{_far} * {_deviations}",
             jvp=f"np.sum({_deviations} * x_dot, axis, keepdims=keepdims) / {_by}",
             sample=("rng.normal(size=(3, 3))", *_given))

# About a mean that is given, the array and the mean vary on their own.
_APART, _COUNT = "(x - mean)", "(np.size(x) / max(1, np.size(ans)) - ddof)"
for _name, _by in (("np.var", ""), ("np.std", " / np.where(ans, 2 * ans, math.inf)")):
    _bar = f"2 * unreduce(g{_by}, np.shape(x), axis, keepdims) * {_APART} / {_COUNT}"
    for _kinds, _moved, _plus in (("", f"{_APART} * (x_dot - mean_dot)", ""),
                                  (f" and {_COMPLEX}", f"np.real(np.conj({_APART}) * (x_dot - mean_dot))", " + 1j")):
        rule(f"{_name}(x, axis=None, ddof=0, keepdims=False, mean=None)", x=_bar,
             mean=f"-unbroadcast({_bar}, np.shape(mean))", when=f"mean is not None{_kinds}",
             jvp=f"2 * np.sum({_moved}, axis, keepdims=keepdims) / {_COUNT}{_by}",
             sample=(f"rng.normal(size=(2, 3)){_plus}", "1", "0", "False", f"rng.normal(size=(2, 1)){_plus}"))

_call = "np.average(x, axis=None, weights=None, keepdims=False)"
linear(_call, x="np.broadcast_to(g, np.shape(x)) / np.size(x)", when="weights is None and axis is None", view="")
linear(_call, x="unreduce(g, np.shape(x), axis, keepdims) * (max(1, np.size(ans)) / max(1, np.size(x)))",
       when="weights is None", view="")
rule(_call, x="g * weights / np.sum(weights)", weights="g * (x - ans) / np.sum(weights)",
     jvp="(np.sum(weights * x_dot) + np.sum((x - ans) * weights_dot)) / np.sum(weights)",
     when="axis is None and not keepdims", sample=("rng.normal(size=(2, 3))", "None", "rng.uniform(0.5, 1.5, (2, 3))"))
_weights = "align(weights, x, axis)"
_total = f"np.sum({_weights} + np.zeros_like(x), axis, keepdims=True)"
_offset = "(x - unreduce(ans, np.shape(x), axis, keepdims))"
rule(_call, x=f"unreduce(g, np.shape(x), axis, keepdims) * {_weights} / {_total}",
     weights=f"np.reshape(unbroadcast(unreduce(g, np.shape(x), axis, keepdims) * {_offset} / {_total},"
             f" np.shape({_weights})), np.shape(weights))",
     jvp=f"np.sum(({_weights} * x_dot + {_offset} * align(weights_dot, x, axis)) / {_total}, axis, keepdims=keepdims)",
     when="axis.ndim == 0", sample=("rng.normal(size=(2, 3))", "1", "rng.uniform(0.5, 1.5, 3)"))

rule(_call, x=f"unreduce(g, np.shape(x), axis, keepdims) * {_weights} / {_total}",
     weights=f"align_vjp(unbroadcast(unreduce(g, np.shape(x), axis, keepdims) * {_offset} / {_total},"
             f" np.shape({_weights})), np.shape(weights), x, axis)",
     jvp=f"np.sum(({_weights} * x_dot + {_offset} * align(weights_dot, x, axis)) / {_total}, axis, keepdims=keepdims)",
     when="isinstance(axis, tuple) and weights.ndim < x.ndim",
     sample=("rng.normal(size=(2, 3, 4))", "(2, 0)", "rng.uniform(0.5, 1.5, (4, 2))"))

# Weights of the shape of the array.
_total = "np.sum(weights, axis, keepdims=True)"
_spread = "unreduce(g, np.shape(x), axis, keepdims)"
_offset = "(x - unreduce(ans, np.shape(x), axis, keepdims))"
rule(_call, x=f"{_spread} * weights / {_total}", weights=f"{_spread} * {_offset} / {_total}",
     jvp=f"np.sum((weights * x_dot + {_offset} * weights_dot) / {_total}, axis, keepdims=keepdims)",
     when="weights.ndim == x.ndim", sample=("rng.normal(size=(2, 3))", "None", "rng.uniform(0.5, 1.5, (2, 3))", "True"))
rule(_call, x=f"{_spread} * np.conj(weights / {_total})", weights=f"{_spread} * np.conj({_offset} / {_total})",
     jvp=f"np.sum((weights * x_dot + {_offset} * weights_dot) / {_total}, axis, keepdims=keepdims)",
     when="weights.ndim == x.ndim and x.dtype.kind == 'c'", sample=(_Z, "0", f"2.0 + {_Z}"))
rule(_call, x=REFUSE("weights of some of the axes have no rule; give them the shape of the array"),
     weights=REFUSE("weights of some of the axes have no rule; give them the shape of the array"))
_call = "np.average(x, axis=None, weights=None, returned=False, keepdims=False)"
rule(_call, x=("unreduce(g, np.shape(x), axis, keepdims) * (max(1, np.size(ans[0])) / max(1, np.size(x)))", None),
     jvp=("np.mean(x_dot, axis, keepdims=keepdims)", "np.zeros_like(ans[1])"), when="returned and weights is None",
     sample=("rng.normal(size=(2, 3))", "0", "None", "True"))
_offset = "(x - unreduce(ans[0], np.shape(x), axis, keepdims))"
rule(_call, x=(f"{_spread} * weights / {_total}", None), weights=(f"{_spread} * {_offset} / {_total}", _spread),
     jvp=(f"np.sum((weights * x_dot + {_offset} * weights_dot) / {_total}, axis, keepdims=keepdims)",
          "np.sum(weights_dot, axis, keepdims=keepdims)"), when="returned and weights.ndim == x.ndim",
     sample=("rng.normal(size=(2, 3))", "0", "rng.uniform(0.5, 1.5, (2, 3))", "True"))
_along = "align(weights, x, axis)"
_moved = f"np.sum({_along} * x_dot + {_offset} * align(weights_dot, x, axis), axis, keepdims=keepdims)"
rule(_call, x=(f"{_spread} * {_along} / np.sum(weights)", None),
     weights=(f"np.reshape(unbroadcast({_spread} * {_offset} / np.sum(weights), np.shape({_along})), (-1,))",
              "np.full_like(weights, np.sum(g))"),
     jvp=(f"{_moved} / np.sum(weights)", "np.sum(weights_dot) + np.zeros_like(ans[1])"),
     when="returned and axis.ndim == 0 and weights.ndim == 1",
     sample=("rng.normal(size=(2, 3))", "1", "rng.uniform(0.5, 1.5, 3)", "True"))
rule(_call, x=REFUSE("with `returned` it has no rule; take the sum of the weights by itself"), when="returned",
     weights=REFUSE("with `returned` it has no rule; take the sum of the weights by itself"))

# -------------------------------------------------------------------------------------------- running sums, steps

_call = "np.cumsum(x, axis=None)"
linear(_call, x="np.cumsum(g[::-1])[::-1]", when="x.ndim == 1", view="")
linear(_call, x="np.reshape(np.cumsum(g[::-1])[::-1], np.shape(x))", when="axis is None or x.ndim == 0", view="")
linear(_call, x="np.flip(np.cumsum(np.flip(g, axis), axis), axis)", when="axis is not None", view="")
linear("np.add.accumulate(x, axis=0)", x="np.flip(np.cumsum(np.flip(g, axis), axis), axis)",
       when="isinstance(axis, int)", view="")
rule("np.multiply.accumulate(x, axis=0)", x="uncumprod(g, x, axis)", jvp="cumprod_tangent(x_dot, x, ans, axis)",
     when="isinstance(axis, int)")
_call = "np.cumprod(x, axis=None)"
rule(_call, x="np.reshape(uncumprod(g, np.ravel(x), 0), np.shape(x))",
     jvp="cumprod_tangent(np.ravel(x_dot), np.ravel(x), ans, 0)", when="axis is None or x.ndim == 0")
rule(_call, x="uncumprod(g, x, axis)", jvp="cumprod_tangent(x_dot, x, ans, axis)", when="axis is not None")
rule(_call, x="np.reshape(uncumprod(g, np.conj(np.ravel(x)), 0), np.shape(x))",
     jvp="cumprod_tangent(np.ravel(x_dot), np.ravel(x), ans, 0)", when=f"axis is None and {_COMPLEX}", sample=(_Z,))
rule(_call, x="uncumprod(g, np.conj(x), axis)", jvp="cumprod_tangent(x_dot, x, ans, axis)",
     when=f"axis is not None and {_COMPLEX}", sample=(_Z, "0"))
for _kinds, _holed, _conj in (("", _WITH_NAN, "{}"), (f" and {_COMPLEX}", _WITH_HOLE, "np.conj({})")):
    rule("np.nancumsum(x, axis=None)", when=f"(axis is None or x.ndim == 0){_kinds}", sample=_holed,
         x="np.where(np.isnan(x), 0, np.reshape(np.cumsum(g[::-1])[::-1], np.shape(x)))",
         jvp="np.cumsum(np.where(np.isnan(x), 0, x_dot))")
    rule("np.nancumsum(x, axis=None)", when=f"axis is not None{_kinds}", sample=(*_holed, "0"),
         x="np.where(np.isnan(x), 0, np.flip(np.cumsum(np.flip(g, axis), axis), axis))",
         jvp="np.cumsum(np.where(np.isnan(x), 0, x_dot), axis)")
    _flat, _whole = _conj.format(f"np.ravel({_NUMBERS})"), _conj.format(_NUMBERS)
    rule("np.nancumprod(x, axis=None)", when=f"(axis is None or x.ndim == 0){_kinds}", sample=_holed,
         x=f"np.where(np.isnan(x), 0, np.reshape(uncumprod(g, {_flat}, 0), np.shape(x)))",
         jvp=f"cumprod_tangent(np.ravel(np.where(np.isnan(x), 0, x_dot)), np.ravel({_NUMBERS}), ans, 0)")
    rule("np.nancumprod(x, axis=None)", when=f"axis is not None{_kinds}", sample=(*_holed, "0"),
         x=f"np.where(np.isnan(x), 0, uncumprod(g, {_whole}, axis))",
         jvp=f"cumprod_tangent(np.where(np.isnan(x), 0, x_dot), {_NUMBERS}, ans, axis)")
rule("np.multiply.accumulate(x, axis=0)", x="uncumprod(g, np.conj(x), axis)", sample=(_Z,),
     jvp="cumprod_tangent(x_dot, x, ans, axis)", when=f"axis is not None and {_COMPLEX}")
linear("np.cumulative_sum(x, axis=None)", x="np.cumsum(g[::-1])[::-1]", when="x.ndim == 1", view="")
linear("np.cumulative_sum(x, axis=None)", x="np.reshape(g, ())", when="x.ndim == 0", view="")
linear("np.cumulative_sum(x, axis=None)", x="np.flip(np.cumsum(np.flip(g, axis), axis), axis)",
       when="isinstance(axis, int)", sample=("rng.normal(size=(2, 3))", "1"), view="")
for _kinds, _plus, _x in (("", "", "x"), (f" and {_COMPLEX}", " + 1j", "np.conj(x)")):
    rule("np.cumulative_prod(x, axis=None)", x=f"uncumprod(g, {_x}, 0)", jvp="cumprod_tangent(x_dot, x, ans, 0)",
         when=f"x.ndim == 1{_kinds}", sample=(f"rng.normal(size=3){_plus}",))
    rule("np.cumulative_prod(x, axis=None)", x="np.reshape(g, ())", jvp="np.reshape(x_dot, (1,))",
         when=f"x.ndim == 0{_kinds}", sample=(f"np.asarray(1.5{_plus})",))
    rule("np.cumulative_prod(x, axis=None)", x=f"uncumprod(g, {_x}, axis)", jvp="cumprod_tangent(x_dot, x, ans, axis)",
         when=f"isinstance(axis, int){_kinds}", sample=(f"rng.normal(size=(2, 3)){_plus}", "1"))
_TAIL = "np.take(g, np.arange(1, np.shape(g)[{0}]), {0})"
_NONE = "np.zeros_like(np.take(ans, np.arange(0, 1), {0}))"
for _axis, _when, _started in (("0", "x.ndim == 1", ("rng.normal(size=3)", "None", "True")),
                             ("axis", "isinstance(axis, int)", ("rng.normal(size=(2, 3))", "1", "True"))):
    _tail, _none = _TAIL.format(_axis), _NONE.format(_axis)
    linear("np.cumulative_sum(x, axis=None, include_initial=False)", when=f"include_initial and {_when}", view="",
           x=f"np.flip(np.cumsum(np.flip({_tail}, {_axis}), {_axis}), {_axis})", sample=_started)
    for _kinds, _plus, _x in (("", "", "x"), (f" and {_COMPLEX}", " + 1j", "np.conj(x)")):
        rule("np.cumulative_prod(x, axis=None, include_initial=False)", when=f"include_initial and {_when}{_kinds}",
             x=f"uncumprod({_tail}, {_x}, {_axis})", sample=(f"{_started[0]}{_plus}", *_started[1:]),
             jvp=f"np.concatenate(({_none}, cumprod_tangent(x_dot, x, np.cumprod(x, {_axis}), {_axis})), {_axis})")
linear("np.diff(x, n=1, axis=-1)", x="undiff(g, np.shape(x), n, axis)", sample=("rng.normal(size=(3, 4))", "2", "0"),
       view="x if n == 0")
_ENDS = "np.diff(x, n=1, axis=-1, prepend=None, append=None)"
_ROW = "rng.normal(size=(1, 3))"
for _when, _ends, _parts in (("prepend is not None and append is None", ("0.5", "None"), "(prepend, x)"),
                             ("prepend is None and append is not None", ("None", _ROW), "(x, append)"),
                             ("prepend is not None and append is not None", (_ROW, "0.5"), "(prepend, x, append)")):
    _names = _parts.strip("()").split(", ")
    _part = {name: f"undiff_part(g, {_parts}, {at}, np.shape(x), n, axis)" for at, name in enumerate(_names)}
    _dots = ", ".join(f"{name}={name}_dot" for name in _names if name != "x")
    _own = _part.pop("x")
    for _kinds, _plus in (("", ""), (f" and {_COMPLEX}", " + 1j")):
        rule(_ENDS, x=_own, jvp=f"np.diff(x_dot, n, axis, {_dots})", when=f"n != 0 and {_when}{_kinds}",
             sample=(f"rng.normal(size=(2, 3)){_plus}", "2", "0", *_ends), **cast("Any", _part))
linear("np.ediff1d(x)", x="np.reshape(undiff(g, (np.size(x),), 1, 0), np.shape(x))",
       sample=("rng.normal(size=(2, 3))",), view="")
for _end, _own, _rest in (("to_begin", "g[:np.size(to_begin)]", "g[np.size(to_begin):]"),
                          ("to_end", "g[len(g) - np.size(to_end):]", "g[:len(g) - np.size(to_end)]")):
    linear(f"np.ediff1d(x, {_end}=None)", x=f"np.reshape(undiff({_rest}, (np.size(x),), 1, 0), np.shape(x))",
           when=f"{_end} is not None", sample=("rng.normal(size=(2, 3))", "rng.normal(size=2)"), view="",
           **cast("Any", {_end: f"np.reshape({_own}, np.shape({_end}))"}))
linear("np.ediff1d(x, to_end=None, to_begin=None)", when="to_end is not None and to_begin is not None",
       x="np.reshape(undiff(g[np.size(to_begin):len(g) - np.size(to_end)], (np.size(x),), 1, 0), np.shape(x))",
       to_end="np.reshape(g[len(g) - np.size(to_end):], np.shape(to_end))",
       to_begin="np.reshape(g[:np.size(to_begin)], np.shape(to_begin))",
       sample=("rng.normal(size=(2, 3))", "rng.normal(size=2)", "0.5"), view="")
_call = "np.gradient(x, *spacing, axis=None, edge_order=1)"
linear(_call, x="ungradient(g, np.shape(x), spacing, axis, edge_order)", when="len(spacing) == 0",
       sample=("rng.normal(size=(5, 4))",), view="")
for _when, _plus in ((None, ""), (_COMPLEX, " + 1j * rng.normal(size=(5, 4))")):
    rule(_call, x="ungradient(g, np.shape(x), spacing, axis, edge_order)", when=_when,
         spacing="gradient_spacing_vjp(g, x, spacing, axis, edge_order)",
         jvp="gradient_jvp(x_dot, spacing_dot, x, spacing, axis, edge_order)",
         sample=(f"rng.normal(size=(5, 4)){_plus}", "0.5", "np.array([0.0, 0.5, 0.7, 2.0])"))

# ----------------------------------------------------------------------------------------------------- orderings

_call = "np.sort(x, axis=-1, kind=None, stable=None)"
rule(_call, x="np.take_along_axis(g, np.argsort(np.argsort(x, axis), axis), axis)",
     jvp="np.take_along_axis(np.array(x_dot), np.argsort(x, axis), axis)", sample=("[0.3, -1.2, 0.8]",),
     when="axis is not None and (isinstance(x, list) or isinstance(x, tuple))")
for _when, _sample in (("", None), (f" and {_COMPLEX}", (_Z,))):
    rule(_call, x="g[np.argsort(np.argsort(x))]", jvp="x_dot[np.argsort(x)]", when=f"x.ndim == 1{_when}",
         sample=("rng.normal(size=3) + 1j * rng.normal(size=3)",) if _when else None)
    rule(_call, x="np.take_along_axis(g, np.argsort(np.argsort(x, axis), axis), axis)",
         jvp="np.take_along_axis(x_dot, np.argsort(x, axis), axis)", when=f"axis is not None{_when}", sample=_sample)
    rule(_call, x="np.reshape(g[np.argsort(np.argsort(np.ravel(x)))], np.shape(x))",
         jvp="np.ravel(x_dot)[np.argsort(np.ravel(x))]", when=f"axis is None{_when}",
         sample=(*_sample, "None") if _sample else None)
rule("np.sort_complex(x)", x="np.take_along_axis(g, np.argsort(np.argsort(x)), -1)",
     jvp="np.take_along_axis(x_dot, np.argsort(x), -1)", when="x.ndim >= 1 and x.dtype.kind in 'fc'", sample=(_Z,))
rule("np.partition(x, kth, axis=-1)", x="match_order(g, ans, x, axis)", jvp="match_order(x_dot, x, ans, axis)",
     when="axis is not None", sample=("rng.normal(size=(3, 4))", "2"))
rule("np.partition(x, kth, axis=-1)", x="np.reshape(match_order(g, ans, np.ravel(x), 0), np.shape(x))",
     jvp="match_order(np.ravel(x_dot), np.ravel(x), ans, 0)", when="axis is None",
     sample=("rng.normal(size=(3, 4))", "2", "None"))

# Of what is named several times, the first one counts; of two arrays, the first one.
_SET = "np.array([1.5, 0.3, 2.0])"
rule("np.unique(x)", x="undistinct(g, ans, x)", jvp="distinct_tangent(x_dot, ans, x)", when="x.ndim >= 1",
     sample=(_SET,))
for _more, _flags in enumerate((("False", "True"), ("True", "False", "True"), ("True", "True", "True")), 1):
    rule("np.unique(x, return_index=False, return_inverse=False, return_counts=False)",
         x=("undistinct(g, ans[0], x)", *(None,) * _more), jvp=("distinct_tangent(x_dot, ans[0], x)", *(None,) * _more),
         when=f"x.ndim >= 1 and return_index + return_inverse + return_counts == {_more}", sample=(_SET, *_flags))
rule("np.setdiff1d(x, y)", x="undistinct(g, ans, x)", jvp="distinct_tangent(x_dot, ans, x)",
     when="x.ndim >= 1 and y.ndim >= 1", sample=(_SET, "np.array([0.7, 0.4])"))
for _name in ("np.union1d", "np.setxor1d"):
    rule(f"{_name}(x, y)", x="undistinct(g, ans, x)", y="undistinct(g, ans, y, x)",
         jvp="distinct_tangent(x_dot, ans, x) + distinct_tangent(y_dot, ans, y, x)",
         when="x.ndim >= 1 and y.ndim >= 1", sample=(_SET, "np.array([0.7, 0.4])"))

_FLAT, _HOLED = "rng.normal(size=(3, 4))", _FOUR_WITH_NAN[0]
for _name, _matrix, _method, _also in (("", _FLAT, ", method='linear'", ", method"),
                                       ("nan", _HOLED, ", method='linear'", ", method, True")):
    _kept = "axis, keepdims" + (", 'linear', True" if _name else "")
    _of = "np.where(np.isnan(x), 0, {})" if _name else "{}"
    _middle = _of.format(f"unquantile(g, x, 0.5, {_kept})")
    rule(f"np.{_name}median(x, axis=None, keepdims=False)", x=_middle,
         jvp=f"quantile_tangent(x_dot, x, 0.5, {_kept})", sample=(_matrix,))
    rule(f"np.{_name}median(x, axis=None, keepdims=False)", x=_middle, when=_COMPLEX,
         jvp=f"quantile_tangent(x_dot, x, 0.5, {_kept})",
         sample=(_HOLED_Z[0] if _name else "rng.normal(size=(3, 4)) + 1j * rng.normal(size=(3, 4))",))
    for _ranks, _level, _q, _per in (("quantile", "q", "np.array([0.3, 0.9])", ""),
                                     ("percentile", "np.divide(q, 100)", "30.0", " / 100")):
        _quantile = f"np.{_name}{_ranks}(x, q, axis=None, keepdims=False{_method})"
        _slope = f"rank_slope(x, {_level}, axis, keepdims{_also}){_per}"
        _of_items = _of.format(f"unquantile(g, x, {_level}, axis, keepdims{_also})")
        _items_jvp = f"quantile_tangent(x_dot, x, {_level}, axis, keepdims{_also})"
        rule(_quantile, x=_of_items, jvp=_items_jvp, when="q >= 0", sample=(_matrix, "0.3"))  # a number in the text
        rule(_quantile, sample=(_matrix, _q), x=_of_items,
             q=f"np.reshape(np.sum(np.reshape(g * {_slope}, (np.size(q), -1)), 1), np.shape(q))",
             jvp=f"{_items_jvp} + {_slope} * np.reshape(q_dot, np.shape(q) + (1,) * (np.ndim(ans) - np.ndim(q)))")

# By weights, the rank falls on one of the items.
for _name, _rank in (("quantile", "0.4"), ("percentile", "40.0")):
    for _nan, _matrix, _drawn in (("", _FLAT, "(3, 4)"), ("nan", _HOLED, "(2, 3)")):
        rule(f"np.{_nan}{_name}(x, q, axis=None, keepdims=False, weights=None, method='linear')",
             x="share_ties(g, x, ans, axis, keepdims)", jvp="mean_of_ties(x_dot, x, ans, axis, keepdims)",
             when="weights is not None and q.ndim == 0", sample=(_matrix, _rank, "None", "False",
             f"rng.uniform(0.5, 1.5, {_drawn})", "'inverted_cdf'"))
        rule(f"np.{_nan}{_name}(x, q, axis=None, keepdims=False, weights=None, method='linear')",
             x="share_each(g, x, ans, axis, keepdims)", jvp="mean_of_each(x_dot, x, ans, axis, keepdims)",
             when="weights is not None and (q.ndim == 1 or isinstance(q, (tuple, list)))",
             sample=(_matrix, f"np.array([{_rank}, 0.9])", "1", "False", f"rng.uniform(0.5, 1.5, {_drawn})",
                     "'inverted_cdf'"))

# ------------------------------------------------------------------------------------------------------- traces

_call = "np.trace(x, offset=0, axis1=0, axis2=1)"
_PLAIN = "x.square and axis1 == 0 and axis2 == 1 and offset == 0"
# What is complex by its kind may be real in the run, as the root of a matrix is.
linear(_call, x="np.diag(np.full(len(x), g, np.result_type(x, np.complex64)))", view="",
       when=f"{_PLAIN} and x.dtype.kind == 'c'", sample=("rng.normal(size=(3, 3)) + 1j",))
linear(_call, x="np.diag(np.full(len(x), g, x.dtype))", when=_PLAIN, sample=("rng.normal(size=(3, 3))",), view="")
linear(_call, x="undiagonal(np.expand_dims(g, -1), np.shape(x), offset, axis1, axis2)",
       sample=("rng.normal(size=(3, 4, 2))",), view="")
linear("np.linalg.trace(x, offset=0)", x="undiagonal(np.expand_dims(g, -1), np.shape(x), offset, -2, -1)",
       sample=("rng.normal(size=(2, 3, 4))",), view="")
