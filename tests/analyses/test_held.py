"""What varies goes into objects and functions of the standard library: the number is right, or it is refused."""

from __future__ import annotations

import array
import bisect
import collections
import colorsys
import contextlib
import copy
import csv
import datetime
import decimal
import fractions
import functools
import heapq
import io
import itertools
import json
import math
import operator
import pickle
import queue
import random
import re
import statistics
import struct
import types
from collections import deque

import numpy as np
import pytest

from tests.analyses.judge import MODES, lines, loaded, quiet, verdict

SCOPE = {
    module.__name__: module
    for module in (
        array, bisect, collections, colorsys, contextlib, copy, csv, datetime, decimal, fractions, functools, heapq, io,
        itertools, json, math, operator, pickle, queue, random, re, statistics, struct, types,
    )
} | {"deque": deque, "np": np}  # fmt: skip
PROGRAMS = """
d = deque() || d.append(x) || return d[0] * 2.0
d = deque([x, 2.0]) || return d[0] * 2.0 * x
d = deque([1.0]) || d.appendleft(x) || y = d.popleft() || return y * x
return x * statistics.mean([x, 2.0])
return x * statistics.fmean([x, 2.0])
r = random.Random(3) || return x * r.uniform(0.0, x)
r = random.Random(3) || return x * r.choice([x, 2.0 * x])
return datetime.timedelta(seconds=x).total_seconds() * x
return float(fractions.Fraction(x)) * x
return float(decimal.Decimal(x)) * x
return array.array('d', [x])[0] * x
return struct.unpack('d', struct.pack('d', x))[0] * x
return heapq.nsmallest(1, [x, 2.0])[0] * x
return collections.ChainMap({'a': x})['a'] * x
return collections.OrderedDict([('a', x)])['a'] * x
return functools.reduce(lambda a, b: a * b, [x, x, 2.0])
return json.loads(json.dumps([x]))[0] * x
return pickle.loads(pickle.dumps(x)) * x
i = iter([x, 2.0]) || return next(i) * x
q = queue.Queue() || q.put(x) || return q.get() * x
s = types.SimpleNamespace(a=x) || return s.a * x
s = types.SimpleNamespace(a=1.0) || s.a = x || return s.a * x
return copy.deepcopy([x])[0] * x
return copy.copy(x) * x
return operator.itemgetter(0)([x]) * x
return sum(itertools.chain([x], [2.0 * x]))
c = collections.Counter() || c['a'] += x || return c['a'] * x
h = [3.0] || heapq.heappush(h, x) || return h[0] * x
h = [3.0, 2.0] || bisect.insort(h, x) || return h[0] * x
return bisect.bisect([0.0, 1.0, 2.0], x) * x
return colorsys.rgb_to_hsv(x, 0.2, 0.3)[0] * x
cfg = json.loads('{"a": [1.0, 2.0]}') || cfg['a'][0] = x || return cfg['a'][0] * x
cfg = json.loads('{"a": 1.0}') || cfg['b'] = x || return cfg['b'] * x
cfg = json.loads('{"a": [1.0, 2.0]}') || l = cfg['a'] || l.append(x) || return cfg['a'][2] * x
a = np.ones(2) || d = deque([a]) || a[0] = x || return d[0][0] * x
d = deque([np.ones(2)]) || a = d[0] || y = x * a || a[0] = 5.0 || return np.sum(y * x)
d = deque([np.ones(2)]) || y = x * d[0] || d[0][0] = 5.0 || z = y * d[0] || return np.sum(z * x)
d = deque([np.ones(2)]) || d[0][0] = x || return np.sum(d[0] * x)
d = deque([np.ones(2)]) || d[0] *= x || return np.sum(d[0] * x)
it = itertools.count(x) || return next(it) * x
q = deque([2.0]) || s = 0.0 || for _ in "ab": ||     s = s + q.popleft() * x ||     q.append(s) || return s
m = max(deque([x, 2 * x])) || return m * x
t = str(x) || return float(re.findall('[0-9.]+', t)[0]) * x
return statistics.NormalDist(x, 2.0).cdf(0.5) * x
d = statistics.NormalDist(1.0, 2.0) || return d.cdf(x) * x
d = dict.fromkeys(['a'], x) || return d['a'] * x
with contextlib.nullcontext(x) as y: ||     return y * x
s = {x, 2.0} || return max(s) * x
f = frozenset([x]) || return sum(f) * x
r = random.Random(1) || l = [x, 2.0 * x, 3.0] || r.shuffle(l) || return l[0] * x
l = [x, 2.0 * x, 3.0] || random.Random(1).shuffle(l) || return l[0] * x
b = io.StringIO() || b.write(str(x)) || return float(b.getvalue()) * x
return math.fsum([x, 2.0]) * x
return (fractions.Fraction(1, 2) + 1) * x
return x * float(f'{x:.3f}')
u = deque([1.0, x]) || u.rotate(1) || return u[0] * 3.0
d = {} || d.setdefault('a', []).append(x) || return d['a'][0] * x
w = json.loads('[1.0, 2.0]') || w.sort(key=lambda v: v * x) || return w[0] * x
w = json.loads('[3.0, 2.0]') || w += [x] || return w[2] * x
w = json.loads(str([3.0, 2.0])) || w += [x] || return w[2] * x
w = json.loads(str([3.0, 2.0])) || w[0] = x || return w[0] * x
w = json.loads(str([3.0, 2.0])) || w[0] += x || return w[0] * x
w = json.loads(str([3.0, 2.0])) || s = 0.0 || for e in w: ||     s += e * x || return s
w = json.loads(str([3.0, 2.0])) || w[0] *= 2 || return w[0] * x
w = json.loads(str([3.0, 2.0])) || t = w[0] || t += x || return t * x
w = json.loads(str([3.0, 2.0])) || t = w[0] || t *= 2 || t = t + x || return t * x
a = np.array(json.loads(str([3.0, 2.0]))) || a[0] = x || return np.sum(a * x)
a = json.loads(str([3, 2])) || b = np.array(a) || b = b * x || return np.sum(b)
a = np.array(statistics.mode([3, 2, 3])) * np.ones(2) || a[0] = x || return np.sum(a * x)
a = np.array([statistics.mean([1, 2]), 2]) || a[0] = x || return np.sum(a * x)
a = np.full(2, statistics.mean([1, 2])) || a[0] = x || return np.sum(a * x)
a = np.full(2, json.loads(str(1.5))) || a[0] = x || return np.sum(a * x)
a = np.full(2, json.loads(str(3))) || a[0] = x || return np.sum(a * x)
h = [x, 2 * x] || random.seed(1) || random.shuffle(h) || return h[0] * x
h = [x, 2 * x] || g = [h, h] || g[0].append(x * x) || k = int(x) || return g[k][2] * x + h[2]
h = [[x], [2 * x]] || a = h[int(x)] || a[0] = x * x || return h[1][0] * x
h = [1.0, 2.0] || q = deque([h]) || q[0][0] = x || return h[0] * x
h = [1.0, 2.0] || q = deque([h]) || h[0] = x || return q[0][0] * x
h = [1.0, 2.0] || q = {'a': h, 3: h} || q['a'][0] = x || return q[3][0] * x
d = {} || for k in ['a', 'b', 'a']: ||     d.setdefault(k, []).append(x) || return d['a'][1] * x
d = collections.defaultdict(list) || for k in ['a', 'b', 'a']: ||     d[k].append(x) || return d['a'][1] * x
d = collections.defaultdict(list) || d['a'].append(x) || s = d['a'] || return s[0] * x
a, b = itertools.tee([x, 2.0]) || return sum(a) * sum(b)
c = itertools.cycle([x, 2.0]) || return next(c) * x
q = deque(maxlen=2) || q.extend([x, 2 * x, 3.0]) || return q[0] * x
rows = list(csv.reader(io.StringIO('1.5,2'))) || rows[0][0] = x || return rows[0][0] * x
cfg = json.loads(str([1.5])) || f = lambda: cfg.append(x) || f() || return cfg[1] * x
cfg = json.loads(str([1.5])) || def f(c): ||     c.append(x) || f(cfg) || return cfg[1] * x
cfg = json.loads(str([1.5])) || g = [cfg] || g[0].append(x) || return cfg[1] * x
cfg = json.loads(str([[1.5]])) || r = cfg[0] || r.append(x) || return cfg[0][1] * x
cfg = json.loads(str([[1.5]])) || r = cfg[0] || r[0] += x || return cfg[0][0] * x
cfg = json.loads(str([[1.5]])) || for r in cfg: ||     r[0] = r[0] * x || return cfg[0][0] * x
cfg = json.loads('{"a": 1.5}') || cfg.update(b=x) || return cfg['b'] * x
cfg = json.loads('{"a": 1.5}') | {'b': x} || return cfg['b'] * x
cfg = {**json.loads('{"a": 1.5}'), 'b': x} || return cfg['b'] * x
cfg = [*json.loads('[1.5]'), x] || return cfg[1] * x
q = queue.PriorityQueue() || q.put((x, 1)) || return q.get()[0] * x
v = json.loads(str(1.5)) || v = max(v, x * 3) || return v * x
v = json.loads(str(1.5)) || w = v if x > 5 else x || return w * x
v = json.loads(str(1.5)) || for _ in range(3): ||     v = v * x || return v * x
v = json.loads(str(1.5)) || if x > 1: ||     v = v * x || return v * x
v = json.loads(str(1.5)) || v -= x || v /= x || return v * x
v = json.loads(str(1.5)) || return v ** x * x ** v
""".strip().splitlines()


@pytest.mark.parametrize("program", PROGRAMS)
def test_right_or_refused(program: str) -> None:
    with quiet(), loaded(f"def f(x):\n    x = x[1]\n{lines(program)}", SCOPE) as made:
        said = [verdict(made["f"], (), mode) for mode in MODES]
    assert not [word for word in said if word.startswith("WRONG")]


@pytest.mark.parametrize("program", [
    "w = json.loads(str([3.0, 2.0])) || y = x * w[0] || w[0] = 5.0 || return y * w[0]",
    "d = deque([np.ones(2)]) || y = x * d[0] || d[0][0] = 5.0 || z = y * d[0] || return np.sum(z * x)",
    "r = random.Random(1) || s = x || for _ in range(3): ||     s = s * r.choice([1.5, 2.0]) || return s",
    "h = [4.0, x, 2 * x] || heapq.heapify(h) || return heapq.heappop(h) * h[0]",
])
def test_right(program: str) -> None:
    with quiet(), loaded(f"def f(x):\n    x = x[1]\n{lines(program)}", SCOPE) as made:
        assert [verdict(made["f"], (), mode) for mode in MODES] == ["right", "right"]
