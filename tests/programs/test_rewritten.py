"""Programs written otherwise: the same function in other words has the same derivatives.

Operations get names by `:=`, become items of lists, stand in lambdas, comprehensions or choices, or are handed through
a function; the body becomes a local function, one that calls itself, a loop that is left or runs twice, or stands in a
`try` or a branch; loops run over generators, by index, or with a count beside them, updates are written out, names are
set beside others, and locals are held in a dict or in an object. What is refused then is no fault.

    pytest tests/programs/test_rewritten.py --whole     # all programs, in all ways
"""

from __future__ import annotations

import ast
import copy
import functools
import inspect
import warnings
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from typing import Any

import numpy as np
import pytest

from adcompile import ADError

from . import structures
from .checks import ADJOINT_TOLERANCE, SINGLE_TOLERANCE, seed_of, tangents_of
from .corpus import Program, load
from .kept import grad, jvp, vjp
from .refused import REFUSED, REFUSED_FORWARD
from .rewritten import loaded, rewritten

FIRST = """
import itertools as _itertools

def _certain():
    return len(str(7)) == 1

def _each(values):
    for value in values:
        yield value

def _same(value):
    return value

class _Holder:
    pass
"""
_OF_NUMBERS = {"abs", "float", "max", "min", "sum"}
# Whose parts are evaluated later, several times or not at all, or are no values.
_APART = (
    *(ast.Lambda, ast.FunctionDef, ast.ClassDef, ast.JoinedStr, ast.Slice, ast.Delete, ast.Assert),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)


