"""What to write where a rule is missing: the nearest function that has one, and the `custom_rule` for this one.

The rule is a text to paste, in which `...` stands for what only its reader knows. A function that no rule is about gets
one under its own name. Where there are rules, but not for this call, or where the function cannot be described, the
call gets a function of its own: a rule for one way of calling must not take the place of those for the others.
"""

from __future__ import annotations

import ast
import difflib
import inspect
import keyword
import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from adcompile.errors import is_reading
from adcompile.rules import RuleError
from adcompile.rules.custom import call_text
from adcompile.rules.forms import TABLE, Refuse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adcompile.rules.forms import Row
    from adcompile.source import Span

_ALIKE = 0.75  # how much of a name has to be the same
_FEW = 4  # parameters that a rule can be asked to name one by one
_USUAL = "Write it with functions that have a rule, or leave it out of what is differentiated."
_WRAP = (
    "Write it with functions that have a rule, wrap it in a function of your own and give that a rule with "
    "`adcompile.custom_rule`, or leave it out of what is differentiated."
)


def advice(function: Any, path: str, rows: Sequence[Row], text: ast.expr | None, *, forward: bool) -> str:
    """The remedy for a call of a function that is spelled `path`; `text` is the call as it stands.

    >>> call = ast.parse("np.emath.log(x)", mode="eval").body
    >>> print(advice(np.emath.log, "np.emath.log", [], call, forward=False).splitlines()[1])
    The nearest name with a rule is `np.log`. Or give it a rule, in which each `...` stands for what you know:
    """
    known = bool(rows) and not all(_is_refused(row) for row in rows)
    rule = None
    if isinstance(text, ast.Call):
        rule = _own_rule(function, path, forward=forward) if path and function is not None and not known else None
        rule = rule or _rule_of_call(text, path, forward=forward)
    if rule is None:
        return _WRAP
    near = "" if rows or not path else _nearest(path)
    nearest = f"The nearest name with a rule is `{near}`. " if near else ""
    return f"{_USUAL}\n{nearest}Or give it a rule, in which each `...` stands for what you know:\n\n{rule}"


def call_at(span: Span) -> ast.expr | None:
    """The expression that stands there in the user's text, if it can be read by itself."""
    source = span.source
    if source is None or is_reading(source):
        return None
    lines = [source.line(k) for k in range(span.line, span.end_line + 1)]
    if not lines:
        return None
    lines[-1] = lines[-1][: span.end_column]
    lines[0] = lines[0][span.column :]
    try:
        return ast.parse(f"({chr(10).join(lines)})", mode="eval").body
    except SyntaxError:
        return None


def _is_refused(row: Row) -> bool:
    return bool(row.texts) and all(isinstance(text, Refuse) for text in row.texts.values())


def _nearest(path: str) -> str:
    """The function with a rule whose name is most like this one's.

    >>> _nearest("np.emath.log"), _nearest("np.trapezoidal"), _nearest("scipy.special.frobnicate")
    ('np.log', 'np.trapezoid', '')
    """
    last = path.rpartition(".")[2]
    refused = {d.name for d in TABLE if d.form == "constant"}
    names = [d.name for d in TABLE if d.family == "function" and "." in d.name and d.name not in refused | {path}]
    of_last = {name.rpartition(".")[2]: name for name in reversed(names)}
    found = difflib.get_close_matches(last, list(of_last), 1, _ALIKE)
    return of_last[found[0]] if found else ""


def _own_rule(function: Any, path: str, *, forward: bool) -> str | None:
    """The rule of a function, in the names of its parameters; None where it has too many, or does not tell them."""
    if isinstance(function, np.ufunc) and function.nout == 1:
        try:
            _, names = call_text(function, path)
        except RuleError:
            return None
        texts, told = ", ".join(['"g * ..."'] * function.nin), ", ".join(names[: function.nin])
        what = "slope" if function.nin == 1 else "slopes"
        return _block(f"custom_rule({path}, {texts})  # its {what} by {told}, in these names and `ans`")
    try:
        _, names = call_text(function, path)
    except RuleError:
        return None
    given = [n for n, p in inspect.signature(function).parameters.items() if p.default is p.empty]
    return _block(_pair(path, path, names, forward=forward)) if len(names) <= _FEW and given else None


def _rule_of_call(call: ast.Call, path: str, *, forward: bool) -> str | None:
    """A function for a call, with its rule; what is written out in the call stays there."""
    parts: list[tuple[ast.expr | ast.keyword, ast.expr]] = [(arg, arg) for arg in call.args]
    parts += [(word, word.value) for word in call.keywords]
    if any(isinstance(part, ast.Starred) or (isinstance(part, ast.keyword) and part.arg is None) for part, _ in parts):
        return None
    if any(isinstance(node, ast.Lambda | ast.NamedExpr) for _, value in parts for node in ast.walk(value)):
        return None
    names: list[str] = []

    def parameter(value: ast.expr, suggested: str | None) -> ast.expr:
        if _is_literal(value):
            return value
        name = value.id if isinstance(value, ast.Name) else suggested
        free = (c for c in "xyzuvwabcdefhijklmnopqrst" if c not in names)
        if name is None or name in ("g", "ans") or keyword.iskeyword(name):
            name = next(free)
        if name not in names or not isinstance(value, ast.Name):
            names.append(name if name not in names else next(free))
        return ast.Name(names[-1] if not isinstance(value, ast.Name) else name)

    func = call.func
    if not path:
        if not isinstance(func, ast.Attribute):
            return None
        func = ast.Attribute(parameter(func.value, None), func.attr)
    args = [parameter(arg, None) for arg in call.args]
    words = [ast.keyword(word.arg, parameter(word.value, word.arg)) for word in call.keywords]
    if not names:
        return None
    last = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "call")
    own = f"own_{last}"
    body = ast.unparse(ast.fix_missing_locations(ast.Call(func, args, words)))
    made = f"def {own}({', '.join(names)}):\n    return {body}\n\n"
    text = _pair(own, own, names, forward=forward)
    return _block(made + text) + f"\n\nand call `{own}({', '.join(names)})` there."


def _pair(path: str, own: str, names: list[str], *, forward: bool) -> str:
    """The rule of a function as a function."""
    last = own.rpartition(".")[2].removeprefix("own_")
    told = ", ".join(names)
    if forward:
        head = f"def {last}_jvp(tangents, ans, {told}):"
        what = f"the tangent of the result; `tangents` holds {'that' if len(names) == 1 else 'those'} of {told}"
        return f"{head}\n    return ...  # {what}\n\ncustom_rule({path}, jvp={last}_jvp)"
    many = f"the partials of {told}; None for what is always held fixed"
    what = f"the partial of {told}" if len(names) == 1 else many
    head = f"def {last}_vjp(g, ans, {told}):"
    return f"{head}\n    return {', '.join(['...'] * len(names))}  # {what}\n\ncustom_rule({path}, vjp={last}_vjp)"


def _is_literal(value: ast.expr) -> bool:
    try:
        ast.literal_eval(value)
    except ValueError:
        return False
    return True


def _block(code: str) -> str:
    return textwrap.indent(f"from adcompile import custom_rule\n\n{code}", "    ")
