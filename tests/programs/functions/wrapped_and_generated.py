# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Decorators that wrap a function, and generators that feed a loop."""

import functools
import math

from ..corpus import program, sample


def logged(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        result = f(*args, **kwargs)
        return result

    return wrapper


def scaled_by(factor):
    def decorate(f):
        @functools.wraps(f)
        def wrapper(x, *rest):
            return factor * f(x / factor, *rest)

        return wrapper

    return decorate


def averaged(f):
    def wrapper(x):
        return 0.5 * (f(x + 0.1) + f(x - 0.1))

    return wrapper


def repeated(n):
    def decorate(f):
        @functools.wraps(f)
        def wrapper(x):
            for _ in range(n):
                x = f(x)
            return x

        return wrapper

    return decorate


def checked(f):
    @functools.wraps(f)
    def wrapper(x):
        if x <= 0:
            raise ValueError("positive numbers only")
        return f(x)

    return wrapper


@logged
def damped(x, rate=0.3):
    return x * math.exp(-rate * x)


@scaled_by(2.0)
def wavy(x, k):
    return math.sin(k * x)


@averaged
@scaled_by(3.0)
def smooth(x):
    return x**3


@repeated(3)
def logistic(x):
    return 2.5 * x * (1 - x * 0.4)


@checked
def root(x):
    return math.sqrt(x)


def halvings(x, n):
    for k in range(n):
        yield x
        x = x * 0.5 + k


def with_index(values):
    i = 0
    for v in values:
        yield i, v * v
        i += 1


def flattened(tree):
    for part in tree:
        if isinstance(part, (list, tuple)):
            yield from flattened(part)
        else:
            yield part


def newton_iterates(a):
    y = 1.0
    while True:
        yield y
        y = 0.5 * (y + a / y)


def running_mean():
    total, n = 0.0, 0
    mean = None
    while True:
        v = yield mean
        total += v
        n += 1
        mean = total / n


@program(1.2)
def decorated_function(x):
    return damped(x) * damped(x, rate=x)


@program(1.2, 0.7)
def decorated_with_an_argument(x, k):
    return wavy(x, k) * x


@program(1.2)
def decorated_twice(x):
    return smooth(x) * x


@program(0.4)
def decorated_to_repeat(x):
    return logistic(x) + x


@program(1.2)
@program(-1.2, raises=ValueError)
def decorated_with_a_check(x):
    return root(x) * x


@program(1.2, 0.7)
def decorated_inside(x, y):
    def weighted(f):
        return lambda t: y * f(t) + x

    @weighted
    @weighted
    def g(t):
        return t * t

    return g(x)


@repeated(2)
def decorated_itself(x):
    return x * x + math.sin(x)


program(1.2)(decorated_itself)


@program(1.2)
def cached_local_function(x):
    @functools.lru_cache(maxsize=None)
    def term(n):
        return x if n == 0 else term(n - 1) * x * 0.5 + n

    return term(4) * term(2)


@program(1.2)
def dispatched_by_type(x):
    @functools.singledispatch
    def size(v):
        return v * v

    @size.register
    def _(v: list):
        return sum(size(a) for a in v)

    return size([x, 2.0, [x * 3]]) * size(x)


@program(1.2)
def generator_feeds_a_loop(x):
    s = 0.0
    for v in halvings(x, 4):
        s += v * v
    return s * x


@program(sample(3))
def generator_over_a_generator(x):
    s = 1.0
    for i, v in with_index(a * 2 for a in x):
        s = s * v + i
    return s


@program((1.2, [0.7, (0.4, [0.9])]))
def generator_that_delegates(tree):
    values = list(flattened(tree))
    return values[0] * values[3] + sum(flattened(tree)) ** 2


@program(2.0)
def endless_generator_left_by_break(a):
    for y in newton_iterates(a):
        if abs(y * y - a) < 1e-12:
            break
    return y * a


@program(1.2)
def generator_advanced_by_next(x):
    g = halvings(x, 5)
    a = next(g)
    b = next(g)
    s = sum(g)
    return a * b + s


@program(1.2, 0.7)
def generator_that_is_sent_values(x, y):
    g = running_mean()
    next(g)
    a = g.send(x)
    b = g.send(y * x)
    c = g.send(a * b)
    return a * b + c


@program(1.2)
def local_generator_with_captures(x):
    scale = x

    def terms(n):
        t = 1.0
        for k in range(1, n):
            t = t * x / k
            yield t * scale

    scale = 2 * x
    total = 1.0
    for t in terms(5):
        total += t
        scale = scale * 0.9
    return total


@program(1.2)
def two_generators_in_step(x):
    s = 0.0
    for a, b in zip(halvings(x, 4), halvings(x * x, 3)):
        s += a * b
    return s


@program(1.2)
def generator_into_containers(x):
    v = [*halvings(x, 3)]
    a, b, *rest = halvings(x, 4)
    d = {k: t for k, t in enumerate(halvings(x, 3))}
    return v[1] * a + b * rest[1] + d[2]


@program(1.2)
def generator_with_a_return(x):
    def counted(n):
        s = 0.0
        for k in range(n):
            s += x**k
            yield s
        return s * 10

    def outer():
        last = yield from counted(3)
        yield last * x

    return sum(outer())


@functools.lru_cache(maxsize=None)
def _weight(n):
    return 1.0 / (1 + n)


@functools.cache
def _factorial(n):
    return 1 if n <= 1 else n * _factorial(n - 1)


@functools.lru_cache
def _cubic(t):
    return t**3 + t


@program(sample(4))
def functions_with_a_cache(x):
    return sum(_weight(i) * v**2 / _factorial(i) for i, v in enumerate(x)) + _cubic(x[0])
