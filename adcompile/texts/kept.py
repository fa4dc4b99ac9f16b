"""Files in the user's cache folder that only the user can have written: each with a checksum, and never half of one.

What is wrong with a file or the folder is said once in a process, and costs speed, never a result.
"""

from __future__ import annotations

import contextlib
import errno
import importlib
import os
import stat
import sys
import warnings
from _thread import get_ident
from typing import Any, Final

from adcompile.errors import CacheWarning


def _sha256() -> Any:
    """Python's own, as `random` takes it: that of `hashlib` takes 4 ms to load, for OpenSSL."""
    for home in ("_sha2", "_sha256", "hashlib"):
        with contextlib.suppress(ImportError):
            return importlib.import_module(home).sha256
    raise ImportError


sha256: Final = _sha256()
_SUM: Final = 32  # bytes
_NOT_OURS: Final = stat.S_IWGRP | stat.S_IWOTH
_CAREFULLY: Final = ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY")  # no link, and no wait for what a pipe might bring
_SHARE: Final = 0.75  # of the bound that is left when old files have been removed


class UnusableError(OSError):
    """Why a file or the folder is not used: an error of files, so that writing fails with it as with others."""


class Kept:
    """The files of one sort, in a folder of their own below `ADCOMPILE_CACHE_DIR` or the user's cache folder.

    With `most` bytes, the files that were not used for the longest time are removed when there are more.
    """

    def __init__(self, name: str, what: str, most: int | None = None) -> None:
        self._name = name
        self._what = what
        self._most = most
        self._magic = f"adcompile {what} 1\n".encode()
        self._written = 0  # bytes, since the folder was last measured
        self.trouble: list[str] = []  # the first of this process
        self.said: list[str] = []

    def folder(self) -> str:
        """Where they are."""
        return f"{os.environ.get('ADCOMPILE_CACHE_DIR') or users_folder()}{os.sep}{self._name}"

    def read(self, path: str) -> bytes | None:
        """What was written to a file; None where there is none.

        Raises where anything about it is not as `write` left it, or where others can have written it.
        """
        _check_folder(os.path.dirname(path))
        try:
            handle = os.open(path, os.O_RDONLY | sum(getattr(os, name, 0) for name in _CAREFULLY))
        except FileNotFoundError:
            return None
        with os.fdopen(handle, "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise UnusableError("it is no file")
            _check_owner(status)
            data = file.read()
        start = len(self._magic) + _SUM
        if not data.startswith(self._magic) or data[len(self._magic) : start] != _sum(path, data[start:]):
            raise UnusableError("it is damaged")
        if self._most is not None:
            with contextlib.suppress(OSError):  # the time of its last use; where that cannot be noted, it looks older
                os.utime(path)
        return data[start:]

    def write(self, path: str, data: bytes) -> None:
        """Write a file; nobody ever sees half of it."""
        folder = os.path.dirname(path)
        os.makedirs(os.path.dirname(folder), exist_ok=True)
        with contextlib.suppress(FileExistsError):
            os.mkdir(folder, mode=0o700)
        _check_folder(folder)
        temporary = f"{path}.{os.getpid()}.{get_ident()}.tmp"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        handle = _opened(temporary, flags)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(self._magic + _sum(path, data) + data)
            os.replace(temporary, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
        self._bound(folder, len(data))

    def _bound(self, folder: str, size: int) -> None:
        """Remove the files that were not used for the longest time, where all together are too large.

        They are measured when a process first writes, and when it has written a part of the bound.
        """
        if self._most is None:
            return
        is_first = not self._written
        self._written += size
        if not is_first and self._written < (1 - _SHARE) * self._most:
            return
        self._written = 1
        found: list[tuple[float, int, str]] = []
        for entry in os.scandir(folder):
            with contextlib.suppress(FileNotFoundError):  # another process removed it
                status = entry.stat(follow_symlinks=False)
                found.append((status.st_mtime, status.st_size, entry.path))
        total = sum(each for _, each, _ in found)
        if total <= self._most:
            return
        for _, each, path in sorted(found):
            if total <= _SHARE * self._most:
                break
            with contextlib.suppress(FileNotFoundError):  # as above
                os.unlink(path)
            total -= each

    def note_unusable(self, path: str, error: Exception) -> None:
        """Note that a file cannot be used, to say so."""
        self._note(f"{path} cannot be used, and is made anew: {reason(error)}")

    def note_unwritten(self, path: str, error: Exception) -> None:
        """Note that a file cannot be written."""
        self._note(f"{path} cannot be written: {reason(error)}")

    def _note(self, trouble: str) -> None:
        if not self.trouble:
            self.trouble.append(trouble)

    def say_trouble(self) -> None:
        """Tell of the first thing that was wrong with the files, once in a process."""
        if self.trouble and not self.said:
            self.said.append(self.trouble[0])
            warnings.warn(f"{self._what} on disk: {self.trouble[0]}", CacheWarning, stacklevel=2)


def users_folder() -> str:
    """The folder for what may be made anew at any time, where the system wants it to be for a user."""
    if sys.platform == "win32":
        return os.path.join(os.environ.get("LOCALAPPDATA") or os.path.expanduser("~"), "adcompile", "Cache")
    if sys.platform == "darwin":
        return os.path.expanduser("~/Library/Caches/adcompile")
    return os.path.join(os.environ.get("XDG_CACHE_HOME", "").strip() or os.path.expanduser("~/.cache"), "adcompile")


def _opened(temporary: str, flags: int) -> int:
    """A new file; one of that name is what a process that was killed has left."""
    try:
        return os.open(temporary, flags, 0o600)
    except FileExistsError:
        os.unlink(temporary)
        return os.open(temporary, flags, 0o600)


def reason(error: Exception) -> str:
    """Why a file is not used or written, in words."""
    if isinstance(error, OSError) and error.errno is not None:
        return f"{os.strerror(error.errno)} ({errno.errorcode.get(error.errno, error.errno)})"
    return str(error) if isinstance(error, UnusableError) else f"{type(error).__name__}: {error}"


def _sum(path: str, data: bytes) -> bytes:
    """The checksum of a file's contents, which are those of its name."""
    return bytes(sha256(os.path.basename(path).encode() + b"\n" + data).digest())


def _check_folder(folder: str) -> None:
    """Insist on a folder that nobody else can write to; where others can read it, they cannot any more."""
    try:
        status = os.lstat(folder)
    except FileNotFoundError:
        return
    if not stat.S_ISDIR(status.st_mode):
        raise UnusableError("the folder is none, or a link")
    _check_owner(status)
    if os.name == "posix" and status.st_uid == os.geteuid() and stat.S_IMODE(status.st_mode) != stat.S_IRWXU:
        os.chmod(folder, stat.S_IRWXU)


def _check_owner(status: os.stat_result) -> None:
    """Insist that a file or folder is the user's own, or the system's, and that nobody else can write to it.

    Elsewhere than under POSIX the mode tells nothing, and the user's folders are private anyway.
    """
    if os.name != "posix":
        return
    if status.st_uid not in (0, os.geteuid()):
        raise UnusableError("it belongs to another user")
    if status.st_mode & _NOT_OURS:
        raise UnusableError("others can write to it (`chmod 700` makes the folder private)")
