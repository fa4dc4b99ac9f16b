"""Ordinary functions of many shapes, each with example arguments and the transformation whose text is kept as golden.

A golden file names the line where its function stands, so a new function goes to the end of this file.
"""
# ruff: noqa: ANN001, ANN201, ANN202, ANN204, B007, B905, E501, N803, N806, SIM108, UP035
# The functions are what people write, lint included: to tidy them up would take shapes away.

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Callable, NamedTuple

import numpy as np

from adcompile import derivative, grad, jvp, value_and_grad, vjp


class Case(NamedTuple):
    """A function, how it is transformed, and what it is called with."""

    name: str
    primal: Callable[..., Any]
    make: Callable[[], Any]  # a fresh compilation
    how: str  # the transformation, as a user writes it
    lead: tuple[Any, ...]  # the seed or the tangents, in front of the arguments
    arguments: tuple[Any, ...]


CASES: list[Case] = []


def case(fn: Any, *arguments: Any, by: Any = grad, lead: tuple[Any, ...] = (), twice: bool = False, name: str = "",
         **options: Any) -> None:
    """Keep the text of `by(fn, **options)` at these arguments as golden."""
    listed = ", ".join([fn.__name__, *(f"{k}={v!r}" for k, v in options.items())])
    how = f"{by.__name__}({listed})"

    def make() -> Any:
        return by(by(fn, **options), **options) if twice else by(fn, **options)

    CASES.append(Case(name or fn.__name__, fn, make, f"{by.__name__}({how})" if twice else how, lead, arguments))


# ---------------------------------------------------------------------------------------------------- straight lines


def relu(z):
    return max(z, 0.0)


def neuron(x, w, b):
    u = x * w  # pre-activation
    v = u + b
    a = relu(v)
    return a


case(neuron, 3.0, 2.0, 1.0, intermediates="u v")


def two_variables(x1, x2):
    return (1 + math.sin(x2)) / (x2 + math.exp(x1)) + x1 * x2


case(two_variables, 1.5, 0.5)


def two_variables_numpy(x1, x2, c):
    top = c + np.sin(x2)
    bottom = x2 + np.exp(x1)
    return top / bottom + x1 * x2


case(two_variables_numpy, 1.5, 0.5, 1.0, intermediates="*")


def tanh(x):
    """The hyperbolic tangent, written out."""
    y = math.exp(-2.0 * x)
    return (1.0 - y) / (1.0 + y)


case(tanh, 1.0)


def reassigned(x, y):
    x = x * y
    x = math.sin(x)
    y += x
    x = x * y
    return x


case(reassigned, 0.5, 0.25)


def polynomial(x, a=1.5, b=-0.5):
    return a * x**3 + b * x**2 - x / 3 + 2


case(polynomial, 1.25)


def distance(x1, y1, x2, y2):
    dx, dy = x2 - x1, y2 - y1
    return math.hypot(dx, dy)


case(distance, 0.0, 1.0, 3.0, 5.0)


def commented(x, k):
    """Energy of a spring.

    The docstring has two paragraphs.
    """
    # First the force,
    # by Hooke's law.
    force = -k * x  # towards zero

    # Then the energy.
    energy = -0.5 * force * x
    return energy  # in joules


case(commented, 0.5, 3.0)


def taken_names(x_bar, np, seed):
    x = x_bar * np
    f_bar = x + seed
    return f_bar * x


case(taken_names, 2.0, 3.0, 4.0)


def subset(x, a, b):
    u = math.log(a) * b
    return u * math.sin(x) + b


case(subset, 0.5, 2.0, 3.0, wrt="x")


def counted(x, n: int):
    return x**n / math.factorial(n)


case(counted, 1.5, 4)


# ----------------------------------------------------------------------------------------------------------- branches


def huber(r, delta):
    if abs(r) <= delta:
        loss = 0.5 * r * r
    else:
        loss = delta * (abs(r) - 0.5 * delta)
    return loss


case(huber, 2.0, 1.5)


def bands(income):
    # Three tax bands.
    if income < 10.0:
        tax = 0.0
    elif income < 50.0:
        tax = 0.2 * (income - 10.0)
    else:
        tax = 8.0 + 0.4 * (income - 50.0)
    return income - tax


case(bands, 60.0)


def nested_branches(x, y):
    if x > 0.0:
        z = x * x
        if y > z:
            z = z * y
        else:
            z = z + y
    else:
        z = y
    return math.sin(z)


case(nested_branches, 1.5, 3.0)


def leaky(x, slope):
    return x if x > 0 else slope * x


