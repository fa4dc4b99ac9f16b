"""The program as data: expressions, statements, functions.

Expressions are immutable and compare by structure, so two equal expressions are interchangeable; `kind` and `span`
ride along and take no part in the comparison. Statements are mutable and compare by identity. A variable is an
object, never a spelling: what a compiler-made variable is called is decided once, in `emit/names.py`, from its role.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any

from adcompile.ir.kinds import UNTYPED, Kind
from adcompile.ir.roles import Checkpoint as Checkpoint  # noqa: PLC0414 - read as `n.Checkpoint`
from adcompile.ir.roles import Role as Role  # noqa: PLC0414 - read as `n.Role`
from adcompile.ir.roles import Section as Section  # noqa: PLC0414 - read as `n.Section`
from adcompile.value_classes import value_class

if TYPE_CHECKING:
    from adcompile.source import FunctionSource, Span


@dataclass(eq=False, slots=True)
class Variable:
    """A variable of one function. `of` is the variable that an adjoint, a tape ... belongs to.

    `path` names the place in a structure that an adjoint or tangent is of: that of `p["w"]` has `of=p, path=("w",)`.
    """

    name: str
    role: Role = Role.USER
    of: Variable | None = None
    path: tuple[str | int, ...] = ()
    # What is declared of a derivative, for debug mode. Of an adjoint: that it changes with another one that shares its
    # memory, or as a part of which; that it may be smaller than its variable, since all that reads it stretches it;
    # that it is complex, as its variable's kind is. Of a tangent: that it has an axis more, for all directions at once.
    is_buffer: bool = False
    view_of: Variable | None = None
    is_unstretched: bool = False
    is_complex: bool = False
    has_directions: bool = False
    # Of what a derivative belongs to: that some lines that set it went, so that its type is not known any more.
    is_left_out: bool = False
    # Of a temporary: the expression that it was made for, by which it is named.
    holds: Expr | None = field(default=None, repr=False)
    # In what order variables were made. Before names are spelled, several are called alike, and a set has no order.
    born: int = field(default_factory=count().__next__, init=False)

    def __repr__(self) -> str:
        return f"<{self.role.name.lower()} {self.name}{''.join(f'.{p}' for p in self.path)}>"


# --------------------------------------------------------------------------------------------------- expressions


@value_class(kw_only=True)
class Expr:
    """Base of all expressions."""

    kind: Kind = field(default=UNTYPED, compare=False, repr=False)
    span: Span | None = field(default=None, compare=False, repr=False)
    # What `walk`, `reads`, `named_in` and those under `ir.walk.of_expression` found: an expression never changes.
    _inside: tuple[Expr, ...] | None = field(default=None, init=False, compare=False, repr=False)
    _reads: frozenset[Variable] | None = field(default=None, init=False, compare=False, repr=False)
    _named: tuple[Variable, ...] | None = field(default=None, init=False, compare=False, repr=False)
    _facts: dict[Any, Any] | None = field(default=None, init=False, compare=False, repr=False)


@value_class(eq=False)
class Const(Expr):
    """A literal: number, string, bytes, None, True, False, Ellipsis. `1`, `1.0` and `True` are different constants."""

    value: Any

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Const) and type(self.value) is type(other.value) and repr(self.value) == repr(other.value)
        )

    def __hash__(self) -> int:
        return hash(repr(self.value))


@value_class()
class Read(Expr):
    """The value of a local variable. As an assignment target: the variable itself."""

    variable: Variable


@value_class(eq=False)
class Ref(Expr):
    """A name from outside the function (global, builtin or closure cell), resolved to the object it stands for.

    `name` is how the user spells it; `value` is the object; `scope` is "global", "builtin", "closure", or "rule"
    for a name that a rule's text uses (`np`, `math`, a function of `runtime/helpers.py`). Attribute chains on modules
    (`np.linalg.norm`) are `Attribute` nodes over a `Ref`.
    """

    name: str
    value: Any
    scope: str = "global"

    @property
    def identifier(self) -> str:
        """The name as one that a text may have; a default value has a description for a name.

        >>> Ref("default of table", [], "default").identifier
        'table_default'
        """
        return f"{self.name.rpartition(' ')[2]}_default" if self.scope == "default" else self.name

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Ref)
            and (self.name, self.scope) == (other.name, other.scope)
            and self.value is other.value
        )

    def __hash__(self) -> int:
        return hash((self.name, self.scope, id(self.value)))


@value_class()
class Unary(Expr):
    """`-x`, `+x`, `~x`, `not x`; `op` is the Python token."""

    op: str
    operand: Expr


@value_class()
class Binary(Expr):
    """`left op right` with `op` one of `+ - * / // % ** @ << >> & | ^`."""

    op: str
    left: Expr
    right: Expr


@value_class()
class Compare(Expr):
    """A chain of comparisons: `a < b <= c` has ops ("<", "<=") and three operands. Ops include `is`, `not in`."""

    ops: tuple[str, ...]
    operands: tuple[Expr, ...]


@value_class()
class Bool(Expr):
    """`a and b and c` or `a or b`; operands after the first may not be evaluated."""

    op: str
    operands: tuple[Expr, ...]


@value_class()
class Conditional(Expr):
    """`then if test else orelse`."""

    test: Expr
    then: Expr
    orelse: Expr


@value_class()
class Call(Expr):
    """`func(*args, **keywords)`. A starred argument is a `Starred`; a keyword named None is `**value`."""

    func: Expr
    args: tuple[Expr, ...] = ()
    keywords: tuple[tuple[str | None, Expr], ...] = ()


@value_class()
class Attribute(Expr):
    """`value.name`."""

    value: Expr
    name: str


@value_class()
class Subscript(Expr):
    """`value[index]`; an index of several axes is a tuple `Display`."""

    value: Expr
    index: Expr


@value_class()
class Slice(Expr):
    """`lower:upper:step` inside an index."""

    lower: Expr | None = None
    upper: Expr | None = None
    step: Expr | None = None


@value_class()
class Display(Expr):
    """A tuple, list or set written out; `form` is "tuple", "list" or "set". As a target: unpacking.

    With a `function`, the values that a local function carries along, in its place (`desugar/kept.py`).
    """

    form: str
    items: tuple[Expr, ...]
    function: Function | None = field(default=None, compare=False)


@value_class()
class Mapping(Expr):
    """A dict written out; a key of None means `**value`."""

    entries: tuple[tuple[Expr | None, Expr], ...]


@value_class()
class Starred(Expr):
    """`*value` in a call, a display or a target."""

    value: Expr


@value_class()
class Named(Expr):
    """`(variable := value)`; or another word that names a value."""

    variable: Variable
    value: Expr
    by: str = ":="


@value_class()
class Template(Expr):
    """An f-string: literal pieces (str) and (value, conversion, format spec) triples."""

    pieces: tuple[str | tuple[Expr, str, Template | None], ...]


@value_class()
class Lambda(Expr):
    """A `lambda`, lowered like a local function."""

    function: Function = field(compare=False)


@value_class()
class Opaque(Expr):
    """An expression whose inside the compiler does not enter (a comprehension of what does not vary), as Python text.

    It is kept for its value only: differentiating through it is refused with `reason`. `pieces` is the text cut at
    each read of an outer variable, so that renaming still works; `reads` are those variables. `inside` is the same
    with kinds, for those who look at the text but do not change it, where it is a comprehension.
    """

    pieces: tuple[str | Variable, ...]
    reads: tuple[Variable, ...]
    reason: str
    inside: Comprehension | None = field(default=None, compare=False, repr=False)


@value_class()
class Clause:
    """`for target in iterable if condition ...` inside a comprehension."""

    target: Expr
    iterable: Expr
    conditions: tuple[Expr, ...] = ()


@value_class()
class Comprehension(Expr):
    """`[element for target in iterable if condition]` and the like.

    `form` is "list", "set", "dict" or "generator"; only a dict has a `key`. The targets are variables of the
    comprehension's own. `text` is the same as text, for where nothing in it varies. Once the kinds are known, every
    comprehension is written as a loop or left as its text: the later stages meet none.
    """

    form: str
    element: Expr
    clauses: tuple[Clause, ...]
    text: Opaque
    key: Expr | None = None


def object_of(expr: Expr) -> Any:
    """The object that a name from outside, or an attribute of one, stands for; None where it stands for none."""
    match expr:
        case Ref(value=value):
            return value
        case Attribute(value=owner, name=name):
            found = object_of(owner)
            return None if found is None else getattr(found, name, None)
        case _:
            return None


# ---------------------------------------------------------------------------------------------------- statements


@value_class()
class Origin:
    """Where a statement stands in the user's file, and the comments that belong to it.

    `text` is the statement's first line(s) verbatim, folded to one line and without comments (for `if`, `for`,
    `while`: the header without its colon). Generated statements share the origin of the user's statement
    they belong to.
    """

    span: Span
    text: str
    leading: tuple[str, ...] = ()  # full-line comments above, each with its `#`
    trailing: str | None = None  # comment at the end of the line, with its `#`
    # the functions that it was written out from, and how deeply what each was given is nested
    opened: tuple[tuple[Function, int], ...] = field(default=(), compare=False, repr=False)


@dataclass(eq=False, slots=True, kw_only=True)
class Stmt:
    """Base of all statements."""

    origin: Origin | None = None

    @property
    def span(self) -> Span | None:
        """Where it stands in the user's file."""
        return self.origin.span if self.origin else None


