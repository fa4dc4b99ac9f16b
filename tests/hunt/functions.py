"""Functions and classes of the program: helpers above `f`, inner functions that capture, and a class."""

from __future__ import annotations

from .array_expressions import array_value, known, views
from .expressions import argument, index, real, value
from .program import Arr, Block, Cell, Fun, Kind, ListOf, Node, Obj, Param, Real
from .scope import Helper, NotHereError, Pen, Scope
from .statements import Statement


def function_body(pen: Pen, given: tuple[Param, ...], most: int) -> list[Node]:
    """Statements in the scope of a function above `f`, which sees its parameters only; the scope stays in place."""
    scope = Scope(names=dict(given), own=frozenset(name for name, _ in given))
    scope.cells = dict(pen.scope.cells)
    pen.scope = scope
    pen.calls += 1
    return pen.write_block(pen, most) if most else []


def drawn_params(pen: Pen) -> tuple[Param, ...]:
    """Parameters for which there are arguments in sight."""
    arrays = [kind for _, kind in pen.arrays()]
    kinds: list[Kind] = [Real()]
    if arrays and pen.chance(3) is False:
        kinds.append(pen.pick(arrays))
    if arrays and pen.chance(3):
        kinds.insert(0, pen.pick(arrays))
    shadowing = pen.has("shadowing") and pen.chance(3)
    if shadowing:
        pen.uses("names that shadow")
    stems = ("x", "a", "b") if shadowing else (pen.fresh("p"), pen.fresh("p"), pen.fresh("p"))
    return tuple(zip(stems, kinds, strict=False))


def helper_written(pen: Pen, params: tuple[Param, ...], result: Kind | None, most: int = 2) -> Helper:
    """A helper with a body of any statements, which returns a number, an array or nothing."""
    outside = pen.scope
    returns = isinstance(result, Real)
    try:
        nodes = function_body(pen, params, 0)
        pen.scope.returns = returns
        nodes = pen.write_block(pen, most)
        if isinstance(result, Arr):
            nodes.append(f"return {array_value(pen, result.shape)}")
        elif result is not None:
            nodes.append(f"return {value(pen)}")
    finally:
        pen.scope = outside
        pen.calls -= 1
    helper = Helper(pen.fresh("helper"), tuple(kind for _, kind in params), result)
    pen.definitions.append(Block(f"def {helper.name}({', '.join(name for name, _ in params)})", tuple(nodes)))
    pen.helpers.append(helper)
    return helper


def called_for_its_value(pen: Pen) -> list[Node]:
    """A helper that returns a number or an array."""
    params = drawn_params(pen)
    arrays = [kind for _, kind in pen.arrays()]
    result: Kind = pen.pick(arrays) if arrays and pen.chance(3) else Real()
    helper = helper_written(pen, params, result)
    pen.uses("helper")
    listed = ", ".join(argument(pen, kind) for kind in helper.params)
    return [f"{pen.bind(pen.fresh('s'), result)} = {helper.name}({listed})"]


def called_again(pen: Pen) -> list[Node]:
    """A helper that was called before."""
    helper = pen.pick([h for h in pen.helpers if h.result is None or pen.chance(3)] or pen.helpers)
    if pen.calls:
        raise NotHereError
    pen.uses("helper called again")
    call = f"{helper.name}({', '.join(argument(pen, kind) for kind in helper.params)})"
    return [call if helper.result is None else f"{pen.bind(pen.fresh('s'), helper.result)} = {call}"]


def writing_helper(pen: Pen) -> list[Node]:
    """A helper that writes into the array it is given, and returns nothing, a number or the array."""
    text, kind = pen.pick(pen.arrays())
    pen.uses("helper that writes")
    a, e = pen.fresh("p"), pen.fresh("p")
    outside = pen.scope
    result = pen.pick((None, Real(), kind))
    try:
        nodes = function_body(pen, ((a, kind), (e, Real())), 0)
        pen.scope.returns = False
        where = ", ".join(index(pen, n) for n in kind.shape)
        write = f"{a}[{where}] {pen.pick(('=', '+='))} {value(pen, 1)}"
        nodes = [pen.pick((write, f"{a}[:] = {array_value(pen, kind.shape, 1)}", f"{a} *= np.sin({e})")), *nodes]
        if pen.chance(3):
            nodes += pen.write_block(pen, 1)
        if result is not None:
            nodes.append(f"return {a}" if result == kind else f"return {value(pen)}")
    finally:
        pen.scope = outside
        pen.calls -= 1
    helper = Helper(pen.fresh("helper"), (kind, Real()), result)
    pen.definitions.append(Block(f"def {helper.name}({a}, {e})", tuple(nodes)))
    pen.helpers.append(helper)
    given = text
    same = [view for view, shape in views(text, kind.shape) if shape == kind.shape and "asarray" not in view]
    if same and pen.has("aliases") and pen.chance(4):
        given = pen.pick(same)
        pen.uses("helper that writes to a view")
    call = f"{helper.name}({given}, {value(pen, 1)})"
    if result is None:
        return [call]
    pen.uses("helper that returns what it was given" if result == kind else "helper that writes and returns")
    return [f"{pen.bind(pen.fresh('w'), result)} = {call}"]


