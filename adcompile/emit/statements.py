"""Statements and functions as lines of text, each with the user's statement it comes from."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from adcompile.emit.comments import Note, backward_notes, forward_notes, spells_out
from adcompile.emit.layout import INDENT, wrap
from adcompile.emit.python import NAMED, ExpressionPrinter
from adcompile.ir import nodes
from adcompile.ir.nodes import Const, Function, Origin, Ref, Stmt, Variable
from adcompile.ir.walk import blocks, expressions, walk
from adcompile.value_classes import value_class

_BACKWARD = f"# {nodes.Section.BACKWARD.value}"

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from adcompile.emit.scopes import Survey
    from adcompile.source import Span


@value_class()
class Line:
    """One physical line of generated text, and the stretch of the user's that it comes from."""

    text: str
    span: Span | None = None


def function_lines(
    survey: Survey, name: str, names: Mapping[Variable, str], outside: Callable[[Ref], str]
) -> list[Line]:
    """The lines of one generated function under a given name; `names` are those of its variables.

    >>> from adcompile.emit.scopes import survey
    >>> from adcompile.ir.nodes import Param, Read, Return, Variable
    >>> from adcompile.source import FunctionSource
    >>> x = Variable("x")
    >>> f = Function("f", [Param(x)], [Return(Read(x))], FunctionSource("f", "f.py", "", 1), docstring="Nothing.")
    >>> for line in function_lines(survey(f), "f_grad", {x: "x"}, lambda ref: ref.name):
    ...     print(line.text)
    def f_grad(x):
        \"\"\"Nothing.\"\"\"
        return x
    """
    printer = ExpressionPrinter(names.__getitem__, outside, survey.constants, survey.in_text)
    writer = _Writer(printer, survey)
    writer.function(survey.function, name, 0)
    return writer.lines


def docstring_lines(text: str, depth: int) -> list[str]:
    r'''A docstring, quoted and indented; more than one line closes on a line of its own.

    >>> docstring_lines("One.\n\nTwo.", 1)
    ['    """One.', '', '    Two.', '    """']
    '''
    indent = INDENT * depth
    text = inspect.cleandoc(text).replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    if "\n" not in text and text.endswith('"'):
        text = text[:-1] + '\\"'
    first, *rest = text.split("\n")
    if not rest:
        return [f'{indent}"""{first}"""']
    return [f'{indent}"""{first}', *(f"{indent}{line}" if line else "" for line in rest), f'{indent}"""']


