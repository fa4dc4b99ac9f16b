"""The rows of `scipy.ndimage`: filters that correlate with weights, and sums over labelled parts.

A filter reads beyond the borders by its mode; with "constant" it reads `cval`, of which the result is not a multiple.
So the rows are general ones: the tangent is filtered with `cval` 0.
"""

from __future__ import annotations

from typing import Any

from adcompile.rules.forms import REFUSE, bilinear, constant, linear, opaque, rule

_N = "scipy.ndimage."
_IMAGE, _SMALL = "rng.normal(size=(4, 5))", "rng.normal(size=(3, 2))"
_WIDTH = REFUSE("no rule for the width of a filter; write the sum over weights that depend on it")
_GIVEN = "mode='reflect', cval=0.0"

for _name, _turned, _origin in (("correlate", "weights", "origin"),
                                ("convolve", "np.flip(weights)", "mirrored(origin, np.shape(weights))")):
    _weights = f"correlate_weights(g, x, np.shape(weights), mode, cval, {_origin})"
    rule(f"{_N}{_name}(x, weights, {_GIVEN}, origin=0)",
         x=f"correlate_transpose(g, {_turned}, mode, {_origin})",
         weights=_weights if _name == "correlate" else f"np.flip({_weights})",
         jvp=f"{_N}{_name}(x_dot, weights, mode=mode, cval=0.0, origin=origin)"
             f" + {_N}{_name}(x, weights_dot, mode=mode, cval=cval, origin=origin)",
         sample=(_IMAGE, _SMALL, "'mirror'"))
    # Along one axis, the weights have length 1 along the others.
    _turned = "weights_along(weights, np.ndim(x), axis)" if _name == "correlate" else (
        "weights_along(weights[::-1], np.ndim(x), axis)")
    _origin = "at_axis(origin, 0, np.ndim(x), axis)" if _name == "correlate" else (
        "at_axis(mirrored(origin, np.shape(weights))[0], 0, np.ndim(x), axis)")
    _weights = f"np.ravel(correlate_weights(g, x, at_axis(len(weights), 1, np.ndim(x), axis), mode, cval, {_origin}))"
    rule(f"{_N}{_name}1d(x, weights, axis=-1, {_GIVEN}, origin=0)",
         x=f"correlate_transpose(g, {_turned}, mode, {_origin})",
         weights=_weights if _name == "correlate" else f"{_weights}[::-1]",
         jvp=f"{_N}{_name}1d(x_dot, weights, axis, mode=mode, cval=0.0, origin=origin)"
             f" + {_N}{_name}1d(x, weights_dot, axis, mode=mode, cval=cval, origin=origin)",
         sample=(_IMAGE, "rng.normal(size=3)", "0"))

for _call, _kernels, _moved in (
    ("gaussian_filter(x, sigma, order=0, mode='reflect', cval=0.0, truncate=4.0)",
     "gaussian_kernels(np.ndim(x), sigma, order, truncate)", "sigma, order, mode=mode, truncate=truncate"),
    ("gaussian_filter1d(x, sigma, axis=-1, order=0, mode='reflect', cval=0.0, truncate=4.0)",
     "[at_axis(gaussian_kernels(1, sigma, order, truncate)[0][0], None, np.ndim(x), axis)]",
     "sigma, axis, order, mode=mode, truncate=truncate"),
    ("gaussian_laplace(x, sigma, mode='reflect', cval=0.0)", "bend_kernels(np.ndim(x), sigma)", "sigma, mode=mode"),
    ("uniform_filter(x, size=3, mode='reflect', cval=0.0, origin=0)", "box_kernels(np.ndim(x), size)",
     "size, mode=mode, origin=origin"),
    ("uniform_filter1d(x, size, axis=-1, mode='reflect', cval=0.0, origin=0)",
     "[at_axis(box_kernels(1, size)[0][0], None, np.ndim(x), axis)]", "size, axis, mode=mode, origin=origin"),
    ("sobel(x, axis=-1, mode='reflect', cval=0.0)", "edge_kernels(np.ndim(x), axis, 2.0)", "axis, mode=mode"),
    ("prewitt(x, axis=-1, mode='reflect', cval=0.0)", "edge_kernels(np.ndim(x), axis, 1.0)", "axis, mode=mode"),
    ("laplace(x, mode='reflect', cval=0.0)", "bend_kernels(np.ndim(x))", "mode=mode"),
):
    _name = _call.partition("(")[0]
    _width: Any = {"sigma": _WIDTH} if "sigma" in _call else {}
    rule(f"{_N}{_call}", x=f"filter_transpose(g, {_kernels}, mode{', origin' if 'origin' in _call else ''})",
         jvp=f"{_N}{_name}(x_dot, {_moved})", **_width,
         sample=(_IMAGE, "1.2") if "sigma" in _call else (_IMAGE, "2") if "size" in _call else (_IMAGE,))

