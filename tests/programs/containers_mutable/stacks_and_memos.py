# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Dicts, sets, tuples and named tuples that are rebuilt or changed; stacks, queues and memos made of them."""

import copy
import math
from collections import defaultdict, deque, namedtuple

import numpy as np

from ..corpus import program, sample

State = namedtuple("State", "q p")


@program(1.2, 0.7)
def items_assigned(x, y):
    d = {}
    d["a"] = x * y
    d["b"] = d["a"] + x
    d["a"] = d["b"] ** 2
    d["b"] *= y
    return d["a"] * d["b"] + len(d)


@program({"a": 1.2, "b": 0.7})
def items_of_the_argument_assigned(d):
    d["a"] = d["a"] * d["b"]
    d["c"] = d["a"] + d["b"]
    del d["b"]
    return d["a"] * d["c"] + len(d)


@program({"a": 1.2, "b": 0.7}, 0.4)
def updated(d, x):
    e = dict(d)
    e.update({"b": x * d["a"], "c": x})
    e.update(a=e["b"] * 2)
    f = d | {"a": e["c"]}
    f |= {"z": x * x}
    return e["a"] * e["b"] + f["a"] * f["b"] + f["z"] * d["a"]


@program({"a": 1.2, "b": 0.7, "c": 0.4})
def comprehension(d):
    squares = {k: v * v for k, v in d.items() if k != "b"}
    shifted = {k + "1": v + d["b"] for k, v in squares.items()}
    return squares["a"] * shifted["c1"] + sum(shifted.values())


@program({"a": 1.2, "b": 0.7, "c": 0.4})
def loop_over_items(d):
    s = 1.0
    for i, (k, v) in enumerate(d.items()):
        s = s * v + i
        d[k] = s
    return s * d["a"] + d["b"] ** 2


@program({"a": 1.2, "b": 0.7})
def get_and_setdefault(d):
    s = d.get("a", 5.0) * d.get("z", d["b"])
    t = d.setdefault("w", s * 2)
    u = d.setdefault("a", 100.0)
    return s + t * u * d["w"]


@program({"a": 1.2, "b": 0.7, "c": 0.4})
def popped_from_a_dict(d):
    a = d.pop("a")
    z = d.pop("z", a * 2)
    d["b"] = a * d["b"]
    return sum(d.values()) * z


@program(1.2)
def keyed_by_numbers_and_tuples(x):
    d = {(0, 0): x}
    for i in range(3):
        d[i + 1, 0] = d[i, 0] * x
        d[i, i + 1] = d[i, 0] + d[i + 1, 0]
    return d[3, 0] * d[2, 3]


@program(1.2, 0.7)
def nested_dicts(x, y):
    d = {"in": {"x": x}, "out": {}}
    d["out"]["s"] = d["in"]["x"] * y
    inner = d["in"]
    inner["x"] = d["out"]["s"] ** 2
    d["out"]["t"] = d["in"]["x"] + y
    return d["out"]["t"] * d["out"]["s"]


@program({"w": sample(3), "b": 0.4}, sample(3, seed=1))
def step_of_descent_on_a_dict(params, x):
    for _ in range(3):
        error = params["w"] @ x + params["b"] - 1.0
        slopes = {"w": error * x, "b": error}
        params = {k: params[k] - 0.1 * slopes[k] for k in params}
    return np.sum(params["w"] ** 2) + params["b"]


@program(sample(5))
def sums_by_group(x):
    groups = defaultdict(float)
    for i, v in enumerate(x):
        groups["even" if i % 2 == 0 else "odd"] += v * v
    return groups["even"] * groups["odd"] + groups["none"]


@program(sample(5))
def lists_by_group(x):
    groups = {}
    for i, v in enumerate(x):
        groups.setdefault(i % 2, []).append(v)
    return sum(math.prod(g) for g in groups.values())


@program(sample(4))
def set_of_places_seen(x):
    seen = set()
    s = 0.0
    for i in [0, 2, 0, 3, 2]:
        if i in seen:
            s *= x[i]
            continue
        seen.add(i)
        s += x[i] ** 2
    return s * len(seen)


