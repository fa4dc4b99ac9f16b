"""Sparse Jacobians: of a value that loops fill, a row of entries for each number, behind the lines that set it.

A number of the value is what was stored last at its place. So its row follows from the lines that lead to the store:
those before it in its step, and those before the loop. They are undone right where the number is set, once for each,
with 1.0 for its adjoint. What would be added to the adjoint of an input becomes an entry: its value, and its column,
read from an array that holds the number of each place of the input.

    x_bar[i, 0] += e    ->    x_jac.append(e)
                              x_columns.append(x_places[i, 0])

>>> import numpy as np
>>> from adcompile import jacobian
>>> def differences(x, a):
...     out = np.zeros(len(x) - 1)
...     for i in range(len(out)):
...         out[i] = a * (x[i + 1] - x[i])
...     return out
>>> print(jacobian(differences, wrt="x", sparse=True).source_for(np.ones(4), 2.0).partition("# Both")[2])
sweeps, a row for each number of the value
    out = np.zeros(len(x) - 1)
    out_places = np.arange(out.size)
    rows = []
    x_jac = []
    x_columns = []
    x_ends = []
    x_places = np.arange(x.size)
    for i in range(len(out)):
        out[i] = a * (x[i + 1] - x[i])
<BLANKLINE>
        # Backward sweep of the step
        # out[i] = a * (x[i + 1] - x[i])
        rows.append(out_places[i])
        x_jac.append(-a)
        x_columns.append(x_places[i])
        x_jac.append(a)
        x_columns.append(x_places[i + 1])
        x_ends.append(len(x_jac))
<BLANKLINE>
    return (
        out.size,
        np.asarray(rows, np.int64),
        (
            np.asarray(x_jac, np.float64),
            np.asarray(x_columns, np.int64),
            np.asarray(x_ends, np.int64),
        ),
    )
<BLANKLINE>
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from adcompile.analyses.whole_numbers.subscripts import base_of
from adcompile.differentiate.jacobians.jacobian import once_more
from adcompile.differentiate.jacobians.sparse_entries import NUMBERS, array_of, numbered
from adcompile.differentiate.jacobians.sparse_rows import Row, Rows
from adcompile.differentiate.reverse import own_copies, reopen_groups
from adcompile.differentiate.storage.stepwise import counted
from adcompile.differentiate.storage.storage import store
from adcompile.differentiate.storage.sweep import Sweep
from adcompile.ir import nodes as n
from adcompile.ir.kinds import INT
from adcompile.ir.make import heading, together
from adcompile.ir.walk import blocks, bound_in, expressions, reads, statements, targets, walk

if TYPE_CHECKING:
    from adcompile.analyses.typing.typed import Typed
    from adcompile.differentiate.jacobians.jacobian import Input
    from adcompile.differentiate.reverse import Reverse


def row_by_row(work: Reverse, typed: Typed, inputs: list[Input], name: str) -> tuple[n.Function, bool]:
    """The function that makes the entries of a sparse Jacobian, and whether rows that are made twice add up.

    It returns the size of the value, the numbers of the rows in the order in which they are made, and for each input
    the values of the entries, their columns, and how many there are at the end of each row.
    """
    given = dict(zip(typed.params, typed.kinds, strict=True))
    roots = [(v, given[v]) for v in dict.fromkeys(v for _, v, _, _ in inputs)]
    made = work.adjoint(typed, roots, made=Rows)
    if not isinstance(made, Rows):
        raise TypeError
    groups = made.sweep.groups
    made.prepare(typed, inputs)
    made.require()
    rows = [made.row(site) for site in made.sites()]
    _refuse_to_repeat(made, rows)
    for row in rows:
        row.lines += [line for e in made.entries.values() if e.made for line in e.end()]
    made.weave(made.body)
    for loop, index in made.indices.items():
        lines = [line for row in rows for line in row.lines]
        if isinstance(loop, n.For) and index in {
            v for s in statements(lines) for e in expressions(s) for v in reads(e)
        }:
            loop.target, loop.iterable = counted(loop, index, lines)
    inside = {id(loop): loop for row in rows for loop in row.site.loops}
    resting = made.resting() - {v for loop in inside.values() if isinstance(loop, n.For) for v in targets(loop.target)}
    everything = frozenset(i.variable for i in made.numbered.info.values())
    for row in rows:
        _stored(made, row, everything - resting)
    _insert(made, rows)
    reopen_groups(Sweep(made.body, [line for row in rows for line in row.sweep.backward], groups=groups), [])
    return _function(made, name), isinstance(rows[0].site.stmt, n.Augment)


def _stored(made: Rows, row: Row, lives: frozenset[n.Variable]) -> None:
    """Bring the values that the lines of a row read to where they are read."""
    sweep, site = row.sweep, row.site
    sweep.lives = lives
    known = {*bound_in(made.body), *made.typed.params}
    several = sweep.backward is not row.lines
    store(sweep, row.versions, [])
    tapes = [s.tape for s in made.body if isinstance(s, n.NewTape)]
    popped = {s.tape: s.target for s in statements(sweep.backward) if isinstance(s, n.Pop)}
    own = [t for t in tapes if t in popped]
    made.body[:] = [s for s in made.body if not (isinstance(s, n.NewTape) and s.tape in own)]
    loops = [id(loop) for loop in site.loops]
    for tape in own:
        if not _in_own_loop(made.body, tape, loops):
            _second_name(made.body, tape, popped[tape])
            _drop_pop(sweep.backward, tape)
            continue
        for block in reversed(site.blocks):
            within = next(
                (s for s in block if any(isinstance(i, n.Push) and i.tape is tape for i in statements([s]))), None
            )
            if within is not None and (within not in site.around):
                block.insert(block.index(within), n.NewTape(tape))
                break
    if several:
        ahead, start = once_more(row.lines, known)
        row.lines[:0] = start
        sweep.backward[:0] = ahead


def _in_own_loop(body: list[n.Stmt], tape: n.Variable, loops: list[int]) -> bool:
    """Whether something is put on a tape in a loop other than those around the rows."""
    return any(
        isinstance(inner, n.Push) and inner.tape is tape
        for stmt in statements(body)
        if isinstance(stmt, n.For | n.While) and id(stmt) not in loops
        for inner in statements([stmt])
    )


def _second_name(body: list[n.Stmt], tape: n.Variable, name: n.Variable) -> None:
    """Let what a step would put on a tape of its own go to a second name instead."""
    for k, stmt in enumerate(body):
        if isinstance(stmt, n.Push) and stmt.tape is tape:
            body[k] = n.Assign(name, stmt.value, origin=stmt.origin)
        for block in blocks(stmt):
            _second_name(block, tape, name)


def _drop_pop(body: list[n.Stmt], tape: n.Variable) -> None:
    body[:] = [s for s in body if not (isinstance(s, n.Pop) and s.tape is tape)]
    for stmt in body:
        for block in blocks(stmt):
            _drop_pop(block, tape)


def _refuse_to_repeat(made: Rows, rows: list[Row]) -> None:
    """Refuse helpers whose backward function takes its tape to pieces, where it would be called several times."""
    taken: set[n.Variable] = set()
    for row in rows:
        here: set[n.Variable] = set()
        for call in _calls(row.lines):
            if _pops(call.func, set()):
                record = base_of(call.args[0])
                variable = made.original(record.variable) if isinstance(record, n.Read) else made.filling
                if variable in taken or row.lines is not row.sweep.backward:
                    reason = "A function with a loop in it is called for several numbers at once."
                    remedy = "Write its loop out where it is called, or leave `sparse` out."
                    raise made.refusal(reason, row.site.stmt, remedy)
                here.add(variable)
        taken |= here


def _calls(lines: list[n.Stmt]) -> list[n.Call]:
    """The calls of functions of the compiler's in some lines."""
    found = (e for s in statements(lines) for x in expressions(s) for e in walk(x))
    return [e for e in found if isinstance(e, n.Call) and _called(e.func) is not None]


