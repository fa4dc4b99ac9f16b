"""Random loop nests that read and write one array, and what happens in them when they run.

A nest is the text of a function. `overwritten` runs it on an array that takes note of every access, and tells which of
its lines read (or set) an element that was written to later.
"""

from __future__ import annotations

import contextlib
import linecache
import random
import sys
import types
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Place = Any  # what an array is indexed with
Pair = tuple[int, int]  # a line, and that of a loop around it


class Recorded:
    """An array without contents: which line touched which element, in order."""

    def __init__(self, *shape: int) -> None:
        self.cells = np.arange(int(np.prod(shape))).reshape(shape)
        self.shape = shape
        self.accesses: list[tuple[int, list[int], bool]] = []  # line, elements, whether they were written

    def __len__(self) -> int:
        return len(self.cells)

    def touch(self, index: Place, *, written: bool) -> None:
        """Note an access of the line that runs."""
        line = sys._getframe(2).f_lineno
        self.accesses.append((line, np.atleast_1d(self.cells[index]).ravel().tolist(), written))

    def __getitem__(self, index: Place) -> float:
        self.touch(index, written=False)
        return 0.0

    def __setitem__(self, index: Place, value: float) -> None:
        del value
        self.touch(index, written=True)

    def overwritten(self) -> set[int]:
        """The lines that accessed an element that was written to later."""
        later: set[int] = set()
        found: set[int] = set()
        update = 0  # the line of an update whose write was met: what it read is not asked for
        for line, elements, written in reversed(self.accesses):
            if not later.isdisjoint(elements) and (written or line != update):
                found.add(line)
            update = line if written else 0
            if written:
                later.update(elements)
        return found


class Entered(Recorded):
    """An array that knows, for each line of a loop, which elements were written to since the loop was entered.

    `lines` are the lines of the text by those of what runs, in which a call of `enter` stands before each loop.
    """

    def __init__(self, lines: dict[int, int], around: dict[int, list[int]], *shape: int) -> None:
        super().__init__(*shape)
        self.lines = lines
        self.around = around
        self.written: dict[int, set[int]] = {}
        self.read: set[tuple[int, int]] = set()
        self.changed: set[tuple[int, int]] = set()

    def enter(self, loop: int) -> None:
        """Take note that a loop begins."""
        self.written[loop] = set()

    def touch(self, index: Place, *, written: bool) -> None:
        """Note an access of the line that runs, and of which loops it is one."""
        line = self.lines[sys._getframe(2).f_lineno]
        elements = np.atleast_1d(self.cells[index]).ravel().tolist()
        if written:
            for changed in self.written.values():
                changed.update(elements)
            return
        for loop in self.around[line]:
            self.read.add((line, loop))
            if not self.written[loop].isdisjoint(elements):
                self.changed.add((line, loop))


