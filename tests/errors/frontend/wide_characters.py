"""Characters of two columns before the caret, of two bytes within it."""


def f(θ):
    größe = θ
    return ("角度", (yield größe))
