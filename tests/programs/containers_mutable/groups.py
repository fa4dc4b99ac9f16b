# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Lists by group, and lists that have one name beside lists that have several."""

from collections import defaultdict

import numpy as np

from ..corpus import program

MIXED = np.array([0.7, -0.4, 1.3, 0.2, -1.1])


@program(MIXED, 0.4)
@program(-MIXED[:4], 1.2)
def spread_within_groups(x, a):
    bins={}
    for v in x:
        key = "pos" if v>0 else "neg"
        bins.setdefault(key,[]).append(v*a)
    s=0.0
    for k in bins:
        vs=bins[k]
        mu=sum(vs)/len(vs)
        s+=sum((v-mu)**2 for v in vs)
    return s


@program(MIXED, 0.4)
@program(-MIXED[:4], 1.2)
def groups_in_order_of_their_names(x, a):
    bins={}
    for v in x:
        key = "pos" if v>0 else "neg"
        bins.setdefault(key,[]).append(v*a)
    s=0.0
    for k in sorted(bins):
        vs=bins[k]
        s+=sum(vs)**2
    return s


@program(MIXED, 0.4)
@program(-MIXED[:4], 1.2)
def entries_in_order(x, a):
    bins={}
    for v in x:
        key = "pos" if v>0 else "neg"
        bins.setdefault(key,[]).append(v*a)
    s=0.0
    for k, vs in sorted(bins.items()):
        s+=sum(vs)**2
    return s


@program(MIXED, 0.4)
@program(-MIXED[:4], 1.2)
def means_of_groups(x, a):
    bins={}
    for v in x:
        key = "pos" if v>0 else "neg"
        bins.setdefault(key,[]).append(v*a)
    s=0.0
    for k, vs in bins.items():
        mu=np.mean(vs)
        s+=sum((v-mu)**2 for v in vs)*(2 if k=="pos" else 1)
    return s


@program(MIXED, 0.4)
@program(-MIXED[:4], 1.2)
def groups_by_known_names(x, a):
    bins={"pos":[],"neg":[]}
    for v in x:
        bins["pos" if v>0 else "neg"].append(v*a)
    s=0.0
    for k in sorted(bins):
        vs=bins[k]
        s+=sum(vs)**2
    return s


@program(MIXED, 0.4)
@program(-MIXED[:4], 1.2)
def groups_in_order_of_their_sums(x, a):
    g=defaultdict(list)
    for i,v in enumerate(x):
        g[i%3].append(v*a)
    order=sorted(g, key=lambda k: sum(g[k]))
    s=0.0
    for w,k in enumerate(order):
        for v in g[k]: s+=(w+1)*v*v
    return s


@program(MIXED, 0.4)
@program(-MIXED[:4], 1.2)
def largest_group(x, a):
    g={}
    for i,v in enumerate(x):
        g.setdefault(i%2,[]).append(v)
    g[0][0]=a*3
    best=max(g,key=lambda k: len(g[k]))
    return sum(v*v for v in g[best])+g[1][0]*a


@program(MIXED, 0.4)
@program(-MIXED[:4], 1.2)
def rows_picked_and_changed_elsewhere(x, a):
    rows=[[v, v*a] for v in x]
    picked=[]
    for r in rows:
        if r[0]>0: picked.append(r)
    for r in rows: r[1]=r[1]*2
    return sum(p[0]*p[1] for p in picked)+sum(r[1] for r in rows)


@program(MIXED, 0.4)
@program(-MIXED[:4], 1.2)
def list_under_two_names_beside_a_private_one(x, a):
    xs=[v for v in x]
    ys=[]
    zs=xs
    for v in xs: ys.append(v*a)
    zs.append(a)
    xs[0]=a*2
    return sum(v*v for v in zs)+sum(ys)


@program(MIXED, 0.4)
@program(-MIXED[:4], 1.2)
def stack_of_pairs(x, a):
    stack=[[x[0],x[1]]]
    seen=[]
    while len(stack)>0 and len(seen)<4:
        top=stack.pop()
        seen.append(top)
        stack.append([top[0]*a, top[1]+1])
    return sum(p[0]*p[1] for p in seen)


