"""NumPy as its signatures allow it to be called: ways that are drawn by themselves, each compared with differences.

    python -m tests.rules.numpy_ways                  # all of them, in half an hour; what is not right is printed
    python -m tests.rules.numpy_ways 10               # every tenth
    python -m tests.rules.numpy_ways 1 np.pad np.sum  # all of some functions

A way is a call that NumPy takes: arrays of some ranks and dtypes, at most two options, by position, by keyword or as a
method. What NumPy itself refuses is no way. The result is made one number, and its slope along a direction in all
arrays is compared in both modes.
"""

from __future__ import annotations

import collections
import importlib.util
import inspect
import itertools
import random
import sys
import tempfile
import warnings
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from adcompile import grad, jvp
from adcompile.errors import ADError
from adcompile.rules.forms import TABLE
from adcompile.rules.methods import METHODS

_ARRAYS = {
    "x", "x1", "x2", "a", "b", "c", "m", "arr", "array", "ar", "y", "v", "p", "q", "A", "z", "filt", "val", "fp", "xp",
    "in_array", "element", "object", "a1", "a2", "object_", "ary", "values", "weights", "d", "s", "B", "start",
    "stop", "seq_of_zeros", "f", "mat",
}
_LISTS = {"tup", "arrays", "xi", "arys", "args", "choicelist", "choices"}
HERE = Path(__file__).parent / "coverage"


def listed(name: str) -> dict[str, list[str]]:
    """A list: of each name the texts that stand beside it, in one line or several."""
    found: dict[str, list[str]] = {}
    for line in (HERE / name).read_text(encoding="utf-8").splitlines():
        key, *texts = line.split(" | ")
        found.setdefault(key, []).extend(texts)
    return found


_CHOICES = listed("numpy_options.txt")  # what an option can be, of which NumPy itself says what fits a call
_SPELLED = listed("numpy_calls.txt")  # calls whose arguments are nothing that a signature tells
_MASK = "np.arange(np.size(x)).reshape(np.shape(x)) % 3 > 0"
_SHAPES: tuple[tuple[tuple[int, ...], ...], ...] = (
    ((3,),), ((2, 3),), ((3, 3),), ((),), ((2, 3, 2),), ((2, 1, 3, 2),), ((1,),), ((0,),), ((2, 0),), ((2, 3, 3),),
    ((4, 3),),
)
_PAIRS = (
    ((3,), (3,)), ((2, 3), (2, 3)), ((2, 3), (3,)), ((3, 3), (3,)), ((3, 3), (3, 3)), ((2, 1), (1, 3)), ((), (2, 3)),
    ((3,), ()), ((), ()), ((2, 3, 3), (2, 3, 3)), ((0,), (0,)), ((1,), (3,)), ((2, 3), (3, 2)), ((3,), (2,)),
    ((2, 2, 3), (3,)),
)
_UNDETERMINED = ("np.linalg.svd", "np.linalg.qr")  # full matrices have columns that the matrix does not determine
_MOST = 40  # ways of one function


@dataclass(frozen=True)
class Way:
    """One call: its text, and the arrays that vary, by name."""

    name: str
    call: str
    shapes: tuple[tuple[str, tuple[int, ...]], ...]
    dtype: str = "float64"

    def __str__(self) -> str:
        return f"{self.call}  for {', '.join(f'{n}{list(s)}' for n, s in self.shapes)} of {self.dtype}"

    def values(self) -> dict[str, Any]:
        """Numbers for the arrays, the same each time, for which the result is finite."""
        for low, high in ((0.2, 0.9), (1.2, 2.5)):
            rng = np.random.default_rng(zlib.crc32(str(self).encode()))
            drawn = {}
            for name, shape in self.shapes:
                value = rng.uniform(low, high, shape)
                if self.dtype == "complex128":
                    value = value + 1j * rng.uniform(low, high, shape)
                drawn[name] = np.asarray(value).astype(self.dtype) if shape else np.asarray(value).item()
            try:
                if all(np.isfinite(part).all() for part in parts(evaluated(self.call, drawn))):
                    break
            except Exception:  # noqa: BLE001, S112 - asked for below
                continue
        return drawn


