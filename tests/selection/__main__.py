"""All programs of the net, in a drawn order: `python -m tests.selection [how many] [seed]`.

It says how many there were until the first that is wrong, and how many are.
"""

from __future__ import annotations

import random
import sys

import scipy.special  # noqa: F401 - its rows are part of the tables when it has been imported

from .checks import wrong, wrongly_finite
from .written import AFTER, AFTER_LIVE, CHOICES, LEFT_OUT, LIVE, programs


def main() -> None:
    """Check them, and print what is wrong."""
    everything = [(w, wrong) for how in (LEFT_OUT, CHOICES) for w in programs(how, AFTER)]
    everything += [(w, wrongly_finite) for w in programs(LIVE, AFTER_LIVE)]
    random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 0).shuffle(everything)
    everything = everything[: int(sys.argv[1]) if len(sys.argv) > 1 else len(everything)]
    bad = 0
    for k, (written, check) in enumerate(everything, 1):
        found = check(written)
        if found:
            bad += 1
            sys.stdout.write(f"{k}: {found}\n")
    sys.stdout.write(f"{len(everything)} programs, {bad} wrong\n")


if __name__ == "__main__":
    main()
