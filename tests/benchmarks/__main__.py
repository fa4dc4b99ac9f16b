"""Check every hand-written adjoint, time everything in one run, print the tables.

python -m tests.benchmarks                      all workloads, all peers that are installed
python -m tests.benchmarks --only neuron,mlp    some of them
python -m tests.benchmarks --check              the hand-written adjoints against finite differences, no timing
python -m tests.benchmarks --json results.json  also write what was measured
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TypeVar

# So that `python tests/benchmarks` works as well as `python -m tests.benchmarks`.
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np
from rich.console import Console

from tests.benchmarks.bar import load_bars
from tests.benchmarks.check import WrongAdjoint, check_agreement, check_hand
from tests.benchmarks.cost import Cost, load_costs
from tests.benchmarks.executor import Call, Executor, LeftOut, load_executors
from tests.benchmarks.memory import peaks
from tests.benchmarks.results import CostRow, Row, Verdict, as_json, verdict_on
from tests.benchmarks.table import bar_table, cost_table, mean_table, memory_table, ratio_table
from tests.benchmarks.timing import interleaved
from tests.benchmarks.workload import Workload, load_workloads

Named = TypeVar("Named", Workload, Executor)

CLOCKS = {"wall": time.perf_counter, "processor": time.process_time}
LIBRARIES = ("numpy", "autograd", "torch", "jax", "casadi", "numba")


def main(argv: Sequence[str] | None = None) -> int:
    """Run what the command line asks for; 1 where something is wrong, or, with `--strict`, a bar not met."""
    options = parse(argv)
    # Tables piped into a file keep their columns.
    console = Console() if sys.stdout.isatty() else Console(width=200)

    workloads = chosen(load_workloads(), options.only)
    for workload in workloads:
        check_hand(workload)
    console.print(f"Hand-written adjoints agree with finite differences: {', '.join(w.name for w in workloads)}.")
    if options.check:
        return 0

    console.print(surroundings())
    executors = chosen(load_executors(), options.executors)
    complaints: list[str] = []
    rows = []
    for workload in workloads:
        with console.status(workload.title):
            rows.append(measure_row(workload, executors, options, complaints))
        # A run that is cut short leaves what it has measured.
        write(options, rows)
    costs = []
    if options.only is None or options.costs:
        for cost in load_costs():
            with console.status(cost.title):
                costs.append(measure_cost(cost, options.rounds, complaints))

    verdicts = [verdict for bar in load_bars() if (verdict := verdict_on(bar, rows, costs))]
    console.print(ratio_table(rows, executors, options.against))
    console.print(bar_table(rows, executors, verdicts))
    console.print(memory_table(rows, executors, verdicts))
    console.print(mean_table(verdicts, executors))
    if costs:
        console.print(cost_table(costs, verdicts))
    for complaint in complaints:
        console.print(complaint, style="red", markup=False, highlight=False)
    write(options, rows, costs, verdicts)
    unproven = any(verdict.missed or verdict.measured is None for verdict in verdicts)
    return 1 if complaints or (options.strict and unproven) else 0


def write(
    options: argparse.Namespace,
    rows: Sequence[Row],
    costs: Sequence[CostRow] = (),
    verdicts: Sequence[Verdict] = (),
) -> None:
    """Everything measured so far into the file asked for, if one was."""
    if options.json:
        run = {"surroundings": surroundings(), "rounds": options.rounds, "clock": options.clock}
        options.json.write_text(json.dumps({**run, **as_json(rows, costs, verdicts)}, indent=2) + "\n")


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description="What adcompile costs.")
    parser.add_argument("--check", action="store_true", help="only check the hand-written adjoints")
    parser.add_argument("--only", metavar="NAMES", help="workloads, by the names of their modules, with commas")
    parser.add_argument("--executors", metavar="NAMES", help="executors, by name, with commas")
    parser.add_argument("--costs", action="store_true", help="the one-off costs too, although --only is given")
    parser.add_argument("--against", default="hand", metavar="NAME", help="the executor that counts as 1 (hand)")
    parser.add_argument("--rounds", type=int, default=11, help="interleaved repetitions (11)")
    parser.add_argument("--turn", type=float, default=20.0, metavar="MS", help="length of one repetition (20)")
    # On a machine that others load, time on the wall says little. The processor's counts every thread of BLAS in full.
    parser.add_argument("--clock", choices=CLOCKS, default="wall", help="time on the wall, or the processor's (wall)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every measurement to FILE")
    parser.add_argument("--strict", action="store_true", help="exit with 1 where a bar is missed or not measured")
    return parser.parse_args(argv)


def chosen(everything: list[Named], names: str | None) -> list[Named]:
    """Those of `everything` that are named; all of them where no names are given."""
    if names is None:
        return everything
    asked = names.replace(",", " ").split()
    known = [one.name for one in everything]
    if unknown := set(asked) - set(known):
        raise SystemExit(f"no {', '.join(sorted(unknown))} here, only {', '.join(known)}")
    return [one for one in everything if one.name in asked]


def measure_row(
    workload: Workload, executors: Sequence[Executor], options: argparse.Namespace, complaints: list[str]
) -> Row:
    """Time all executors of one workload in turns, after seeing that each computes the same."""
    expected = workload.hand(*workload.arguments())
    calls: dict[str, Call] = {}
    left_out: dict[str, str] = {}
    for executor in executors:
        try:
            call = executor.prepare(workload)
            if workload.is_gradient or call.gives_partials:
                check_agreement(call.result(), expected)
        except LeftOut as reason:
            left_out[executor.name] = str(reason)
        except WrongAdjoint as error:
            left_out[executor.name] = "wrong"
            complaints.append(f"{executor.title} on {workload.name}: {error}")
        except Exception as error:  # noqa: BLE001 - one competitor that fails must not cost the others their run
            left_out[executor.name] = type(error).__name__
            complaints.append(f"{executor.title} on {workload.name}: {type(error).__name__}: {error}")
        else:
            calls[executor.name] = call
    seconds = interleaved(calls, options.rounds, options.turn / 1e3, CLOCKS[options.clock])
    return Row(workload.name, workload.title, seconds, left_out, peaks(calls))


def measure_cost(cost: Cost, rounds: int, complaints: list[str]) -> CostRow:
    """The seconds of one one-off cost, or why there are none."""
    try:
        found = cost.measure(rounds)
        seconds, unchecked = found if isinstance(found, tuple) else (found, ())
        return CostRow(cost.name, cost.title, seconds, unchecked=unchecked)
    except LeftOut as reason:
        return CostRow(cost.name, cost.title, left_out=str(reason))
    except Exception as error:  # noqa: BLE001 - as above: what was timed before must still be shown
        complaints.append(f"{cost.name}: {type(error).__name__}: {error}")
        return CostRow(cost.name, cost.title, left_out=type(error).__name__)


def surroundings() -> str:
    """What the numbers depend on."""
    found = [f"Python {platform.python_version()}"]
    for library in LIBRARIES:
        try:
            found.append(f"{library} {version(library)}")
        except PackageNotFoundError:
            found.append(f"{library} not installed")
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]["name"]
    return f"{', '.join(found)}; {platform.system()} {platform.machine()}, {os.cpu_count()} cores, BLAS {blas}"


if __name__ == "__main__":
    sys.exit(main())
