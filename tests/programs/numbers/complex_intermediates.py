# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Complex numbers between real inputs and a real result."""

import cmath
import math

import numpy as np

from ..corpus import program, sample


@program(1.0, 1.2, 2.5)
def roots_of_a_quadratic(a, b, c):
    d = cmath.sqrt(b * b - 4 * a * c)
    r = (-b + d) / (2 * a)
    s = (-b - d) / (2 * a)
    return abs(r) ** 2 + (r * s).real + r.imag * s.real


@program(0.3, 0.5)
def iterated_square(x, y):
    c = complex(x, y)
    z = 0j
    for _ in range(5):
        z = z * z + c
        if abs(z) > 2:
            break
    return abs(z) ** 2


@program(50.0, 0.2, 1e-2)
def impedance(r, l, c):
    z = 0
    for w in (1.0, 10.0, 30.0):
        z += 1 / (1 / r + 1j * w * c) + 1j * w * l
    return abs(z)


@program(sample(4))
def spectrum(x):
    z = np.zeros(4, dtype=complex)
    for k in range(4):
        for n in range(4):
            z[k] += x[n] * cmath.exp(-2j * math.pi * k * n / 4)
    return np.sum(np.abs(z) ** 2 * np.arange(4.0)) + z[1].imag


@program(sample(4), sample(4, seed=1))
def convolution_by_transforms(x, y):
    return np.sum(np.fft.ifft(np.fft.fft(x) * np.fft.fft(y)).real ** 2)


@program(sample(4))
def real_transform(x):
    z = np.fft.rfft(x)
    return np.sum(np.abs(z) ** 2) + np.sum(z.imag * z.real)


@program(1.2, 0.7)
def conjugates_and_parts(x, y):
    z = x + 1j * y
    w = z.conjugate() * z * z
    return w.real + 2 * w.imag + (z - np.conj(z)).imag


@program(1.2, 0.7)
def polar_form(r, phi):
    z = cmath.rect(r, phi)
    w = z**3 + z
    size, angle = cmath.polar(w)
    return size * angle + cmath.phase(z)


@program(1.2, 0.7)
def angles_of_arrays(x, y):
    z = np.array([x + 1j * y, y - 1j * x, 1.0 + 1j * x * y])
    return np.sum(np.angle(z) * np.abs(z))


@program(1.2, 0.7)
def elementary_functions(x, y):
    z = complex(x, y)
    w = cmath.exp(z) + cmath.log(z) * cmath.sin(z) - cmath.sqrt(z) / cmath.cosh(z)
    return w.real * w.imag


@program(1.2, 0.7)
def powers(x, y):
    z = x + 1j * y
    w = z**2 + z**-1 + z**0.5 + z**x + 2.0**z
    return (w * w.conjugate()).real


@program(sample(2, 2), sample(2, 2, seed=1))
def hermitian_form(a, b):
    m = a + 1j * b
    v = np.array([1.0, 1j]) * a[0, 0]
    return np.vdot(v, m @ v).real + np.trace(m @ m.conj().T).real


@program(sample(2, 2) + 2 * np.eye(2), sample(2, 2, seed=1))
def complex_linear_system(a, b):
    z = np.linalg.solve(a + 1j * b, np.array([1.0, 1j]))
    return np.sum(np.abs(z) ** 2)


@program(0.8, 0.3)
def wave_function_stepped(k, h):
    psi = np.exp(-(np.linspace(-1, 1, 5) ** 2) + 0j)
    for _ in range(3):
        lap = np.zeros(5, dtype=complex)
        lap[1:-1] = psi[2:] - 2 * psi[1:-1] + psi[:-2]
        psi = psi + 1j * h * (k * lap - psi)
        psi /= np.sqrt(np.sum(np.abs(psi) ** 2))
    return np.sum(np.abs(psi) ** 2 * np.arange(5.0))


@program(1.2)
def derivative_by_a_complex_step(x):
    h = 1e-8
    return (cmath.sin(complex(x, h) * x)).imag / h * x


@program(sample(3), sample(3, seed=1))
def real_products_of_complex_numbers(x, y):
    z, w = x + 1j * y, y - 1j * x**2
    return (z @ w.conj()).real + np.sum((z * w).imag) + np.abs(np.sum(z / w))


@program(1.2, 0.7)
def complex_numbers_in_containers(x, y):
    zs = [complex(x, y) * 1j**k for k in range(4)]
    d = {"sum": zs[0] + zs[1], "product": zs[1] * zs[2] * 0.5}
    return (d["sum"] * d["product"]).real + sum(zs[:3]).imag


@program(1.2, 0.7)
def real_number_becomes_complex_in_a_loop(x, y):
    s = x
    for k in range(3):
        s = s * (1 + 0.5j * y) + k
    return s.real * s.imag


@program(1.2, True)
@program(1.2, False)
def complex_on_one_path(x, rotate):
    z = x * 2
    if rotate:
        z = z * cmath.exp(1j * x)
    return abs(z * z + 1)


