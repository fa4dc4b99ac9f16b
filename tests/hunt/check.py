"""Whether the compiler's answer for one written program is right, and if not, in what way it is wrong.

The gradient is asked for with the functions given, so that the checker can be tried on answers known to be wrong.
"""

from __future__ import annotations

import builtins
import dataclasses
import functools
import keyword
import linecache
import re
import signal
import types
import warnings
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from itertools import count
from typing import Any, Literal

import numpy as np

from adcompile import ADError, grad, jvp
from adcompile.calls.transformations import Gradient
from adcompile.pipeline import Order, machine
from tests.native.run_by_python import run_by_python
from tests.programs import structures

from .differences import agrees_along, disagreement, slopes
from .program import Program

Verdict = Literal["agreed", "refused", "not smooth", "primal raised", "WRONG"]
Arguments = Literal["unchanged", "as the function leaves them"]
SECONDS = 20
DOUBLE, SINGLE, EXACT = 1e-5, 2e-2, 1e-8
_IN_DOUBLE, _IN_SINGLE = {"rtol": 1e-9, "atol": 1e-9}, {"rtol": 1e-4, "atol": 1e-6}  # what machine code may add up
SINGLE_VALUE = 1e-4  # how far values in single precision may be from those in double
_SINGLE = re.compile(r"float(16|32)\b")
_numbers = count()
_PYTHON = re.compile("|".join([*keyword.kwlist, *dir(builtins), r"(np|numpy|math)(\.\w+)+"]))


@dataclass(frozen=True)
class Outcome:
    """What came of one program. For a WRONG one, `kind` says in what way; `title` is short, `detail` is not."""

    verdict: Verdict
    kind: str = ""
    title: str = ""
    detail: str = ""
    forward_refused: str = ""
    partly: bool = False  # agreed, but some slopes could not be compared

    @property
    def key(self) -> tuple[str, str]:
        """What two findings have in common if they are the same."""
        return self.kind, self.title


fresh_grad = functools.partial(grad, cache=False)  # no text of another state of the compiler
fresh_jvp = functools.partial(jvp, cache=False)


