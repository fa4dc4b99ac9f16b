"""The record of partials: a tuple whose items have names."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

_Getter: Final[Any] = type(vars(namedtuple("One", "first"))["first"])  # noqa: PYI024 - for its getter alone
"""What reads an item of a tuple by name without a Python call, as the fields of named tuples do: `_Getter(k, doc)`."""

_LONGEST = 400  # characters of a partial in a notebook


class Partials(tuple[Any, ...]):
    """Partials by name, by string key, or by position.

    >>> p = make_record(("x", "w"))((2.0, 3.0))
    >>> p
    Partials(x=2.0, w=3.0)
    >>> p.x, p["w"], p[0], list(p), p._asdict()
    (2.0, 3.0, 2.0, [2.0, 3.0], {'x': 2.0, 'w': 3.0})
    """

    __slots__ = ()
    _fields: tuple[str, ...] = ()

    def __getitem__(self, key: Any) -> Any:
        """Return a partial by name or position."""
        if isinstance(key, str):
            try:
                return tuple.__getitem__(self, self._fields.index(key))
            except ValueError:
                raise KeyError(f"no partial {key!r}; there are {', '.join(self._fields) or 'none'}") from None
        return tuple.__getitem__(self, key)

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The names of the partials."""
        return cls._fields

    @classmethod
    def position(cls, name: str) -> int:
        """Where the partial of this name stands."""
        return cls._fields.index(name)

    def __getattr__(self, name: str) -> Any:
        """Say which partials there are when one is asked for that is not, or that Python keeps for itself."""
        if name in self._fields:
            raise AttributeError(f"the partial {name!r} has a name that Python uses: read it by its key")
        raise AttributeError(f"no partial {name!r}; there are {', '.join(self._fields) or 'none'}")

    def _asdict(self) -> dict[str, Any]:
        """Return the partials as a dict from names to values."""
        return dict(zip(self._fields, self, strict=True))

    def keys(self) -> Iterator[str]:
        """Return the names, so that `dict(partials)` and `**partials` work."""
        return iter(self._fields)

    def __repr__(self) -> str:
        """Show names and values."""
        return f"Partials({', '.join(f'{n}={v!r}' for n, v in zip(self._fields, self, strict=True))})"

    def _repr_html_(self) -> str:
        """What a notebook shows: a small table, in which whatever the user wrote is text."""
        import html  # noqa: PLC0415 - only a notebook shows it

        rows = "".join(
            f"<tr><th style='text-align:left'>{html.escape(str(name))}</th>"
            f"<td style='text-align:left'><pre style='margin:0'>{html.escape(_short(value))}</pre></td></tr>"
            for name, value in zip(self._fields, self, strict=True)
        )
        return f"<table><caption>partials</caption>{rows}</table>"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by names and values: the class itself is made when needed."""
        return _rebuild, (self._fields, tuple(self))


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} ..."


def _rebuild(fields: tuple[str, ...], values: tuple[Any, ...]) -> Partials:
    return make_record(fields)(values)


@lru_cache(maxsize=1024)
def make_record(fields: tuple[str, ...]) -> type[Partials]:
    """The class of records with these fields, in this order.

    What Python itself or a record needs under a name, `_fields` among them, is reached by its key alone.

    >>> make_record(("_fields", "count"))((2.0, 3.0))["_fields"], make_record(("_fields", "count"))((2.0, 3.0)).count
    (2.0, 3.0)
    """
    places: dict[str, Any] = {
        name: _Getter(k, f"The partial with respect to `{name}`.")
        for k, name in enumerate(fields)
        if not (name.startswith("_") and hasattr(Partials, name))
    }
    return type("Partials", (Partials,), {"__slots__": (), "_fields": fields, "__module__": __name__, **places})
