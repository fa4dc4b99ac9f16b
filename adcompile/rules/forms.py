"""The forms of a rule: one row of source text per function, serving both modes.

A row is the call as the user writes it, then what becomes of `g`, the incoming derivative, for each argument. `ans`
is the call's result. What one reads in the table is what is emitted.

- `elementwise`: each text is linear in `g` with a diagonal Jacobian, so it serves reverse and forward mode. The engine
  sums an adjoint down to its argument's shape and stretches a tangent up: the text never broadcasts.
- `linear`: the call is linear in the named arguments taken together; forward mode is the call itself on tangents, the
  texts are the transposes. A text here must give the argument's exact shape.
- `bilinear`: linear in each named argument alone; forward mode is the sum of the calls with one argument replaced.
- `rule`: the general escape: `jvp` is the tangent of the result in `x_dot`, `y_dot` ...; the rest as in `linear`.
- `constant`: the result does not vary with any argument (comparisons, counts, shapes); used for its value.

An argument that has no derivative is left out (keyword texts) or None (positional texts): it is then held fixed, and
a row that holds fixed what in truth varies must not exist. To say "varies, but has no rule yet", give the text
`REFUSE("reason")`.

The call text:
    "np.sum(x, axis=None, keepdims=False)"   a function: leading arguments by position, those with a default by their
                                             NumPy name; an argument of the user's call that the row does not name
                                             makes the row not fit
    "x + y", "-x", "x[i]"                    an operator
    "x.T"                                    an attribute of an array
    "x.copy()"                               a method of an array with no function of the same name
    "np.c_[xs]"                              reading a library's object: `xs` stands for the parts of the index
    "np.einsum(subscripts, *xs)"             a variadic call: `xs` stands for the remaining arguments, as a tuple

`when` is a Python condition on the arguments, decided when compiling: a literal or None counts as its value; of an
array or number `x` one may ask `x.ndim` (0 for a number), `x.dtype.kind` ("f", "c", "i", "b"), `x.python` (True for
Python's own numbers), `len(x)` (of a tuple or list), `x.item` (what a list or tuple consists of, where all its items
are of one kind), `isinstance(x, ...)` with int, str, tuple or list, `x.sparse` ("matrix" or "array" for what
`scipy.sparse` has of either, False for NumPy's own), `moves(dtype)` (whether what is converted to it still varies,
which whole numbers do not). What cannot be decided makes the row not fit, so the last row of a
function should have no condition, or be the most careful. Rows are tried in order. A row that does not ask for `sparse`
is for numbers, arrays and containers of them alone.

`singular` says of a row whose Jacobian is diagonal (elementwise, or a `rule` for complex numbers) that a factor in its
texts may be infinite or NaN where its arguments are finite: at a point of the domain, outside of it, or by overflow.
Where a selection leaves an item out, 0 times such a factor would be NaN, so the text is then written for the items that
are kept (`differentiate/linear/selection.py`). Left out, the texts themselves say so: quotients, powers, calls of
functions that are not finite everywhere, and the result itself are taken for singular. `singular=False` says that all
of it is finite. `singular="ans"` (or "x y") names what decides the factor: a number is then put there in place of an
item that is left out. It is for functions of NumPy that have a value where their slope is not finite: `np.sqrt` warns
of nothing at 0, and neither must its adjoint.

`domain` is where test values come from: an interval for all arguments, or one per name; `sample` gives the exact
argument texts to test with (evaluated with `np` and a generator `rng`), for structured inputs such as SPD matrices.

A row of form `elementwise`, `bilinear` or `rule` is for real arguments, unless its `when` asks for a `dtype`; a
`linear` row serves complex ones as it stands. The adjoint of a complex z is dL/dRe z + i dL/dIm z, so a reverse text
for complex arguments multiplies by the conjugate of the derivative; for an argument that is real beside complex ones
the engine takes the real part.

For a function with several results (`np.linalg.eigh`), a text may be a tuple with one entry per result, each linear
in its own `g`; entries of results that are not used are left out. Sequence arguments (`np.concatenate(xs)`): the text
gives something that, indexed by `i`, is the adjoint of item `i`.

`view` says what the result may share memory with, for whatever is changed in place later: the names of arguments, as
in "x"; "*x" for the items of a list; "x if n == 1" where a condition on the arguments decides; "x by layout" where it
depends on how the array lies in memory; "x repeated" where several items of the result may be one of the array. ""
says that the result is certainly new memory, and is the default of the forms that compute each number anew
(`elementwise`, `bilinear`, `rule`). A `linear` or `constant` row that says nothing may be a view of any argument.
`tests/rules/test_views.py` runs every row and compares.
"""