@dataclass(frozen=True)
class Checker:
    """How programs are checked."""

    grad: Callable[..., Any] = fresh_grad
    jvp: Callable[..., Any] | None = fresh_jvp
    unsimplified: bool = False
    arguments: Arguments = "unchanged"
    seconds: int = SECONDS
    static: frozenset[str] = field(default_factory=lambda: frozenset({"n"}))
    exact: bool = True  # whether the value must be the function's own to the last bit

    def check(self, program: Program) -> Outcome:
        """The outcome for a program. Only an interrupt comes out of here as an exception."""
        outcomes: list[Outcome] = []
        with _quiet():
            try:
                with _alarm(self.seconds), _loaded(program) as f, _loaded(_widened(program)) as wide:
                    subject = _Subject(f, wide, functools.cache(functools.partial(self.grad, f)))
                    forward = zlib.crc32(program.text.encode()) % (1 + len(program.others))
                    for place, call in enumerate(program.calls()):
                        outcomes.append(self._outcome(call, subject, forward=place == forward))
            except _WrongError as wrong:
                where = f" (call {len(outcomes) + 1} of {1 + len(program.others)})" if program.others else ""
                return Outcome("WRONG", wrong.kind, wrong.title, f"{wrong}{where}")
            except _TimeoutError:
                return Outcome("WRONG", "timeout", f"more than {self.seconds} s")
        return _joined(outcomes)

    def _outcome(self, program: Program, subject: _Subject, *, forward: bool) -> Outcome:
        f = subject.f
        left = program.fresh()
        try:
            with warnings.catch_warnings(record=True) as said, np.errstate(divide="warn", invalid="warn"):
                warnings.simplefilter("always", RuntimeWarning)
                value = f(**left)
        except Exception as error:  # noqa: BLE001 - whatever a written program raises
            return self._raised(program, subject, error)
        if not np.all(np.isfinite(structures.reals(value))):
            return Outcome("not smooth", title="the value is not finite")
        wrt = tuple(name for name, given in program.arguments.items() if structures.varies(given, name, self.static))
        try:
            got, partials = self._answer(program, subject, value, left, wrt)
        except ADError as refusal:
            return Outcome("refused", title=reason(refusal))
        if _divides_by_nothing(said):  # it has no slope either
            wrt = tuple(name for name in wrt if np.all(np.isfinite(structures.reals(partials[name], name))))
            if not wrt:
                return Outcome("not smooth", title="the mean of nothing")
        partly = self._compare(program, subject, value, partials, wrt)
        forward_refused = ""
        if self.jvp is not None and forward:
            try:
                self._compare_forward(program, f, got, partials, wrt)
            except ADError as refusal:
                forward_refused = reason(refusal)
        if self.unsimplified:
            self._compare_unsimplified(program, f, got, partials, wrt)
        if partly == "nothing":
            return Outcome("not smooth", forward_refused=forward_refused)
        return Outcome("agreed", forward_refused=forward_refused, partly=bool(partly))

    def _raised(self, program: Program, subject: _Subject, expected: Exception) -> Outcome:
        """Where the function raises, its gradient raises the same."""
        name = type(expected).__name__
        try:
            subject.gradient()(**program.fresh())
        except ADError as refusal:
            if isinstance(expected, ADError):
                raise
            return Outcome("refused", title=reason(refusal))
        except Exception as error:
            if type(error) is type(expected):
                return Outcome("primal raised", title=name)
            text = f"the function raises {expected!r}, its gradient {error!r}"
            raise _WrongError("exception", f"{name} against {_normal(error)}", text) from error
        raise _WrongError(
            "exception", f"{name} is not raised", f"the function raises {expected!r}, its gradient does not"
        )

    def _answer(
        self, program: Program, subject: _Subject, value: Any, left: dict[str, Any], wrt: tuple[str, ...]
    ) -> tuple[Any, dict[str, Any]]:
        """The value and partials, after everything about them but the numbers was looked at."""
        gradient = subject.gradient(wrt=wrt)
        given = program.fresh()
        if hasattr(gradient, "source_for"):
            try:
                gradient.source_for(**given)
            except ADError:
                raise
            except Exception as error:
                raise _WrongError("crash of the compiler", _normal(error), _where(error)) from error
        got, partials = _called(gradient, given)
        if self.exact:
            _same("value", got, value)
        elif not np.allclose(got, value, **(_IN_SINGLE if _single(program) else _IN_DOUBLE)):
            raise _WrongError("value", "value", f"value: {got!r} against {value!r}")
        self._arguments_after(program, given, left, "the gradient")
        if tuple(partials) != wrt:
            raise _WrongError("partials", "other names", f"partials of {tuple(partials)}, asked for {wrt}")
        for name, partial in partials.items():
            unlike = structures.unlike(partial, program.arguments[name], name, self.static)
            if unlike is not None:
                raise _WrongError("type", re.sub(r"^\S+: ", "", unlike), unlike)
        _separate(partials, got, given)
        again, partials_again = _called(gradient, program.fresh())
        _same("value of a second call", again, got)
        _same("partials of a second call", partials_again, partials)
        return got, partials

    def _arguments_after(self, program: Program, given: dict[str, Any], left: dict[str, Any], who: str) -> None:
        """What a call did to its arguments."""
        want = program.arguments if self.arguments == "unchanged" else left
        found = structures.difference(given, want, "arguments")
        if found is not None:
            which = found.partition(":")[0].split(".")[1:2]
            kind = type(program.arguments[which[0]]).__name__ if which else "dict"
            raise _WrongError("arguments changed", f"{kind} by {who}", f"after {who}: {found}")

    def _compare(
        self, program: Program, subject: _Subject, value: Any, partials: dict[str, Any], wrt: tuple[str, ...]
    ) -> str:
        """Compare with differences; says whether some slopes, or all, were not to be compared."""
        f = subject.wide
        tolerance = SINGLE if _single(program) else DOUBLE
        if _single(program) and not self._as_in_double(program, f, value):
            return "nothing"
        if agrees_along(f, program.arguments, partials, wrt, tolerance):
            return ""
        compared = skipped = 0
        for name in wrt:
            found = slopes(f, program.arguments, name, self.static)
            partial = structures.reals(partials[name], name, like=program.arguments[name])
            at = disagreement(found, partial, tolerance)
            if at is not None and _single(program) and self._is_rough(program, subject, partials, name, wrt):
                skipped += len(partial)
                continue
            if at is not None:
                text = f"partial of {name}[{at}]: {partial[at]!r}, by differences {found.central[at]!r}"
                raise _WrongError("number", "not the slope", text)
            compared += int(np.sum(found.smooth))
            skipped += int(np.sum(~found.smooth))
        return "" if not skipped else "some" if compared else "nothing"

    def _is_rough(
        self, program: Program, subject: _Subject, partials: dict[str, Any], name: str, wrt: tuple[str, ...]
    ) -> bool:
        """Whether arguments that are rounded otherwise have other partials: the sine of 500,000 in single precision."""
        nudged = {
            k: structures.with_reals(part, structures.reals(part, k, self.static) * (1 + 2.0**-22), k, self.static)
            for k, part in program.fresh().items()
        }
        _, others = _called(subject.gradient(wrt=wrt), nudged)
        one, other = (structures.reals(p[name], name) for p in (partials, others))
        return not np.allclose(one, other, rtol=SINGLE, atol=SINGLE)

    def _as_in_double(self, program: Program, wide: Callable[..., Any], value: Any) -> bool:
        """Whether a program does the same in double precision.

        `np.asarray(v, dtype=float)` of single precision is a copy, of double precision the array itself.
        """
        given = {
            name: structures.with_reals(part, structures.reals(part, name, self.static), name, self.static, widen=True)
            for name, part in program.fresh().items()
        }
        doubled = structures.reals(wide(**given))
        return bool(np.allclose(doubled, structures.reals(value), rtol=SINGLE_VALUE, atol=SINGLE_VALUE))

    def _compare_forward(
        self, program: Program, f: Callable[..., Any], value: Any, partials: dict[str, Any], wrt: tuple[str, ...]
    ) -> None:
        """The tangent along a direction against the partials in that direction."""
        assert self.jvp is not None
        tangents: dict[str, Any] = {}
        backward, size = 0.0, 1e-2
        for name in wrt:
            given = program.arguments[name]
            numbers = np.cos(1.0 + np.arange(len(structures.reals(given)), dtype=np.float64) + len(tangents))
            tangents[name] = structures.with_reals(given, numbers, name)
            terms = numbers * structures.reals(partials[name], name, like=given)
            backward += float(np.sum(terms))
            size += float(np.sum(np.abs(terms)))
        given = program.fresh()
        try:
            got, value_dot = self.jvp(f, wrt=wrt)(tangents, **given)
        except ADError:
            raise
        except Exception as error:
            raise _WrongError("crash in forward mode", _normal(error), _where(error)) from error
        _same("value of the forward call", got, value)
        if self.arguments == "unchanged":
            self._arguments_after(program, given, given, "forward mode")
        if not np.all(np.isfinite([backward, *structures.reals(value_dot)])):
            return
        gap = abs(float(value_dot) - backward)
        if gap > (SINGLE if _single(program) else EXACT) * size:
            raise _WrongError("forward", "not as reverse", f"forward {value_dot!r}, reverse {backward!r}")

    def _compare_unsimplified(
        self, program: Program, f: Callable[..., Any], value: Any, partials: dict[str, Any], wrt: tuple[str, ...]
    ) -> None:
        """The same answer with every simplification switched off."""
        got, plain = _called(_Unsimplified(f, {"wrt": wrt}, "grad"), program.fresh())
        _same("value without simplification", got, value)
        for name in wrt:
            left, right = (structures.reals(p[name], name) for p in (plain, partials))
            if not np.allclose(left, right, rtol=1e-3 if _single(program) else 1e-9, atol=1e-9, equal_nan=True):
                text = f"partial of {name}: {right!r}, without simplification {left!r}"
                raise _WrongError("simplification", "another number", text)


