"""Ways in which a value can travel out of sight: written down, in containers, through unknown calls, as an index.

Each line is a program that returns it; each block of `PROGRAMS` is one of several lines.
"""

from __future__ import annotations

import array
import ast
import bisect
import cmath
import collections
import contextlib
import copy
import ctypes
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
import string
import struct
import types
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.interpolate
import scipy.sparse
import scipy.spatial.transform
import scipy.special
import scipy.stats

from . import strangers
from .judge import MODES, Mode, loaded, quiet, verdict


class Meters(float):
    """A number of a class of its own."""


class Cached:
    """An object with attributes that are computed."""

    def __init__(self, x: Any) -> None:
        self.x = x

    @functools.cached_property
    def area(self) -> float:
        return float(np.sum(self.x**2))

    total = property(operator.attrgetter("x"))


class Doubled:
    """What makes an attribute."""

    def __get__(self, obj: Any, cls: Any) -> Any:
        return obj.x * 2.0


class Described:
    """One that has such an attribute."""

    d = Doubled()

    def __init__(self, x: Any) -> None:
        self.x = x


class ReflectedOwn:
    """One that an array hands itself over to as a whole."""

    __array_ufunc__ = None

    def __rmul__(self, x: Any) -> Any:
        return x * np.sum(x)


class ReflectedFirst:
    """The same, as older classes have it."""

    __array_priority__ = 100

    def __rmul__(self, x: Any) -> Any:
        return x * np.sum(x)


class Functioned:
    """One that NumPy's functions ask for what they give."""

    def __array_function__(self, func: Any, kinds: Any, args: Any, kwargs: Any) -> Any:
        return 3.0 * np.asarray(next(i for i in args if i is not self))


class Borrowed:
    """One whose operators are not functions in Python."""

    __mul__ = functools.partialmethod(lambda self, x: x * 2.0)
    __add__ = staticmethod(np.exp)


class Manager:
    """What a `with` opens."""

    def __init__(self, x: Any) -> None:
        self.x = x

    def __enter__(self) -> Any:
        return self.x

    def __exit__(self, *error: object) -> None:
        pass


class Items:
    """One with items."""

    def __init__(self, x: Any) -> None:
        self.x = x

    def __getitem__(self, k: int) -> Any:
        return self.x[k] * 2

    def __len__(self) -> int:
        return len(self.x)


class Iterated:
    """One to loop over."""

    def __init__(self, x: Any) -> None:
        self.x = x

    def __iter__(self) -> Iterator[Any]:
        return iter(self.x)


class Written:
    """One that can be written down."""

    def __init__(self, x: Any) -> None:
        self.x = x

    def __str__(self) -> str:
        return repr(float(self.x))

    def __float__(self) -> float:
        return float(self.x) * 2

    def __format__(self, spec: str) -> str:
        return repr(float(self.x))


class Guessed:
    """One with every attribute."""

    def __init__(self, x: Any) -> None:
        self.__dict__["x"] = x

    def __getattr__(self, name: str) -> Any:
        return self.__dict__["x"] * 2


class Kept:
    """Something outside."""


kept = Kept()

