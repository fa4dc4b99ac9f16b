# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Shapes of programs that other differentiators got wrong or refused, written anew; each names the public report."""

import numpy as np

from ..corpus import program, sample


@program(sample(4), 1.3, 4, static="n")
def set_before_the_loop_used_after_it(x, s, n):
    """NVIDIA/warp 1694: the partial of what is set before a loop with a run-time bound and used after it was lost."""
    area = s * s + x[0]
    force = 0.0
    for i in range(n):
        force = force + x[i] * x[i]
    return force * area


@program(sample(4), 1.3, 4, static="n")
def set_before_the_loop_used_in_and_after_it(x, s, n):
    """NVIDIA/warp 1694."""
    b = np.zeros(2)
    b[0] = s * x[1]
    b[1] = s / x[2]
    out = np.zeros(2)
    for k in range(n):
        out[0] += b[0] * x[k]
        out[1] += b[1] * x[k] ** 2
    out *= b
    return out[0] * out[1] + b[0]


@program(sample(3), sample(3, 2, seed=1), np.array([0, 2]), np.array([2, 3]))
def nested_loops_with_bounds_from_data(angle, offset, first, last):
    """NVIDIA/warp 1293: the outer variable's partial was counted once for each of the nested loops."""
    position = np.zeros((3, 2))
    for branch in range(2):
        heading = angle[0] * 0.5
        for body in range(first[branch], last[branch]):
            p = offset[body] * np.cos(heading)
            for joint in range(body + 1):
                heading = heading + angle[joint] * p[0]
            position[body] = p + heading
    return np.sum(position**2)


@program(1.4, np.array([[0.0, 0.7, 0.0], [0.4, 0.0, 0.9], [0.0, 0.3, 0.5]]))
def largest_product_with_continue(x, c):
    """NVIDIA/warp 1552: with `continue` in the loop, the partial was that of the last trip instead of the winner's."""
    best = -1e20
    for p in range(3):
        for q in range(3):
            if c[p, q] == 0.0:
                continue
            v = x * c[p, q] * (4.0 - p + q)
            if v > best:
                best = v
    return best


@program(sample(3), sample(3, seed=1))
def component_read_and_written_many_times(v, x):
    """NVIDIA/warp 1697: `v[i] = v[i] + x` counted each write twice for every later one; `v[i] += x` did not."""
    for i in range(6):
        v[i % 3] = v[i % 3] + x[i % 3]
    for i in range(6):
        v[i % 3] += x[i % 3]
    return np.sum(v * v)


@program(np.zeros((2, 2)), 0.8)
def matrix_corner_read_and_written_many_times(m, x):
    """NVIDIA/warp 1697."""
    for k in range(5):
        m[0, 0] = m[0, 0] + x
        m[1, 0] = m[0, 0] * x - m[1, 0]
    return m[0, 0] * m[1, 0] + np.sum(m)


@program(sample(4))
def product_accumulated_by_augmentation(x):
    """A product built by `*=` in a loop, from a constant start."""
    prod = 1.0
    for i in range(4):
        prod *= x[i]
    return prod


@program(3.0, partials={"x": 6.0})
def product_from_a_constant_start(x):
    """swiftlang/swift pull 27796: the start must be an input for the partial to be right."""
    result = 1.0
    for _ in range(2):
        result = result * x
    return result


@program(1.1, 3, static="n")
def loop_left_in_the_middle(x, n):
    """swiftlang/swift 78264: loops with the condition at the end got values of the wrong trip."""
    result = 1.0
    i = 0
    while True:
        temp = result * x
        result = temp + x * 0.1
        i += 1
        if not i < n:
            break
    return result


def reciprocal_of_sum(values, start, n):
    total = start
    for j in range(n):
        total += values[j]
    return 1.0 / total


@program(sample(4), 0.5, 4, static="n")
@program(sample(4), 0.5, 0, static="n")
def stale_accumulator_in_a_helper(x, start, n):
    """NVIDIA/warp 1740 and 1754: what follows the loop in the helper was evaluated at the accumulator's start."""
    return reciprocal_of_sum(x, start, n) * x[3]


@program(sample(4), 4, static="n")
def stale_accumulator_squared(x, n):
    """NVIDIA/warp 1740."""
    norm = np.array([0.25])
    for j in range(n):
        norm[0] += x[j] * x[j]
    norm[0] = norm[0] ** 2
    scale = np.sqrt(norm[0]) + norm[0]
    return scale / x[0]


