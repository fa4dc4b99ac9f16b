# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Programs that a second look at the compiler wrote: each of them had a wrong gradient, or failed, once."""

import itertools
import math

import numpy as np

from ..corpus import program, sample

def total(w):
    s = 0.0
    for v in w: s += v * v
    return s


@program(1.3, 0.7)
def helper_before_a_comprehension(x, y):
    w = [x, y]
    b = total(w)
    w = [v + 1 for v in w]
    return b * w[0]


@program(1.3, 0.7)
def helper_before_an_append(x, y):
    w = [x, y]; b = total(w); w.append(b); return total(w)


def loss(w): return sum(v * v for v in w)


@program(1.3, 0.7)
def best_so_far(x, y):
    w = [x, y]; best = loss(w)
    for d in (-0.1,):
        t = [v + d for v in w]
        if loss(t) < best: w, best = t, loss(t)
    return best * w[0]


@program(1.3, 0.7)
def tuple_made_again(x,y):
    t = (x, y)
    for k in range(2):
        a = total(t)
        t = tuple(a * v for v in t)
    return t[0]*t[1]


@program(1.3, 0.7)
def truth_of_a_list_that_the_branch_fills(x, y):
    r = []
    if r:
        a = x
    else:
        r.append(1.0)
        a = y
    return a


@program(1.3, 0.7)
def truth_of_a_dict_that_the_branch_fills(x,y):
    d = {}
    if d: a=x
    else:
        d['k'] = x; a = y
    return a


@program(1.3, 0.7)
def truth_in_a_conditional(x,y):
    r=[]
    a = x if r else y; r.append(a); return a


@program(1.3, 0.7)
def truth_between_pops(x,y):
    l=[x,y]
    return l.pop(0) + (l.pop() if l else 0.0)


@program(1.3, 0.7)
def truth_in_a_loop(x,y):
    r=[]
    n = 0.0
    for i in range(3):
        if r: n += x * r[-1]
        else: r.append(y)
    return n


class A:
    def __init__(self): self.buf = []
    def put(self, v):
        if self.buf: self.buf[-1] = self.buf[-1] * v
        else: self.buf.append(v)


@program(1.3, 0.7)
def truth_in_a_method(x,y):
    a=A(); a.put(x); a.put(y); return a.buf[0]


@program(1.3, 0.7)
def truth_in_a_while(x,y):
    l=[x,y,x*y]; s=1.0
    while l: s = s * x + (l.pop() if l else 0.0)
    return s


def ap(g, v): return g(v)


@program(1.3, 0.7)
def nonlocal_set_by_a_function_passed_on(x, y):
    n = x
    def g(v):
        nonlocal n
        n = n * v
        return v
    a = ap(g, y)
    return a + n


@program(1.3, 0.7)
def nonlocal_set_through_a_lambda(x,y):
    n = x
    def g(v):
        nonlocal n
        n = n * v
        return v
    h = lambda v: g(v)
    a = h(y)
    return a+n


@program(1.3, 0.7)
def nonlocal_read_before_the_call(x, y):
    c = x
    def g():
        nonlocal c
        c = c * y
        return 1.0
    return c + g()


@program(1.3, 0.7)
def nonlocal_read_around_calls(x,y):
    c = x
    def g():
        nonlocal c
        c = c * y
        return 1.0
    a, b = c, g()
    c += g()
    z=[c, g(), c]
    return a*b*c + z[0]*z[2]


@program(1.3, 0.7)
def or_reads_its_target(x, y):
    s = x
    s = s > 100 or s
    return s


@program(1.3, 0.7)
def and_reads_its_target(x, y):
    s = x
    s = s > 0 and s * y
    return s


@program(1.3, 0.7)
def index_set_in_the_same_assignment(x, y):
    l = [x, y]
    i = 0
    l[i], i = y * 2, 1
    return l[0]


@program(1.3, 0.7)
def index_found_after_the_value(x, y):
    l = [x, y]
    def g():
        l[0] = l[0] * 3
        return 1
    l[g()] = l[0]
    return l[1]


@program(1.3, 0.7)
def dict_set_in_its_own_loop(x,y):
    d = {'a': x, 'b': y}
    for k, v in d.items(): d = {'a': 1.0, 'b': v * 2}
    return d['b']