class _Writer:
    def __init__(self, printer: ExpressionPrinter, survey: Survey) -> None:
        self.survey = survey
        self.printer = printer
        self.lines: list[Line] = []
        self.backward = False
        self.around: tuple[Origin, ...] = ()
        self.returns_values = True

    # ------------------------------------------------------------------------------------------------ functions

    def function(self, function: Function, name: str, depth: int, note: Note | None = None) -> None:
        """Write a function: its own sweeps, comments and returns, whatever stands around it."""
        outer = self.backward, self.around, self.returns_values
        self.backward, self.around, self.returns_values = False, (), _returns_values(function.body)
        header = f"def {name}({self.printer.parameters(function)}):"
        self.code(header, depth, function.origin, note.beside if note else None)
        if function.docstring is not None:
            self.lines += map(Line, docstring_lines(function.docstring, depth + 1))
        rebinds = self.survey.rebinds(function)
        if rebinds:
            self.code(f"nonlocal {', '.join(map(self.printer.name, rebinds))}", depth + 1)
        body = function.body
        if not self.returns_values and len(body) > 1 and isinstance(body[-1], nodes.Return) and not body[-1].origin:
            body = body[:-1]  # Python's own `return None` at the end
        has_sections = any(map(_section, body)) or any(_BACKWARD in s.origin.leading for s in body if s.origin)
        self.block(body, depth + 1, is_sectioned=has_sections)
        self.backward, self.around, self.returns_values = outer

    # --------------------------------------------------------------------------------------------------- blocks

    def block(
        self, block: list[Stmt], depth: int, *, heading: Origin | None = None, is_sectioned: bool = False
    ) -> None:
        """Write the statements of a block, with `pass` where Python needs one."""
        outer = self.backward
        notes = self.notes(block, heading)
        at, begun = 0, len(self.lines)
        while at < len(block):
            statement = block[at]
            if isinstance(statement, nodes.Remark):
                if not _heads_nothing(block, at):
                    self.remark(statement, depth, is_first=len(self.lines) == begun)
                at += 1
                continue
            end = _chain_end(block, notes, at)
            if is_sectioned and at and end == len(block) and isinstance(statement, nodes.Return):
                self.blank()
            for comment in notes[at].above:
                if comment == _BACKWARD and len(self.lines) > begun:  # of a text that was differentiated again
                    self.blank()
                self.lines.append(Line(INDENT * depth + comment))
            if end - at > 1:
                targets = [s.target for s in block[at:end] if isinstance(s, nodes.Assign)]
                beside = next((note.beside for note in notes[at:end] if note.beside), None)
                self.chain(targets, statement, depth, beside)
            else:
                self.statement(statement, depth, notes[at])
                if isinstance(statement, nodes.Define) and end < len(block):
                    self.blank()
            at = end
        self.backward = outer
        if all(isinstance(statement, nodes.Remark) for statement in block):
            self.code("pass", depth)

    def notes(self, block: list[Stmt], heading: Origin | None) -> list[Note]:
        """The comments of a block's statements, section by section."""
        starts = [at for at, statement in enumerate(block) if _section(statement)]
        notes: list[Note] = []
        for start, end in zip([0, *starts], [*starts, len(block)], strict=True):
            part = block[start:end]
            found = _section(part[0]) if part else None
            backward = self.backward if found is None else found is nodes.Section.BACKWARD
            around = () if found else self.around
            notes += backward_notes(part, None if found else heading) if backward else forward_notes(part, around)
        return notes

    def remark(self, remark: nodes.Remark, depth: int, *, is_first: bool) -> None:
        found = remark.section
        if found:
            self.backward = found is nodes.Section.BACKWARD
            if not is_first:
                self.blank()
        self.lines.append(Line(f"{INDENT * depth}# {remark.text}"))

    def blank(self) -> None:
        if self.lines and self.lines[-1].text:
            self.lines.append(Line(""))

    def code(self, text: str, depth: int, come_from: Stmt | Origin | None = None, beside: str | None = None) -> None:
        lines = wrap(text, depth)
        if beside:
            lines[-1] += f"  {beside}"
        origin = come_from.origin if isinstance(come_from, Stmt) else come_from
        span = origin.span if origin is not None else _first_span(come_from) if isinstance(come_from, Stmt) else None
        self.lines += [Line(line, span) for line in lines]

    def chain(self, targets: list[nodes.Variable], last: Stmt, depth: int, beside: str | None) -> None:
        if not isinstance(last, nodes.Assign):
            raise TypeError("only assignments chain")
        text = " = ".join([*map(self.printer.name, targets), self.printer.text(last.value)])
        self.code(text, depth, last, beside)

    # ----------------------------------------------------------------------------------------------- statements

    def statement(self, statement: Stmt, depth: int, note: Note) -> None:
        match statement:
            case nodes.If():
                self.branch(statement, depth, note, "if")
            case nodes.For(target=target, iterable=iterable):
                header = f"for {self.printer.target(target)} in {self.printer.text(iterable)}:"
                self.loop(header, statement, depth, note)
            case nodes.While(test=test):
                self.loop(f"while {self.printer.text(test, NAMED)}:", statement, depth, note)
            case nodes.Try():
                self.attempt(statement, depth, note)
            case nodes.With():
                self.context(statement, depth, note)
            case nodes.Define(variable=variable, function=function):
                if self.lines and not self.lines[-1].text.endswith((":", '"""')):
                    self.blank()
                self.function(function, self.printer.name(variable), depth, note)
            case _:
                self.code(self.simple(statement), depth, statement, note.beside)

    def branch(self, statement: nodes.If, depth: int, note: Note, word: str) -> None:
        self.code(f"{word} {self.printer.text(statement.test, NAMED)}:", depth, statement, note.beside)
        self.inner(statement.then, statement, depth)
        match statement.orelse:
            case []:
                pass
            case [nodes.If() as other] if not (self.backward and spells_out(other) and not spells_out(statement)):
                inner = Note() if self.backward else forward_notes([other], (*self.around, *_origins(statement)))[0]
                for comment in inner.above:
                    self.lines.append(Line(INDENT * depth + comment))
                self.branch(other, depth, inner, "elif")
            case orelse:
                self.code("else:", depth)
                self.inner(orelse, statement, depth)

    def loop(self, header: str, statement: nodes.For | nodes.While, depth: int, note: Note) -> None:
        self.code(header, depth, statement, note.beside)
        self.inner(statement.body, statement, depth)
        if statement.orelse:
            self.code("else:", depth)
            self.inner(statement.orelse, statement, depth)

    def attempt(self, statement: nodes.Try, depth: int, note: Note) -> None:
        """Write a `try` with all its parts."""
        self.code("try:", depth, statement, note.beside)
        self.inner(statement.body, statement, depth)
        for handler in statement.handlers:
            head = "except" if handler.error is None else f"except {self.printer.text(handler.error)}"
            if handler.variable is not None:
                head += f" as {self.printer.name(handler.variable)}"
            own = Note() if handler.origin is None else Note(handler.origin.leading, handler.origin.trailing)
            for comment in own.above:
                self.lines.append(Line(INDENT * depth + comment))
            self.code(f"{head}:", depth, handler.origin, own.beside)
            self.inner(handler.body, statement, depth)
        for word, block in (("else", statement.orelse), ("finally", statement.final)):
            if block:
                self.code(f"{word}:", depth)
                self.inner(block, statement, depth)

    def context(self, statement: nodes.With, depth: int, note: Note) -> None:
        """Write a `with`; contexts that the user entered in one statement are entered in one."""
        items: list[str] = []
        inner = statement
        while True:
            target = "" if inner.target is None else f" as {self.printer.target(inner.target)}"
            items.append(f"{self.printer.text(inner.manager)}{target}")
            match inner.body:
                case [nodes.With(origin=origin) as other] if origin is not None and origin is statement.origin:
                    inner = other
                case _:
                    break
        self.code(f"with {', '.join(items)}:", depth, statement, note.beside)
        self.inner(inner.body, statement, depth)

    def inner(self, block: list[Stmt], around: Stmt, depth: int) -> None:
        """Write a block within a compound statement; what that statement's heading says is not said again."""
        before = self.around
        self.around = (*before, *_origins(around))
        self.block(block, depth + 1, heading=around.origin if spells_out(around) else None)
        self.around = before

    def simple(self, statement: Stmt) -> str:
        """The text of a statement that has no statements in it."""
        text, bare, name = self.printer.text, self.printer.bare, self.printer.name
        match statement:
            case nodes.Assign(target=variable, value=value):
                return f"{name(variable)} = {text(value)}"
            case nodes.Unpack(pattern=pattern, value=value):
                return f"{self.printer.target(pattern)} = {bare(value)}"
            case nodes.Store(target=target, value=value):
                return f"{text(target)} = {text(value)}"
            case nodes.Augment(target=target, op=op, value=value):
                return f"{text(target)} {op}= {text(value)}"
            case nodes.Evaluate(
                value=nodes.Call(func=nodes.Attribute(value=holder, name="__delitem__"), args=(key,), keywords=())
            ):
                return f"del {text(nodes.Subscript(holder, key))}"
            case nodes.Evaluate(value=value):
                return text(value)
            case nodes.Return(value=Const(value=None)):
                return "return None" if self.returns_values else "return"
            case nodes.Return(value=value):
                return f"return {bare(value)}"
            case nodes.Raise(error=error, cause=cause):
                return "raise" + (f" {text(error)}" if error else "") + (f" from {text(cause)}" if cause else "")
            case nodes.Assert(test=test, message=message):
                return f"assert {text(test)}" + (f", {text(message)}" if message else "")
            case nodes.Break():
                return "break"
            case nodes.Continue():
                return "continue"
            case nodes.Pass():
                return "pass"
            case nodes.Yield(value=value):
                return f"yield {bare(value)}"
            case nodes.Delete(variable=variable):
                return f"del {name(variable)}"
            case nodes.NewTape(tape=tape):
                return f"{name(tape)} = []"
            case nodes.Push(tape=tape, value=value):
                return f"{name(tape)}.append({text(value)})"
            case nodes.Pop(target=variable, tape=tape):
                return f"{name(variable)} = {name(tape)}.pop()"
            case _:
                reason = f"no text for {type(statement).__name__}"
                raise TypeError(reason)


