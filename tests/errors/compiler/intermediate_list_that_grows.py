"""An intermediate that is an empty list where it is set."""

ARGS = (1.0, 3)
OPTIONS = {"intermediates": "states"}


def f(x, n):
    states = []
    state = x
    for _ in range(n):
        state = 0.5 * state
        states.append(state)
    return sum(states)
