"""Statements about lists and dicts: made, read, changed, grown and comprehended."""

from __future__ import annotations

import dataclasses

from .array_expressions import array_value
from .expressions import condition, real, value
from .program import Arr, Block, Dct, Kind, ListOf, Node, Real
from .scope import Pen
from .statements import Statement


def item_text(pen: Pen, kind: Kind, deep: int = 1) -> str:
    """Something to put into a container: a number, or an array, which may be there under another name too."""
    return array_value(pen, kind.shape, deep) if isinstance(kind, Arr) else value(pen, deep)


def list_made(pen: Pen) -> list[Node]:
    """A list of numbers, or of arrays of one shape."""
    shapes = [kind for _, kind in pen.arrays()]
    kind: Kind = pen.pick(shapes) if shapes and pen.chance(3) else Real()
    many = pen.pick((2, 3, 1, 0 if pen.has("mutation") else 2))
    pen.uses("list of arrays" if isinstance(kind, Arr) else "list")
    texts = [item_text(pen, kind) for _ in range(many)]
    name = pen.fresh("xs")
    pen.bind(name, ListOf(kind, pen.cell(least=many, exact=many)))
    return [f"{name} = [{', '.join(texts)}]"]


def list_comprehended(pen: Pen) -> list[Node]:
    """A list made from a range, a list or an array."""
    sources = ["range(3)", *[text for text, _ in pen.lists()], *[text for text, _ in pen.arrays(ndim=1)]]
    source = pen.pick(sources)
    lengths = {text: pen.scope.cells[kind.cell] for text, kind in pen.lists()}
    sizes = {text: kind.shape[0] for text, kind in pen.arrays(ndim=1)}
    known = lengths.get(source)
    least = known.least if known else sizes.get(source, 3)
    exact = known.exact if known else least
    u = "j" if source == "range(3)" else "u"
    text = pen.pick((f"np.sin({u} * {real(pen, 1)})", f"{u} + {value(pen, 1)}", f"{u} * {u} * 0.1"))
    pen.uses("comprehension")
    if pen.chance(5):
        exact, least = None, 0
        test = f"{u} {pen.pick('<>')} {pen.pick(('1', '0.37'))}" if u == "u" else f"{u} != 1"
        text += f" for {u} in {source} if {test}"
    else:
        text += f" for {u} in {source}"
    name = pen.fresh("xs")
    pen.bind(name, ListOf(Real(), pen.cell(least=least, exact=exact)))
    return [f"{name} = [{text}]"]


def list_grown(pen: Pen) -> list[Node]:
    """Items put on to a list."""
    lists = [(text, kind) for text, kind in [*pen.lists(), *pen.lists(Arr)] if pen.growable(kind.cell)]
    text, kind = pen.pick(lists)
    item = item_text(pen, kind.item)
    match pen.pick(("append", "append", "extend", "insert", "+=")):
        case "extend":
            pen.uses("extend")
            nodes: list[Node] = [f"{text}.extend([{item}, {item_text(pen, kind.item)}])"]
            pen.resized(kind.cell, 2)
        case "insert":
            pen.uses("insert")
            nodes = [f"{text}.insert({pen.pick((0, 1))}, {item})"]
            pen.resized(kind.cell, 1)
        case "+=" if text.isidentifier() and text in pen.scope.own:
            nodes = [f"{text} += [{item}]"]
            pen.resized(kind.cell, 1)
        case _:
            pen.uses("append")
            nodes = [f"{text}.append({item})"]
            pen.resized(kind.cell, 1)
    return nodes


def list_shrunk(pen: Pen) -> list[Node]:
    """An item taken off a list."""
    lists = [(text, kind) for text, kind in [*pen.lists(), *pen.lists(Arr)] if pen.shrinkable(kind.cell)]
    text, kind = pen.pick(lists)
    name = pen.fresh("u")
    pen.uses("pop")
    where = pen.pick(("", "", "0", "-1"))
    pen.resized(kind.cell, -1)
    pen.bind(name, kind.item)
    return [f"{name} = {text}.pop({where})"]


def pushed_and_popped(pen: Pen) -> list[Node]:
    """A list used as a stack: what goes on comes off."""
    lists = [(text, kind) for text, kind in pen.lists() if not pen.scope.cells[kind.cell].locked]
    text, _ = pen.pick(lists)
    pen.uses("append")
    pen.uses("pop")
    pushed = value(pen)
    factor = real(pen, 1)
    name = pen.bind(pen.fresh("u"), Real())
    return [f"{text}.append({pushed})", f"{name} = {text}.pop() * {factor} * 0.3"]


