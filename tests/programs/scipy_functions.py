# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Functions of SciPy that numeric code uses most."""

import numpy as np
import scipy.linalg
import scipy.special as sc
from scipy.integrate import dblquad, quad, quad_vec
from scipy.interpolate import CubicSpline, RectBivariateSpline, bisplev, interp1d, splev, splprep
from scipy.linalg import inv
from scipy.special import expit, gammaln
from scipy.stats import norm

from .corpus import program, sample

LINE = ([0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 4.0, 4.0, 4.0, 4.0], [1.0, 2.0, 1.0, 3.0, 2.0, 1.0], 3)
FACES = RectBivariateSpline(np.arange(5.0), np.arange(4.0), np.sin(np.add.outer(np.arange(5.0), np.arange(4.0))), ky=2)
ROUND = splprep([np.cos(np.arange(7.0)), np.sin(np.arange(7.0))], s=0)[0]
SHEET = (*FACES.tck, *FACES.degrees)


@program(sample(3))
def log_sum_exp(x):
    return sc.logsumexp(x) * x[0]


@program(sample(2, 3))
def log_sum_exp_over_an_axis(x):
    return np.sum(sc.logsumexp(x, axis=1) ** 2)


@program(sample(3), 0.7)
def logistic_and_gamma(x, s):
    return np.sum(expit(x * s)) + np.sum(gammaln(x)) * gammaln(s)


@program(sample(3, low=-1.0), 0.2, 0.8)
def normal_log_density(x, mean, spread):
    return np.sum(norm.logpdf(x, mean, spread)) + norm.logpdf(mean)


@program(sample(3, low=-1.0))
def normal_density_and_distribution(x):
    return np.sum(norm.pdf(x) * norm.cdf(x))


@program(sample(3, 3), sample(3, seed=1))
def factor_and_inverse(x, b):
    a = x @ x.T + np.eye(3)
    low = scipy.linalg.cholesky(a, lower=True)
    return np.sum(inv(a) @ b * b) + np.sum(low * x)


@program(sample(2, 2), sample(1, 3, seed=1))
def block_diagonal(a, b):
    return np.sum(scipy.linalg.block_diag(a, b * 2) ** 2)


@program(sample(3))
def curve_that_is_held_fixed(x):
    curve = interp1d(np.arange(5.0), np.arange(5.0) ** 2, kind="cubic")
    return np.sum(curve(x) * x)


def on_line(*args, **kwargs):
    return splev(*args, **kwargs)


@program(sample(3), 0.4)
def spline_by_its_parts_through_a_wrapper(x, s):
    return np.sum(on_line(x, LINE) * on_line(x + s, LINE, der=1)) + float(splev(s, LINE))


@program(sample(3))
def curve_by_its_parameter(u):
    x, y = splev(u, ROUND)
    slope = splev(u[0], ROUND, der=1)
    return np.sum(x * y) + float(slope[0]) * x[1]


@program(0.7, 1.6)
def surface_at_a_point(x, y):
    return float(bisplev(x, y, SHEET)) * bisplev(y, x, SHEET, dx=1)


@program(1.3, 0.4)
def surface_on_a_grid(x, y):
    heights = bisplev(np.array([x, 2 * x]), np.array([y, y + 1.0, 3 * y + 1.0]), SHEET)
    return np.sum(np.cos(heights) * np.arange(6.0).reshape(2, 3))


@program(sample(2), 1.1)
def surface_as_an_object(x, y):
    return np.sum(FACES.ev(x, y) * x) + FACES(y, 0.5)[0, 0]


@program(0.8, 0.0)
def elliptic_integrals_by_their_parameter(phi, m):
    return sc.ellipkinc(phi, m) * sc.ellipk(m) + sc.ellipeinc(2 * phi, m - 0.5)


@program(0.6, True, static="over_plane")
@program(0.6, False, static="over_plane")
def imports_in_branches(s, over_plane):
    if over_plane:
        from scipy.integrate import dblquad

        volume, _ = dblquad(lambda y, x: np.exp(-s * x * y), 0.0, 1.0, 0.0, s)
        return volume
    else:
        from scipy.special import erf as area

        return area(s) * s


@program([0.0, 1.0, 2.5, 3.0, 4.0], sample(5, seed=1), 0.3)
def spline_by_its_knots(x, y, bend):
    curve = CubicSpline(x, y, bc_type=("not-a-knot", (2, bend)))
    return np.sum(curve([0.4, 2.2, 3.7]) ** 2) + curve.integrate(0.5, 3.5) ** 2


@program(sample(5), 1.2)
def values_that_hold_up_to_the_next(y, q):
    held = interp1d(np.arange(5.0), np.stack((y, y**2)), kind="previous", bounds_error=False, fill_value=0.5)
    return np.sum(held(np.stack((q, q + 2.0, q + 9.0))) ** 2) * q


@program(-0.6)
def integral_against_the_direction(s):
    return quad(lambda y: np.exp(-s * y), 0.0, s)[0]


@program(0.6)
def integral_between_ends_that_meet(s):
    return quad(lambda y: np.exp(-s * y), 0.6, s)[0] + s


@program(-0.6)
def arrays_integrated_against_the_direction(s):
    return quad_vec(lambda y: np.array([np.exp(-s * y), y * s]), 0.0, s)[0] @ np.array([1.0, 2.0])


@program(0.6)
def double_integral_below_its_lower_end(s):
    return dblquad(lambda y, x: np.exp(-s * x * y), 0.0, 1.0, lambda x: x, lambda x: s * x)[0]
