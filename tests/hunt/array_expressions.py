"""Expressions whose values are arrays, slices, and the views that can be taken of an array."""

from __future__ import annotations

import math
from collections.abc import Callable

from .expressions import SMOOTH, WIDE, Expr, arguments, index, real, tame, value
from .program import Arr, Fun, Shape
from .scope import LEVELS, NotHereError, Pen

Form = Callable[[Pen, Shape, int], Expr]


def array(pen: Pen, shape: Shape, deep: int = 2) -> Expr:
    """An array of a shape."""
    if deep <= 0:
        return known(pen, shape)
    form = pen.pick(ARRAY_FORMS)
    try:
        return form(pen, shape, deep)
    except NotHereError:
        return known(pen, shape)


def array_value(pen: Pen, shape: Shape, deep: int = 2, most: float = WIDE) -> str:
    """An array to be kept, as text."""
    return tame(pen, array(pen, shape, deep), most).text


def known(pen: Pen, shape: Shape) -> Expr:
    """An array that is there already, whole or in part; where there is none, one filled with a number."""
    whole = [text for text, _ in pen.arrays(shape)]
    parts = [view for text, kind in pen.arrays() for view, got in views(text, kind.shape) if got == shape]
    options = [*whole, *whole, *parts[:12]]
    if options:
        return Expr(pen.pick(options))
    return filled(pen, shape, 1)


def written(shape: Shape) -> str:
    """A shape as text."""
    return str(shape[0]) if len(shape) == 1 else str(shape)


def filled(pen: Pen, shape: Shape, deep: int) -> Expr:
    """A new array."""
    pen.uses("new array", "arrays")
    match pen.pick(("full", "zeros", "ones", "arange")):
        case "zeros":
            return Expr(f"np.zeros({written(shape)})")
        case "ones":
            return Expr(f"np.ones({written(shape)})")
        case "arange" if len(shape) == 1:
            return Expr(f"np.arange({shape[0]}) * {real(pen, 1)}", WIDE * WIDE * shape[0], atom=False)
        case _:
            return Expr(f"np.full({written(shape)}, {value(pen, 1)})")


def elementwise(pen: Pen, shape: Shape, deep: int) -> Expr:
    """A sum or product of arrays, or of an array and a number."""
    left = array(pen, shape, deep - 1)
    match pen.pick(("number", "array", "array", "row")):
        case "number":
            right = real(pen, deep - 1)
        case "row" if len(shape) == 2:
            right = array(pen, shape[1:], 0)
        case _:
            right = array(pen, shape, deep - 1)
    op = pen.pick("*+-")
    if pen.chance(3):
        left, right = right, left
        if pen.chance() and op == "*":
            return Expr(f"{left} / (1.5 + {right} ** 2)", left.bound, atom=False)
    bound = left.bound * right.bound if op == "*" else left.bound + right.bound
    return Expr(f"{left} {op} {right}", bound, atom=False)


def smooth(pen: Pen, shape: Shape, deep: int) -> Expr:
    """A smooth function of each element."""
    inner = array(pen, shape, deep - 1)
    form, bound = pen.pick(SMOOTH)
    return Expr(form.format(inner), bound or 1.0 + inner.bound, atom=" / " not in form)


def listed(pen: Pen, shape: Shape, deep: int) -> Expr:
    """An array of numbers or rows that are listed."""
    pen.uses("np.array of a list", "arrays")
    if len(shape) == 1:
        return Expr(f"np.array([{', '.join(value(pen, 1) for _ in range(shape[0]))}])")
    rows = ", ".join(array_value(pen, shape[1:], 1) for _ in range(shape[0]))
    pen.uses("np.stack")
    return Expr(f"np.stack([{rows}])" if pen.chance() else f"np.array([{rows}])")


def from_list(pen: Pen, shape: Shape, deep: int) -> Expr:
    """An array made from a list that is there."""
    if len(shape) == 1:
        lists = [text for text, kind in pen.lists() if pen.scope.cells[kind.cell].exact == shape[0]]
        text = pen.pick(lists)
        pen.uses("np.array of a list", "containers")
        return Expr(f"np.array({text})")
    lists = [
        text
        for text, kind in pen.lists(Arr)
        if kind.item == Arr(shape[1:]) and pen.scope.cells[kind.cell].exact == shape[0]
    ]
    text = pen.pick(lists)
    pen.uses("np.stack", "containers")
    return Expr(f"np.stack({text})")


def gathered(pen: Pen, shape: Shape, deep: int) -> Expr:
    """Elements or rows picked by a list of indices, with repeats."""
    text, kind = pen.pick([a for a in pen.arrays(ndim=len(shape)) if a[1].shape[1:] == shape[1:]])
    pen.uses("index array", "indexing")
    return Expr(f"{text}[{index_list(pen, kind.shape[0], shape[0])}]")


def index_list(pen: Pen, length: int, many: int) -> str:
    """A list of indices into an axis."""
    listed = ", ".join(str(pen.pick(range(length))) for _ in range(many))
    return f"np.array([{listed}])" if pen.chance(3) else f"[{listed}]"


def selected(pen: Pen, shape: Shape, deep: int) -> Expr:
    """One of two arrays, element by element."""
    pen.uses("np.where", "arrays")
    left, right = array(pen, shape, deep - 1), array(pen, shape, deep - 1)
    mask = f"{known(pen, shape)} {pen.pick('<>')} {pen.pick(LEVELS)}"
    return Expr(f"np.where({mask}, {left.text}, {right.text})", max(left.bound, right.bound))


