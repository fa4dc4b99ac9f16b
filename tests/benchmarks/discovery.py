"""Find the modules of a package, so that adding a file is all it takes to add a row, a column or a bar."""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType


def modules_of(package: ModuleType) -> list[ModuleType]:
    """The modules of `package`, ordered by the `POSITION` that each declares (then by name)."""
    names = [info.name for info in pkgutil.iter_modules(package.__path__)]
    modules = [importlib.import_module(f"{package.__name__}.{name}") for name in names]
    return sorted(modules, key=lambda module: (module.POSITION, module.__name__))


def short_name(module: ModuleType) -> str:
    """The last part of a module's dotted name."""
    return module.__name__.rpartition(".")[2]
