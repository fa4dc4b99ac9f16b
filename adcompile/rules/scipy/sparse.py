"""The rows of `scipy.sparse`: a matrix or array of it times an array, from either side.

What is sparse is held fixed (an input of that kind has no partial), so a product is linear in the array, and its
transpose is the product with the transposed matrix. For the classes that SciPy calls matrices, `*` is this product.
"""

from __future__ import annotations

from adcompile.rules.forms import REFUSE, bilinear, constant, linear, opaque, rule

_HELD = REFUSE("what is sparse is held fixed; make it of numbers that do not vary, or use arrays")
_ON_THE_LEFT = (("x @ y", "array", ""), ("x.dot(y)", "array", ""), ("x * y", "matrix", " == 'matrix'"))
_ON_THE_RIGHT = (("x @ y", "array", ""), ("x * y", "matrix", " == 'matrix'"))

for _number, _plus, _x, _y in (("!=", "", "x", "y"), ("==", " + 1j", "x.conj()", "y.conj()")):
    _vector = f"scipy.sparse.coo_array(rng.normal(size=3){_plus})"
    for _call, _class, _is in _ON_THE_LEFT:
        _when = f"x.sparse{_is} and y.sparse == False and x.dtype.kind {_number} 'c'"
        _matrix = f"scipy.sparse.csr_{_class}(rng.normal(size=(2, 3)){_plus})"
        linear(_call, x=_HELD, y=f"{_x}.T @ g", when=f"{_when} and x.ndim == 2 and y.ndim >= 1",
               sample=(_matrix, "rng.normal(size=(3, 2))"), view="")
        if _class == "array":  # of one axis
            linear(_call, x=_HELD, y=f"{_x}.toarray() * g", when=f"{_when} and x.ndim == 1 and y.ndim == 1",
                   sample=(_vector, "rng.normal(size=3)"), view="")
            linear(_call, x=_HELD, y=f"np.outer({_x}.toarray(), g)", when=f"{_when} and x.ndim == 1 and y.ndim == 2",
                   sample=(_vector, "rng.normal(size=(3, 2))"), view="")
    for _call, _class, _is in _ON_THE_RIGHT:
        _when = f"y.sparse{_is} and x.sparse == False and y.dtype.kind {_number} 'c'"
        _matrix = f"scipy.sparse.csr_{_class}(rng.normal(size=(2, 3)){_plus})"
        linear(_call, y=_HELD, x=f"g @ {_y}.T", when=f"{_when} and x.ndim >= 1 and y.ndim == 2",
               sample=("rng.normal(size=(4, 2))", _matrix), view="")
        if _class == "array":
            linear(_call, y=_HELD, x=f"g * {_y}.toarray()", when=f"{_when} and x.ndim == 1 and y.ndim == 1",
                   sample=("rng.normal(size=3)", _vector), view="")
            linear(_call, y=_HELD, x=f"np.outer(g, {_y}.toarray())", when=f"{_when} and x.ndim == 2 and y.ndim == 1",
                   sample=("rng.normal(size=(2, 3))", _vector), view="")

# ----------------------------------------------------------- a matrix by its entries, in rows `i` and columns `j`

_PLACES = ("np.array([0, 1, 2, 0, 0])", "np.array([0, 1, 2, 1, 1])", "(3, 3)")
_MADE, _SQUARE = ("scipy.sparse.csr_array", "rng.uniform(0.5, 1.5, 5)"), "rng.normal(size=3)"
bilinear("entries_times(make, v, i, j, shape, x)", v="paired(g, x, i, j)",
         x="entries_times(make, v, j, i, shape[::-1], g)", sample=(*_MADE, *_PLACES, _SQUARE))
linear("entries_dense(make, v, i, j, shape)", v="g[i, j]", sample=(*_MADE, *_PLACES), view="")
_L = "scipy.sparse.linalg."
for _name, _solver in (("solve", "spsolve"), ("factor", "splu")):
    _function = "entries_solve" if _name == "solve" else "entries_factored"
    _back = f"{_function}({_name}, make, v, j, i, shape[::-1], g)"
    rule(f"{_function}({_name}, make, v, i, j, shape, b)", v=f"-paired({_back}, ans, i, j)", b=_back,
         jvp=f"{_function}({_name}, make, v, i, j, shape, b_dot - entries_times(make, v_dot, i, j, shape, ans))",
         sample=(f"{_L}{_solver}", "scipy.sparse.csc_array", _MADE[1], *_PLACES, _SQUARE))
# By the factors of a matrix, equations with the transposed one.
_GIVEN, _BACK = "factor, make, v, i, j, shape", "entries_factored(factor, make, v, i, j, shape, g)"
rule(f"entries_factored({_GIVEN}, b, trans='N')", v=f"-paired(ans, {_BACK}, i, j)", b=_BACK,
     jvp=f"entries_factored({_GIVEN}, b_dot - entries_times(make, v_dot, j, i, shape[::-1], ans), trans)",
     when="trans in ('T', 'H')", sample=(f"{_L}splu", "scipy.sparse.csc_array", _MADE[1], *_PLACES, _SQUARE, "'T'"))
linear("held_solved(factors, b, trans)", factors=_HELD, view="",
       b="held_solved(factors, g, 'T' if trans == 'N' else 'N')",
       sample=(f"{_L}splu(scipy.sparse.csc_array(np.array([[4.0, 1.0, 0.0], [1.0, 3.0, 0.2], [0.0, 0.2, 2.0]])))",
               _SQUARE, "'T'"))
