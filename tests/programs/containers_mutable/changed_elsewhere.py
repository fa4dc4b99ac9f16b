# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Containers, objects and outer names that a call, a second name or a part of an expression changes.

What is decided later on (is it empty? which keys has it? which mode is set?) depends on the change.
"""

import functools
import itertools
from dataclasses import dataclass, field

import numpy as np

from ..corpus import program, sample


def fill(values, value):
    values.append(value)


def fill_and_count(values, value):
    values.append(value)
    return len(values)


def drain(values):
    return values.pop()


def set_key(d, key, value):
    d[key] = value


def fill_twice(values, value):
    fill(values, value)
    fill(values, value * value)


class Mode:
    def __init__(self, name):
        self.name = name
        self.items = []
        self.table = {}

    def switch(self, name):
        self.name = name

    def add(self, value):
        self.items.append(value)
        return self

    @property
    def spent(self):
        return self.items.pop()


def switch(mode, name):
    mode.name = name


class Recorder:
    def __init__(self, values, value):
        values.append(value)
        self.total = sum(values)


@program(1.2, 0.7)
def looped_after_a_closure(x, y):
    acc = []

    def put(v):
        acc.append(v)

    put(x * y)
    r = y
    for v in acc:
        r = r * v
    return r


@program(1.2, 0.7)
def looped_after_a_call(x, y):
    acc = []
    fill(acc, x * y)
    r = y
    for v in acc:
        r = r * v
    return r


@program(1.2, 0.7)
def looped_after_a_second_name(x, y):
    acc = []
    b = acc
    b.append(x * y)
    r = y
    if len(acc) > 0:
        r = r * x
    for v in acc:
        r = r * v
    return r


@program(1.2, 0.7)
def looped_after_a_name_and_a_call(x, y):
    acc = []
    b = acc
    fill(b, x * y)
    r = y
    for v in acc:
        r = r * v
    return r


@program(1.2, 0.7)
def key_by_a_second_name(x, y):
    d = {}
    e = d
    e["k"] = x * y
    r = y
    if "k" in d:
        r = r * x
    return r * e["k"]


@program(1.2, 0.7)
def one_item_and_one_more(x, y):
    acc = [x]
    fill(acc, x * y)
    r = y
    for v in acc:
        r = r * v
    return r


@program(1.2, 0.7)
def different_items_and_one_more(x, y):
    acc = [x, np.array([x, y])]
    fill(acc, x * y)
    r = y
    for v in acc:
        r = r * np.sum(v)
    return r


@program(1.2, 0.7)
def summed_after_a_closure(x, y):
    acc = [x]

    def put(v):
        acc.append(v * v)

    put(y)
    put(x * y)
    return sum(acc) * len(acc)


@program(1.2, 0.7)
def comprehension_after_a_closure(x, y):
    acc = []

    def put(v):
        acc.append(v * v)

    put(y)
    put(x * y)
    return sum([a * x for a in acc]) + max(acc)


@program(1.2, 0.7)
def truth_after_a_closure(x, y):
    acc = []

    def put(v):
        acc.append(v * v)

    put(y)
    if acc:
        return x * y * acc[0]
    return x


@program(1.2, 0.7)
def truth_inside_a_call(x, y):
    acc = []

    def put(v):
        acc.append(v * v)

    def total():
        if not acc:
            return x
        return sum(acc) * y

    put(x)
    return total()


@program(1.2, 0.7)
def key_by_a_call(x, y):
    d = {"a": x}
    set_key(d, "b", x * y)
    r = d["a"]
    if "b" in d:
        r = r * d["b"]
    return r


@program(1.2, 0.7)
def values_after_a_call(x, y):
    d = {"a": x}
    set_key(d, "b", x * y)
    r = y
    for v in d.values():
        r = r * v
    for k, v in d.items():
        r = r + v * len(k)
    return r


@program(1.2, 0.7)
def get_after_a_call(x, y):
    d = {"a": x}
    set_key(d, "b", x * y)
    return d.get("b", 1.0) * d.get("a", 1.0) + d.get("c", y)


@program(1.2, 0.7)
def replaced_kind_by_a_call(x, y):
    d = {"a": None}
    set_key(d, "a", x * y)
    if d["a"] is None:
        return x
    return d["a"] * y


@program(1.2, 0.7)
def mode_by_a_call(x, y):
    m = Mode("sum")
    switch(m, "product")
    if m.name == "sum":
        return x + y
    return x * y


@program(1.2, 0.7)
def mode_by_a_method(x, y):
    m = Mode("sum")
    m.switch("product")
    if m.name == "sum":
        return x + y
    return x * y


@program(1.2, 0.7)
def mode_by_a_second_name(x, y):
    m = Mode("sum")
    k = m
    k.name = "product"
    if m.name == "sum":
        return x + y
    return x * y


@program(1.2, 0.7)
def mode_in_a_list(x, y):
    modes = [Mode("sum")]
    switch(modes[0], "product")
    if modes[0].name == "sum":
        return x + y
    return x * y


@program(1.2, 0.7)
def mode_by_a_loop(x, y):
    m = Mode("sum")
    r = x
    for _ in range(3):
        if m.name == "sum":
            r = r + y
            switch(m, "product")
        else:
            r = r * y
    return r


@program(1.2, 0.7)
def mode_set_at_the_end_of_the_body(x, y):
    state = {"first": True}
    r = x
    for i in range(3):
        if state["first"]:
            r = r + y
        else:
            r = r * y
        set_key(state, "first", False)
    return r


@program(1.2, 0.7)
def outer_name_by_nonlocal(x, y):
    mode = None

    def choose():
        nonlocal mode
        mode = "product"

    choose()
    if mode is None:
        return x + y
    return x * y


@program(1.2, 0.7)
def outer_number_by_nonlocal(x, y):
    best = None

    def consider(v):
        nonlocal best
        if best is None:
            best = v
        else:
            best = best * v

    consider(x)
    consider(y * x)
    if best is None:
        return y
    return best * best


@program(1.2, 0.7)
def outer_list_by_nonlocal(x, y):
    acc = []

    def renew():
        nonlocal acc
        acc = [x, y, x * y]

    renew()
    r = x
    for v in acc:
        r = r * v
    return r


@program(1.2, 0.7)
def outer_function_by_nonlocal(x, y):
    def act(v):
        return v * v

    def other(v):
        return v * v * v

    def swap():
        nonlocal act
        act = other

    swap()
    return act(x) * y


@program(1.2, 0.7)
def function_in_a_dict_replaced(x, y):
    fs = {"act": np.sin}
    set_key(fs, "act", np.exp)
    return fs["act"](x) * y


@program(1.2, 0.7)
def function_in_an_object_replaced(x, y):
    m = Mode(np.sin)
    switch(m, np.exp)
    return m.name(x) * y


@program(1.2, 0.7)
def function_in_a_list_replaced(x, y):
    fs = [np.sin, np.cos]

    def swap():
        fs[0], fs[1] = fs[1], fs[0]

    swap()
    return fs[0](x) * y


@program(1.2, 0.7)
def filled_in_a_condition(x, y):
    acc = []
    if fill_and_count(acc, x * y) > 0:
        r = x
    else:
        r = y
    for v in acc:
        r = r * v
    return r


@program(1.2, 0.7)
def filled_in_a_return(x, y):
    acc = []
    return fill_and_count(acc, x * y) * sum(acc)


@program(1.2, 0.7)
def filled_in_a_sum(x, y):
    acc = [x]
    r = fill_and_count(acc, x * y) + x * (len(acc) + y)
    return r * sum(acc)


@program(1.2, 0.7)
def filled_in_a_subscript(x, y):
    acc = [y]
    w = np.array([x, y, x * y, 1.0])
    r = w[fill_and_count(acc, x * y)]
    for v in acc:
        r = r * v
    return r


@program(1.2, 0.7)
def filled_in_a_store(x, y):
    acc = [y]
    w = np.zeros(4)
    w[fill_and_count(acc, x * y)] = x * x
    r = np.sum(w)
    for v in acc:
        r = r * v
    return r


@program(1.2, 0.7)
def filled_in_an_augment(x, y):
    acc = [y]
    r = x
    r += fill_and_count(acc, x * y) * x
    for v in acc:
        r = r * v
    return r


@program(1.2, 0.7)
def filled_in_a_while_test(x, y):
    acc = []
    r = x
    while fill_and_count(acc, x * y) < 3:
        r = r * y
    for v in acc:
        r = r * v
    return r


@program(1.2, 0.7)
def filled_in_an_iterable(x, y):
    acc = []
    r = x
    for i in range(fill_and_count(acc, x * y) + 1):
        r = r * (i + y)
    for v in acc:
        r = r * v
    return r


@program(1.2, 0.7)
def filled_in_a_choice(x, y):
    acc = []
    n = fill_and_count(acc, x * y) if x > y else 0
    r = x + n
    for v in acc:
        r = r * v
    return r


@program(1.2, 0.7)
def filled_behind_and(x, y):
    acc = []
    r = x
    if x > y and fill_and_count(acc, x * y) > 0:
        r = r * y
    for v in acc:
        r = r * v
    return r


@program(1.2, 0.7)
def filled_in_a_comprehension(x, y):
    acc = []
    counts = [fill_and_count(acc, x * y * i) for i in range(1, 4)]
    r = x + counts[2]
    for v in acc:
        r = r * v
    return r


@program(1.2, 0.7)
def popped_in_a_condition(x, y):
    acc = [x, y, np.array([x, y])]
    if np.sum(acc.pop()) > 0:
        r = x * x
    else:
        r = y
    for v in acc:
        r = r * v
    return r


@program(1.2, 0.7)
def popped_in_a_return(x, y):
    acc = [x, y]
    return acc.pop() * sum(acc) + len(acc)


@program(1.2, 0.7)
def popped_by_a_call(x, y):
    acc = [x, np.array([x, y])]
    w = drain(acc)
    r = np.sum(w * w)
    for v in acc:
        r = r * np.sum(v)
    return r


@program(1.2, 0.7)
def cleared_by_a_call(x, y):
    acc = [x, y]

    def reset():
        acc.clear()

    reset()
    acc.append(x * y)
    r = x
    for v in acc:
        r = r * v
    return r


@program(1.2, 0.7)
def cleared_by_a_second_name(x, y):
    acc = [x, np.array([y, y])]
    b = acc
    b.clear()
    b.append(x * x)
    r = y
    for v in acc:
        r = r * v
    return r


@program(1.2, 0.7)
def by_two_levels(x, y):
    acc = []
    fill_twice(acc, x * y)
    r = x
    for v in acc:
        r = r * v
    return r


@program(1.2, 0.7)
def through_a_nested_list(x, y):
    groups = [[], []]
    fill(groups[0], x * y)
    fill(groups[1], x)
    fill(groups[1], y)
    r = x
    for g in groups:
        for v in g:
            r = r * v
    return r


@program(1.2, 0.7)
def through_an_item_name(x, y):
    groups = {"a": [], "b": []}
    a = groups["a"]
    a.append(x * y)
    groups["b"].append(x)
    r = x
    for v in groups["a"]:
        r = r * v
    for v in groups["b"]:
        r = r + v * y
    return r


@program(1.2, 0.7)
def held_by_a_list(x, y):
    acc = []
    outer = [acc]
    outer[0].append(x * y)
    r = x
    for v in acc:
        r = r * v
    return r


@program(1.2, 0.7)
def held_by_a_tuple(x, y):
    acc = []
    pair = (acc, x)
    pair[0].append(x * y)
    r = pair[1]
    for v in acc:
        r = r * v
    return r


@program(1.2, 0.7)
def held_by_a_dict_and_a_call(x, y):
    acc = []
    d = {"acc": acc, "x": x}
    fill(d["acc"], x * y)
    r = d["x"]
    for v in acc:
        r = r * v
    return r


@program(1.2, 0.7)
def held_by_an_object(x, y):
    m = Mode("sum")
    items = m.items
    m.add(x * y).add(x)
    r = x
    for v in items:
        r = r * v
    return r


@program(1.2, 0.7)
def items_of_an_object(x, y):
    m = Mode("sum")
    m.add(x * y).add(x)
    fill(m.items, y)
    r = x
    for v in m.items:
        r = r * v
    return r


@program(1.2, 0.7)
def table_of_an_object(x, y):
    m = Mode("sum")
    set_key(m.table, "k", x * y)
    if "k" in m.table:
        return m.table["k"] * x
    return x


@program(1.2, 0.7)
def spent_by_a_property(x, y):
    m = Mode("sum")
    m.items = [x, np.array([x, y])]
    r = np.sum(m.spent)
    for v in m.items:
        r = r * v
    return r


@program(1.2, 0.7)
def by_a_constructor(x, y):
    acc = [x]
    rec = Recorder(acc, x * y)
    r = rec.total
    for v in acc:
        r = r * v
    return r


@program(1.2, 0.7)
def chosen_container(x, y):
    a, b = [], [y]
    c = a if x > y else b
    c.append(x * y)
    r = x
    for v in a:
        r = r * v
    for v in b:
        r = r + v
    return r


@program(1.2, 0.7)
def one_of_two_calls(x, y):
    acc = []

    def put(v):
        acc.append(v)

    def skip(v):
        return None

    for f in (put, skip, put):
        f(x * y)
    r = x
    for v in acc:
        r = r * v
    return r


@program(1.2, 0.7)
def by_a_generator(x, y):
    log = []

    def steps():
        for i in range(3):
            log.append(x * i + y)
            yield x * i

    r = y
    for s in steps():
        r = r + s * s
    for v in log:
        r = r * v
    return r


@program(1.2, 0.7)
def by_a_partial(x, y):
    acc = []
    put = functools.partial(fill, acc)
    put(x * y)
    r = x
    for v in acc:
        r = r * v
    return r


@program(1.2, 0.7)
def by_a_lambda(x, y):
    acc = []
    put = lambda v: acc.append(v)
    put(x * y)
    r = x
    for v in acc:
        r = r * v
    return r


@program(1.2, 0.7)
def by_map(x, y):
    acc = []

    def put(v):
        acc.append(v * v)
        return v

    total = sum(map(put, [x, y]))
    r = total
    for v in acc:
        r = r * v
    return r


@program(1.2, 0.7)
def by_a_bound_method(x, y):
    acc = []
    put = acc.append
    put(x * y)
    put(x)
    r = x
    for v in acc:
        r = r * v
    return r


@program(1.2, 0.7)
def in_a_branch(x, y):
    acc = []
    if x > y:
        fill(acc, x * y)
    r = x
    for v in acc:
        r = r * v
    return r


@program(1.2, 0.7)
def in_a_try(x, y):
    acc = []
    try:
        fill(acc, x * y)
        fill(acc, acc[5])
    except IndexError:
        fill(acc, x)
    r = y
    for v in acc:
        r = r * v
    return r


@program(1.2, 0.7)
def in_a_finally(x, y):
    acc = []
    try:
        r = x * y
    finally:
        fill(acc, x)
    for v in acc:
        r = r * v
    return r


@program(1.2, 0.7)
def later_in_the_loop(x, y):
    acc = []
    r = x
    for i in range(3):
        for v in acc:
            r = r * v
        fill(acc, x * y + i)
    return r


@program(1.2, 0.7)
def passed_twice(x, y):
    def both(a, b):
        a.append(x)
        r = y
        for v in b:
            r = r * v
        return r

    acc = []
    return both(acc, acc) * len(acc)


@program(1.2, 0.7)
def returned_again(x, y):
    def with_more(a):
        a.append(x * y)
        return a

    acc = []
    b = with_more(acc)
    r = y
    for v in acc:
        r = r * v
    for v in b:
        r = r + v
    return r


@program(1.2, 0.7)
def row_replaced_by_a_call(x, y):
    rows = [[x, y], [y, y * y]]

    def replace_row(k):
        rows[k] = [x * y, x, x + y]

    replace_row(0)
    r = 1.0
    for row in rows:
        r = r * sum(row)
    return r + len(rows[0])


@program(1.2, 0.7)
def recursive_filling(x, y):
    acc = []

    def walk(n):
        if n > 0:
            acc.append(x * n)
            walk(n - 1)

    walk(3)
    r = y
    for v in acc:
        r = r * v
    return r


@dataclass
class Log:
    scale: float
    entries: list = field(default_factory=list)

    def note(self, v):
        self.entries.append(v * self.scale)
        self.scale = self.scale * 2


@program(1.2, 0.7)
def noted_in_a_dataclass(x, y):
    log = Log(x)
    log.note(y)
    log.note(x * y)
    r = x
    for v in log.entries:
        r = r * v
    return r * log.scale


@program(1.2, 0.7)
def noted_by_two_holders(x, y):
    log = Log(x)
    holders = [Mode(log), Mode(log)]
    for h in holders:
        h.name.note(y)
    r = x
    for v in log.entries:
        r = r * v
    return r * log.scale


@program(1.2, 0.7)
def default_list(x, y):
    def put(v, into=None):
        if into is None:
            into = []
        into.append(v)
        return into

    a = put(x)
    b = put(y, a)
    r = x
    for v in a:
        r = r * v
    return r * len(b)


@program(1.2, 0.7)
def extended_by_a_call(x, y):
    acc = []

    def more(*vs):
        acc.extend(vs)

    more(x, y, x * y)
    r = 1.0
    for v in acc:
        r = r * v
    return r


@program(1.2, 0.7)
def inserted_and_sorted_by_a_call(x, y):
    acc = [x]

    def arrange(v):
        acc.insert(0, v)
        acc.sort()

    arrange(x * y)
    r = 1.0
    for k, v in enumerate(acc):
        r = r * (v + k)
    return r


@program(1.2, 0.7)
def deleted_by_a_call(x, y):
    d = {"a": x, "b": y, "c": np.array([x, y])}

    def drop(k):
        del d[k]

    drop("c")
    r = 1.0
    for v in d.values():
        r = r * v
    return r * len(d)


@program(1.2, 0.7)
def deleted_by_a_second_name(x, y):
    d = {"a": x, "b": y}
    e = d
    del e["b"]
    r = x * y
    if "b" in d:
        r = r * 5.0
    return r * len(d)


@program(1.2, 0.7)
def cached_in_a_dict(x, y):
    cache = {}

    def power(n):
        if n in cache:
            return cache[n]
        cache[n] = x**n * y
        return cache[n]

    return power(2) + power(3) * power(2)


@program(1.2, 0.7)
def walrus_holder(x, y):
    if (acc := []) is not None:
        fill(acc, x * y)
    r = x
    for v in acc:
        r = r * v
    return r


@program(1.2, 0.7)
def starred_holder(x, y):
    args = ([], x * y)
    fill(*args)
    r = x
    for v in args[0]:
        r = r * v
    return r


@program(1.2, 0.7)
def grown_in_a_loop_over_a_list_of_it(x, y):
    q = [y, 0.2]
    m = [q]
    holder = (q, 1)
    for row in m:
        row.append(x)
    r = list(q)
    return r[-1] * x + len(r)


class _Kept:
    def __init__(self, values):
        self.values = values


@program(1.2, 0.7)
def grown_in_a_loop_beside_an_object(x, y):
    q = [x + y, 0.2]
    m = {"a": [x * y, 0.3], "b": q}
    kept = _Kept(q)
    for k, row in m.items():
        row.append(x * y)
    return sorted(q)[0] * x + sum(kept.values)


@program(1.2, 0.7)
def two_names_given_new_lists(x, y):
    p = [x, y]
    q = p
    q = list(itertools.accumulate(q))
    p = sorted([x, 0.5])
    return q[-1] * p[0]


class _Noting:
    def __init__(self, u, h):
        self.u = u
        self.h = h

    def note(self, k):
        self.u = self.u * 0.9 + k
        self.h.append(self.u)
        return self.u


@program(1.2, 0.7)
def list_of_an_object_with_a_name_of_its_own(x, y):
    q = [x, y]
    noting = _Noting(x, q)
    a = noting.note(x * y)
    for i in range(2):
        noting.h.insert(0, sorted(q)[0] * y)
    return a * noting.u + sum(v * (j + 1) for j, v in enumerate(q))


@program(1.2, 0.7)
def list_of_an_object_that_a_method_makes_longer(x, y):
    p = [x, y, 0.3]
    q = p
    noting = _Noting(x, q)
    a = 0.0
    for v in p[:3]:
        a = noting.note(sum(v * w for v, w in zip(p, p)) * 0.1)
    return a + p[0] * q[-1]
