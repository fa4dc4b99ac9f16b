# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Grids updated in place: stencils that read what they write, time steps with one buffer or with two that swap."""

import math

import numpy as np

from ..corpus import program, sample


@program(sample(6), sample(6, seed=1))
def gauss_seidel(u, f):
    for _ in range(3):
        for i in range(1, len(u) - 1):
            u[i] = 0.5 * (u[i - 1] + u[i + 1] + f[i])
    return np.sum(u * u)


@program(sample(6), sample(6, seed=1), 1.4)
def over_relaxation(u, f, omega):
    for _ in range(2):
        for i in range(1, len(u) - 1):
            new = 0.5 * (u[i - 1] + u[i + 1] + f[i])
            u[i] += omega * (new - u[i])
    return np.sum(u * u)


@program(sample(6), sample(6, seed=1))
def red_black(u, f):
    for _ in range(2):
        u[1:-1:2] = 0.5 * (u[0:-2:2] + u[2::2] + f[1:-1:2])
        u[2:-1:2] = 0.5 * (u[1:-2:2] + u[3::2] + f[2:-1:2])
    return np.sum(u**2)


@program(sample(6), sample(6, seed=1))
def jacobi_in_one_array(u, f):
    """The slice on the left overlaps those on the right, which are summed up before the write."""
    for _ in range(3):
        u[1:-1] = 0.5 * (u[:-2] + u[2:] + f[1:-1])
    return np.sum(u**3)


@program(sample(6), 0.2)
def heat_by_elements(u, r):
    new = np.zeros_like(u)
    for _ in range(3):
        new[0], new[-1] = u[0], u[-1]
        for i in range(1, len(u) - 1):
            new[i] = u[i] + r * (u[i + 1] - 2 * u[i] + u[i - 1])
        u[:] = new
    return np.sum(u * u)


@program(sample(6), 0.2)
def heat_with_swapped_buffers(u, r):
    u_new = u.copy()
    for _ in range(5):
        u_new[1:-1] = u[1:-1] + r * (u[2:] - 2 * u[1:-1] + u[:-2])
        u, u_new = u_new, u
    return np.sum(u * u)


@program(sample(6), 0.2)
def heat_with_one_buffer_by_mistake(u, r):
    """The two names stand for one array: this is no heat equation, but it is a function."""
    u_new = u
    for _ in range(3):
        for i in range(1, len(u) - 1):
            u_new[i] = u[i] + r * (u[i + 1] - 2 * u[i] + u[i - 1])
        u, u_new = u_new, u
    return np.sum(u * u)


@program(sample(6), 0.1)
def burgers(u, nu):
    dt, dx = 0.05, 0.5
    for _ in range(4):
        un = u.copy()
        for i in range(1, len(u) - 1):
            u[i] = un[i] - un[i] * dt / dx * (un[i] - un[i - 1]) + nu * dt / dx**2 * (un[i + 1] - 2 * un[i] + un[i - 1])
        u[0] = un[0] - un[0] * dt / dx * (un[0] - un[-2])
        u[-1] = u[0]
    return np.sum(u**2)


@program(sample(6), sample(6, seed=1), 0.3)
def wave_in_three_buffers(u, v, c):
    previous, current = u.copy(), u + 0.1 * v
    following = np.empty(6)
    for _ in range(4):
        following[1:-1] = 2 * current[1:-1] - previous[1:-1] + c**2 * np.diff(current, 2)
        following[0] = following[-1] = 0.0
        previous, current, following = current, following, previous
    return np.sum(current**2) + np.sum(previous * following)


@program(sample(5), sample(5, seed=1), 0.1)
def leapfrog_in_place(q, p, h):
    for _ in range(4):
        p -= 0.5 * h * np.sin(q)
        q += h * p
        p -= 0.5 * h * np.sin(q)
    return np.sum(p * p) - np.sum(np.cos(q))


@program(sample(4, 4), 0.2)
def diffusion_in_two_dimensions(t, k):
    for _ in range(2):
        t[1:-1, 1:-1] += k * (t[2:, 1:-1] + t[:-2, 1:-1] + t[1:-1, 2:] + t[1:-1, :-2] - 4 * t[1:-1, 1:-1])
        t[0, :] = t[1, :]
        t[:, 0] = t[:, 1]
    return np.sum(t**2)


@program(sample(4, 4))
def five_points_by_elements(t):
    n, m = t.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            t[i, j] = 0.25 * (t[i + 1, j] + t[i - 1][j] + t[i, j + 1] + t[i][j - 1]) * t[i, j]
    return np.sum(t * t)


