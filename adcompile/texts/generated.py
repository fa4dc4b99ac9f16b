"""The names of the files in which generated texts would be."""

from __future__ import annotations

import os
from typing import Final

_FOLDER: Final = os.path.join(os.path.dirname(__file__), "generated")


def generated_file(name: str) -> str:
    """The name of the file that a generated text would be in. There is none: the text is known to `linecache`.

    It is a full path that ends in `.py`, which is what `pdb` takes for `b FILE:LINE`, and one of this package, which
    tools that measure a program leave out.

    >>> is_generated(generated_file("area_grad_1")), is_generated("area.py")
    (True, False)
    """
    return os.path.join(_FOLDER, f"{name}.py")


def is_generated(filename: str) -> bool:
    """Whether a file name is that of a generated text."""
    return filename.startswith(_FOLDER)
