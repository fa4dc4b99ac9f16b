# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""What a function works with, held in one dict, list or object: lists of it under several names, and loops over them."""

import heapq
from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy as np

from ..corpus import program, sample


@program(1.3)
def one_list_under_two_keys(x):
    a = []
    r = {"a": a, "b": a}
    r["b"].append(x * x)
    return sum(r["a"]) * x


@program(1.3)
def one_list_at_two_places(x):
    a = []
    r = (a, 2.0, a)
    r[2].append(x * x)
    return sum(r[0]) * x


def _both(a, b, v):
    q = {"a": a, "b": b}
    q["b"].append(v)
    return sum(q["a"])


@program(1.3)
def one_list_given_twice(x):
    r = {"a": [], "b": []}
    r["c"] = r["a"]
    return _both(r["a"], r["c"], x * x) + sum(r["a"])


@program(1.3)
def keys_that_take_turns(x):
    r = {"even": [], "odd": []}
    r["dest"] = r["even"]
    for k in range(4):
        r["dest"].append(x**k)
        r["dest"] = r["odd"] if r["dest"] is r["even"] else r["even"]
    return sum(r["even"]) + 3 * sum(r["odd"]) ** 2


@program(1.3)
def key_chosen_in_each_step(x):
    r = {"even": [], "odd": []}
    for k in range(4):
        r["dest"] = r["odd"] if k % 2 else r["even"]
        r["dest"].append(x**k)
    return sum(r["even"]) + 3 * sum(r["odd"]) ** 2


@program(1.3)
def row_that_is_filled_once_it_is_in(x):
    r = {"rows": [], "row": []}
    r["rows"].append(r["row"])
    r["row"].append(x)
    r["row"].append(x * x)
    return sum(r["rows"][0])


def _picked(r, k):
    return r["a"] if k else r["b"]


@program(1.3)
def key_picked_by_a_function(x):
    r = {"a": [], "b": []}
    r["c"] = _picked(r, x > 2.0)
    r["c"].append(x * x)
    return sum(r["a"]) + 2.0 * sum(r["b"])


def _pick_into(r, k):
    r["c"] = r["a"] if k else r["b"]


@program(1.3)
def key_set_by_a_function(x):
    r = {"a": [], "b": [], "c": []}
    _pick_into(r, x > 2.0)
    r["c"].append(x * x)
    return sum(r["a"]) + 2.0 * sum(r["b"])


@program(1.2, 0.7)
def dict_under_a_second_key(x, y):
    r = {"x": x, "y": y}
    r["d"] = {"k": None}
    r["e"] = r["d"]
    r["e"]["k"] = r["x"] * r["y"]
    return r["d"]["k"] ** 2


@program(1.1)
def dict_of_lists_under_a_key(x):
    r = {"x": x}
    r["lists"] = {"a": [], "b": []}
    for k in range(4):
        r["lists"]["a" if k % 2 else "b"].append(r["x"] * (k + 1))
    return sum(r["lists"]["a"]) * sum(r["lists"]["b"])


@program(1.3)
def list_that_a_comprehension_and_max_read(x):
    r = {}
    r["acc"] = []
    r["acc"].append(4.0)
    v = x * 3.0
    r["acc"].append(v * v)
    return sum([a * x for a in r["acc"]]) + max(r["acc"])


@program(sample(3))
def array_set_anew_in_each_step(x):
    r = {"x": x}
    r["y"] = r["x"].copy()
    for _ in range(50):
        r["old"] = r["y"].copy()
        r["y"][:] = np.cos(r["y"]) * r["x"] * 0.5
        if np.max(np.abs(r["y"] - r["old"])) < 1e-3:
            break
    return np.sum(r["y"] ** 2)


@program(sample(4))
def array_set_anew_in_some_steps(x):
    r = {"x": x}
    for k in range(4):
        if k % 2 == 0:
            r["a"] = r["x"] * (k + 1)
        r["a"][k] *= r["x"][0]
    return np.sum(r["a"] * r["a"])