@program(sample(5), 0.4)
def upwind_backwards(u, c):
    """From right to left nothing is overwritten before it is read."""
    for _ in range(3):
        for i in range(len(u) - 1, 0, -1):
            u[i] -= c * (u[i] - u[i - 1])
    return np.sum(u * u)


@program(sample(5), 0.4)
def upwind_forwards(u, c):
    for _ in range(3):
        for i in range(1, len(u)):
            u[i] -= c * (u[i] - u[i - 1])
    return np.sum(u * u)


@program(sample(5), 0.05)
def lax_wendroff(u, h):
    flux = np.zeros(len(u) - 1)
    for _ in range(3):
        for i in range(len(u) - 1):
            middle = 0.5 * (u[i] + u[i + 1]) - h * (u[i + 1] ** 2 - u[i] ** 2)
            flux[i] = 0.5 * middle**2
        u[1:-1] -= h * (flux[1:] - flux[:-1])
    return np.sum(u**2)


@program(sample(5))
def boundary_written_every_step(u):
    for step in range(3):
        u[0] = math.sin(0.3 * step) + u[-1]
        u[-1] = u[-2] * 0.9
        u[1:-1] = (u[:-2] + u[1:-1] * 2 + u[2:]) / 4
    return np.sum(u**2)


@program(sample(2, 5), 0.05)
def predator_and_prey(history, h):
    for t in range(1, history.shape[1]):
        a, b = history[:, t - 1]
        history[0, t] = a + h * (a - a * b)
        history[1, t] = b + h * (a * b - b)
    return history[0, -1] * history[1, -1] + history[1, 2]


@program(np.array([1.2, 0.3]), 0.1)
def trajectory_written_row_by_row(start, h):
    path = np.zeros((5, 2))
    path[0] = start
    for k in range(4):
        q, p = path[k]
        path[k + 1] = q + h * p, p - h * math.sin(q)
    return np.sum(path**2)


@program(np.array([1.2, 0.3, 0.8]), 0.1)
def runge_kutta_in_work_arrays(y, h):
    def slope(y, out):
        out[0] = y[1]
        out[1] = -y[0] * y[2]
        out[2] = -0.3 * y[2]

    k1, k2, work = np.empty(3), np.empty(3), np.empty(3)
    for _ in range(3):
        slope(y, k1)
        np.multiply(k1, 0.5 * h, out=work)
        work += y
        slope(work, k2)
        y += h * k2
    return y @ y


@program(sample(8))
def haar_wavelets(x):
    n = len(x)
    work = np.empty_like(x)
    while n > 1:
        half = n // 2
        work[:half] = (x[0:n:2] + x[1:n:2]) / 2
        work[half:n] = (x[0:n:2] - x[1:n:2]) / 2
        x[:n] = work[:n]
        n = half
    return np.sum(x**2 * np.arange(1.0, 9.0))


@program(sample(4), sample(4, seed=1))
def butterfly(re, im):
    n = len(re)
    step = 1
    while step < n:
        for start in range(0, n, 2 * step):
            for k in range(start, start + step):
                angle = math.pi * (k - start) / step
                c, s = math.cos(angle), math.sin(angle)
                tr = c * re[k + step] - s * im[k + step]
                ti = s * re[k + step] + c * im[k + step]
                re[k + step], im[k + step] = re[k] - tr, im[k] - ti
                re[k] += tr
                im[k] += ti
        step *= 2
    return np.sum((re**2 + im**2) * np.arange(1.0, 5.0))


@program(sample(3, 3), sample(3, 3, seed=1))
def convolution_by_elements(image, kernel):
    out = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            for k in range(3):
                for l in range(3):
                    p, q = i + k - 1, j + l - 1
                    if 0 <= p < 3 and 0 <= q < 3:
                        out[i, j] += image[p, q] * kernel[k, l]
    return np.sum(out**2)


@program(sample(3, 2), 0.01)
def bodies_that_attract_each_other(x, h):
    v = np.zeros_like(x)
    for _ in range(2):
        force = np.zeros_like(x)
        for i in range(3):
            for j in range(i):
                d = x[j] - x[i]
                pull = d / (np.sum(d * d) + 0.1) ** 1.5
                force[i] += pull
                force[j] -= pull
        v += h * force
        x += h * v
    return np.sum(x**2) + np.sum(v * x)