from __future__ import annotations

import ast
import inspect
import sys
from dataclasses import dataclass, field
from typing import Any, Literal

from adcompile.rules.factors import is_singular, pads
from adcompile.runtime import helpers as runtime
from adcompile.value_classes import value_class

Form = Literal["elementwise", "linear", "bilinear", "rule", "constant"]
Text = str | tuple[str | None, ...]


class RuleError(Exception):
    """A row of a rule table is malformed; the message gives the file and line of the row."""


@value_class()
class Refuse:
    """Marks an argument that the result varies with, but for which there is no rule; or none for reverse mode."""

    reason: str
    in_reverse_alone: bool = False


def REFUSE(reason: str) -> Refuse:  # noqa: N802 - reads as a marker in the tables
    """Say of an argument: the result varies with it, and differentiating by it is refused for this reason."""
    return Refuse(reason)


@value_class()
class View:
    """What the result of a row's call may share memory with: the memory of arguments, or of the items of lists.

    >>> view = View.parse("x *xs repeated if not copy")
    >>> view.names, view.items, view.repeats, view.condition
    (('x',), ('xs',), True, 'not copy')
    """

    names: tuple[str, ...]
    items: tuple[str, ...] = ()
    condition: str | None = None
    by_layout: bool = False
    repeats: bool = False

    @property
    def is_new(self) -> bool:
        """Whether the result is certainly new memory."""
        return not self.names and not self.items

    @classmethod
    def parse(cls, text: str) -> View:
        """Read the `view` of a row."""
        what, _, condition = text.partition(" if ")
        by_layout, repeats = what.endswith(" by layout"), what.endswith(" repeated")
        words = what.removesuffix(" by layout").removesuffix(" repeated").split()
        items = tuple(word[1:] for word in words if word.startswith("*"))
        return cls(tuple(w for w in words if not w.startswith("*")), items, condition or None, by_layout, repeats)


@value_class()
class Row:
    """One row of a table. `texts` maps an argument's name to its text; an absent name is held fixed.

    `view` is None where nothing is said of the result's memory: it may be that of any argument.
    """

    form: Form
    call: str
    texts: dict[str, Text | Refuse]
    jvp: Text | None
    when: str | None
    domain: Any
    sample: tuple[str, ...] | None
    where: str
    positional: tuple[str, ...]
    defaults: dict[str, ast.expr]
    variadic: str | None
    function: str | None  # "np.sum" for a call; None for an operator, attribute or method
    attribute: str | None  # "T" for an attribute
    method: str | None  # "copy" for a method
    operator: str | None  # "+" for an operator; "[]" for a subscript; "neg", "pos", "inv" for unary ones
    view: View | None = None
    trees: dict[str, tuple[ast.expr | None, ...]] = field(default_factory=dict)
    jvp_trees: tuple[ast.expr | None, ...] = ()
    condition: Any = None
    singular: bool | str = False
    pads: bool = False  # whether parts of its result may depend on no item
    objects: dict[str, Any] = field(default_factory=dict)  # what other free names of a user's own row stand for


    @property
    def is_loud(self) -> bool:
        """Whether the function has no finite value where its slope is not finite: NumPy's, unless the row says so."""
        return self.singular is True and (self.operator is not None or (self.function or "").startswith("np."))


@dataclass(slots=True)
class Draft:
    """A row as it stands in the table, parsed when it is first looked up: a program meets few of the many hundreds.

    `family` and `name` say what it is a row of: ("function", "np.sum"), ("operator", "+"), ("attribute", "T"),
    ("method", "copy").
    """

    family: str
    name: str
    form: Form
    call: str
    positional_texts: tuple[Text | Refuse | None, ...]
    texts: dict[str, Text | Refuse]
    options: dict[str, Any]
    where: str
    parsed: Row | None = None

    def row(self) -> Row:
        """The row, parsed and checked."""
        if self.parsed is None:
            names = _head(self.call, self.where).positional
            if len(self.positional_texts) > len(names):
                count = len(self.positional_texts)
                raise RuleError(f"{self.where}: {self.call!r} has {len(names)} arguments but {count} texts")
            leading = {n: t for n, t in zip(names, self.positional_texts, strict=False) if t is not None}
            self.parsed = make_row(self.form, self.call, leading | self.texts, where=self.where, **self.options)
        return self.parsed


TABLE: list[Draft] = []

_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.MatMult: "@", ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
}
_UNARY: dict[type[ast.unaryop], str] = {ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "inv"}
_SIGNS = {"-": "neg", "+": "pos", "~": "inv"}


