"""What a row's text makes of `g`: where it lets it pass, and what decides the factor.

A text like `np.where(c, g, 0)` selects: where its condition does not hold, the argument has no part in the result. A
text like `g * np.cos(x)` scales: its factor may be zero too, but the argument has a part in the result all the same.

>>> import ast
>>> def shown(text):
...     found = factor(ast.parse(text, mode="eval").body)
...     return None if found.condition is None else ast.unparse(found.condition), sorted(found.names)
>>> shown("np.where(c, 0, g)"), shown("-g * np.cos(x)")
(('~c', []), (None, ['x']))
>>> shown("np.where(x > y, g, np.where(x == y, 0.5 * g, 0))")
('x >= y', [])
>>> shown("g if x > y else 0.0"), shown("np.where(x == 0, g * ans, 0)")
(('x > y', []), ('x == 0', ['ans']))
"""

from __future__ import annotations

import ast
import copy
from functools import cache

from adcompile.value_classes import value_class

# Finite for all finite numbers.
_FINITE = frozenset({"abs", "np.abs", "np.conj", "np.real", "np.imag", "np.sin", "np.cos", "np.sign", "np.copysign",
                     "np.sinc", "np.ldexp", "np.where", "unbroadcast", "np.shape", "scipy.special.expit",
                     "scipy.special.erf", "scipy.special.j0", "scipy.special.j1", "np.isfinite",
                     "math.sqrt"})
# Leave out items of what they are given the adjoint of; which ones is fixed between jumps.
_SELECTING = frozenset({
    "np.triu", "np.tril", "triangle", "scatter", "untake", "untake_along", "undiagonal", "unselect", "unrepeat",
    "share_ties", "unquantile", "undelete", "ungather",
    "np.diag", "undistinct", "scipy.spatial.distance.squareform",
    "refit", "refit_all", "of_labels", "grid_values_vjp", "refill", "polynomials_derived_vjp", "view_like", "unview",
    "band_transposed",
    "picked", "picked_transpose",
})
# Make results of which parts depend on nothing.
_PADDING = frozenset({
    "np.triu", "np.tril", "np.diag", "np.diagflat", "np.pad", "np.select", "np.polyint", "scipy.linalg.block_diag",
    "scipy.linalg.hankel", "scipy.linalg.leslie", "scipy.linalg.convolution_matrix", "scatter", "share_ties",
    "unquantile", "undiagonal", "untake", "untake_along", "undelete", "fold_triangle", "triangle",
    "unselect", "unview", "band_transposed",
})
_LAYOUT = frozenset({
    "np.reshape", "np.broadcast_to", "np.expand_dims", "np.squeeze", "np.ravel", "np.transpose", "np.swapaxes",
    "np.moveaxis", "np.flip", "np.roll", "np.rot90", "np.concatenate", "np.stack", "np.sum", "np.diag", "np.triu",
    "np.tril", "np.cumsum", "np.take", "np.array", "np.asarray", "np.delete", "unbroadcast", "unreduce", "unjoin",
    "unstack", "unresize", "untile", "unblock", "unsum", "unpad", "ungather",
})
_SHAPES = ("np.shape", "np.size", "np.ndim", "len")  # of what they are given only the shape matters


@value_class()
class Factor:
    """Where a text lets `g` pass (None: everywhere), and the names that decide what it is multiplied by."""

    condition: ast.expr | None
    names: frozenset[str]
    selects: bool = False  # whether the text leaves items out and else only moves them
    is_by_item: bool = False  # whether the condition is that of the same item of the argument: it stands outermost
    narrows: bool = False  # whether it leaves out items beside those of the condition


def is_layout(tree: ast.expr | None) -> bool:
    """Whether a text only moves, stretches, leaves out and adds items, so that zero comes of zeros and of nothing else.

    >>> texts = "np.reshape(g, np.shape(x))", "g[::-1]", "undiff(g)", "scatter(g, np.argmax(x), x)", "g * x"
    >>> [is_layout(ast.parse(text, mode="eval").body) for text in texts]
    [True, True, False, True, False]
    """
    match tree:
        case ast.Name() | ast.Constant():
            return True
        case ast.Attribute(value=value) | ast.Subscript(value=value):
            return is_layout(value)
        case ast.Call(args=args):
            known = _called(tree) in _LAYOUT or _called(tree) in _SELECTING or _called(tree) == "np.where"
            return known and all(is_layout(arg) for arg in args if _has_g(arg))
        case ast.Tuple(elts=items) | ast.List(elts=items):
            return all(map(is_layout, items))
        case ast.BinOp(op=ast.Div(), left=left, right=ast.Call() as right):
            return is_layout(left) and _called(right) in (*_SHAPES, "np.sum")
        case _:
            return False


def selects(tree: ast.expr | None) -> bool:
    """Whether a text, of a row that is not elementwise, leaves items out and else only moves them.

    >>> [selects(ast.parse(text, mode="eval").body) for text in ("np.triu(g, k)", "g.T", "np.where(c, f(g), 0)")]
    [True, False, False]
    """
    if tree is None or not is_layout(tree):
        return False
    calls = [_called(e) for e in ast.walk(tree) if isinstance(e, ast.Call) and _has_g(e)]
    return any(name in _SELECTING or name == "np.where" for name in calls)


def pads(function: str) -> bool:
    """Whether parts of what a linear function returns may depend on nothing."""
    return function in _PADDING


