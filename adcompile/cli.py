"""The command line: looking at derivatives, writing and checking them, and what is kept on disk."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import click
import numpy as np
from rich.console import Console
from rich.syntax import Syntax

from adcompile import api
from adcompile.calls.differentiated import Differentiated
from adcompile.errors import ADError
from adcompile.load.machine_cache import KEPT as MACHINE_CODE
from adcompile.texts.on_disk import KEPT as TEXTS
from adcompile.version import __version__

TRANSFORMATIONS: dict[str, Callable[..., Any]] = {
    "grad": api.grad, "value_and_grad": api.value_and_grad, "derivative": api.derivative, "jacobian": api.jacobian,
}  # fmt: skip
_SAMPLE = 3  # the length of each axis of an array that is given by its kind alone


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="adcompile")
def cli() -> None:
    """The gradient of a Python function, as source code that you can read, ship and run.

    A TARGET is `file.py:function` or `module:function`; the function may be differentiated already.
    """


def _of_a_function(command: Callable[..., None]) -> Callable[..., None]:
    """The options of all commands that look at one function."""
    for option in (
        click.option(
            "--args", "arguments", metavar="EXPRESSIONS",
            help='Arguments as Python writes them, with `np` and the names of the file: --args "2.0, [1, 2]".',
        ),
        click.option(
            "--kinds", metavar="KINDS", help='Instead of arguments, their kinds: --kinds "x: float64[:,:], n: int".'
        ),
        click.option("--wrt", metavar="NAMES", help='The inputs, such as "x w".'),
        click.option(
            "--transformation", "-t", type=click.Choice(list(TRANSFORMATIONS)), default="grad", show_default=True,
            help="What to make of a function that is not differentiated yet.",
        ),
        click.argument("target"),
    ):  # fmt: skip
        command = option(command)
    return command


@cli.command()
@_of_a_function
def show(target: str, transformation: str, wrt: str | None, kinds: str | None, arguments: str | None) -> None:
    """Print the generated text.

    Example: adcompile show heat.py:energy --kinds "u: float64[:], dx: float"
    """
    g, given = _asked(target, transformation, wrt, kinds, arguments)
    text = g.source if given is None else g.source_for(*given)
    console = Console(soft_wrap=True)
    if console.is_terminal:
        console.print(Syntax(text, "python", theme="ansi_dark", background_color="default"))
    else:
        click.echo(text, nl=False)


@cli.command()
@_of_a_function
@click.option("--output", "-o", type=click.Path(path_type=Path), required=True, help="The module to write: f_grad.py.")
@click.option(
    "--constants",
    type=click.Choice(["embed", "import", "argument"]),
    default="embed",
    show_default=True,
    help="What becomes of numbers and arrays that the function reads from outside.",
)
def emit(  # noqa: PLR0917 - click passes them by name
    target: str, transformation: str, wrt: str | None, kinds: str | None, arguments: str | None,
    output: Path, constants: Any,
) -> None:  # fmt: skip
    """Write a module that runs without adcompile, and its stub.

    Example: adcompile emit heat.py:energy --args "np.ones(9), 0.1" -o energy_grad.py
    """
    g, given = _asked(target, transformation, wrt, kinds, arguments)
    g.emit(output, *(given or ()), constants=constants)
    click.echo(f"{output} and {output.with_suffix('.pyi')}")


@cli.command()
@click.argument("places", nargs=-1, required=True)
@click.option("--stale", is_flag=True, help="PLACES are written modules, and folders of them: compare them with now.")
@click.option("--args", "arguments", metavar="EXPRESSIONS", help="As in `show`.")
@click.option("--kinds", metavar="KINDS", help="As in `show`.")
@click.option("--wrt", metavar="NAMES", help="As in `show`.")
def check(places: tuple[str, ...], *, stale: bool, arguments: str | None, kinds: str | None, wrt: str | None) -> None:
    """Compare derivatives with differences, or written modules with what would be written now.

    Examples: adcompile check heat.py:energy --args "np.ones(9), 0.1"

    adcompile check --stale src/
    """
    if stale:
        _check_stale([Path(place) for place in places])
        return
    for place in places:
        g, given = _asked(place, "grad", wrt, kinds, arguments)
        click.echo(g.check(*(g.annotated() if given is None else given)))


def _check_stale(places: list[Path]) -> None:
    from adcompile.texts import stale  # noqa: PLC0415 - only here is the compiler needed at once

    missing = [place for place in places if not place.exists()]
    if missing:
        raise click.UsageError(f"there is no {missing[0]}")
    sys.path[:0] = [str(Path.cwd()), *(str(place if place.is_dir() else place.parent) for place in places)]
    count = bad = 0
    for path in stale.written(places):
        count += 1
        found = stale.check(path)
        if found is not None:
            bad += 1
            click.echo(f"{found.path}: {found.reason}")
            if found.difference:
                click.echo(found.difference)
    click.echo(f"{count} written module{'s' * (count != 1)}, {bad} stale")
    if bad:
        raise SystemExit(1)


@cli.command()
@_of_a_function
@click.option("--output", "-o", type=click.Path(path_type=Path), help="f.svg, f.png, f.pdf, f.html, f.dot, f.mmd.")
@click.option("--format", "form", type=click.Choice(["dot", "mermaid"]), default="mermaid", show_default=True)
def graph(  # noqa: PLR0917 - as `emit`
    target: str, transformation: str, wrt: str | None, kinds: str | None, arguments: str | None,
    output: Path | None, form: str,
) -> None:  # fmt: skip
    """Draw the computational graph of one evaluation, as text or into a file.

    Example: adcompile graph neuron.py:neuron --args "3.0, 2.0, 1.0" -o neuron.svg
    """
    g, given = _asked(target, transformation, wrt, kinds, arguments)
    found = g.graph(*(g.annotated() if given is None else given))
    if output is None:
        click.echo(getattr(found, form))
    else:
        found.save(output)
        click.echo(str(output))


@cli.command()
@_of_a_function
def explain(target: str, transformation: str, wrt: str | None, kinds: str | None, arguments: str | None) -> None:
    """Say what is active and why, and what the backward sweep stores.

    Example: adcompile explain heat.py:energy --args "np.ones(9), 0.1"
    """
    g, given = _asked(target, transformation, wrt, kinds, arguments)
    found, console = g.explain(*(g.annotated() if given is None else given)), Console()
    if console.is_terminal:
        console.print(found)
    else:
        click.echo(str(found))


@cli.group()
def cache() -> None:
    """Texts and machine code on disk."""


@cache.command("info")
def cache_info() -> None:
    """Say where they are, how many, and how large.

    Example: adcompile cache info
    """
    for what, kept in (("texts", TEXTS), ("machine code", MACHINE_CODE)):
        files = [each for each in Path(kept.folder()).glob("*") if each.is_file()]
        size = sum(each.stat().st_size for each in files)
        click.echo(f"{what}: {len(files)} files, {size / 1e6:.1f} MB, in {kept.folder()}")


@cache.command("clear")
def cache_clear() -> None:
    """Remove them.

    Example: adcompile cache clear
    """
    for kept in (TEXTS, MACHINE_CODE):
        shutil.rmtree(kept.folder(), ignore_errors=True)


def _asked(
    target: str, transformation: str, wrt: str | None, kinds: str | None, arguments: str | None
) -> tuple[Differentiated, tuple[Any, ...] | None]:
    """The differentiated function that a target names, and arguments for it; None where there are none."""
    if kinds is not None and arguments is not None:
        raise click.UsageError("give --args or --kinds, not both")
    home, name = _loaded(target)
    found: Any = home
    for part in name.split("."):
        if not hasattr(found, part):
            raise click.UsageError(f"{home.__name__} has no {name}")
        found = getattr(found, part)
    if not isinstance(found, Differentiated):
        found = TRANSFORMATIONS[transformation](found, wrt=wrt)
    elif wrt is not None:
        raise click.UsageError(f"{name} is differentiated already, so --wrt has no meaning")
    if kinds is not None:
        return found, _samples(kinds, list(inspect.signature(found).parameters))
    if arguments is None:
        return found, None
    given = _evaluated(arguments, vars(home))
    try:
        inspect.signature(found).bind(*given)
    except TypeError as error:
        raise click.UsageError(f"--args: {error}") from None
    return found, given


def _loaded(target: str) -> tuple[Any, str]:
    """The module of a target, and the name in it."""
    place, colon, name = target.rpartition(":")
    if not colon or not name:
        raise click.UsageError(f"a target is file.py:function or module:function, not {target!r}")
    sys.path.insert(0, str(Path.cwd()))
    if not place.endswith(".py"):
        try:
            return importlib.import_module(place), name
        except ModuleNotFoundError as error:
            raise click.UsageError(str(error)) from error
    path = Path(place)
    if not path.is_file():
        raise click.UsageError(f"there is no file {place}")
    sys.path.insert(0, str(path.parent.resolve()))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise click.UsageError(f"{place} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module, name


def _evaluated(arguments: str, names: dict[str, Any]) -> tuple[Any, ...]:
    try:
        found = eval(f"({arguments},)" if arguments.strip() else "()", {"np": np, **names})  # noqa: S307 - the user's own
    except Exception as error:
        raise click.UsageError(f"--args: {type(error).__name__}: {error}") from error
    return tuple(found)


def _samples(kinds: str, names: list[str]) -> tuple[Any, ...]:
    """Values of the kinds in a text such as "x: float64[:,:], n: int", in the order of the parameters.

    >>> [np.shape(value) for value in _samples("x: float64[:,:], n: int", ["x", "n"])]
    [(3, 3), ()]
    """
    found: dict[str, Any] = {}
    depth, start = 0, 0
    parts: list[str] = []
    for at, letter in enumerate(kinds + ","):
        depth += (letter == "[") - (letter == "]")
        if letter == "," and not depth:
            parts.append(kinds[start:at])
            start = at + 1
    for part in filter(str.strip, parts):
        name, _, kind = (piece.strip() for piece in part.partition(":"))
        base, bracket, axes = kind.partition("[")
        try:
            dtype = np.dtype({"float": "float64", "int": "int64"}.get(base, base))
        except TypeError:
            raise click.UsageError(f"--kinds: {base!r} of {name!r} is no dtype") from None
        if bracket:
            found[name] = np.ones((_SAMPLE,) * (axes.count(",") + 1), dtype)
        else:
            found[name] = {"float": 1.0, "int": 1, "bool": True, "complex": 1.0 + 0j}.get(base, dtype.type(1))
    if unknown := [name for name in found if name not in names] + [name for name in names if name not in found]:
        raise click.UsageError(f"--kinds: {unknown[0]!r} is missing, or no parameter; they are {', '.join(names)}")
    return tuple(found[name] for name in names)


def main() -> NoReturn:
    """Run the program: 0 where all is well, 1 for a refusal or a finding, 2 where it was called wrongly."""
    try:
        cli(prog_name="adcompile")
    except ADError as error:
        click.echo(str(error), err=True)
    raise SystemExit(1)
