"""Functions whose value is set part by part, and functions of which that cannot be read off."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass
class Camera:
    focus: float
    turn: Any
    name: str


def residuals(cameras: Any, points: Any, camera_of: Any, point_of: Any, seen: Any) -> Any:
    errors = np.empty(2 * len(camera_of))
    for k in range(len(camera_of)):
        c = camera_of[k]
        p = point_of[k]
        x = points[p, 0] - cameras[c, 0]
        y = points[p, 1] - cameras[c, 1]
        z = points[p, 2] - cameras[c, 2]
        f = cameras[c, 3]
        errors[2 * k] = f * x / z - seen[k, 0]
        errors[2 * k + 1] = f * y / z - seen[k, 1]
    return errors


def overwritten(x: Any) -> Any:
    out = np.zeros(3)
    for i in range(len(x)):
        out[i % 3] = x[i] ** 2
    return out


def twice_in_step(x: Any) -> Any:
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = x[i] ** 2
        out[i] = x[i] * x[0]
    return out


def then_constant(x: Any) -> Any:
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = x[i] ** 2
        if x[i] > 0.5:
            out[i] = 3.0
    return out


def any_order(x: Any) -> Any:
    out = np.empty(len(x))
    for i in reversed(range(len(x))):
        out[(i * 2) % len(x)] = x[i] * x[-1]
    return out


def adds(x: Any) -> Any:
    out = np.zeros(len(x) + 1)
    for i in range(len(x)):
        out[i] += x[i] ** 2
        out[i + 1] -= x[i] * x[0]
    return out


def other_name(x: Any) -> Any:
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = x[i] ** 2
    result = out
    return result


def early(x: Any) -> Any:
    out = np.zeros(len(x))
    for i in range(len(x)):
        if i == 1:
            continue
        out[i] = x[i] ** 2
        if x[i] > 0.9:
            break
    return out


def unpacked(p: Any, t: Any) -> Any:
    a, b = p[0], p[1]
    c = math.exp(p[2])
    out = np.zeros(len(t))
    for i in range(len(t)):
        out[i] = a * math.exp(-b * t[i]) + c
    return out


def negatives(x: Any) -> Any:
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[-1 - i] = x[i - 1] * x[-2]
    return out


def views(cams: Any, pts: Any) -> Any:
    out = np.zeros((len(cams), 2))
    for k in range(len(cams)):
        c = cams[k]
        t = c[2:]
        p = pts[k]
        out[k, 0] = c[0] * p[0] + t[0]
        out[k, 1] = c[1] * p[1] + t[1] * t[0]
    return out


def view_before(p: Any, n: Any) -> Any:
    a, b = p[:n], p[n:]
    out = np.zeros(n)
    for i in range(n):
        out[i] = a[i] * b[i]
    return out


def project(c: Any, p: Any) -> Any:
    z = c[2] + p[2]
    w = 1.0 / z
    return c[0] * p[0] * w, c[1] * p[1] * w


def helped(cams: Any, pts: Any) -> Any:
    out = np.zeros(2 * len(cams))
    for k in range(len(cams)):
        u, v = project(cams[k], pts[k])
        out[2 * k] = u - 1.0
        out[2 * k + 1] = v
    return out


def project_array(c: Any, p: Any) -> Any:
    z = c[2] + p[2]
    return np.array([c[0] * p[0] / z, c[1] * p[1] / z])


def helped_array(cams: Any, pts: Any) -> Any:
    out = np.zeros(2 * len(cams))
    for k in range(len(cams)):
        out[2 * k : 2 * k + 2] = project_array(cams[k], pts[k])
    return out


def norm(v: Any) -> Any:
    s = 0.0
    for i in range(len(v)):
        s = s * 0.5 + v[i] * v[i]
    return math.sqrt(s)


def helped_loop(x: Any) -> Any:
    out = np.zeros(len(x))
    for k in range(len(x)):
        out[k] = norm(x[k])
    return out


def helped_loop_both(x: Any) -> Any:
    out = np.zeros(2 * len(x))
    for k in range(len(x)):
        r = norm(x[k])
        out[2 * k] = r
        out[2 * k + 1] = r * r
    return out


def inner(x: Any, w: Any) -> Any:
    out = np.zeros(2 * len(x))
    for k in range(len(x)):
        s = 1.0
        for j in range(x.shape[1]):
            s = s * math.sin(x[k, j]) + w[j]
        if s > 0.3:  # noqa: SIM108 - a branch is meant
            r = s * s
        else:
            r = math.exp(s)
        out[2 * k] = s * r
        out[2 * k + 1] = r
    return out


def prelude(x: Any, w: Any) -> Any:
    out = np.zeros((len(x), 3))
    for k in range(len(x)):
        scale = math.exp(w[0]) * x[k, 0]
        d = x[k] * scale
        for j in range(3):
            out[k, j] = d[j] * w[j]
    return out


def counter(x: Any) -> Any:
    out = np.zeros(2 * len(x))
    row = 0
    for v in x:
        out[row] = v * v
        row += 1
        out[row] = v
        row += 1
    return out


def zipped(xs: Any, ts: Any, p: Any) -> Any:
    out = np.zeros(len(xs))
    for i, (x, t) in enumerate(zip(xs, ts)):  # noqa: B905 - as users write it
        out[i] = x * t * p[0]
    return out


def boundary(u: Any, a: Any) -> Any:
    r = np.empty(len(u))
    r[0] = u[0] - a
    for i in range(1, len(u) - 1):
        r[i] = u[i - 1] - 2 * u[i] + u[i + 1] ** 2
    r[-1] = u[-1] * a
    return r


def grid(u: Any) -> Any:
    r = np.zeros(u.shape)
    for i in range(1, u.shape[0] - 1):
        for j in range(1, u.shape[1] - 1):
            r[i, j] = 4 * u[i, j] ** 2 - u[i - 1, j] - u[i + 1, j] - u[i, j - 1] * u[i, j + 1]
    return r.ravel()


def matvec(a: Any, x: Any) -> Any:
    out = np.zeros(len(a))
    for i in range(len(a)):
        out[i] = a[i] @ x
    return out


def reassigned(x: Any) -> Any:
    out = np.zeros(len(x))
    for i in range(len(x)):
        t = x[i]
        u = t * t
        t = u * x[0]
        u = t * t + u
        out[i] = t * u
        t = 0.0
    return out


def whiled(x: Any) -> Any:
    out = np.zeros(len(x))
    i = 0
    while i < len(x):
        out[i] = x[i] ** 2 * x[0]
        i += 1
    return out


def branches(x: Any) -> Any:
    out = np.empty(len(x))
    for i in range(len(x)):
        if x[i] > 0:
            out[i] = x[i] ** 3
        else:
            out[i] = -x[i]
    return out


def single_precision(x: Any) -> Any:
    out = np.zeros(len(x), np.float32)
    for i in range(len(x)):
        out[i] = x[i] * x[0]
    return out


def gathered(x: Any, idx: Any) -> Any:
    out = np.zeros(len(idx))
    for i in range(len(idx)):
        out[i] = np.sum(x[idx[i]] ** 2)
    return out


def mask(x: Any, m: Any) -> Any:
    out = np.zeros(len(m))
    for i in range(len(m)):
        out[i] = np.sum(x[m[i]] ** 2)
    return out


def scatter(x: Any, idx: Any) -> Any:
    out = np.zeros(6)
    for i in range(len(x)):
        out[idx[i]] = x[i] * 2.0
    return out


def workspace_inside(x: Any) -> Any:
    out = np.zeros(len(x))
    for i in range(len(x)):
        tmp = np.zeros(3)
        tmp[0] = x[i]
        tmp[1] = tmp[0] * x[0]
        out[i] = tmp[1] * tmp[0]
    return out


def whole_sum(x: Any) -> Any:
    s = np.sum(x**2)
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = x[i] / s
    return out


def cond_expr(x: Any) -> Any:
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = x[i] ** 2 if x[i] > 0.5 else 2.0 * x[0]
    return out


def index_changed(x: Any) -> Any:
    out = np.zeros(len(x))
    j = 0
    for i in range(len(x)):
        j = (j * 3 + 1) % len(x)
        v = x[j]
        w = v * v
        j = (j + 1) % len(x)
        out[i] = w * x[j]
    return out


def stepped_rows(x: Any) -> Any:
    out = np.zeros((4, 3))
    for i in range(3):
        out[:, i] = x[i] * x[:4]
    return out


def reused_loop_variable(x: Any) -> Any:
    out = np.zeros(len(x))
    for i in range(len(x)):
        s = 0.0
        for j in range(3):
            s += x[j] ** 2 * s
            s += x[j]
        out[i] = s * j
    return out


def two_loops(x: Any) -> Any:
    out = np.zeros(2 * len(x))
    for i in range(len(x)):
        out[i] = x[i] ** 2
    for i in range(len(x)):
        out[len(x) + i] = x[i] ** 3
    return out


def of_dict(p: Any, t: Any) -> Any:
    out = np.zeros(len(t))
    for i in range(len(t)):
        out[i] = p["w"][i] * t[i] + p["b"]
    return out


def of_record(cam: Any, t: Any) -> Any:
    out = np.zeros(len(t))
    for i in range(len(t)):
        out[i] = cam.focus * cam.turn[i % 2] * t[i]
    return out


def empty_like(x: Any) -> Any:
    out = np.empty_like(x)
    for i in range(len(x)):
        out[i] = x[i] ** 2
    return out


def of_tuple_target(x: Any) -> Any:
    out = np.zeros((len(x), 2))
    for i in range(len(x)):
        out[i, 0], out[i, 1] = x[i] ** 2, x[i] * x[0]
    return out


def of_unpacked_call(cams: Any, pts: Any) -> Any:
    out = np.zeros((len(cams), 2))
    for k in range(len(cams)):
        out[k, 0], out[k, 1] = project(cams[k], pts[k])
    return out


def vector_augment(x: Any, idx: Any) -> Any:
    out = np.zeros((4, 3))
    for k in range(len(idx)):
        out[idx[k]] += x[k] * x[k]
        out[idx[k], 1] -= x[0, 0]
    return out


def vector_minus(x: Any, idx: Any) -> Any:
    out = np.zeros((4, 3))
    for k in range(len(idx)):
        out[idx[k]] -= x[k] * x[k]
    return out


def rows_of(xs: Any, w: Any) -> Any:
    out = np.zeros(len(xs))
    for i, row in enumerate(xs):
        out[i] = row @ w + row[0] * row[1]
    return out


def errstate(x: Any) -> Any:
    out = np.zeros(len(x))
    with np.errstate(divide="ignore"):
        for i in range(len(x)):
            out[i] = 1 / x[i]
    return out


def put_square(o: Any, k: Any, v: Any) -> Any:
    o[k] = v * v


def filled_by_helper(x: Any) -> Any:
    out = np.zeros(len(x))
    for i in range(len(x)):
        put_square(out, i, x[i])
    return out


def moved_view(x: Any) -> Any:
    out = np.zeros(len(x))
    for i in range(len(x)):
        j = i
        row = x[j]
        j = (i + 1) % len(x)
        s = row[0] * x[j, 1]
        row = x[j]
        out[i] = s * row[2]
    return out


def list_in_step(x: Any) -> Any:
    out = np.zeros(len(x))
    for i in range(len(x)):
        terms = []
        for j in range(3):
            terms.append(x[i, j] ** 2)  # noqa: PERF401 - a list that grows is meant
        out[i] = terms[0] * terms[1] + terms[2]
    return out


def tape_vector(x: Any) -> Any:
    out = np.zeros((len(x), 3))
    for i in range(len(x)):
        v = x[i]
        for _ in range(2):
            v = np.sin(v) * v
        out[i] = v
    return out


def two_tapes(x: Any) -> Any:
    out = np.zeros((len(x), 2))
    for i in range(len(x)):
        s = x[i, 0]
        for _ in range(3):
            s = math.sin(s) * s + x[i, 1]
        out[i, 0] = s
        for _ in range(2):
            s = math.cos(s) * s
        out[i, 1] = s
    return out


def while_inner(x: Any) -> Any:
    out = np.zeros(2 * len(x))
    for i in range(len(x)):
        s = x[i] * x[i] + 1.0
        while s > 0.5:
            s = s * 0.6 * math.cos(x[0])
        out[2 * i] = s * s
        if s > 0.3:
            out[2 * i + 1] = s
    return out


def break_after(x: Any) -> Any:
    out = np.zeros(2 * len(x))
    for i in range(len(x)):
        out[2 * i] = x[i] ** 2
        if x[i] > 0.7:
            break
        out[2 * i + 1] = x[i] ** 3
    return out


def else_loop(x: Any) -> Any:
    out = np.zeros(len(x))
    for i in range(len(x) - 1):
        out[i] = x[i] ** 2
    else:  # noqa: PLW0120 - an `else` is meant
        out[-1] = x[-1]
    return out


def minus_seen(x: Any, seen: Any) -> Any:
    out = -seen
    for i in range(len(x)):
        out[i] += x[i] ** 2
    return out


def zero_d(s: Any, x: Any) -> Any:
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = s * x[i]
    return out


def scalar_in_branch(x: Any, a: Any, b: Any) -> Any:
    out = np.zeros(len(x))
    for i in range(len(x)):
        if x[i] > 0:  # noqa: SIM108 - a branch is meant
            y = a * x[i]
        else:
            y = b
        out[i] = y * y
    return out


def maxima(x: Any) -> Any:
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = max(x[i], 0.0) + np.max(x[i:]) + np.linalg.norm(x[:2])
    return out


def scaled_rows(x: Any) -> Any:
    out = np.zeros((len(x), 3))
    for i in range(len(x)):
        out[i] = x[i] / np.sqrt(np.sum(x[i] ** 2))
    return out


def nested_prelude_overwritten(x: Any) -> Any:
    out = np.zeros((len(x), 3))
    for i in range(len(x)):
        a = x[i, 0]
        b = a * a
        for j in range(3):
            out[i, j] = b * x[i, j]
        a = x[i, 1]
        b = a * b
        for j in range(3):
            out[i, j] = out[i, j] if False else b * x[i, j]
    return out


def reads_value_cond(x: Any) -> Any:
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = x[i] ** 2
        if out[i] > 0.5:
            out[i] = x[i] * 3.0
    return out


def model(p: Any, t: Any) -> Any:
    s = p[0]
    for j in range(1, len(p)):
        s = s * t + p[j] * math.sin(s)
    return s


def whole_arg(p: Any, t: Any) -> Any:
    out = np.zeros(len(t))
    for i in range(len(t)):
        out[i] = model(p, t[i])
    return out


def inverted(x: Any) -> Any:
    out = np.zeros((len(x), 2, 2))
    for i in range(len(x)):
        for a in range(2):
            for b in range(2):
                out[i, a, b] = x[i, a] * x[i, b]
    return out


# ------------------------------------------------------------------------------------------------------------ refused


def carried(x: Any) -> Any:
    out = np.zeros(len(x))
    s = 0.0
    for i in range(len(x)):
        s = s + x[i]
        out[i] = s
    return out


def reads_back(x: Any) -> Any:
    out = np.zeros(len(x))
    out[0] = x[0]
    for i in range(1, len(x)):
        out[i] = out[i - 1] * x[i]
    return out


def scaled_after(x: Any) -> Any:
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = x[i] ** 2
    out *= 2.0
    return out


def returned_scaled(x: Any) -> Any:
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = x[i] ** 2
    return out * 2.0


def before(x: Any) -> Any:
    y = 2 * x
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = y[i] ** 2
    return out


def in_place(x: Any) -> Any:
    x[0] *= 2
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = x[i] ** 2
    return out


def workspace(x: Any) -> Any:
    out = np.zeros(len(x))
    tmp = np.zeros(3)
    for i in range(len(x)):
        tmp[0] = x[i]
        tmp[1] = tmp[0] * x[0]
        out[i] = tmp[1] * tmp[0]
    return out


def two_dims(x: Any) -> Any:
    out = np.zeros((len(x), 2, 2))
    for i in range(len(x)):
        out[i] = np.outer(x[i], x[i])
    return out


def alias_param(x: Any, out: Any) -> Any:
    for i in range(len(x)):
        out[i] = x[i]
    return out


def row_alias(x: Any) -> Any:
    out = np.zeros((len(x), 2))
    for i in range(len(x)):
        r = out[i]
        r[0] = x[i]
        r[1] = x[i] ** 2
    return out


def listed(x: Any) -> Any:
    out = []
    for i in range(len(x)):
        out.append(x[i] ** 2)  # noqa: PERF401 - a list that grows is meant
    return np.array(out)


def tried(x: Any) -> Any:
    out = np.zeros(len(x))
    for i in range(len(x)):
        try:
            out[i] = math.sqrt(x[i])
        except ValueError:
            out[i] = 0.0
    return out


def mixed(x: Any) -> Any:
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = x[i] ** 2
        out[i] += x[0]
    return out


def last_of(x: Any) -> Any:
    out = np.zeros(len(x))
    prev = x[0]
    for i in range(len(x)):
        out[i] = x[i] - prev
        prev = x[i]
    return out


def add_at(x: Any, idx: Any) -> Any:
    out = np.zeros(len(x))
    np.add.at(out, idx, x)
    return out


def ravel_f(x: Any) -> Any:
    out = np.zeros((2, 3))
    for i in range(2):
        for j in range(3):
            out[i, j] = x[i, j] ** 2
    return out.ravel("F")


def init_from(x: Any, seen: Any) -> Any:
    out = seen.copy()
    for i in range(len(x)):
        out[i] = x[i] ** 2
    return out


def inner_carry(x: Any) -> Any:
    out = np.zeros((len(x), 3))
    for i in range(len(x)):
        s = 0.0
        for j in range(3):
            s += x[i, j]
            out[i, j] = s
    return out
