"""IR to readable text."""

from adcompile.emit.module import ModuleText, emit_module
from adcompile.emit.outside import Constants

__all__ = ["Constants", "ModuleText", "emit_module"]
