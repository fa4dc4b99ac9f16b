"""Text to callable."""

from adcompile.load.module import load
from adcompile.load.tracebacks import show_user_lines, user_line

__all__ = ["load", "show_user_lines", "user_line"]
