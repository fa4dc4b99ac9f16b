"""What the lines of `*.txt` find around them: modules under their usual names, and objects made once."""

from __future__ import annotations

import math  # noqa: F401 - for the lines
from typing import Any

import numpy as np
import scipy.sparse.linalg as spla
from scipy import (  # noqa: F401 - as above
    fft,
    integrate,
    interpolate,
    linalg,
    ndimage,
    optimize,
    signal,
    sparse,
    spatial,
    special,
    stats,
)
from scipy.spatial import distance  # noqa: F401 - as above
from scipy.spatial.transform import Rotation

NORMAL = stats.norm(0.3, 1.2)
TEE = stats.t(4)
FIXED_POLY = np.poly1d([1.0, 2.0, -0.5])
FIXED_SERIES = np.polynomial.Polynomial([1.0, 2.0, -0.5])
CSC = sparse.csc_array(np.array([[4.0, 1, 0], [0.5, 3, 0], [0, 0.2, 2]]))
SPDM = sparse.csr_array(np.array([[4.0, 1, 0], [1, 3, 0.2], [0, 0.2, 2]]))
LU = spla.splu(CSC)
FACT = spla.factorized(CSC)
X = np.array([0.0, 1.0, 2.5, 3.0, 4.0, 5.5])
SPLINE = interpolate.CubicSpline(X, np.sin(X))
PCHIP = interpolate.PchipInterpolator(X, np.sin(X))
BSPL = interpolate.make_interp_spline(X, np.sin(X))
INT1 = interpolate.interp1d(X, np.sin(X))
NEAREST = interpolate.interp1d(X, np.sin(X), kind="nearest")
CUBIC1 = interpolate.interp1d(X, np.sin(X), kind="cubic")
UNI = interpolate.UnivariateSpline(X, np.sin(X))
RGI = interpolate.RegularGridInterpolator((X, np.arange(5.0)), np.sin(np.outer(X, np.arange(5.0))))
CLOUD = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.4, 0.5], [0.2, 0.8], [0.7, 0.3], [0.6, 0.9]])
TCK = interpolate.splrep(X, np.sin(X))
FACES = interpolate.RectBivariateSpline(X, np.arange(5.0), np.sin(np.outer(X, np.arange(5.0))), kx=2)
SHEET = (*FACES.tck, *FACES.degrees)
FLAT = interpolate.UnivariateSpline(X, np.sin(X), s=0, ext=3)
TURN = Rotation.from_rotvec([0.3, -0.4, 0.5])
TURNS = Rotation.from_rotvec([[0.3, -0.4, 0.5], [0.1, 0.2, 0.3]])
EDGES = [0.0, 1.0, 2.0]
SQUARE = [[0.3, 1.0, 0.2], [1.5, 0.7, 0.1], [0.4, 0.9, 1.1]]
SOS = signal.butter(4, 0.2, output="sos")


class MineGen(stats.rv_continuous):
    def _logpdf(self, x: Any, k: Any) -> Any:
        return np.log(k) + (k - 1) * np.log(x) - x**k


MINE = MineGen(a=0.0, name="mine", shapes="k")


def of_knots(*args: Any, **words: Any) -> Any:
    from scipy.interpolate import splev  # noqa: PLC0415 - as such wrappers have it

    return splev(*args, **words)


def make(mu: Any) -> Any:
    return stats.norm(mu, 1.5)


def integrand(t: Any, a: Any, b: Any) -> Any:
    return a * np.exp(-b * t)


def decay(t: Any, y: Any, k: Any) -> Any:
    return -k * y


def low(t: Any, y: Any, k: Any) -> Any:
    return y[0] - 0.3 * k


def lowest(t: Any, y: Any, k: Any) -> Any:
    return y[1] - 0.2


lowest.terminal = True  # type: ignore[attr-defined]


def decay2(y: Any, t: Any, k: Any) -> Any:
    return -k * y
