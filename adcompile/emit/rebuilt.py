"""Objects without a source of their own that one call makes again: partial applications, named tuples, records.

>>> from collections import namedtuple
>>> from functools import partial
>>> rebuilt(partial(max, 0.0, default=1), "floor").text
'floor = functools.partial(max, 0.0, default=1)'
>>> rebuilt(namedtuple("Point", "x y", defaults=(0.0,)), "P").text
'P = collections.namedtuple("Point", ["x", "y"], defaults=[0.0])'
"""

from __future__ import annotations

import collections
import functools
import math
import operator
from typing import Any

import numpy as np

from adcompile.calls.record import Partials
from adcompile.emit.constants import constant_text, modules_needed
from adcompile.emit.verbatim import Verbatim


def rebuilt(value: Any, name: str) -> Verbatim | None:
    """The assignment that makes the object again, or None for an object of another kind."""
    if type(value) is functools.partial:
        return _partial(value, name)
    if isinstance(value, type) and issubclass(value, tuple) and value.__bases__ == (tuple,):
        return _named_tuple(value, name)
    if isinstance(value, type) and issubclass(value, Partials):
        return _record(value, name)
    return None


def _record(value: type[Partials], name: str) -> Verbatim:
    """The class of a record of partials, as far as generated lines use it: they read keys as positions."""
    fields = vars(value)["_fields"]
    named = [(k, field) for k, field in enumerate(fields) if field.isidentifier()]
    getters = "".join(f'        "{field}": property(operator.itemgetter({k})),\n' for k, field in named)
    text = f'{name} = type(\n    "Partials",\n    (tuple,),\n    {{\n{getters}    }},\n)'
    return _made(text, name, {"operator": operator})


def _partial(value: functools.partial[Any], name: str) -> Verbatim | None:
    function = getattr(value.func, "__name__", None)
    given = [*((None, argument) for argument in value.args), *value.keywords.items()]
    texts = [constant_text(argument) for _, argument in given]
    if not isinstance(function, str) or not function.isidentifier() or function == name or None in texts:
        return None
    pieces = [text if key is None else f"{key}={text}" for (key, _), text in zip(given, texts, strict=True)]
    text = f"{name} = functools.partial({', '.join([function, *filter(None, pieces)])})"
    names = {"functools": functools, function: value.func, **_modules([argument for _, argument in given])}
    return _made(text, name, names)


def _named_tuple(value: type, name: str) -> Verbatim | None:
    fields, defaults = getattr(value, "_fields", None), getattr(value, "_field_defaults", {})
    values = constant_text(list(defaults.values()))
    if not isinstance(fields, tuple) or values is None:
        return None
    given = f", defaults={values}" if defaults else ""
    text = f'{name} = collections.namedtuple("{value.__name__}", {constant_text(list(fields))}{given})'
    return _made(text, name, {"collections": collections, **_modules(list(defaults.values()))})


def _modules(values: list[Any]) -> dict[str, Any]:
    needs_numpy, needs_math = modules_needed(values)
    return {**({"np": np} if needs_numpy else {}), **({"math": math} if needs_math else {})}


def _made(text: str, name: str, names: dict[str, Any]) -> Verbatim:
    return Verbatim(text, name, names, at_once=set(names), words={*names, name})
