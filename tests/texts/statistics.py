"""Likelihoods: mixtures, filters, hidden states, processes."""

import math

import numpy as np

from .case import Case

RNG = np.random.default_rng(20)


def mixture_nll(x, logits, means, log_stds):
    log_weights = logits - np.log(np.sum(np.exp(logits)))
    z = (x[:, None] - means) / np.exp(log_stds)
    log_probs = log_weights - 0.5 * z**2 - log_stds - 0.5 * np.log(2.0 * np.pi)
    top = np.max(log_probs, axis=1, keepdims=True)
    return -np.mean(top[:, 0] + np.log(np.sum(np.exp(log_probs - top), axis=1)))


def mixture_nll_hand(x, logits, means, log_stds):
    weights = np.exp(logits) / np.sum(np.exp(logits))
    stds = np.exp(log_stds)
    z = (x[:, None] - means) / stds
    log_probs = np.log(weights) - 0.5 * z**2 - log_stds - 0.5 * np.log(2.0 * np.pi)
    top = np.max(log_probs, axis=1, keepdims=True)
    exps = np.exp(log_probs - top)
    sums = np.sum(exps, axis=1, keepdims=True)
    value = -np.mean(top + np.log(sums))
    # back
    log_probs_bar = -exps / sums / len(x)
    offsets_bar = -log_probs_bar * z / stds
    logits_bar = np.sum(log_probs_bar, axis=0) + weights
    log_stds_bar = np.sum(log_probs_bar * (z**2 - 1.0), axis=0)
    return value, (np.sum(offsets_bar, axis=1), logits_bar, -np.sum(offsets_bar, axis=0), log_stds_bar)


def track(observations, x, p, q, r):
    loglik = 0.0
    for z in observations:
        p = p + q
        s = p + r
        gain = p / s
        innovation = z - x
        loglik -= 0.5 * (math.log(2.0 * math.pi * s) + innovation**2 / s)
        x = x + gain * innovation
        p = (1.0 - gain) * p
    return loglik


def track_hand(observations, x, p, q, r):
    loglik = 0.0
    tape = []
    for z in observations:
        p = p + q
        s = p + r
        gain = p / s
        innovation = z - x
        tape.append((p, s, gain, innovation))
        loglik -= 0.5 * (math.log(2.0 * math.pi * s) + innovation**2 / s)
        x = x + gain * innovation
        p = (1.0 - gain) * p
    # back
    x_bar = p_bar = q_bar = r_bar = 0.0
    for p, s, gain, innovation in reversed(tape):
        gain_bar = x_bar * innovation - p_bar * p
        innovation_bar = x_bar * gain - innovation / s
        x_bar = x_bar - innovation_bar
        s_bar = 0.5 * (innovation**2 / s - 1.0) / s - gain_bar * gain / s
        r_bar += s_bar
        p_bar = p_bar * (1.0 - gain) + gain_bar / s + s_bar
        q_bar += p_bar
    return loglik, (x_bar, p_bar, q_bar, r_bar)


def kalman(a, q, r, x, p, observations):
    loss = 0.0
    for z in observations:
        x = a @ x
        p = a @ p @ a.T + q
        s_inv = np.linalg.inv(p + r)
        innovation = z - x
        loss += innovation @ s_inv @ innovation
        gain = p @ s_inv
        x = x + gain @ innovation
        p = p - gain @ p
    return loss


def kalman_hand(a, q, r, x, p, observations):
    loss = 0.0
    tape = []
    for z in observations:
        x_before, p_before = x, p
        x = a @ x
        p = a @ p @ a.T + q
        s_inv = np.linalg.inv(p + r)
        innovation = z - x
        loss += innovation @ s_inv @ innovation
        gain = p @ s_inv
        tape.append((x_before, p_before, p, s_inv, innovation, gain))
        x = x + gain @ innovation
        p = p - gain @ p
    # back
    a_bar, q_bar, r_bar = np.zeros_like(a), np.zeros_like(q), np.zeros_like(r)
    x_bar, p_bar = np.zeros_like(x), np.zeros_like(p)
    for x_before, p_before, p, s_inv, innovation, gain in reversed(tape):
        gain_bar = np.outer(x_bar, innovation) - p_bar @ p.T
        s_inv_bar = p.T @ gain_bar + np.outer(innovation, innovation)
        innovation_bar = gain.T @ x_bar + (s_inv + s_inv.T) @ innovation
        s_bar = -s_inv.T @ s_inv_bar @ s_inv.T
        r_bar += s_bar
        p_bar = p_bar - gain.T @ p_bar + gain_bar @ s_inv.T + s_bar
        q_bar += p_bar
        x_bar = x_bar - innovation_bar
        a_bar += p_bar @ a @ p_before.T + p_bar.T @ a @ p_before + np.outer(x_bar, x_before)
        p_bar = a.T @ p_bar @ a
        x_bar = a.T @ x_bar
    return loss, (a_bar, q_bar, r_bar, x_bar, p_bar)


def hmm_loglik(start, transition, emission, symbols):
    alpha = start * emission[:, symbols[0]]
    loglik = 0.0
    for symbol in symbols[1:]:
        total = np.sum(alpha)
        loglik += np.log(total)
        alpha = (alpha / total) @ transition * emission[:, symbol]
    return loglik + np.log(np.sum(alpha))