case(leaky, -2.0, 0.1)


def early_return(x, y):
    if x < 0.0:
        return x * y
    z = x + y
    if z > 10.0:
        return z
    return z * z


case(early_return, 1.0, 2.0)


# -------------------------------------------------------------------------------------------------------------- loops


def newton_root(a, x):
    while abs(x * x - a) > 1e-10:
        x = 0.5 * (x + a / x)
    return x


case(newton_root, 2.0, 1.0)


def recurrence(x, h, steps):
    for _ in range(steps):
        x = x + h * math.sin(x)
    return x


case(recurrence, 0.5, 0.1, 10)


def backwards_in_twos(x):
    total = 0.0
    for k in range(9, 0, -2):
        total += x**k / k
    return total


case(backwards_in_twos, 0.5)


def horner(coefficients, x):
    p = 0.0
    for c in coefficients:
        p = p * x + c
    return p


case(horner, np.array([2.0, -1.0, 0.5]), 1.5)


def over_list(weights, x):
    total = 0.0
    for w in weights:
        total += math.tanh(w * x)
    return total


case(over_list, [0.5, -1.0, 2.0], 0.75)


def pairs(xs, ys, slope):
    error = 0.0
    for x, y in zip(xs, ys):
        residual = y - slope * x
        error += residual**2
    return error


case(pairs, [1.0, 2.0, 3.0], [2.0, 4.5, 6.0], 2.0)


def numbered(values):
    total = 0.0
    for i, v in enumerate(values, start=1):
        total += v**2 / i
    return total


case(numbered, np.array([1.0, 2.0, 3.0]))


def nested_loops(a, n, m):
    total = 0.0
    for i in range(n):
        row = 1.0
        for j in range(m):
            row *= a + i * j
        total += row
    return total


case(nested_loops, 0.5, 3, 2)


def break_out(x, limit):
    n = 0
    while n < 100:
        x = x * 1.5
        n += 1
        if x > limit:
            break
    return x * limit


case(break_out, 1.0, 20.0)


def skip_some(xs):
    total = 0.0
    for x in xs:
        if x < 0.0:
            continue
        total += math.sqrt(x)
    return total


case(skip_some, np.array([4.0, -1.0, 9.0]))


def search(xs, limit):
    total = 0.0
    for x in xs:
        total += x * x
        if total > limit:
            break
    else:
        total = total * limit
    return total


case(search, [1.0, 2.0, 0.5], 100.0)


def fibonacci(a, b, n):
    for _ in range(n):
        a, b = b, a * b + 1.0
    return b


case(fibonacci, 0.5, 0.75, 5)


# ------------------------------------------------------------------------------------------------------------- arrays


def elementwise(x):
    y = np.exp(-(x**2)) * np.cos(x)
    return np.sum(y)


case(elementwise, np.array([0.0, 0.5, 1.0]))


def linear_layer(x, W, b):
    z = x @ W + b
    return np.mean(z**2)


case(linear_layer, np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), np.array([[0.5, 1.0], [-1.0, 0.25]]), np.array([0.1, 0.2]))


def mlp(X, Y, W1, b1, W2, b2):
    hidden = np.tanh(X @ W1 + b1)
    logits = hidden @ W2 + b2
    shifted = logits - logits.max(axis=1, keepdims=True)
    log_p = shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))
    return -np.mean(np.sum(Y * log_p, axis=1))


case(mlp, np.array([[1.0, 2.0], [3.0, -4.0], [0.5, 0.25]]), np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]),
     np.array([[0.5, 1.0, -0.25], [-1.0, 0.25, 0.5]]), np.array([0.1, 0.2, 0.3]),
     np.array([[0.5, -0.5], [0.25, 1.0], [1.0, 0.125]]), np.array([0.0, 0.5]), wrt="W1 b1 W2 b2")


def logsumexp(x):
    m = np.max(x)
    return m + np.log(np.sum(np.exp(x - m)))


case(logsumexp, np.array([1.0, 2.0, 3.0]))


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


case(softmax, np.array([[1.0, 2.0], [0.5, -0.5]]), by=vjp, lead=(np.array([[1.0, 0.0], [0.5, 2.0]]),))


def standardised(x):
    mean = x.mean(axis=0)
    spread = np.sqrt(((x - mean) ** 2).mean(axis=0))
    return np.prod((x[0] - mean) / spread)


case(standardised, np.array([[1.0, 2.0], [3.0, 5.0], [4.0, 9.0]]))