@dataclass
class Nest:
    """Writes a random function of an array `a` and two numbers `n` and `m`."""

    chance: random.Random
    axes: int = 1
    lines: list[str] = field(default_factory=list)
    counted: int = 0

    def text(self) -> str:
        """The function."""
        self.add(0, "def f(a, n, m):")
        if self.chance.random() < 0.5:
            self.add(1, "n = len(a)")
        if self.axes == 2 and self.chance.random() < 0.5:
            self.add(1, "m = a.shape[1]")
        self.block(1, ["n", "m"], self.chance.choice((1, 2, 2)))
        if "a[" not in self.lines[-1]:
            self.access(1, ["n", "m"])
        return "\n".join(self.lines) + "\n"

    def add(self, depth: int, line: str) -> None:
        """One line."""
        self.lines.append("    " * depth + line)

    def block(self, depth: int, names: list[str], count: int) -> None:
        """Some statements that may read these whole numbers."""
        for _ in range(count):
            choice = self.chance.random()
            if depth < 5 and choice < 0.45:
                self.loop(depth, names)
            elif depth < 6 and choice < 0.6:
                self.add(depth, f"if {self.test(names)}:")
                self.access(depth + 1, names)
                if self.chance.random() < 0.5:
                    self.add(depth, "else:")
                    self.access(depth + 1, names)
            elif choice < 0.7:
                name = self.new("p")
                self.add(depth, f"{name} = {self.whole(names)}")
                names = [*names, name]
                self.access(depth, names)
            else:
                self.access(depth, names)

    def loop(self, depth: int, names: list[str]) -> None:
        """A loop with a random range."""
        name = self.new("i")
        bounds = [self.whole(names) for _ in range(self.chance.choice((1, 1, 2, 2, 3)))]
        if len(bounds) == 3:
            bounds[2] = self.chance.choice(("-1", "2", "-2", "3"))
        iterable = f"range({', '.join(bounds)})"
        if self.chance.random() < 0.15:
            iterable = f"reversed({iterable})"
        if self.chance.random() < 0.05:
            self.add(depth, f"for {name}, _ in enumerate(a):" if self.axes == 1 else f"for {name} in {iterable}:")
        else:
            self.add(depth, f"for {name} in {iterable}:")
        inside = [*names, name, name]
        self.block(depth + 1, inside, self.chance.choice((1, 2, 2, 3)))
        self.access(depth + 1, inside)
        if self.chance.random() < 0.08:
            self.add(depth + 1, f"if {self.test(inside)}:")
            self.add(depth + 2, "break")

    def new(self, letter: str) -> str:
        """A name of its own."""
        self.counted += 1
        return f"{letter}{self.counted}"

    def whole(self, names: list[str]) -> str:
        """A whole number, mostly a name and a constant."""
        choice, name = self.chance.random(), self.chance.choice(names)
        constant = self.chance.choice((0, 0, 0, 1, 1, 2))
        if choice < 0.1:
            return str(self.chance.choice((0, 1, 2, -1, -2)))
        if choice < 0.3:
            return f"{name} {self.chance.choice('+-')} {self.chance.choice(names)} - {constant}"
        if choice < 0.36:
            return f"2 * {name} + {constant}"
        if choice < 0.4:
            return f"{name} * {self.chance.choice(names)}"
        return f"{name} {self.chance.choice('+-')} {constant}" if constant else name

    def test(self, names: list[str]) -> str:
        """A comparison."""
        return f"{self.whole(names)} {self.chance.choice(('<', '<=', '>', '>=', '==', '!='))} {self.whole(names)}"

    def place(self, names: list[str]) -> str:
        """An index."""
        parts = []
        for _ in range(self.axes if self.chance.random() < 0.9 else 1):
            if self.chance.random() < 0.12:
                ends = [self.chance.choice(("", self.whole(names))) for _ in range(2)]
                parts.append(":".join(ends) + self.chance.choice(("", "", "", ":2", ":-1")))
            else:
                parts.append(self.whole(names))
        return ", ".join(parts)

    def access(self, depth: int, names: list[str]) -> None:
        """A line that reads or writes the array."""
        place = self.place(names)
        choice = self.chance.random()
        if choice < 0.55:
            self.add(depth, f"x = a[{place}]")
        elif choice < 0.9:
            self.add(depth, f"a[{place}] = 1.0")
        else:
            self.add(depth, f"a[{place}] += 1.0")


def function_of(text: str, number: int) -> types.FunctionType:
    """The function of a text."""
    name = f"<nest {number}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    namespace: dict[str, Any] = {}
    exec(compile(text, name, "exec"), namespace)
    made = namespace["f"]
    if not isinstance(made, types.FunctionType):
        raise TypeError
    return made


def runs(axes: int, chance: random.Random) -> Iterator[tuple[Recorded, int, int]]:
    """Arrays and numbers to run a nest with: any length of the array, more or fewer steps than fit."""
    for _ in range(12):
        shape = [chance.randint(2, 6) for _ in range(axes)]
        fitting = chance.random() < 0.7
        n = shape[0] if fitting else chance.randint(-1, 7)
        m = shape[-1] - chance.randint(0, 1) if fitting else chance.randint(-1, 7)
        yield Recorded(*shape), n, m


def overwritten(f: types.FunctionType, axes: int, chance: random.Random) -> tuple[set[int], set[int]]:
    """The lines that accessed the array in some run, and those of them whose element was written to later."""
    accessed: set[int] = set()
    found: set[int] = set()
    for array, n, m in runs(axes, chance):
        with contextlib.suppress(IndexError):  # what was done before that counts all the same
            f(array, n, m)
        accessed |= {line for line, _, _ in array.accesses}
        found |= array.overwritten()
    return accessed, found


def changed_within(text: str, number: int, axes: int, chance: random.Random) -> tuple[set[Pair], set[Pair]]:
    """Lines that read the array, with a loop around; and those whose element the loop had written to by then."""
    lines: dict[int, int] = {}
    around: dict[int, list[int]] = {}
    new: list[str] = []
    loops: list[tuple[int, int]] = []  # how far in, and which line
    for k, line in enumerate(text.splitlines(), 1):
        depth = len(line) - len(line.lstrip())
        loops = [loop for loop in loops if loop[0] < depth]
        around[k] = [loop for _, loop in loops]
        if line.lstrip().startswith("for "):
            new.append(f"{line[:depth]}a.enter({k})")
            loops.append((depth, k))
        new.append(line)
        lines[len(new)] = k
    f = function_of("\n".join(new) + "\n", -1 - number)
    read: set[Pair] = set()
    changed: set[Pair] = set()
    for array, n, m in runs(axes, chance):
        entered = Entered(lines, around, *array.shape)
        with contextlib.suppress(IndexError):
            f(entered, n, m)
        read |= entered.read
        changed |= entered.changed
    return read, changed