def viewing_helper(pen: Pen) -> list[Node]:
    """A helper that returns a view of its argument, which is then written to."""
    text, kind = pen.pick(pen.arrays())
    a = pen.fresh("p")
    view, shape = pen.pick([(a, kind.shape), *views(a, kind.shape)])
    pen.uses("helper that returns a view")
    helper = Helper(pen.fresh("helper"), (kind,), Arr(shape))
    pen.definitions.append(Block(f"def {helper.name}({a})", (f"return {view}",)))
    pen.helpers.append(helper)
    name = pen.bind(pen.fresh("w"), Arr(shape))
    nodes: list[Node] = [f"{name} = {helper.name}({text})"]
    if pen.has("inplace"):
        written_to, of = pen.pick(((name, shape), (text, kind.shape)))
        nodes.append(f"{written_to}[{', '.join(index(pen, n) for n in of)}] = {value(pen, 1)}")
    return nodes


def twofold_helper(pen: Pen) -> list[Node]:
    """A helper of two arrays that writes to one and reads the other, called with the same one twice."""
    text, kind = pen.pick(pen.arrays())
    pen.uses("helper given the same array twice")
    a, b = pen.fresh("p"), pen.fresh("p")
    where, other = (", ".join(str(pen.pick(range(n))) for n in kind.shape) for _ in range(2))
    body = pen.pick(
        (
            (f"{a}[{where}] = np.sin({b}[{other}])", f"return {b}[{where}] * {a}[{other}]"),
            (f"{a} *= 0.5", f"{b} += np.sin({a})", f"return np.sum({a} * {b})"),
            (f"{a}[{where}] = 2.0", f"return np.sum({a} * {b})"),
        )
    )
    name = pen.fresh("helper")
    pen.definitions.append(Block(f"def {name}({a}, {b})", body))
    same = [view for view, shape in views(text, kind.shape) if shape == kind.shape]
    second = pen.pick([text, text, *same, *[t for t, _ in pen.arrays(kind.shape)]])
    return [f"{pen.bind(pen.fresh('s'), Real())} = 0.3 * {name}({text}, {second})"]


def pushing_helper(pen: Pen) -> list[Node]:
    """A helper that puts a number on to the list it is given."""
    text, kind = pen.pick([(t, k) for t, k in pen.lists() if pen.growable(k.cell)])
    pen.uses("helper that appends")
    name, xs, e = pen.fresh("helper"), pen.fresh("p"), pen.fresh("p")
    then = pen.pick((f"return 0.3 * sum({xs})", f"return {xs}[-1] * {xs}[0]"))
    pen.definitions.append(Block(f"def {name}({xs}, {e})", (f"{xs}.append(np.sin({e}))", then)))
    call = f"{name}({text}, {value(pen, 1)})"
    pen.resized(kind.cell, 1)
    return [f"{pen.bind(pen.fresh('s'), Real())} = {call}"]


def captured_scope(pen: Pen, params: tuple[Param, ...]) -> Scope:
    """The scope of an inner function: what is around it can be read, and what it relies on keeps its kind."""
    around = pen.scope
    around.pinned |= around.names.keys()
    cells = {number: Cell(keys=cell.keys, locked=True) for number, cell in around.cells.items()}
    names = dict(around.names)
    shadowed = {name for name, _ in params}
    names = {name: kind for name, kind in names.items() if name not in shadowed and not isinstance(kind, Fun)}
    return Scope({**names, **dict(params)}, cells, frozenset(shadowed), depth=1, returns=False)


def inner_function(pen: Pen) -> list[Node]:
    """An inner function that captures what is around it, and perhaps sets it."""
    if pen.calls or pen.scope.depth > 1:
        raise NotHereError
    pen.uses("inner function")
    name = pen.fresh("g")
    params: tuple[Param, ...] = ((pen.fresh("p"), Real()),)
    outer = [text for text in pen.scope.own if isinstance(pen.scope.names[text], Real)]
    if pen.has("shadowing") and outer and pen.chance(4):
        pen.uses("names that shadow")
        params = ((min(outer), Real()),)
    around = pen.scope
    pen.scope = captured_scope(pen, params)
    pen.calls += 1
    free = sorted(set(outer) - dict(params).keys())
    nodes: list[Node] = []
    try:
        if free and pen.has("nonlocal") and pen.chance():
            pen.uses("nonlocal")
            changed = pen.pick(free)
            pen.bind(changed, Real())
            nodes += [f"nonlocal {changed}", f"{changed} = {value(pen)}"]
        elif pen.has("effects") and pen.chance():
            nodes += _effect(pen)
        elif pen.chance():
            nodes += pen.write_block(pen, 1)
        result: Kind = Real()
        arrays = [kind for _, kind in pen.arrays()]
        if arrays and pen.chance(4):
            result = pen.pick(arrays)
            assert isinstance(result, Arr)
            nodes.append(f"return {array_value(pen, result.shape)}")
        else:
            nodes.append(f"return {value(pen)}")
    finally:
        pen.scope = around
        pen.calls -= 1
    pen.bind(name, Fun((Real(),), result))
    pen.scope.pinned |= {name}
    listed: list[Node] = [Block(f"def {name}({params[0][0]})", tuple(nodes))]
    if pen.chance(3):
        pen.uses("call of an inner function")
        call = f"{name}({value(pen, 1)})"
        listed.append(f"{pen.bind(pen.fresh('s'), result)} = {call}")
    return listed


