"""Which NumPy function an array's method stands for: the method takes the function's arguments after the first.

Methods that take their arguments differently (`x.reshape(2, 3)`) have rows of their own in `numpy/shape.py`, and so
has what exists only as a method (`x.tolist()`).
"""

METHODS: dict[str, str] = {
    "all": "np.all", "any": "np.any", "argmax": "np.argmax", "argmin": "np.argmin", "argpartition": "np.argpartition",
    "argsort": "np.argsort", "choose": "np.choose", "clip": "np.clip", "conj": "np.conj", "conjugate": "np.conj",
    "cumprod": "np.cumprod", "cumsum": "np.cumsum", "diagonal": "np.diagonal", "dot": "np.dot", "max": "np.max",
    "mean": "np.mean", "min": "np.min", "nonzero": "np.nonzero", "prod": "np.prod", "ravel": "np.ravel",
    "repeat": "np.repeat", "round": "np.round", "searchsorted": "np.searchsorted", "squeeze": "np.squeeze",
    "std": "np.std", "sum": "np.sum", "swapaxes": "np.swapaxes", "take": "np.take", "trace": "np.trace",
    "var": "np.var",
}  # fmt: skip
