"""A list of a class that decides itself what its items are."""


class FromTheEnd(list):
    def __getitem__(self, k):
        return list.__getitem__(self, -1 - k)


ARGS = (FromTheEnd([1.0, 2.0]), 1.2)


def f(xs, x):
    return xs[0] * x
