# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Printing, names of the module, deletion and random numbers from a seed."""

import math

import numpy as np
from scipy import stats

from ..corpus import program, sample


RATE = 0.3
TABLE = {"gain": 1.5, "offsets": [0.1, 0.2]}
KNOTS = np.array([0.5, 1.0, 1.5])


@program(1.2)
def prints_a_line(x):
    y = x * x
    print("y is", y)
    return y * x


@program(1.2)
def prints_in_a_loop(x):
    y = x
    for i in range(3):
        y = y * x
        print(i, f"{y:.3f}", end=";")
    print()
    return y


@program(sample(3))
def prints_an_array_between_writes(x):
    a = x * 1.0
    print(a.round(3))
    a[0] = a[1] * a[2]
    print(a.round(3), sep="")
    return np.sum(a * a)


@program(1.2)
def prints_from_a_helper_and_a_property(x):
    class Noisy:
        @property
        def v(self):
            print("read")
            return x

    def helper(t):
        print("helper", round(t, 3))
        return t * t

    n = Noisy()
    return helper(n.v) * n.v


@program(1.2)
def global_number_read(x):
    return RATE * x * x + KNOTS[1] * x


@program(1.2)
def global_containers_read(x):
    s = x * TABLE["gain"]
    for o in TABLE["offsets"]:
        s = s * x + o
    return s


@program(sample(3))
def global_array_copied_then_changed(x):
    a = KNOTS.copy()
    a *= x
    a[0] += RATE
    return np.sum(a * KNOTS)


@program(1.2)
def global_declared_and_read(x):
    global RATE
    return RATE * x**3


@program(1.2)
def global_name_shadowed(x):
    RATE = x * 2
    KNOTS = [RATE, x]
    return RATE * KNOTS[0]


@program(1.2, 0.7)
def names_deleted(x, y):
    t = x * y
    u = t * x
    del t
    t = u * u
    del x, u
    x = t + y
    return x * t


@program(sample(3))
def name_deleted_in_a_loop(x):
    s = 1.0
    for v in x:
        t = v * s
        s = s + t * t
        del t
    return s


@program(sample(4))
def noise_from_a_seed(x):
    rng = np.random.default_rng(0)
    noise = rng.normal(size=4)
    return np.sum((x + 0.1 * noise) ** 2)


@program(sample(4))
def noise_drawn_in_a_loop(x):
    """Each number is drawn once: the second draw differs from the first."""
    rng = np.random.default_rng(1)
    s = 1.0
    for v in x:
        s = s * v * rng.uniform(0.5, 1.5) + rng.random()
    return s


@program(sample(4), 0.6)
def dropout(x, w):
    rng = np.random.default_rng(2)
    for _ in range(2):
        keep = rng.random(4) < 0.7
        x = np.where(keep, x * w, 0.1 * x)
    return np.sum(x**2)


@program(sample(5))
def shuffled_and_chosen(x):
    rng = np.random.default_rng(3)
    order = rng.permutation(5)
    batch = rng.choice(5, size=2, replace=False)
    y = x[order]
    y[batch] *= 2.0
    return np.sum(y * np.arange(5.0)) + rng.integers(1, 4) * x[0]


@program(1.2, 0.3)
def monte_carlo_with_a_drift(mu, sigma):
    rng = np.random.default_rng(4)
    total = 0.0
    for _ in range(3):
        s = 1.0
        for z in rng.standard_normal(3):
            s = s * math.exp((mu - 0.5 * sigma**2) * 0.1 + sigma * math.sqrt(0.1) * z)
        total += max(s - 0.9, 0.0)
    return total / 3


@program(0.8)
def generator_passed_to_a_helper(x):
    def noisy(v, rng):
        return v * (1 + 0.1 * rng.normal())

    rng = np.random.default_rng(5)
    a = noisy(x, rng)
    b = noisy(a, rng)
    return a * b + noisy(x, np.random.default_rng(5)) - a


@program(1.2)
def assertions_between(x):
    assert x > 0, "positive"
    y = math.sqrt(x)
    assert isinstance(y, float) and y * y < 10, f"too large: {y}"
    return y * x


@program(1.2)
def docstring_and_annotations(x: float) -> float:
    """Says what it does, as it should."""
    y: float = x * x
    z: "float"
    z = y + 1
    "a string as a statement"
    ...
    pass
    return y * z