for _name in ("sum", "sum_labels", "mean"):
    _each = "g" if _name != "mean" else f"g / {_N}sum_labels(np.ones_like(x), labels, index)"
    linear(f"{_N}{_name}(x, labels=None, index=None)", x=f"of_labels({_each}, labels, index)",
           when="labels is not None and index is not None",
           sample=("rng.normal(size=4)", "np.array([1, 2, 1, 0])", "[1, 2]"), view="")

# ------------------------------------------------------------------------------------ reading between the items (M.
# Unser, "Splines: a perfect fit for signal and image processing")

_PLACES = "np.array([[0.3, 2.6, 1.2], [0.4, 3.1, 2.7]])"
_SAMPLE, _AT = f"{_N}map_coordinates(x, coordinates, order=3, mode='constant', cval=0.0)", "coordinates, order, mode"
_OF_TWO = "len(coordinates) == 2 and coordinates[0].dtype.kind == 'f' and coordinates[1].dtype.kind == 'f'"
_OF_THREE = _OF_TWO.replace("== 2", "== 3") + " and coordinates[2].dtype.kind == 'f'"
_EACH = f"(coordinates.item.dtype.kind == 'f' or {_OF_TWO} or {_OF_THREE})"
for _given, _sampled in (("coordinates.dtype.kind == 'f'", _PLACES), (_EACH, f"list({_PLACES})")):
    rule(_SAMPLE, x=f"sampled_transpose(g, {_N}spline_filter1d, np.shape(x), {_AT})",
         coordinates=f"g * sampled_slopes({_N}spline_filter1d, x, {_AT})",
         jvp=f"{_N}map_coordinates(x_dot, coordinates, order=order, mode=mode)"
             f" + np.sum(sampled_slopes({_N}spline_filter1d, x, {_AT}) * np.asarray(coordinates_dot), axis=0)",
         when=f"x.dtype.kind == 'f' and {_given} and (order in (0, 1) and mode in ('constant',"
              " 'nearest') or order == 3 and mode == 'constant')", sample=(_IMAGE, _sampled, "3"))
# What moves an image reads it at places that it computes.
_MOVED = REFUSE("no rule for what moves the image; write `map_coordinates` at the places that depend on it")
_FITS = ("x.dtype.kind == 'f' and (order in (0, 1) and mode in ('constant', 'nearest') or order == 3"
         " and mode == 'constant')")
for _moving, _places, _again, _values in (
    ("shift", "shifted_places(np.shape(x), shift)", "shift", ("np.array([0.4, -0.3])",)),
    ("zoom", "zoomed_places(np.shape(x), np.shape(g))", "zoom", ("1.7",)),
    ("matrix, offset=0.0", "mapped_places(matrix, offset, np.shape(g))", "matrix, offset",
     ("np.array([[0.9, 0.1], [-0.2, 0.8]])", "0.2")),
    ("angle, axes=(1, 0), reshape=True", "turned_places(np.shape(x), angle, axes, np.shape(g))",
     "angle, axes, reshape", ("30.0", "(1, 0)", "True")),
):
    _name = {"matrix, offset=0.0": "affine_transform", "shift": "shift", "zoom": "zoom"}.get(_moving, "rotate")
    _fixed: Any = {name: _MOVED for name in ("shift", "zoom", "matrix", "offset", "angle") if name in _again}
    rule(f"{_N}{_name}(x, {_moving}, order=3, mode='constant', cval=0.0)", when=_FITS, **_fixed,
         x=f"sampled_transpose(g, {_N}spline_filter1d, np.shape(x), {_places}, order, mode)",
         jvp=f"{_N}{_name}(x_dot, {_again}, order=order, mode=mode)", sample=(_IMAGE, *_values))
