# ruff: noqa: ANN001, ANN201, ANN202
# Written as people write: without annotations.
"""Texts on disk: another process finds them, whatever has changed is seen, and a damaged file costs speed alone."""

from __future__ import annotations

import builtins
import errno
import importlib
import json
import linecache
import math
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats

from adcompile import custom_rule, grad, value_and_grad, vjp
from adcompile.calls.differentiated import Differentiated
from adcompile.errors import ADError, CacheWarning
from adcompile.texts import kept
from adcompile.texts.kept import Kept
from adcompile.texts.on_disk import KEPT

X, W = np.array([0.3, -1.2, 0.7]), 1.7


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder for texts, of a process that has said nothing yet, and whose texts are not watched."""
    monkeypatch.setenv("ADCOMPILE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("ADCOMPILE_WATCH", raising=False)
    monkeypatch.setattr(KEPT, "trouble", [])
    monkeypatch.setattr(KEPT, "said", [])
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # modules are edited within a second
    yield tmp_path / "cache" / "texts"
    if (tmp_path / "cache").is_dir():
        (tmp_path / "cache").chmod(0o700)


@pytest.fixture
def compilations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of what is compiled, in order."""
    names: list[str] = []
    compiled = Differentiated._compiled

    def noted(self: Differentiated, arguments: tuple[Any, ...], **changes: Any) -> Any:
        names.append(self._fn.__name__)
        return compiled(self, arguments, **changes)

    monkeypatch.setattr(Differentiated, "_compiled", noted)
    return names


def energy(x, w):
    u = x * w
    return np.sum(u * np.tanh(u))


def same(one: Any, other: Any) -> bool:
    return bool(one[0] == other[0]) and all(np.array_equal(a, b) for a, b in zip(one[1], other[1], strict=True))


# ---------------------------------------------------------------------------------------------------------- it is found


@pytest.mark.parametrize("transformation", [grad, value_and_grad])
def test_the_next_one_compiles_nothing(transformation: Any, folder: Path, compilations: list[str]) -> None:
    first, second = transformation(energy), transformation(energy)
    made = first(X, W)
    assert compilations == ["energy"]
    assert [each.suffix for each in folder.iterdir()] == [".json"]
    assert same(second(X, W), made)
    assert same(second(X, W), made)
    assert second.source == first.source
    assert compilations == ["energy"]
    second(X.astype(np.float32), W)
    assert compilations == ["energy", "energy"]
    slope = (energy(X, W + 1e-6) - energy(X, W - 1e-6)) / 2e-6
    assert second(X, W)[1][1] == pytest.approx(slope, rel=1e-8)


def test_with_a_seed(compilations: list[str]) -> None:
    def scaled(x, w):
        return x * w

    made = vjp(scaled)(np.ones(3), X, W)
    found = vjp(scaled)([1, 1, 1], X, W)
    assert same((made[0].sum(), made[1]), (found[0].sum(), found[1]))
    assert compilations == ["scaled"]
    with pytest.raises(ADError, match="shape"):
        vjp(scaled)(np.ones(4), X, W)


def test_what_else_it_has_is_compiled_when_it_is_asked_for(compilations: list[str]) -> None:
    def decay(x, n):
        for _ in range(n):
            x = x - 0.1 * x * x
        return x

    grad(decay)(1.0, 10)
    g = grad(decay)
    g(1.0, 10)
    assert "10 steps" in str(g.memory_plan(1.0, 10))
    assert compilations == ["decay", "decay"]


def test_without_cache_nothing_is_kept(folder: Path, compilations: list[str]) -> None:
    for _ in range(2):
        grad(energy, cache=False)(X, W)
    grad(energy, check="always")(X, W)
    assert compilations == ["energy"] * 3
    assert not folder.exists()
    with pytest.raises(ADError, match="cache is True or False"):
        grad(energy, cache="no")


def test_a_refusal_is_not_kept(folder: Path) -> None:
    def refused(x):
        return np.sum(np.sort(x.view(np.int64)))

    for _ in range(2):
        with pytest.raises(ADError):
            grad(refused)(X)
    assert not folder.exists()


def test_nothing_is_found_where_there_is_a_rule() -> None:
    def twice(x):
        return 2.0 * x

    def f(x):
        return twice(x) * x

    assert grad(f)(3.0)[1].x == 12.0
    custom_rule(twice, vjp=lambda g, _, x: 5.0 * g)
    assert grad(f)(3.0)[1].x == 6.0 + 3.0 * 5.0


# ----------------------------------------------------------------------------------------------------- a change is seen