@program(sample(5), sample(5, seed=1), sample(1, seed=2), 4, static="p")
def bound_computed_inside(a, weight, c, p):
    """NVIDIA/warp 140: a loop whose bound is computed in the function had no partials at all."""
    total = 0.0
    for j in range(p + 1):
        total = total + weight[j] * a[j]
    total = total * c[0]
    return total


@program(sample(3))
def copy_between_reads(x):
    """NVIDIA/warp 1728: a copy's source lost what later readers contributed, its target kept what was overwritten."""
    y = np.empty(3)
    y[:] = 5.0 * x
    np.copyto(y, x)
    z = x * 2.0
    x[:] = y * z
    return np.sum(x * y)


@program(sample(3), 1.2)
def component_of_a_row_is_written(points, y):
    """NVIDIA/warp 583 and 1451: stores into a component of an element, plain and augmented."""
    rows = np.outer(points, points)
    rows[0][1] = y
    rows[1][2] += y * points[0]
    rows[2] = points * y
    return np.sum(rows @ rows)


@program(sample(2, 2))
def block_of_a_larger_matrix(a):
    """HIPS/autograd 58."""
    b = np.zeros((4, 4))
    b[:2, :2] = a
    b[2:, 2:] = a @ a
    return np.sum(b * b)


@program(sample(5, 3))
def sums_of_products_by_rows(param):
    """HIPS/autograd 177."""
    res = np.zeros(5)
    for m in range(5):
        res[m] = np.sum(param[m] * param[0])
    return np.sum(res)


@program(sample(3), vector=True)
def residuals_element_by_element(b):
    """HIPS/autograd 375."""
    c = np.zeros(2)
    c[0] = b[0] * b[0]
    c[1] = b[1] * b[0] + b[2]
    return c


@program(sample(2))
def two_diagonal_blocks(x):
    """HIPS/autograd 515."""
    n = 2
    d = np.zeros(shape=(n, 2 * n))
    d[:n, :n] = np.diag(x)
    d[:n, n:] = np.diag(x * x)
    return np.sum(np.dot(d @ np.diag([4.0, 6.0, 6.0, 3.0]), np.hstack((x, x))))


@program(sample(3))
def chart_cell_updated_from_itself(y):
    """HIPS/autograd 13."""
    chart = np.zeros((1, 1))
    for i in range(3):
        chart[0, 0] = np.sum(np.array([y[i], chart[0, 0] * y[i]]))
    return chart[0, 0]


@program(0.4)
def complex_array_divided_in_place(x):
    """HIPS/autograd 77: the augmented quotient of complex arrays."""
    z = np.exp(1j * np.linspace(0, 3, 4))
    p = np.exp(1j * x - 0.1)
    h = z + 1.0
    h /= (z - p) * (z - np.conj(p))
    return np.mean(np.abs(h))


@program(sample(3, 3))
def upper_triangle_summed(x):
    """google/tangent 31."""
    total = 0
    rows, cols = x.shape
    for i in np.arange(rows):
        for j in np.arange(i, cols):
            total = total + x[i, j] ** 2
    return total


@program(sample(2, 2, 3))
def last_plane(x):
    """google/tangent 56."""
    for f in range(np.shape(x)[2]):
        r = x[:, :, f]
    return np.sum(r * r)


@program(1.3)
def list_grown_in_a_loop(x):
    """google/tangent 57."""
    values = []
    for i in range(5):
        values.append(i * x)
    return values[1] * values[4]


@program(sample(3), sample(3, seed=1))
def product_of_two_vectors(x, y):
    """google/tangent 59."""
    return np.dot(x, y) * np.dot(x, x)


@program(sample(1, 3), sample(1, 3, seed=1))
def product_of_two_rows(x, y):
    """google/tangent 62."""
    return np.dot(x[0, :], y[0, :]) + np.dot(x, y.T)[0, 0] ** 2


@program(np.array([1.0, 2.0, 3.0, 4.0]))
def log_sum_exp_by_hand(a):
    """google/tangent 66: all partials came out zero."""
    result = 0.0
    largest = a[0]
    n = len(a)
    for i in range(1, n):
        if a[i] > largest:
            largest = a[i]
    for i in range(n):
        result += np.exp(a[i] - largest)
    return np.log(result) + largest


@program(np.array([0.8, 1.7, 1.1]), 3, static="n")
def diagonal_added_under_a_condition(d, n):
    """google/tangent 69: the generated code named a variable that did not exist."""
    s = np.zeros((n, n))
    for i in range(n):
        s[i, 2] = 1.0
        if i == 2:
            s[i, i] += d[i]
        else:
            s[i, i] = d[i] ** 2
    return np.linalg.det(s + d[0])


