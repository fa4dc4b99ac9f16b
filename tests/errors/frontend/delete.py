"""`del` of an attribute."""


def f(p):
    del p.scale
    return p.x
