"""The rows of `scipy.sparse`: a matrix or array of it times an array, from either side.

What is sparse is held fixed (an input of that kind has no partial), so a product is linear in the array, and its
transpose is the product with the transposed matrix. For the classes that SciPy calls matrices, `*` is this product.
"""

from __future__ import annotations

from adcompile.rules.forms import REFUSE, linear

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
