# ruff: noqa
# The programs are what people write, lint included: to tidy them up would take cases away.
"""Lists that hold nothing that varies when they are made longer or shorter, and something that does afterwards."""

from ..corpus import program


@program(0.7)
def item_taken_off_before(y):
    xs = [1.0 for j in range(3)]
    u = xs.pop()
    xs[1] = y
    return sum(xs) * u


@program(0.7, 2, static="n")
def item_taken_out_of_the_middle_before(y, n):
    xs = [j * 1.0 for j in range(n + 2)]
    u = xs.pop(n % 2) if n > 1 else 3.0
    xs[-1] = y * u
    return sum(xs) + xs[0] * xs[0]


@program(0.7, 2, static="n")
def slice_made_shorter_before(y, n):
    xs = [j * 1.0 for j in range(n + 2)]
    for i in range(2):
        xs.append(2.0)
        xs[1:] = [1.0]
    xs[:1] = [y]
    return sum(xs) * xs[0]


@program(0.7, 2, static="n")
def slice_made_shorter_in_a_branch_before(y, n):
    xs = [j * 1.0 for j in range(n + 2)]
    if n > 1:
        xs[1:] = [1.0]
    xs.insert(0, y)
    return sum(xs) * xs[0]


@program(0.7)
def item_deleted_in_a_try_before(y):
    xs = list(range(3))
    try:
        del xs[0]
        xs.pop()
    except IndexError:
        pass
    xs[0] = y
    return sum(xs) * xs[0]


@program(1.1)
def two_rows_that_are_one(x):
    rows = [[0.0]] * 2
    rows[0][0] = x
    return rows[1][0] * x


@program(1.1)
def lists_within_a_list_filled_by_a_loop(x):
    rows = [[], []]
    for row in rows:
        row.append(x)
        row.append(2.0 * x)
    return sum(rows[0]) * sum(rows[1])


@program(1.1)
def segments(x):
    segment = []
    segments = [segment]
    for k in range(4):
        if k == 2:
            segment = []
            segments.append(segment)
        segment.append(x * k)
    return sum(segments[0]) * sum(segments[1])


@program(1.1)
def rows_put_in_before_they_are_filled(x):
    rows = []
    for i in range(2):
        row = []
        rows.append(row)
        row.append(x + i)
    return rows[0][0] * rows[1][0]


@program(1.1)
def list_in_two_dicts(x):
    first = {"c": []}
    second = {"c": first["c"]}
    first["c"].append(x)
    second["c"].append(x * x)
    return sum(second["c"]) * x


@program(1.1)
def lists_of_a_dict_filled_by_a_loop(x):
    lists = {"a": [], "b": []}
    for k, values in enumerate(lists.values()):
        values.append(x * (k + 1))
    return lists["a"][0] * lists["b"][0]


@program(1.1)
def list_named_by_unpacking(x):
    values = []
    name, other = "a", values
    other.append(x)
    return values[0] * x


@program(1.1)
def lists_put_beside_each_other(x):
    ones, twos = [], []
    for values, factor in zip([ones, twos], (1.0, 2.0)):
        values.append(x * factor)
    return ones[0] * twos[0]


@program(1.1, 0.3)
def list_under_two_keys(x, y):
    values, table = [], {}
    table["a"] = values
    table["b"] = values
    table["a"].append(x)
    table["b"].append(y)
    return table["b"][0] * table["a"][1]


@program((0.5, 1.5, 2.0, 3.5), (1.0, 2.0, 0.5, 1.5), 0.8)
def rows_of_whole_zeros_filled(xs, ys, at):
    n = len(xs)
    q = [[0] * n for _ in range(n)]
    for i in range(n):
        q[i][1] = ys[i]
    for i in range(2, n):
        for j in range(i, n):
            left, right = at - xs[j - i + 1], at - xs[j]
            q[j][i] = (left * q[j][i - 1] - right * q[j - 1][i - 1]) / (xs[j] - xs[j - i + 1])
    return q[n - 1][n - 1]


def _zeros(rows, columns):
    return [[0 for _ in range(columns)] for _ in range(rows)]


@program([0.5, 1.5, 2.0], 3, static="n")
def rows_of_whole_zeros_from_a_helper(ys, n):
    q = _zeros(n, n + 1)
    for i in range(n):
        q[i][1] = ys[i]
        q[i][0] = q[i][1] * q[i - 1][1]
    return sum(row[0] * row[1] for row in q)


def _each(values):
    for value in values:
        yield value


@program([0.5, 1.5, 2.0], 3, static="n")
def rows_of_whole_zeros_filled_over_a_generator(ys, n):
    """Before the generator is written out, the rows are whole, and so is their sum."""
    q = [[0 for _ in range(2)] for _ in range(n)]
    for i in _each(range(n)):
        q[i][1] = ys[i]
    return sum(row[1] ** 2 for row in q)


@program([0.5, 1.5, 2.0], 3, static="n", vector=True)
def rows_of_whole_zeros_added_to(ys, n):
    q = [[0 for _ in range(n)] for _ in range(n)]
    for i in range(n):
        for j in range(n):
            q[i][j] += ys[i] * ys[j]
    return q


@program([0.5, 1.5, 2.0], 3, static="n")
def layers_of_whole_zeros(ys, n):
    q = [[[0] * 2 for _ in range(n)] for _ in range(n)]
    for i in range(n):
        q[i][1][1] = ys[i]
        q[i][0][1] = q[i][1][1] * ys[0]
    return q[n - 1][0][1] + q[0][0][1]


@program([0.5, 1.5, 2.0], 3, static="n")
def a_dict_of_rows_of_whole_zeros(ys, n):
    q = {k: [0, 0] for k in range(n)}
    for i in range(n):
        q[i][1] = ys[i]
        q[i][0] = q[i][1] * ys[0]
    return q[n - 1][0] + q[0][1]