PROGRAM = """
import functools
from dataclasses import dataclass
import numpy as np
import {other} as params

K = 2.0
TABLE = np.array([1.0, 2.0])
SETTINGS = {{"rate": 3.0}}

def helper(a, k=1.0, *, shift=0.5):
    return a * k + shift

def outer():
    factor = 4.0
    def inner(a):
        return a * factor
    return inner

inner = outer()

class Model:
    scale = 6.0
    def value(self, x):
        return x * self.scale

@dataclass
class Pair:
    a: float
    b: float
    def first(self):
        return self.a

half = functools.partial(helper, k=0.5)

def f(x):
    y = helper(x) * K + inner(x) * TABLE[1] + SETTINGS["rate"] * x + params.C * params.g(x)
    pair = Pair(x, 2.0 * x)
    return y + Model().value(x) + pair.first() ** 2 + half(x)  # the sum
"""

OTHER = """
C = 5.0
def g(x):
    return x * x
"""


def program(folder: Path, text: str, other: str) -> Callable[..., Any]:
    """The function of a module, as a new process would have it."""
    for name, lines in (("texts_other", other), ("texts_program", text)):
        (folder / f"{name}.py").write_text(lines.format(other="texts_other"))
        sys.modules.pop(name, None)
    linecache.clearcache()
    importlib.invalidate_caches()
    function: Callable[..., Any] = importlib.import_module("texts_program").f
    return function


CHANGES = [
    ("K = 2.0", "K = 2.5"),
    ("K = 2.0", "K = np.float64(2.5)"),
    ("[1.0, 2.0]", "[1.0, 3.0]"),
    ('"rate": 3.0', '"rate": 3.5'),
    ("return a * k + shift", "return a * k - shift"),
    ("return a * k + shift", "return a * k * k + shift"),
    ("k=1.0,", "k=1.5,"),
    ("shift=0.5", "shift=0.75"),
    ("factor = 4.0", "factor = 4.5"),
    ("return a * factor", "return a * a * factor"),
    ("scale = 6.0", "scale = 6.5"),
    ("return x * self.scale", "return x * x * self.scale"),
    ("    a: float\n    b: float", "    b: float\n    a: float"),
    ("return self.a", "return self.b"),
    ("half = functools.partial(helper, k=0.5)", "half = functools.partial(helper, k=0.25)"),
    ("half = functools.partial(helper, k=0.5)", "half = inner"),
    ("+ half(x)", "- half(x)"),
    ("# the sum", "# the whole sum"),
    ("K = 2.0", "K = 2.0\n"),
    ("C = 5.0", "C = 5.5"),
    ("return x * x\n", "return x * x * x\n"),
]


@pytest.mark.parametrize(("before", "after"), CHANGES, ids=[after.strip().splitlines()[0] for _, after in CHANGES])
def test_a_change_is_seen(before: str, after: str, tmp_path: Path, compilations: list[str]) -> None:
    assert before in PROGRAM + OTHER
    made = grad(program(tmp_path, PROGRAM, OTHER))(1.3)
    assert grad(program(tmp_path, PROGRAM, OTHER))(1.3) == made
    assert compilations == ["f"]
    changed = program(tmp_path, PROGRAM.replace(before, after), OTHER.replace(before, after))
    g = grad(changed)
    slope = (changed(1.3 + 1e-6) - changed(1.3 - 1e-6)) / 2e-6
    assert g(1.3) == (changed(1.3), (pytest.approx(slope, rel=1e-8),))
    assert compilations == ["f", "f"]
    if "#" in after:
        assert after in g.source
    assert grad(program(tmp_path, PROGRAM, OTHER))(1.3) == made


def test_a_change_after_it_was_found(tmp_path: Path, compilations: list[str]) -> None:
    made = grad(program(tmp_path, PROGRAM, OTHER))(1.3)
    f: Any = program(tmp_path, PROGRAM, OTHER)
    g = grad(f)
    assert g(1.3) == made
    f.__globals__["K"] = 3.0
    assert g(1.3)[0] == f(1.3)
    assert g(1.3)[1].x == pytest.approx(made[1].x + 1.0)
    f.__globals__["Model"].scale = 7.0
    assert g(1.3)[1].x == pytest.approx(made[1].x + 2.0)
    assert len(compilations) == 3


def of_libraries(x):
    return math.sin(x) * np.tanh(x) * pow(x, 2)