constant("shifted_places", "zoomed_places", "mapped_places", "turned_places", view="")
_ONCE = "no rule for the third derivative by the places at which an image is read"
_FILTER = f"{_N}spline_filter1d"
rule("sampled_transpose(v, filtered, shape, coordinates, order, mode)",
     v=f"{_N}map_coordinates(g, coordinates, order=order, mode=mode)",
     coordinates="v * sampled_slopes(filtered, g, coordinates, order, mode)",
     jvp="sampled_transpose(v_dot, filtered, shape, coordinates, order, mode)"
         " + sampled_slopes_vjp(v * np.asarray(coordinates_dot), filtered, shape, coordinates, order, mode)",
     sample=("rng.normal(size=3)", _FILTER, "(4, 5)", _PLACES, "3", "'constant'"))
rule("sampled_slopes(filtered, x, coordinates, order, mode)",
     x="sampled_slopes_vjp(g, filtered, np.shape(x), coordinates, order, mode)",
     coordinates="np.sum(np.expand_dims(g, 1) * sampled_bends(filtered, x, coordinates, order, mode), 0)",
     jvp="sampled_slopes(filtered, x_dot, coordinates, order, mode)"
         " + np.sum(sampled_bends(filtered, x, coordinates, order, mode) * np.asarray(coordinates_dot), 1)",
     sample=(_FILTER, _IMAGE, _PLACES, "3", "'constant'"))
linear("sampled_slopes_vjp(v, filtered, shape, coordinates, order, mode)", coordinates=REFUSE(_ONCE), view="",
       v="sampled_slopes(filtered, g, coordinates, order, mode)",
       sample=("rng.normal(size=(2, 3))", _FILTER, "(4, 5)", _PLACES, "3", "'constant'"))
opaque(_ONCE, "sampled_bends")

# ----------------------------------------------------------------- filters that pick an item: of equal ones, the first

for _call, _ranked in (("maximum_filter(x", ()), ("minimum_filter(x", ()), ("median_filter(x", ()),
                       ("rank_filter(x, rank", ("1",)), ("percentile_filter(x, percentile", ("30",))):
    _picks = "picked_places(x, ans, size, footprint, mode, cval, origin)"
    rule(f"{_N}{_call}, size=None, footprint=None, {_GIVEN}, origin=0)",
         x=f"picked_transpose(g, {_picks}, np.shape(x))", jvp=f"picked(x_dot, {_picks})",
         sample=(_IMAGE, *_ranked, "3"))
for _name in ("maximum_filter1d", "minimum_filter1d"):
    _picks = ("picked_places(x, ans, at_axis(size, 1, np.ndim(x), axis), None, mode, cval,"
              " at_axis(origin, 0, np.ndim(x), axis))")
    rule(f"{_N}{_name}(x, size, axis=-1, {_GIVEN}, origin=0)", x=f"picked_transpose(g, {_picks}, np.shape(x))",
         jvp=f"picked(x_dot, {_picks})", sample=(_IMAGE, "3", "0"))
