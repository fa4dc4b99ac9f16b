# ruff: noqa: ANN001, ANN201, ANN202
# Written as people write: without annotations.
"""Machine code on disk: whatever happens to the files, calls give their numbers, and what is wrong is said once."""

from __future__ import annotations

import errno
import os
import pickle
import shutil
import stat
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adcompile import grad
from adcompile.errors import CacheWarning, JitError
from adcompile.load.machine_cache import KEPT
from adcompile.texts import kept

pytest.importorskip("numba")

NAME = "0123456789abcdef.code"
DATA = bytes(range(256)) * 4
POSIX = pytest.mark.skipif(os.name != "posix", reason="of owners and modes")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder for machine code, of a process that has said nothing yet."""
    monkeypatch.setenv("ADCOMPILE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(KEPT, "trouble", [])
    monkeypatch.setattr(KEPT, "said", [])
    yield tmp_path / "cache" / "native"
    if (tmp_path / "cache").is_dir():
        (tmp_path / "cache").chmod(0o700)


def what_is_wrong(path: Path) -> str:
    with pytest.raises((kept.UnusableError, OSError)) as caught:
        KEPT.read(path)
    return kept.reason(caught.value)


# ------------------------------------------------------------------------------------------------------- a single file


def test_what_is_written_is_read(folder: Path) -> None:
    path = folder / NAME
    assert KEPT.read(path) is None
    KEPT.write(path, DATA)
    assert KEPT.read(path) == DATA
    KEPT.write(path, b"")
    assert KEPT.read(path) == b""
    assert [each.name for each in folder.iterdir()] == [NAME]  # nothing is left of the way there


@pytest.mark.parametrize("place", ["start", "magic", "sum", "end of sum", "data", "middle", "end"])
@pytest.mark.parametrize("damage", ["cut", "flipped", "left out", "put in", "zeros"])
def test_damage_is_found(folder: Path, damage: str, place: str) -> None:
    path = folder / NAME
    KEPT.write(path, DATA)
    whole = path.read_bytes()
    head = len(whole) - len(DATA)
    at = {"start": 0, "magic": 7, "sum": head - 20, "end of sum": head - 1, "data": head, "middle": head + 500}
    k = at.get(place, len(whole) - 1)
    path.write_bytes(
        {
            "cut": whole[:k],
            "flipped": whole[:k] + bytes([whole[k] ^ 1]) + whole[k + 1 :],
            "left out": whole[:k] + whole[k + 1 :],
            "put in": whole[:k] + b"\x07" + whole[k:],
            "zeros": whole[:k] + bytes(len(whole) - k),
        }[damage]
    )
    assert what_is_wrong(path) == "it is damaged"


def test_what_belongs_elsewhere_is_found(folder: Path) -> None:
    """The contents of another file, those of a pickle, of a text, of nothing, and what is no file."""
    KEPT.write(folder / NAME, DATA)
    (folder / "other.code").write_bytes((folder / NAME).read_bytes())
    for k, data in enumerate([pickle.dumps({}), b"import os\n", b"", b"\n" * 1000]):
        (folder / f"{k}.code").write_bytes(data)
    for path in [folder / "other.code", *(folder / f"{k}.code" for k in range(4))]:
        path.chmod(0o600)
        assert what_is_wrong(path) == "it is damaged"
    (folder / "a.code").mkdir()
    assert what_is_wrong(folder / "a.code")
    with pytest.raises(OSError, match=r"a\.code"):
        KEPT.write(folder / "a.code", DATA)
    assert KEPT.read(folder / NAME) == DATA


def test_nothing_damaged_is_unpickled(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[bytes] = []
    made, path = compiled(folder)
    path.write_bytes(path.read_bytes()[:-1])
    monkeypatch.setattr(pickle, "loads", opened.append)
    with pytest.warns(CacheWarning, match="it is damaged"):
        assert grad(square, jit=True)(3.0) == made
    assert opened == []


@POSIX
def test_a_link_is_not_followed(folder: Path, tmp_path: Path) -> None:
    KEPT.write(folder / NAME, DATA)
    (folder / NAME).rename(tmp_path / NAME)
    (folder / NAME).symlink_to(tmp_path / NAME)
    assert "ELOOP" in what_is_wrong(folder / NAME)
    folder.rename(tmp_path / "real")
    folder.symlink_to(tmp_path / "real")
    assert what_is_wrong(folder / NAME) == "the folder is none, or a link"


@POSIX
def test_the_folder_and_its_files_are_private(folder: Path) -> None:
    mask = os.umask(0)
    try:
        KEPT.write(folder / NAME, DATA)
    finally:
        os.umask(mask)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / NAME).stat().st_mode) == 0o600
    folder.chmod(0o755)  # others could read: harmless, and mended
    assert KEPT.read(folder / NAME) == DATA
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@POSIX
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o1777, 0o702, 0o720])
def test_what_others_can_write_is_not_read(folder: Path, mode: int) -> None:
    KEPT.write(folder / NAME, DATA)
    (folder / NAME).chmod(mode & 0o666)
    assert what_is_wrong(folder / NAME).startswith("others can write to it")
    (folder / NAME).chmod(0o600)
    folder.chmod(mode)
    assert what_is_wrong(folder / NAME).startswith("others can write to it")
    with pytest.raises(kept.UnusableError):
        KEPT.write(folder / NAME, DATA)
    assert stat.S_IMODE(folder.stat().st_mode) == mode


@POSIX
def test_what_belongs_to_others_is_not_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    KEPT.write(folder / NAME, DATA)
    owner = folder.stat().st_uid
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    if owner == 0:  # the system's own: as good as one's own
        assert KEPT.read(folder / NAME) == DATA
        os.chown(folder / NAME, 4711, -1)
        assert what_is_wrong(folder / NAME) == "it belongs to another user"
        os.chown(folder, 4711, -1)
    assert what_is_wrong(folder / NAME) == "it belongs to another user"
    with pytest.raises(kept.UnusableError):
        KEPT.write(folder / NAME, DATA)


WRITER = """
import sys
from pathlib import Path
from adcompile.load.machine_cache import KEPT
path, own = Path(sys.argv[1]), sys.argv[2].encode() * 50_000
for _ in range(200):
    KEPT.write(path, own)
    assert set(KEPT.read(path)) <= {ord("a"), ord("b")}
