"""Whether modules that were written still say what would be written now.

A module tells in its header which functions it was made of and what was asked for, and has the arguments. So the same
can be written once more and compared: first the texts, then the numbers at these arguments.
"""

from __future__ import annotations

import difflib
import importlib
import json
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from adcompile.calls.arguments.signature import parameters
from adcompile.errors import ADError
from adcompile.pipeline import Order
from adcompile.texts.standalone import Part, emitted

if TYPE_CHECKING:
    from pathlib import Path

_HEADER: Final = "# adcompile: "
_ARGUMENTS: Final = re.compile(r"^def arguments_of_\w+\(\):\n(?:(?:    .*)?\n)*", re.MULTILINE)


@dataclass(frozen=True)
class Found:
    """What is wrong with a module: a sentence, and the differences between what it says and what it would say now."""

    path: Path
    reason: str
    difference: str = ""


def written(places: Iterable[Path]) -> Iterator[Path]:
    """The modules among files and folders that adcompile has written."""
    for place in places:
        for path in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines()[:50]
            if any(line.startswith(_HEADER) for line in lines):
                yield path


def check(path: Path) -> Found | None:
    """What is wrong with a module; None where it is what would be written now."""
    text = path.read_text(encoding="utf-8")
    try:
        told = [json.loads(line.removeprefix(_HEADER)) for line in text.splitlines() if line.startswith(_HEADER)]
        old = _run(text, path)
        parts = [_part(old, one["arguments"], one["of"]) for one in told]
        new = emitted(parts, told[0]["constants"], path.stem)
    except ADError as error:
        return Found(path, f"it cannot be written any more: {error}")
    except json.JSONDecodeError as error:
        return Found(path, f"its header is damaged: {error}")
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the user's modules and the old text may raise anything
        return Found(path, f"{type(error).__name__}: {error}")
    before, after = (_ARGUMENTS.sub("", each) for each in (text, new.text))
    if before != after:
        numbers = [_numbers(old, _run(new.text, path), one["function"], one["arguments"]) for one in told]
        return Found(path, "; ".join(numbers), _difference(before, after))
    stub = path.with_suffix(".pyi")
    if not stub.exists():
        return Found(stub, "the stub is not there")
    types = stub.read_text(encoding="utf-8", errors="replace")
    return None if types == new.stub else Found(stub, "the stub says something else", _difference(types, new.stub))


def _difference(before: str, after: str) -> str:
    texts = before.splitlines(), after.splitlines()
    return "\n".join(difflib.unified_diff(*texts, "as it is", "as it would be", lineterm="", n=1))


def _part(old: ModuleType, arguments: str, of: dict[str, Any]) -> Part:
    bare, tangents = bool(of.pop("bare", False)), int(of.pop("tangents", 0))
    order = _order(of)
    given: tuple[Any, ...] = getattr(old, arguments)()  # those from outside stand behind them
    count, first = len(parameters(order.fn)), int(order.seed)
    lead = given[:first] or given[count : count + tangents]
    return Part(order, given[first : first + count], bare, lead)


def _order(of: dict[str, Any]) -> Order:
    """What was asked for."""
    asked: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in of.items()}
    home, _, name = asked.pop("name").partition(":")
    found: Any = importlib.import_module(home)
    for part in name.split("."):
        if part == "<locals>":
            raise LookupError(f"{of['name']} is a function of a function: no import leads there")
        found = getattr(found, part)
    while not isinstance(found, FunctionType):
        found = found.primal
    return Order(fn=found, **asked)


def _run(text: str, path: Path) -> ModuleType:
    """A module from its text, which is not imported under its name."""
    module = ModuleType(path.stem)
    module.__file__ = str(path)
    before = sys.modules.get(path.stem)
    sys.modules[path.stem] = module
    try:
        exec(compile(text, str(path), "exec"), vars(module))  # noqa: S102 - as an import would
    finally:
        if before is None:
            del sys.modules[path.stem]
        else:
            sys.modules[path.stem] = before
    return module


def _numbers(old: ModuleType, new: ModuleType, name: str, arguments: str) -> str:
    """How far the numbers of two texts of a function are apart, at the arguments of the old one."""
    given = getattr(old, arguments)
    try:
        one, other = (getattr(module, name)(*given()) for module in (old, new))
    except Exception as error:  # noqa: BLE001 - as above
        return f"{name} cannot be called any more: {type(error).__name__}: {error}"
    pairs = list(_pairs(one, other))
    apart = max((float(np.max(np.abs(a - b), initial=0.0)) for a, b in pairs), default=0.0)
    return f"{name} gives the same numbers" if apart == 0.0 else f"{name} gives other numbers, up to {apart:.3g} apart"


def _pairs(one: Any, other: Any) -> Iterator[tuple[Any, Any]]:
    """The numbers of two results, in pairs; what is nested otherwise is infinitely far apart."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        for key in one:
            yield from _pairs(one[key], other[key])
    elif isinstance(one, list | tuple) and isinstance(other, list | tuple) and len(one) == len(other):
        for a, b in zip(one, other, strict=True):
            yield from _pairs(a, b)
    elif hasattr(one, "__dict__") and hasattr(other, "__dict__"):
        yield from _pairs(vars(one), vars(other))
    elif np.shape(one) == np.shape(other):
        yield np.asarray(one), np.asarray(other)
    else:
        yield np.inf, 0.0