@pytest.mark.parametrize(("owner", "name"), [(math, "sin"), (np, "tanh"), (builtins, "pow")], ids=str)
def test_what_a_library_has_is_replaced(
    owner: Any, name: str, compilations: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = grad(of_libraries)(1.3)
    with monkeypatch.context() as replaced:
        replaced.setattr(owner, name, lambda x, k=5.0: k * x * x * x)
        value, partials = grad(of_libraries)(1.3)
        assert value == of_libraries(1.3)
        slope = (of_libraries(1.3 + 1e-6) - of_libraries(1.3 - 1e-6)) / 2e-6
        assert partials.x == pytest.approx(slope, rel=1e-8)
    assert grad(of_libraries)(1.3) == made
    assert compilations == ["of_libraries"] * 3  # there is one text for a function, the newest


def of_a_distribution(x):
    return scipy.stats.norm.cdf(x) * x


def test_what_an_object_of_a_library_has_is_replaced(
    compilations: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    g = grad(of_a_distribution)
    made = g(1.3)
    assert all(watch.contents is None for watch in g.all_watches().values())  # a call compares no distribution
    with monkeypatch.context() as replaced:
        replaced.setattr(scipy.stats.norm, "cdf", lambda x: x * x)
        for again in (g, grad(of_a_distribution)):
            value, partials = again(1.3)
            assert (value, partials.x) == (of_a_distribution(1.3), pytest.approx(3.0 * 1.3**2))
    with monkeypatch.context() as replaced:
        replaced.setattr(scipy.stats.norm, "pdf", lambda x: 0.0 * x)
        for again in (g, grad(of_a_distribution)):
            with pytest.raises(ADError, match=r"norm.pdf` was replaced"):
                again(1.3)
    assert g(1.3) == grad(of_a_distribution)(1.3) == made


REPLACED = """
import math
from adcompile import grad

math.sin = lambda x: 3.0 * x * x

def f(x):
    return math.sin(x)

print(*grad(f, check=False)(0.5)[1])
"""


def test_what_was_replaced_before_the_rules_were_read(tmp_path: Path) -> None:
    (tmp_path / "replaced.py").write_text(REPLACED)
    assert run([sys.executable, "replaced.py"], tmp_path) == "3.0\n"


ALIASED = """
import numpy as np
W = np.array([1.0, 2.0, 3.0])
BIG = np.ones(20000)
B1, B2 = BIG, BIG
D = {{"w": W, "k": 3.0}}

def make(w):
    def inner(x):
        return np.sum(w * x**2)
    return inner

def f(x):
    return np.sum(W * x**2)

def of_a_dict(d):
    return np.sum(D["w"] * d["w"]) * D["k"] * d["k"]

def of_two(x):
    return np.sum(B1 * x) + 10.0 * np.sum(B2 * x)

closure = make(W)
"""


def test_what_had_two_names_may_be_two_things(tmp_path: Path) -> None:
    """An argument that is also an outside array is another one at the next call, and so may a second name be."""
    space: Any = program(tmp_path, ALIASED, "").__globals__
    grad(space["f"])(space["W"])
    grad(space["closure"])(space["W"])
    grad(space["of_a_dict"])(space["D"])
    assert grad(space["of_two"])(1.0)[0] == 220_000.0
    space = program(tmp_path, ALIASED, "").__globals__
    x, d = np.array([3.0, 1.0, 2.0]), {"w": np.ones(3), "k": 2.0}
    for name in ("f", "closure"):
        value, partials = grad(space[name])(x)
        assert value == np.sum(space["W"] * x**2)
        assert np.array_equal(partials[0], 2.0 * space["W"] * x)
    value, partials = grad(space["of_a_dict"])(d)
    assert (value, partials.d["k"]) == (36.0, 18.0)
    assert np.array_equal(partials.d["w"], 6.0 * space["W"])
    space = program(tmp_path, ALIASED.replace("B1, B2 = BIG, BIG", "B1, B2 = BIG, 5.0 * BIG"), "").__globals__
    assert grad(space["of_two"])(1.0) == (1_020_000.0, (1_020_000.0,))


def test_an_enum_is_described_once(tmp_path: Path) -> None:
    text = "import enum\nMode = enum.Enum('Mode', {{f'M{{k}}': k for k in range(40)}})\n"
    text += "def f(x):\n    return x * x if Mode.M3 is not Mode.M4 else x\n"
    made = grad(program(tmp_path, text, ""))(2.0)
    assert grad(program(tmp_path, text, ""))(2.0) == made == (4.0, (4.0,))


def test_a_traceback_shows_the_line_of_the_user(tmp_path: Path) -> None:
    text = "def f(x):\n    y = x * 2.0\n    return 1.0 / y\n"
    grad(program(tmp_path, text, ""))(1.0)
    with pytest.raises(ZeroDivisionError) as caught:
        grad(program(tmp_path, text, ""))(0.0)
    lines = [(entry.path.name, entry.lineno + 1) for entry in caught.traceback if hasattr(entry.path, "name")]
    assert ("texts_program.py", 3) in lines


# -------------------------------------------------------------------------------------------------- whatever goes wrong


def rewritten(change: Callable[[dict[str, Any]], Any]) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        data = KEPT.read(path)
        assert data is not None
        KEPT.write(path, json.dumps(change(json.loads(data))).encode())

    return write


DAMAGE = {
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-20]),
    "empty": lambda path: path.write_bytes(b""),
    "flipped": lambda path: path.write_bytes(path.read_bytes().replace(b"tanh", b"sinh")),
    "folder": lambda path: (path.unlink(), path.mkdir()),
    "no dict": rewritten(lambda _: [1, 2]),
    "a part is missing": rewritten(lambda found: {**found, "watches": None}),
    "no Python": rewritten(lambda found: {**found, "text": found["text"].replace("return", "retrun")}),
    "others can write it": lambda path: path.chmod(0o666),
    "others can write the folder": lambda path: path.parent.chmod(0o777),
    "pipe": lambda path: (path.unlink(), os.mkfifo(path, 0o600)),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_it_is_compiled_anew_and_said_once(damage: str, folder: Path, compilations: list[str]) -> None:
    made = grad(energy)(X, W)
    (path,) = folder.iterdir()
    DAMAGE[damage](path)
    with pytest.warns(CacheWarning, match="texts on disk") as said:
        assert same(grad(energy)(X, W), made)
    assert len(said) == 1
    assert same(grad(energy)(X, W), made)
    assert compilations[:2] == ["energy", "energy"]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS])