@program(MIXED, 0.4)
@program(-MIXED[:4], 1.2)
def lists_of_a_dict_sorted(x, a):
    d={}
    for i,v in enumerate(x):
        d[i]=[v*a]
    out=[]
    for k in sorted(d):
        out.append(d[k])
    out.sort(key=lambda r: r[0])
    return sum((i+1)*r[0]**2 for i,r in enumerate(out))


@program(MIXED, 0.4, 3, static="n")
@program(-MIXED[:4], 1.2, 2, static="n")
def history_of_lists(x, a, n):
    hist=[]
    cur=[v for v in x]
    for t in range(n):
        hist.append(cur)
        cur=[v*a+0.1 for v in cur]
    return sum(sum(h)**2 for h in hist)+sum(cur)


@program(MIXED, 0.4, 3, static="n")
@program(-MIXED[:4], 1.2, 2, static="n")
def history_of_one_list(x, a, n):
    hist=[]
    cur=[v for v in x]
    for t in range(n):
        hist.append(cur)
        cur[0]=cur[0]*a
    return sum(sum(h)**2 for h in hist)+sum(cur)


@program(MIXED, 0.4, 3, static="n")
@program(-MIXED[:4], 1.2, 2, static="n")
def history_of_copies(x, a, n):
    q=[]
    buf=[x[0]]
    for i in range(n):
        buf.append(buf[-1]*a)
        q.append(buf[:])
    return sum(sum(b) for b in q)+len(q)*a


@program(MIXED, 0.4, 3, static="n")
@program(-MIXED[:4], 1.2, 2, static="n")
def history_of_a_list_that_grows(x, a, n):
    q=[]
    buf=[x[0]]
    for i in range(n):
        buf.append(buf[-1]*a)
        q.append(buf)
    return sum(sum(b) for b in q)+len(q)*a


@program(MIXED, 0.4)
@program(-MIXED[:4], 1.2)
def filled_by_a_helper(x, a):
    def push(lst, v): lst.append(v)
    acc=[]
    other=acc
    for v in x: push(acc, v*a)
    other[0]=a
    return sum(v*v for v in acc)


@program(MIXED, 0.4)
@program(-MIXED[:4], 1.2)
def held_by_a_dict(x, a):
    acc=[]
    holder={"h":acc}
    for v in x: acc.append(v*a)
    holder["h"].append(a*a)
    return sum(v*v for v in acc)


@program(MIXED, 0.4)
@program(-MIXED[:4], 1.2)
def held_by_a_tuple(x, a):
    acc=[]
    t=(acc, a)
    for v in x: acc.append(v*a)
    return sum(v*v for v in t[0])*t[1]


@program(MIXED, 0.4)
@program(-MIXED[:4], 1.2)
def read_by_a_lambda(x, a):
    acc=[x[0]]
    f=lambda: sum(acc)
    acc.append(a)
    return f()**2


@program(MIXED, 0.4)
@program(-MIXED[:4], 1.2)
def iterator_made_before_a_change(x, a):
    acc=[x[0]]
    it=iter(acc)
    acc.append(a)
    return sum(v*v for v in it)


@program(MIXED, 0.4)
@program(-MIXED[:4], 1.2)
def exchanged(x, a):
    a1,a2=[],[]
    a1,a2=a2,a1
    for v in x: a1.append(v*a)
    a2.append(a)
    a1,a2=a2,a1
    return sum(a1)**2+sum(v*v for v in a2)


@program(MIXED, 0.4)
@program(-MIXED[:4], 1.2)
def two_names_from_the_start(x, a):
    a1=a2=[]
    for v in x: a1.append(v*a)
    a2.append(a)
    return sum(a1)**2


@program(MIXED, 0.4)
@program(MIXED, 0.9)
def one_dict_or_another(x, a):
    d = {"k": x[0]}
    if a > 0.5:
        e = d
    else:
        e = {"k": a}
    e["k"] = e["k"] * a
    return d["k"] ** 2 + e["k"]


