"""Text to callable."""

from adcompile.load.adapted import adapted
from adcompile.load.apart import keep_apart, shared_memory
from adcompile.load.batch import Output, Outputs, batch_for, run_batch
from adcompile.load.jit import IntoRows, Native, compile_native
from adcompile.load.module import load
from adcompile.load.tracebacks import show_user_lines, user_line

__all__ = [
    "IntoRows",
    "Native",
    "Output",
    "Outputs",
    "adapted",
    "batch_for",
    "compile_native",
    "keep_apart",
    "load",
    "run_batch",
    "shared_memory",
    "show_user_lines",
    "user_line",
]
