"""Losses and regressions."""

import numpy as np

from .case import Case

RNG = np.random.default_rng(17)


def softmax_cross_entropy(x, w, b, labels):
    logits = x @ w + b
    shifted = logits - np.max(logits, axis=1, keepdims=True)
    log_probs = shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))
    return -np.mean(log_probs[np.arange(len(labels)), labels])


def softmax_cross_entropy_hand(x, w, b, labels):
    rows = np.arange(len(labels))
    logits = x @ w + b
    shifted = logits - np.max(logits, axis=1, keepdims=True)
    exps = np.exp(shifted)
    sums = np.sum(exps, axis=1, keepdims=True)
    value = -np.mean((shifted - np.log(sums))[rows, labels])
    # back
    logits_bar = exps / sums
    logits_bar[rows, labels] -= 1.0
    logits_bar /= len(labels)
    return value, (logits_bar @ w.T, x.T @ logits_bar, np.sum(logits_bar, axis=0))


def logistic_regression(w, b, x, y, penalty):
    z = x @ w + b
    return np.mean(np.log1p(np.exp(-y * z))) + penalty * np.sum(w**2)


def logistic_regression_hand(w, b, x, y, penalty):
    z = x @ w + b
    odds = np.exp(-y * z)
    sum_squares = np.sum(w**2)
    value = np.mean(np.log1p(odds)) + penalty * sum_squares
    # back
    odds_bar = odds / (1.0 + odds) / y.size
    z_bar = -odds_bar * y
    y_bar = -odds_bar * z
    w_bar = x.T @ z_bar + 2.0 * penalty * w
    return value, (w_bar, np.sum(z_bar), np.outer(z_bar, w), y_bar, sum_squares)


def hinge(w, x, y):
    margins = y * (x @ w)
    return np.mean(np.maximum(1.0 - margins, 0.0)) + 0.5 * np.sum(w * w)


def hinge_hand(w, x, y):
    scores = x @ w
    slack = 1.0 - y * scores
    value = np.mean(np.maximum(slack, 0.0)) + 0.5 * np.sum(w * w)
    # back
    margins_bar = np.where(slack > 0.0, -1.0 / y.size, 0.0)
    scores_bar = margins_bar * y
    return value, (x.T @ scores_bar + w, np.outer(scores_bar, w), margins_bar * scores)


def poisson_nll(w, x, counts):
    eta = x @ w
    return np.sum(np.exp(eta) - counts * eta)


def poisson_nll_hand(w, x, counts):
    eta = x @ w
    rates = np.exp(eta)
    value = np.sum(rates - counts * eta)
    # back
    eta_bar = rates - counts
    return value, (x.T @ eta_bar, np.outer(eta_bar, w), -eta)


def cosine_loss(a, b):
    norm_a = np.sqrt(np.sum(a**2, axis=1))
    norm_b = np.sqrt(np.sum(b**2, axis=1))
    cosines = np.sum(a * b, axis=1) / (norm_a * norm_b)
    return np.mean(1.0 - cosines)


def cosine_loss_hand(a, b):
    norm_a = np.sqrt(np.sum(a**2, axis=1))
    norm_b = np.sqrt(np.sum(b**2, axis=1))
    norms = norm_a * norm_b
    cosines = np.sum(a * b, axis=1) / norms
    value = np.mean(1.0 - cosines)
    # back
    n = len(a)
    a_bar = ((cosines / norm_a**2)[:, None] * a - b / norms[:, None]) / n
    b_bar = ((cosines / norm_b**2)[:, None] * b - a / norms[:, None]) / n
    return value, (a_bar, b_bar)


def smooth_l1(prediction, target):
    error = np.abs(prediction - target)
    return np.mean(np.where(error < 1.0, 0.5 * error**2, error - 0.5))


