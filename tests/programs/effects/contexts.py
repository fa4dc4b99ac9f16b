# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""`with` blocks: what they change on the way in and out, and how they are left."""

import contextlib
import warnings

import numpy as np

from ..corpus import program, sample


class Scope:
    def __init__(self, log, name):
        self.log = log
        self.name = name

    def __enter__(self):
        self.log.append(f"+{self.name}")
        return self

    def __exit__(self, *error):
        self.log.append(f"-{self.name}")
        return False


class Suppress:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        return kind is ZeroDivisionError


class Restored:
    """Puts an element of an array back when the block is left."""

    def __init__(self, a, i):
        self.a, self.i = a, i

    def __enter__(self):
        self.old = self.a[self.i]
        return self.old

    def __exit__(self, *error):
        self.a[self.i] = self.old


@contextlib.contextmanager
def scaled(a, s):
    a *= s
    yield a
    a /= s


@contextlib.contextmanager
def attribute(thing, value):
    old = thing["level"]
    thing["level"] = value
    try:
        yield thing
    finally:
        thing["level"] = old


@program(np.array([-0.5, 1.2, 0.7]))
def errors_ignored_around_a_logarithm(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        y = np.where(x > 0, np.log(x), 0.0)
    return np.sum(y * y)


@program(
    np.array([1.0, 3.0, 2.0]),
    np.array([0.0, 2.0, 0.5]),
    nonsmooth=True,
    partials={"x": np.array([0.0, 1.5, 16.0]), "d": np.array([0.0, -2.25, -64.0])},
)
def errors_ignored_around_a_division(x, d):
    """The quotient by zero is left out, and contributes nothing, for all its infinite slope; all in silence."""
    with np.errstate(all="ignore"):
        q = x / d
    return np.sum(q[1:] ** 2)


@program(
    np.array([1.0, 3.0, 2.0]),
    np.array([0.0, 2.0, 0.5]),
    nonsmooth=True,
    partials={"x": np.array([0.0, 1.5, 16.0]), "d": np.array([0.0, -2.25, -64.0])},
)
def errors_ignored_in_a_loop_that_is_left(x, d):
    while True:
        with np.errstate(all="ignore"):
            q = x / d
        return np.sum(q[1:] ** 2)


@program(1.2)
def errors_raised_only_in_the_block(x):
    with np.errstate(over="raise"):
        y = np.exp(np.float64(x)) * x
    with np.errstate(over="ignore"):
        z = np.exp(np.float64(800.0) * x)
    return y if np.isinf(z) else x


@program(1.2)
def nested_contexts(x):
    log = []
    with Scope(log, "a"):
        y = x * x
        with Scope(log, "b") as inner, Scope(log, "c"):
            y = y * len(log) + len(inner.name)
        z = y * x
    return z * len(log)


@program(1.2)
def return_inside_a_context(x):
    log = []
    with Scope(log, "a"):
        if x > 1:
            return x * x * len(log)
        x = x * 2
    return x


@program(1.2)
def loop_left_inside_a_context(x):
    log = []
    y = x
    for i in range(5):
        with Scope(log, str(i)):
            y = y * x
            if y > 2:
                break
            if i == 1:
                continue
            y = y + 0.1
        y = y * 1.1
    return y * len(log)


@program(1.2)
def context_that_swallows_an_exception(x):
    y = x
    with Suppress():
        y = y * x
        y = y / 0 if y > 1 else y + 1
        y = 100.0
    return y * x


@program(1.2)
def suppressed_by_contextlib(x):
    d = {"a": x}
    y = x * x
    with contextlib.suppress(KeyError):
        y = y * d["a"]
        y = y * d["b"]
        y = 100.0
    return y


@program(sample(3))
def element_restored_on_exit(x):
    a = x * 1.0
    with Restored(a, 1) as old:
        a[1] = x[0] * x[2]
        s = np.sum(a * a) * old
    return s * np.sum(a)


@program(sample(3), 1.7)
def context_by_a_generator(x, s):
    a = x * 1.0
    with scaled(a, s) as b:
        t = np.sum(b * b * x)
        a[0] += t
    return t * np.sum(a)


@program(1.2, 0.7)
def setting_changed_for_a_block(x, y):
    settings = {"level": x}
    s = settings["level"]
    with attribute(settings, y * x) as changed:
        s = s * changed["level"]
        changed["extra"] = s
    return s + settings["level"] * settings["extra"]


@program(1.2)
def closing_and_exit_stack(x):
    log = []
    with contextlib.ExitStack() as stack:
        for name in "ab":
            stack.enter_context(Scope(log, name))
        y = x * len(log)
    with contextlib.nullcontext(y * x) as z:
        return z * len(log)


@program(1.2)
def warning_caught(x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.warn("expected")
        y = x * x
    return y * x
