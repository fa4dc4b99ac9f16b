"""Bodies that were found wrong when each way of one thing was tried with each way of another, and are right now.

Each stands in a function `f(a, b, m, y, n)` behind the definitions below. What is refused is listed too: it may come to
be right, and must never be a number that is wrong.
"""

from __future__ import annotations

import numpy as np
import pytest

from .check import Checker
from .program import Program

DEFINITIONS = """import math
import numpy as np
class O:
    def __init__(self, p):
        self.p = p
class C:
    def __init__(self, p, q):
        self.p, self.q = p, q
    def __getitem__(self, i):
        return self.p if i == 0 else self.q
    def __setitem__(self, i, v):
        if i == 0:
            self.p = v
        else:
            self.q = v
class Pr:
    def __init__(self, p, q):
        self._p, self.q = p, q
    @property
    def p(self):
        return self._p
    @p.setter
    def p(self, v):
        self._p = v
H = np.ones(2)
L = [np.ones(2)]
def ident(v):
    return v
def wr(v, y):
    v[0] = y
def get():
    return H
"""

RIGHT = (
    "xs=C(y,2.0)\nxs[0], xs[1] = xs[1], xs[0]\nreturn xs[0]*xs[0]*xs[1]",
    "xs=Pr(y,2.0)\nxs.p, xs.q = xs.q, xs.p\nreturn xs.p*xs.p*xs.q",
    "xs=Pr(a,b)\nxs.p, xs.q = xs.q, xs.p\nreturn np.sum(xs.p*xs.p*xs.q)",
    "xs=Pr([y], 2.0)\nxs.p += [y*y]\nreturn sum(xs.p)",
    "return np.sum(a**[2, 3])",
    (
        "xs = [y, 1.0]\ndef g0(z):\n    return xs\ng1 = g0\n"
        "def g(z):\n    g1(z)[0] = z * y\n    return 1.0\nr = g(y)\nreturn xs[0] * xs[0]"
    ),
    (
        "xs = [y, 1.0]\ndef g0(z):\n    return xs\ng1 = g0\n"
        "def g(z):\n    t = g1(z)\n    t[0] = z * y\n    return 1.0\nr = g(y)\nreturn xs[0] * xs[0]"
    ),
    "s=np.trim_zeros(a)\ns[0]=y\nreturn np.sum(a*s)",
    "s=np.require(a)\ns[0]=y\nreturn np.sum(a*s)",
    "p = list((y, [y]))\nreturn p[1][0]**2",
    "r = ([y] + [[y]])[1][0]\nreturn r*r",
    "p = list((y, {'k': y}))\nreturn p[1]['k']**2",
    "p = tuple([y, [y]])\nreturn p[1][0]**2",
    "b=[(y,1.0),(2.0*y,y)]\nc=b+b\nreturn c[0][0]*c[1][1]*c[3][0]",
    "return max([(y, 1.0), (0.5, y)])[0]*y",
    "return sorted([(y, 1.0), (0.5, y)])[0][1]*y",
    "return min((y, 1.0), (0.5, y), key=lambda t: t[1])[1]*y",
    "b=[{'k': y}]\nc=b*2\nreturn c[1]['k']**2",
    "b=[(y, 2*y)]\nc=b*2\nreturn c[1][1]**2",
    "b=[O(y),O(2.0*y)]\nc=max([b], key=len)\nreturn c[0].p*c[1].p",
    "xs=Pr(a, a*2.0)\nxs.p *= y\nreturn np.sum(xs.p*a*xs.q)",
    "xs=C(a, a*2.0)\nxs[0] *= y\nreturn np.sum(xs[0]*a*xs[1])",
    "xs=Pr(y, 2.0)\nxs.p *= y\nreturn xs.p*xs.q",
    "xs, q = [y, 2.0], 1\nxs[n-1] *= y\nreturn xs[0]*xs[1]",
    "q, z = [y, 2.0], 1\nq.append(y)\nreturn q[0]*q[2]",
    "p=[[y,2.],[.3,y*y]]\nq=[p,p][n%2]\nq.append([y])\nreturn q[0][0]*q[1][1]",
    "xs, q = [y, 2.0], 1\nfor k in range(2): xs[k] += y*k\nreturn xs[0]*xs[1]",
    "q = np.array([[y, 2.0],[0.3, y*y]]).tolist()\nreturn q[0][0]*y",
    "q = list(np.array([[y, 2.0],[0.3, y*y]]))\nreturn q[0][0]*y",
    "q=[np.ones(2), a]\nq[0]=[y,y]\nreturn sum(q[0])**2",
    "xs = H + 0.0\nxs[0] = y\nreturn np.sum(xs*H)",
    "s=a.conj()\ns[0]=y\nreturn np.sum(a*s)",
    "s=np.conj(a)\ns[0]=y\nreturn np.sum(a*s)",
    "s=np.real(a)\ns[0]=y\nreturn np.sum(a*s)",
    "s=a.conjugate()\ns[0]=y\nreturn np.sum(a*s)",
    "s=np.asanyarray(a)\ns[0]=y\nreturn np.sum(a*s)",
    "s=a.astype(float, copy=False)\ns[0]=y\nreturn np.sum(a*s)",
    "s=np.array(a, copy=None)\ns[0]=y\nreturn np.sum(a*s)",
    "s=np.ascontiguousarray(a)\ns[0]=y\nreturn np.sum(a*s)",
    "s=np.real_if_close(a)\ns[0]=y\nreturn np.sum(a*s)",
    "s=np.flipud(a)\ns[0]=y\nreturn np.sum(a*s)",
    "s=np.rot90(a[None])\ns[0]=y\nreturn np.sum(a*s[:,0])",
    "s=np.moveaxis(a[None],0,1)\ns[0]=y\nreturn np.sum(a*s[:,0])",
    "s=np.diagonal(np.outer(a,a)).copy()\ns[0]=y\nreturn np.sum(a*s)",
    "s=np.matrix_transpose(a[None])\ns[0]=y\nreturn np.sum(a*s[:,0])",
    "s=a.view()\ns[0]=y\nreturn np.sum(a*s)",
    "s=np.unstack(a[None])[0]\ns[0]=y\nreturn np.sum(a*s)",
    "s=np.array_split(a,1)[0]\ns[0]=y\nreturn np.sum(a*s)",
    "s=np.fix(a, out=a)\ns[0]=y\nreturn np.sum(a*s)",
    "s=a.round(2)\ns[0]=y\nreturn np.sum(a*s)",
    "s=a.clip(-5,5)\ns[0]=y\nreturn np.sum(a*s)",
    "xs=C(a, a*2.0)\nfor k in range(3):\n    xs[0] *= y\n    xs.q += xs[0]\nreturn np.sum(xs[0]*a*xs[1])",
    "xs=Pr(a, a*2.0)\nk=0\nwhile k < n:\n    xs.p *= y\n    xs.p += b\n    k += 1\nreturn np.sum(xs.p*a*xs.q)",
    "b=[O(y),O(2.0*y)]\nc=b[:]\nreturn c[0].p*c[1].p",
    "p=a*y\np[:]=[y]\nreturn np.sum(p)",
    "p=a*y\np+=[y]\nreturn np.sum(p)",
    "r=np.add(a,[y])\nreturn np.sum(r*r)",
    "r=np.where(a>0,a,[y])\nreturn np.sum(r*r)",
    "p=a*2.0\np[[0,0]]+=[y]\nreturn np.sum(p*p)",
    "p=np.outer(a,b)\np[1]=[y]\nreturn np.sum(p*p)",
    "p=np.outer(a,b)\np[1:]=[y]\nreturn np.sum(p*p)",
    "p=a*2.0\np[:2]=y,\nreturn np.sum(p*p)",
    "p=a*2.0\nnp.copyto(p,[y])\nreturn np.sum(p*p)",
    "p=a*2.0\nnp.add(p,[y],out=p)\nreturn np.sum(p*p)",
    "p=a*2.0\nnp.add.at(p,[0,0],[y])\nreturn np.sum(p*p)",
    "return np.sum(np.arctan2(a,[y]))",
    "return np.sum(np.clip(a,[y],5.0))",
    "return np.sum(np.power(a*a,[y]))",
    "return np.sum(np.maximum([y,2.0],y))",
    "return np.sum(a*[y,2.0]+(y,1.0))",
    "p=a*2.0\np[:]=[[y],[2.0]][0]\nreturn np.sum(p*p)",
    "p=a*2.0\nnp.put(p,[0,1],[y])\nreturn np.sum(p*p)",
    "xs=[y*k for k in range(2)]\nreturn np.sum(a*xs)",
    "p=a*2.0\np[[0,1]]=[y]\nreturn np.sum(p*p)",
    "p=a*2.0\np *= [y]\nreturn np.sum(p*p)",
    "return np.sum([y,2.0]-a)*np.sum(a/[y,y])",
    "return np.sum(np.sqrt([y,2.0]))",
    "return np.sum(np.square([y,2.0])*np.hypot([y,1.0],a))",
    "s=m.T+1.0\nv=s.reshape(-1)\nv*=y\nreturn np.sum(s*s)",
    "s=m[:,[1,0]]\nv=s.ravel()\nv*=y\nreturn np.sum(s*s)",
    "s=np.sort(m.T)\nv=s.reshape(4)\nv*=y\nreturn np.sum(s*s)",
    "s=np.vstack([a,a]).T+y\nv=s.T.ravel()\nv*=y\nreturn np.sum(s*s)",
    "s=np.zeros((2,2),order='F')+y\nv=s.ravel()\nv*=a[0]\nreturn np.sum(s*s)",
    "s=(m@m).T+0.0\nv=np.ravel(s)\nv*=y\nreturn np.sum(s*s)",
    "ys=[]\nys.append([y,2.0])\np=ys[0]\np.append(y)\nreturn p[0]*p[2]",
    "p=[r for r in [[y,2.0]]][0]\np.append(y)\nreturn p[0]*p[2]",
    "p=max([[y,2.0]],key=len)\np.append(y)\nreturn p[0]*p[2]",
    "p=[[y,2.0],[y,2.0]][n%2]\np.reverse()\nreturn p[0]*p[1]",
    "for p in ([y,2.0],): pass\np.reverse()\nreturn p[0]*y",
    "return math.prod([y,y,2.0])",
    "return math.prod(a)",
    "for i in range(n):\n    try:\n        raise ValueError\n        break\n    except ValueError:\n        y=y*2.0\nreturn y",  # noqa: E501
    "s=np.fmax.reduce([a])\ns[0]=y\nreturn np.sum(a*s)",
    "import json\nreturn y*json.loads('2.5')",
    "import json\nxs=[y, json.loads('2.5')]\nreturn xs[0]*xs[1]",
    "r = [y, [y]][:][1][0]\nreturn r*r",
    "r=(y,[y])[::-1][0][0]\nreturn r*r",
)

