"""A loop over an object that is its own iterator."""

ARGS = (1.5,)


class Count:
    def __init__(self, n):
        self.t, self.n = 0, n

    def __iter__(self):
        return self

    def __next__(self):
        if self.t >= self.n:
            raise StopIteration
        self.t += 1
        return self.t


def f(x):
    return sum(x * v for v in Count(3))