@program(sample(3))
def draws_from_distributions(x):
    e = stats.norm.rvs(size=len(x), random_state=0) + stats.gamma(2.0, scale=3.0).rvs(3, random_state=1)
    rng = np.random.default_rng(3)
    k = stats.poisson.rvs(2.0, size=3, random_state=rng)
    normal = stats.multivariate_normal([0.0, 1.0, 2.0], np.eye(3))
    return np.sum(x**2 * e) + np.sum((k + normal.rvs(2, random_state=0)) * x) * stats.uniform.rvs(random_state=4)


@program(sample(3))
def draws_from_distributions_after_a_seed(x):
    np.random.seed(0)
    return np.sum(stats.norm.rvs(size=3) * x**2) * stats.multivariate_normal.rvs(np.zeros(2), np.eye(2))[1]


class _Noisy:
    def __init__(self, v, noise):
        self.v = v
        self.noise = noise


def _noise(rng):
    return rng.normal(size=2)


@program(sample(2))
def noise_put_into_a_list(x):
    rng = np.random.default_rng(6)
    xs = [x]
    xs.append(rng.normal(size=2))
    xs.append(_noise(rng))
    xs.insert(0, rng.normal(size=2))
    return sum(a @ b for a, b in zip(xs, xs[::-1]))


@program(sample(2), 3, static="n")
def noise_in_place_of_items(x, n):
    rng = np.random.default_rng(7)
    xs = [x for _ in range(n)]
    for i in range(1, n):
        xs[i] = rng.normal(size=2)
    xs += [rng.normal(size=2)]
    return sum(a @ b for a, b in zip(xs, xs[::-1]))


@program(sample(2))
def noise_in_objects_and_pairs(x):
    rng = np.random.default_rng(8)
    parts = [_Noisy(x, rng.normal(size=2))]
    parts.append(_Noisy(_noise(rng), x[::-1]))
    pairs = [(x * k, rng.normal(size=2)) for k in range(2)]
    pairs.append((rng.normal(size=2), x))
    for part in parts:
        part.v = part.v * part.noise
    return sum(p.v @ p.noise for p in parts) + sum(a @ b for a, b in pairs)


@program(sample(2))
def counted_values_put_into_a_list(x):
    made = []

    def tick():
        made.append(1.0)
        return np.full(2, float(len(made)))

    xs = [x]
    xs.append(tick())
    xs.append(tick() + tick())
    return sum(a @ b for a, b in zip(xs, xs[::-1])) * len(made)


def _sum_of_two(a, b):
    return a + b


@program(sample(8))
def drawn_masks(x):
    rng = np.random.default_rng(11)
    u = x * 1.0
    np.copyto(u, x[::-1] * 2, where=rng.random(8) < 0.5)
    np.putmask(u, rng.random(8) < 0.3, x)
    np.place(u, rng.random(8) < 0.4, x)
    np.add(x, u, out=u, where=rng.random(8) < 0.5)
    return np.sum(u**2 * x)


@program(sample(8))
def drawn_places(x):
    rng = np.random.default_rng(11)
    u = x * 1.0
    np.put(u, rng.integers(0, 8, size=2), x[:2])
    return np.sum(u**2 * x)


@program(sample(8))
def drawn_places_added_to(x):
    rng = np.random.default_rng(11)
    u = x * 1.0
    np.add.at(u, rng.integers(0, 8, size=5), x[:5])
    return np.sum(u**2 * x)


@program(sample(2))
def drawn_arguments_by_keyword(x):
    rng = np.random.default_rng(12)
    y = _sum_of_two(x, b=rng.normal(size=2))
    z = _sum_of_two(b=rng.normal(size=2), a=y)
    return y @ z


@program(sample(2))
def drawn_items_of_loops(x):
    rng = np.random.default_rng(13)
    s = 0.0
    for v, z in zip(x, rng.normal(size=2)):
        s += math.exp(v * z) * z
    for k in range(rng.integers(1, 3), rng.integers(5, 9), rng.integers(1, 3)):
        s = s * x[1] + math.exp(x[0] * k / 9)
    return s + sum(math.exp(x[0] * z) for z in (rng.normal(), rng.normal()))