def hmm_loglik_hand(start, transition, emission, symbols):
    alpha = start * emission[:, symbols[0]]
    loglik = 0.0
    tape = []
    for symbol in symbols[1:]:
        total = np.sum(alpha)
        loglik += np.log(total)
        belief = alpha / total
        moved = belief @ transition
        tape.append((symbol, total, belief, moved))
        alpha = moved * emission[:, symbol]
    total = np.sum(alpha)
    # back
    transition_bar, emission_bar = np.zeros_like(transition), np.zeros_like(emission)
    alpha_bar = np.full_like(alpha, 1.0 / total)
    for symbol, step_total, belief, moved in reversed(tape):
        emission_bar[:, symbol] += alpha_bar * moved
        moved_bar = alpha_bar * emission[:, symbol]
        transition_bar += np.outer(belief, moved_bar)
        belief_bar = transition @ moved_bar
        alpha_bar = (belief_bar - belief_bar @ belief + 1.0) / step_total
    emission_bar[:, symbols[0]] += alpha_bar * start
    return loglik + np.log(total), (alpha_bar * emission[:, symbols[0]], transition_bar, emission_bar)


def gp_nll(x, y, length, noise):
    squares = (x[:, None] - x[None, :]) ** 2
    cov = np.exp(-0.5 * squares / length**2) + noise * np.eye(len(x))
    weights = np.linalg.solve(cov, y)
    return 0.5 * y @ weights + 0.5 * np.linalg.slogdet(cov)[1]


def gp_nll_hand(x, y, length, noise):
    offsets = x[:, None] - x[None, :]
    squares = offsets**2
    kernel = np.exp(-0.5 * squares / length**2)
    cov = kernel + noise * np.eye(len(x))
    weights = np.linalg.solve(cov, y)
    value = 0.5 * y @ weights + 0.5 * np.linalg.slogdet(cov)[1]
    # back
    cov_bar = 0.5 * (np.linalg.inv(cov).T - np.outer(weights, weights))
    exponent_bar = cov_bar * kernel
    length_bar = np.sum(exponent_bar * squares) / length**3
    offsets_bar = -exponent_bar * offsets / length**2
    x_bar = np.sum(offsets_bar, axis=1) - np.sum(offsets_bar, axis=0)
    return value, (x_bar, weights, length_bar, np.trace(cov_bar))


def student_t(x, mean, log_scale, dof):
    z = (x - mean) / np.exp(log_scale)
    log_norm = math.lgamma(0.5 * (dof + 1.0)) - math.lgamma(0.5 * dof) - 0.5 * math.log(math.pi * dof) - log_scale
    return np.sum(log_norm - 0.5 * (dof + 1.0) * np.log1p(z**2 / dof))


def student_t_hand(x, mean, log_scale, dof):
    scale = np.exp(log_scale)
    z = (x - mean) / scale
    log_norm = math.lgamma(0.5 * (dof + 1.0)) - math.lgamma(0.5 * dof) - 0.5 * math.log(math.pi * dof) - log_scale
    value = np.sum(log_norm - 0.5 * (dof + 1.0) * np.log1p(z**2 / dof))
    # back
    z_bar = -(dof + 1.0) * z / (dof + z**2)
    x_bar = z_bar / scale
    return value, (x_bar, -np.sum(x_bar), -np.sum(z_bar * z) - x.size)


def autoregression(series, coefficients, log_std):
    order = len(coefficients)
    total = 0.0
    for t in range(order, len(series)):
        predicted = coefficients @ series[t - order : t]
        total += 0.5 * ((series[t] - predicted) / np.exp(log_std)) ** 2 + log_std
    return total


def autoregression_hand(series, coefficients, log_std):
    order = len(coefficients)
    std = np.exp(log_std)
    total = 0.0
    tape = []
    for t in range(order, len(series)):
        z = (series[t] - coefficients @ series[t - order : t]) / std
        tape.append(z)
        total += 0.5 * z**2 + log_std
    # back
    coefficients_bar = np.zeros_like(coefficients)
    log_std_bar = 0.0
    for k in reversed(range(len(tape))):
        z = tape[k]
        coefficients_bar -= z / std * series[k : k + order]
        log_std_bar += 1.0 - z**2
    return total, (coefficients_bar, log_std_bar)


SERIES = RNG.normal(size=12)
CASES = [
    Case(mixture_nll, mixture_nll_hand, (RNG.normal(size=40), *(RNG.normal(size=3) for _ in range(3)))),
    Case(track, track_hand, (SERIES.tolist(), 0.2, 1.0, 0.1, 0.5), wrt="x p q r"),
    Case(kalman, kalman_hand,
         (np.eye(3) + 0.1 * RNG.normal(size=(3, 3)), 0.2 * np.eye(3), 0.5 * np.eye(3), RNG.normal(size=3), np.eye(3),
          RNG.normal(size=(8, 3))), wrt="a q r x p"),
    Case(hmm_loglik, hmm_loglik_hand,
         (np.full(3, 1 / 3), RNG.dirichlet(np.ones(3), 3), RNG.dirichlet(np.ones(4), 3), RNG.integers(4, size=12))),
    Case(gp_nll, gp_nll_hand, (RNG.normal(size=15), RNG.normal(size=15), 0.8, 0.3)),
    Case(student_t, student_t_hand, (RNG.normal(size=30), 0.2, -0.1, 4.0), wrt="x mean log_scale"),
    Case(autoregression, autoregression_hand, (SERIES, np.array([0.5, -0.3, 0.1]), 0.2), wrt="coefficients log_std"),
]  # fmt: skip