@dataclass(frozen=True)
class _Subject:
    """The function of a program, the same in double precision, and its gradient, made once for all calls."""

    f: Callable[..., Any]
    wide: Callable[..., Any]
    gradient: Callable[..., Any]


def _divides_by_nothing(said: list[warnings.WarningMessage]) -> bool:
    """Whether something was divided by the length of nothing, by NumPy or as a line has it."""
    texts = [str(warning.message) for warning in said]
    return any("empty slice" in t or "freedom" in t or t.endswith(("in divide", "in scalar divide")) for t in texts)


def _joined(outcomes: list[Outcome]) -> Outcome:
    """What came of a program, from what came of each of its calls."""
    refused = next((o.forward_refused for o in outcomes if o.forward_refused), "")
    for verdict in ("refused", "agreed", "not smooth", "primal raised"):
        for outcome in outcomes:
            if outcome.verdict == verdict:
                partly = any(o.partly or o.verdict == "not smooth" for o in outcomes)
                return dataclasses.replace(outcome, forward_refused=refused, partly=partly and verdict == "agreed")
    raise LookupError


def by_text_for_numba(fn: Callable[..., Any], **options: Any) -> Any:
    """`grad` by the text that Numba is given, run by Python."""
    machine.compile_native = run_by_python  # in this process, from now on
    return grad(fn, jit=True, cache=False, **options)