@dataclass(eq=False, slots=True)
class Assign(Stmt):
    """`target = value` for one variable."""

    target: Variable
    value: Expr


@dataclass(eq=False, slots=True)
class Unpack(Stmt):
    """`pattern = value`, the pattern a tuple or list `Display` of targets (nested, at most one `Starred` per level)."""

    pattern: Display
    value: Expr


@dataclass(eq=False, slots=True)
class Store(Stmt):
    """`target = value` where the target is a `Subscript` or an `Attribute`."""

    target: Expr
    value: Expr


@dataclass(eq=False, slots=True)
class Augment(Stmt):
    """`target op= value`; the target is a `Read`, a `Subscript` or an `Attribute`; `op` as in `Binary`.

    `old` is the value of the target before, where the adjoint of the value takes it.
    """

    target: Expr
    op: str
    value: Expr
    old: Expr | None = field(default=None, kw_only=True)


@dataclass(eq=False, slots=True)
class Evaluate(Stmt):
    """An expression for its effect."""

    value: Expr


@dataclass(eq=False, slots=True)
class If(Stmt):
    """`if test: then` `else: orelse`; `elif` is an `If` alone in `orelse`."""

    test: Expr
    then: list[Stmt]
    orelse: list[Stmt]


@dataclass(eq=False, slots=True)
class For(Stmt):
    """`for target in iterable: body` `else: orelse`."""

    target: Expr
    iterable: Expr
    body: list[Stmt]
    orelse: list[Stmt]
    checkpoint: Checkpoint | None = field(default=None, kw_only=True)


