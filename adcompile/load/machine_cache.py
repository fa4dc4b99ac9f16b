"""Machine code on disk, for other processes to find: each piece in a file of its own, checked before it is used.

Numba has such a cache, too, but it unpickles whatever it finds, and a damaged file is an error for good. Here a file
has a checksum in front, the folder is private, and what is not right is said once and made anew. Unpickling runs what
a pickle says, so a file counts only if nobody else can have written it.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import pickle
from typing import Any, Final

from adcompile.texts.kept import Kept

KEPT: Final = Kept("native", "machine code")


class MachineCache:
    """Where a dispatcher of Numba looks for machine code, and puts it: what Numba's own cache is to it otherwise.

    `told` is everything that the code is made from, but for the types of arguments and the machine.
    """

    def __init__(self, told: str) -> None:
        self._told = told
        self._waiting: list[tuple[str, Any]] = []
        self._is_checked = False

    @property
    def cache_path(self) -> str:
        """Where that is."""
        return KEPT.folder()

    def enable(self) -> None:
        """Numba's, which leaves nothing to do."""

    def disable(self) -> None:
        """The same."""

    def flush(self) -> None:
        """The same: a file that is there is right."""

    def load_overload(self, signature: Any, target: Any) -> Any:
        """The machine code for the types of arguments, or None."""
        target.refresh()
        path = self._path(signature, target.codegen())
        if path is None:
            return None
        try:
            data = KEPT.read(path)
            if data is None:
                return None
            parts = pickle.loads(data)  # noqa: S301 - nobody else can have written it
            return _compiler().CompileResult._rebuild(target, *parts)  # noqa: SLF001 - as Numba's own cache does
        except Exception as error:  # noqa: BLE001 - whatever it is, it is said, and the code is made anew
            KEPT.note_unusable(path, error)
            return None

    def save_overload(self, signature: Any, made: Any) -> None:
        """Put machine code there, when it was looked at."""
        path = self._path(signature, made.codegen)
        is_of_here = made.library.has_dynamic_globals or not all(part.can_cache for part in made.lifted)
        if path is not None and not is_of_here:
            self._waiting.append((path, made))
        if self._is_checked:
            self.keep()

    def keep(self) -> None:
        """Put there what was made: it is as it should be, as a process that finds it will rely on."""
        self._is_checked = True
        while self._waiting:
            path, made = self._waiting.pop()
            try:
                KEPT.write(path, _serialize().dumps(made._reduce()))  # noqa: SLF001 - as above
            except Exception as error:  # noqa: BLE001 - as above; the code itself is there
                KEPT.note_unwritten(path, error)

    def _path(self, signature: Any, codegen: Any) -> str | None:
        """The file for types of arguments; None where they mean something in this process alone."""
        numba = importlib.import_module("numba")
        kinds, _ = importlib.import_module("numba.core.sigutils").normalize_signature(signature)
        known = [_type_text(kind, numba.types) for kind in kinds]
        if None in known:
            return None
        settings = numba.core.config.OPT, numba.core.config.BOUNDSCHECK
        told = "\n".join([self._told, repr(known), repr(codegen.magic_tuple()), repr(settings)])
        return f"{KEPT.folder()}{os.sep}{hashlib.sha256(told.encode()).hexdigest()[:40]}.code"


def _type_text(kind: Any, types: Any) -> str | None:
    """What a type of Numba's means in every process; None where that is not known."""
    if isinstance(kind, types.Number | types.Boolean | types.NoneType | types.UnicodeType):
        return str(kind)
    if isinstance(kind, types.NumPyRandomGeneratorType):
        return str(kind)
    if type(kind) is types.Array:
        return str(kind) if isinstance(kind.dtype, types.Number | types.Boolean) else None
    if isinstance(kind, types.BaseTuple):
        parts = [_type_text(part, types) for part in kind.types]
        cls = getattr(kind, "instance_class", tuple)
        fields = getattr(kind, "fields", ())
        return None if None in parts else f"{cls.__module__}.{cls.__qualname__}{fields}{parts}"
    if isinstance(kind, types.List):
        return None if _type_text(kind.dtype, types) is None else str(kind)
    return None


def _compiler() -> Any:
    return importlib.import_module("numba.core.compiler")


def _serialize() -> Any:
    return importlib.import_module("numba.core.serialize")
