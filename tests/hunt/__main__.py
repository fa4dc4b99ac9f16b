"""Hunt for wrong gradients in programs written at random.

python -m tests.hunt                                    1000 programs of all features
python -m tests.hunt --programs 100000 --jobs 2         more, in two processes
python -m tests.hunt --features pure                    only what writes nothing in place
python -m tests.hunt --features pure,inplace,aliases    that, and two features more
python -m tests.hunt --without single,classes           all features but some
python -m tests.hunt --save found                       the wrong ones, made smaller, as files of this folder

python -m tests.hunt --tried all --programs 20000 --jobs 2          programs at four shapes each, written by trying
python -m tests.hunt --tried all --programs 20000 --numba-text      by the text that Numba is given, run by Python
python -m tests.hunt --tried all --programs 500 --numba             under Numba itself, at one shape each
python -m tests.hunt --tried all --log progress.txt                 a line of progress every few seconds
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

# So that `python tests/hunt` works as well as `python -m tests.hunt`.
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from tests.hunt.adjoints import FAMILIES
from tests.hunt.check import Checker, Outcome, by_numba, by_text_for_numba
from tests.hunt.hunting import Batch, Finding, Key, Numbered, Tally, derived
from tests.hunt.program import Program
from tests.hunt.workers import Work, spread
from tests.hunt.writer import FEATURES, PURE

BATCH = 200
KINDS = (*("tried",) * 6, *("lengths",) * 2, *FAMILIES)


def main(argv: Sequence[str] | None = None) -> int:
    """Run what the command line asks for; 1 where anything is wrong."""
    options = parse(argv)
    os.environ.setdefault("ADCOMPILE_WATCH", "1")  # in the other processes, too
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # what was found so far is shown then, too
    console = Console() if sys.stdout.isatty() else Console(width=140)
    checker = Checker(
        unsimplified=options.unsimplified,
        arguments="unchanged" if options.arguments == "unchanged" else "as the function leaves them",
    )
    if options.no_forward or options.numba or options.numba_text:
        checker = replace(checker, jvp=None)
    if options.numba or options.numba_text:
        made = by_numba if options.numba else by_text_for_numba
        checker = replace(checker, grad=made, exact=False, seconds=300 if options.numba else checker.seconds)
    console.print(f"Seed {options.seed}, features: {', '.join(options.features)}")
    tally, findings, files, began = Tally(), list[Finding](), defaultdict[Key, list[str]](list), time.monotonic()
    work = batches(options)
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, TimeRemainingColumn(), console=console) as bar:
        task = bar.add_task("", total=options.programs)
        live = Tally()

        def progress(more: Tally) -> None:
            live.merge(more)
            bar.update(task, completed=live.total, description=counts(live))
            if options.log is not None:
                rate = live.total / (time.monotonic() - began)
                with options.log.open("a", encoding="utf-8") as log:
                    log.write(f"{live.total} of {options.programs}, {rate:.1f} a second: {counts(live)}\n")

        try:
            for batch, part, new in spread(work, checker, options.jobs, options.per_kind, progress):
                tally.merge(part or Tally())
                found = [died(batch)] if part is None else new
                if part is None:
                    tally.add(found[0].outcome)
                for finding in found:
                    files[finding.outcome.key] += save(finding, options.save, len(findings))
                    findings.append(finding)
                    console.print(describe(finding), markup=False, highlight=False)
        except KeyboardInterrupt:
            console.print("Interrupted.")
        bar.update(task, completed=tally.total, description=counts(tally))
    console.print(summary(tally))
    for title, reasons in (("Refused", tally.refusals), ("Refused forward only", tally.forward_refusals)):
        if reasons:
            console.print(shares(title, reasons, tally.total))
    if tally.wrong:
        console.print(wrong_ones(tally, files))
    console.print(f"{tally.total / (time.monotonic() - began):.1f} programs a second")
    return 1 if tally.wrong else 0


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser("tests.hunt", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--programs", type=int, default=1000, help="how many to write")
    parser.add_argument("--seed", type=int, default=0, help="the same seed writes the same programs")
    parser.add_argument("--jobs", type=int, default=1, help="how many processes")
    parser.add_argument("--statements", type=int, default=12, help="at most so many statements each")
    parser.add_argument("--save", type=Path, help="a folder for the wrong ones")
    parser.add_argument("--features", default="all", help=f"all, pure, or a list: {', '.join(FEATURES)}")
    parser.add_argument("--without", default="", help="features to leave out")
    parser.add_argument(
        "--tried", default="", help=f"write by trying: all, or a list: {', '.join(dict.fromkeys(KINDS))}"
    )
    parser.add_argument("--numba-text", action="store_true", help="by the text that Numba is given, run by Python")
    parser.add_argument("--numba", action="store_true", help="under Numba itself, which takes a second or two each")
    parser.add_argument("--log", type=Path, help="a file for lines of progress")
    parser.add_argument("--no-forward", action="store_true", help="reverse only")
    parser.add_argument("--unsimplified", action="store_true", help="compare with simplification switched off too")
    parser.add_argument("--shrink-seconds", type=float, default=60.0, help="how long to make a wrong one smaller")
    parser.add_argument("--per-kind", type=int, default=3, help="how many wrong ones of a kind to make smaller")
    parser.add_argument(
        "--arguments",
        choices=("unchanged", "as-left"),
        default="unchanged",
        help="what a gradient leaves of arguments that the function writes to",
    )
    options = parser.parse_args(argv)
    options.tried = KINDS if options.tried == "all" else tuple(filter(None, options.tried.split(",")))
    if not set(options.tried) <= set(KINDS):
        parser.error(f"no such kind: {', '.join(sorted(set(options.tried) - set(KINDS)))}")
    named = [word for word in options.features.split(",") if word]
    groups = {"all": FEATURES, "pure": PURE}
    chosen = {feature for word in named for feature in groups.get(word, (word,))} - set(options.without.split(","))
    if chosen - set(FEATURES):
        parser.error(f"no such feature: {', '.join(sorted(chosen - set(FEATURES)))}")
    options.features = tuple(feature for feature in FEATURES if feature in chosen)
    return options


def batches(options: argparse.Namespace) -> Iterator[Work]:
    """The work in parts, each with a seed of its own."""
    if options.tried:
        for first in range(0, options.programs, BATCH // 4):
            many = min(BATCH // 4, options.programs - first)
            shapes = 1 if options.numba else 4
            yield Numbered(options.seed, first, many, options.tried, options.shrink_seconds, shapes)
        return
    for index, first in enumerate(range(0, options.programs, BATCH)):
        many = min(BATCH, options.programs - first)
        number = derived(options.seed, index)
        yield Batch(number, many, options.features, options.statements, options.shrink_seconds)


def died(batch: Work) -> Finding:
    """What stands for a batch whose process died."""
    outcome = Outcome("WRONG", "crash of the process", f"seed {batch.seed}", f"the process died over {batch}")
    nothing = Program("", {})
    return Finding(nothing, nothing, outcome, batch.seed)


def describe(finding: Finding) -> str:
    """A finding as text: what disagrees, the program and its arguments."""
    outcome = finding.outcome
    lines = [f"WRONG: {outcome.kind}: {outcome.title}", *outcome.detail.splitlines(), f"batch seed {finding.seed}"]
    heading = "\n".join(f"# {line}" for line in lines)
    return f"{heading}\n\n{finding.program}"


def save(finding: Finding, folder: Path | None, number: int) -> list[str]:
    """Write a finding to a file, as it is and as it was drawn; returns the file's name, if there is one."""
    if folder is None:
        return []
    folder.mkdir(parents=True, exist_ok=True)
    name = f"{number:03d}_{finding.outcome.kind.replace(' ', '_')}.py"
    before = "\n".join(f"# {line}".rstrip() for line in str(finding.drawn).splitlines())
    (folder / name).write_text(f"{describe(finding)}\n\n# As it was drawn:\n{before}\n", encoding="utf-8")
    return [name]