def smooth_l1_hand(prediction, target):
    error = prediction - target
    size = np.abs(error)
    value = np.mean(np.where(size < 1.0, 0.5 * size**2, size - 0.5))
    # back
    prediction_bar = np.where(size < 1.0, error, np.sign(error)) / error.size
    return value, (prediction_bar, -prediction_bar)


def ridge_predictions(x, y, penalty, x_test, y_test):
    gram = x.T @ x + penalty * np.eye(x.shape[1])
    w = np.linalg.solve(gram, x.T @ y)
    return np.mean((x_test @ w - y_test) ** 2)


def ridge_predictions_hand(x, y, penalty, x_test, y_test):
    gram = x.T @ x + penalty * np.eye(x.shape[1])
    w = np.linalg.solve(gram, x.T @ y)
    error = x_test @ w - y_test
    value = np.mean(error**2)
    # back
    error_bar = 2.0 / error.size * error
    rhs_bar = np.linalg.solve(gram.T, x_test.T @ error_bar)
    gram_bar = -np.outer(rhs_bar, w)
    x_bar = x @ (gram_bar + gram_bar.T) + np.outer(y, rhs_bar)
    return value, (x_bar, x @ rhs_bar, np.trace(gram_bar), np.outer(error_bar, w), -error_bar)


def contrastive(a, b, temperature):
    a = a / np.linalg.norm(a, axis=1, keepdims=True)
    b = b / np.linalg.norm(b, axis=1, keepdims=True)
    logits = a @ b.T / temperature
    exps = np.exp(logits)
    return np.mean(np.log(np.sum(exps, axis=1)) - np.diag(logits))


def contrastive_hand(a, b, temperature):
    norm_a = np.linalg.norm(a, axis=1, keepdims=True)
    norm_b = np.linalg.norm(b, axis=1, keepdims=True)
    unit_a, unit_b = a / norm_a, b / norm_b
    logits = unit_a @ unit_b.T / temperature
    exps = np.exp(logits)
    sums = np.sum(exps, axis=1)
    value = np.mean(np.log(sums) - np.diag(logits))
    # back
    logits_bar = (exps / sums[:, None] - np.eye(len(a))) / len(a)
    temperature_bar = -np.sum(logits_bar * logits) / temperature
    unit_a_bar = logits_bar @ unit_b / temperature
    unit_b_bar = logits_bar.T @ unit_a / temperature
    a_bar = (unit_a_bar - unit_a * np.sum(unit_a_bar * unit_a, axis=1, keepdims=True)) / norm_a
    b_bar = (unit_b_bar - unit_b * np.sum(unit_b_bar * unit_b, axis=1, keepdims=True)) / norm_b
    return value, (a_bar, b_bar, temperature_bar)


X, Y = RNG.normal(size=(40, 6)), RNG.normal(size=40)
SIGNS = np.where(Y > 0.0, 1.0, -1.0)
CASES = [
    Case(softmax_cross_entropy, softmax_cross_entropy_hand,
         (X, RNG.normal(size=(6, 4)), RNG.normal(size=4), RNG.integers(4, size=40))),
    Case(logistic_regression, logistic_regression_hand, (RNG.normal(size=6), 0.3, X, SIGNS, 0.1)),
    Case(hinge, hinge_hand, (RNG.normal(size=6), X, SIGNS)),
    Case(poisson_nll, poisson_nll_hand, (0.3 * RNG.normal(size=6), X, np.abs(Y))),
    Case(cosine_loss, cosine_loss_hand, (RNG.normal(size=(30, 8)), RNG.normal(size=(30, 8)))),
    Case(smooth_l1, smooth_l1_hand, (3.0 * RNG.normal(size=(20, 5)), RNG.normal(size=(20, 5)))),
    Case(ridge_predictions, ridge_predictions_hand,
         (X, Y, 0.7, RNG.normal(size=(15, 6)), RNG.normal(size=15))),
    Case(contrastive, contrastive_hand, (RNG.normal(size=(12, 5)), RNG.normal(size=(12, 5)), 0.5)),
]  # fmt: skip
