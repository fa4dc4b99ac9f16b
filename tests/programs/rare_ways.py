# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""What no other program needs: each of these takes a way through the compiler that it alone takes.

They were written for lines and conditions that none of the others reached, or found to matter.
"""

import contextlib
import itertools
import math

import numpy as np

from .corpus import program, sample

INPUTS = sample(3, 2)


@program(sample(2), sample(2, 4))
def rows_of_a_product_added_up(b, w):
    return np.sum(np.tanh((INPUTS + b) @ w))


@program(sample(4), sample(4, seed=1), 3, static="n")
def negatives_moved_about(x, y, n):
    t = np.ones(4)
    for _ in range(n):
        t = np.sin(t) - np.roll(y, 1) * x - np.flip(y)
    return np.sum(t * t)


@program(0.7, -0.4, 5, static="n")
@program(0.7, 1.4, 5, static="n")
def one_side_and_a_negative(x, y, n):
    t = 0.0
    for k in range(n):
        z = x + k
        t += max(z * y + math.sin(y), -z)
    return t


@program(0.7, 0.2, 5, static="n")
@program(2.7, 0.2, 5, static="n")
def greater_of_two_beside_a_choice(x, y, n):
    t = 0.0
    for k in range(n):
        z = x - y
        p = math.sin(z)
        q = math.cos(z)
        t += -max(p, q) * k - (p if p > q else math.exp(q))
    return t


@program(2.5, 5, static="n")
@program(0.7, 2, static="n")
def perhaps_none_in_a_try(x, n):
    best = None
    t = 0.0
    for k in range(n):
        try:
            v = math.log(x - k)
            if best is None or v > best:
                best = v * x
        except ValueError:
            best = None
            t += x
        else:
            t += v * v
        finally:
            t *= 1.5
        if best is not None:
            t += best
    return t


@program(2.5, 4, static="n")
@program(0.5, 4, static="n")
def perhaps_none_and_perhaps_left(x, n):
    last = None
    t = 1.0
    for k in range(n):
        with contextlib.suppress(ValueError):
            v = math.sqrt(x - k)
            last = v if last is None else last * v
        with contextlib.nullcontext(x * k) as z:
            t += z
        if last is not None and last > 0.0:
            t += last * t
    return t


@program(0.9, 5, static="n")
def the_text_of_an_exception(x, n):
    t = 0.0
    said = []
    for k in range(n):
        try:
            if x * k > 2.0:
                raise ValueError(x * k)
            t += x * x
        except ValueError as e:
            said.append(f"{e}")
            t += x
    return t * len(said)


@program(1.4, [0.4, 2.9, 3.0, 5.0, 1.0])
@program(1.4, [0.4, 0.3, -1.0])
@program(1.4, [0.4, 0.0, 0.3], wrt="x")
@program(0.1, [0.4, 0.2])
def a_try_that_leaves_the_loop_in_its_body(x, ys):
    t = 0.0
    for y in ys:
        try:
            if y < 0.0:
                break
            t += math.log(y) * x
        except ValueError:
            t += x
            break
        else:
            if t > 3.0:
                break
            t *= x
        finally:
            t += y
    else:
        t = t * t
    return t


@program(sample(3), sample(3, seed=1))
def put_and_finite(a, w):
    b = a * 2.0
    b.put([0, 2], [w[0], w[1] * w[1]])
    np.nan_to_num(b, copy=False)
    return np.sum(b * b * a)


def _in_turn(x, n):
    for k in range(n):
        if k % 2:
            yield x * k
        else:
            yield x - k


@program(1.3, 4, static="n")
@program(1.3, 0, static="n")
def what_is_yielded_goes_into_a_place(x, n):
    a = [x, 0.5]
    t = 0.0
    for a[1] in _in_turn(x, n):
        t += a[1] * a[1] * x
    return t + a[1] * a[0]


@program(1.3, 0.4)
@program(0.4, 1.3)
def names_within_either_branch(x, y):
    t = x + ((a := x * y) * a if x > y else (b := math.sin(y)) * b + x) * y
    return t * t


@program(1.3, [0.1, 0.9, 2.0])
@program(1.3, [0.1, 0.2])
def the_first_that_fits_named(x, ys):
    if any((v := y * x) > 1.0 for y in ys):
        return v * x
    return x


@program(sample(3))
def a_list_of_rows_multiplied_from_the_left(x):
    rows = [x * 1.0] * 3
    rows[0][0] *= 3.0
    more = 3 * [x * 2.0]
    more[1][1] *= 2.0
    both = rows[:2] + more
    both[3][2] += both[0][0]
    return np.sum(both[0] * both[2]) + np.sum(rows[1])


@program(sample(3))
def extended_by_the_rows_of_an_array(x):
    a = np.outer(x, x) * 2.0
    rows = []
    rows.extend(a)
    rows.extend([x * 1.0, x + 1.0])
    rows.extend((a[0], a[1]))
    rows[0][1] *= 3.0
    rows[5][0] += rows[3][2]
    return np.sum(a) + np.sum(rows[4] * rows[0])


@program(sample(3))
def pairs_of_arrays_taken_off_a_list(x):
    pairs = [(x * 1.0, x * 2.0), (x + 1.0, x * x)]
    p = pairs.pop()
    p[0][1] *= 3.0
    q, r = pairs.pop(0)
    r[0] += p[0][1]
    return np.sum(p[0] * q) + np.sum(r * p[1])


@program(1.2)
def what_a_with_gives_goes_into_places(x):
    a = [0.0, 0.0]
    t = 0.0
    with contextlib.nullcontext((x * 2.0, x * x)) as (u, v):
        t += u * v
    with contextlib.nullcontext(x * 3.0) as a[1]:
        t += a[1]
    with contextlib.nullcontext(x - 1.0) as a[0], contextlib.suppress(ValueError):
        t *= a[0]
        t += math.log(-x)
    return t + a[0] * a[1]


@program(0.7, sample(3))
def a_list_that_takes_the_items_of_arrays(s, x):
    xs = [s, 0]
    xs.extend(x)
    xs.extend(np.outer(x, x)[1])
    xs[1:3] = np.sin(x)
    for k in range(2):
        xs.extend(x[:k] * k)
    return xs[2] * xs[0] + xs[1] * xs[5] + sum(xs)


@program(sample(3), sample(3, seed=1))
def rows_put_into_a_list(x, y):
    rows = [x]
    rows.extend(np.outer(x, y))
    return np.sum(rows[0] * rows[2]) + np.sum(rows[-1] * x)


@program(sample(3))
def running_sums_beside_a_number(x):
    xs = [*itertools.accumulate(x), x[1]]
    ys = [x[0], *itertools.takewhile(lambda t: t > 0, x), *itertools.repeat(x[1], 3)]
    return xs[0] * xs[1] + xs[2] * xs[3] + ys[1] * ys[-1] + len(ys)


@program(sample(3), 0.83)
def one_value_put_into_a_list_twice(x, s):
    xs = [s, 0]
    for v in x:
        xs.append(v * 0.5)
        xs.append(v * 0.5)
    return xs[2] + xs[5] * xs[4] * s


@program(sample(3, low=-1.0))
def one_value_put_in_twice_at_either_end(x):
    xs = []
    for v in x:
        if v > 0:
            xs.append(np.sin(v))
            xs.append(np.sin(v))
        else:
            xs.insert(0, v * v)
            xs.insert(0, v * v)
    return xs[1] * xs[2] * xs[-1]


@program(sample(3))
def one_thing_taken_twice(x):
    xs = [x[0], x[1], x[2], x[0] * x[1]]
    rng = np.random.default_rng(3)
    return (xs.pop() * x[0] + xs.pop() * x[0]) * xs.pop() + x[0] * rng.normal() + x[0] * rng.normal()


@program(sample(3))
def one_value_inserted_twice(x):
    xs = [x[0]]
    for v in x:
        xs.insert(1, v * v)
        xs.insert(1, v * v)
        xs.extend([v] * 2)
        xs.extend([v] * 2)
    return sum(a * (j + 1) * a for j, a in enumerate(xs))


@program(sample(3))
def a_value_and_its_negative_put_into_a_list(x):
    xs = []
    for v in x:
        xs.append(-v)
        xs.append(v)
        xs.append(-v)
        xs.append(0.0 * v)
        xs.append(v * v)
        xs.append(1 - v)
    return sum(a * (k + 1) * a for k, a in enumerate(xs)) + xs[0] * xs[1] * xs[6] * xs[11]


@program(sample(4))
def the_difference_of_what_is_taken(x):
    q = [x[0], x[1], x[2], x[3]]
    first = -q.pop() + q.pop()
    q.append(x[1] * 2.0)
    it = iter(x)
    return first * (-q.pop() + q.pop()) * (-next(it) + next(it))


@program(sample(3))
def lists_that_become_arrays(x):
    xs = [x[0], x[1], x[2]]
    xs += x
    d = {"a": [x[0], x[1], x[2]]}
    d["a"] += x
    ys = [x[0]]
    ys *= np.array([2, 3, 4])
    return np.sum(xs * x) + np.sum(d["a"] * xs) + np.sum(ys * x)


def as_it_is(v):
    return v


@program(sample(3))
def one_product_given_twice_and_changed(x):
    a = as_it_is(x * 2)
    b = as_it_is(x * 2)
    b *= 3.0
    return np.sum(a * b)


@program(sample(3))
def one_product_turned_twice_and_changed(x):
    a = as_it_is(x * 2)
    b = a[::-1]
    c = as_it_is(x * 2)
    d = c[::-1]
    pair, other = (a, b), (c, d)
    y, z = pair
    z *= 3.0
    d *= 2.0
    return np.sum(y * z * other[0] * other[1])