_back = "entries_iterated(solve, make, v, j, i, shape[::-1], g, rtol, atol)[0]"
rule("entries_iterated(solve, make, v, i, j, shape, b, rtol, atol)", v=(f"-paired({_back}, ans[0], i, j)", None),
     b=(_back, None), when="b.ndim == 1", jvp=(("entries_iterated(solve, make, v, i, j, shape,"
                           " b_dot - entries_times(make, v_dot, i, j, shape, ans[0]), rtol, atol)[0]"), None),
     sample=(f"{_L}gmres", *_MADE[:1], _MADE[1], *_PLACES, _SQUARE, "1e-13", "0.0"))
_GIVEN, _EXPM = "function, make, v, i, j, shape, b", (f"{_L}expm_multiply", *_MADE, *_PLACES, _SQUARE)
rule(f"entries_expm({_GIVEN})", b="entries_expm(function, make, v, j, i, shape[::-1], g)",
     v=f"entries_expm_vjp(g, {_GIVEN})", sample=_EXPM,
     jvp="entries_expm(function, make, v, i, j, shape, b_dot)"
         f" + entries_expm_jvp(v_dot, {_GIVEN})")
opaque("no rule for the second derivative by the entries of the matrix in `expm_multiply`", "entries_expm_vjp",
       "entries_expm_jvp")
constant("places_of", "places_of_bands", "places_named", "places_once", "places_met", "places_set_last", "place_set",
         "offsets_of", "entries_sum", "places_among", "eigenpairs_found", "eigenvalues_found", "factors_made",
         "squares_found", view="")
bilinear("paired(a, b, i, j)", a="entries_product(g, i, j, np.shape(a), b)",
         b="entries_product(g, j, i, np.shape(b), a)",
         when="a.ndim == 1 and b.ndim == 1", sample=(_SQUARE, _SQUARE, *_PLACES[:2]))
bilinear("entries_product(v, i, j, shape, x)", v="paired(g, x, i, j)", x="entries_product(v, j, i, np.shape(x), g)",
         sample=(_MADE[1], *_PLACES[:2], "(3,)", _SQUARE))

# ---------------------------------------------------------------------------- solvers and the exponential of a matrix

_FIXED = ("scipy.sparse.csc_array(np.array([[4.0, 1.0, 0.0], [1.0, 3.0, 0.2], [0.0, 0.2, 2.0]]))", _SQUARE)
linear(f"{_L}spsolve(x, y)", x=_HELD, y=f"{_L}spsolve(x.T, g)", view="", sample=_FIXED,
       when="x.sparse and y.sparse == False and x.dtype.kind != 'c'")
linear(f"{_L}expm_multiply(x, y)", x=_HELD, y=f"{_L}expm_multiply(x.T, g)", view="", sample=_FIXED,
       when="x.sparse and y.sparse == False and x.dtype.kind != 'c'")
for _name in ("cg", "cgs", "bicg", "bicgstab", "gmres", "minres"):
    _given = "rtol=1e-05" if _name == "minres" else "rtol=1e-05, atol=0.0"
    _call, _as = f"{_L}{_name}(x, y, {_given})", ", ".join(f"{p}={p}" for p in ("rtol", "atol")[:_given.count("=")])
    _back, _real = f"{_L}{_name}(x.T, g, {_as})[0]", "x.dtype.kind != 'c' and y.ndim == 1"
    linear(_call, x=_HELD, y=(_back, None), when=f"x.sparse and y.sparse == False and {_real}", view="",
           sample=(*_FIXED, "1e-12"))
    rule(_call, x=(f"-np.outer({_back}, ans[0])", None), y=(_back, None),
         jvp=(f"{_L}{_name}(x, y_dot - x_dot @ ans[0], {_as})[0]", None), when=f"x.ndim == 2 and {_real}",
         sample=(f"{_FIXED[0]}.toarray()", _SQUARE, "1e-12"))
    # With a start, which what is found does not depend on, a limit, and a preconditioner.
    _more = "restart=None, maxiter=None" if _name == "gmres" else "maxiter=None"
    _call = f"{_L}{_name}(x, y, x0=None, {_given}, {_more}, M=None)"
    _as = ", ".join(f"{p.split('=')[0]}={p.split('=')[0]}" for p in f"{_given}, {_more}".split(", "))
    _options = ("np.ones(3)", "1e-12", *(("0.0",) if "atol" in _given else ()), *(("None",) * (_name == "gmres")), "90")
    for _is, _with, _turned, _m in (
        ("M is None", "", "", "None"), ("M.sparse", ", M=M", ", M=M.T", "scipy.sparse.csr_array(np.eye(3))"),
        ("M.ndim == 2", ", M=M", ", M=M.T", "np.eye(3)"),
    ):
        _back = f"converged({_L}{_name}(x.T, g, {_as}{_turned}), ans[1])"
        _dot = f"converged({_L}{_name}(x, {{}}, {_as}{_with}), ans[1])"
        rule(_call, x=_HELD, y=(_back, None), jvp=(_dot.format("y_dot"), None), sample=(*_FIXED, *_options, _m),
             when=f"x.sparse and y.sparse == False and {_real} and {_is}")
        rule(_call, x=(f"-np.outer({_back}, ans[0])", None), y=(_back, None), when=f"x.ndim == 2 and {_real} and {_is}",
             jvp=(_dot.format("y_dot - x_dot @ ans[0]"), None),
             sample=(f"{_FIXED[0]}.toarray()", _SQUARE, *_options, _m))
rule("converged(found, info)", found="(g, 0)", jvp="found_dot[0]", sample=("(np.ones(3), 0.0)", "0"), view="*found")