@program(1.2 + 0.7j, 0.5, wrt="x")
def constant_complex_parameter(z, x):
    w = z * x + x**2 * 1j
    return abs(w) ** 2


@program(sample(5), sample(3, seed=1))
def transforms_of_other_lengths(x, y):
    z = np.fft.rfft(x, 8) * np.fft.rfft(y, n=8)
    w = np.fft.irfft(z, 5, norm="ortho")
    return np.sum(w**2) + np.abs(np.fft.fft(y, 2, norm="forward")).sum()


@program(sample(2, 3))
def transforms_over_two_axes(x):
    z = np.fft.fftshift(np.fft.fft2(x))
    return np.sum(np.abs(z) ** 2 * np.arange(6.0).reshape(2, 3)) + np.fft.ifftn(z).imag.sum()


def real_or_complex(x, flag):
    z = x * 1j if flag else x * 2.0
    return z


@program(sample(3), True)
@program(sample(3), False)
def array_real_or_complex_by_a_flag(x, flag):
    z = real_or_complex(x, flag)
    w = z * z + x
    return np.sum(w.real * x) + np.sum(w.imag**2) + np.sum((z**2).real)


@program(sample(5), 0.7)
def complex_numbers_in_order(x, s):
    z = x * np.exp(1j * s * np.arange(5))
    high, low = np.max(z), z.min()
    spread = np.ptp(np.outer(z, z), axis=1)
    return abs(high * np.conj(low)) + np.sum(np.abs(spread))


@program(sample(5), 0.7)
def complex_numbers_clipped(x, s):
    z = x * np.exp(1j * s * np.arange(5))
    y = np.maximum(np.clip(z, -0.4 - 2j, 1.0), s) - np.minimum(0.1 * z, z**2)
    return np.sum(np.abs(np.nan_to_num(y)) ** 2)


@program(sample(5), 0.7)
def spread_of_complex_numbers(x, s):
    z = x * np.exp(1j * s * np.arange(5))
    return np.var(z) + np.sum(np.std(np.outer(z, x), axis=0)) * s


@program(sample(4), 3, static="n")
def spread_of_what_is_a_number_or_an_array(x, n):
    e = x
    for k in range(n):
        e = np.var(e) if k == 1 else e * x[k]
    return np.sum(e) + min(np.sum(e), 2.0)


@program(sample(3, 3), 2, static="n")
def spectrum_of_a_row_or_a_matrix(a, n):
    w = a
    if n == 2:
        w = a[0]
    return np.sum(np.abs(np.fft.fft(w)) ** 2 * np.arange(3.0)) + np.sum(np.fft.irfft(w + 0j) ** 2)


@program(sample(3, 3), 2, static="n")
def real_part_of_a_row_or_a_matrix(a, n):
    w = a * (1 + 0.5j)
    if n == 2:
        w = w[0] * w[1]
    return np.sum(np.real(w) ** 2) + np.sum(np.imag(w))


@program(sample(3))
def rows_of_complex_and_real_numbers(w):
    v = w[:1]
    both = np.array([v * 0.5j, v])
    return np.sum(both.real * 2.0 + both.imag) + np.sum(w)


@program(sample(4, 3))
def sorted_by_one_column(a):
    order = np.argsort(a[:, :1], axis=0)
    return np.sum(np.take_along_axis(a, order, axis=0) * np.arange(12.0).reshape(4, 3))


@program(sample(3), 0.8)
def flag_times_complex_numbers(x, s):
    v = x * (1.0 + 0.5j)
    u = np.bool_(s > 0.5) * v
    return np.sum(u.real * u.imag) + np.real(np.sum(np.uint8(3) * v * v))


@program(sample(2))
def sum_of_a_real_array_and_a_complex_number(w):
    """What comes back to the real one is real."""
    total = sum([0.5j, w, w * w])
    return np.sum((total * (1 + 2j)).real)


@program(0.4)
def real_number_in_a_list_of_complex_ones(x):
    xs = [0.5j * x]
    xs.append(x)
    return (sum(xs) * (1 + 2j)).real


@program(np.array([[2.0, 1.0, 0.3], [0.9, 3.0, 0.2], [0.1, 0.4, 5.0]]))
def eigenvalues_that_turn_out_to_be_real(a):
    w = np.linalg.eigvals(a)
    first, size = w[0].real, 0.0
    for z in w:
        size += abs(z) ** 2
    w[1] = w[0] * 2
    return size + first**3 + w[1].real


@program(1.2, 0.4)
@program(0.2, 8.0)
def roots_picked_one_by_one(a, b):
    total = 0.0
    for root in np.roots((1.0, -5 * a, b * a)):
        if abs(root.imag) < 1e-9:
            total += root.real**2
        else:
            total += root.imag**4
    return total


@program(5, 6, 1, vector=True)
@program(5.0, 6.0, 1.0, vector=True)
def roots_that_are_real_where_they_can_be(a, b, c):
    spread = cmath.sqrt(b * b - 4 * a * c)
    low, high = (-b - spread) / (2 * a), (-b + spread) / (2 * a)
    return low if low.imag else low.real, high if high.imag else high.real
