"""What a module with a derivative has besides it: checks of what its functions are given, and of their numbers."""

from __future__ import annotations

import copy
import sys
from typing import Any

import numpy as np

__all__ = [
    "check_apart",
    "check_kind",
    "check_lengths",
    "compare",
    "compare_tangents",
    "is_kind",
]


def check_kind(name: str, value: Any, kind: Any, words: str) -> None:
    """Raise `TypeError` for an argument that this text was not written for.

    >>> check_kind("w", 1, float, "a float")
    Traceback (most recent call last):
        ...
    TypeError: w: this text was written for a float, not for int
    """
    if not is_kind(value, kind):
        given = type(value).__name__
        if isinstance(value, np.ndarray):
            given = f"an array of {value.dtype} and shape {value.shape}"
        raise TypeError(f"{name}: this text was written for {words}, not for {given}")


def check_lengths(fits: bool, words: str) -> None:
    """Raise `ValueError` for arguments that this text was not written for.

    >>> check_lengths(len("ab") >= 3, "len(x) >= 3")
    Traceback (most recent call last):
        ...
    ValueError: this text was written for calls where len(x) >= 3
    """
    if not fits:
        raise ValueError(f"this text was written for calls where {words}")


def check_apart(name: str, value: Any, others: Any, classes: Any = ()) -> None:
    """Raise `ValueError` where an argument that is changed shares memory with another one.

    `classes` are the names of the classes of which lists, dicts and objects are changed in
    it; "" stands for any.

    >>> x = np.ones(3)
    >>> check_apart("x", x, {"y": x[1:]})
    Traceback (most recent call last):
        ...
    ValueError: x is changed, and shares memory with y: pass a copy
    """

    def held(value: Any, found: list[Any]) -> list[Any]:
        """The arrays in a value, and what else may be changed."""
        if isinstance(value, np.ndarray):
            found.append(value)
            return found
        parts = vars(value).values() if hasattr(value, "__dict__") else ()
        if isinstance(value, dict):
            parts = value.values()
        if isinstance(value, (list, tuple)):
            parts = value
        changeable = isinstance(value, (list, dict)) or hasattr(value, "__dict__")
        if changeable and ("" in classes or type(value).__name__ in classes):
            found.append(value)
        for part in parts:
            held(part, found)
        return found

    def shares_places(x: Any) -> bool:
        if not isinstance(x, np.ndarray) or not x.flags.writeable:
            return False
        reach = x.itemsize
        for step, length in sorted(zip(map(abs, x.strides), x.shape, strict=True)):
            if length > 1 and step < reach:
                return True
            reach += step * (length - 1)
        return False

    def same(a: Any, b: Any) -> bool:
        if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
            return bool(np.may_share_memory(a, b))
        return a is b

    own = held(value, [])
    for k, mine in enumerate(own):
        if shares_places(mine) or any(same(mine, other) for other in own[:k]):
            raise ValueError(
                f"parts of {name} share memory, and it is changed: pass a copy"
            )
    for other, there in others.items():
        if any(same(mine, theirs) for mine in own for theirs in held(there, [])):
            raise ValueError(
                f"{name} is changed, and shares memory with {other}: pass a copy"
            )


def is_kind(value: Any, kind: Any) -> bool:
    """Whether a value is of a kind: a class, a text, None, an array, or containers.

    An array is told by its dtype and its lengths. These count as 0, 1 or 2 (that is more
    than 1). `[kind]` is a list, `{key: kind}` a dict, `("C", {name: kind})` an object,
    `("tuple", [kinds])` what has so many items.

    >>> is_kind(np.ones((5, 1)), ("float64", (2, 1))), is_kind([1.0, 2.0], [float])
    (True, True)
    """
    if isinstance(kind, type):
        return type(value) is kind or (kind is float and isinstance(value, float))
    if kind is None or isinstance(kind, str):
        return type(value) is type(kind) and value == kind
    if isinstance(kind, list):
        return isinstance(value, list) and all(is_kind(item, kind[0]) for item in value)
    if isinstance(kind, dict):
        same = list(value) == list(kind)
        return same and all(is_kind(value[k], kind[k]) for k in kind)
    if isinstance(kind[1], dict):
        same = type(value).__name__ == kind[0]
        return same and all(is_kind(getattr(value, k), kind[1][k]) for k in kind[1])
    if isinstance(kind[1], list):
        same = type(value).__name__ == kind[0] and len(value) == len(kind[1])
        return same and all(map(is_kind, value, kind[1]))
    if type(value) not in (np.ndarray, np.memmap) or value.dtype != kind[0]:
        return False
    return bool(tuple(min(length, 2) for length in value.shape) == kind[1])


