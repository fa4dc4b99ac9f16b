"""The rules of what a text that is being recorded calls."""

from __future__ import annotations

from adcompile.rules.forms import Form, make_row
from adcompile.rules.registry import add_function_row
from adcompile.runtime.recording import marked, noted, partial_noted

_FORMS: tuple[Form, ...] = ("linear", "elementwise")  # the latter is tried first; it is for what is real alone
for _form in _FORMS:
    add_function_row(
        noted,
        make_row(
            _form,
            "noted(x, site)",
            {"x": "partial_noted(g, site)"},
            view="x",
            objects={"partial_noted": partial_noted},
            where=__file__,
        ),
    )
add_function_row(marked, make_row("constant", "marked(*xs)", {}, view="", where=__file__))