def _add(form: Form, call: str, positional: tuple[Text | Refuse | None, ...], texts: dict[str, Text | Refuse],
         **options: Any) -> None:
    frame = sys._getframe(2)  # noqa: SLF001 - the row's own file and line, for its error message
    while frame.f_back is not None and frame.f_code.co_filename.endswith("distributions.py"):
        frame = frame.f_back  # one row of a distribution gives many
    name, opened, _ = call.partition("(")
    if opened:
        family, name = ("method", name[2:]) if name.startswith("x.") else ("function", name)
    elif call[0] in _SIGNS:
        family, name = "operator", _SIGNS[call[0]]
    elif " " in call:
        family, name = "operator", call.split()[1]
    elif call.endswith("]"):
        name = call.partition("[")[0]
        family, name = ("function", name) if "." in name else ("operator", "[]")
    else:
        family, name = "attribute", call.partition(".")[2]
    where = f"{frame.f_code.co_filename}:{frame.f_lineno}"
    TABLE.append(Draft(family, name, form, call, positional, texts, options, where))


def _parse(text: str, where: str) -> ast.expr:
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError as error:
        raise RuleError(f"{where}: cannot parse {text!r}: {error.msg}") from error


@dataclass(slots=True)
class _Head:
    positional: list[str] = field(default_factory=list)
    defaults: dict[str, ast.expr] = field(default_factory=dict)
    variadic: str | None = None
    function: str | None = None
    attribute: str | None = None
    method: str | None = None
    operator: str | None = None


def _head(call: str, where: str) -> _Head:
    """Read the call text of a row."""
    head = _Head()
    match _parse(call, where):
        case ast.BinOp(left=ast.Name(id=x), op=op, right=ast.Name(id=y)):
            head.positional, head.operator = [x, y], _BINARY[type(op)]
        case ast.UnaryOp(op=op, operand=ast.Name(id=x)):
            head.positional, head.operator = [x], _UNARY[type(op)]
        case ast.Subscript(value=ast.Name(id=x), slice=ast.Name(id=i)):
            head.positional, head.operator = [x, i], "[]"
        case ast.Subscript(value=ast.Attribute() as func, slice=ast.Name(id=name)):
            head.function, head.variadic = ast.unparse(func), name
        case ast.Attribute(value=ast.Name(id=x), attr=name):
            head.positional, head.attribute = [x], name
        case ast.Call(func=func, args=args, keywords=keywords):
            match func:
                case ast.Attribute(value=ast.Name(id="x"), attr=name):
                    head.positional, head.method = ["x"], name
                case _:
                    head.function = ast.unparse(func)
            for arg in args:
                match arg:
                    case ast.Name(id=name):
                        head.positional.append(name)
                    case ast.Starred(value=ast.Name(id=name)):
                        head.variadic = name
                    case _:
                        raise RuleError(f"{where}: an argument of {call!r} is not a name")
            for keyword in keywords:
                if keyword.arg is None:
                    raise RuleError(f"{where}: {call!r} has a ** argument")
                head.defaults[keyword.arg] = keyword.value
        case _:
            raise RuleError(f"{where}: {call!r} is not a call, an operator, an attribute or a subscript")
    return head


