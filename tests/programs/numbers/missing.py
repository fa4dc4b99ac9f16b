# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Data with missing values, of which functions of NumPy leave out what is NaN: it has no part in any derivative."""

import numpy as np

from ..corpus import program, sample

SEEN = np.array([1.0, np.nan, 2.0, 0.5, 3.0])
TABLE = np.array([[1.0, np.nan, 0.3, 0.9], [0.5, 2.0, 1.5, np.nan], [0.8, 1.2, np.nan, 0.1]])


@program(sample(5))
def mean_of_what_is_there(w):
    return np.nanmean(SEEN * w)


@program(sample(5))
def variance_of_what_is_there(w):
    return np.nanvar(SEEN * w)


@program(sample(3, 4))
def spread_along_an_axis(w):
    return np.sum(np.nanstd(TABLE * w, axis=1, ddof=1) ** 2)


@program(sample(3, 4))
def variance_of_a_part(w):
    y = TABLE * w
    return np.sum(np.nanvar(y, axis=0, where=y != y[0, 0], keepdims=True) * w)


@program(sample(5))
def largest_and_smallest(w):
    y = SEEN * w
    return np.nanmax(y) * np.nanmin(y)


@program(sample(3, 4))
def largest_of_each_row(w):
    y = TABLE / w
    return np.sum(np.nanmax(y, axis=1, keepdims=True) * w)


@program(sample(5))
def median_of_what_is_there(w):
    return np.nanmedian(SEEN * w) * w[0]


@program(sample(3, 4))
def median_of_each_column(w):
    return np.sum(np.nanmedian(TABLE * w, axis=0) ** 2)


@program(sample(5), 0.3)
def quantile_of_what_is_there(w, q):
    return np.nanquantile(SEEN * w, q) + np.nanpercentile(SEEN**w, 40)


@program(sample(5))
def product_of_what_is_there(w):
    return np.nanprod(SEEN * w)


@program(sample(3, 4))
def running_products(w):
    return np.sum(np.nancumprod(TABLE * w, axis=1) * w)


@program(sample(5))
def running_sums(w):
    return np.sum(np.nancumsum(SEEN * w) ** 2)


@program(sample(5))
def zero_where_it_is_missing(w):
    return np.sum(np.nan_to_num(SEEN * w) ** 2)


@program(sample(5))
def errors_where_it_is_there(w):
    r = SEEN - w**2
    return np.sqrt(np.nanmean(r**2)) / np.nanstd(SEEN)


@program(sample(3, 4), 0.7)
def standardized(w, s):
    z = (TABLE * s - np.nanmean(TABLE * w, axis=0)) / np.nanstd(TABLE * w, axis=0)
    return np.nansum(z**3)


@program(sample(3, 4), 0.7)
def standardized_in_a_loop_that_is_left(w, s):
    while True:
        z = (TABLE * s - np.nanmean(TABLE * w, axis=0)) / np.nanstd(TABLE * w, axis=0)
        return np.nansum(z**3)


@program(0.7)
def the_last_of_a_loop(s):
    r = 0.0
    for _ in range(2):
        r = np.nansum((TABLE * s) ** 3)
    return r


@program(sample(5))
def chosen_by_a_mask(w):
    r = (SEEN * w)[~np.isnan(SEEN)]
    return np.var(r)


@program(sample(5), 0.3)
def in_the_last_of_several_steps(w, q):
    s = 0.0
    for k in range(1, 3):
        r = np.where(np.isnan(SEEN), 0.0, SEEN * w * k)
        there = (SEEN * w)[~np.isnan(SEEN)]
        s = np.sum(r**2) + np.nanquantile(SEEN * w, q) * np.var(there)
    return s
