"""Statements with a body: branches, loops, early ends, and exceptions that are caught."""

from __future__ import annotations

import dataclasses

from .expressions import condition, element, leaf, real, value
from .program import Arr, Block, Count, Kind, ListOf, Node, Param, Real
from .scope import NotHereError, Pen
from .statements import Statement


def body(pen: Pen, most: int, *, loop: bool = False, given: tuple[Param, ...] = ()) -> tuple[Node, ...]:
    """A nested block."""
    with pen.inside(loop=loop, given=given):
        return tuple(pen.write_block(pen, most))


def branched(pen: Pen) -> list[Node]:
    """An `if`, perhaps with what else."""
    pen.uses("if")
    test = condition(pen)
    before = pen.snapshot()
    nodes: list[Node] = [Block(f"if {test}", body(pen, 3))]
    after = pen.scope
    if pen.chance():
        pen.scope = before
        if pen.chance(4):
            pen.uses("elif")
            nodes.append(Block(f"elif {condition(pen)}", body(pen, 2)))
        nodes.append(Block("else", body(pen, 2)))
        for number, cell in after.cells.items():
            other = pen.scope.cells.get(number, cell)
            pen.scope.cells[number] = dataclasses.replace(
                other, least=min(cell.least, other.least), exact=cell.exact if cell.exact == other.exact else None
            )
        pen.scope.pinned |= after.pinned
    return nodes


def both_assigned(pen: Pen) -> list[Node]:
    """A name that each of two branches gives a value."""
    pen.uses("if")
    test = condition(pen)
    first, second = value(pen), value(pen)
    name = pen.bind(pen.fresh("s"), Real())
    return [Block(f"if {test}", (f"{name} = {first}",)), Block("else", (f"{name} = {second}",))]


def counted_loop(pen: Pen) -> list[Node]:
    """A loop over a range."""
    pen.uses("for range")
    i = pen.fresh("i")
    arrays = pen.arrays()
    counts = [name for name, _ in pen.counts()]
    options = ["range(3)", "range(2)", "range(2, -1, -1)", "range(1)", *[f"range({name})" for name in counts[:2]]]
    if arrays:
        text, kind = pen.pick(arrays)
        if kind.shape[0] < 4:
            options += [f"range(len({text}))", f"range({text}.shape[0])"]
    over = pen.pick(options)
    most = {"range(3)": 2, "range(2, -1, -1)": 2, "range(2)": 1, "range(1)": 0}.get(over, 3)
    return [Block(f"for {i} in {over}", body(pen, 4, loop=True, given=((i, Count(most)),)))]


def loop_over_values(pen: Pen) -> list[Node]:
    """A loop over the items of an array or a list, perhaps of two, perhaps with their numbers."""
    sources: list[tuple[str, Kind, int | None]] = []
    for text, kind, _ in pen.places(within=False):
        match kind:
            case Arr(shape=(_,)):
                sources.append((text, Real(), None))
            case Arr(shape=(_, columns)):
                sources.append((text, Arr((columns,)), None))
            case ListOf(item=inside, cell=number) if isinstance(inside, Real | Arr):
                sources.append((text, inside, number))
    text, item, cell = pen.pick(sources)
    pen.uses("for over an array" if cell is None else "for over a list")
    name = pen.fresh("r" if isinstance(item, Arr) else "u")
    given: list[Param] = [(name, item)]
    match pen.pick(("plain", "enumerate", "zip", "reversed")):
        case "enumerate":
            pen.uses("enumerate")
            i = pen.fresh("i")
            given.append((i, Count(3)))
            head = f"for {i}, {name} in enumerate({text})"
        case "zip":
            other, other_item, other_cell = pen.pick(sources)
            pen.uses("zip")
            second = pen.fresh("r" if isinstance(other_item, Arr) else "u")
            given.append((second, other_item))
            head = f"for {name}, {second} in zip({text}, {other})"
            if other_cell is not None:
                pen.lock(other_cell)
        case "reversed" if cell is not None:
            head = f"for {name} in reversed({text})"
        case _:
            head = f"for {name} in {text}"
    locked = pen.snapshot().cells
    if cell is not None:
        pen.lock(cell)
    inner = body(pen, 3, loop=True, given=tuple(given))
    for number, known in locked.items():
        pen.scope.cells[number] = dataclasses.replace(pen.scope.cells[number], locked=known.locked)
    return [Block(head, inner)]