def _called(func: n.Expr) -> n.Function | None:
    return func.value if isinstance(func, n.Ref) and isinstance(func.value, n.Function) else None


def _pops(func: n.Expr, seen: set[n.Function]) -> bool:
    """Whether a function takes something off a tape that it is given, or calls one that does."""
    function = _called(func)
    if function is None or function in seen:
        return False
    seen.add(function)
    own = any(isinstance(s, n.Pop) for s in statements(function.body))
    return own or any(_pops(call.func, seen) for call in _calls(function.body))


def _insert(made: Rows, rows: list[Row]) -> None:
    """Put the lines of the rows behind those that set the numbers."""
    groups: dict[n.Stmt, list[Row]] = {}
    for row in rows:
        behind = row.site.behind
        groups.setdefault(made.stand_ins.get(behind, behind), []).append(row)
    for behind, group in groups.items():
        block = group[0].site.blocks[-1]
        place = block.index(behind) + 1
        lines = [line for row in group for line in row.sweep.backward]
        step = " of the step" if group[0].site.around else ""
        follows = any(not isinstance(s, n.Return) for s in block[place:])
        block[place:place] = [
            heading(n.Section.BACKWARD, f"{step}, once for each number that it sets" if len(group) > 1 else step),
            *lines,
            *([heading(n.Section.FORWARD, ", from there on")] if follows else []),
        ]


def _function(made: Rows, name: str) -> n.Function:
    typed, value = made.typed, n.Read(made.filling, kind=made.typed.result)
    entries = list(made.entries.values())
    *body, last = made.body
    creation = body.index(made.creation(made.filling)) + 1
    begin = [
        numbered(made.places, value), n.NewTape(made.rows.variable), *(line for e in entries for line in e.begin())
    ]
    size = n.Attribute(value, "size", kind=INT)
    results = tuple(e.result(made.rows) for e in entries)
    returned = together(size, array_of(made.rows, NUMBERS), *results)
    params = [n.Param(v) for v in typed.params]
    whole = [
        *own_copies(typed, made.sharing.changed_params, by_layout=made.sharing.by_layout),
        heading(n.Section.BOTH, ", a row for each number of the value"),
        *body[:creation],
        *begin,
        *body[creation:],
        n.Return(returned, origin=last.origin),
    ]
    return n.Function(name, params, whole, typed.function.source, docstring="")