def by_numba(fn: Callable[..., Any], **options: Any) -> Any:
    """`grad` as machine code."""
    return grad(fn, jit=True, cache=False, **options)


class _Unsimplified(Gradient):
    """`grad` without its rewrites."""

    def _order(self, **changes: Any) -> Order:
        return dataclasses.replace(super()._order(**changes), rewrites=frozenset())


class _WrongError(Exception):
    """Something is wrong with an answer."""

    def __init__(self, kind: str, title: str, detail: str) -> None:
        super().__init__(detail)
        self.kind, self.title = kind, title


class _TimeoutError(BaseException):
    """The time for one program is over. Not an `Exception`, so that no handler on the way takes it."""


def reason(refusal: ADError) -> str:
    """The title of a refusal, without the names of the program.

    >>> reason(ADError("cannot differentiate an update of `u3` in place"))
    'cannot differentiate an update of `_` in place'
    >>> reason(ADError("cannot differentiate through `try`"))
    'cannot differentiate through `try`'
    """
    return re.sub(r"`([^`]*)`", lambda found: found[0] if _PYTHON.fullmatch(found[1]) else "`_`", refusal.message)


def _normal(error: BaseException) -> str:
    """An exception in a word and a text without names and numbers."""
    text = re.sub(r"'[^']*'|`[^`]*`", "_", str(error).partition("\n")[0])
    return f"{type(error).__name__}: {re.sub(r'[0-9]+', '0', text)[:100]}"


def _where(error: BaseException) -> str:
    """An exception and where it came from."""
    frames = []
    traceback = error.__traceback__
    while traceback is not None:
        code = traceback.tb_frame.f_code
        line = linecache.getline(code.co_filename, traceback.tb_lineno).strip()
        frames.append(f"{code.co_filename.rpartition('/')[2]}:{traceback.tb_lineno} in {code.co_name}: {line}")
        traceback = traceback.tb_next
    return "\n".join([repr(error), *frames[-4:]])


def _called(gradient: Callable[..., Any], given: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    try:
        value, partials = gradient(**given)
    except ADError:
        raise
    except Exception as error:
        raise _WrongError("crash in the generated code", _normal(error), _where(error)) from error
    return value, dict(partials._asdict())


def _same(what: str, got: Any, want: Any) -> None:
    found = structures.difference(got, want)
    if found is not None:
        is_type = ": type " in found or re.search(r": (float|int|bool)\d*\(", found) is not None
        raise _WrongError("type" if is_type else "value", what, f"{what}: {found}")


def _separate(partials: dict[str, Any], value: Any, given: dict[str, Any]) -> None:
    """No partial shares memory with another one, with an input or with the value."""
    mine = list(structures.mutable_parts(partials, "partial"))[1:]
    theirs = list(structures.mutable_parts((value, *given.values()), "argument"))
    for index, (path, part) in enumerate(mine):
        for other_path, other in (*mine[:index], *theirs):
            if structures.shared(part, other):
                raise _WrongError("shared memory", "of a partial", f"{path} shares memory with {other_path}")


def _single(program: Program) -> bool:
    return any(structures.is_single(leaf) for _, leaf in structures.leaves(program.arguments)) or bool(
        _SINGLE.search(program.text)
    )


def _widened(program: Program) -> Program:
    """The program in double precision, for differences."""
    return dataclasses.replace(program, text=_SINGLE.sub("float64", program.text))


@contextmanager
def _loaded(program: Program) -> Iterator[Callable[..., Any]]:
    """The function of a program, with its text where Python looks for it."""
    filename = f"<hunted {next(_numbers)}>"
    lines = program.text.splitlines(keepends=True)
    linecache.cache[filename] = (len(program.text), None, lines, filename)
    module = types.ModuleType("hunted")
    try:
        exec(compile(program.text, filename, "exec", dont_inherit=True), module.__dict__)
        yield module.__dict__["f"]
    finally:
        linecache.cache.pop(filename, None)


@contextmanager
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings(), np.errstate(all="ignore"), redirect_stdout(StringIO()):
        warnings.simplefilter("ignore")
        yield


@contextmanager
def _alarm(seconds: int) -> Iterator[None]:
    """Stop what runs for too long, in time of this process. Away from the main thread no alarm rings: it runs on."""

    def ring(number: int, frame: Any) -> None:
        raise _TimeoutError

    try:
        before = signal.signal(signal.SIGPROF, ring)
    except ValueError:
        yield
        return
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