class Around(ast.NodeTransformer):
    """Puts something around the operations, items and calls of a function that are certainly evaluated once."""

    def __init__(self, made: Callable[[ast.expr, int], ast.expr]) -> None:
        self.made = made
        self.count = 0

    def around(self, node: ast.expr) -> ast.expr:
        self.count += 1
        return ast.copy_location(self.made(node, self.count), node)

    def visit(self, node: ast.AST) -> Any:
        return node if isinstance(node, _APART) else super().visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> ast.IfExp:
        node.test = self.visit(node.test)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.BoolOp:
        node.values[0] = self.visit(node.values[0])
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.Compare:
        node.left = self.visit(node.left)
        if len(node.ops) == 1:
            node.comparators = [self.visit(e) for e in node.comparators]
        return node

    def visit_While(self, node: ast.While) -> ast.While:
        node.body = [self.visit(stmt) for stmt in node.body]
        node.orelse = [self.visit(stmt) for stmt in node.orelse]
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.Expr:
        if isinstance(node.value, ast.Call):
            node.value.args = [self.visit(e) for e in node.value.args]
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        return self.around(node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        if isinstance(node.value, ast.Call | ast.Subscript):
            node.value = self.visit(node.value)
        if not isinstance(node.slice, ast.Tuple | ast.Slice):
            node.slice = self.visit(node.slice)
        return self.around(node) if isinstance(node.ctx, ast.Load) else node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        match node.func:
            case ast.Name(id=name) if name not in _OF_NUMBERS:
                node.args = [self.visit(e) for e in node.args]
                return node
        self.generic_visit(node)
        match node.func:
            case ast.Attribute(value=ast.Name(id="np" | "math")):
                return self.around(node)
            case _:
                return node


def around(made: Callable[[ast.expr, int], ast.expr]) -> Callable[[ast.FunctionDef], bool]:
    def rewrite(function: ast.FunctionDef) -> bool:
        work = Around(made)
        function.body = [work.visit(stmt) for stmt in function.body]
        return work.count > 0

    return rewrite


def _inside(body: list[ast.stmt]) -> list[ast.AST]:
    return [node for stmt in body for node in ast.walk(stmt)]


def in_a_function(function: ast.FunctionDef, *, given: bool) -> bool:
    """The body as a local function, which is given the parameters or reads them where they are."""
    params = function.args
    names = [a.arg for a in (*params.posonlyargs, *params.args, *params.kwonlyargs)]
    inside = _inside(function.body)
    if params.vararg or params.kwarg or any(isinstance(e, ast.Nonlocal | ast.Global) for e in inside):
        return False
    bound = {e.id for e in inside if isinstance(e, ast.Name) and isinstance(e.ctx, ast.Store | ast.Del)}
    shared = [name for name in names if name in bound]
    outer: list[ast.stmt] = [ast.Nonlocal(shared)] if shared and not given else []
    own = [ast.arg(name) for name in names] if given else []
    arguments = ast.arguments([], own, None, [], [], None, [])
    inner = ast.FunctionDef("_inner", arguments, outer + function.body, [], None)
    call = ast.Call(ast.Name("_inner", ast.Load()), [ast.Name(a.arg, ast.Load()) for a in own], [])
    function.body = [inner, ast.Return(call)]
    return True


def in_a_loop(function: ast.FunctionDef) -> bool:
    """The body as a loop that is left by the `return`."""
    apart = ast.FunctionDef | ast.Lambda | ast.ClassDef | ast.Nonlocal | ast.Global
    if any(isinstance(e, apart) for e in _inside(function.body)):
        return False
    function.body = [ast.While(ast.Constant(value=True), [*function.body, ast.Break()], [])]
    return True


def in_a_try(function: ast.FunctionDef) -> bool:
    handler = ast.ExceptHandler(ast.Name("KeyboardInterrupt", ast.Load()), None, [ast.Raise()])
    function.body = [ast.Try(function.body, [handler], [], [])]
    return True


def _inner_of(function: ast.FunctionDef) -> tuple[ast.FunctionDef, ast.Call]:
    """The local function that the body has become, and its call."""
    inner, last = function.body
    assert isinstance(inner, ast.FunctionDef)
    assert isinstance(last, ast.Return)
    assert isinstance(last.value, ast.Call)
    return inner, last.value


def called_by_itself(function: ast.FunctionDef) -> bool:
    """The body as a local function that calls itself once before it does it."""
    if not in_a_function(function, given=True):
        return False
    inner, call = _inner_of(function)
    deeper = ast.Call(ast.Name("_inner", ast.Load()), [_parsed("_depth - 1"), *copy.deepcopy(call.args)], [])
    inner.args.args.insert(0, ast.arg("_depth"))
    inner.body.insert(0, ast.If(_parsed("_depth > 0"), [ast.Return(deeper)], []))
    call.args.insert(0, ast.Constant(1))
    return True


def twice(function: ast.FunctionDef) -> bool:
    """The body in a loop that runs twice, where it ends in its only `return`."""
    apart = ast.FunctionDef | ast.Lambda | ast.ClassDef | ast.Nonlocal | ast.Global
    inside = _inside(function.body)
    *body, last = function.body
    returns = [e for e in inside if isinstance(e, ast.Return)]
    if returns != [last] or any(isinstance(e, apart) for e in inside):
        return False
    assert isinstance(last, ast.Return)
    kept = ast.Assign([ast.Name("_kept", ast.Store())], last.value or ast.Constant(None))
    loop = ast.For(ast.Name("_turn", ast.Store()), _parsed("range(2)"), [*body, kept], [])
    function.body = [loop, ast.Return(ast.Name("_kept", ast.Load()))]
    return True


def in_a_branch(function: ast.FunctionDef) -> bool:
    """The body in the second step of a loop, which its `return` leaves."""
    if not in_a_loop(function):
        return False
    (loop,) = function.body
    assert isinstance(loop, ast.While)
    inner = ast.If(_parsed("_turn % 2 == 1"), loop.body, [])
    function.body = [ast.For(ast.Name("_turn", ast.Store()), _parsed("range(3)"), [inner], [])]
    return True


class _Held(ast.NodeTransformer):
    """Puts the locals of a function into a dict, or an object."""

    def __init__(self, names: set[str], place: str) -> None:
        self.names = names
        self.place = place

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in self.names:
            return node
        place = _parsed(self.place.format(node.id))
        assert isinstance(place, ast.Subscript | ast.Attribute)
        place.ctx = node.ctx
        return place


def held(function: ast.FunctionDef, *, place: str, holder: str) -> bool:
    """What the locals hold, and the parameters that are set anew, at places of one dict or object."""
    inside = _inside(function.body)
    apart = (
        *(ast.FunctionDef, ast.Lambda, ast.ClassDef, ast.Nonlocal, ast.Global),
        *(ast.Delete, ast.NamedExpr, ast.ExceptHandler, ast.Import, ast.ImportFrom, ast.Match),
    )
    if any(isinstance(e, apart) for e in inside):
        return False
    targets = [e for c in inside if isinstance(c, ast.comprehension) for e in ast.walk(c.target)]
    own = {e.id for e in targets if isinstance(e, ast.Name)}
    names = {e.id for e in inside if isinstance(e, ast.Name) and isinstance(e.ctx, ast.Store)}
    if names & own or not names - own:
        return False
    params = function.args
    given = [a.arg for a in (*params.posonlyargs, *params.args, *params.kwonlyargs, params.vararg, params.kwarg) if a]
    work = _Held(names, place)
    body = [work.visit(stmt) for stmt in function.body]
    first = [f"{place.format(name)} = {name}" for name in given if name in names]
    function.body = [*ast.parse("\n".join([holder, *first])).body, *body]
    return True


class _Filled(ast.NodeTransformer):
    """Puts something in the place of `_`."""

    def __init__(self, hole: ast.expr) -> None:
        self.hole = hole

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.hole if node.id == "_" else node


class _RunOver(ast.NodeTransformer):
    """Lets loops run over something else: `head` is like their own, with `_` for the target and for the iterable."""

    def __init__(self, head: str) -> None:
        self.head = head
        self.count = 0

    def visit_For(self, node: ast.For) -> ast.For:
        self.generic_visit(node)
        self.count += 1
        (made,) = ast.parse(f"{self.head}: pass").body
        assert isinstance(made, ast.For)
        node.target, node.iter = _Filled(node.target).visit(made.target), _Filled(node.iter).visit(made.iter)
        return node


def run_over(function: ast.FunctionDef, *, head: str) -> bool:
    """Loops over what a generator gives, or with a count beside."""
    work = _RunOver(head)
    function.body = [work.visit(stmt) for stmt in function.body]
    return work.count > 0


class _ByIndex(ast.NodeTransformer):
    count = 0

    def visit_For(self, node: ast.For) -> list[ast.stmt]:
        self.generic_visit(node)
        if any(isinstance(e, ast.Break | ast.Return) for e in _inside(node.body)):
            return [node]  # it may be over what has no end
        self.count += 1
        k, items = f"_k_{self.count}", f"_items_{self.count}"
        text = f"{items} = list(_)\n{k} = 0\nwhile {k} < len({items}):\n    _ = {items}[{k}]\n    {k} += 1"
        made, start, loop = ast.parse(text).body
        assert isinstance(made, ast.Assign)
        assert isinstance(made.value, ast.Call)
        assert isinstance(loop, ast.While)
        assert isinstance(loop.body[0], ast.Assign)
        made.value.args = [node.iter]
        loop.body[0].targets = [node.target]
        loop.body += node.body
        loop.orelse = node.orelse
        return [made, start, loop]


def by_index(function: ast.FunctionDef) -> bool:
    """Loops over a list of their items, by index."""
    work = _ByIndex()
    function.body = [s for stmt in function.body for s in _as_list(work.visit(stmt))]
    return work.count > 0


def _as_list(made: Any) -> list[ast.stmt]:
    return made if isinstance(made, list) else [made]


class _Unpacked(ast.NodeTransformer):
    count = 0

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        match node.targets:
            case [ast.Name() | ast.Subscript() | ast.Attribute() as target]:
                self.count += 1
                pair = ast.Tuple([target, ast.Name("_other", ast.Store())], ast.Store())
                return ast.Assign([pair], ast.Tuple([node.value, ast.Constant(0)], ast.Load()))
        return node


def unpacked(function: ast.FunctionDef) -> bool:
    """`a = v` as `a, _ = v, 0`."""
    work = _Unpacked()
    function.body = [work.visit(stmt) for stmt in function.body]
    return work.count > 0


class _WrittenOut(ast.NodeTransformer):
    count = 0

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        parts = list(ast.walk(node.target))
        if isinstance(node.target, ast.Name) or any(isinstance(e, ast.Call | ast.NamedExpr) for e in parts):
            return node
        self.count += 1
        old = copy.deepcopy(node.target)
        old.ctx = ast.Load()
        return ast.Assign([node.target], ast.BinOp(old, node.op, node.value))


def written_out(function: ast.FunctionDef) -> bool:
    """`x[i] += v` as `x[i] = x[i] + v`."""
    work = _WrittenOut()
    function.body = [work.visit(stmt) for stmt in function.body]
    return work.count > 0


def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _named(node: ast.expr, count: int) -> ast.expr:
    return ast.NamedExpr(ast.Name(f"_named_{count}", ast.Store()), node)


def _item(node: ast.expr, _count: int) -> ast.expr:
    return ast.Subscript(ast.List([node], ast.Load()), ast.Constant(0), ast.Load())


def _handed(node: ast.expr, _count: int) -> ast.expr:
    return ast.Call(ast.Name("_same", ast.Load()), [node], [])


def _in_a_lambda(node: ast.expr, _count: int) -> ast.expr:
    return ast.Call(ast.Lambda(ast.arguments([], [], None, [], [], None, []), node), [], [])


def _in_a_comprehension(node: ast.expr, _count: int) -> ast.expr:
    once = ast.comprehension(ast.Name("_once", ast.Store()), ast.Tuple([ast.Constant(0)], ast.Load()), [], 0)
    return ast.Subscript(ast.ListComp(node, [once]), ast.Constant(0), ast.Load())


def _chosen(node: ast.expr, _count: int) -> ast.expr:
    return ast.IfExp(_parsed("_certain()"), node, copy.deepcopy(node))


WAYS: dict[str, Callable[[ast.FunctionDef], bool]] = {
    "named": around(_named),
    "items": around(_item),
    "handed": around(_handed),
    "in lambdas": around(_in_a_lambda),
    "given": functools.partial(in_a_function, given=True),
    "read": functools.partial(in_a_function, given=False),
    "looped": in_a_loop,
    "tried": in_a_try,
    "called by itself": called_by_itself,
    "in comprehensions": around(_in_a_comprehension),
    "chosen": around(_chosen),
    "over a generator": functools.partial(run_over, head="for _ in _each(_)"),
    "counted": functools.partial(run_over, head="for _count, _ in enumerate(_)"),
    "beside a count": functools.partial(run_over, head="for _, _count in zip(_, _itertools.count())"),
    "written out": written_out,
    "by index": by_index,
    "unpacked": unpacked,
    "twice": twice,
    "in a branch": in_a_branch,
    "in a dict": functools.partial(held, place="_held['{}']", holder="_held = {}"),
    "in an object": functools.partial(held, place="_held.{}", holder="_held = _Holder()"),
}


@functools.cache
def written(name: str, way: str) -> tuple[ast.Module, frozenset[str]]:
    return rewritten(name, lambda f: not _yields(f) and WAYS[way](f), FIRST)


def _yields(function: ast.FunctionDef) -> bool:
    return any(isinstance(e, ast.Yield | ast.YieldFrom) for e in ast.walk(function))


@functools.cache
def changed(name: str, way: str) -> dict[str, Any]:
    return loaded(f"{way.replace(' ', '_')}_{name.replace('.', '_')}", written(name, way)[0])


def run(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    with warnings.catch_warnings(), np.errstate(all="ignore"), redirect_stdout(StringIO()):
        warnings.simplefilter("ignore")
        return function(*copy.deepcopy(args), **copy.deepcopy(kwargs))


OPEN = {
    "NaN where 0 is right": """
        left_out.a_helper_leaves_out-looped, left_out.a_helper_leaves_out-called by itself,
        left_out.a_helper_leaves_out-twice, left_out.the_farthest_of_points_one_of_which_is_here-in a dict,
        missing.in_the_last_of_several_steps-in a dict,
        contexts.errors_ignored_in_a_loop_that_is_left-handed""",
    "whole numbers that count as places, so that a partial is left out": """
        whole_for_real.largest_by_hand-over a generator, whole_for_real.largest_by_hand-by index""",
    "the text raises": """
        over_items.items_that_change_meanwhile-looped, over_items.items_that_change_meanwhile-twice,
        overwriting.list_updated_before_its_name_is_a_number-looped,
        second_look.list_filled_until_something_raises_in_a_try_in_a_try-looped,
        number_types.stored_into_reals_then_into_whole_numbers-in a dict,
        overwriting.array_name_is_sometimes_the_same_object-in a dict,
        control_flow_stores.array_made_in_one_trip_and_changed_in_others-in a dict,
        second_look.stack_in_an_object-in a dict, second_look.stack_in_an_object-in an object,
        found_by_the_hunt.diagonal_copied_to_itself-in a dict,
        found_by_the_hunt.diagonal_copied_to_itself-in an object,
        indexing.new_axis_of_what_is_a_number_in_the_end-in a dict,
        for_loops.what_a_loop_over_nothing_leaves-by index,
        in_one_dict.dict_set_anew_in_a_loop_over_its_values-by index,
        changed_before_it_varies.lists_of_a_dict_filled_by_a_loop-by index""",
    "an array of another length than the watch knows": "dispatch.layers_with_activations-unpacked",
    "a zip with a count makes a list of what changes meanwhile": """
        in_one_dict.list_that_loses_its_name_meanwhile-beside a count,
        changed_elsewhere.filled_in_an_iterable-beside a count,
        for_loops.pairs_by_a_function_that_changes_what_it_reads-beside a count,
        for_loops.pairs_computed_before_the_loop-beside a count,
        for_loops.pairs_of_items_that_the_loop_scales-beside a count,
        for_loops.pairs_of_items_that_the_loop_sets-beside a count,
        named_iterators.left_and_gone_on_with-3-beside a count,
        named_iterators.two_at_a_time_in_the_loop-beside a count,
        named_iterators.two_at_a_time_in_the_loop-2-beside a count,
        output_and_chance.drawn_items_of_loops-beside a count,
        made_in_turn.numbered_items_given_to_functions-beside a count,
        named_iterators.enumerated_what_is_left_and_left_early-2-beside a count,
        control_flow_stores.zip_of_the_array_and_its_shift-beside a count,
        for_loops.beside_a_row_that_the_loop_changes-beside a count,
        in_one_dict.numbered_list_that_grows-beside a count, in_one_dict.two_lists_that_grow-beside a count""",
    "a list that a default value holds": """
        second_look.list_filled_through_a_default-counted, second_look.list_filled_through_a_default-beside a count""",
}
"""What is not right yet: every one of them must still fail."""
_OPEN = {case.strip(): reason for reason, found in OPEN.items() for case in found.split(",")}
NOT_TWICE = {
    "at_the_edge.infinite_slope_and_value": "the first time counts zero times infinity",
    "levels.one_list_given_twice": "the second time it has the same value by chance",
}


def _is_changed(program: Program) -> bool:
    """Whether a program changes what it is given."""
    given = copy.deepcopy((program.args, program.kwargs))
    with warnings.catch_warnings(), np.errstate(all="ignore"), redirect_stdout(StringIO()):
        warnings.simplefilter("ignore")
        program.fn(*given[0], **given[1])
    return structures.difference(given, (program.args, program.kwargs)) is not None


def cases() -> list[Any]:
    programs = [
        program
        for program in load()
        if program.raises is None and program.inputs and inspect.isfunction(program.fn) and program.name not in REFUSED
    ]
    made = [(program, way, f"{program.name}-{way}") for program in programs for way in WAYS]
    return [pytest.param(p, way, id=case, marks=_marks(case)) for p, way, case in made]


def _marks(case: str) -> list[pytest.MarkDecorator]:
    return [pytest.mark.xfail(reason=_OPEN[case], strict=True)] if case in _OPEN else []


@pytest.mark.parametrize(("program", "way"), cases())
def test_in_other_words(program: Program, way: str) -> None:
    if program.fn.__name__ not in written(program.fn.__module__, way)[1]:
        pytest.skip("there is nothing to write otherwise")
    fn = changed(program.fn.__module__, way)[program.fn.__name__]
    try:
        value = run(program.fn, *program.args, **program.kwargs)
        other = run(fn, *program.args, **program.kwargs)
    except Exception as error:  # noqa: BLE001 - whichever: it asks for classes that are others in the other module
        pytest.skip(f"it raises {error!r}")
    if structures.difference(value, other) is not None:
        pytest.skip("it looks at itself")
    if way == "twice" and (program.name in NOT_TWICE or _is_changed(program)):
        pytest.skip("twice it is another function")
    lead = (seed_of(program, value),) if program.vector else ()
    tolerance = 10 * (SINGLE_TOLERANCE if program.single else ADJOINT_TOLERANCE)

    def compare(got: Any, want: Any) -> None:
        assert got.shape == want.shape
        scale = max(1.0, float(np.max(np.abs(want), initial=0.0, where=np.isfinite(want))))
        assert got == pytest.approx(want, rel=tolerance, abs=tolerance * scale, nan_ok=True)

    transformation = vjp if program.vector else grad
    want = run(transformation(program.fn, wrt=program.wrt), *lead, *program.args, **program.kwargs)
    try:
        got = run(transformation(fn, wrt=program.wrt, check=False), *lead, *program.args, **program.kwargs)
    except ADError:
        got = None
    arguments = program.bind().arguments
    for name in program.inputs if got is not None else ():
        compare(*(structures.reals(p[1][name], name, program.static, like=arguments[name]) for p in (got, want)))
    if program.name in REFUSED_FORWARD:
        return
    tangents = tangents_of(program)
    want = run(jvp(program.fn, wrt=program.inputs), tangents, *program.args, **program.kwargs)
    try:
        got = run(jvp(fn, wrt=program.inputs, check=False), tangents, *program.args, **program.kwargs)
    except ADError:
        return
    for k in (0, 1):
        compare(*(structures.reals(both[k], like=value) for both in (got, want)))
