"""Many sets of arguments at once under Numba: a generated loop that runs in parallel and fills arrays of results.

>>> print(batch_text("neuron_grad", "neuron", [Input("x"), Input("w"), Input("b", varies=False)],
...                  (Output("value"), (Output("x_bar"), Output("w_bar"), Output("u_bar", checked=True)))))
\"\"\"`neuron_grad` for many sets of arguments at once.\"\"\"
<BLANKLINE>
from numba import njit, prange
<BLANKLINE>
<BLANKLINE>
@njit(forceinline=True)
def neuron_grad_at(k, x, w, b, value, x_bar, w_bar, u_bar):
    \"\"\"Fill row k of the results; False where `neuron` raises or a result has another shape than its row.\"\"\"
    try:
        value[k], (x_bar[k], w_bar[k], u_bar_row) = neuron_grad(x[k], w[k], b)
        if u_bar_row.shape != u_bar.shape[1:]:
            return False
        u_bar[k] = u_bar_row
    except Exception:
        return False
    return True
<BLANKLINE>
<BLANKLINE>
@njit(parallel=True)
def neuron_grad_batch(sets, x, w, b, value, x_bar, w_bar, u_bar):
    \"\"\"Fill the results for so many sets; the first that cannot be, or their number.\"\"\"
    failed = sets
    for k in prange(sets):
        if not neuron_grad_at(k, x, w, b, value, x_bar, w_bar, u_bar):
            failed = min(failed, k)
    return failed
<BLANKLINE>

`neuron_grad` raises in Python, where its exception can be seen: the loop tells for which set.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from adcompile.calls.arguments.sets import Fixed, Group, Tree, Varying, kinds_within, number_dtype
from adcompile.errors import JitError
from adcompile.load.jit import (
    Native,
    compile_for,
    compile_native,
    digest_of,
    dispatchers_of,
    extra,
    keep_code,
    look_on_disk,
)
from adcompile.load.module import load
from adcompile.locking import compiling
from adcompile.value_classes import value_class

if TYPE_CHECKING:
    from adcompile.ir.nodes import Variable

_WIDTH = 100
_WORDS = ("njit", "prange", "range", "min", "Exception", "True", "False")  # names that the text itself uses


@value_class()
class Input:
    """A parameter of the loop: an array with a row for each set, or what is the same for all."""

    name: str
    varies: bool = True


@value_class()
class Output:
    """An array of results; `checked` where the rows could be of different shapes.

    `given` where the function is given the row, and fills it itself.
    """

    name: str
    checked: bool = False
    given: bool = False


Inputs = Input | tuple["Inputs", ...]
Outputs = Output | tuple["Outputs", ...]


@value_class()
class _Text:
    """The text of a loop as `load` takes it."""

    text: str
    objects: Mapping[str, object]
    own_lines: tuple[tuple[int, int], ...]
    lines: Mapping[int, tuple[str, int]] = field(default_factory=dict)
    user_names: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, Mapping[str, Variable]] = field(default_factory=dict)


@dataclass(slots=True)
class Batch:
    """The loop of one function for certain types of arguments."""

    module: _Text
    call: Any
    outputs: Outputs
    is_compiled: bool = False


# ------------------------------------------------------------------------------------------------------------- the text


def batch_text(called: str, user_name: str, arguments: Sequence[Inputs], results: Outputs) -> str:
    """The module with the loop over sets for a function `called`, as in the docstring of this file."""
    inputs = [leaf.name for argument in arguments for leaf in _leaves(argument)]
    outputs = list(_leaves(results))
    names = [*inputs, *(leaf.name for leaf in outputs)]
    taken = {*names, *_WORDS, called}
    k, sets, failed = (_free(name, taken) for name in ("k", "sets", "failed"))
    at, batch = (_free(f"{called}_{end}", taken) for end in ("at", "batch"))
    rows = {leaf.name: _free(f"{leaf.name}_row", taken) for leaf in outputs if leaf.checked and not leaf.given}
    returned = _returned(results)
    target = _spelled(returned, lambda leaf: rows.get(leaf.name) or f"{leaf.name}[{k}]").removeprefix("(")
    target = target.removesuffix(")") if isinstance(returned, tuple) else target
    passed = [_spelled(a, lambda leaf: f"{leaf.name}[{k}]" if leaf.varies else leaf.name) for a in arguments]
    given = ", ".join([*passed, *(f"{leaf.name}[{k}]" for leaf in outputs if leaf.given)])
    reason = " or a result has another shape than its row" if any(leaf.checked for leaf in outputs) else ""
    lines = [
        f'"""`{called}` for many sets of arguments at once."""',
        "",
        "from numba import njit, prange",
        "",
        "",
        "@njit(forceinline=True)",  # passing the parts of each array on would take as long as many a set
        *_wrapped(f"def {at}(", [k, *names], "):", 0),
        f'    """Fill row {k} of the results; False where `{user_name}` raises{reason}."""',
        "    try:",
        *_assignment(target, f"{called}(", given, 8),
    ]
    for name, row in rows.items():
        lines += [
            f"        if {row}.shape != {name}.shape[1:]:", "            return False", f"        {name}[{k}] = {row}"
        ]
    lines += [
        "    except Exception:",
        "        return False",
        "    return True",
        "",
        "",
        "@njit(parallel=True)",
        *_wrapped(f"def {batch}(", [sets, *names], "):", 0),
        '    """Fill the results for so many sets; the first that cannot be, or their number."""',
        f"    {failed} = {sets}",
        f"    for {k} in prange({sets}):",
        *_wrapped(f"if not {at}(", [k, *names], "):", 8),
        f"            {failed} = min({failed}, {k})",
        f"    return {failed}",
        "",
    ]
    return "\n".join(lines)


def _returned(results: Outputs) -> Any:
    """What a function returns that is given the rest: of tuples that this leaves with one part, that part."""
    if not isinstance(results, tuple):
        return () if results.given else results
    if not any(leaf.given for leaf in _leaves(results)):
        return results
    parts = tuple(part for part in map(_returned, results) if part != ())
    return parts[0] if len(parts) == 1 else parts


def _assignment(target: str, head: str, given: str, indent: int) -> list[str]:
    if not target:
        return _wrapped(head, given.split(" "), ")", indent, between=" ")
    line = f"{' ' * indent}{target} = {head}{given})"
    if len(line) <= _WIDTH:
        return [line]
    if indent + len(target) + len(head) + 3 <= _WIDTH:
        return _wrapped(f"{target} = {head}", given.split(" "), ")", indent, between=" ")
    return [
        *_wrapped("(", target.split(" "), f") = {head}", indent, between=" "),
        *textwrap.wrap(given, _WIDTH, initial_indent=" " * (indent + 4), subsequent_indent=" " * (indent + 4)),
        f"{' ' * indent})",
    ]


def _wrapped(head: str, items: list[str], tail: str, indent: int, between: str = ", ") -> list[str]:
    """A line, or a bracket that is opened, filled and closed on lines of their own."""
    line = f"{' ' * indent}{head}{between.join(items)}{tail}"
    if len(line) <= _WIDTH:
        return [line]
    inner = " " * (indent + 4)
    filled = textwrap.wrap(
        between.join(items), _WIDTH, initial_indent=inner, subsequent_indent=inner, break_long_words=False
    )
    return [f"{' ' * indent}{head}", *filled, f"{' ' * indent}{tail}"]


def _free(name: str, taken: set[str]) -> str:
    """The name, with the first number that makes it free; it is taken from then on."""
    found, number = name, 0
    while found in taken:
        number += 1
        found = f"{name}_{number}"
    taken.add(found)
    return found


def _leaves(tree: Any) -> Iterator[Any]:
    if isinstance(tree, tuple):
        for part in tree:
            yield from _leaves(part)
    else:
        yield tree


def _spelled(tree: Any, spell: Callable[[Any], str]) -> str:
    if isinstance(tree, tuple):
        parts = [_spelled(part, spell) for part in tree]
        return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
    return spell(tree)


# ------------------------------------------------------------------------------------------------------------- the loop


def batch_for(native: Native, roots: Mapping[str, Tree], results: Outputs, user_name: str) -> Batch:
    """The loop for arguments of these types: `roots` by the names of the parameters of the generated function.

    `results` says what the parts of a result are called. Raises `JitError` where Numba cannot take it.
    """
    values = [value for tree in roots.values() for value in _values(tree, user_name)]
    key = tuple(map(_type, values)), tuple(map(_form, roots.values()))
    found: Batch | None = native.batches.get(key)
    if found is None:
        found = native.batches[key] = _written(native, roots, results, user_name)
    return found


def _written(native: Native, roots: Mapping[str, Tree], results: Outputs, user_name: str) -> Batch:
    numba = extra("numba")
    options = {**native.options, "parallel": False}  # the sets run in parallel, and loops within them may not
    made = native.call.nopython_signatures[-1].return_type
    name, called, digest = native.name, native.call, native.digest
    given: Any = False
    if native.into_rows is not None:
        module, name = native.into_rows.write()
        dispatchers, digest = dispatchers_of(module, name, options, on_disk=native.on_disk)
        called, given = dispatchers[name], native.into_rows.given
    elif native.options.get("parallel"):
        alone = compile_native(native.module, name, native.arguments, options, native.dtypes, on_disk=native.on_disk)
        called, digest = alone.call, alone.digest
    taken = {*_WORDS, name}
    arguments = [_inputs(root, tree, taken) for root, tree in roots.items()]
    outputs = _outputs(results, made, given, taken, user_name)
    text = batch_text(name, user_name, arguments, outputs)
    starts = [number for number, line in enumerate(text.split("\n"), 1) if line.startswith("@njit")]
    own = ((starts[0], starts[1] - 1), (starts[1], text.count("\n")))
    loop = _Text(text, {"njit": numba.njit, "prange": numba.prange, name: called}, own)
    # What it reads is Numba's own, and the function that the digest stands for.
    digest = digest and digest_of(replace(loop, objects={}), {}, digest)
    namespace: dict[str, Any] = load(loop, f"{name}_batch", digest, for_numba=True)
    call = next(f for key, f in reversed(namespace.items()) if hasattr(f, "py_func") and key != name)
    look_on_disk(call, digest)
    return Batch(loop, call, outputs)


def run_batch(
    batch: Batch, count: int, roots: Mapping[str, Tree], example: Any, kinds: Any, user_name: str
) -> tuple[Any, int]:
    """Results with a leading axis, and how many sets were done: fewer than `count` where the one after them failed.

    `example` is the result for one set, `kinds` its kind or a tuple of kinds.
    """
    arrays: list[np.ndarray[Any, Any]] = []
    results = _allocated(example, batch.outputs, kinds, count, arrays)
    values = [value for tree in roots.values() for value in _values(tree, user_name)]
    if not batch.is_compiled:
        with compiling():
            compile_for(batch.call, [count, *values, *arrays], batch.module, batch.call.py_func.__name__)
            keep_code(batch.call)
        batch.is_compiled = True
    return results, int(batch.call(count, *values, *arrays))


def _allocated(part: Any, output: Outputs, kind: Any, count: int, arrays: list[np.ndarray[Any, Any]]) -> Any:
    """Arrays for `count` results like this one, put together as it is; they are added to `arrays` one by one.

    No local function does this: one that calls itself would keep the arrays until the next garbage collection.
    """
    if isinstance(output, tuple):
        inner = kinds_within(kind, len(output))
        parts = [_allocated(p, o, k, count, arrays) for p, o, k in zip(part, output, inner, strict=True)]
        return type(part)(*parts) if hasattr(part, "_make") else tuple(parts)
    dtype = part.dtype if isinstance(part, np.ndarray) else number_dtype(np.asarray(part).dtype, kind)
    arrays.append(np.empty((count, *np.shape(part)), dtype))
    return arrays[-1]


def _values(tree: Tree, user_name: str) -> Iterator[Any]:
    """The arguments of the loop that a tree of arguments becomes."""
    match tree:
        case Varying(rows=value) | Fixed(value=value):
            yield value
        case Group(like=like, parts=parts) if type(like) is tuple:
            for part in parts:
                yield from _values(part, user_name)
        case Group(like=like):
            raise JitError(
                f"cannot run sets of `{user_name}` in parallel with a {type(like).__name__} that varies",
                reason="The loop under Numba takes numbers, arrays, and tuples of them.",
                remedy='Pass these, leave `jit` out, or use `jit="auto"`.',
            )


def _type(value: Any) -> Any:
    """What Numba's type of a value depends on: finding an array's type itself takes ten times as long."""
    if type(value) is not np.ndarray:
        return extra("numba").typeof(value)
    layout = "C" if value.flags.c_contiguous else "F" if value.flags.f_contiguous else "A"
    return value.dtype, value.ndim, layout, value.flags.aligned, value.flags.writeable


def _form(tree: Tree) -> Any:
    return tuple(map(_form, tree.parts)) if isinstance(tree, Group) else isinstance(tree, Varying)


def _inputs(name: str, tree: Tree, taken: set[str]) -> Inputs:
    if isinstance(tree, Group):
        return tuple(_inputs(f"{name}_{k}", part, taken) for k, part in enumerate(tree.parts))
    return Input(_free(name, taken), isinstance(tree, Varying))


def _outputs(results: Outputs, made: Any, given: Any, taken: set[str], user_name: str) -> Outputs:
    """The arrays that results of one of Numba's types go into; `given` tells which of them the function is given."""
    if hasattr(made, "types") and hasattr(made, "count"):
        parts = (
            results
            if isinstance(results, tuple)
            else [replace(results, name=f"{results.name}_{k}") for k in range(made.count)]
        )
        inner = given if isinstance(given, tuple) else (given,) * made.count
        return tuple(
            _outputs(part, kind, row, taken, user_name)
            for part, kind, row in zip(parts, made.types, inner, strict=True)
        )
    numba = extra("numba")
    if isinstance(results, tuple) or not isinstance(made, numba.types.Array | numba.types.Number | numba.types.Boolean):
        raise JitError(
            f"cannot run sets of `{user_name}` in parallel: it gives {made}",
            reason="The loop under Numba gives numbers, arrays, and tuples of them.",
            remedy='Leave `jit` out, or use `jit="auto"`.',
        )
    return Output(_free(results.name, taken), results.checked and getattr(made, "ndim", 0) > 0, given is True)