def heat(u, alpha, steps):
    for t in range(steps):
        inner = u[1:-1] + alpha * (u[2:] - 2 * u[1:-1] + u[:-2])
        u = np.concatenate([u[:1], inner, u[-1:]])  # the ends stay
    energy = np.sum(u**2)
    return energy


case(heat, np.array([0.0, 1.0, 3.0, 2.0, 0.0]), 0.1, 3)


def roughness(u):
    du = u[1:] - u[:-1]
    return np.dot(du, du)


case(roughness, np.array([0.0, 1.0, 3.0, 2.0]))


def indexed(x, w):
    total = 0.0
    for i in range(1, len(x) - 1):
        total += w * x[i] * (x[i + 1] - x[i - 1])
    return total


case(indexed, np.array([1.0, 2.0, 4.0, 3.0]), 0.5)


def smoothed(x, r):
    y = x[0]
    total = y * y
    for i in range(1, len(x)):
        y = r * y + x[i]
        total += y * y
    return total


case(smoothed, np.array([1.0, 2.0, 4.0]), 0.5)


def gathered(x, where):
    picked = x[where]
    return np.sum(picked**3)


case(gathered, np.array([1.0, 2.0, 4.0]), np.array([0, 2, 2, 1]))


def joined(a, b):
    c = np.concatenate([a, b])
    d = np.stack([a, a * b], axis=1)
    return np.sum(c**2) + np.sum(np.sin(d))


case(joined, np.array([1.0, 2.0]), np.array([0.5, 0.25]))


def clipped(x, low):
    y = np.clip(x, -1.0, 2.0)
    z = np.maximum(y, low)
    return np.sum(np.where(x > 0.0, z**2, 0.5 * z))


case(clipped, np.array([-2.0, -0.5, 1.0, 3.0]), 0.25)


def products(a, b):
    n = np.linalg.norm(a)
    return np.dot(a, b) / n + np.sum(np.outer(a, b) ** 2)


case(products, np.array([3.0, 4.0]), np.array([0.5, 0.25]))


def solved(A, b):
    x = np.linalg.solve(A, b)
    return x @ x


case(solved, np.array([[2.0, 1.0], [0.5, 3.0]]), np.array([1.0, 2.0]))


def single_precision(x, w):
    y = np.sin(x) * w
    return np.sum(y * y)


case(single_precision, np.array([0.5, 1.0], dtype=np.float32), np.float32(2.0))


def cube_of_dot(x):
    z = x**2
    y = np.dot(x, z)
    return y


case(cube_of_dot, np.array([0.0, 1.0, 2.0, 3.0]), intermediates="z")


# -------------------------------------------------------------------------------------------------------------- calls


def square(t):
    return t * t


def one_expression_helper(x, y):
    return square(x + y) - square(x)


case(one_expression_helper, 1.0, 2.0)


def power_sum(x, n):
    s = 0.0
    for _ in range(n):
        s = s * x + math.sin(x)
    return s


def helper_with_loop(x, y):
    p = power_sum(x, 3)
    q = power_sum(y, 4)
    return p * q


case(helper_with_loop, 0.5, 0.75)


def power(x, n):
    if n == 0:
        return 1.0
    return x * power(x, n - 1)


case(power, 1.5, 4)


def make_damped(rate):
    def damped(x):
        return math.exp(-rate * x) * x

    return damped


case(make_damped(0.5), 2.0)


def apply_twice(f, x):
    return f(f(x))


def with_lambda(x, k):
    return k * apply_twice(lambda t: t * math.sin(t), x)


case(with_lambda, 0.5, 1.5)


def with_inner_function(x, k):
    def spring(t):
        return k * t

    return spring(spring(x)) + spring(1.0)


case(with_inner_function, 0.5, 1.5)


# --------------------------------------------------------------------------------------------------------- structures


def layers(x, params):
    for W, b in params:
        x = np.tanh(W @ x + b)
    return np.sum(x)


case(layers, np.array([0.5, -1.0]), [(np.array([[1.0, 0.5], [0.25, -1.0]]), np.array([0.1, 0.2])),
                                     (np.array([[0.5, -0.5], [1.0, 2.0]]), np.array([0.0, 0.3]))])


def pendulum(state, p):
    angle, speed = state
    return 0.5 * p["mass"] * speed**2 - p["mass"] * p["g"] * math.cos(angle)


case(pendulum, (0.5, 1.0), {"mass": 2.0, "g": 9.81})


@dataclass
class Spring:
    stiffness: float
    length: float


class Point(NamedTuple):
    x: float
    y: float


def spring_energy(spring: Spring, a: Point, b: Point):
    stretch = math.hypot(b.x - a.x, b.y - a.y) - spring.length
    return 0.5 * spring.stiffness * stretch**2