def make_row(  # noqa: PLR0913 - one parameter per column of the table
    form: Form, call: str, texts: dict[str, Text | Refuse], *, where: str, jvp: Text | None = None,
    when: str | None = None, domain: Any = (0.5, 1.5), sample: tuple[str, ...] | None = None, view: str | None = None,
    singular: bool | str | None = None,
    objects: dict[str, Any] | None = None,
) -> Row:
    """Parse and check a row: every free name of its texts is an argument, `g`, `ans` or an allowed module or helper.

    A user's own row may use further names, which `objects` resolves.
    """
    used: dict[str, Any] = {}
    head = _head(call, where)
    names = [*head.positional, *head.defaults, *([head.variadic] if head.variadic else [])]
    if "g" in names or "ans" in names:
        raise RuleError(f"{where}: an argument of {call!r} may not be called `g` or `ans`")
    unknown = set(texts) - set(names)
    if unknown:
        raise RuleError(f"{where}: {call!r} has no argument {', '.join(sorted(unknown))}")

    shared = None if view is None else View.parse(view)
    if shared is not None and not {*shared.names, *shared.items} <= set(names):
        raise RuleError(f"{where}: {call!r} has no such argument as its `view` says: {view!r}")

    def trees(text: Text | Refuse, extra: set[str]) -> tuple[ast.expr | None, ...]:
        if isinstance(text, Refuse):
            return ()
        parts = text if isinstance(text, tuple) else (text,)
        parsed = tuple(None if part is None else _parse(part, where) for part in parts)
        allowed = {*names, *extra, "ans", *ALLOWED}
        for tree in parsed:
            nodes = [] if tree is None else list(ast.walk(tree))
            bound = {a.arg for node in nodes if isinstance(node, ast.Lambda) for a in node.args.args}
            for name in sorted({node.id for node in nodes if isinstance(node, ast.Name)} - allowed - bound):
                if objects is None or name not in objects:
                    raise RuleError(f"{where}: the text {text!r} uses {name!r}, which is not an argument")
                used[name] = objects[name]
        return parsed

    parsed = {name: trees(text, {"g"}) for name, text in texts.items()}
    if singular is None:
        singular = form == "elementwise" and any(is_singular(t, call) for found in parsed.values() for t in found if t)
    return Row(
        form=form, call=call, texts=texts, jvp=jvp, when=when, domain=domain, sample=sample, where=where,
        positional=tuple(head.positional), defaults=head.defaults, variadic=head.variadic, function=head.function,
        attribute=head.attribute, method=head.method, operator=head.operator, view=shared, trees=parsed,
        singular=singular, pads=form == "linear" and pads(head.function or ""),
        jvp_trees=() if jvp is None else trees(jvp, {f"{name}_dot" for name in names}),
        condition=None if when is None else compile(ast.Expression(_parse(when, where)), where, "eval"),
        objects=used,
    )


# What a text may use besides its arguments; the names of the helpers in `runtime/helpers.py` are among it.
ALLOWED: set[str] = {"np", "math", "cmath", "scipy", "len", "range", "tuple", "list", "isinstance", "int", "float",
                     "complex", "abs", "sum", "min", "max", "slice", "True", "False", "None",
                     *(name for name, value in vars(runtime).items() if inspect.isfunction(value))}


def elementwise(call: str, *texts: str | Refuse | None, when: str | None = None, domain: Any = (0.5, 1.5),
                sample: tuple[str, ...] | None = None, view: str | None = "", singular: bool | str | None = None,
                **named: Text | Refuse) -> None:
    """Add a row whose Jacobian is diagonal; the texts stand in the order of the call's leading arguments.

    The text of an argument with a default goes by its name.
    """
    _add("elementwise", call, texts, named, when=when, domain=domain, sample=sample, view=view, singular=singular)


def linear(call: str, *, when: str | None = None, domain: Any = (-1.5, 1.5), sample: tuple[str, ...] | None = None,
           view: str | None = None, **texts: Text | Refuse) -> None:
    """Add a row that is linear in the named arguments taken together; the texts are the transposes."""
    _add("linear", call, (), texts, when=when, domain=domain, sample=sample, view=view)


def bilinear(
    call: str, *, when: str | None = None, sample: tuple[str, ...] | None = None, **texts: Text | Refuse,
) -> None:
    """Add a row that is linear in each named argument alone; the texts are the transposes."""
    _add("bilinear", call, (), texts, when=when, domain=(-1.5, 1.5), sample=sample, view="")


def rule(
    call: str, *, jvp: Text | None = None, when: str | None = None, domain: Any = (0.5, 1.5),
    sample: tuple[str, ...] | None = None, view: str | None = "", singular: bool | str = False, **texts: Text | Refuse,
) -> None:
    """Add a row with both texts in full: `jvp` in `x_dot` ... for forward mode, the others in `g` for reverse.

    An argument that is not varied has an `x_dot` of exact zeros of its shape; of `*xs` it is `xs_dot`, a tuple.
    """
    _add("rule", call, (), texts, jvp=jvp, when=when, domain=domain, sample=sample, view=view, singular=singular)


def constant(*calls: str, when: str | None = None, view: str | None = None) -> None:
    """Add rows for functions whose result does not vary with any argument: "np.argmax", "len", "x.shape", "x // y".

    A bare function name fits every call of the function.
    """
    for call in calls:
        _add("constant", _any_call(call), (), {}, when=when, view=view)


def opaque(reason: str, *calls: str, view: str | None = None) -> None:
    """Add rows for functions whose result is used for its value, but is refused where an argument varies."""
    for call in calls:
        _add("constant", _any_call(call), (), {"x" if call.startswith("x.") else "xs": Refuse(reason)}, view=view)


def _any_call(call: str) -> str:
    """`np.argmax` as `np.argmax(*xs)`: any call of the function. What is not a bare name stays as it is."""
    return f"{call}(*xs)" if call.replace(".", "_").isidentifier() and not call.startswith("x.") else call