@cache
def factor(tree: ast.expr | None) -> Factor:
    """Take a row's text apart: of few rows anybody asks."""
    if tree is None:
        return Factor(None, frozenset())
    condition, names = _passes(tree), frozenset(_names(tree) - {"g", "np", "math"})
    calls = {_called(e) for e in ast.walk(tree) if isinstance(e, ast.Call) and _has_g(e)}
    kept = condition if isinstance(condition, ast.expr) else None
    return Factor(kept, names, selects(tree), _is_by_item(tree), not calls.isdisjoint(_SELECTING))


def _is_by_item(tree: ast.expr) -> bool:
    """Whether a text chooses between `g` and 0 for each item, and only scales what it has chosen."""
    match tree:
        case ast.Call():
            return _called(tree) == "np.where"
        case ast.BinOp(left=left, right=right):
            return _is_by_item(left if _has_g(left) else right)
        case ast.UnaryOp(operand=operand):
            return _is_by_item(operand)
        case _:
            return False


def _passes(tree: ast.expr) -> ast.expr | bool:
    """Where `g` gets through a text: everywhere (True), nowhere (False), or where a condition holds."""
    match tree:
        case ast.Name(id="g"):
            return True
        case ast.Constant(value=0 | 0.0):
            return False
        case ast.IfExp(test=test, body=a, orelse=b):
            return _either(test, (_passes(a), _passes(b)), arrays=False)
        case ast.Call(args=[test, a, b]) if _called(tree) == "np.where":
            return _either(test, (_passes(a), _passes(b)), arrays=True)
        case _:
            through = [part for part in ast.iter_child_nodes(tree) if isinstance(part, ast.expr) and _has_g(part)]
            return _passes(through[0]) if len(through) == 1 else True


def _either(test: ast.expr, ways: tuple[ast.expr | bool, ast.expr | bool], *, arrays: bool) -> ast.expr | bool:
    """Where one of two ways is taken, and that one lets `g` through."""
    match ways:
        case (True, True) | (False, False):
            return ways[0]
        case True, False:
            return test
        case False, True:
            return ast.UnaryOp(ast.Invert() if arrays else ast.Not(), test)
        case True, ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]) if (
            isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Gt | ast.Lt)
            and ast.dump(test.left) == ast.dump(left) and ast.dump(test.comparators[0]) == ast.dump(right)
        ):
            return ast.Compare(left, [ast.GtE() if isinstance(test.ops[0], ast.Gt) else ast.LtE()], [right])
        case True, ast.expr() as other:
            return ast.BinOp(test, ast.BitOr(), other) if arrays else ast.BoolOp(ast.Or(), [test, other])
        case _:
            return True


def _has_g(tree: ast.expr) -> bool:
    return any(isinstance(node, ast.Name) and node.id == "g" for node in ast.walk(tree))


def _called(tree: ast.Call) -> str:
    return ast.unparse(tree.func)


def _names(tree: ast.expr) -> set[str]:
    """The names that a text reads as factors: neither in a condition that chooses between `g` and 0, nor as a shape."""
    match tree:
        case ast.Name(id=name):
            return {name}
        case ast.IfExp(body=a, orelse=b) if _has_g(a) or _has_g(b):
            return _names(a) | _names(b)
        case ast.Call(args=[_, a, b]) if _called(tree) == "np.where" and (_has_g(a) or _has_g(b)):
            return _names(a) | _names(b)
        case ast.Call() if _called(tree) in _SHAPES:
            return set()
        case _:
            return {n for part in ast.iter_child_nodes(tree) if isinstance(part, ast.expr) for n in _names(part)}


def renamed(tree: ast.expr, names: list[str]) -> ast.expr:
    """A text in which some names are others, `x_kept` for `x`, but where only their shape is read.

    >>> ast.unparse(renamed(ast.parse("unbroadcast(g / x, np.shape(x))", mode="eval").body, ["x"]))
    'unbroadcast(g / x_kept, np.shape(x))'
    """
    match tree:
        case ast.Name(id=name) if name in names:
            return ast.Name(f"{name}_kept", ast.Load())
        case ast.Call() if _called(tree) in _SHAPES:
            return tree
        case _:
            new = copy.copy(tree)
            for field, value in ast.iter_fields(tree):
                if isinstance(value, ast.expr):
                    setattr(new, field, renamed(value, names))
                elif isinstance(value, list):
                    setattr(new, field, [renamed(v, names) if isinstance(v, ast.expr) else v for v in value])
            return new


def is_singular(tree: ast.expr, call: str) -> bool:
    """Whether a text may have a factor that is not finite though the arguments are: unless all of it is known to be.

    The functions of `math` raise where they have no finite value, so that only what their texts put there counts.

    >>> [is_singular(ast.parse(text, mode="eval").body, call) for text, call in (
    ...     ("g / x", "np.log(x)"), ("g / x", "math.log(x)"), ("g * np.cos(x)", "np.sin(x)"), ("g * ans", "np.exp(x)"))]
    [True, False, False, True]
    """
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(attr="inf" | "nan"):
                return True
            case ast.Call() if call.startswith("math."):
                if not _called(node).startswith("math."):
                    return True
            case _ if call.startswith("math."):
                pass
            case ast.BinOp(op=ast.Div() | ast.FloorDiv() | ast.Mod() | ast.Pow(), right=right):
                if not isinstance(right, ast.Constant):
                    return True
            case ast.Name(id="ans"):
                return True
            case ast.Call() if _called(node) not in _FINITE:
                return True
    return False