def item_assigned(pen: Pen) -> list[Node]:
    """An item of a list or dict, or an attribute, replaced."""
    found = [(t, k) for t, k, how in pen.places() if how == "item" and isinstance(k, Real | Arr)]
    text, kind = pen.pick(found)
    pen.uses("item assignment" if text.endswith("]") else "attribute write")
    if text.endswith('"]'):
        pen.uses("dict item assignment")
    return [f"{text} = {item_text(pen, kind, 2)}"]


def dict_made(pen: Pen) -> list[Node]:
    """A dict with text keys."""
    keys = pen.pick((("a", "b"), ("w",), ("a", "b", "c")))
    shapes = [kind for _, kind in pen.arrays()]
    mixed = pen.chance(3)
    kinds: list[Kind] = [pen.pick(shapes) if shapes and mixed and pen.chance() else Real() for _ in keys]
    texts = [f'"{key}": {item_text(pen, kind)}' for key, kind in zip(keys, kinds, strict=True)]
    name = pen.fresh("d")
    pen.uses("dict")
    pen.bind(name, Dct(pen.cell(keys=tuple(zip(keys, kinds, strict=True)))))
    return [f"{name} = {{{', '.join(texts)}}}"]


def key_added(pen: Pen) -> list[Node]:
    """A new key of a dict."""
    text, kind = pen.pick([(t, k) for t, k, _ in pen.places() if isinstance(k, Dct)])
    cell = pen.scope.cells[kind.cell]
    key = pen.pick([key for key in ("n", "m", "o") if key not in dict(cell.keys)])
    pen.uses("dict item assignment")
    line = f'{text}["{key}"] = {value(pen)}'
    pen.scope.cells[kind.cell] = dataclasses.replace(cell, keys=(*cell.keys, (key, Real())))
    return [line]


def dict_read(pen: Pen) -> list[Node]:
    """A sum over the values of a dict."""
    dicts = [(t, pen.scope.cells[k.cell].keys) for t, k, _ in pen.places() if isinstance(k, Dct)]
    text = pen.pick([t for t, keys in dicts if all(isinstance(k, Real) for _, k in keys)])
    pen.uses("dict values")
    factor = value(pen, 1, 1.0)
    name = pen.bind(pen.fresh("s"), Real())
    if pen.chance():
        return [f"{name} = sum({text}.values())"]
    body = f"{name} += {pen.pick(('u', 'np.sin(u)'))} * {factor}"
    return [f"{name} = 0.0", Block(f"for key, u in {text}.items()", (body,))]


def sum_of_arrays(pen: Pen) -> list[Node]:
    """A sum over a list of arrays."""
    text, kind = pen.pick(pen.lists(Arr))
    assert isinstance(kind.item, Arr)
    pen.uses("sum of a list of arrays")
    name = pen.bind(pen.fresh("s"), Real())
    if pen.has("comprehensions") and pen.chance():
        pen.uses("comprehension")
        return [f"{name} = sum([np.sum(u * u) for u in {text}])"]
    return [f"{name} = 0.0", Block(f"for u in {text}", (f"{name} += np.sum(np.sin(u))",))]


def collected(pen: Pen) -> list[Node]:
    """A list that a loop fills, with something from before or from the list itself."""
    name, i = pen.fresh("xs"), pen.fresh("i")
    pen.uses("append")
    pen.uses("list filled in a loop")
    start = value(pen, 1)
    many = pen.pick((2, 3))
    step = pen.pick((f"np.sin({name}[-1] + {real(pen, 1)})", f"0.5 * {name}[{i}] * {name}[-1]", value(pen, 1)))
    body: list[Node] = [f"{name}.append({step})"]
    guarded = pen.has("control") and pen.chance(4) and f"[{i}]" not in step
    if guarded:
        body = [Block(f"if {condition(pen)}", tuple(body))]
    exact = None if guarded else many + 1
    pen.bind(name, ListOf(Real(), pen.cell(least=1 if guarded else many + 1, exact=exact)))
    return [f"{name} = [{start}]", Block(f"for {i} in range({many})", tuple(body))]


CONTAINERS: tuple[Statement, ...] = (
    Statement("containers", list_made, 5),
    Statement("containers", dict_made, 3),
    Statement("containers", dict_read, 5),
    Statement("containers", sum_of_arrays, 4),
    Statement("mutation", list_grown, 5),
    Statement("mutation", list_shrunk, 3),
    Statement("mutation", pushed_and_popped, 1),
    Statement("mutation", item_assigned, 5),
    Statement("mutation", key_added, 3),
    Statement("mutation", collected, 3),
    Statement("comprehensions", list_comprehended, 3),
)