@program(1.3, 0.7)
def integer_into_a_list(x,y):
    l=[x,y]; i=1; l[i]=2; return l[0]+l[1]


@program(1.3, 0.7)
def integer_then_append(x,y):
    l=[x,y]; l[0]=1; l.append(x); return sum(l)


@program(1.3, 0.7)
def integers_into_a_slice(x,y):
    l=[x,y]; l[0:1]=[3]; return sum(l)


@program(1.3, 0.7)
def integers_for_all_keys(x,y):
    d={'a':x,'b':y}
    for k in d: d[k]=1
    return d['a']+d['b']


def h(a, b): return a[0] + b


@program(1.3, 0.7)
def list_read_after_a_pop(x,y):
    l=[x,y]; return h(l, l.pop(0))


@program(1.3, 0.7)
def array_read_before_a_change(x,y):
    a = np.array([x, y])
    def rep(): 
        a[0] = a[0] * 2
        return 1.0
    b = a * 1 + rep(); return b[0]


@program(1.3, 0.7)
def sorted_keys(x,y):
    d = {'b': x, 'a': y}; s=1.0
    for k in sorted(d): s = s * 2 + d[k]
    return s


@program(1.3, 0.7)
def key_of_the_largest(x,y):
    d = {'b': x, 'a': y}
    return d[max(d, key=d.get)]*d[sorted(d)[0]]


@program(1.3, 0.7)
def generator_summed(x,y):
    def gen():
        yield x
        yield y
    return sum(gen())*max(gen())


@program(1.3, 0.7)
def product_of_lists(x,y):
    s=0.0
    for a, b in itertools.product([x, y], [y, 2.0]): s += a * b
    return s


class Hold:
    def __init__(self): self.d = []


@program(1.3, 0.7)
def stack_in_an_object(x,y):
    s = Hold(); s.d.append(x); return s.d.pop() * y


class S:
    def __init__(self, u):
        self.u = u


def one(x):
    x += 1
    return x


def doubled_exp(x):
    e = np.exp(x)
    e *= 2
    return e


@program(sample(4))
def result_made_and_changed_in_place(u):
    p = doubled_exp(u)
    p *= u
    return np.sum(p)


@program(sample(4))
def result_changed_in_a_loop(u):
    p = u
    for i in range(2):
        p = doubled_exp(p * 0.1)
        p *= u
    return np.sum(p)


@program(sample(4))
def picked_twice_by_a_list(u):
    k = [0, 0]
    x = u[k]
    return np.sum(x**2)


@program(sample(2, 2))
def picked_twice_by_a_mesh(A):
    x = A[np.ix_([0, 0], [0])]
    return np.sum(x**2)


@program(sample(2, 2))
def picked_by_a_tuple_of_arrays(A):
    x = A[np.nonzero(A > 0)]
    A[0] = 0
    return np.sum(x * x)


@program(sample(4))
def power_in_place_of_an_attribute(u):
    s = S(u)
    s.u **= 2
    return np.sum(u * u)


@program(sample(4))
def power_in_place_of_an_item(u):
    l = [u]
    l[0] **= 2
    return np.sum(u * u)


@program(sample(2, 2))
def product_in_place_of_an_attribute(A):
    B = A
    s = S(A)
    s.u @= A * 1.0
    return np.sum(B)


@program(sample(4))
def place_found_by_a_call_once(u):
    one(u)[0] *= 2
    return np.sum(u * u)


@program(np.array([2.0, -1.0, 3.0]))
def raised_in_the_middle_of_a_line(u):
    s = 0.0
    for i in range(len(u)):
        try:
            s += math.log(s + u[i])
        except ValueError:
            s += 1.0
    return s


@program(sample(3))
def continued_from_a_handler(u):
    s = 0.0
    for a in u:
        try:
            s += math.sqrt(a)
        except ValueError:
            continue
    return s


@program(sample(2, 2))
def einsum_as_a_view(A):
    t = np.einsum("ii->i", A)
    t *= 3
    return np.sum(A * A)


@program(sample(1, 1))
def split_with_an_empty_part(A):
    a, b = np.split(A, [1])
    a *= 2
    return np.sum(A * A)


