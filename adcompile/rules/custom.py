"""A user's own rule for a function of theirs (or of any library): one row, or a pair of functions."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from typing import Any, Literal

from adcompile.rules.forms import Form, Refuse, Row, RuleError, Text, make_row
from adcompile.rules.registry import add_function_row


def custom_rule(
    fn: Callable[..., Any], *texts: str | None,
    form: Literal["elementwise", "linear", "bilinear", "rule"] | None = None,
    jvp: str | Callable[..., Any] | None = None, vjp: Callable[..., Any] | None = None, when: str | None = None,
    view: str | None = None, **named: str,
) -> None:
    """Supply the derivative of a function; it then takes the place of what the compiler would work out.

    As text, one per argument, in the names of the function's own parameters, `g` (the incoming derivative) and `ans`
    (the result); `np`, `math` and the names that the function itself or the caller can see are at hand. `form` says
    what the text means: "elementwise" (the default), "linear", "bilinear", or "rule" with `jvp` a text in `x_dot`,
    `y_dot` ...
    An argument without a text is held fixed. `view` names the arguments that the result may share memory with, "" says
    that it is new memory; it matters where one of them is updated in place later, and by default all may share.

    >>> def softplus(x):
    ...     return max(x, 0.0) + math.log1p(math.exp(-abs(x)))
    >>> import math
    >>> custom_rule(softplus, "g / (1 + math.exp(-x))")

    As functions: `vjp(g, ans, *args)` returns the partial of the one argument, or a tuple with one entry per argument
    (None for one that is held fixed); `jvp(tangents, ans, *args)` returns the tangent of the result.

    >>> def norm(x):
    ...     return math.sqrt(x @ x)
    >>> custom_rule(norm, vjp=lambda g, ans, x: g * x / ans, jvp=lambda tangents, ans, x: x @ tangents[0] / ans)
    """
    caller = inspect.currentframe()
    while caller is not None and caller.f_globals.get("__name__", "").partition(".")[0] == "adcompile":
        caller = caller.f_back
    where = "custom_rule" if caller is None else f"{caller.f_code.co_filename}:{caller.f_lineno}"
    seen = {} if caller is None else caller.f_globals
    if not callable(fn):
        raise RuleError(f"{where}: custom_rule is for a function, not {fn!r}")
    for given in (*texts, *named.values(), when, view):
        if not isinstance(given, str | None):
            raise RuleError(f"{where}: a rule is made of texts, not {given!r}; functions are given as vjp= and jvp=")
    if not callable(vjp) and vjp is not None:
        raise RuleError(f"{where}: vjp is a function, not {vjp!r}")
    for text in (*texts, *named.values(), jvp):
        if isinstance(text, str) and _has_gap(text):
            raise RuleError(f"{where}: write the derivative where `...` stands in {text!r}")
    call, names = call_text(fn, where)
    if vjp is not None or callable(jvp):
        if texts or named or form is not None or isinstance(jvp, str):
            raise RuleError(f"{where}: give a rule as texts or as functions (vjp=, jvp=), not both")
        row = _from_functions(call, names, vjp, jvp, (when, view), where)
    else:
        row = _from_texts(fn, call, names, texts, named, form or "elementwise", jvp, (when, view), seen, where)
    add_function_row(fn, row)


def _has_gap(text: str) -> bool:
    """Whether a text is one to fill in: `...` stands in it for a number.

    >>> _has_gap("g * ..."), _has_gap("g * x[..., 0]")
    (True, False)
    """
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError:
        return False
    numbers = [side for node in ast.walk(tree) if isinstance(node, ast.BinOp) for side in (node.left, node.right)]
    return any(isinstance(side, ast.Constant) and side.value is ... for side in numbers)


def call_text(fn: Callable[..., Any], where: str) -> tuple[str, list[str]]:
    """The function's call as a row has it: parameters without default by position, those with one by keyword."""
    try:
        parameters = inspect.signature(fn).parameters
    except (ValueError, TypeError) as error:
        message = f"{where}: the parameters of {fn!r} cannot be read; wrap it in a function of your own"
        raise RuleError(message) from error
    parts, names = [], []
    for name, parameter in parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            message = f"{where}: custom_rule cannot describe the parameter *{name}; wrap the function in one without it"
            raise RuleError(message)
        names.append(name)
        parts.append(name if parameter.default is parameter.empty else f"{name}={_default(parameter, where)}")
    if "g" in names or "ans" in names:
        message = f"{where}: a parameter called `g` or `ans` collides with the rule's own names; wrap the function"
        raise RuleError(message)
    return f"fn({', '.join(parts)})", names


def _default(parameter: inspect.Parameter, where: str) -> str:
    text = repr(parameter.default)
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError) as error:
        message = f"{where}: the default of `{parameter.name}` is not a literal; wrap the function in one without it"
        raise RuleError(message) from error
    return text


def _from_texts(  # noqa: PLR0913, PLR0917 - the columns of a row
    fn: Callable[..., Any], call: str, names: list[str], texts: tuple[str | None, ...], named: dict[str, str],
    form: Form, jvp: str | None, limits: tuple[str | None, str | None], seen: dict[str, Any], where: str,
) -> Row:
    if form not in ("elementwise", "linear", "bilinear", "rule"):
        raise RuleError(f"{where}: form must be elementwise, linear, bilinear or rule, not {form!r}")
    if len(texts) > len(names):
        raise RuleError(f"{where}: {fn.__name__} has {len(names)} parameters but {len(texts)} texts were given")
    given: dict[str, Text | Refuse] = {n: t for n, t in zip(names, texts, strict=False) if t is not None}
    when, view = limits
    return make_row(form, call, given | named, where=where, jvp=jvp, when=when, view=view, objects=seen | _visible(fn))


def _from_functions(
    call: str, names: list[str], vjp: Callable[..., Any] | None, jvp: Callable[..., Any] | None,
    limits: tuple[str | None, str | None], where: str,
) -> Row:
    arguments = ", ".join(names)
    one = len(names) == 1
    texts: dict[str, Text | Refuse] = {
        name: Refuse("its custom_rule has no vjp", in_reverse_alone=True) if vjp is None
        else f"vjp(g, ans, {arguments})" if one else f"vjp(g, ans, {arguments})[{k}]"
        for k, name in enumerate(names)
    }
    tangents = f"({', '.join(f'{name}_dot' for name in names)},)"
    text = None if jvp is None else f"jvp({tangents}, ans, {arguments})"
    objects = {name: value for name, value in (("vjp", vjp), ("jvp", jvp)) if value is not None}
    when, view = limits
    return make_row("rule", call, texts, where=where, jvp=text, when=when, view=view, objects=objects)


def _visible(fn: Callable[..., Any]) -> dict[str, Any]:
    """What the function's own text can see, for the names that the rule's text uses."""
    plain = inspect.unwrap(fn)
    return dict(getattr(plain, "__globals__", {}))