def compare(
    function: Any,
    inputs: Any,
    wrt: Any,
    value_of: Any = None,
    *,
    bare: bool = False,
    seed: bool = False,
) -> None:
    """Compare partials with differences of the value along random directions.

    `wrt` are the places of the inputs. `value_of` computes the value, where `function`
    returns partials alone; `bare`: there is one partial, in no tuple; `seed`: the first
    input is what the numbers of the value are multiplied by. Where they differ, the
    program ends with an error.

    >>> compare(lambda x: (x * x, (2 * x,)), (3.0,), ((0,),))
    <lambda>: its partials agree with differences
    """

    def moved(value: Any, partial: Any, step: float, random: Any) -> Any:
        """A value moved a step in a random direction, and how fast the result grows."""
        if isinstance(value, dict):
            found = [moved(value[k], partial[k], step, random) for k in value]
            new = {k: part for k, (part, _) in zip(value, found, strict=True)}
            return new, sum(slope for _, slope in found)
        if isinstance(value, (list, tuple)):
            pairs = zip(value, partial, strict=True)
            found = [moved(v, p, step, random) for v, p in pairs]
            made = getattr(value, "_make", type(value))  # of named tuples
            return made([part for part, _ in found]), sum(s for _, s in found)
        if hasattr(value, "__dict__"):
            new, total = copy.copy(value), 0.0
            for name, old in vars(value).items():
                part, slope = moved(old, getattr(partial, name), step, random)
                object.__setattr__(new, name, part)
                total += slope
            return new, total
        if np.asarray(value).dtype.kind not in "fc":
            return value, 0.0
        along = random.standard_normal(np.shape(value))
        if np.asarray(value).dtype in (np.float32, np.complex64):
            along = along * 1e3  # which leaves more digits
        new = value + step * np.asarray(along, np.asarray(value).real.dtype)
        new = new if isinstance(value, np.ndarray) else type(value)(new)
        return new, np.tensordot(np.real(partial), along, along.ndim)

    def weighed(value: Any, seed: Any) -> Any:
        """The numbers of a value, each times that of the seed, added up."""
        if isinstance(seed, dict):
            return sum(weighed(value[k], seed[k]) for k in seed)
        if isinstance(seed, (list, tuple)):
            return sum(map(weighed, value, seed))
        if hasattr(seed, "__dict__"):
            return weighed(vars(value), vars(seed))
        return np.sum(np.real(np.conj(seed) * value))

    def at(step: float, place: Any, partial: Any) -> Any:
        """The value where one input has moved, and how fast it grows there."""
        given = list(copy.deepcopy(inputs))
        holder: Any = dict(enumerate(given))
        top = holder
        for key in place[:-1]:
            holder = holder[key] if isinstance(holder, dict) else vars(holder)[key]
        held = holder if isinstance(holder, dict) else vars(holder)
        random = np.random.default_rng(1)
        held[place[-1]], slope = moved(held[place[-1]], partial, step, random)
        given = list(top.values())
        value = function(*given)[0] if value_of is None else value_of(*given)
        if seed:
            return weighed(value, inputs[0]), slope
        value = value[0] if isinstance(value, tuple) else value
        return np.real(np.asarray(value, dtype=complex)), slope

    result = function(*copy.deepcopy(inputs))
    partials = result if value_of is not None else result[1]
    for k, place in enumerate(wrt):
        partial = partials if bare else partials[k]
        ahead, slope = at(1e-5, place, partial)
        behind, _ = at(-1e-5, place, partial)
        off = np.max(np.abs((ahead - behind) / 2e-5 - slope), initial=0.0)
        if not off <= 1e-3 * np.max(np.abs([slope, ahead, 1.0 + 0.0 * ahead])):
            text = f"{function.__name__}: partial {k + 1} is not the slope of the value"
            raise SystemExit(text)
    sys.stdout.write(f"{function.__name__}: its partials agree with differences\n")


def compare_tangents(function: Any, inputs: Any, wrt: Any, count: int) -> None:
    """Compare the tangent of a value with differences along the tangents of the inputs.

    Of the inputs the first `count` are arguments, and behind them stand the tangents of
    those at the places `wrt`. Where they differ, the program ends with an error.

    >>> compare_tangents(lambda x, x_dot: (x * x, 2 * x * x_dot), (3.0, 0.5), ((0,),), 1)
    <lambda>: its tangent agrees with differences
    """

    def moved(value: Any, tangent: Any, step: float) -> Any:
        """A value moved a step along its tangent."""
        if isinstance(value, dict):
            return {k: moved(value[k], tangent[k], step) for k in value}
        if isinstance(value, (list, tuple)):
            made = getattr(value, "_make", type(value))  # of named tuples
            pairs = zip(value, tangent, strict=True)
            return made([moved(v, t, step) for v, t in pairs])
        if hasattr(value, "__dict__"):
            new = copy.copy(value)
            for name, old in vars(value).items():
                object.__setattr__(new, name, moved(old, getattr(tangent, name), step))
            return new
        if np.asarray(value).dtype.kind not in "fc":
            return value
        far = step * np.asarray(tangent, np.asarray(value).dtype)
        new = value + far
        return new if isinstance(value, np.ndarray) else type(value)(new)

    def numbers(value: Any) -> Any:
        """The numbers of a value in one vector."""
        if isinstance(value, dict):
            return numbers(list(value.values()))
        if isinstance(value, (list, tuple)):
            return np.concatenate([np.zeros(0), *map(numbers, value)])
        if hasattr(value, "__dict__"):
            return numbers(vars(value))
        return np.ravel(np.asarray(value, dtype=complex))

    def at(step: float) -> Any:
        """The value where all inputs have moved."""
        given = list(copy.deepcopy(inputs))
        for place, tangent in zip(wrt, inputs[count:], strict=False):
            holder: Any = given
            for key in place[:-1]:
                is_object = hasattr(holder, "__dict__")
                holder = vars(holder)[key] if is_object else holder[key]
            held = vars(holder) if hasattr(holder, "__dict__") else holder
            held[place[-1]] = moved(held[place[-1]], tangent, step)
        return numbers(function(*given)[0])

    _, value_dot = function(*copy.deepcopy(inputs))
    slope, ahead, behind = numbers(value_dot), at(1e-5), at(-1e-5)
    off = np.max(np.abs((ahead - behind) / 2e-5 - slope), initial=0.0)
    if not off <= 1e-3 * np.max(np.abs([slope, ahead]), initial=1.0):
        text = f"{function.__name__}: its tangent is not the slope of the value"
        raise SystemExit(text)
    sys.stdout.write(f"{function.__name__}: its tangent agrees with differences\n")