@program(sample(4), {0, 2}, static="chosen")
def set_given(x, chosen):
    s = 1.0
    for i in range(4):
        if i in chosen | {3}:
            s *= x[i]
        else:
            s += x[i]
    return s


@program(1.2, 0.7)
def tuple_rebuilt(x, y):
    t = ()
    for i in range(3):
        t += (x * i + y,)
        t = t + (t[-1] ** 2,)
    a, *middle, b = t
    return a * b + sum(middle)


@program(State(1.2, 0.3), 0.1)
def named_tuple_replaced(s, h):
    for _ in range(3):
        s = s._replace(p=s.p - h * math.sin(s.q))
        s = s._replace(q=s.q + h * s.p)
    return s.q * s.p


@program(1.2, 0.3)
def named_tuple_as_mapping(q, p):
    s = State(q * p, p)
    d = s._asdict()
    d["q"] += s.p
    t = State(**d)
    return t.q * s.q + State._make([p, q]).p


@program(State(sample(2), sample(2, seed=1)))
def array_inside_a_named_tuple_changed(s):
    s.q[0] = s.p[0] * s.p[1]
    s.p[:] *= s.q
    return np.sum(s.q * s.p)


@program((sample(2), [sample(3), 0.7]))
def array_inside_nested_containers_changed(t):
    t[1][0][1:] = t[0]
    t[0][0] *= t[1][1]
    t[1][1] = t[0][0] + t[1][0][2]
    return np.sum(t[0] * t[0]) * t[1][1] + np.sum(t[1][0])


@program(2.3, 0.7)
def stack_machine(x, y):
    stack = []
    for word in "x y * x + dup * y /".split():
        if word == "x":
            stack.append(x)
        elif word == "y":
            stack.append(y)
        elif word == "dup":
            stack.append(stack[-1])
        else:
            b, a = stack.pop(), stack.pop()
            stack.append({"*": a * b, "+": a + b, "/": a / b}[word])
    return stack.pop()


@program(1.2, ("+", ("*", "x", 2.0), ("sin", "x")))
def expression_evaluated_by_a_stack(x, tree):
    todo, done = [tree], []
    while todo:
        node = todo.pop()
        if node == "x":
            done.append(x)
        elif isinstance(node, float):
            done.append(node)
        elif isinstance(node, tuple) and node[0] == "apply":
            if node[1] == "sin":
                done.append(math.sin(done.pop()))
            else:
                a, b = done.pop(), done.pop()
                done.append(a + b if node[1] == "+" else a * b)
        else:
            todo.append(("apply", node[0]))
            todo.extend(node[1:])
    return done[0] * x


@program(sample(5))
def queue_of_the_last_three(x):
    recent = deque(maxlen=3)
    s = 0.0
    for v in x:
        recent.append(v * v)
        s += sum(recent) / len(recent)
    return s * recent[0]


@program(1.2, 0.7)
def queue_rotated(x, y):
    d = deque([x, y, x * y])
    d.rotate(1)
    d.appendleft(d.pop() * 2)
    first = d.popleft()
    return first * d[0] + d[-1]


@program(1.2)
def memo_in_a_dict(x):
    memo = {}

    def fib(n):
        if n in memo:
            return memo[n]
        result = x * n if n < 2 else fib(n - 1) * 0.5 + fib(n - 2) * x
        memo[n] = result
        return result

    return fib(6) * len(memo)


@program(sample(3), sample(3, seed=1))
def memo_over_a_grid(a, b):
    memo = {}

    def cost(i, j):
        if i == 0 or j == 0:
            return 0.3 * (i + j)
        if (i, j) not in memo:
            step = (a[i - 1] - b[j - 1]) ** 2
            options = [cost(i - 1, j) + 0.2, cost(i, j - 1) + 0.2, cost(i - 1, j - 1) + step]
            memo[i, j] = -math.log(sum(math.exp(-c) for c in options))
        return memo[i, j]

    return cost(3, 3)


