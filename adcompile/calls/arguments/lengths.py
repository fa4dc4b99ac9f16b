"""What a text was written for: facts about the lengths of its arguments, and flags; and the tests whether these hold.

The compiler asks the arguments of the first call (`analyses/typing/questions.py`). A call for which a fact does not
hold gets a text of its own.

>>> import numpy as np
>>> rows, wide = Length(0, (), 0), Length(1, (("item", "w"),), 1, 2)
>>> facts = Facts((Fact(rows, ">=", 3), Fact(wide, "==", 0, rows)))
>>> facts.told(["x", "p"])
'len(x) >= 3 and p["w"].shape[1] == len(x)'
>>> facts.hold((np.ones(4), {"w": np.ones((2, 4))})), facts.hold((np.ones(4), {"w": np.ones((4, 2))}))
(True, False)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

Step = tuple[Literal["item", "attribute"], Any]  # from a container to what is in it


class Length(NamedTuple):
    """One length of an array among the arguments: which argument, the way to the array in it, the axis, the rank."""

    argument: int
    way: tuple[Step, ...]
    axis: int
    rank: int = 1

    def told(self, names: Sequence[str]) -> str:
        """How it is spelled."""
        spelled = names[self.argument]
        for step, at in self.way:
            item = f'"{at}"' if isinstance(at, str) and at.isidentifier() else repr(at)
            spelled += f".{at}" if step == "attribute" else f"[{item}]"
        return f"len({spelled})" if self.rank == 1 and "len" not in names else f"{spelled}.shape[{self.axis}]"


class Fact(NamedTuple):
    """A length has this relation to a number, or to another length and a number more."""

    length: Length
    relation: Literal["==", ">="]
    number: int
    other: Length | None = None

    def told(self, names: Sequence[str]) -> str:
        """How it is spelled."""
        return f"{self.length.told(names)} {self.compared(names)}"

    def compared(self, names: Sequence[str]) -> str:
        """What the length is compared with, and how."""
        if self.other is None:
            return f"{self.relation} {self.number}"
        more = f" {'+' if self.number > 0 else '-'} {abs(self.number)}" if self.number else ""
        return f"{self.relation} {self.other.told(names)}{more}"


class Flag(NamedTuple):
    """An argument that decides what is computed is true, false, or this whole number."""

    argument: int
    value: int

    def told(self, names: Sequence[str]) -> str:
        """How it is spelled."""
        return f"{names[self.argument]} {'is' if isinstance(self.value, bool) else '=='} {self.value}"


@dataclass(frozen=True)
class Facts:
    """All that a text takes for granted."""

    all: tuple[Fact, ...] = ()
    flags: tuple[Flag, ...] = ()

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self.all or self.flags)

    def __and__(self, other: Facts) -> Facts:
        """Both."""
        return Facts(tuple(dict.fromkeys((*self.all, *other.all))), tuple(dict.fromkeys((*self.flags, *other.flags))))

    def moved(self, first: int, to: Sequence[int]) -> Facts:
        """The same, where arguments from number `first` on are shaped like those of the numbers `to`.

        >>> Facts((Fact(Length(2, (), 0), "==", 0, Length(1, (), 0)),)).moved(2, [0]).told(["x", "y"])
        'len(x) == len(y)'
        """

        def length(of: Length) -> Length:
            return of if of.argument < first else of._replace(argument=to[of.argument - first])

        found = (f._replace(length=length(f.length), other=f.other and length(f.other)) for f in self.all)
        flags = (f if f.argument < first else f._replace(argument=to[f.argument - first]) for f in self.flags)
        return Facts(tuple(dict.fromkeys(f for f in found if f.length != f.other)), tuple(dict.fromkeys(flags)))

    def told(self, names: Sequence[str]) -> str:
        """The condition, with these names for the arguments."""
        return " and ".join([*(flag.told(names) for flag in self.flags), *(fact.told(names) for fact in self.all)])

    def hold(self, arguments: tuple[Any, ...]) -> bool:
        """Whether they hold for arguments of the kinds that the text was made for."""
        return self._test(arguments)

    @cached_property
    def _test(self) -> Callable[[tuple[Any, ...]], bool]:
        named = {fact.length.argument for fact in self.all}
        named |= {fact.other.argument for fact in self.all if fact.other is not None}
        named |= {flag.argument for flag in self.flags}
        names = [f"a[{k}]" for k in range(max(named, default=-1) + 1)]
        made: Callable[[tuple[Any, ...]], bool] = eval(  # noqa: S307 - made of identifiers, keys and numbers alone
            f"lambda a: {self.told(names) or True}", {"__builtins__": {"len": len}}
        )
        return made

    def written(self) -> list[Any]:
        """The facts as JSON has them."""
        return [[list(fact) for fact in self.all], [list(flag) for flag in self.flags]]

    @staticmethod
    def read(found: list[Any]) -> Facts:
        """What `written` wrote, read back from JSON.

        >>> import json
        >>> facts = Facts((Fact(Length(0, (("item", "w"),), 1, 2), "==", -1, Length(1, (), 0)),), (Flag(2, True),))
        >>> Facts.read(json.loads(json.dumps(facts.written()))) == facts
        True
        """

        def length(argument: int, way: list[Any], axis: int, rank: int) -> Length:
            return Length(argument, tuple((step, at) for step, at in way), axis, rank)

        return Facts(
            tuple(
                Fact(length(*own), relation, number, None if other is None else length(*other))
                for own, relation, number, other in found[0]
            ),
            tuple(Flag(argument, value) for argument, value in found[1]),
        )
