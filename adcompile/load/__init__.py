"""Text to callable."""

from adcompile.load.adapted import adapted
from adcompile.load.apart import keep_apart
from adcompile.load.jit import compile_native
from adcompile.load.module import load
from adcompile.load.tracebacks import show_user_lines, user_line

__all__ = ["adapted", "compile_native", "keep_apart", "load", "show_user_lines", "user_line"]
