"""The rows of `np.fft`. A transform is linear; its transpose is the inverse with the other norm.

The adjoint of a complex number is dL/dRe + i dL/dIm, so transposes are conjugate ones: that of `fft` is `ifft` times
the number of points. A transform cuts what is longer than `n` and fills up what is shorter; its adjoint does the
opposite. Of a real transform each column but the first (and the last of an even number) stands for two.
"""

from __future__ import annotations

from adcompile.rules.forms import linear

_REAL = ("rng.normal(size=(3, 4))",)
_COMPLEX = ("rng.normal(size=(3, 5)) + 1j * rng.normal(size=(3, 5))",)
_SWAPPED = {"fft": "ifft", "ifft": "fft"}
