"""The IR as Python-like text, for debugging and tests; what users read is written by `emit`."""

from __future__ import annotations

from typing import Any

from adcompile.ir import nodes as n

INDENT = "    "


def show(node: n.Function | n.Stmt | n.Expr | list[n.Stmt]) -> str:
    """Return text for a function, a statement, a list of statements or an expression.

    Binary operations are parenthesised in full, a name from outside the function carries its scope, and
    a compiler-made variable its role, so that what is shown is the tree and not merely the code.

    >>> x, y = n.Variable("x"), n.Variable("y")
    >>> show(n.Assign(y, n.Binary("*", n.Const(2), n.Call(n.Ref("abs", abs, "builtin"), (n.Read(x),)))))
    'y = (2 * abs@builtin(x))'
    >>> print(show(n.While(n.Compare(("<",), (n.Read(x), n.Const(1))), [n.Break()], [])))
    while x < 1:
        break
    """
    match node:
        case n.Function():
            return "\n".join(_function(node))
        case n.Stmt():
            return "\n".join(_statement(node))
        case list():
            return "\n".join(_block(node))
        case _:
            return _expr(node)


def _function(function: n.Function) -> list[str]:
    captures = f"  # captures {', '.join(map(_variable, function.captures))}" if function.captures else ""
    body = _indent(_block(function.body))
    doc = [f"{INDENT}{function.docstring!r}"] if function.docstring is not None else []
    return [f"def {function.name}({_params(function.params)}):{captures}", *doc, *body]


def _params(params: list[n.Param]) -> str:
    texts: list[str] = []
    forms = [param.form for param in params]
    for at, param in enumerate(params):
        if param.form == "keyword-only" and not {"keyword-only", "varargs"} & set(forms[:at]):
            texts.append("*")
        stars = {"varargs": "*", "varkeywords": "**"}.get(param.form, "")
        default = "" if param.default is None else f"={_expr(param.default)}"
        texts.append(f"{stars}{_variable(param.variable)}{default}")
        if param.form == "positional-only" and "positional-only" not in forms[at + 1 :]:
            texts.append("/")
    return ", ".join(texts)


def _block(body: list[n.Stmt]) -> list[str]:
    return [line for stmt in body for line in _statement(stmt)]


def _indent(lines: list[str]) -> list[str]:
    return [INDENT + line for line in lines]


def _statement(stmt: n.Stmt) -> list[str]:
    match stmt:
        case n.If(test=test, then=then, orelse=orelse):
            return [f"if {_expr(test)}:", *_indent(_block(then)), *_orelse(orelse)]
        case n.For(target=target, iterable=iterable, body=body, orelse=orelse):
            return [f"for {_expr(target)} in {_expr(iterable)}:", *_indent(_block(body)), *_orelse(orelse)]
        case n.While(test=test, body=body, orelse=orelse):
            return [f"while {_expr(test)}:", *_indent(_block(body)), *_orelse(orelse)]
        case n.Try(body=body, handlers=handlers, orelse=orelse, final=final):
            lines = ["try:", *_indent(_block(body))]
            for handler in handlers:
                lines += [f"{_except(handler)}:", *_indent(_block(handler.body))]
            return [*lines, *_orelse(orelse), *(["finally:", *_indent(_block(final))] if final else [])]
        case n.With(manager=manager, target=target, body=body):
            name = "" if target is None else f" as {_expr(target)}"
            return [f"with {_expr(manager)}{name}:", *_indent(_block(body))]
        case n.Define(function=function):
            return _function(function)
        case _:
            return [_simple(stmt)]


def _except(handler: n.Handler) -> str:
    text = "except" if handler.error is None else f"except {_expr(handler.error)}"
    return text if handler.variable is None else f"{text} as {_variable(handler.variable)}"


def _orelse(orelse: list[n.Stmt]) -> list[str]:
    return ["else:", *_indent(_block(orelse))] if orelse else []


