"""`docs/coverage.md`: which functions have rows, by which arguments, and what is said of the others."""

from __future__ import annotations

from collections import defaultdict

from adcompile.rules.forms import TABLE, Draft, Refuse

_TITLE = """# Which functions have a derivative

Written from the rule tables. *By* names the arguments, as the table calls them, by which a function is differentiated,
in reverse and in forward mode. An argument that is not named is held fixed: it is a count, an axis or an option. What
has no row here and is given something that varies is refused, with the text of a `custom_rule` to write.

| Function | By | Notes |
|---|---|---|
"""


def table() -> str:
    """The page."""
    by, notes = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
    for draft in TABLE:
        if draft.family != "function" or "." not in draft.name:
            continue
        for name, text in _texts(draft).items():
            known, kept = (notes, str(text.reason)) if isinstance(text, Refuse) else (by, f"`{name}`")
            note = kept if known is by or name == "xs" else f"not by `{name}`: {kept}"
            if note not in known[draft.name]:
                known[draft.name].append(note)
    names = sorted({*by, *notes}, key=lambda name: (name.partition(".")[0], name))
    return _TITLE + "".join(f"| `{n}` | {', '.join(by[n]) or '-'} | {'; '.join(notes[n])} |\n" for n in names)


def _texts(draft: Draft) -> dict[str, object]:
    return dict(draft.row().texts) if draft.form != "constant" else dict(draft.texts)
