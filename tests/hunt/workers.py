"""Batches spread over processes. A process that has grown large, or has died, is replaced."""

from __future__ import annotations

import gc
import multiprocessing
import re
import resource
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from .check import Checker, Outcome
from .hunting import Batch, Finding, Key, Numbered, Tally, hunt

LARGEST = 1_500_000_000
MEMORY = 4_500_000_000
Progress = Callable[[Tally], None]
Work = Batch | Numbered


@dataclass
class _Worker:
    process: BaseProcess
    pipe: Connection
    batch: Work | None = None


def spread(
    batches: Iterator[Work], checker: Checker, jobs: int, per_kind: int, progress: Progress
) -> Iterator[tuple[Work, Tally | None, list[Finding]]]:
    """Run batches in some processes; yields what came of each, with no tally where the process died over it.

    Of findings of one kind so many are kept, of which no two are the same but for names and numbers.
    """
    kept: Counter[Key] = Counter()
    seen: set[str] = set()

    def is_new(finding: Finding) -> bool:
        key, text = finding.outcome.key, re.sub(r"\d+(\.\d+)?", "0", finding.program.text)
        if kept[key] >= per_kind or text in seen:
            return False
        kept[key] += 1
        seen.add(text)
        return True

    def enough() -> frozenset[Key]:
        return frozenset(key for key, many in kept.items() if many >= per_kind)

    workers = [_start(checker) for _ in range(jobs)]
    try:
        for worker in workers:
            _give(worker, batches, enough())
        while busy := {worker.pipe: worker for worker in workers if worker.batch is not None}:
            for pipe in wait(list(busy)):
                worker = busy[pipe]  # type: ignore[index]
                batch = worker.batch
                assert batch is not None
                try:
                    message = worker.pipe.recv()
                except (EOFError, ConnectionResetError):
                    yield batch, None, []
                    message = None
                if isinstance(message, Tally):
                    progress(message)
                    continue
                large = message is None
                if message is not None:
                    tally, findings, size = message
                    yield batch, tally, list(filter(is_new, findings))
                    large = size > LARGEST
                if large:
                    _stop(worker)
                    worker.process, worker.pipe = (fresh := _start(checker)).process, fresh.pipe
                _give(worker, batches, enough())
    finally:
        for worker in workers:
            _stop(worker)


def _start(checker: Checker) -> _Worker:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_work, args=(theirs, checker), daemon=True)
    process.start()
    theirs.close()
    return _Worker(process, ours)


def _give(worker: _Worker, batches: Iterator[Work], known: frozenset[Key]) -> None:
    worker.batch = next(batches, None)
    if worker.batch is not None:
        worker.pipe.send((worker.batch, known))


def _stop(worker: _Worker) -> None:
    worker.pipe.close()
    worker.process.terminate()
    worker.process.join()


def _work(pipe: Connection, checker: Checker) -> None:
    """What a process does: batch after batch, until there are no more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    least = [limit for limit in (MEMORY, soft, hard) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_AS, (min(least), hard))
    gc.freeze()  # what was imported stays
    gc.set_threshold(20_000, 20, 20)
    while True:
        try:
            batch, known = pipe.recv()
        except (EOFError, KeyboardInterrupt):
            return
        pipe.send((*hunt(batch, checker, known, _Teller(pipe)), _memory()))


class _Teller:
    """Passes on what was counted, twice a second."""

    def __init__(self, pipe: Connection) -> None:
        self.pipe = pipe
        self.tally = Tally()
        self.last = time.monotonic()

    def __call__(self, outcome: Outcome) -> None:
        self.tally.add(outcome)
        if time.monotonic() - self.last > 0.5:
            self.pipe.send(self.tally)
            self.tally, self.last = Tally(), time.monotonic()


def _memory() -> int:
    """How much memory this process has now, in bytes; the most it ever had where the system does not say."""
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text().split()[1]) * resource.getpagesize()
    used: Any = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(used) * 1024