_STRUCTURE = REFUSE("no rule for heights beside a footprint; leave that out, and give what is outside a height of -inf")
_TURNED = "turned_around(x, size, footprint)"
for _name, _around, _heights, _origin, _sign, _own in (
    ("grey_erosion", "size, footprint, mode, cval, origin", "np.negative(structure)", "origin", "-", "{}"),
    ("grey_dilation", f"None, {_TURNED}, mode, cval, mirrored(origin, np.shape({_TURNED}))", "np.flip(structure)",
     "mirrored(origin, np.shape(structure))", "", "np.flip({})"),
):
    _call = f"{_N}{_name}(x, size=None, footprint=None, structure=None, {_GIVEN}, origin=0)"
    _picks = f"picked_places(x, ans, {_around})"
    rule(_call, x=f"picked_transpose(g, {_picks}, np.shape(x))", jvp=f"picked(x_dot, {_picks})", structure=_STRUCTURE,
         sample=(_IMAGE, "(3, 2)"), when="structure is None")
    _picks = f"raised_places(x, ans, {_heights}, mode, cval, {_origin})"
    _moved = _own.format("structure_dot")
    rule(_call, x=f"picked_transpose(g, {_picks}[0], np.shape(x))",
         structure=_sign + _own.format(f"picked_transpose(g, {_picks}[1], np.shape(structure))"),
         jvp=f"picked(x_dot, {_picks}[0]) {_sign or '+'} picked({_moved}, {_picks}[1])",
         sample=(_IMAGE, "None", "None", "rng.normal(size=(3, 2))"), when="structure is not None and footprint is None")
_picks = "picked_places(x, ans, None, domain, 'constant', 0.0, 0)"
rule("scipy.signal.order_filter(x, domain, rank)", x=f"picked_transpose(g, {_picks}, np.shape(x))",
     jvp=f"picked(x_dot, {_picks})", sample=(_IMAGE, "np.array([[1, 0, 1], [1, 1, 0], [0, 1, 1]])", "2"))
constant("picked_places", "raised_places", "turned_around", view="")
linear("picked(v, places)", v="picked_transpose(g, places, np.shape(v))", view="",
       sample=("rng.normal(size=3)", "np.array([0, 3, 2, 0])"))
linear("picked_transpose(v, places, shape)", v="picked(g, places)", view="",
       sample=("rng.normal(size=3)", "np.array([0, 3, 0])", "(3,)"))

# ------------------------------------------------------------------------------------------- what the texts call

_READ = f"{_N}correlate({{}}, {{}}, mode=mode, cval={{}}, origin=origin)"
bilinear("correlate_transpose(v, weights, mode, origin=0)", v=_READ.format("g", "weights", "0.0"),
         weights="correlate_weights(v, g, np.shape(weights), mode, 0.0, origin)", sample=(_IMAGE, _SMALL, "'wrap'"))
rule("correlate_weights(v, x, sizes, mode, cval=0.0, origin=0)", v=_READ.format("x", "g", "cval"),
     x="correlate_transpose(v, g, mode, origin)",
     jvp="correlate_weights(v_dot, x, sizes, mode, cval, origin)"
         " + correlate_weights(v, x_dot, sizes, mode, 0.0, origin)",
     sample=(_IMAGE, _IMAGE, "(3, 2)", "'wrap'"))
linear("weights_along(v, rank, axis)", v="np.ravel(g)", sample=("rng.normal(size=3)", "2", "1"))
linear("filter_transpose(v, kernels, mode, origin=0)", v="filtered(g, kernels, mode, origin)",
       sample=(_IMAGE, "[[np.array([1.0, 2.0]), np.array([1.0, 0.5, -1.2])]]", "'mirror'", "0"), view="")
linear("filtered(v, kernels, mode, origin=0)", v="filter_transpose(g, kernels, mode, origin)",
       sample=(_IMAGE, "[[np.array([1.0, 2.0]), np.array([1.0, 0.5, -1.2])]]", "'mirror'", "0"), view="")
for _name in ("gaussian_kernels", "box_kernels", "edge_kernels", "bend_kernels", "mirrored", "at_axis"):
    constant(_name, view="")
linear("of_labels(v, labels, index)", v=f"np.asarray({_N}sum_labels(g, labels, index), v.dtype)",
       sample=("rng.normal(size=2)", "np.array([1, 2, 1, 0])", "[1, 2]"), view="")
