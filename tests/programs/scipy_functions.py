"""Functions of SciPy that numeric code uses most."""

import numpy as np
import scipy.linalg
import scipy.special as sc
from scipy.interpolate import interp1d
from scipy.linalg import inv
from scipy.special import expit, gammaln
from scipy.stats import norm

from .corpus import program, sample


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
