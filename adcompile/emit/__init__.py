"""IR to readable text."""

from adcompile.emit.module import ModuleText, emit_module
from adcompile.emit.outside import Constants
from adcompile.emit.tapes import ListTape, TapeStyle

__all__ = ["Constants", "ListTape", "ModuleText", "TapeStyle", "emit_module"]