def _heads_nothing(block: list[Stmt], at: int) -> bool:
    """Whether a forward sweep, or a part of a sweep, turned out to be empty, so that it has no heading."""
    remark, behind = block[at], block[at + 1 : at + 2]
    section = _section(remark)
    if section is nodes.Section.FORWARD and behind and _section(behind[0]) is nodes.Section.BACKWARD:
        return True
    is_part = section is not None and not (isinstance(remark, nodes.Remark) and remark.is_of_all)
    return is_part and (not behind or isinstance(behind[0], nodes.Return) or _section(behind[0]) is not None)


def _chain_end(block: list[Stmt], notes: list[Note], start: int) -> int:
    """Where a run of copies of one variable ends, which is written `a = b = v`; they belong to one statement."""
    first = block[start]
    if not isinstance(first, nodes.Assign) or not isinstance(first.value, nodes.Read):
        return start + 1
    targets = {first.target}
    end = start + 1
    while end < len(block):
        other = block[end]
        same = isinstance(other, nodes.Assign) and other.value == first.value and other.origin == first.origin
        if not same or notes[end].above or first.value.variable in targets:
            break
        if isinstance(other, nodes.Assign):
            targets.add(other.target)
        end += 1
    return end


def _returns_values(block: list[Stmt]) -> bool:
    """Whether a function returns anything but None somewhere."""
    for statement in block:
        match statement:
            case nodes.Return(value=value):
                if value != Const(None):
                    return True
            case nodes.If(then=body, orelse=orelse) | nodes.For(body=body, orelse=orelse):
                if _returns_values(body) or _returns_values(orelse):
                    return True
            case nodes.While(body=body, orelse=orelse):
                if _returns_values(body) or _returns_values(orelse):
                    return True
            case nodes.Try() | nodes.With():
                if any(map(_returns_values, blocks(statement))):
                    return True
    return False


def _first_span(statement: Stmt) -> Span | None:
    """Where the first part of what the compiler put together comes from, as of the `return` of value and partials."""
    return next((e.span for x in expressions(statement) for e in walk(x) if e.span is not None), None)


def _origins(statement: Stmt) -> tuple[Origin, ...]:
    return () if statement.origin is None else (statement.origin,)


def _section(statement: Stmt) -> nodes.Section | None:
    """Which sweep a remark says that the statements behind it belong to, if it does."""
    return statement.section if isinstance(statement, nodes.Remark) else None