def while_loop(pen: Pen) -> list[Node]:
    """A loop that ends by a counter or by a value that falls."""
    pen.uses("while")
    if pen.chance(3):
        falling = pen.fresh("h")
        first = leaf(pen)
        with pen.inside(loop=True, given=((falling, Real()),)):
            pen.lock_names(falling)
            inner = pen.write_block(pen, 2)
        pen.bind(falling, Real())
        shrunk = f"{falling} = {falling} * {pen.pick(('0.5', '0.3'))}"
        return [f"{falling} = 1.3 + abs({first.text})", Block(f"while {falling} > 0.97", (shrunk, *inner))]
    k = pen.fresh("k")
    counts = [name for name, _ in pen.counts()]
    limit = pen.pick(["2", "3", *counts[:2]])
    with pen.inside(loop=True, given=((k, Count(4)),)):
        pen.lock_names(k)
        inner = pen.write_block(pen, 3)
    return [f"{k} = 0", Block(f"while {k} < {limit}", (f"{k} += 1", *inner))]


def broken_off(pen: Pen) -> list[Node]:
    """The end of a loop, or of one of its rounds, under a condition."""
    if not pen.scope.inner_loops:
        raise NotHereError
    word = pen.pick(("break", "continue"))
    pen.uses(word)
    test = condition(pen)
    before: tuple[Node, ...] = ()
    if pen.chance(3):
        with pen.inside():
            before = tuple(pen.write_block(pen, 1))
    return [Block(f"if {test}", (*before, word))]


def returned_early(pen: Pen) -> list[Node]:
    """The end of the function under a condition."""
    if not pen.scope.returns:
        raise NotHereError
    pen.uses("early return")
    return [Block(f"if {condition(pen)}", (f"return {value(pen)}",))]


def loop_with_else(pen: Pen) -> list[Node]:
    """A loop that may be broken off, with what happens where it is not."""
    i = pen.fresh("i")
    pen.uses("for else")
    with pen.inside(loop=True, given=((i, Count(2)),)):
        first = pen.write_block(pen, 1)
        test = condition(pen)
        name = [text for text in pen.reals(writable=True) if text.isidentifier()]
        text = pen.pick(name)
        other = value(pen, 1, 1.0)
    return [
        Block(f"for {i} in range(2)", (*first, Block(f"if {test}", ("break",)))),
        Block("else", (f"{text} += {other}",)),
    ]


def caught(pen: Pen) -> list[Node]:
    """A block in which something may be raised, and what happens then."""
    pen.uses("try")
    with pen.inside():
        before = pen.write_block(pen, 2)
        error, raising = _raising(pen)
        after = pen.write_block(pen, 1) if pen.chance() else []
    # What the block did to a list when it was broken off is not known, nor whether it was.
    handler = body(pen, 2)
    nodes: list[Node] = [Block("try", (*before, *raising, *after)), Block(f"except {error}", handler)]
    if pen.chance(5):
        pen.uses("finally")
        nodes.append(Block("finally", body(pen, 1)))
    return nodes


def _raising(pen: Pen) -> tuple[str, list[Node]]:
    """Something that is raised on some paths, and what raises it."""
    counts = pen.counts()
    first = condition(pen)
    options: list[tuple[str, list[Node]]] = [
        ("ValueError", [Block(f"if {first}", ('raise ValueError("raised")',))]),
        ("IndexError", [f"{pen.fresh('s')} = [1.0][{pen.pick([name for name, _ in counts] or ['2'])}]"]),
        ("ZeroDivisionError", [f"{pen.fresh('s')} = 1 / {pen.pick([name for name, _ in counts] or ['0'])}"]),
        ("KeyError", [f'{pen.fresh("s")} = {{"a": {real(pen, 1)}}}["{pen.pick(("missing", "a"))}"]']),
        ("ValueError", [f"{pen.fresh('s')} = math.sqrt({pen.pick(('-1.0 -', '1.0 +'))} {leaf(pen)} ** 2)"]),
    ]
    if pen.arrays(ndim=1):
        text, _ = pen.pick(pen.arrays(ndim=1))
        options.append(("IndexError", [f"{pen.fresh('s')} = {text}[{pen.pick(('7', '0'))}]"]))
    return pen.pick(options)


def searched(pen: Pen) -> list[Node]:
    """A value that a loop looks for and keeps."""
    name = pen.fresh("s")
    pen.uses("break")
    text, kind = pen.pick(pen.arrays(ndim=1))
    i = pen.fresh("i")
    start = value(pen, 1)
    with pen.inside(loop=True, given=((i, Count(kind.shape[0] - 1)), (name, Real()))):
        test = condition(pen)
        kept = f"{text}[{i}] * {element(pen)}"
    pen.bind(name, Real())
    return [
        f"{name} = {start}",
        Block(f"for {i} in range({kind.shape[0]})", (f"{name} = {kept}", Block(f"if {test}", ("break",)))),
    ]


CONTROL: tuple[Statement, ...] = (
    Statement("control", branched, 5),
    Statement("control", both_assigned, 2),
    Statement("control", counted_loop, 5),
    Statement("control", loop_over_values, 4),
    Statement("control", while_loop, 3),
    Statement("control", broken_off, 3),
    Statement("control", returned_early, 1),
    Statement("control", loop_with_else, 1),
    Statement("control", searched, 1),
    Statement("exceptions", caught, 6),
)