@dataclass(eq=False, slots=True)
class While(Stmt):
    """`while test: body` `else: orelse`."""

    test: Expr
    body: list[Stmt]
    orelse: list[Stmt]


@dataclass(eq=False, slots=True)
class Handler:
    """`except error as variable: body`; `error` is None for a bare `except`."""

    error: Expr | None
    variable: Variable | None
    body: list[Stmt]
    origin: Origin | None = None


@dataclass(eq=False, slots=True)
class Try(Stmt):
    """`try: body`, `except` with handlers, `else: orelse`, `finally: final`."""

    body: list[Stmt]
    handlers: list[Handler]
    orelse: list[Stmt]
    final: list[Stmt]


@dataclass(eq=False, slots=True)
class With(Stmt):
    """`with manager as target: body`, of one manager."""

    manager: Expr
    target: Expr | None
    body: list[Stmt]


@dataclass(eq=False, slots=True)
class Delete(Stmt):
    """`del variable`."""

    variable: Variable


@dataclass(eq=False, slots=True)
class Break(Stmt):
    """`break`."""


@dataclass(eq=False, slots=True)
class Continue(Stmt):
    """`continue`."""


@dataclass(eq=False, slots=True)
class Return(Stmt):
    """`return value`; the value is `Const(None)` where none is written."""

    value: Expr