def evaluated(call: str, values: dict[str, Any]) -> Any:
    """What a call gives."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return eval(call, {"np": np, **values})


def parts(value: Any) -> list[Any]:
    """The arrays of a result."""
    if isinstance(value, tuple | list):
        return [part for item in value for part in parts(item)]
    return [np.asarray(value)]


# ---------------------------------------------------------------------------------------------------- drawing ways


def names() -> list[str]:
    """The functions of NumPy that have rows, or are read as compositions."""
    found = {d.name for d in TABLE if d.family == "function" and d.name.startswith("np.") and d.form != "constant"}
    return sorted(found | {"np.select", *_SPELLED})


def ways_of(name: str, most: int = _MOST) -> list[Way]:
    """The ways of one function, in the order of a draw that is always the same."""
    found: dict[Way, None] = {}
    shapes = ("x", (3, 3)), ("y", (3, 3))
    made = (Way(name, call, tuple(s for s in shapes if s[0] in call)) for call in _SPELLED.get(name, ()))
    drawn = () if name in _SPELLED else candidates(name, eval(name, {"np": np}))
    for way in itertools.chain(made, drawn):
        if way not in found and works(way):
            found[way] = None
    ways = list(found)
    random.Random(name).shuffle(ways)
    return ways[:most]


def works(way: Way) -> bool:
    """Whether NumPy takes this call, and gives finite numbers that vary."""
    try:
        result = parts(evaluated(way.call, way.values()))
    except Exception:  # noqa: BLE001 - whatever it says, it is no way of calling
        return False
    return any(part.dtype.kind in "fc" for part in result) and all(
        part.dtype.kind in "fciub" and np.isfinite(part).all() for part in result)


def candidates(name: str, function: Any) -> Iterator[Way]:
    """Calls that a function may take."""
    required, options, variadic = signature_of(function)
    arrays = [p for p in required if p in _ARRAYS]
    lists = [p for p in required if p in _LISTS]
    letters = ["x", "y"] if lists or (variadic and not arrays) else ["x", "y", "z"][: len(arrays)]
    if not letters:
        return
    alike = tuple((s[0],) * len(letters) for s in _SHAPES)
    of = {1: _SHAPES, 2: _PAIRS}.get(len(letters), alike)
    others = [p for p in required if p not in arrays and p not in lists]
    draw = random.Random(name)
    fillings = list(itertools.product(*(_CHOICES.get(p, []) for p in others)))
    draw.shuffle(fillings)
    settings = [{}, *({p: text} for p in options for text in _CHOICES.get(p, []))]
    pairs = [a | b for a, b in itertools.combinations(settings[1:], 2) if not set(a) & set(b)]
    draw.shuffle(pairs)
    for shapes, setting, filling in itertools.product(of, [*settings, *pairs[:12]], fillings[:12]):
        shown = tuple(zip(letters, shapes, strict=True))
        spelled = dict(zip(arrays, letters, strict=False)) | dict(zip(others, filling, strict=True))
        spelled |= dict.fromkeys(lists, f"({', '.join(letters)})")
        given = [spelled[p] for p in required] + ([] if required or not variadic else letters)
        names = [] if variadic or isinstance(function, np.ufunc) else required
        texts = {p: _MASK if text == "MASK" else text for p, text in setting.items()}
        calls = [f"{name}({call})" for call in spellings(given, names, texts, options)]
        method = next((m for m, path in METHODS.items() if path == name), None)
        if method is not None and given[0] == "x" and shapes[0]:
            calls.append(f"x.{method}({', '.join([*given[1:], *(f'{p}={text}' for p, text in texts.items())])})")
        for call in dict.fromkeys(calls):
            yield Way(name, call, shown)
        if shapes[0] in ((2, 3), (3,), (3, 3)):
            for dtype in ("float32", "complex128"):
                yield Way(name, calls[0], shown, dtype)


def signature_of(function: Any) -> tuple[list[str], list[str], bool]:
    """The parameters without default, those with one, and whether any number is taken."""
    if isinstance(function, np.ufunc):
        return ["x"] if function.nin == 1 else ["x1", "x2"], ["dtype", "order"], False
    try:
        parameters = inspect.signature(function).parameters
    except (ValueError, TypeError):
        return ["x"], ["axis", "keepdims"], False
    variadic = any(p.kind is p.VAR_POSITIONAL for p in parameters.values())
    plain = [p for p in parameters.values() if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    return ([p.name for p in plain if p.default is p.empty],
            [p.name for p in plain if p.default is not p.empty], variadic)


def spellings(given: list[str], names: list[str], texts: dict[str, str], options: list[str]) -> Iterator[str]:
    """The arguments of one call: options by keyword, all by keyword, and all by position where they come first."""
    words = [f"{p}={text}" for p, text in texts.items()]
    yield ", ".join([*given, *words])
    if names:
        yield ", ".join([*(f"{p}={text}" for p, text in zip(names, given, strict=True)), *words])
        if list(texts) == options[: len(texts)]:
            yield ", ".join([*given, *texts.values()])


# --------------------------------------------------------------------------------------------------------- checking


def text_of(way: Way, number: int) -> str:
    """A function for a way, whose value is one number."""
    result = evaluated(way.call, way.values())
    terms, lines = [], [f"made = {way.call}"]

    def add(value: Any, text: str) -> None:
        if isinstance(value, tuple | list):
            for k, item in enumerate(value):
                add(item, f"{text}[{k}]")
            return
        array = np.asarray(value)
        if array.dtype.kind == "c":
            add(array.real, f"np.real({text})")
            add(array.imag, f"np.imag({text})")
        elif array.dtype.kind == "f":
            weights = np.round(np.cos(1.0 + np.arange(array.size) + 3 * len(terms)), 2).reshape(array.shape)
            shown = "1.0" if array.size == 0 else repr(weights.tolist())
            shown = f"np.array({shown})" if array.ndim and array.size else shown
            terms.append(f"np.sum({shown} * np.sin(1.3 * {text}))")

    add(result, "made")
    lines.append(f"return {' + '.join(terms)}")
    body = "\n    ".join(lines)
    return f"def way_{number}({', '.join(n for n, _ in way.shapes)}):\n    {body}\n"


def checked(function: Any, way: Way) -> str:
    """What is wrong; "right" if nothing is."""
    values = list(way.values().values())
    rng = np.random.default_rng(5)
    along = [direction(value, rng) for value in values]
    wide = [np.asarray(v).astype("complex128" if way.dtype == "complex128" else "float64") if np.ndim(v) else v
            for v in values]

    def at(h: float) -> Any:
        return function(*[v + h * d for v, d in zip(wide, along, strict=True)])

    def slope(h: float) -> Any:
        return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        expected, finer = slope(1e-4), slope(2e-5)
        if not np.isclose(expected, finer, rtol=1e-4, atol=1e-4) or not np.isfinite(expected):
            return "no slope to compare with"
        own = function(*values)
        if not np.isclose(own, function(*values), rtol=1e-12):
            return "no value of its own"
        loose = 2e-3 if "32" in f"{way.dtype}{way.call}" else 2e-5
        given = [np.array(v) if np.ndim(v) else v for v in values]
        try:
            value, partials = grad(function)(*given)
            reverse = sum(np.sum(np.real(np.conj(p) * d)) for p, d in zip(partials, along, strict=True))
            for p, v in zip(partials, values, strict=True):
                if np.shape(p) != np.shape(v) or np.asarray(p).dtype != np.asarray(v).dtype:
                    return f"wrong: a partial of shape {np.shape(p)} and dtype {np.asarray(p).dtype}"
            _, tangent = jvp(function)(tuple(along), *values)
        except ADError as refusal:
            return f"refused: {(refusal.reason or refusal.message)[:150]}"
        except Exception as error:  # noqa: BLE001 - it is shown
            return f"raised: {type(error).__name__}: {str(error)[:150]}"
        if value != own and not np.isclose(value, own, rtol=1e-6):
            return f"wrong: the value {value} in place of {own}"
        for mode, got in (("reverse", reverse), ("forward", tangent)):
            if np.isnan(got) and way.name in _UNDETERMINED:
                return "NaN, as the conventions say"
            if not np.isclose(got, expected, rtol=loose, atol=loose):
                return f"wrong: {mode} mode gives {got} in place of {expected}"
    return "right"


def direction(value: Any, rng: np.random.Generator) -> Any:
    """A direction in which a number or an array moves."""
    along = np.asarray(rng.uniform(-1, 1, np.shape(value)))
    if np.iscomplexobj(value):
        along = along + 1j * rng.uniform(-1, 1, np.shape(value))
    return along.astype(value.dtype) if isinstance(value, np.ndarray) else along.item()


def module_of(ways: list[Way], folder: Path, text: Callable[[Way, int], str] = text_of) -> Any:
    """All ways as functions of one module."""
    path = folder / f"numpy_ways_{len(list(folder.iterdir()))}.py"
    whole = "import numpy as np\n\n\n" + "\n\n".join(text(way, k) for k, way in enumerate(ways))
    path.write_text(whole, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main() -> None:
    """Check a share of the ways, and print those that are not right, and how many are."""
    every = int(sys.argv[1]) if sys.argv[1:] else 1
    counts = collections.Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[2:] or names():
            ways = ways_of(name)[::every]
            module = module_of(ways, Path(folder))
            for k, way in enumerate(ways):
                found = checked(getattr(module, f"way_{k}"), way)
                counts[found.partition(":")[0]] += 1
                if ":" in found:
                    sys.stdout.write(f"{way}\n    {found}\n")
                    sys.stdout.flush()
    sys.stdout.write(f"{dict(counts)}\n")


if __name__ == "__main__":
    main()