EXPRESSIONS = r"""
float(repr(float(x[0])))
float(str(x[0]))
float(f'{x[0]}')
float('%.17g' % x[0])
float('{:.17g}'.format(x[0]))
float(format(x[0], '.17g'))
np.float64(str(x[0]))
float(np.sum(np.array([float(str(a)) for a in x])))
float(np.sum(np.frombuffer(x.tobytes())))
float(np.sum(np.frombuffer(x.data)))
float(np.sum(np.fromstring(' '.join(str(v) for v in x), sep=' ')))
float(json.loads(json.dumps(float(x[0]))))
float(np.sum(pickle.loads(pickle.dumps(x))))
float(struct.unpack('d', struct.pack('d', x[0]))[0])
float.fromhex(float(x[0]).hex())
float(operator.truediv(*float(x[0]).as_integer_ratio()))
(lambda r: r[0] / r[1])(float(x[0]).as_integer_ratio())
float(np.sum(x.view(np.int64).view(np.float64)))
float(np.sum(x.view('u1').view(float)))
float(np.sum(x.view('V8').view(float)))
float(ast.literal_eval(repr(float(x[0]))))
float(np.array2string(np.asarray(x[0])))
complex(str(x[0])).real
float((str(x[0]) + ',1').split(',')[0])
float(str(x[0])[0:12])
float(''.join([str(x[0])]))
float(str(x[0]).encode())
float(np.loadtxt(io.StringIO(str(x[0]))))
float([str(x[0])][0])
float(dict(a=str(x[0]))['a'])
float('' + str(x[0]))
(2.0 if str(x[0] > 0) == 'True' else 3.0) * x[0] if str(x[1] > 1e9) == 'False' else 0.0
x[0] * (2.0 if repr(float(np.floor(x[1]))) == '0.0' else 5.0)
float(str(x[0]).strip())
float(decimal.Decimal(repr(float(x[0]))))
float(decimal.Decimal(float(x[0])))
float(fractions.Fraction(float(x[0])))
float(sum(json.loads(json.dumps(x.tolist()))))
float(string.Template('$a').substitute(a=x[0]))
float(re.match(r'.*', str(x[0])).group())
float(np.array(str(x[0])).astype(float))
float(np.sum(x.astype(str).astype(float)))
float(np.sum(x.astype('S32').astype(float)))
float(np.sum(x.astype(object)))
float(np.sum(np.char.mod('%.17g', x).astype(float)))
float(np.sum(copy.copy(x) ** 2))
float(np.sum(copy.deepcopy(x) ** 2))
float(array.array('d', x)[0])
float(memoryview(x)[0])
float(collections.deque(x)[0])
float(sum(collections.deque(x.tolist())))
float(next(iter(x)))
float(operator.itemgetter(0)(x))
float(np.sum(operator.attrgetter('real')(x)))
float(operator.methodcaller('sum')(x))
float(functools.reduce(operator.add, x))
float(functools.reduce(lambda a, b: a * b, x))
float(list(itertools.accumulate(x))[-1])
math.fsum(x)
math.prod(x)
float(statistics.mean(x.tolist()))
statistics.fmean(x)
float(sum(float(v) for v in np.nditer(x)))
float(sum(v for _, v in np.ndenumerate(x)))
float(sum(x.flat))
float(np.sum(np.vectorize(lambda v: v * v)(x)))
float(np.sum(np.apply_along_axis(lambda v: v * v, 0, x)))
float(np.sum(np.fromiter((v * v for v in x), float)))
float(np.sum(np.fromfunction(lambda i: i * x[0], (3,))))
float(max({x[0] * 2, x[0]}))
float(sorted(set(x.tolist()))[-1])
float(dict(zip('abc', x))['a'])
float(types.SimpleNamespace(a=x).a[0])
float(collections.ChainMap(dict(a=x[0]))['a'])
float(collections.Counter(a=x[0])['a'])
float(collections.defaultdict(float, a=x[0])['a'])
float(collections.OrderedDict(a=x[0])['a'])
float(types.MappingProxyType(dict(a=x[0]))['a'])
float(collections.namedtuple('P', 'a')(x[0]).a)
float(heapq.nlargest(1, x)[0])
float((lambda q: (q.put(x[0]), q.get())[1])(queue.Queue()))
float(next(heapq.merge(x, x)))
float(sum(itertools.chain(x, x)))
float(sum(itertools.islice(x, 2)))
float(sum(itertools.starmap(pow, [(x[0], 2)])))
float(sum(map(lambda v: v * v, x)))
float(sum(map(float, map(str, x))))
float(sum(filter(lambda v: v > 0, x)))
float(sum(list(zip(*[x, x]))[0]))
float(sum(k * v for k, v in enumerate(x)))
float(functools.partial(operator.mul, x[0])(2.0))
float(functools.lru_cache(lambda v: v * v)(float(x[0])))
float(sum(iter(x.tolist())))
float(np.rec.fromarrays([x])['f0'][0])
float(np.sum(np.array([(v,) for v in x], dtype=[('a', float)])['a']))
float(np.sum(np.array([x[0], x[1]], dtype=object)))
float(np.sum(np.matrix(x)))
float(np.ma.array(x).sum())
float(np.asmatrix(x).sum())
float(np.sum(x.view(Plain) ** 2))
float(np.sum(x.view(Louder) * 2.0))
float(np.sum(x.astype('>f8') ** 2))
float(np.sum(x.byteswap().byteswap()))
float(np.sum(x.view(x.dtype.newbyteorder()).view(float)))
float(np.sum(x.astype(np.longdouble) ** 2))
float(np.asarray(Arrayish(x)).sum())
float(np.sum(Arrayish(x)))
float(x[:].base[0])
float(x.data[0])
float(x.ctypes.data_as(ctypes.POINTER(ctypes.c_double))[0])
float(x.__array__()[0])
float(x.getfield(float)[0])
float(x.__getitem__(0))
float(x.item(0))
float(np.from_dlpack(x)[0])
float(np.require(x)[0])
float(np.sum(pickle.loads(x.dumps())))
float(np.ndarray((3,), float, x.data)[0])
float(np.lib.stride_tricks.as_strided(x, (2,), (8,))[0])
float(np.sum(np.lib.stride_tricks.sliding_window_view(x, 2) ** 2))
float(np.sum(np.block([x, x])))
float(sp.csr_array(np.outer(x, x)).sum())
float((sp.diags_array(x) @ W).sum())
float((sp.csr_array(M) * x[0]).sum())
float(sp.csr_array(M).multiply(x).sum())
float(sp.kron(sp.csr_array(M), np.outer(x, x)).sum())
float(np.sum(np.ix_(x, x)[0]))
float(np.sum(np.mgrid[0:float(x[0]):5j]))
float(np.sum(np.ogrid[0:float(x[0]):5j]))
float(np.sum(np.r_[x, 1.0]))
float(np.sum(np.r_[0:float(x[0]):5j]))
float(np.s_[x][0])
float(np.index_exp[x][0][0])
float(np.sum(np.abs(np.fft.fftfreq(5, float(x[0])))))
float(np.sum(np.fft.rfftfreq(5, x[0])))
float(np.sum(np.arange(x[0], x[0] + 2.5)))
float(np.sum(np.arange(0.0, 1.0, float(x[0]))))
float(np.sum(np.linspace(0.0, x[0], 4)))
float(np.sum(np.full(3, x[0])))
float(np.sum(np.broadcast_arrays(x, x)[0]))
x[0] * np.common_type(x)(2.0)
float(np.sum(np.nan_to_num(x)))
float(np.sum(np.frexp(x)[0]))
math.frexp(x[0])[0]
float(np.sum(np.modf(x)[0]))
math.modf(x[0])[0]
float(math.ldexp(x[0], 2))
float(divmod(x[0], 0.25)[1])
math.fmod(x[0], 0.25)
math.remainder(x[0], 0.25)
float(np.nextafter(x[0], 2.0))
math.nextafter(x[0], 2.0)
math.ulp(x[0]) + x[0]
float(np.spacing(x[0])) + x[0]
math.copysign(x[0], -1.0)
float(np.real_if_close(x)[0])
float(np.sum(np.unique(x)))
float(sorted(x)[0])
float(np.choose(0, [x[0], x[1]]))
float(np.sum(np.select([x > 0], [x * 2])))
float(np.sum(np.piecewise(x, [x > 0], [lambda v: v * v])))
float(np.sum(np.interp(W, np.arange(3.0), x)))
float(np.sum(np.interp(x, np.arange(3.0), W)))
float(np.histogram(x, weights=x)[0].sum())
float(np.histogram(x)[1].sum())
float(np.bincount([0, 1, 1], weights=x).sum())
float(np.polyfit(np.arange(3.0), x, 1)[0])
float(np.polyval(x, 2.0))
float(np.poly1d(x)(2.0))
float(np.roots([1.0, -x[0]])[0])
float(np.polynomial.Polynomial(x)(2.0))
float(np.random.default_rng(0).normal(x[0], 1.0))
float(np.random.default_rng(0).uniform(0.0, x[0]))
float(np.random.RandomState(0).normal(x[0]))
random.Random(0).gauss(x[0], 1.0)
random.Random(0).uniform(0.0, x[0])
float(scipy.interpolate.CubicSpline(np.arange(3.0), x)(0.5))
float(scipy.interpolate.interp1d(np.arange(3.0), x)(0.5))
float(scipy.stats.norm(x[0], 1.0).logpdf(0.3))
float(scipy.stats.norm.logpdf(0.3, loc=x[0]))
float(scipy.spatial.transform.Rotation.from_rotvec(x).as_matrix()[0, 1])
cmath.polar(complex(x[0], x[1]))[0]
cmath.rect(x[0], x[1]).real
abs(complex(x[0], x[1]))
float(bisect.bisect([0.0, 1.0], x[0])) * x[1]
x[0] * float(np.isclose(x[0], x[0]))
float(x.astype(int).sum()) + x[0]
float(np.real(np.complex128(x[0])))
float(np.asarray([x[0], 1.0])[0])
float(np.longdouble(x[0]) * 2)
float(np.dtype('f8').type(x[0]))
float(x.dtype.type(x[0]) * 2)
float(type(x[0])(x[0]) * 2)
float(x[0].__class__(x[0]) * 2)
float(Meters(x[0]) * 2)
Cached(x).area
float(np.sum(Cached(x).total ** 2))
float(np.sum(Described(x).d))
float(np.sum(x * Reflected()))
float(np.sum(x * ReflectedOwn()))
float(np.sum(x * ReflectedFirst()))
float(x[0] * Reflected())
float(float(x[0]) * Reflected())
float(np.sum(np.add(x, Mixed())))
float(np.sum(x + Mixed()))
float(np.sum(np.multiply(Mixed(), x)))
float(np.sum(np.dot(x, Functioned())))
float(np.sum(Mixed() * x))
float(np.sum(Borrowed() * x))
float(np.sum(Borrowed() + x))
float(Items(x)[0])
float(sum(Items(x)))
float(np.sum(np.array(list(Items(x)))))
float(sum(Iterated(x)))
float(list(Iterated(x))[0])
float(str(Written(x[0])))
float(f'{Written(x[0])}')
float(Written(x[0]))
math.sqrt(Written(x[0]))
float(np.float64(Written(x[0])))
float(np.array(Written(x[0]), dtype=float))
float(np.sum(np.array([Written(x[0])], dtype=float)))
float(Cached(x).x[0])
float(np.sum(Guessed(x).anything))
float(getattr(Cached(x), 'x')[0])
float(vars(Cached(x))['x'][0])
float(Cached(x).__dict__['x'][0])
float((lambda m: m())(Cached(x).x.sum))
float(functools.partial(np.sum, a=x)())
float(np.sum(np.frompyfunc(lambda a: a * a, 1, 1)(x)))
float(functools.singledispatch(lambda v: v * 2)(x)[0])
float(np.sum(np.vectorize(math.sin)(x)))
float(np.sum.__call__(x))
float(np.add.reduce(x))
float(np.multiply.accumulate(x)[-1])
float((lambda b: (np.add.at(b, [0], x[0]), b)[1])(np.zeros(2))[0])
float(np.sum(np.multiply.outer(x, x)))
float(np.sum(np.add.reduceat(x, [0, 1])))
float(np.sum(scipy.special.expit(x)))
float(np.sum(scipy.special.xlogy(x, 2.0)))
float(np.einsum('i,i', x, x))
float(np.trapezoid(x))
float(scipy.special.gamma(x[0]))
float(np.sum(np.gradient(x)))
float((lambda v=x[0]: v * 2)())
float((lambda: x[0] * 2)())
float(sum((v for v in x)))
float(sum(v * 2 for v in reversed(x)))
(print(x), x[0])[1]
float(x[0] or 1.0)
float(x[0] and x[1])
float(not x[0]) * 2 + x[1]
float(max(x, key=lambda v: -v))
float(min(x, default=0.0))
float(sum(x, start=x[1]))
float((y := x[0]) * y)
float([*x][0])
float({**dict(a=x[0])}['a'])
float(((x[0],) * 2)[1])
float(sum([x[0]] * 3))
x[0] * float(x[0] in x)
float(np.sum(x[slice(0, 2)] ** 2))
float(np.sum(x[...] ** 2))
float(np.take(x, 0))
float(x.take([0, 1]).sum())
float(np.compress(x > 0, x).sum())
float(np.searchsorted(W, x)[0]) + x[0]
""".strip().splitlines()
PROGRAMS = r"""
with Manager(x) as y:
    r = float(np.sum(y ** 2))
return r
---
with contextlib.nullcontext(x) as y:
    r = float(np.sum(y ** 2))
return r
---
with np.errstate(all='ignore'):
    r = float(np.sum(x ** 2))
return r
---
with contextlib.nullcontext(float(x[0])) as y:
    pass
return y * y
---
m = np.empty(3, dtype=object)
m[:] = x
return float(np.sum(m))
---
c = Cached(x)
setattr(c, 'x', x * 2)
return float(np.sum(c.x))
---
c = Cached(x)
vars(c)['x'] = x * 2
return float(np.sum(c.x))
---
c = Cached(x)
c.__dict__['x'] = x * 2
return float(np.sum(c.x))
---
c = Cached(x)
return c.area * c.area
---
y = np.zeros(3)
with np.nditer([x, y], op_flags=[['readonly'], ['writeonly']]) as it:
    for a, b in it:
        b[...] = a * 2
return float(np.sum(y))
---
y = np.zeros(3)
m = memoryview(y)
m[0] = float(x[0])
return float(np.sum(y))
---
y = np.zeros(3)
y.data[0] = float(x[0])
return float(np.sum(y))
---
y = np.zeros(3)
y.flat = x
return float(np.sum(y ** 2))
---
y = np.zeros(3)
z = y.view()
z[:] = x
return float(np.sum(y ** 2))
---
y = np.zeros(3)
np.asarray(y)[:] = x
return float(np.sum(y ** 2))
---
y = np.zeros(3)
np.copyto(y, x)
return float(np.sum(y ** 2))
---
y = np.zeros(3)
np.place(y, [True, True, True], x)
return float(np.sum(y ** 2))
---
y = np.zeros(3)
np.put(y, [0, 1], x[:2])
return float(np.sum(y ** 2))
---
y = np.zeros(3)
y.put([0, 1], x[:2])
return float(np.sum(y ** 2))
---
y = np.zeros(3)
y.fill(x[0])
return float(np.sum(y ** 2))
---
y = np.zeros(3)
y.setfield(x, float)
return float(np.sum(y ** 2))
---
y = np.zeros(3)
y.__setitem__(0, x[0])
return float(np.sum(y ** 2))
---
y = np.zeros(3)
operator.setitem(y, 0, x[0])
return float(np.sum(y ** 2))
---
y = np.zeros(3)
y = operator.iadd(y, x)
return float(np.sum(y ** 2))
---
y = np.zeros(3)
y.__iadd__(x)
return float(np.sum(y ** 2))
---
y = x.copy()
np.random.default_rng(0).shuffle(y)
return float(y[0] * y[1])
---
y = x.copy()
y.sort()
return float(y[0] * y[1])
---
y = bytearray(24)
np.frombuffer(y)[:] = x
return float(np.sum(np.frombuffer(y)))
---
y = x.tolist()
y.sort()
return y[0] * y[1]
---
d = collections.deque()
d.append(x[0])
return float(d[0] * 2)
---
d = array.array('d')
d.append(x[0])
return float(d[0] * 2)
---
q = queue.Queue()
q.put(x[0])
return float(q.get() * 2)
---
s = types.SimpleNamespace()
s.v = x[0]
return float(s.v * 2)
---
try:
    raise ValueError(x[0])
except ValueError as e:
    return float(e.args[0] * 2)
---
try:
    raise ValueError(str(x[0]))
except ValueError as e:
    return float(str(e))
---
try:
    raise ValueError(f'{x[0]}')
except ValueError as e:
    return float(str(e))
---
try:
    raise ValueError('%.17g' % x[0])
except ValueError as e:
    return float(str(e))
---
log = []
for v in x:
    log.append(str(v))
return float(np.sum(x ** 2))
---
log = []
for v in x:
    log.append(f'{v:.3f}')
return float(np.sum(x ** 2))
---
log = []
for v in x:
    log.append('%.3f' % v)
return float(np.sum(x ** 2))
---
log = []
for v in x:
    log.append('{:.3f}'.format(v))
return float(np.sum(x ** 2))
---
log = {}
for k, v in enumerate(x):
    log[str(k)] = str(v)
return float(np.sum(x ** 2))
---
msg = str(x)
return float(np.sum(x ** 2))
---
msg = 'x is %s' % x[0]
return float(np.sum(x ** 2))
---
msg = 'x is {}'.format(x[0])
return float(np.sum(x ** 2))
---
msg = 'x is ' + str(x[0])
msg += ', ' + str(x[1])
return float(np.sum(x ** 2))
---
msg = ', '.join(str(v) for v in x)
return float(np.sum(x ** 2))
---
msg = ', '.join(f'{v:.3f}' for v in x)
return float(np.sum(x ** 2))
---
msg = ''
for v in x:
    msg += f'{v:.3f} '
return float(np.sum(x ** 2))
---
print('x is', str(x), repr(x), 'x %g' % x[0], '{}'.format(x[0]), f'{x}')
return float(np.sum(x ** 2))
---
if x[0] < 0:
    raise ValueError('bad ' + str(x[0]) + ' %g' % x[1] + '{}'.format(x))
return float(np.sum(x ** 2))
---
assert x[0] > 0, 'bad ' + str(x[0])
return float(np.sum(x ** 2))
---
s = '0'
for v in x:
    s = str(float(s) + v)
return float(s)
---
log = []
for v in x:
    log.append(str(v))
return float(sum(float(s) for s in log))
---
def t(v):
    return str(v)
return float(t(x[0]))
---
def iter():
    return x * 2
s = 0.0
for v in iter():
    s += v
return float(s)
---
def zip(n):
    return [x[0] * 2, x[1]]
s = 0.0
for v in zip(3):
    s += v
return float(s)
---
y = x.view(np.int64)
z = y.view(float)
return float(np.sum(z ** 2))
---
m, e = math.frexp(x[0])
return math.ldexp(m, e)
---
m, e = np.frexp(x)
return float(np.sum(np.ldexp(m, e)))
---
a, b = float(x[0]).as_integer_ratio()
return a / b
---
b = struct.pack('d', x[0])
k = int.from_bytes(b, 'little')
return struct.unpack('d', k.to_bytes(8, 'little'))[0]
---
m = np.ma.zeros(3)
m[:] = x
return float(m.sum())
---
m = np.asmatrix(np.zeros(3))
m[0, :] = x
return float(m.sum())
---
m = sp.lil_array((3, 3))
m[0, 0] = x[0]
return float(m.sum())
---
m = np.zeros(3).view(Plain)
m[:] = x
return float(np.sum(m ** 2))
---
m = np.zeros(3, dtype=[('a', float)])
m['a'] = x
return float(np.sum(m['a']))
---
m = np.empty(3, dtype='U32')
m[0] = str(x[0])
return float(m[0])
---
m = np.zeros(3, dtype=int)
m[:] = x
return float(np.sum(m)) + x[0]
---
m = np.zeros(3, dtype='>f8')
m[:] = x
return float(np.sum(m ** 2))
---
m = mapped(W)
m[:] = x
return float(np.sum(m ** 2))
---
log = []
for v in x:
    log.append(str(v))
return float(np.sum(np.array(log, dtype=float)))
---
log = [f'{v}' for v in x]
return float(np.sum(np.asarray(log).astype(float)))
---
y = np.zeros(3)
y[0] = str(x[0])
return float(y[0])
---
y = np.zeros(3)
y[:] = [str(v) for v in x]
return float(np.sum(y))
---
y = np.zeros(3)
y.fill(f'{x[0]}')
return float(np.sum(y))
---
y = np.zeros(3)
np.copyto(y, np.array([str(v) for v in x], dtype=float))
return float(np.sum(y))
---
log = [str(v) for v in x]
return float(max(log))
---
log = dict(a=str(x[0]))
return float(log.get('a'))
---
s = np.str_(x[0])
return float(s)
---
a, b = f'{x[0]} {x[1]}'.split()
return float(a) * float(b)
---
t = ()
for v in x:
    t += (str(v),)
return float(t[0])
""".strip().split("\n---\n")
MODULES = {
    "np": np, "scipy": scipy, "sp": scipy.sparse, "array": array, "ast": ast, "bisect": bisect, "cmath": cmath,
    "collections": collections, "contextlib": contextlib, "copy": copy, "ctypes": ctypes, "decimal": decimal,
    "fractions": fractions, "functools": functools, "heapq": heapq, "io": io, "itertools": itertools, "json": json,
    "math": math, "operator": operator, "pickle": pickle, "queue": queue, "random": random, "re": re,
    "statistics": statistics, "string": string, "struct": struct, "types": types,
}  # fmt: skip
SCOPE = {**vars(strangers), **globals(), **MODULES}


def judged(program: str, modes: tuple[Mode, ...] = MODES) -> list[str]:
    """What comes of one program."""
    body = "".join(f"    {line}\n" for line in program.splitlines())
    with quiet(), loaded(f"def f(x):\n{body}", SCOPE) as made:
        return [verdict(made["f"], (), mode) for mode in modes]


def everything() -> list[str]:
    """All programs."""
    return [*(f"return {expression}" for expression in EXPRESSIONS), *PROGRAMS]