def _effect(pen: Pen) -> list[Node]:
    """A write to something captured."""
    text, kind = pen.pick(pen.arrays())
    pen.uses("write to a captured array")
    where = ", ".join(index(pen, n) for n in kind.shape)
    return [f"{text}[{where}] {pen.pick(('=', '+='))} {value(pen, 1)}"]


def lambda_made(pen: Pen) -> list[Node]:
    """A lambda that captures."""
    if pen.calls or pen.scope.depth > 1:
        raise NotHereError
    pen.uses("lambda")
    around = pen.scope
    param = pen.fresh("p")
    pen.scope = captured_scope(pen, ((param, Real()),))
    pen.calls += 1
    try:
        text = f"lambda {param}: {param} * {real(pen, 1)}"
    finally:
        pen.scope = around
        pen.calls -= 1
    return [f"{pen.bind(pen.fresh('g'), Fun((Real(),), Real()))} = {text}"]


def object_made(pen: Pen) -> list[Node]:
    """An object of a class with a number, perhaps an array, and methods that write to them."""
    if pen.calls:
        raise NotHereError
    arrays = pen.arrays()
    given: list[tuple[str, Kind, str]] = [("v", Real(), value(pen, 1))]
    if arrays and pen.chance():
        text, kind = pen.pick(arrays)
        given.append(("a", kind, text))
    pen.uses("class")
    made = Obj(pen.fresh("Box"), tuple((name, kind) for name, kind, _ in given))
    init = Block(
        f"def __init__(self, {', '.join(name for name, _, _ in given)})",
        tuple(f"self.{name} = {name}" for name, _, _ in given),
    )
    outside = pen.scope
    e = pen.fresh("p")
    try:
        nodes = function_body(pen, (("self", made), (e, Real())), 0)
        pen.classes[made.cls] = (made, ())
        pen.scope.returns = False
        pen.lock_names("self")
        nodes = [f"self.v = {value(pen)}"] if pen.chance() else []
        nodes += pen.write_block(pen, 1)
        nodes.append(f"return {value(pen)}")
    finally:
        pen.scope = outside
        pen.calls -= 1
    method = Block(f"def step(self, {e})", tuple(nodes))
    pen.definitions.append(Block(f"class {made.cls}", (init, method)))
    pen.classes[made.cls] = (made, ("step",))
    name = pen.bind(pen.fresh("o"), made)
    return [f"{name} = {made.cls}({', '.join(text for _, _, text in given)})"]


def attribute_updated(pen: Pen) -> list[Node]:
    """An attribute, changed by a little or by a method."""
    objects = [(text, kind) for text, kind, _ in pen.places(within=False) if isinstance(kind, Obj)]
    text, kind = pen.pick(objects)
    if pen.classes[kind.cls][1] and pen.chance():
        pen.uses("method")
        call = f"{text}.step({value(pen, 1)})"
        return [f"{pen.bind(pen.fresh('s'), Real())} = {call}"]
    pen.uses("attribute write")
    return [f"{text}.v {pen.pick(('+=', '='))} {value(pen, 1, 1.0)}"]


def list_of_views(pen: Pen) -> list[Node]:
    """A list whose arrays are views of, or the same as, arrays that have other names."""
    text, kind = pen.pick(pen.arrays())
    shape = kind.shape
    same = [known(pen, shape).text, text]
    pen.uses("list of arrays")
    name = pen.fresh("xs")
    pen.bind(name, ListOf(kind, pen.cell(least=2, exact=2)))
    return [f"{name} = [{', '.join(same)}]"]


FUNCTIONS: tuple[Statement, ...] = (
    Statement("calls", called_for_its_value, 4),
    Statement("calls", called_again, 2),
    Statement("effects", writing_helper, 4),
    Statement("effects", viewing_helper, 2),
    Statement("effects", twofold_helper, 2),
    Statement("effects mutation", pushing_helper, 2),
    Statement("closures", inner_function, 5),
    Statement("closures", lambda_made, 2),
    Statement("classes", object_made, 5),
    Statement("classes", attribute_updated, 5),
    Statement("containers aliases", list_of_views, 1),
)
