# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Objects and dicts that lead back to themselves: parts that know their owner, nodes that know their parent."""

import numpy as np

from ..corpus import program, sample


class Part:
    def __init__(self, owner):
        self.owner = owner

    def value(self):
        return self.owner.k * 2.0


class Machine:
    def __init__(self, k):
        self.k = k
        self.part = Part(self)


class Itself:
    def __init__(self, k):
        self.k = k
        self.p = self


class Node:
    def __init__(self, v, parent=None):
        self.v = v
        self.parent = parent
        self.kids = []
        if parent is not None:
            parent.kids.append(self)


class System:
    def __init__(self, k):
        self.k = k
        self.parts = []

    def add(self, w):
        p = Body(w, self)
        self.parts.append(p)
        return p


class Body:
    def __init__(self, w, s):
        self.w = w
        self.s = s

    def force(self):
        return self.w * self.s.k


@program(0.8, 0.6)
def part_that_knows_its_owner(x, y):
    m = Machine(x)
    m.k = x * y
    return m.part.value()


@program(0.8, 0.6)
def object_that_holds_itself(x, y):
    o = Itself(x)
    o.k = x * y
    o.p.k *= y
    return o.p.k * o.k


@program(0.8, 0.6)
def dict_that_holds_itself(x, y):
    d = {"k": x}
    d["p"] = d
    d["k"] = x * y
    return d["p"]["k"]


@program(0.8, 0.6)
def parent_and_child(x, y):
    r = Node(x)
    c = Node(y, r)
    r.v = x * y
    return c.parent.v * r.kids[0].parent.v + r.kids[0].v


@program(0.8, 0.6)
def system_changed_through_a_part(x, y):
    s = System(x)
    a = s.add(y)
    a.s.k = x * y
    a.w *= y
    return s.parts[0].force()


@program(sample(2), 0.6)
def array_of_a_system_changed(w, y):
    s = System(w)
    a = s.add(y)
    s.k[0] = y
    s.k = s.k * 2.0
    return np.sum(s.parts[0].force())
