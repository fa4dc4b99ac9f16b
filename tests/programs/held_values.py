# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""What is called for its values only: functions and objects of the standard library that are given nothing that varies.

Their results are used as numbers, in conditions, as indices and counts, and in texts.
"""

import base64
import binascii
import bisect
import calendar
import collections
import colorsys
import copy
import csv
import datetime
import decimal
import difflib
import enum
import fractions
import functools
import graphlib
import hashlib
import heapq
import io
import itertools
import json
import logging
import math
import operator
import os
import pathlib
import pickle
import random
import re
import statistics
import string
import struct
import sys
import textwrap
import types
import unicodedata
import uuid
import zlib
from collections import defaultdict, deque

import numpy as np

from .corpus import program, sample

DATA = [3.0, 1.0, 2.0, 5.0]
COUNTS = [3, 1, 2, 5]
TEXT = "a=1.5, b=2.5"
WORDS = ["tau", "alpha", "mu"]
LOG = logging.getLogger("adcompile.tests")
HERE = pathlib.Path("somewhere") / "heat.py"
GREETING = string.Template("$a")
DIGIT = re.compile(r"\d")
START = datetime.date(2020, 1, 1)


@program(1.3)
def statistics_of_lists(x):
    d = [1.0, 2.0, 4.0]
    slope, intercept = statistics.linear_regression([1.0, 2.0, 3.0], [2.0, 4.0, 6.5])
    q = statistics.quantiles(DATA, n=4)
    y = slope * x + intercept * statistics.mean(d) + statistics.median(COUNTS) * x
    return y * y / statistics.stdev(DATA) + q[0] * x + len(statistics.multimode([1, 1, 2, 2])) * x


@program(1.3)
def statistics_decide(x):
    y = x * statistics.mode([1, 1, 2]) + statistics.fmean(COUNTS)
    if statistics.mean(DATA) > 2:
        y = y * 3.0
    for _ in range(statistics.mode([2, 2, 3])):
        y = y * x
    return y * DATA[int(statistics.median(COUNTS))] + float(f"{statistics.pstdev(COUNTS):.3f}")


@program(1.3)
def a_distribution_of_the_standard_library(x):
    d = statistics.NormalDist(1.0, 2.0)
    return x * x * d.cdf(0.5) + d.mean * x


@program(1.3, sample(4))
def places_found_by_bisection(x, table):
    i = bisect.bisect(DATA, 1.5)
    k = bisect.bisect_left([0.0, 1.0, 2.0, 3.0], 1.5)
    return x * x * DATA[i - 1] + table[k] * x


@program(1.3)
def a_sorted_list_with_what_varies(x):
    kept = [0.5, 1.0, 3.0]
    bisect.insort(kept, x * x)
    bisect.insort_left(kept, x)
    return kept[1] * 2.0 + kept[2] * x + kept[3] ** 2


@program(1.3)
def a_heap_with_what_varies(x):
    heap = [4.0 * x, x * x, 3.0]
    heapq.heapify(heap)
    heapq.heappush(heap, x / 2.0)
    first = heapq.heappop(heap)
    second = heapq.heapreplace(heap, 10.0)
    return first * second + heapq.heappushpop(heap, x) ** 2 + heap[0] * x


@program(1.3)
def shortest_paths(x):
    ways = [[(1, 1.0), (2, 4.0)], [(2, 2.0)], [(0, 1.0)]]
    dist = [0.0, 99.0, 99.0]
    queue = [(0.0, 0)]
    while queue:
        d, u = heapq.heappop(queue)
        for v, w in ways[u]:
            if d + w * x < dist[v]:
                dist[v] = d + w * x
                heapq.heappush(queue, (d + w * x, v))
    return x * dist[2]


@program(1.3)
def the_smallest(x):
    total = heapq.nsmallest(2, DATA)[1] * x * x
    for v in heapq.merge([1.0, 3.0], [2.0]):
        total = total + v * x
    return total


@program(1.3)
def containers_made_of_a_list(x):
    window, by_length = deque(DATA, maxlen=3), defaultdict(list)
    window.append(4.0)
    for word in TEXT.split(","):
        by_length[len(word.strip())].append(1.5)
    return x * sum(window) + x * x * sum(by_length[5]) + len(pickle.dumps(DATA)) * x


@program(1.3)
def a_queue(x):
    queue, seen, count = deque([0]), set(), 0
    while queue:
        k = queue.popleft()
        if k in seen or k > 6:
            continue
        seen.add(k)
        queue.append(2 * k + 1)
        queue.append(2 * k + 2)
        count += 1
    ring = deque([1.0, 2.0, 3.0])
    ring.rotate(1)
    return x * x * count + ring[0] * x + len(seen) * x


@program(1.3)
def the_last_ones(x):
    last = deque(maxlen=2)
    for v in [1.0, 2.0, 3.0]:
        last.append(v)
    y = sum(last) * x
    for v in last:
        y = y * v * x
    return y


@program(1.3)
def counted_and_ordered(x):
    letters = collections.Counter("mississippi")
    value, count = collections.Counter([1, 1, 2]).most_common(1)[0]
    d = collections.OrderedDict([("a", 1.0), ("b", 2.0)])
    d.move_to_end("a")
    m = collections.ChainMap({"a": 1.0}, {"b": 2.0})
    return letters["s"] * x * x + value * count * x + d["b"] * m["b"] * x


@program(1.3)
def packed_and_hashed(x):
    y = x * struct.unpack("<d", struct.pack("<d", 2.5))[0] * struct.calcsize("<dd")
    y = y * x + x * (zlib.crc32(b"abc") % 7) + len(zlib.compress(b"abc" * 10)) * x
    y = y + (int(hashlib.md5(b"abc").hexdigest(), 16) % 7) * x + binascii.crc32(b"hello") % 5 * x
    return y * len(base64.b64encode(b"abc")) + int.from_bytes(b"\x01\x02", "big") * x


@program(1.3)
def a_configuration(x):
    config = json.loads('{"scale": 2.5, "steps": 3, "parts": [{"w": 2.0}, {"w": 3.0}], "name": "b"}')
    for _ in range(config["steps"]):
        x = x * config["scale"]
    for part in config["parts"]:
        x = x + part["w"] * x * x
    return x / {"a": 2.0, "b": 3.0}[config["name"]] + len(json.dumps(config)) * x


@program(sample(3))
def a_configuration_read_in_the_run(x):
    w = json.loads(json.dumps([1.0, 2.0, 4.0]))
    rows = [[float(v) for v in row] for row in csv.reader(io.StringIO("1.5,2,3\n3,4,5"))]
    k = json.loads(str(len(rows)))
    y = x * w + np.array(w) * x * x
    return np.sum(np.array(rows) @ y) + y[k] * w[k] + np.loadtxt(io.StringIO("1.5 2\n3 4"))[1, 0] * x[0]


@program(1.3)
def dates(x):
    days = (datetime.date(2024, 3, 1) - datetime.date(2024, 2, 1)).days
    rate = 0.05 if datetime.date(2024, 3, 1).weekday() >= 5 else 0.03
    t = (datetime.datetime.strptime("2021-07-01", "%Y-%m-%d").date() - START).days / 365.25
    y = x * math.exp(-rate * t) * days + datetime.timedelta(hours=2).total_seconds() * x * x
    return y + len(f"{START:%Y-%m-%d}") * x + calendar.monthrange(2024, 2)[1] * x


@program(1.3, datetime.date(2020, 3, 1), datetime.date(2021, 7, 1), wrt="x")
def dates_that_are_given(x, start, end):
    t = (end - start).days / 365.25
    return x * x * math.exp(-0.05 * t) + (start.year - 2000) * t * x


@program(1.3)
def numbers_drawn_from_a_seed(x):
    r = random.Random(3)
    total = x * r.uniform(1.0, 2.0)
    for _ in range(4):
        total = total + x * x * r.gauss(0.0, 1.0)
    deck = [1.0, 2.0, 3.0]
    r.shuffle(deck)
    return total * deck[0] + r.choice([1.0, 2.0, 3.0]) * x + DATA[r.randint(0, 3)] * x + sum(r.sample(range(10), 3)) * x


@program(1.3)
def texts_searched(x):
    m = re.match(r"a=([0-9.]+)", TEXT)
    y = x * float(m.group(1)) if m else x
    y = y * float(re.findall(r"[0-9.]+", TEXT)[0]) * x + len(DIGIT.findall(TEXT)) * x
    if re.search("zz", TEXT) is None:
        y = y * len(re.split(r",\s*", TEXT)) + len(re.sub("a", "bb", TEXT)) * x
    total = 0.0
    for part in "1.5,2.5,3".split(","):
        total += float(part)
    return y * total + float(TEXT.split(",")[0].split("=")[1]) * x


@program(1.3)
def texts_counted(x):
    y = len(", ".join(WORDS)) * x * x + "banana".count("a") * x + string.ascii_lowercase.index("d") * x
    y = y + len(textwrap.wrap("a b c d", 3)) * x + difflib.SequenceMatcher(None, "abc", "abd").ratio() * x
    y = y + unicodedata.numeric("5") * x + float.fromhex("0x1.8p1") * x + bin(10).count("1") * x
    return y * sorted(WORDS).index("mu") + len(string.Template("$a b").substitute(a="q")) * x


@program(1.3)
def iterated(x):
    y = x * list(itertools.accumulate(COUNTS))[-1] + len(list(itertools.combinations(DATA, 2))) * x
    y = y * sum(itertools.takewhile(lambda v: v > 0, [1, 2, -1])) + sum(itertools.compress([1, 2, 3], [1, 0, 1])) * x
    c = itertools.cycle([1.0, 2.0])
    y = y * next(c) + next(c) * x
    i = iter(DATA)
    return y * x * next(i) + next(i) * sum(itertools.islice(itertools.count(1), 4)) * x


@program(1.3)
def cut_out_of_endless(x):
    y = 0.0
    for a in itertools.islice(itertools.cycle([x, 2.0]), 5):
        y += a * x
    for k in itertools.islice(itertools.count(2), 3):
        y += k * x * x
    return y + sum(list(itertools.islice(itertools.repeat(x), 3)))


@program(1.3)
def environment(x):
    y = float(os.environ.get("ADCOMPILE_NEVER_SET", "1.5")) * x * x
    if "ADCOMPILE_NEVER_SET" in os.environ:
        y = y * x
    return y + len(os.environ["PATH"][:1]) * x * len(dict(os.environ)) ** 0


@program(1.3)
def objects_that_are_asked_and_told(x):
    LOG.debug("x is %s", x)
    y = x * x if LOG.isEnabledFor(10) else x * x * x
    y = y * (2.0 if HERE.exists() else 1.0) + len(HERE.name) * x
    return y * float(GREETING.substitute(a="3"))


@program(1.3)
def operators_by_name(x):
    y = x * operator.itemgetter(1)(DATA) + operator.indexOf(COUNTS, 2) * x + operator.countOf(COUNTS, 2) * x
    y = y * operator.methodcaller("count", "a")("banana") + operator.attrgetter("real")(3 + 4j) * x
    return y * functools.reduce(operator.mul, COUNTS) + functools.reduce(lambda a, b: a + b, DATA) * x * x


@program(1.3)
def numbers_of_other_classes(x):
    y = x * float(decimal.Decimal("1.25") + decimal.Decimal("2")) + float(fractions.Fraction(3, 4)) * x * x
    return y * fractions.Fraction(6, 8).numerator + (uuid.UUID(int=5).int % 7) * x + colorsys.rgb_to_hsv(0.2, 0.4, 0.4)[0] * x


@program(1.3)
def sets_and_spaces(x):
    y = len({1, 2, 3} & {2, 3, 4}) * x
    for v in {1, 2, 3}:
        y = y + v * x * x
    s = types.SimpleNamespace(a=2.0)
    d = copy.deepcopy(DATA)
    d[0] = 7.0
    kept = copy.copy(DATA)
    y = y + s.a * x + d[0] * kept[1] * x
    order = list(graphlib.TopologicalSorter({"d": {"b"}, "b": {"a"}}).static_order())
    return y * max(frozenset([1, 5, 2])) + order.index("b") * x + dict.fromkeys("ab", 2.0)["a"] * x


@program(sample(2, 3))
def copies_of_what_varies(x):
    y = copy.copy(x)
    z = copy.deepcopy([x[0] * 2.0, y])
    y[0] = 1.0
    z[0][1] = 5.0
    return np.sum(x * y) + np.sum(z[0] * z[1][1])


RECORD = struct.Struct("<dd")
PACKED = RECORD.pack(2.0, -1.5)


@program(0.7)
def by_a_record(x):
    scale, offset = RECORD.unpack(PACKED)
    return scale * x**2 + offset * x * RECORD.size