def _simple(stmt: n.Stmt) -> str:
    match stmt:
        case n.Assign(target=target, value=value):
            return f"{_variable(target)} = {_expr(value)}"
        case n.Unpack(pattern=pattern, value=value):
            return f"{_expr(pattern)} = {_expr(value)}"
        case n.Store(target=place, value=value):
            return f"{_expr(place)} = {_expr(value)}"
        case n.Augment(target=place, op=op, value=value):
            return f"{_expr(place)} {op}= {_expr(value)}"
        case n.Evaluate(value=value):
            return _expr(value)
        case n.Return(value=value):
            return f"return {_expr(value)}"
        case n.Raise(error=error, cause=cause):
            text = "" if error is None else f" {_expr(error)}"
            return f"raise{text}" + ("" if cause is None else f" from {_expr(cause)}")
        case n.Assert(test=test, message=message):
            return f"assert {_expr(test)}" + ("" if message is None else f", {_expr(message)}")
        case n.Push(tape=tape, value=value):
            return f"push {_variable(tape)}, {_expr(value)}"
        case n.Tap(site=site, value=value):
            return f"tap {site}, {_expr(value)}"
        case n.Pop(target=target, tape=tape):
            return f"{_variable(target)} = pop {_variable(tape)}"
        case n.NewTape(tape=tape):
            return f"{_variable(tape)} = tape"
        case n.Delete(variable=variable):
            return f"del {_variable(variable)}"
        case n.Remark(text=text):
            return f"# {text}"
        case n.Pass() | n.Break() | n.Continue():
            return type(stmt).__name__.lower()
        case _:
            return repr(stmt)


def _variable(variable: n.Variable) -> str:
    if variable.role is n.Role.USER:
        return variable.name
    of = "" if variable.of is None else f" of {_variable(variable.of)}"
    path = "".join(f".{part}" for part in variable.path)
    return f"<{variable.role.name.lower()} {variable.name}{path}{of}>"


def _expr(expr: n.Expr) -> str:  # noqa: C901, PLR0912 - one case an expression
    match expr:
        case n.Const(value=value):
            return "..." if value is ... else repr(value)
        case n.Read(variable=variable):
            return _variable(variable)
        case n.Ref(name=name, scope=scope):
            return f"{name}@{scope}"
        case n.Unary(op=op, operand=operand):
            return f"(not {_expr(operand)})" if op == "not" else f"{op}{_expr(operand)}"
        case n.Binary(op=op, left=left, right=right):
            return f"({_expr(left)} {op} {_expr(right)})"
        case n.Compare(ops=ops, operands=operands):
            rest = (f" {op} {_expr(operand)}" for op, operand in zip(ops, operands[1:], strict=True))
            return _expr(operands[0]) + "".join(rest)
        case n.Bool(op=op, operands=operands):
            return f"({f' {op} '.join(map(_expr, operands))})"
        case n.Conditional(test=test, then=then, orelse=orelse):
            return f"({_expr(then)} if {_expr(test)} else {_expr(orelse)})"
        case n.Call(func=func, args=args, keywords=keywords):
            named = (f"**{_expr(v)}" if k is None else f"{k}={_expr(v)}" for k, v in keywords)
            return f"{_expr(func)}({', '.join([*map(_expr, args), *named])})"
        case n.Attribute(value=owner, name=name):
            return f"{_expr(owner)}.{name}"
        case n.Subscript(value=owner, index=index):
            text = _expr(index)
            is_tuple = isinstance(index, n.Display) and index.form == "tuple" and index.items
            return f"{_expr(owner)}[{text[1:-1] if is_tuple else text}]"
        case n.Slice(lower=lower, upper=upper, step=step):
            text = ":".join("" if part is None else _expr(part) for part in (lower, upper))
            return text if step is None else f"{text}:{_expr(step)}"
        case n.Display(form=form, items=items):
            return _display(form, [_expr(item) for item in items])
        case n.Mapping(entries=entries):
            return f"{{{', '.join(f'**{_expr(v)}' if k is None else f'{_expr(k)}: {_expr(v)}' for k, v in entries)}}}"
        case n.Starred(value=inner):
            return f"*{_expr(inner)}"
        case n.Named(variable=variable, value=inner):
            return f"({_variable(variable)} := {_expr(inner)})"
        case n.Template():
            return f'f"{_template(expr)}"'
        case n.Lambda(function=function):
            return f"(lambda {_params(function.params)}: {'; '.join(map(_simple, function.body))})"
        case n.Comprehension(text=text):
            return _expr(text)
        case n.Opaque(pieces=pieces):
            return "".join(_piece(piece) for piece in pieces)
        case _:
            return repr(expr)


def _piece(piece: Any) -> str:
    if isinstance(piece, str):
        return piece
    return _variable(piece) if isinstance(piece, n.Variable) else _expr(piece)


def _display(form: str, items: list[str]) -> str:
    text = ", ".join(items)
    if form == "tuple":
        return f"({text},)" if len(items) == 1 else f"({text})"
    return f"[{text}]" if form == "list" else f"{{{text}}}"


def _template(template: n.Template) -> str:
    texts: list[str] = []
    for piece in template.pieces:
        if isinstance(piece, str):
            texts.append(piece.replace("{", "{{").replace("}", "}}"))
        else:
            value, conversion, spec = piece
            after = ("!" + conversion if conversion else "") + ("" if spec is None else ":" + _template(spec))
            texts.append(f"{{{_expr(value)}{after}}}")
    return "".join(texts)
