"""The rows of Python's built-in functions.

Conventions: abs'(0) = 0. Of two equal arguments of `max` or `min` the literal one counts as the larger (smaller), so
that `max(z, 0.0)` has the derivative 0 at z = 0; of two variables, the second. The second is returned only where it is
larger (smaller): beside a NaN, Python returns the first.
"""

from __future__ import annotations

from adcompile.rules.forms import constant, elementwise, linear, rule

elementwise("abs(x)", "g * (1.0 if x > 0 else -1.0 if x < 0 else 0.0)", when="x.python", domain=(-1.5, -0.5))
elementwise("abs(x)", "g * np.sign(x)", domain=(-1.5, -0.5))
rule("abs(x)", x="g * np.sign(x)", jvp="np.real(np.conj(np.sign(x)) * x_dot)", when="x.dtype.kind == 'c'")

_TWO_NUMBERS = "x.ndim == 0 and y.ndim == 0"
elementwise("max(x, y)", None, "g if y > x else 0.0", when="x == x and y.ndim == 0", sample=("1", "2.0"), view="x y")
elementwise("max(x, y)", "g if x > y else 0.0", None, when="y == y and x.ndim == 0", sample=("2.0", "1"), view="x y")
elementwise("max(x, y)", "0.0 if y >= x else g", "g if y >= x else 0.0", when=_TWO_NUMBERS, view="x y")
elementwise("max(x, y)", "np.zeros_like(x) if y >= x else g", "g if y >= x else np.zeros_like(y)",
            sample=("np.array([2.0])", "1.0"), view="x y")  # arrays of one element
elementwise("min(x, y)", None, "g if y < x else 0.0", when="x == x and y.ndim == 0", sample=("1", "0.5"), view="x y")
elementwise("min(x, y)", "g if x < y else 0.0", None, when="y == y and x.ndim == 0", sample=("0.5", "1"), view="x y")
elementwise("min(x, y)", "0.0 if y <= x else g", "g if y <= x else 0.0", when=_TWO_NUMBERS, view="x y")
elementwise("min(x, y)", "np.zeros_like(x) if y <= x else g", "g if y <= x else np.zeros_like(y)",
            sample=("np.array([0.5])", "1.0"), view="x y")

# Of several, the one that Python returns: the first of the largest (smallest), whatever stands beside a NaN.
_THREE_NUMBERS = "x.ndim == 0 and y.ndim == 0 and z.ndim == 0"
for _name, _beyond in (("max", ">"), ("min", "<")):
    elementwise(f"{_name}(x, y, z)", f"0.0 if y {_beyond} x or z {_beyond} x else g",
                f"g if y {_beyond} x and not z {_beyond} y else 0.0",
                f"g if z {_beyond} {_name}(x, y) else 0.0", when=_THREE_NUMBERS, view="x y z")
    rule(f"{_name}(x)", x="scatter(g, x.index(ans), x)", jvp="x_dot[x.index(ans)]", view="x *x",
         when="isinstance(x, list) or isinstance(x, tuple)", sample=("[0.3, -1.2, 0.8]",))
    rule(f"{_name}(x)", x="scatter(g, np.argmax(x == ans), x)", jvp="x_dot[np.argmax(x == ans)]", view="x *x",
         sample=("rng.normal(size=3)",))
    rule(f"{_name}(*xs)", xs="scatter(g, xs.index(ans), xs)", jvp="xs_dot[xs.index(ans)]", view="xs *xs",
         sample=("1.0", "3.0", "2.0", "0.5"))

linear("sum(x, start=0)", x="np.broadcast_to(g, np.shape(x))", start="unbroadcast(g, np.shape(start))",
       when="x.ndim >= 1", sample=("rng.normal(size=(3, 2))",), view="start")
linear("sum(x, start=0)", x="[g] * len(x)", start="g", when="x.item.ndim == 0 and start.ndim == 0",
       sample=("[1.0, 2.0, 3.0]",), view="start")
linear("sum(x, start=0)", x="unsum(g, x)", start="unbroadcast(g, np.shape(start))",
       sample=("[rng.normal(size=3), rng.normal(size=(2, 3))]",), view="start")

rule("divmod(x, y)", x=(None, "g"), y=(None, "-g * (x // y)"), jvp=(None, "x_dot - y_dot * (x // y)"),
     when="x.ndim == 0 and y.ndim == 0", domain={"x": (2.1, 2.9), "y": (0.6, 0.65)})

linear("float(x)", x="g", when="x.ndim == 0", view="")
linear("float(x)", x="np.reshape(g, np.shape(x))", sample=("np.array(1.5)",), view="")
linear("complex(x)", x="g", when="x.ndim == 0 and x.dtype.kind == 'c'", sample=("1.0 + 2.0j",), view="")
linear("complex(x)", x="g.real", when="x.ndim == 0", view="")
linear("complex(x, y)", x="g.real", y="g.imag", when=f"{_TWO_NUMBERS} and x.dtype.kind != 'c' and y.dtype.kind != 'c'",
       view="")

constant("int", "bool", "round", "len", "range", "isinstance", "issubclass", "callable", "hasattr", "type", "id",
         "hash", "print", "ord", "chr", "all", "any", view="")

# ------------------------------------------------------------------------------------------- lists made of others

for _call in ("list(x)", "tuple(x)"):
    linear(_call, x="np.array(g)", when="x.ndim >= 1", sample=("rng.normal(size=3)",), view="x")
    linear(_call, x="g", sample=("[1.0, 2.0, 3.0]",), view="*x")

linear("copy.copy(v)", v="g", sample=("[rng.normal(size=3), rng.normal(size=2)]",), view="*v")
linear("copy.deepcopy(v)", v="g", sample=("rng.normal(size=3)",), view="")