def product(pen: Pen, shape: Shape, deep: int) -> Expr:
    """A product of matrices and vectors, or a sum along an axis."""
    if len(shape) == 2:
        left = [text for text, kind in pen.arrays(ndim=1) if kind.shape[0] == shape[0]]
        right = [text for text, kind in pen.arrays(ndim=1) if kind.shape[0] == shape[1]]
        pen.uses("outer product", "arrays")
        return Expr(f"np.outer({pen.pick(left)}, {pen.pick(right)})", WIDE * WIDE)
    matrices = pen.arrays(ndim=2)
    rows = [(text, kind.shape[1]) for text, kind in matrices if kind.shape[0] == shape[0]]
    sums = [f"np.sum({text}, axis=0)" for text, kind in matrices if kind.shape[1] == shape[0]]
    sums += [f"{text}.sum(axis=1)" for text, _ in rows]
    if pen.chance():
        columns = [(text, kind.shape[0]) for text, kind in matrices if kind.shape[1] == shape[0]]
        text, inner, behind = pen.pick([(*row, True) for row in rows] + [(*column, False) for column in columns])
        pen.uses("matrix product", "arrays")
        other = array(pen, (inner,), 0)
        return Expr(f"{text} @ {other}" if behind else f"{other} @ {text}", 4 * WIDE * WIDE, atom=False)
    pen.uses("sum along an axis", "arrays")
    return Expr(pen.pick(sums), 4 * WIDE)


def joined(pen: Pen, shape: Shape, deep: int) -> Expr:
    """Arrays behind each other."""
    if shape[0] < 2:
        raise NotHereError
    pen.uses("np.concatenate", "arrays")
    cut = pen.pick(range(1, shape[0]))
    first, second = (array(pen, (n, *shape[1:]), deep - 1) for n in (cut, shape[0] - cut))
    return Expr(f"np.concatenate([{first.text}, {second.text}])", max(first.bound, second.bound))


def copied(pen: Pen, shape: Shape, deep: int) -> Expr:
    """A copy of an array."""
    pen.uses("copy", "arrays")
    inner = known(pen, shape)
    return Expr(pen.pick((f"{inner}.copy()", f"np.array({inner.text})", f"np.copy({inner.text})")))


def running(pen: Pen, shape: Shape, deep: int) -> Expr:
    """Running sums."""
    if len(shape) != 1:
        raise NotHereError
    pen.uses("np.cumsum", "arrays")
    return Expr(f"np.cumsum({known(pen, shape).text})", WIDE * shape[0])


def helped(pen: Pen, shape: Shape, deep: int) -> Expr:
    """A call of a helper or an inner function that returns an array."""
    options = [(name, kind) for name, kind in pen.functions(Arr) if kind.result == Arr(shape)]
    if not pen.calls:
        options += [(h.name, Fun(h.params, h.result)) for h in pen.helpers if h.result == Arr(shape)]
    name, kind = pen.pick(options)
    return Expr(f"{name}({arguments(pen, kind)})")


ARRAY_FORMS: tuple[Form, ...] = (
    lambda pen, shape, deep: known(pen, shape),
    elementwise,
    elementwise,
    elementwise,
    smooth,
    smooth,
    gathered,
    listed,
    from_list,
    filled,
    selected,
    product,
    product,
    joined,
    copied,
    running,
    helped,
)


def slices(length: int) -> list[tuple[str, int]]:
    """Slices of an axis that are not empty, and how long they are."""
    texts = ("1:", ":-1", "::-1", "::2", ":", "1::2", "-1:", "-2:", ":2", "::-2")
    found = []
    for text in texts:
        many = len(range(*slice(*(int(part) if part else None for part in text.split(":"))).indices(length)))
        if many:
            found.append((text, many))
    return found


def views(text: str, shape: Shape) -> list[tuple[str, Shape]]:
    """Ways to see the same memory, and the shape that is seen."""
    size = math.prod(shape)
    found: list[tuple[str, Shape]] = [(f"{text}[{s}]", (n, *shape[1:])) for s, n in slices(shape[0])]
    found += [(f"{text}.ravel()", (size,)), (f"{text}.reshape(-1)", (size,)), (f"np.asarray({text})", shape)]
    if len(shape) == 1:
        found += [(f"{text}[:, None]", (size, 1)), (f"{text}.reshape(1, -1)", (1, size))]
        if size == 4:
            found.append((f"{text}.reshape(2, 2)", (2, 2)))
        return found
    rows, columns = shape
    found += [(f"{text}[{k}]", (columns,)) for k in (0, -1)]
    found += [(f"{text}[:, {k}]", (rows,)) for k in (0, -1)]
    found += [(f"{text}[:, {s}]", (rows, n)) for s, n in slices(columns)[:4]]
    found += [(f"{text}[1:, {s}]", (rows - 1, n)) for s, n in slices(columns)[:2] if rows > 1]
    found += [(f"{text}.T", (columns, rows)), (f"np.transpose({text})", (columns, rows))]
    found += [(f"{text}.T.ravel()", (size,)), (f"{text}.T.reshape(-1)", (size,))]
    return found


def part(pen: Pen, text: str, shape: Shape) -> tuple[str, Shape]:
    """What can be written to of an array: an index or slice, and the shape of what goes there (none: a number)."""
    options: list[tuple[str, Shape]] = [(s, (n, *shape[1:])) for s, n in slices(shape[0])]
    options += [("...", shape)]
    if len(shape) == 2:
        options += [(f":, {index(pen, shape[1])}", shape[:1]), (index(pen, shape[0]), shape[1:])]
        options += [(f"{index(pen, shape[0])}, {s}", (n,)) for s, n in slices(shape[1])[:3]]
    if len(shape) == 1 and pen.chance(3):
        many = pen.pick((2, 1, 3))
        pen.uses("write by an index array")
        return index_list(pen, shape[0], many), (many,)
    return pen.pick(options)
