"""Characters of two columns before the caret, of two bytes within it."""


def f(θ):
    return ("角度", [(größe := θ) for _ in range(2)])
