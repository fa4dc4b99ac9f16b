"""One batch of programs: drawn by Hypothesis from one seed, checked, counted; what is new and wrong is made smaller."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import time
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import Flaky

from .check import Checker, Outcome
from .program import Program
from .reduce import reduced
from .trying import programs as tried_programs

Key = tuple[str, str]


@dataclass
class Tally:
    """How many programs came to what."""

    verdicts: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    forward_refusals: Counter[str] = field(default_factory=Counter)
    wrong: Counter[Key] = field(default_factory=Counter)
    partly: int = 0

    @property
    def total(self) -> int:
        """How many there were."""
        return sum(self.verdicts.values())

    def add(self, outcome: Outcome) -> None:
        """Count one more."""
        self.verdicts[outcome.verdict] += 1
        if outcome.verdict == "refused":
            self.refusals[outcome.title] += 1
        if outcome.forward_refused:
            self.forward_refusals[outcome.forward_refused] += 1
        if outcome.verdict == "WRONG":
            self.wrong[outcome.key] += 1
        self.partly += outcome.partly

    def merge(self, other: Tally) -> None:
        """Count what another one has counted too."""
        for name in ("verdicts", "refusals", "forward_refusals", "wrong"):
            getattr(self, name).update(getattr(other, name))
        self.partly += other.partly


@dataclass(frozen=True)
class Finding:
    """A program for which the answer is wrong, as it was drawn and made smaller."""

    drawn: Program
    program: Program
    outcome: Outcome
    seed: int


@dataclass(frozen=True)
class Batch:
    """Which programs to draw, and how long to make a wrong one smaller."""

    seed: int
    programs: int
    features: tuple[str, ...]
    statements: int
    shrink_seconds: float = 60.0

    @property
    def strategy(self) -> st.SearchStrategy[Program]:
        """The programs."""
        from .writer import programs  # noqa: PLC0415 - so that what reads batches does not load all that is written

        return programs(self.features, self.statements)

    def run(self, body: Callable[[Program], None], *phases: Phase) -> None:
        """Call something with each program."""
        options = settings(
            max_examples=self.programs,
            database=None,
            deadline=None,
            phases=phases,
            suppress_health_check=list(HealthCheck),
            report_multiple_bugs=False,
            print_blob=False,
        )

        @seed(self.seed)
        @options
        @given(self.strategy)
        def each(program: Program) -> None:
            body(program)

        each()


@dataclass(frozen=True)
class Numbered:
    """Programs that are written by trying (`trying.py`): so many from a number on, of some kinds."""

    seed: int
    first: int
    programs: int
    kinds: tuple[str, ...]
    shrink_seconds: float = 60.0
    shapes: int = 4  # at which each is run

    def run(self, body: Callable[[Program], None], *phases: Phase) -> None:
        """Call something with each program."""
        for program in tried_programs(self.seed, self.first, self.programs, self.kinds):
            body(dataclasses.replace(program, others=program.others[: self.shapes - 1]))


class _StillWrongError(Exception):
    """The program is still wrong in the same way."""


class _LongEnough(KeyboardInterrupt):
    """The time for making a program smaller is over. Hypothesis goes on after any exception but an interrupt."""


def derived(number: int, index: int) -> int:
    """The seed of a batch."""
    return int.from_bytes(hashlib.sha256(f"{number}/{index}".encode()).digest()[:6], "big")


def drawn(batch: Batch) -> list[Program]:
    """The programs of a batch."""
    found: list[Program] = []
    batch.run(found.append, Phase.generate)
    return found


def hunt(
    batch: Batch | Numbered,
    checker: Checker,
    known: Collection[Key] = (),
    tell: Callable[[Outcome], None] | None = None,
) -> tuple[Tally, list[Finding]]:
    """Check each program of a batch. What is wrong in a way that is not known yet comes back made smaller."""
    tally = Tally()
    new: dict[Key, tuple[Program, Outcome]] = {}

    def body(program: Program) -> None:
        outcome = checker.check(program)
        tally.add(outcome)
        if tell is not None:
            tell(outcome)
        if outcome.verdict == "WRONG" and outcome.key not in known:
            had = new.get(outcome.key)
            if had is None or len(program.text) < len(had[0].text):
                new[outcome.key] = (program, outcome)

    batch.run(body, Phase.generate)
    return tally, [_smaller(batch, checker, program, outcome) for program, outcome in new.values()]


def _smaller(batch: Batch | Numbered, checker: Checker, program: Program, outcome: Outcome) -> Finding:
    """A finding, shrunk by Hypothesis, then by its text."""
    quick = checker if outcome.kind == "timeout" else dataclasses.replace(checker, seconds=3)
    best = _shrunk(batch, quick, program, outcome) if isinstance(batch, Batch) else program

    def same(other: Program) -> bool:
        try:
            return quick.check(other).key == outcome.key
        except Exception:  # noqa: BLE001 - without that line it is no program, or its value no number: no candidate
            return False

    best = next(filter(same, best.calls()), best) if best.others else best
    best = reduced(best, same, batch.shrink_seconds / 2)
    final = checker.check(best)
    return Finding(program, best, final if final.key == outcome.key else outcome, batch.seed)


def _shrunk(batch: Batch, checker: Checker, program: Program, outcome: Outcome) -> Program:
    """The smallest program that Hypothesis comes to. It draws the batch anew up to the program, then shrinks that."""
    best = program
    until: float | None = None
    wanted = str(program)

    def still_wrong(other: Program) -> bool:
        nonlocal until
        if until is None:
            if str(other) == wanted:
                until = time.process_time() + batch.shrink_seconds / 2
            return until is not None
        if time.process_time() > until:
            raise _LongEnough
        return str(other) == wanted or checker.check(other).key == outcome.key

    def body(other: Program) -> None:
        nonlocal best
        if still_wrong(other):
            best = min(best, other, key=lambda program: len(program.text))
            raise _StillWrongError  # from one place: Hypothesis tells failures apart by where they come from

    with contextlib.suppress(_StillWrongError, _LongEnough, Flaky):
        batch.run(body, Phase.generate, Phase.shrink)
    return best