def setup(n):
    x = np.zeros(n)
    return x, x[1:]


@program(sample(4))
def parts_that_share(u):
    x, inner = setup(len(u))
    inner[:] = u[1:]
    return np.sum(x * x)


class Halves:
    def __init__(self, u):
        self.a = u * 2
        self.b = self.a[1:]


@program(sample(4))
def attributes_that_share(u):
    o = Halves(u)
    o.b *= 3
    return np.sum(o.a * o.a)


def pair(x):
    a = np.exp(x)
    return a, a[1:]


@program(sample(4))
def results_that_share(u):
    a, b = pair(u)
    b *= 3
    return np.sum(a)


def both_ways(u):
    a = u * 2
    a[0] = 5
    return {"a": a, "b": a[::-1]}


@program(sample(4))
def items_that_share(u):
    d = both_ways(u)
    d["b"] *= 3
    return np.sum(d["a"] * u)


@program(sample(1))
@program(sample(4))
def repeated_and_changed(u):
    n = len(u)
    P = [u[0]] * n
    for i in range(n):
        P[i] *= u[i]
    return P[0]


@program(sample(2))
@program(sample(5))
def set_and_read_under_the_same_test(u):
    if len(u) > 3:
        q = u * u
    if len(u) > 3:
        return np.sum(q)
    return np.sum(u)


@program(1.3, 0.7)
def list_grows_while_its_copy_is_looped_over(x, y):
    l = [x, y]
    s = 1.0
    for v in l[:]:
        l.append(v * x)
        s = s * v
    for v in list(l):
        l.append(v * s)
    return s * sum(l)


@program(np.array([1.5, 0.7, 1.2]))
def stored_in_a_handler_and_behind(u):
    for i in range(len(u)):
        try:
            z = math.sqrt(u[i] - 1)
        except ValueError:
            z = u[i]
            u[i - 1] += z
            continue
        u[i] *= z
    return np.sum(u)


@program(1.2, sample(3))
def store_alone_in_a_try(x, a):
    k = 0
    while k < 2:
        k += 1
        new = np.zeros(3)
        try:
            new[2] = x * k
        except IndexError:
            np.copyto(a, new)
        a += new * a
    return np.sum(a)


@program(sample(2), sample(2, seed=1))
def last_line_always_raises(a, b):
    n = 2
    for i in range(3):
        try:
            s = b[0]
            a[0] = s
            s *= np.sum(b)
            t = [1.0][n] * s
        except IndexError:
            pass
    return np.sum(a * a) * s


@program(1.3, 0.7)
def list_filled_through_a_default(x, y):
    acc = []

    def log(v, into=acc):
        into.append(v)
        return v

    r = log(x) * log(y)
    for v in acc:
        r = r * v
    return r


@program(sample(4), [0.578])
def list_made_behind_what_raises_in_a_try_in_a_try(a, ys):
    try:
        try:
            s = a[7]
            a[0] += np.tanh(s * sum([u * u for u in ys]))
        except IndexError:
            pass
    except ZeroDivisionError:
        pass
    return np.sum(a) * ys[0]


@program(sample(4), [0.4, 0.7], [0.3, 0.8, 0.5])
def list_filled_until_something_raises_in_a_try_in_a_try(a, ys, zs):
    try:
        try:
            items = []
            for i in range(3):
                items.append(ys[i] * a[0])
                a[0] = a[0] * np.sin(zs[i])
            a[1] += sum(items)
        except IndexError:
            pass
        a[0] *= 2.0
    except ZeroDivisionError:
        pass
    return np.sum(a)


def raised_and_counted(p):
    s = p * 1.0
    s = s + 1.0
    for _ in range(2):
        s = s + 0.0
    return s


@program(sample(3))
def result_of_a_helper_is_changed_while_its_tangent_was_the_argument_s(a):
    s = raised_and_counted(a)
    s *= 3.0
    return np.sum(a * s)


def filled_column(p):
    same = p
    same = same
    return np.where(np.ones((3, 1)) > -9.0, np.full((3, 1), p), np.full((3, 1), 2.0 * p))


@program(sample(3))
def result_of_a_helper_with_a_tangent_that_is_a_view(a):
    s = filled_column(a[0])
    s += a[1]
    return np.sum(s)