@program({"a": (("b", 0.4), ("c", 1.1)), "b": (("c", 0.5),), "c": ()})
def longest_path_in_a_graph(graph):
    reach = {"a": 0.0}
    for node in "abc":
        for neighbour, weight in graph[node]:
            candidate = reach[node] + weight**2
            if candidate > reach.get(neighbour, 0.0):
                reach[neighbour] = candidate
    return reach["c"] * reach["b"]


@program(sample(4))
def distances_relaxed_in_a_dict(w):
    edges = [("s", "a", 0), ("s", "b", 1), ("a", "b", 2), ("b", "t", 3)]
    distance = {"s": 0.0}
    for _ in range(3):
        for u, v, k in edges:
            if u in distance:
                through = distance[u] + w[k]
                if v not in distance or through < distance[v]:
                    distance[v] = through
    return distance["t"] ** 2 + distance["b"]


@program(1.2, 0.7, vector=True)
def dict_built_and_returned(x, y):
    log = {"x": [], "total": 0.0}
    for k in range(3):
        x = x * y + k
        log["x"].append(x)
        log["total"] += x
    log["last"] = (x, {"y": y * x})
    return log


@program(1.2)
def two_names_for_one_dict(x):
    a = {"v": x}
    b = a
    b["v"] = a["v"] * x
    c = a.copy()
    a["v"] += 1.0
    return b["v"] * c["v"]


@program({"layers": [{"w": sample(3), "name": "first"}, {"w": sample(2, seed=1), "name": "last"}], "scale": 0.6})
def deep_copy_of_a_dict(p):
    """What is changed is the copy, at any depth; the dict itself is read afterwards."""
    q = copy.deepcopy(p)
    for layer in q["layers"]:
        layer["w"] *= 2.0 * q["scale"]
    q["scale"] = q["scale"] ** 2
    return np.sum(q["layers"][0]["w"] ** 3) * np.sum(p["layers"][1]["w"]) * q["scale"] + p["scale"]


@program(sample(4))
def totals_by_number(x):
    totals = {}
    for i, v in enumerate(x):
        totals[i % 2] = totals.get(i % 2, 0.0) + v**2
    return totals[0] * totals[1]


@program(sample(4))
def total_under_a_name(x):
    totals = {}
    for v in x:
        totals["all"] = totals.get("all", 1.0) * v
    return totals["all"]


@program(sample(5))
def window_of_a_list(x):
    xs, s = [], 0.0
    for v in x:
        xs = xs + [v]
        if len(xs) > 2:
            xs = xs[1:]
        s += sum(xs) ** 2 / len(xs)
    return s


@program(sample(5))
def last_two_and_this(x):
    xs, s = [], 0.0
    for v in x:
        xs = xs[-2:] + [-v, v * v]
        s += xs[0] * xs[-1]
    return s


@program(sample(5))
def turned_as_it_grows(x):
    xs, s = [], 0.0
    for v in x:
        s = s * 0.5 + xs.pop(0) if xs else x[0]
        xs = [s, v] + xs[::-1]
    return s + sum(a * (j + 1) for j, a in enumerate(xs))


@program(sample(5))
def largest_of_a_list_that_may_be_empty(x):
    xs, s = [], 0.0
    for v in x:
        del xs[:1]
        s += max(xs, default=-v) * v
    return s


@program(sample(5))
def dict_made_by_a_call(x):
    d = dict()
    for i in range(len(x)):
        d[i % 2] = d.get(i % 2, 1.0) * x[i]
    e = dict()
    e["a"] = x[0] * x[1]
    e["b"] = e["a"] * x[2]
    return sum(v * v for v in d.values()) + e["b"]


@program(sample(5))
def merged_with_a_key_that_is_computed(x):
    d = {len(x): x[1]}
    for i in range(3):
        d[i % 2] = x[i] * x[1]
    d |= {len(x) + 1: x[1] * x[2]}
    if x[0] > -10.0:
        d |= {len(x): x[3] * x[3]}
    return sum(v * (k + 1) for k, v in d.items())
