"""The function behind a call: the user's own parameters, a look-up by the classes of the arguments, and the call.

Its text is written here, since a general `*args, **kwargs` would cost more than the gradient of a small function.
"""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from adcompile.errors import ArgumentError
from adcompile.signature import key_of, test_of


def _show_user_lines(error: BaseException) -> None:
    from adcompile.load import show_user_lines  # noqa: PLC0415 - only on the way to an error

    show_user_lines(error)


def _guarded(lines: list[str]) -> list[str]:
    """Lines, and what shows the user's own lines where they raise."""
    return ["    try:", *lines, "    except Exception as _error:", "        _show(_error)", "        raise"]


class Dispatching:
    """Calls, for a function made from another: what `differentiated.Differentiated` adds it to."""

    _lead: tuple[str, ...] = ()  # extra arguments in front: the seed, the tangents
    _finish: Callable[..., Any] | None = None  # what is left to do around the generated function

    if TYPE_CHECKING:
        _fn: Any
        _bound: tuple[Any, ...]
        _table: dict[Any, tuple[Any, ...]]
        _watched: dict[Any, Any]
        _call: str  # how the function itself takes its arguments
        _listed: list[str]  # the names of what is passed on
        _first: str  # a test that tells calls like the first one
        _known: dict[str, Any]  # what that test refers to, and the entry for such calls

        def _lookup(self, arguments: tuple[Any, ...]) -> Any:
            """The entry for arguments."""

        def _stale(self) -> None:
            """Forget what was compiled."""

    def _install(self) -> None:
        """(Re)make the function behind `__call__`: the user's own signature, one look-up, one call."""
        dispatch = self._dispatch()
        cls: Any = type(self)
        if not cls.__dict__.get("_adcompile_base"):
            # A class of its own lets Python call the dispatcher without binding `self` to it first.
            self.__class__ = type(
                cls.__name__,
                (cls,),
                {
                    "_adcompile_base": True,
                    "__module__": cls.__module__,
                    "__call__": staticmethod(dispatch),
                    "__doc__": cls.__doc__,
                },
            )
        else:
            cls.__call__ = staticmethod(dispatch)
        self.__signature__ = inspect.signature(dispatch)

    def _dispatch(self) -> Callable[..., Any]:
        """Write the function that a call goes through: the user's parameters, a look-up by their classes, the call.

        Its text is made, like a named tuple's, because a general `*args, **kwargs` would cost more than the gradient.
        """
        scope: dict[str, Any] = {
            "_table": self._table.get,
            "_lookup": self._lookup,
            "_stale": self._stale,
            "_finish": self._finish,
            "_show": _show_user_lines,
            "_primal": self._fn,
        }
        inputs = inspect.signature(self._fn, follow_wrapped=False).parameters
        taken = {*scope, "_entry", "_error", "_value", "_partials", "_rebound"} & set(inputs)
        if taken:
            message = f"the input name {min(taken)!r} is taken by adcompile"
            raise ArgumentError(message, source=None, span=None, reason="", remedy="Rename it.")
        parts, names = self._parameters(scope)
        self._listed = names
        guards = self._guards(scope)
        called = self._fn.__name__ if self._fn.__name__.isidentifier() else "function"
        lines = [f"def {called}({''.join(parts).rstrip(', ')}):"]
        if guards:
            # A name that was deleted meanwhile is found missing by the generated code itself, as by the user's.
            lines += [
                "    try:",
                f"        _rebound = {' or '.join(guards)}",
                "    except (KeyError, AttributeError, ValueError):",
                "        _rebound = True",
                "    if _rebound:",
                "        _stale()",
            ]
        listed = ", ".join(names)
        how = {"VAR_POSITIONAL": "*{1}", "VAR_KEYWORD": "**{1}", "KEYWORD_ONLY": "{0}={1}"}
        self._call = ", ".join(
            how.get(p.kind.name, "{1}").format(name, given)
            for (name, p), given in zip(inputs.items(), names, strict=True)
        )
        classes = "".join(f"{name}.__class__, " for name in names)
        tuple_text = f"({listed}{',' if len(names) == 1 else ''})"
        lines += [
            *self._quick("elif" if guards else "if", listed, scope),
            f"    _entry = _table(({classes})) or _lookup({tuple_text})",
            *_guarded(self._body(listed)),
        ]
        exec("\n".join(lines), scope)  # noqa: S102 - text made above from identifiers alone
        made: types.FunctionType = scope[called]
        made.__module__ = self._fn.__module__
        return made

    def _quick(self, test: str, listed: str, scope: dict[str, Any]) -> list[str]:
        """The way of a call like the first one: a test of each argument instead of a look-up by all of them.

        The way ends in a `return`, and holds what was compiled first: it is not for a call that finds that outdated.
        """
        if not self._first:
            return []
        scope.update(self._known)
        body = _guarded(self._body_for(listed, self._known["_first"]))
        own = [re.sub(r"\b_entry\b", "_first", re.sub(r"\b_entry\[(\d)\]", r"_first_\1", line)) for line in body]
        return [f"    {test} {self._first}:", *(f"    {line}" for line in own)]

    def _recognize(self, arguments: tuple[Any, ...], entry: tuple[Any, ...]) -> None:
        """Give calls with arguments of these kinds a way of their own, if a quick test tells them."""
        known: dict[str, Any] = {"_first": entry, **{f"_first_{k}": item for k, item in enumerate(entry)}}
        tests = [test_of(name, value, known) for name, value in zip(self._listed, arguments, strict=True)]
        if tests and None not in tests and not set(known) & set(self._listed):
            self._first, self._known = " and ".join(map(str, tests)), known
            self._install()

    def _body(self, listed: str) -> list[str]:
        """The lines that call the generated function with the names listed and give back what the user asked for."""
        raise NotImplementedError

    def _body_for(self, listed: str, entry: Any) -> list[str]:
        """The same lines, where the entry is known beforehand."""
        del entry  # most need not know it
        return self._body(listed)

    def _parameters(self, scope: dict[str, Any]) -> tuple[list[str], list[str]]:
        """The text of the parameters, in parts, and the names to pass on; defaults and bound values go to `scope`."""
        signature = inspect.signature(self._fn, follow_wrapped=False)
        parts: list[str] = [f"{lead}, " for lead in self._lead]
        if parts:
            parts.append("/, ")
        names: list[str] = []
        head = list(self._bound)
        star = False
        last_positional_only = [n for n, p in signature.parameters.items() if p.kind is p.POSITIONAL_ONLY][-1:]
        for name, p in signature.parameters.items():
            names.append(name)
            if head:
                scope[f"_bound_{name}"] = head.pop(0)
                names[-1] = f"_bound_{name}"
                continue
            default = ""
            if p.default is not p.empty:
                scope[f"_default_{name}"] = p.default
                default = f"=_default_{name}"
            if p.kind is p.VAR_POSITIONAL:
                parts.append(f"*{name}, ")
                star = True
            elif p.kind is p.VAR_KEYWORD:
                parts.append(f"**{name}, ")
            else:
                if p.kind is p.KEYWORD_ONLY and not star:
                    parts.append("*, ")
                    star = True
                parts.append(f"{name}{default}, ")
            if [name] == last_positional_only and "/, " not in parts:
                parts.append("/, ")
        if last_positional_only and self._lead and "/, " in parts:
            parts.remove("/, ")
            position = next(k for k, part in enumerate(parts) if part.startswith(last_positional_only[0]))
            parts.insert(position + 1, "/, ")
        return parts, names

    def _guards(self, scope: dict[str, Any]) -> list[str]:
        """Conditions under which something outside is no longer what the text was made from."""
        guards: list[str] = []
        scope["_key"] = key_of
        for k, watch in enumerate(self._watched.values()):
            scope[f"_in{k}"], scope[f"_then{k}"], scope[f"_like{k}"] = watch.holder, watch.value, watch.contents
            now = (
                f"_in{k}[{watch.name!r}]"
                if isinstance(watch.holder, dict)
                else (f"_in{k}.cell_contents" if isinstance(watch.holder, types.CellType) else f"_in{k}.{watch.name}")
            )
            guards.append(f"{now} is not _then{k}")
            if watch.contents is not None:
                guards.append(f"_key(_then{k}) != _like{k}")
        return guards
