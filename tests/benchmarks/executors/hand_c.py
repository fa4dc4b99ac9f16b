"""The adjoint by hand in C, compiled with -O3: how fast the machine is.

A file `<workload>.c` beside the workload holds `double hand(...)`. Its parameters follow from the workload's: a number
is a `double`, a count a `long`, an array a `double *` and then its lengths as `long`; after them, for each input that
a partial is asked for, a `double *` to fill.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from ..executor import Call, LeftOut
from ..workload import Workload

NAME = "hand_c"
TITLE = "by hand, C -O3"
POSITION = 27
FLAGS = ("-O3", "-march=native", "-shared", "-fPIC")


def prepare(workload: Workload) -> Call:
    """The C function behind `ctypes`, which allocates the partials at each call, as any other executor does."""
    source = Path(str(workload.module.__file__)).with_suffix(".c")
    if not source.exists():
        raise LeftOut("not written for it")
    function = compiled(source)
    arguments = workload.arguments()
    packed = tuple(parameter for argument in arguments for parameter in parameters_of(argument))
    function.restype = ctypes.c_double
    function.argtypes = [type(parameter) for parameter in packed] + [ctypes.c_void_p] * len(workload.wrt)
    if all(isinstance(argument, float) for argument in arguments):
        return Call(for_numbers(function, len(workload.wrt)), arguments)

    shapes = [np.shape(arguments[position]) for position in workload.wrt_positions]

    def value_and_partials(*given: Any, inputs: Any = arguments) -> tuple[float, tuple[Any, ...]]:
        # `given` is `packed`: its addresses hold as long as `inputs`, which the default keeps.
        partials = tuple(np.empty(shape) for shape in shapes)
        addresses = [partial.__array_interface__["data"][0] for partial in partials]
        return function(*given, *addresses), partials

    return Call(value_and_partials, packed)


def for_numbers(function: Any, count: int) -> Any:
    """The call where there are only numbers: one small array of C doubles takes the partials."""
    room = (ctypes.c_double * count)()
    start = ctypes.addressof(room)
    addresses = [start + ctypes.sizeof(ctypes.c_double) * place for place in range(count)]

    def value_and_partials(*given: float) -> tuple[float, tuple[float, ...]]:
        return function(*given, *addresses), tuple(room)

    return value_and_partials


def parameters_of(argument: Any) -> list[Any]:
    """What the C function takes for one argument."""
    if isinstance(argument, float):
        return [ctypes.c_double(argument)]
    if isinstance(argument, int):
        return [ctypes.c_long(argument)]
    assert argument.dtype == np.float64 and argument.flags.c_contiguous
    return [ctypes.c_void_p(argument.ctypes.data), *(ctypes.c_long(length) for length in argument.shape)]


def compiled(source: Path) -> Any:
    """`hand` of the C file `source`, compiled for this machine."""
    compiler = shutil.which("cc")
    if compiler is None:
        raise LeftOut("no C compiler")
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / f"{source.stem}.so"
        subprocess.run([compiler, *FLAGS, str(source), "-o", str(library), "-lm"], check=True)
        # Loaded, the library stays when its file goes.
        return ctypes.CDLL(str(library)).hand
