"""A list that grows in the loop is a part of its state, and gets longer with each step."""

OPTIONS = {"checkpoint": "steps"}
ARGS = (1.0, 3)


def f(x, steps):
    path = [x]
    for _ in range(steps):
        path.append(path[-1] * x)
    return path[-1]
