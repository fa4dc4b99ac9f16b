"""`python -m adcompile`: the command line, which the extra `adcompile[cli]` brings."""

import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line."""
    try:
        from adcompile.cli import main as run  # noqa: PLC0415 - click is an extra
    except ModuleNotFoundError as error:
        if error.name != "click":
            raise
        sys.exit("The command line needs click: `pip install adcompile[cli]`.")
    run()


if __name__ == "__main__":
    main()