@program(sample(3))
def array_of_another_length_set_in_each_step(x):
    r = {"x": x}
    for _ in range(len(x)):
        r["a"] = np.mean(r["x"], keepdims=True) * r["x"][:1]
    v = np.sum(r["a"], axis=-1)[..., None]
    return np.sum(v * v)


@program(sample(3), 0.8)
@program(sample(3), 1.8)
def whole_numbers_on_one_path(a, s):
    r = {"a": a, "s": s}
    r["v"] = r["a"] * r["s"]
    if r["s"] < 1.0:
        r["v"] = np.full(r["v"].shape, 2)
    r["v"][0] = r["s"] * r["s"]
    return np.sum(r["v"]) * r["s"]


# ------------------------------------------------------------------------------------ loops over lists that get longer


@dataclass
class Queue:
    items: list = field(default_factory=list)

    def push(self, item):
        self.items.append(item)


@program(1.3)
def list_of_an_object_that_grows(x):
    q = Queue([x, x * x])
    s = 0.0
    for a in q.items:
        s += a * a
        if len(q.items) < 5:
            q.push(a * s)
    return s * q.items[-1]


@program(1.3)
def list_in_a_dict_that_grows(x):
    r = {"v": [x, x * x]}
    s = 0.0
    for a in r["v"]:
        s += a * a
        if len(r["v"]) < 5:
            r["v"] += [a * s]
    return s * r["v"][-1]


@program(1.3)
def list_that_grows_under_its_place(x):
    r = SimpleNamespace(v=[x, x * x])
    w = r.v
    s = 0.0
    for a in w:
        s += a * a
        if len(r.v) < 5:
            r.v.append(a * s)
    return s * r.v[-1]


@program(1.3)
def numbered_list_that_grows(x):
    v = [x, x * x]
    s = 0.0
    for k, a in enumerate(v):
        s += a * a * (k + 1)
        if len(v) < 5:
            v.append(a * s)
    return s * v[-1]


@program(1.3)
def two_lists_that_grow(x):
    v, w = [x, x * x], [1.0, x, 3.0, 4.0, 5.0]
    s = 0.0
    for a, b in zip(v, w):
        s += a * b
        if len(v) < 4:
            v.append(a * s)
            w.append(a)
    return s * v[-1] * w[-1]


@program(1.3)
def rows_of_other_lengths_that_come(x):
    rows = [[x], [x * x]]
    s = 0.0
    for row in rows:
        s += sum(row)
        if len(rows) < 4:
            rows.append([s, row[0]])
    return s


@program(1.3)
def rows_of_other_lengths_that_come_into_a_dict(x):
    r = {"rows": [[x], [x * x]]}
    s = 0.0
    for row in r["rows"]:
        s += sum(row)
        if len(r["rows"]) < 4:
            r["rows"].append([s, row[0]])
    return s


@program(1.3)
def what_is_still_to_do(x):
    todo = [(x, 0)]
    s = 0.0
    for a, depth in todo:
        s += a * a
        if depth < 3:
            todo.append((a * 0.5, depth + 1))
            todo.append((a * 0.3 * x, depth + 1))
    return s


class Node:
    def __init__(self, value, depth=0):
        self.value = value
        self.depth = depth


@program(1.3)
def nodes_that_are_found_on_the_way(x):
    todo = [Node(x)]
    s = 0.0
    for node in todo:
        s += node.value * node.value
        if node.depth < 2:
            todo.append(Node(node.value * 0.5, node.depth + 1))
            todo.append(Node(node.value * x * 0.3, node.depth + 1))
    return s


@program(1.3)
def items_of_several_kinds_that_come(x):
    items = [x, (x, 2.0)]
    s = 0.0
    for _ in items:
        if len(items) < 4:
            items.append(x * 3.0)
        s += 1.0
    return s * x


@program(1.3)
def nodes_that_are_taken_away(x):
    nodes = [Node(x), Node(x * x), Node(2.0 * x)]
    s = 0.0
    for node in nodes:
        s += node.value
        if len(nodes) > 2:
            nodes.pop()
    return s * nodes[-1].value