@program(MIXED, 0.4)
def empty_list_under_a_name_that_moves_on(x, a):
    acc = []
    lst = acc
    lst.append(x[0])
    lst = [a]
    lst.append(x[0])
    acc.append(x[1])
    return sum(v * v for v in acc) + sum(lst)


@program(1.0, 2.0, 3, static="n")
@program(0.5, -1.0, 2, static="n")
def pairs_by_key(a, b, n):
    d = {}
    for k in range(n):
        d[k] = (a * k, b**2)
    s = 0.0
    for k in range(n):
        u, v = d[k]
        s += u * v + d[k][0] ** 2
    return s


@program(1.0, 2.0, 3, static="n")
@program(0.5, -1.0, 2, static="n")
def pairs_exchanged_by_key(a, b, n):
    d = {}
    for k in range(n):
        m, t = d.get(k % 2, (a, 0))
        m = m * b + a
        d[k % 2] = (m, t + 1)
    return sum(m * t for m, t in d.values()) + sum(v[0] * k for k, v in d.items())


@program(np.array([1.0, 2.0]), 3, static="n")
@program(np.array([0.5, -1.0, 1.0]), 2, static="n")
def arrays_and_numbers_by_key(x, n):
    d = {}
    for k in range(n):
        d[k, "a"] = (x * k, x[0] ** 2)
    for k in range(n):
        w, s = d[k, "a"]
        d[k, "a"] = (w * s, s + 1.0)
    return sum(np.sum(w) * s for w, s in d.values())


@program(np.array([1.0, 2.0]), 3, static="n")
@program(np.array([0.5, -1.0, 1.0]), 2, static="n")
def arrays_in_pairs_by_key_changed_in_place(x, n):
    d = {}
    for k in range(n):
        w = x * k
        d[k] = (w, x[0])
        w[0] = 3.0 * x[1]
    for k in d:
        d[k][0][1] *= 2.0
    return sum(np.sum(w) * s for w, s in d.values())


@program(1.0, 2.0, 3, static="n")
@program(0.5, 1.4, 4, static="n")
def best_by_key(a, b, n):
    best = {}
    for k in range(n):
        cost = a * k + b * (k % 2)
        if k % 2 not in best or cost < best[k % 2][0]:
            best[k % 2] = (cost, k)
    c, where = min(best.values())
    return c + sum(cost**2 for cost, _ in best.values()) + where


@program(1.0, 2.0, 3, static="n")
@program(0.5, -1.0, 2, static="n")
def lists_of_pairs_by_key(a, b, n):
    d = {}
    for k in range(n):
        d.setdefault(k % 2, []).append((a * k, b))
    return sum(u * v for vs in d.values() for u, v in vs)


@program(1.0, 2.0)
@program(0.5, -1.0)
def moments_by_name(a, b):
    state = {}
    params = {"a": a, "b": b}
    for _ in range(3):
        for name in params:
            m, t = state.get(name, (0.0, 0))
            t += 1
            m = m * 0.9 + params[name] * t
            state[name] = (m, t)
            params[name] = params[name] - 0.1 * m
    return params["a"] ** 2 + params["b"] ** 2


@program({"a": [("b", 0.5), ("c", 0.5)], "b": [("c", 1.0)], "c": []}, 0.85, 3, static="n")
@program({"a": [("b", 1.0)], "b": [("a", 0.7), ("b", 0.3)]}, 0.5, 2, static="n")
def ranks_of_a_graph(links, damping, n):
    rank = dict.fromkeys(links, 1.0 / len(links))
    for _ in range(n):
        new = dict.fromkeys(links, (1.0 - damping) / len(links))
        for page, out in links.items():
            if not out:
                for other in new:
                    new[other] += damping * rank[page] / len(links)
            for other, share in out:
                new[other] += damping * rank[page] * share
        rank = new
    return sum(r * r for r in rank.values())


@program(["a", "b", "a"], 1.5)
def one_array_under_all_keys(names, x):
    shared = np.array([x, x * x])
    table = dict.fromkeys(names, shared)
    table["a"] += x
    return np.sum(table["b"] * shared)
