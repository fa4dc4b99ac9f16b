"""What one inference knows besides the kinds of the variables, and the two ways into a program that all of it takes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from adcompile.analyses.typing.calls import is_generator, resolve
from adcompile.analyses.typing.identity import Env, changeable, is_names, merge_names, names_in, same_things
from adcompile.analyses.typing.lattice import join
from adcompile.analyses.typing.libraries.probe import roots
from adcompile.analyses.typing.libraries.slices import steady
from adcompile.ir import nodes as n
from adcompile.ir.kinds import NEVER, UNKNOWN, Kind, Never

if TYPE_CHECKING:
    from adcompile.analyses.typing.functions import Functions
    from adcompile.analyses.typing.targets import Target, UserCall
    from adcompile.analyses.typing.typed import Typed


class State(ABC):
    """What the functions of this folder share while the kinds of one function are inferred."""

    def __init__(self, program: Functions, typed: Typed, *, whole: bool = True) -> None:
        self.whole = whole  # whether every call that changes something is written out already
        self.met_empty = False
        self.program = program
        self.typed = typed
        self.result: Kind = NEVER
        self.scope = program.scope()
        self.env: Env = {}
        self.number = program.next_inference()
        self.sites: dict[int, tuple[int, n.Expr]] = {}
        self.labels: dict[n.Variable, int] = {}
        self.tries: dict[n.Stmt, int] = {}
        self.frames: list[list[Env]] = []  # what was known wherever the `try` blocks at hand may be left
        self.exits: Env | None = None  # what is known where the function returns, of what the caller has too:
        self.kept = [
            v for v, kind in zip(typed.params, typed.kinds, strict=True) if changeable(kind) or v in program.rebound
        ]
        self.made: set[n.Function] = set()  # by the loop at hand, each time with values of their own
        self.copy = ""  # which copy of a loop's body, where the loop is written out
        self.fixed = frozenset(r for kind in typed.kinds for r in roots(kind, items=False))  # lengths that never change
        self.steady: AbstractSet[n.Variable] | None = None
        self.breaks: list[Env] = []  # what was known where the loop at hand was left

    @abstractmethod
    def block(self, body: list[n.Stmt], env: Env | None) -> tuple[list[n.Stmt], Env | None]:
        """Annotate a block; the environment is None where control does not arrive."""

    @abstractmethod
    def expr(self, expr: n.Expr, env: Env) -> n.Expr:
        """The expression with its kind; an operation on an object is the method call that it stands for."""

    def kind_of_capture(self, variable: n.Variable) -> Kind:
        """The kind of a variable that a local function reads."""
        return self.typed.captured.get(variable) or self.env.get(variable, UNKNOWN)

    def leave(self, env: Env) -> None:
        """Take note of what is known where the function returns."""
        known = {v: env[v] for v in self.kept if v in env}
        self.exits = self.merge(self.exits, known, "exit")

    def meet(self, env: Env, other: Env, site: str) -> bool:
        """Make of an environment what is known where another path meets it; whether that is less."""
        if env == other:
            return False
        both = self.merge(env, other, site) or {}
        less = any(env.get(v) != kind for v, kind in both.items())
        env.update(both)
        return less

    def merge(self, a: Env | None, b: Env | None, site: str) -> Env | None:
        """What is known where two paths meet; a variable bound on one path only keeps its kind."""
        if a is None or b is None:
            return b if a is None else a
        both = dict(a)
        for v, other in b.items():
            kind = both.setdefault(v, other)
            if kind is not other and not is_names(v):
                both[v] = join(kind, other, f"{site}.{self.label(v)}")
        merge_names(both, a, b)
        return both

    def note_places(self, variable: n.Variable, env: Env) -> None:
        """Take note, where a variable is read, of the other places that certainly hold the same."""
        known = self.typed.places
        if not changeable(env[variable]):
            known[variable] = set()
            return
        places = same_things(names_in(env), (variable, ()))
        known[variable] = known[variable].intersection(places) if variable in known else set(places)

    def label(self, variable: n.Variable) -> str:
        """A name for a variable that no other has: `N` and its adjoint are both called `N` before they are spelled."""
        return f"{variable.name}#{self.labels.setdefault(variable, len(self.labels))}"

    def labels_of(self, stmt: n.Stmt) -> str:
        """A name for a statement: the same each time this inference comes by."""
        return f"try{self.tries.setdefault(stmt, len(self.tries))}"

    def name_of(self, variable: n.Variable) -> str | None:
        """A name for the number that a variable stands for, wherever a slice of now is compared with another."""
        if self.steady is None:
            self.steady = steady(self.typed.function) - self.program.rebound
        version = variable
        while version.role is n.Role.KEPT and version.of is not None:
            version = version.of
        if version in self.steady and not self.copy:
            return f"{version.name}@{version.born}"
        return None

    def site(self, expr: n.Expr) -> str:
        """A name for extents born at an expression: the same each time this inference comes by, and nowhere else's.

        Where the expression stands in the file would not do: a function may be opened at several calls, a loop may be
        written out, and generated expressions stand nowhere.
        """
        found = self.sites.get(id(expr))
        if found is None:
            found = self.sites[id(expr)] = (len(self.sites), expr)  # kept, so that its identity stays its own
        return f"@{self.number}{self.copy}.{found[0]}"

    def possible(self, kind: Kind) -> Kind:
        """The kind of an item; of an empty container there is none, unless calls that are not written out fill it."""
        if not isinstance(kind, Never) or self.whole:
            return kind
        self.met_empty = True
        return UNKNOWN

    def resolve(self, call: n.Call) -> Target:
        """What a call calls."""
        return resolve(call, self.scope)

    def is_generator(self, call: UserCall) -> bool:
        """Whether a call makes a generator."""
        target = call.target
        return is_generator(target if isinstance(target, n.Function) else self.program.lower(target))