REFUSED = (
    "xs = L\nxs.append(a)\nxs[0] = a\nreturn np.sum(L[0])",
    "def helper():\n    return L\nhelper().append(a)\nreturn np.sum(L[-1])",
    "b=[O(y),O(2.0*y)]\nc=list(b)\nreturn c[0].p*c[1].p",
    "d={}\nd[y]=2.0\nr=0.0\nfor k in d: r += k*k\nreturn r",
    "return [v for v in {y: 2.0}][0]",
    "return max({y: 2.0})",
    "s={v: v*y for v in a}\nreturn sum(k*v for k,v in s.items())",
    "s={y, 2*y}\nreturn sum(s)",
    "s=set([y])\nreturn max(s)",
    "d=dict([(y, 1.0)])\nreturn sum(d)",
    "d=dict(zip([y], [1.0]))\nreturn sum(d)",
    "d={}\nd.update({y: 1.0})\nreturn sum(d)",
    "r = max((y, 1.0), (0.5, y))[0]\nreturn r*r",
    "return max((a[0], y), (y, y*y), (0.1, y))[1]",
    "xs=C(y,2.0)\nfor xs[0] in [y, y*y]: pass\nreturn xs[0]*xs[1]",
    "xs = list(map(lambda k: np.ones(2), range(2)))\nxs[0][0]=y\nxs[1][1]=y\nv = xs[0]+xs[1]+a\nreturn np.sum(v*v)",
    "xs = H\nxs[0]=y\nreturn H[0]*y",
    "xs = ident(H)\nxs[0]=y\nreturn H[0]*y",
    "wr(H, y)\nreturn H[0]*y",
    "xs = [H]\nxs[0][0]=y\nreturn H[0]*y",
    "xs = H[:1]\nxs[0]=y\nreturn H[0]*y",
    "xs = get()\nxs[0]=y\nreturn H[0]*y",
    "for v in L: v[0]=y\nreturn L[0][0]*y",
    "xs = L[0]\nxs *= y\nreturn np.sum(L[0])*y",
    "xs = L\nxs.append(a)\nv=np.sum(L[-1])*y\nL.pop()\nreturn v",
    "s=np.nan_to_num(a, copy=False)\ns[0]=y\nreturn np.sum(a*s)",
    "s=np.asfarray(a) if hasattr(np, 'asfarray') else np.asarray(a, float)\ns[0]=y\nreturn np.sum(a*s)",
    "s=np.broadcast_arrays(a)[0]\ns[0]=y\nreturn np.sum(a*s)",
    "b=[O(y),O(2.0*y)]\nc=tuple(b)\nreturn c[0].p*c[1].p",
    "b=[O(y),O(2.0*y)]\nc=b+b\nreturn c[0].p*c[3].p",
    "return np.sum(math.prod([a,b]))",
)


def outcome(body: str) -> str:
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    arguments = {
        "a": np.array([0.5, -1.2]),
        "b": np.array([1.5, 0.4]),
        "m": np.array([[1.5, 0.4], [0.3, 2.0]]),
        "y": 0.7,
        "n": 2,
    }
    found = Checker().check(Program(f"{DEFINITIONS}\n\ndef f(a, b, m, y, n):\n{lines}", arguments))
    return f"{found.verdict} {found.kind} {found.detail}".strip()


@pytest.mark.parametrize("body", RIGHT)
def test_right(body: str) -> None:
    assert outcome(body) == "agreed"


@pytest.mark.parametrize("body", REFUSED)
def test_refused(body: str) -> None:
    assert outcome(body) == "refused"