case(spring_energy, Spring(3.0, 1.0), Point(0.0, 0.0), Point(3.0, 4.0))


# -------------------------------------------------------------------------------------------- the other transformations


def rotation(angle, p):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * p[0] - s * p[1], s * p[0] + c * p[1]])


case(rotation, 0.5, np.array([1.0, 2.0]), by=vjp, lead=(np.array([0.5, 2.0]),))


def oscillator(x, v, k, dt, steps):
    for _ in range(steps):
        v = v - dt * k * x
        x = x + dt * v
    return x


case(oscillator, 1.0, 0.0, 2.0, 0.1, 5, by=jvp, lead=((1.0, 0.5),), wrt="x k")
case(oscillator, 1.0, 0.0, 2.0, 0.1, 5, by=value_and_grad, wrt="k dt", name="oscillator_value_and_grad")


def sampled(x, w):
    y = np.where(x > 0.75, np.sin(x) * w, 0.0)
    return y / np.sum(y**2)


case(sampled, np.array([0.5, 1.0, 1.5]), 2.0, by=jvp, lead=((np.array([1.0, 0.5, 0.25]), 1.0),))


def wave(x):
    return x**2 * math.sin(x)


case(wave, 1.5, by=derivative, twice=True)


def damped_growth(x, n):
    for _ in range(n):
        x = x + 0.1 * x * (1.0 - x)
    return x


case(damped_growth, 0.25, 4, by=derivative, twice=True, wrt="x")


# ------------------------------------------------------------------------------------------------------- more of these


def even_part(x, n):
    if n == 0:
        return 1.0
    return x * odd_part(x, n - 1)


def odd_part(x, n):
    if n == 0:
        return x
    return x + even_part(x, n - 1)


case(even_part, 1.5, 3)


def loss_and_prediction(x, y, slope, *, offset=0.25):
    prediction = slope * x + offset
    residual = prediction - y
    return np.sum(residual**2), prediction


case(loss_and_prediction, np.array([1.0, 2.0]), np.array([0.5, 3.0]), 1.5, has_aux=True, wrt="slope offset")


class Gauss:
    def __init__(self, width):
        self.width = width

    def height(self, x):
        return math.exp(-((x / self.width) ** 2))


case(Gauss(2.0).height, 1.0)


def last_first(xs):
    p = 1.0
    for x in reversed(xs):
        p = x / (1.0 + p)
    return p


case(last_first, (1.0, 2.0, 3.0))


def every_step(x, h):
    for _ in range(3):
        step = h * math.cos(x)
        x = x - step
    return x


case(every_step, 0.5, 0.1, intermediates="step")


# ---------------------------------------------------------------------------------------------- exceptions, contexts


def log_or_line(x):
    try:
        y = math.log(x)
    except ValueError:  # there is no logarithm
        y = x - 1.0
    return y * y


case(log_or_line, 1.5)


def as_far_as_it_goes(x, k):
    y = x
    try:
        y = math.sqrt(y)
        y = y / k
    except ZeroDivisionError:
        y = y * x
    return y


case(as_far_as_it_goes, 1.5, 2.0, wrt="x")


def until_the_end(xs):
    s = 1.0
    try:
        for i in range(10):
            s = s * xs[i] + i
    except IndexError:
        s = s * i
    return s


case(until_the_end, np.array([1.0, 2.0, 3.0]))


def quiet_ratio(x, d):
    with np.errstate(divide="ignore", invalid="ignore"):
        r = x / d
    return np.sum(np.where(d > 0.0, r, 0.0))


case(quiet_ratio, np.array([1.0, 2.0, 3.0]), np.array([0.5, 1.0, 2.0]))


def tidied_up(x):
    log = []
    try:
        y = x * x
        z = math.log(y)
    finally:
        log.append("done")
    return y * z


case(tidied_up, 1.5)


def by_kind(x, kind):
    match kind:
        case "square" | "quadratic":
            y = x * x
        case "sine":
            y = math.sin(x)
        case other:
            raise ValueError(other)
    return 2.0 * y


case(by_kind, 1.5, "sine")
case(as_far_as_it_goes, 1.5, 2.0, by=jvp, lead=((1.0,),), wrt="x", name="as_far_as_it_goes_forward")


def three_rounds(x):
    s = x
    for i in range(2):
        s = s * x + i
    for i in range(5, 2, -1):
        s = s + i * x
    for i in range(i, i + 2):  # noqa: B020 - the case
        s = s * x - i
    return s + i


case(three_rounds, 1.1)