def counts(tally: Tally) -> str:
    """The counts in a line."""
    return ", ".join(f"{tally.verdicts[verdict]} {verdict}" for verdict in ("agreed", "refused", "WRONG"))


def summary(tally: Tally) -> Table:
    """How many came to what."""
    table = Table("Outcome", "programs", "share", title="Programs")
    for verdict, many in tally.verdicts.most_common():
        table.add_row(verdict, str(many), f"{many / tally.total:.1%}")
    if tally.partly:
        table.add_row("agreed, some slopes not smooth", str(tally.partly), f"{tally.partly / tally.total:.1%}")
    forward = tally.forward_refusals.total()
    if forward:
        table.add_row("agreed in reverse, refused forward", str(forward), f"{forward / tally.total:.1%}")
    return table


def shares(title: str, reasons: Counter[str], total: int) -> Table:
    """Refusals by their reasons."""
    table = Table("Reason", "programs", "share", title=title)
    for text, many in reasons.most_common():
        table.add_row(text, str(many), f"{many / total:.1%}")
    return table


def wrong_ones(tally: Tally, files: dict[Key, list[str]]) -> Table:
    """What is wrong, by its kind."""
    table = Table("Kind", "what", "programs", "file", title="WRONG")
    for (kind, title), many in tally.wrong.most_common():
        table.add_row(kind, title, str(many), "\n".join(files.get((kind, title), ())))
    return table


if __name__ == "__main__":
    sys.exit(main())