@dataclass(eq=False, slots=True)
class Raise(Stmt):
    """`raise error from cause`."""

    error: Expr | None
    cause: Expr | None


@dataclass(eq=False, slots=True)
class Assert(Stmt):
    """`assert test, message`."""

    test: Expr
    message: Expr | None


@dataclass(eq=False, slots=True)
class Pass(Stmt):
    """`pass`."""


@dataclass(eq=False, slots=True)
class Yield(Stmt):
    """`yield value`; gone once the generator is written out into the loop that consumes it."""

    value: Expr


@dataclass(eq=False, slots=True)
class Define(Stmt):
    """A function defined in the function: `def` with all that belongs to it."""

    variable: Variable
    function: Function


@dataclass(eq=False, slots=True)
class Tap(Stmt):
    """Behind a statement that sets a name which is asked for: `value` reads it, as it has just been set.

    In the backward sweep, the partial of that value is complete here, and is a `Collect`. `site` is the name as the
    user writes it: `u`, or `helper.z` in a called function.
    """

    site: str
    value: Expr


@dataclass(eq=False, slots=True)
class Push(Stmt):
    """Put a value on a tape (`tape.append(value)` under CPython)."""

    tape: Variable
    value: Expr


@dataclass(eq=False, slots=True)
class Collect(Push):
    """Put the partial of a value that is asked for with the others, as what it is the partial of: of the kind `wanted`.

    `like` is that value, where the kind leaves open what its partial is to be made.
    """

    wanted: Kind
    like: Expr | None = None


@dataclass(eq=False, slots=True)
class Pop(Stmt):
    """Take the last value off a tape."""

    target: Variable
    tape: Variable


@dataclass(eq=False, slots=True)
class NewTape(Stmt):
    """Make an empty tape."""

    tape: Variable


@dataclass(eq=False, slots=True)
class Remark(Stmt):
    """A full-line comment in generated code, without its `#`; `section` where it says what the lines behind it are."""

    text: str
    section: Section | None = None

    @property
    def is_of_all(self) -> bool:
        """Whether it heads a sweep, and not a part of one."""
        return self.section is not None and self.text == self.section.value


# ----------------------------------------------------------------------------------------------------- functions


@dataclass(eq=False, slots=True)
class Param:
    """One parameter. `form` is "positional-only", "positional", "varargs", "keyword-only" or "varkeywords".

    `default` is the default's expression as lowered in the defining scope (a local function or lambda) or a `Const`
    or `Ref` holding the object (a function reached from outside); None where there is no default.
    `annotation` is the annotation's object where it could be resolved, else None.
    """

    variable: Variable
    form: str = "positional"
    default: Expr | None = None
    annotation: Any = None


@dataclass(eq=False, slots=True, weakref_slot=True)
class Function:
    """A function as the user wrote it, lowered.

    `captures` are, for a function defined inside another, the outer function's variables that it reads (cells
    of a function reached from outside are `Ref`s instead). `own` are those of which each function that is made has
    values of its own: defaults, and variables of a call that has ended. `locals` are all variables of the function by
    name. `line` is the line of the `def` in the user's file.
    """

    name: str
    params: list[Param]
    body: list[Stmt]
    source: FunctionSource
    captures: tuple[Variable, ...] = ()
    own: frozenset[Variable] = frozenset()
    locals: dict[str, Variable] = field(default_factory=dict)
    docstring: str | None = None
    is_lambda: bool = False
    origin: Origin | None = None
    tree: Any = None  # of a local one, what it was parsed to
    is_noticed: bool = False  # of a generated one: its call does more than to return something
    is_kept: bool = False  # whether its first parameter is the tuple of what it carries along

    @property
    def span(self) -> Span | None:
        """Where its header stands in the user's file."""
        return self.origin.span if self.origin else None