@program(1.3, 0.7, 2.1, 0.9, 0.4)
def bleed_added_to_enthalpy_and_power(w_in, w_out, ht_in, ht_out, eff):
    """google/tangent 64: a result that is first computed and then augmented in straight-line code."""
    out = w_in / w_out * (ht_in * (1.0 - eff) + ht_out * eff)
    power = w_in * eff * (ht_in - ht_out)
    out += eff / w_out * ht_in
    power += eff * (ht_in * (1.0 - eff) + out * eff)
    torque = power / (out + 3.0)
    return power * torque


@program(sample(5), sample(3, seed=1))
def every_element_gets_the_whole_sum(x, y):
    """taichi-dev/taichi 8356: the partial depended on whether the sum was formed in the element or beside it."""
    for i in range(5):
        for j in range(3):
            x[i] += y[j]
    return np.sum(x**2)


@program(1.3, 0.6)
def value_scaled_by_itself(x, theta):
    """taichi-dev/taichi 2505: a cell computed from its own old value."""
    cell = np.array([x])
    multiplier = cell[0]
    cell[0] = np.cos(theta) * multiplier
    cell[0] = cell[0] * cell[0]
    return cell[0]


@program(sample(3))
def same_value_added_five_times(a):
    """taichi-dev/taichi 4412: the partial was 1 instead of 5."""
    f = np.zeros(3)
    for i in range(3):
        p = a[i]
        q = 0.0
        for _ in range(5):
            q += p
        f[i] = q
    return np.sum(f)


@program(sample(2))
def function_of_a_sum_in_one_cell(x):
    """taichi-dev/taichi 1746: the cosine was taken of the cell as it is after the cosine."""
    y = np.zeros(1)
    for i in range(2):
        y[0] += x[i]
    y[0] = np.cos(y[0])
    return y[0]


@program(sample(2), sample(3, seed=1))
def many_constants_and_sums_assigned(x, y):
    """twitter-archive/torch-autograd 102: with a third assignment the partials went wrong."""
    xc = x.copy()
    xc = np.append(xc, 0.0)
    xc[0] = np.sum(y) * 2.0
    xc[1] = np.sum(y * y) * 3.0
    xc[2] = np.sum(y) * 4.0
    xc[2] = 1.0
    return np.sum(xc)


@program(np.array([0.6, -0.8]))
def scaled_vector_filled_then_one_component_read(v):
    """tsotchke/eshkol pull 396: the partial went to the element written last, whichever was read."""
    out = np.empty(2)
    for i in range(2):
        out[i] = v[i] * 3.0
    return out[0]


@program(sample(3), sample(3, seed=1))
def loop_carried_vector_rebuilt_from_its_components(x, y):
    """Genesis-Embodied-AI/quadrants 797."""
    v = np.array([x[0], x[1], x[2]])
    for _ in range(4):
        v = np.array([v[1] * y[0], v[2] + v[0] * y[1], v[0] * v[1] * 0.3])
    return v[0] + v[1] * v[2]


@program(np.array([[2.0, 0.3], [0.3, 1.5]]), sample(2, 3), np.array([1.2, 0.7]))
def linear_systems_solved_column_by_column(A, B, b):
    """HIPS/autograd 556: conjugate gradients by hand, their solutions stored as columns."""

    def conjugate_gradients(M, rhs):
        x = np.zeros(2)
        r = rhs - M @ x
        p = r + 0.0
        count = 0
        while count <= min(5, M.shape[0]):
            step = np.dot(p, r) / np.dot(p, M @ p)
            x = x + step * p
            r_next = r - step * (M @ p)
            if np.linalg.norm(r_next) < 1e-9:
                return x
            p = r_next - np.dot(M @ p, r_next) / np.dot(p, M @ p) * p
            count += 1
            r = r_next
        return x

    X = np.zeros((2, 3))
    M = A.T @ np.diag(b) @ A
    for z in range(3):
        X[:, z] = conjugate_gradients(M, B[:, z])
    return np.sum(np.diag(b) @ A @ X)


@program(1.3)
def function_within_the_function(x):
    """google/tangent 77: a name defined inside could not be resolved."""

    def square(x):
        return x * x

    return square(x)


@program(1.3, 0.7)
def first_branch_sets_a_constant(x, y):
    """google/tangent 82: fine with its branches exchanged."""
    if x <= y:
        z = 2.0
    else:
        z = x + 2.0
    return z * y