def test_nothing_can_be_written(number: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(kept.os, "replace", full)
    with pytest.warns(CacheWarning, match=errno.errorcode[number]):
        assert grad(energy)(X, W)[0] == energy(X, W)
    assert grad(energy)(X, W)[0] == energy(X, W)
    assert list(folder.iterdir()) == []


def test_the_oldest_go_first(folder: Path) -> None:
    few = Kept("texts", "texts", most=4000)
    for k, name in enumerate("abcdefgh"):
        few.write(str(folder / name), bytes(600))
        os.utime(folder / name, (10**9 - k, 10**9 - k))  # the clock goes back
        few.read(str(folder / "a"))
    names = {each.name for each in folder.iterdir()}
    assert "a" in names
    assert sum(each.stat().st_size for each in folder.iterdir()) <= 4000
    assert len(names) > 2


MANY = """
import os, random, signal, sys, time
import numpy as np
from texts_many import f
from adcompile import grad
from adcompile.texts.on_disk import KEPT

x = np.array([0.3, -1.2, 0.7])
want = grad(f, cache=False)(x, 1.7)

def child():
    value, partials = grad(f)(x, 1.7)
    assert value == want[0] and np.array_equal(partials.x, want[1].x) and partials.w == want[1].w

def started(work):
    one = os.fork()
    if one == 0:
        try:
            work()
        except BaseException:
            os._exit(1)
        os._exit(0)
    return one

def on():
    data = os.urandom(200_000)
    while True:
        KEPT.write(os.path.join(KEPT.folder(), "a.json"), data)

codes = [os.waitpid(one, 0)[1] for one in [started(child) for _ in range(32)]]
assert codes == [0] * 32, codes
left = random.Random(1)
for _ in range(200):
    one = started(on)
    time.sleep(left.random() * 0.004)
    os.kill(one, signal.SIGKILL)
    os.waitpid(one, 0)
    KEPT.read(os.path.join(KEPT.folder(), "a.json"))
child()
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="the processes are forked")
def test_many_processes_and_kills(tmp_path: Path) -> None:
    """32 processes find an empty cache; 200 are killed while they write."""
    (tmp_path / "texts_many.py").write_text(
        "import numpy as np\ndef f(x, w):\n    u = x * w\n    return np.sum(u * np.tanh(u))\n"
    )
    run([sys.executable, "-W", "error::adcompile.errors.CacheWarning", "-c", MANY], tmp_path)


def test_another_process_loads_no_compiler(tmp_path: Path) -> None:
    (tmp_path / "texts_many.py").write_text("def f(x, w):\n    return x * w * w\n")
    program = textwrap.dedent("""
        import sys
        from texts_many import f
        from adcompile import grad
        print(grad(f)(3.0, 2.0), "adcompile.frontend" in sys.modules, "adcompile.pipeline" in sys.modules)
    """)
    made = [run([sys.executable, "-c", program], tmp_path) for _ in range(2)]
    assert made == [f"(12.0, Partials(x=4.0, w=12.0)) {was} {was}\n" for was in (True, False)]


def run(command: list[str], folder: Path) -> str:
    where = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(Path(kept.__file__).parents[2])])}
    where["ADCOMPILE_CACHE_DIR"] = str(folder / "own")
    return subprocess.run(command, env=where, cwd=folder, capture_output=True, text=True, check=True).stdout
