# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Tables as lists of rows: rows that are exchanged, updated by places, and stand in other lists."""

from ..corpus import program, sample


@program(sample(3))
def determinant_with_pivots(x):
    A = [[x[0], 1.0, 0.2], [0.3, x[1], 0.1], [0.2, 0.4, x[2]]]
    det = 1.0
    for k in range(3):
        p = max(range(k, 3), key=lambda i: abs(A[i][k]))
        if p != k:
            A[k], A[p] = A[p], A[k]
            det = -det
        for i in range(k + 1, 3):
            f = A[i][k] / A[k][k]
            for j in range(k, 3):
                A[i][j] -= f * A[k][j]
        det *= A[k][k]
    return det


@program(sample(3))
def linear_equations(x):
    A = [[x[0] + 2.0, 1.0], [0.3, x[1] + 3.0]]
    b = [x[2], 1.0]
    for k in range(2):
        for i in range(k + 1, 2):
            f = A[i][k] / A[k][k]
            for j in range(k, 2):
                A[i][j] -= f * A[k][j]
            b[i] -= f * b[k]
    y = [0.0] * 2
    for i in reversed(range(2)):
        y[i] = (b[i] - sum(A[i][j] * y[j] for j in range(i + 1, 2))) / A[i][i]
    return y[0] * y[1]


@program(sample(3))
def rows_of_computed_lists_exchanged(x):
    A = [[v * w for v in x] for w in x]
    for k in range(2):
        p = 1 if x[0] > -5.0 else 0
        A[k], A[p] = A[p], A[k]
        for j in range(k, 3):
            A[k][j] -= 0.5 * A[p][j] * x[j]
    return A[0][1] * A[1][1]


@program(sample(3))
def one_row_updated_in_two_lists(x):
    kept = []
    row = [x[0], x[1]]
    kept.append(row)
    row[0] += x[2]
    kept[0][1] *= row[0]
    return kept[0][0] * row[1]


@program(sample(3))
def rows_turned_and_updated(x):
    rows = [[x[0], x[1]], [x[2], 1.0]]
    for r in rows:
        r[0] *= x[0]
    rows.reverse()
    rows[0][1] += x[1]
    return rows[0][1] * rows[1][0]
