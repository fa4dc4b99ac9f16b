"""Expressions as Python text: the parentheses that are needed, and no others.

>>> from adcompile.ir.nodes import Binary, Const, Read, Unary, Variable
>>> x, y = Variable("x"), Variable("y")
>>> printer = ExpressionPrinter(lambda variable: variable.name, lambda ref: ref.name)
>>> product = Binary("*", Binary("+", Read(x), Const(1)), Unary("-", Binary("**", Read(y), Const(2))))
>>> printer.text(product)
'(x + 1) * -(y**2)'
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from adcompile.emit import fstrings
from adcompile.emit.literals import is_literal, literal, needs_math
from adcompile.emit.scopes import MATH
from adcompile.ir import nodes
from adcompile.ir.nodes import Const, Expr, Read, Ref, Variable

if TYPE_CHECKING:
    from collections.abc import Callable

# How tightly each form binds, loosest first; the numbers only have to stand in Python's order.
NAMED, TEST, CONDITIONAL, OR, AND, NOT, COMPARE, BITOR, BITXOR, BITAND, SHIFT, SUM, TERM, UNARY, POWER, ATOM = range(16)

_BINARY = {
    "|": BITOR, "^": BITXOR, "&": BITAND, "<<": SHIFT, ">>": SHIFT, "+": SUM, "-": SUM,
    "*": TERM, "/": TERM, "//": TERM, "%": TERM, "@": TERM,
}  # fmt: skip
_OPAQUE = {
    ast.Lambda: TEST, ast.IfExp: CONDITIONAL, ast.Compare: COMPARE, ast.UnaryOp: UNARY, ast.BoolOp: OR,
    ast.NamedExpr: NAMED, ast.BinOp: BITOR, ast.Await: POWER, ast.Yield: NAMED, ast.YieldFrom: NAMED,
}  # fmt: skip
_PLAIN = re.compile(r"[-+~]*\w+")  # a bound of a slice that stands close to its colon
_FOLDABLE = re.compile(r"#|\\|\"\"\"|'''")

Text = tuple[str, int]


class ExpressionPrinter:
    """Prints expressions, given the spelling of variables and of names from outside."""

    def __init__(
        self,
        name: Callable[[Variable], str],
        outside: Callable[[Ref], str],
        constants: dict[int, Ref] | None = None,
        in_text: dict[str, Ref] | None = None,
    ) -> None:
        self.name = name
        self.outside = outside
        self.constants = constants or {}
        self.in_text = in_text or {}
        self.quote = '"'

    def text(self, expr: Expr, at_least: int = TEST) -> str:
        """The text of an expression, in parentheses if it binds less tightly than its place needs."""
        text, binds = self._render(expr)
        return text if binds >= at_least else f"({text})"

    def bare(self, expr: Expr) -> str:
        """The text where a tuple may go without parentheses: an index, a `return`, a target.

        >>> from adcompile.ir.nodes import Display
        >>> pair = Display("tuple", (Read(Variable("a")), Const(1)))
        >>> ExpressionPrinter(lambda v: v.name, lambda r: r.name).bare(pair)
        'a, 1'
        """
        if isinstance(expr, nodes.Display) and expr.form == "tuple" and len(expr.items) > 1:
            return self._items(expr.items)
        return self.text(expr)

    def target(self, expr: Expr) -> str:
        """The text of what is assigned to; a list pattern keeps its brackets."""
        if isinstance(expr, nodes.Display) and expr.form == "tuple" and len(expr.items) == 1:
            return f"({self._items(expr.items)},)"
        return self.bare(expr)

    def parameters(self, function: nodes.Function, inner: ExpressionPrinter | None = None) -> str:
        """A parameter list. Defaults belong to the scope around the function, parameters to the function."""
        inner = inner or self
        pieces: list[str] = []
        forms = [param.form for param in function.params]
        for at, param in enumerate(function.params):
            if param.form == "keyword-only" and not {"varargs", "keyword-only"}.intersection(forms[:at]):
                pieces.append("*")
            stars = {"varargs": "*", "varkeywords": "**"}.get(param.form, "")
            default = "" if param.default is None else f"={self.text(param.default)}"
            pieces.append(f"{stars}{inner.name(param.variable)}{default}")
            if param.form == "positional-only" and "positional-only" not in forms[at + 1 :]:
                pieces.append("/")
        return ", ".join(pieces)

    def _render(self, expr: Expr) -> Text:  # noqa: C901, PLR0912 - one case per form
        match expr:
            case Read(variable=variable):
                return self.name(variable), ATOM
            case Ref():
                return self.outside(expr), ATOM
            case Const(value=value):
                return self._const(value)
            case nodes.Binary():
                return self._binary(expr)
            case nodes.Call():
                return self._call(expr), ATOM
            case nodes.Attribute(value=value, name=name):
                owner = self.text(value, ATOM)
                return (f"({owner}).{name}" if owner[0].isdecimal() else f"{owner}.{name}"), ATOM
            case nodes.Subscript(value=value, index=index):
                return f"{self.text(value, ATOM)}[{self._index(index)}]", ATOM
            case nodes.Slice():
                return self._index(expr), ATOM
            case nodes.Unary(op=op, operand=operand):
                if op == "not":
                    return f"not {self.text(operand, NOT)}", NOT
                is_power = isinstance(operand, nodes.Binary) and operand.op == "**"  # which Black sets apart
                return f"{op}{self.text(operand, ATOM if is_power else UNARY)}", UNARY
            case nodes.Compare(ops=ops, operands=operands):
                first, *rest = (self.text(operand, BITOR) for operand in operands)
                return first + "".join(f" {op} {item}" for op, item in zip(ops, rest, strict=True)), COMPARE
            case nodes.Bool(op=op, operands=operands):
                binds = AND if op == "and" else OR
                return f" {op} ".join(self.text(operand, binds + 1) for operand in operands), binds
            case nodes.Conditional(test=test, then=then, orelse=orelse):
                parts = self.text(then, OR), self.text(test, OR), self.text(orelse, TEST)
                return "{} if {} else {}".format(*parts), CONDITIONAL
            case nodes.Display(form=form, items=items):
                return self._display(form, items), ATOM
            case nodes.Mapping(entries=entries):
                return "{" + ", ".join(map(self._entry, entries)) + "}", ATOM
            case nodes.Starred(value=value):
                return f"*{self.text(value, BITOR)}", TEST
            case nodes.Named(variable=variable, value=value):
                return f"{self.name(variable)} := {self.text(value)}", NAMED
            case nodes.Template():
                return self._template(expr), ATOM
            case nodes.Lambda(function=function):
                return self._lambda(function), TEST
            case nodes.Comprehension(text=nodes.Opaque(pieces=())):
                return self._comprehension(expr), ATOM
            case nodes.Opaque(pieces=pieces) | nodes.Comprehension(text=nodes.Opaque(pieces=pieces)):
                return self._opaque(pieces)
            case _:
                raise TypeError(f"no text for {type(expr).__name__}")

    def _const(self, value: object) -> Text:
        if not is_literal(value):
            return self.outside(self.constants[id(value)]), ATOM
        text = literal(value, quote=self.quote, math_name=self._math(value))
        return text, UNARY if text[0] == "-" else ATOM

    def _math(self, value: object) -> str:
        return self.outside(MATH) if needs_math(value) else ""

    def _binary(self, expr: nodes.Binary) -> Text:
        if expr.op == "**":
            left, right = self.text(expr.left, ATOM), self.text(expr.right, UNARY)
            hugs = left[0] != "(" and _is_simple(expr.left) and _is_simple(expr.right)
            return f"{left}**{right}" if hugs else f"{left} ** {right}", POWER
        binds = _BINARY[expr.op]
        return f"{self.text(expr.left, binds)} {expr.op} {self.text(expr.right, binds + 1)}", binds

    def _comprehension(self, expr: nodes.Comprehension) -> str:
        """A comprehension that was put together from a loop, with its brackets."""
        head = self.text(expr.element, NAMED)
        if expr.key is not None:
            head = f"{self.text(expr.key)}: {head}"
        for clause in expr.clauses:
            head += f" for {self.target(clause.target)} in {self.text(clause.iterable, OR)}"
            head += "".join(f" if {self.text(condition, OR)}" for condition in clause.conditions)
        left, right = tuple({"list": "[]", "dict": "{}", "set": "{}"}.get(expr.form, "()"))
        return f"{left}{head}{right}"

    def _call(self, expr: nodes.Call) -> str:
        if len(expr.args) == 1 and not expr.keywords and isinstance(expr.args[0], nodes.Comprehension):
            arguments = self.text(expr.args[0], NAMED)
            if arguments.startswith("("):
                return self.text(expr.func, ATOM) + arguments
        if len(expr.args) == 1 and not expr.keywords and isinstance(expr.args[0], nodes.Opaque):
            # A generator expression that is the only argument brings its own parentheses.
            arguments = self.text(expr.args[0], NAMED)
            if arguments.startswith("(") and isinstance(_parsed(arguments), ast.GeneratorExp):
                return self.text(expr.func, ATOM) + arguments
        pieces = [self.text(argument, NAMED) for argument in expr.args]
        pieces += [
            f"{name}={self.text(value)}" if name is not None else f"**{self.text(value, BITOR)}"
            for name, value in expr.keywords
        ]
        return f"{self.text(expr.func, ATOM)}({', '.join(pieces)})"

    def _index(self, index: Expr) -> str:
        """What stands between the brackets of a subscript.

        >>> from adcompile.ir.nodes import Display, Slice
        >>> printer = ExpressionPrinter(lambda v: v.name, lambda r: r.name)
        >>> printer._index(Display("tuple", (Slice(Const(1), Const(-1)), Slice(step=Const(2)), Const(None))))
        '1:-1, ::2, None'
        >>> printer._index(Slice(None, nodes.Attribute(Read(Variable("x")), "size")))
        ': x.size'
        """
        if isinstance(index, nodes.Slice):
            lower, upper, step = ("" if p is None else self.text(p) for p in (index.lower, index.upper, index.step))
            if all(map(_PLAIN.fullmatch, filter(None, (lower, upper, step)))):
                return f"{lower}:{upper}" + (f":{step}" if step else "")
            return f"{lower} : {upper}".strip() + (f" : {step}" if step and upper else f": {step}" if step else "")
        if isinstance(index, nodes.Display) and index.form == "tuple" and index.items:
            items = [self._index(i) if isinstance(i, nodes.Slice) else self.text(i) for i in index.items]
            return f"{items[0]}," if len(items) == 1 else ", ".join(items)
        return self.text(index)

    def _items(self, items: tuple[Expr, ...]) -> str:
        return ", ".join(map(self.text, items))

    def _display(self, form: str, items: tuple[Expr, ...]) -> str:
        text = self._items(items)
        if form == "list":
            return f"[{text}]"
        if form == "set":
            return f"{{{text}}}"
        return f"({text},)" if len(items) == 1 else f"({text})"

    def _entry(self, entry: tuple[Expr | None, Expr]) -> str:
        key, value = entry
        return f"**{self.text(value, BITOR)}" if key is None else f"{self.text(key)}: {self.text(value)}"

    def _lambda(self, function: nodes.Function) -> str:
        statements = [s for s in function.body if not isinstance(s, nodes.Pass | nodes.Remark)]
        if len(statements) != 1 or not isinstance(statements[0], nodes.Return):
            raise ValueError(f"the body of the lambda in {function.source.filename} is more than one expression")
        parameters = self.parameters(function)
        head = f"lambda {parameters}" if parameters else "lambda"
        return f"{head}: {self.text(statements[0].value)}"

    def _template(self, template: nodes.Template) -> str:
        """An f-string; what is inside must do with the other quotes, since Python 3.11 cannot nest the same."""
        return fstrings.choose(lambda outer, inner: self._template_in(template, outer, inner), self.quote)

    def _template_in(self, template: nodes.Template, outer: str, inner: str) -> str | None:
        before, self.quote = self.quote, inner
        try:
            pieces = self._pieces(template, outer)
        finally:
            self.quote = before
        return None if pieces is None else f"f{outer}{pieces}{outer}"

    def _pieces(self, template: nodes.Template, outer: str) -> str | None:
        text = ""
        for piece in template.pieces:
            if isinstance(piece, str):
                text += fstrings.plain(piece, outer)
                continue
            value, conversion, spec = piece
            inside = self.text(value, CONDITIONAL)
            if not fstrings.fits(inside, outer):
                return None
            end = ""
            if spec is not None:
                rendered = self._pieces(spec, outer)
                if rendered is None:
                    return None
                end = f":{rendered}"
            mark = conversion.lstrip("!")
            text += "{" + (" " if inside[0] == "{" else "") + inside + (f"!{mark}" if mark else "") + end + "}"
        return text

    def _opaque(self, pieces: tuple[str | Variable, ...]) -> Text:
        text = "".join(self.name(p) if isinstance(p, Variable) else self._respelled(p) for p in pieces).strip()
        if "\n" in text and not _FOLDABLE.search(text):
            text = re.sub(r"(?<=[\[({])\s*\n\s*|\s*\n\s*(?=[\])}])", "", text)
            text = re.sub(r"\s*\n\s*", " ", text)
        tree = _parsed(text)
        if isinstance(tree, ast.GeneratorExp) and not text.startswith("("):
            return f"({text})", ATOM
        return text, _OPAQUE.get(type(tree), ATOM)

    def _respelled(self, text: str) -> str:
        """Opaque text under the names that this module has for what lies outside."""
        for name, ref in self.in_text.items():
            if self.outside(ref) != name:
                text = re.sub(rf"(?<![\w.]){name}\b", self.outside(ref), text)
        return text


def _parsed(text: str) -> ast.expr | None:
    try:
        return ast.parse(f"({text}\n)", mode="eval").body
    except SyntaxError:
        return None


def _is_simple(expr: Expr) -> bool:
    """Whether an operand is simple enough to stand next to `**` without spaces.

    >>> _is_simple(Const(-2)), _is_simple(nodes.Call(Read(Variable("f"))))
    (True, False)
    """
    if isinstance(expr, nodes.Attribute):
        return isinstance(expr.value, Read | Ref | nodes.Attribute) and _is_simple(expr.value)
    if isinstance(expr, nodes.Unary):
        return expr.op != "not" and isinstance(expr.operand, Const | Read | Ref) and _is_simple(expr.operand)
    return isinstance(expr, Read | Ref | Const)
