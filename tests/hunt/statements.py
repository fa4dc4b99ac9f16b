"""Statements without a body: assignments, updates in place, views and aliases."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from .array_expressions import array_value, index_list, known, part, slices, views, written
from .expressions import condition, element, index, real, tame, value
from .program import Arr, Block, Count, ListOf, Node, Real, Shape, Tup
from .scope import LEVELS, NotHereError, Pen

Write = Callable[[Pen], list[Node]]


class Statement(NamedTuple):
    """A form of statement, the feature it belongs to, and how often it is taken in comparison with others."""

    feature: str
    write: Write
    weight: int = 2


def real_assigned(pen: Pen) -> list[Node]:
    """A number under a name."""
    text = value(pen)
    if pen.chance(8):
        names = [pen.bind(pen.fresh("s"), Real()) for _ in range(2)]
        pen.uses("chained assignment")
        return [f"{' = '.join(names)} = {text}"]
    return [f"{pen.target(Real(), 's')} = {text}"]


def real_updated(pen: Pen) -> list[Node]:
    """A number under a name or in a container, changed by a little."""
    places = [place for place in pen.reals(writable=True) if pen.has("mutation") or place.isidentifier()]
    place = pen.pick(places)
    pen.uses("augmented number" if place.isidentifier() else "augmented item")
    if pen.chance(4):
        return [f"{place} *= np.tanh({real(pen, 1).text})"]
    return [f"{place} {pen.pick(('+=', '-='))} {value(pen, 1, 1.0)}"]


def swapped(pen: Pen) -> list[Node]:
    """Two names or places exchanged: numbers, or the buffers of arrays."""
    pairs = []
    names = [(name, kind) for name, kind, how in pen.places(within=False) if how == "name"]
    for at, (name, kind) in enumerate(names):
        pairs += [(name, other) for other, same in names[at + 1 :] if same == kind and isinstance(kind, Real | Arr)]
    left, right = pen.pick(pairs)
    pen.uses("swap")
    return [f"{left}, {right} = {right}, {left}"]


def array_assigned(pen: Pen) -> list[Node]:
    """An array under a name."""
    shapes = [kind.shape for _, kind in pen.arrays()] or [(3,)]
    shape = pen.pick(list(dict.fromkeys(shapes)))
    text = array_value(pen, shape)
    return [f"{pen.target(Arr(shape), 'v')} = {text}"]


def aliased(pen: Pen) -> list[Node]:
    """Another name for an array or a list."""
    found = [(text, kind) for text, kind, _ in pen.places() if isinstance(kind, Arr | ListOf)]
    text, kind = pen.pick(found)
    pen.uses("alias")
    return [f"{pen.target(kind, 'w')} = {text}"]


def viewed(pen: Pen) -> list[Node]:
    """A name for a view of an array."""
    text, kind = _array(pen)
    view, shape = _view(pen, text, kind.shape)
    pen.uses("view")
    return [f"{pen.target(Arr(shape), 'w')} = {view}"]


def _array(pen: Pen) -> tuple[str, Arr]:
    """An array in sight; a matrix, of which there are few, as often as a vector."""
    matrices = pen.arrays(ndim=2)
    return pen.pick(matrices if matrices and pen.chance() else pen.arrays())


def _view(pen: Pen, text: str, shape: Shape) -> tuple[str, Shape]:
    """A view of an array; one in another order as often as a slice."""
    options = views(text, shape)
    other = [option for option in options if option[0].endswith((".T", ")"))]
    view, seen = pen.pick(other if other and pen.chance() else options)
    for form in (".T", ".ravel()", ".reshape("):
        if form in view:
            pen.uses(f"view by {form.strip('.()')}")
    return view, seen


def view_written(pen: Pen) -> list[Node]:
    """A view taken, then the array or the view written to, and the other one read."""
    text, kind = _array(pen)
    view, shape = _view(pen, text, kind.shape)
    name = pen.fresh("w")
    pen.uses("write through a view")
    written_to, of = pen.pick(((name, shape), (text, kind.shape)))
    pen.bind(name, Arr(shape))
    where = ", ".join(index(pen, n) for n in of)
    return [f"{name} = {view}", f"{written_to}[{where}] {pen.pick(('=', '+='))} {value(pen, 1)}"]


def item_written(pen: Pen) -> list[Node]:
    """One element of an array."""
    text, kind = pen.pick(pen.arrays())
    where = ", ".join(index(pen, n) for n in kind.shape)
    pen.uses("a[i] = e")
    return [f"{text}[{where}] = {value(pen)}"]


def item_updated(pen: Pen) -> list[Node]:
    """One element of an array, changed by a little."""
    text, kind = pen.pick(pen.arrays())
    where = ", ".join(index(pen, n) for n in kind.shape)
    pen.uses("a[i] op= e")
    if pen.chance(3):
        return [f"{text}[{where}] *= np.sin({real(pen, 1).text})"]
    return [f"{text}[{where}] {pen.pick(('+=', '-='))} {value(pen, 1, 1.0)}"]


def part_written(pen: Pen) -> list[Node]:
    """A slice, a row or picked elements of an array."""
    text, kind = pen.pick(pen.arrays())
    where, shape = part(pen, text, kind.shape)
    op = pen.pick(("=", "=", "+=", "*="))
    pen.uses("a[s] = e" if op == "=" else "a[s] op= e")
    most = 1.0 if op == "*=" else 2.5
    if not shape or pen.chance(4):
        return [f"{text}[{where}] {op} {value(pen, 1, most)}"]
    return [f"{text}[{where}] {op} {array_value(pen, shape, 1, most)}"]


def mask_written(pen: Pen) -> list[Node]:
    """The elements of an array for which something holds."""
    text, kind = pen.pick(pen.arrays())
    mask = f"{known(pen, kind.shape)} {pen.pick('<>')} {pen.pick(LEVELS)}"
    pen.uses("a[mask] = e")
    op = pen.pick(("=", "*=", "+="))
    return [f"{text}[{mask}] {op} {value(pen, 1, 1.0)}"]


def array_updated(pen: Pen) -> list[Node]:
    """A whole array, changed in place."""
    text, kind = pen.pick(pen.arrays(writable=True))
    if pen.chance():
        pen.uses("a *= e")
        return [f"{text} *= {array_value(pen, kind.shape, 1, 1.0)}"]
    pen.uses("a += e")
    right = value(pen, 1, 1.0) if pen.chance(3) else array_value(pen, kind.shape, 1, 1.0)
    return [f"{text} {pen.pick(('+=', '-='))} {right}"]


def whole_written(pen: Pen) -> list[Node]:
    """Everything in an array replaced."""
    text, kind = pen.pick(pen.arrays())
    form = pen.pick(("[:]", "fill", "copyto", "out"))
    if form == "[:]":
        pen.uses("a[:] = e")
        return [f"{text}[:] = {array_value(pen, kind.shape)}"]
    if form == "fill":
        pen.uses("fill")
        return [f"{text}.fill({value(pen, 1)})"]
    if form == "copyto":
        pen.uses("np.copyto")
        return [f"np.copyto({text}, {array_value(pen, kind.shape, 1)})"]
    pen.uses("out=")
    left, right = (tame(pen, known(pen, kind.shape)).text for _ in range(2))
    call = pen.pick((f"np.add({left}, {right}, ", f"np.multiply({left}, {right}, ", f"np.sin({left}, "))
    return [f"{call}out={text})"]


def added_at(pen: Pen) -> list[Node]:
    """Additions at indices that may repeat."""
    text, kind = pen.pick(pen.arrays(ndim=1))
    many = pen.pick((2, 3, 1))
    pen.uses("np.add.at")
    where = index_list(pen, kind.shape[0], many)
    right = value(pen, 1, 1.0) if pen.chance(3) else array_value(pen, (many,), 1, 1.0)
    return [f"np.add.at({text}, {where}, {right})"]


def elements_swapped(pen: Pen) -> list[Node]:
    """Two elements exchanged, or a slice moved over a part of itself."""
    text, kind = pen.pick([a for a in pen.arrays(ndim=1) if a[1].shape[0] > 1])
    pen.uses("overlapping write")
    if pen.chance():
        return [f"{text}[1:] {pen.pick(('=', '+='))} {text}[:-1]"]
    first, second = index(pen, kind.shape[0]), index(pen, kind.shape[0])
    return [f"{text}[{first}], {text}[{second}] = {text}[{second}], {text}[{first}]"]


def recurrence(pen: Pen) -> list[Node]:
    """A loop in which each element is made from those before it."""
    text = pen.pick([text for text, kind in pen.arrays(ndim=1) if kind.shape[0] > 1])
    pen.uses("recurrence")
    i = pen.fresh("i")
    forms = (f"0.5 * {text}[{i} - 1] + {real(pen, 1)}", f"np.sin({text}[{i} - 1]) * {text}[{i}]", f"{text}[{i}] ** 2")
    op = pen.pick(("=", "+="))
    body = f"{text}[{i}] {op} {pen.pick(forms[:2]) if op == '=' else 'np.tanh(' + pen.pick(forms) + ')'}"
    return [Block(f"for {i} in range(1, len({text}))", (body,))]


def row_by_row(pen: Pen) -> list[Node]:
    """A loop over the rows of a matrix, which are views, that writes to them."""
    text, kind = pen.pick(pen.arrays(ndim=2))
    pen.uses("rows written in a loop")
    row, columns = pen.fresh("row"), kind.shape[1]
    with pen.inside(loop=True, given=[(row, Arr((columns,)))]):
        pen.lock_names(text)
        slot, _ = pen.pick(slices(columns))
        forms = (
            f"{row}[{index(pen, columns)}] = {value(pen, 1)}",
            f"{row} *= {value(pen, 1, 1.0)}",
            f"{row}[{slot}] += {value(pen, 1, 1.0)}",
        )
        body = pen.pick(forms)
    return [Block(f"for {row} in {text}", (body,))]


def buffers_exchanged(pen: Pen) -> list[Node]:
    """Two buffers, of which one is filled from the other, then exchanged, several times over."""
    shape = pen.pick([kind.shape for _, kind in pen.arrays(ndim=1)])
    old, new, i = pen.fresh("old"), pen.fresh("new"), pen.fresh("i")
    start = array_value(pen, shape, 1)
    pen.uses("swapped buffers")
    with pen.inside(loop=True, given=[(old, Arr(shape)), (new, Arr(shape))]):
        fill = pen.pick(
            (
                f"{new}[:] = np.sin({old}) + {value(pen, 1, 1.0)}",
                f"np.multiply({old}, {value(pen, 1, 1.0)}, out={new})",
                f"{new}[{index(pen, shape[0])}] = {old}[{index(pen, shape[0])}] * {value(pen, 1, 1.0)}",
            )
        )
    pen.bind(old, Arr(shape))
    pen.bind(new, Arr(shape))
    copied = "" if start.endswith(".copy()") else " + 0.0"
    return [
        f"{old} = {start}{copied}" if copied == "" else f"{old} = ({start}){copied}",
        f"{new} = np.zeros({written(shape)})",
        Block(f"for {i} in range({pen.pick((2, 3, 1))})", (fill, f"{old}, {new} = {new}, {old}")),
    ]


def kept_before(pen: Pen) -> list[Node]:
    """An element, copy or product kept under a name before the array that it comes from is written over."""
    text, kind = pen.pick(pen.arrays())
    if not pen.has("inplace"):
        raise NotHereError
    kept = pen.fresh("s")
    first = pen.pick((element(pen).text, f"np.sum({text} * {text})", f"{text}[{', '.join('0' for _ in kind.shape)}]"))
    where = ", ".join(index(pen, n) for n in kind.shape)
    pen.bind(kept, Real())
    pen.uses("value kept before a write")
    return [f"{kept} = 0.5 * {first}", f"{text}[{where}] = {kept} * {value(pen, 1, 1.0)}"]


def counted(pen: Pen) -> list[Node]:
    """A whole number under a name."""
    pen.uses("count", "control")
    known_counts = pen.counts()
    if known_counts and pen.chance():
        text, kind = pen.pick(known_counts)
        name = pen.bind(pen.fresh("k"), Count(kind.most + 1))
        return [f"{name} = {text} + 1"]
    return [f"{pen.bind(pen.fresh('k'), Count(3))} = {pen.pick((1, 0, 2, 3))}"]


def packed(pen: Pen) -> list[Node]:
    """A tuple of numbers and arrays, perhaps taken apart again."""
    many = pen.pick((2, 3))
    texts: list[str] = []
    kinds: list[Real | Arr] = []
    for _ in range(many):
        arrays = pen.arrays()
        if arrays and pen.chance():
            text, kind = pen.pick(arrays)
            texts.append(text)
            kinds.append(kind)
        else:
            texts.append(value(pen, 1))
            kinds.append(Real())
    pen.uses("tuple")
    if pen.chance():
        pen.uses("unpacking")
        names = [pen.bind(pen.fresh("u"), kind) for kind in kinds]
        return [f"{', '.join(names)} = {', '.join(texts)}"]
    return [f"{pen.bind(pen.fresh('t'), Tup(tuple(kinds)))} = ({', '.join(texts)})"]


def rebound_by_condition(pen: Pen) -> list[Node]:
    """A name that stands for one array or for another one, as it turns out."""
    arrays = pen.arrays()
    text, kind = pen.pick(arrays)
    other = pen.pick([t for t, k in arrays if k == kind and t != text])
    pen.uses("alias by a condition", "control")
    choice = f"{text} if {condition(pen)} else {other}"
    return [f"{pen.bind(pen.fresh('w'), kind)} = {choice}"]


STATEMENTS: tuple[Statement, ...] = (
    Statement("", real_assigned, 6),
    Statement("", real_updated, 4),
    Statement("arrays", array_assigned, 7),
    Statement("", swapped, 1),
    Statement("control", counted, 1),
    Statement("containers", packed),
    Statement("aliases", aliased, 3),
    Statement("aliases", viewed, 4),
    Statement("aliases", rebound_by_condition, 1),
    Statement("inplace", item_written, 5),
    Statement("inplace", item_updated, 4),
    Statement("inplace", part_written, 6),
    Statement("inplace", mask_written),
    Statement("inplace", array_updated, 4),
    Statement("inplace", whole_written, 4),
    Statement("inplace", added_at, 1),
    Statement("inplace", elements_swapped),
    Statement("inplace", recurrence),
    Statement("inplace", row_by_row),
    Statement("inplace", buffers_exchanged),
    Statement("inplace", kept_before),
    Statement("inplace aliases", view_written, 5),
)
