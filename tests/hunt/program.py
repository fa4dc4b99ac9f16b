"""What a written program is made of: kinds of values, statements, and the program with its arguments.

A kind says all that the writer has to know of a value to write code that runs: the shape of an array, the items of a
tuple. What changes as the program runs, the length of a list and the keys of a dict, stands in a `Cell` of the scope,
which all names of the same list share.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Real:
    """A number that varies."""


@dataclass(frozen=True)
class Count:
    """A whole number from 0 to `most`."""

    most: int


@dataclass(frozen=True)
class Arr:
    """A floating array of a known shape."""

    shape: Shape


@dataclass(frozen=True)
class ListOf:
    """A list. How long it is stands in the scope's cell of this number."""

    item: Kind
    cell: int


@dataclass(frozen=True)
class Tup:
    """A tuple."""

    items: tuple[Kind, ...]


@dataclass(frozen=True)
class Dct:
    """A dict with text keys. Which keys it has stands in the scope's cell of this number."""

    cell: int


@dataclass(frozen=True)
class Obj:
    """An instance of a class of the program."""

    cls: str
    fields: tuple[tuple[str, Kind], ...]


@dataclass(frozen=True)
class Fun:
    """A function that the program can call."""

    params: tuple[Kind, ...]
    result: Kind


Kind = Real | Count | Arr | ListOf | Tup | Dct | Obj | Fun
Param = tuple[str, Kind]


@dataclass(frozen=True)
class Cell:
    """What is known of a list or a dict: at least so many items, exactly so many (or not known), these keys."""

    least: int = 0
    exact: int | None = None
    keys: tuple[tuple[str, Kind], ...] = ()
    locked: bool = False  # must keep its length: a loop runs over it, or a function that was written reads it
    loops: int = 0  # how many loops stood around it where it was made


@dataclass(frozen=True)
class Block:
    """A compound statement: its head without the colon, and its body."""

    head: str
    body: tuple[Node, ...]


Node = str | Block


def lines(nodes: tuple[Node, ...] | list[Node], indent: int = 0) -> Iterator[str]:
    """The text of statements, line by line.

    >>> list(lines(["x = 1.0", Block("for _ in range(2)", ("x += x",))]))
    ['x = 1.0', 'for _ in range(2):', '    x += x']
    """
    for node in nodes:
        if isinstance(node, Block):
            yield "    " * indent + f"{node.head}:"
            yield from lines(node.body or ("pass",), indent + 1)
        else:
            yield "    " * indent + node


@dataclass(frozen=True)
class Program:
    """A module text with the function `f`, arguments to call it with, and the constructs that stand in it.

    `others` are arguments to call it with after that, as a rule of other shapes.
    """

    text: str
    arguments: dict[str, Any]
    constructs: frozenset[str] = field(default_factory=frozenset)
    others: tuple[dict[str, Any], ...] = ()

    def fresh(self) -> dict[str, Any]:
        """The arguments, copied: the function may write into them."""
        return copy.deepcopy(self.arguments)

    def calls(self) -> Iterator[Program]:
        """The program with each of its arguments alone."""
        for arguments in (self.arguments, *self.others):
            yield replace(self, arguments=arguments, others=())

    def __str__(self) -> str:
        """The text, and the arguments as Python."""
        listed = [
            "\n".join(f"#   {name} = {as_text(value)}" for name, value in call.arguments.items())
            for call in self.calls()
        ]
        return f"{self.text}\n# called with\n" + "\n# then with\n".join(listed) + "\n"


def as_text(value: Any) -> str:
    """An argument as Python source text.

    >>> as_text([np.array([1.0, 2.0]), 3])
    '[np.array([1.0, 2.0]), 3]'
    """
    if isinstance(value, np.ndarray):
        dtype = "" if value.dtype == np.float64 else f", dtype=np.{value.dtype}"
        return f"np.array({value.tolist()}{dtype})" if value.size else f"np.zeros({value.shape}{dtype})"
    if isinstance(value, list):
        return f"[{', '.join(map(as_text, value))}]"
    return repr(value)
