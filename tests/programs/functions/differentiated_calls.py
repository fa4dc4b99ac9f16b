# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Calls of differentiated functions: penalties of gradients, Newton's method, sensitivities of sensitivities."""

import numpy as np
from scipy import stats

from adcompile import derivative, grad, hessian, hvp, jacobian, jvp, value_and_grad, vjp

from ..corpus import program, sample

X = sample(3, seed=801)


def energy(w, x, scale=1.5):
    return np.sum(np.sin(w * x) ** 2) * scale


def waves(w, x):
    return np.sin(w * x)


def power(x, n=3):
    return x**n


gradient = grad(energy)
both = value_and_grad(energy, wrt="w")
slope = derivative(energy, wrt="w")
along = jvp(energy, wrt="w x")
along_w = jvp(energy, wrt="w")
bent = hvp(energy, wrt="w")
second = hessian(energy, wrt="w")
pulled = vjp(waves)
matrix = jacobian(waves, wrt="w")
curvature = derivative(derivative(power, wrt="x"), wrt="x")


@program(sample(3, seed=802))
def penalty_by_attribute(w):
    value, partials = gradient(w, X)
    return value + np.sum(partials.w**2)


@program(sample(3, seed=803))
def penalty_by_key(w):
    value, partials = gradient(w, x=X, scale=2.0)
    return value + np.sum(partials["w"] ** 2) * partials["scale"]


@program(sample(3, seed=804))
def penalty_unpacked(w):
    value, (by_w, by_x, by_scale) = gradient(w, X)
    return value * by_scale + by_w @ by_x


@program(sample(3, seed=805))
def penalty_by_position(w):
    both_of_them = gradient(w, X)
    return both_of_them[0] - np.sum(both_of_them[1][1])


@program(sample(3, seed=806))
def descent(w):
    total = 0.0
    for k in range(3):
        value, step = both(w, X)
        w = w - 0.1 * step
        total += value
    return total


@program(sample(3, seed=807))
def of_a_derivative(w):
    return np.sum(slope(w, X) ** 3)


@program(sample(3, seed=808), sample(3, seed=809))
def of_tangents(w, v):
    value, moved = along((v, w), w, X)
    return value * moved


@program(sample(3, seed=808), sample(3, seed=809))
def of_tangents_by_name(w, v):
    return along({"x": v, "w": w}, w, X)[1] + along_w(v * w, w, X)[1]


@program(sample(3, seed=810))
def of_a_product(w):
    value, product = bent(w * w, w, X)
    return value + product @ w


@program(sample(3, seed=811))
def of_a_hessian(w):
    return np.sum(second(w, X) ** 2)


@program(sample(3, seed=812))
def of_a_seed(w):
    value, partials = pulled(w, w, X)
    return np.sum(partials.x * partials.w * value)


@program(sample(3, seed=813))
def of_a_jacobian(w):
    return np.sum(matrix(w, X) ** 3)


@program(1.3, 0.1)
def of_a_second_derivative(z, rate):
    for _ in range(3):
        z = z - rate * curvature(z, 2.5)
    return z


@program(sample(3, seed=814))
def not_active(w):
    value, partials = gradient(np.ones(3), X)
    return np.sum(w * partials.w) + value * w[0]


def with_any(function, w):
    value, partials = function(w, X)
    return value * np.sum(partials.w)


@program(sample(3, seed=815))
def handed_on(w):
    return with_any(gradient, w)


@program(sample(3, seed=816), vector=True)
def returned(w):
    return gradient(w, X)[1].w


@program(sample(3, seed=817), True)
def on_one_branch(w, hard):
    if hard:
        partial = slope(w, X)
    else:
        partial = w
    return partial @ partial


def traces(x):
    return np.sum(np.sin(np.trace(x)) * np.array([1.0, -2.0]))


slopes_of_traces = grad(traces)


@program(sample(3, 4, 2))
def of_the_slopes_of_traces(x):
    _, partials = slopes_of_traces(x)
    return np.sum(partials.x * np.arange(24.0).reshape(3, 4, 2) ** 2)


def stored_with_fewer_axes(x, c):
    y = np.zeros(3)
    y[:] = x**2
    return np.sum(np.sin(c * y))


slopes_of_what_is_stored = grad(stored_with_fewer_axes)


@program(sample(1, 1), 1.3)
def of_the_slopes_of_what_is_stored(x, c):
    _, partials = slopes_of_what_is_stored(x, c)
    return np.sum(partials.x**2) * partials.c


@program(np.array([0.6, 0.8, 0.7]), 1.7)
def slopes_of_what_may_be_a_number(x, a):
    _, partials = grad(least_exceeded)(x, a)
    return np.sum(partials[0]) + partials[1]


def least_exceeded(x, a):
    return np.sum(stats.beta.isf(x, a, 2.3, loc=0.3, scale=1.2) * (1.0 + x))


def chosen_of_two_numbers(x, y):
    m = np.where(x > y, x * x, y * x)
    return np.sum(0.3 * np.sin(1.3 * m))


@program(0.5, 0.7)
@program(0.9, 0.7)
def slopes_of_what_is_chosen(x, y):
    _, partials = grad(chosen_of_two_numbers)(x, y)
    return 2.0 * partials.x + 3.0 * partials.y


def largest_of_rows(x):
    m = np.max(x, axis=1, keepdims=True)
    return np.sum(np.exp(x - m) * m) + np.sum(np.min(x, axis=-1) ** 3) + np.sum(np.max(x, axis=0, initial=0.1) ** 2)


@program(sample(3, 4))
def tangents_of_extremes_along_an_axis(x):
    _, slope = jvp(largest_of_rows)((np.cos(x),), x)
    return slope


def joined_of_three(x, y, z):
    return np.sum(np.sin(np.concatenate([x, y, z]))) + np.sum(np.vstack([y, z, x]) ** 3)


@program(sample(1, 2), sample(2, 2, seed=2), sample(3, 2, seed=3))
def slopes_of_what_is_joined(x, y, z):
    _, partials = grad(joined_of_three)(x, y, z)
    return np.sum(partials.x**2) + np.sum(partials.y**3) + np.sum(partials.z)
