"""Machine code on disk, for other processes to find: each piece in a file of its own, checked before it is used.

Numba has such a cache, too, but it unpickles whatever it finds, and a damaged file is an error for good. Here a file
has a checksum in front, the folder is private, and what is not right is said once and made anew. Unpickling runs what
a pickle says, so a file counts only if nobody else can have written it.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import importlib
import os
import pickle
import stat
import tempfile
import warnings
from pathlib import Path
from typing import Any, Final

from adcompile.errors import CacheWarning

_MAGIC: Final = b"adcompile machine code 1\n"
_SUM: Final = hashlib.sha256().digest_size
_NOT_OURS: Final = stat.S_IWGRP | stat.S_IWOTH

_trouble: list[str] = []  # the first of this process
_said: list[str] = []


class _UnusableError(Exception):
    """Why a file or the folder is not used."""


class MachineCache:
    """Where a dispatcher of Numba looks for machine code, and puts it: what Numba's own cache is to it otherwise.

    `told` is everything that the code is made from, but for the types of arguments and the machine.
    """

    def __init__(self, told: str) -> None:
        self._told = told
        self._waiting: list[tuple[Path, Any]] = []
        self._is_checked = False

    @property
    def cache_path(self) -> str:
        """Where that is."""
        return str(_place())

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
            data = read(path)
            if data is None:
                return None
            parts = pickle.loads(data)  # noqa: S301 - nobody else can have written it
            return _compiler().CompileResult._rebuild(target, *parts)  # noqa: SLF001 - as Numba's own cache does
        except Exception as error:  # noqa: BLE001 - whatever it is, it is said, and the code is made anew
            _note(f"{path} cannot be used, and is made anew: {_reason(error)}")
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
                write(path, _serialize().dumps(made._reduce()))  # noqa: SLF001 - as above
            except Exception as error:  # noqa: BLE001 - as above; the code itself is there
                _note(f"{path} cannot be written: {_reason(error)}")

    def _path(self, signature: Any, codegen: Any) -> Path | None:
        """The file for types of arguments; None where they mean something in this process alone."""
        numba = importlib.import_module("numba")
        kinds, _ = importlib.import_module("numba.core.sigutils").normalize_signature(signature)
        known = [_type_text(kind, numba.types) for kind in kinds]
        if None in known:
            return None
        settings = numba.core.config.OPT, numba.core.config.BOUNDSCHECK
        told = "\n".join([self._told, repr(known), repr(codegen.magic_tuple()), repr(settings)])
        return _place() / f"{hashlib.sha256(told.encode()).hexdigest()[:40]}.code"


def say_trouble() -> None:
    """Tell of the first thing that was wrong with the files, once in a process."""
    if _trouble and not _said:
        _said.append(_trouble[0])
        warnings.warn(f"machine code on disk: {_trouble[0]}", CacheWarning, stacklevel=2)


def _note(trouble: str) -> None:
    if not _trouble:
        _trouble.append(trouble)


def read(path: Path) -> bytes | None:
    """What was written to a file; None where there is none.

    Raises where anything about it is not as `write` left it, or where others can have written it.
    """
    _check_folder(path.parent)
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
    except FileNotFoundError:
        return None
    with os.fdopen(handle, "rb") as file:
        _check_owner(os.fstat(file.fileno()))
        data = file.read()
    start = len(_MAGIC) + _SUM
    if len(data) < start or not data.startswith(_MAGIC) or data[len(_MAGIC) : start] != _sum(path, data[start:]):
        raise _UnusableError("it is damaged")
    return data[start:]


def write(path: Path, data: bytes) -> None:
    """Write a file; nobody ever sees half of it."""
    path.parent.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        path.parent.mkdir(mode=0o700)
    _check_folder(path.parent)
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(_MAGIC + _sum(path, data) + data)
        os.replace(temporary, path)  # noqa: PTH105 - of two names in one folder
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)  # noqa: PTH108 - the same
        raise


def _sum(path: Path, data: bytes) -> bytes:
    """The checksum of a file's contents, which are those of its name."""
    return hashlib.sha256(path.name.encode() + b"\n" + data).digest()


def _check_folder(folder: Path) -> None:
    """Insist on a folder that nobody else can write to; where others can read it, they cannot any more."""
    try:
        status = folder.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISDIR(status.st_mode):
        raise _UnusableError("the folder is none, or a link")
    _check_owner(status)
    if os.name == "posix" and status.st_uid == os.geteuid() and stat.S_IMODE(status.st_mode) != stat.S_IRWXU:
        folder.chmod(stat.S_IRWXU)


def _check_owner(status: os.stat_result) -> None:
    """Insist that a file or folder is the user's own, or the system's, and that nobody else can write to it.

    Elsewhere than under POSIX the mode tells nothing, and the user's folders are private anyway.
    """
    if os.name != "posix":
        return
    if status.st_uid not in (0, os.geteuid()):
        raise _UnusableError("it belongs to another user")
    if status.st_mode & _NOT_OURS:
        raise _UnusableError("others can write to it (`chmod 700` makes the folder private)")


def _place() -> Path:
    """The folder for machine code."""
    chosen = os.environ.get("ADCOMPILE_CACHE_DIR")
    if not chosen:
        chosen = importlib.import_module("platformdirs").user_cache_dir("adcompile", appauthor=False)
    return Path(chosen) / "native"


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.errno is not None:
        return f"{os.strerror(error.errno)} ({errno.errorcode.get(error.errno, error.errno)})"
    return str(error) if isinstance(error, _UnusableError) else f"{type(error).__name__}: {error}"


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