"""


@pytest.mark.slow
def test_two_processes_write_at_once(folder: Path) -> None:
    path = folder / NAME
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(path), letter]) for letter in "ab"]
    found: set[bytes | None] = set()
    while any(writer.poll() is None for writer in writers):
        found.add(KEPT.read(path))
    assert [writer.returncode for writer in writers] == [0, 0]
    assert found <= {None, b"a" * 50_000, b"b" * 50_000}
    assert [each.name for each in folder.iterdir()] == [NAME]


# ---------------------------------------------------------------------------------------------------------- with Numba


def square(x):
    return 2.0 * x * x


def cube(x):
    return x * x * x


def compiled(folder: Path) -> tuple[Any, Path]:
    """What the gradient of `square` is at 3, and the file of its machine code."""
    made = grad(square, jit=True)(3.0)
    assert made == (18.0, (12.0,))
    (path,) = folder.glob("*.code")
    return made, path


def damaged(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:1000])


def foreign(path: Path) -> None:
    grad(cube, jit=True)(3.0)
    (other,) = set(path.parent.glob("*.code")) - {path}
    path.write_bytes(other.read_bytes())


def unreadable(path: Path) -> None:
    """A right checksum over what means nothing to this version of Numba."""
    KEPT.write(path, pickle.dumps(("no", "machine", "code")))


def replaced_by_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def open_to_all(path: Path) -> None:
    path.parent.chmod(0o777)


def no_folder(path: Path) -> None:
    shutil.rmtree(path.parent)
    path.parent.write_text("")


@pytest.mark.parametrize(
    ("change", "reason", "is_mended"),
    [
        (damaged, "it is damaged", True),
        (foreign, "it is damaged", True),
        (unreadable, "TypeError", True),
        (replaced_by_folder, "EISDIR|EACCES", False),
        pytest.param(open_to_all, "others can write to it", False, marks=POSIX),
        (no_folder, "the folder is none", False),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_it_is_compiled_anew_and_said_once(
    folder: Path, change: Callable[[Path], None], reason: str, is_mended: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, path = compiled(folder)
    change(path)
    with pytest.warns(CacheWarning, match=reason) as said:
        assert grad(square, jit=True)(3.0) == made
    assert len(said) == 1
    assert str(path.parent) in str(said[0].message)
    assert grad(square, jit=True)(3.0) == made  # nothing more is said in this process
    monkeypatch.setattr(KEPT, "trouble", [])
    monkeypatch.setattr(KEPT, "said", [])
    with warnings.catch_warnings(record=True) as said_by_the_next:
        warnings.simplefilter("always")
        assert grad(square, jit=True)(3.0) == made
    assert len(said_by_the_next) == (0 if is_mended else 1)


def test_a_folder_that_vanishes_is_made_again(folder: Path) -> None:
    made, path = compiled(folder)
    shutil.rmtree(folder.parent)
    assert grad(square, jit=True)(3.0) == made
    assert KEPT.read(path) is not None


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EDQUOT])
def test_nothing_can_be_written(folder: Path, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(number, os.strerror(number))

    folder.mkdir(parents=True, mode=0o700)
    monkeypatch.setattr(kept.os, "replace" if number == errno.ENOSPC else "fdopen", full)
    with pytest.warns(CacheWarning, match=errno.errorcode[number]):
        assert grad(square, jit=True)(3.0) == (18.0, (12.0,))
    assert grad(square, jit=True)(3.0) == (18.0, (12.0,))
    assert list(folder.iterdir()) == []


def test_a_warning_that_is_an_error_is_raised_once(folder: Path) -> None:
    made, path = compiled(folder)
    damaged(path)
    g = grad(square, jit=True)
    with pytest.raises(CacheWarning):
        g(3.0)
    assert g(3.0) == made


def test_what_is_refused_is_not_kept(folder: Path) -> None:
    """Another process would take what it finds for looked at."""

    def powers(x, n):
        return x * np.sum(np.full(3, n) ** np.full(3, n))

    for _ in range(2):
        with pytest.raises(JitError):
            grad(powers, jit=True)(2.0, 3)
    assert list(folder.glob("*.code")) == []