@program(1.3)
def end_cut_off_meanwhile(x):
    v = [x, x * x, x * x * x]
    s = 0.0
    for a in v:
        s += a * a
        v[2:] = []
    return s * v[-1]


@program(1.3)
def list_put_in_the_middle_meanwhile(x):
    v = [x, x * x]
    s = 0.0
    for a in v:
        s += a * a
        if len(v) < 6:
            v[1:1] = [a, x]
    return s * v[-1]


@program(1.3)
def list_that_loses_its_name_meanwhile(x):
    v = [x, x * x]
    w = v
    s = 0.0
    for a in v:
        s += a * a
        if len(w) < 5:
            w.append(a * s)
        v = [x]
    return s * w[-1] * v[0]


@program(1.3)
def list_in_a_dict_that_grows_under_another_name(x):
    r = {"v": [x, x * x]}
    values = r["v"]
    s = 0.0
    for a in values:
        s += a * a
        if len(r["v"]) < 5:
            r["v"] += [a * s]
    return s * values[-1]


@program(1.3, 0.4)
def list_of_an_object_lengthened_under_another_name(x, y):
    r = SimpleNamespace(v=[x, x * y])
    values = r.v
    for k in range(3):
        r.v += [y * k, x]
    return sum(v**2 for v in values)


@program(1.3, 0.4)
def lists_repeated_in_place(x, y):
    r = {"v": [x, x * y], "w": (x, y)}
    values = r["v"]
    r["v"] *= 2
    values[0] = y * y
    row = [y, x * y]
    other = row
    row *= 3
    r["w"] *= 2
    return sum(v**2 for v in values) + sum(v**3 for v in other) + sum(v * v for v in r["w"])


@program(1.3, 0.4)
def list_exchanged_with_one_in_a_list(x, y):
    h = [[x], [y]]
    it = [x * y]
    it, h[0] = h[0], it
    b = h[0]
    b[0] = b[0] * y
    return it[0] * b[0] + h[0][0] * h[1][0]


@program(1.3, 0.4)
def object_exchanged_with_one_in_an_object(x, y):
    o, it = SimpleNamespace(v=SimpleNamespace(w=x)), SimpleNamespace(w=y)
    o.v, it = it, o.v
    b = o.v
    b.w = b.w * x
    return it.w * b.w + o.v.w


@program(1.3)
def heap_of_an_object(x):
    o = SimpleNamespace(heap=[4.0 * x, x * x, 3.0, x / 2.0])
    heapq.heapify(o.heap)
    o.first = heapq.heappop(o.heap)
    return o.first * heapq.heappushpop(o.heap, x) ** 2 + o.heap[0] * x


@program(1.3, 0.4)
def dict_set_anew_in_a_loop_over_its_values(x, y):
    r = SimpleNamespace(d={"a": x, "b": y})
    s = 0.0
    for k, v in r.d.items():
        r.d = {"a": 1.0, "b": v * 2.0, "c": v * v}
        s += v * len(k)
    return s + r.d["c"]


@program(1.3, 0.4)
def dict_changed_in_a_loop_over_its_values(x, y):
    r = {"d": {"a": x, "b": y, "c": 1.0}}
    s = 0.0
    for v in r["d"].values():
        r["d"]["b"] *= x
        r["d"]["c"] += v
        s += v * v
    return s


@program(1.3, 0.4)
def lambdas_called_where_they_stand(x, y):
    r = {"rows": [], "row": []}
    r["rows"].append((lambda: r["row"])())
    r["row"].append(x)
    r["row"].append((lambda: x * (lambda: y * x)())())
    return sum((lambda: (lambda: r["rows"])()[0])())


@program(1.3, 0.4)
def places_set_beside_names(x, y):
    r, s = {"v": [x]}, 0.0
    r["v"][0], s = x * y, r["v"][0]
    k, r["v"] = 1, [s, r["v"][0]]
    r["v"][k], k = s * y, 0
    rows, held = [], []
    rows.append(held)
    held.append(x)
    return r["v"][k] * r["v"][1] + sum(rows[0])
