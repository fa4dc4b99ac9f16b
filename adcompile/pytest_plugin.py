"""A plugin for pytest: whatever is differentiated while a test runs is checked at the arguments that the test gave.

`pytest -p adcompile.pytest_plugin` loads it. `@pytest.mark.adcompile_check` is for a test, a class or a module;
`--adcompile-check PACKAGE` is for all tests, and for all functions of a package, of which none may be left uncalled.
"""

from __future__ import annotations

import copy
import importlib
import pkgutil
import weakref
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from adcompile.calls.arguments.signature import key_of
from adcompile.calls.differentiated import Differentiated
from adcompile.errors import GradientMismatchError
from adcompile.inside.watching import around_calls

if TYPE_CHECKING:
    from adcompile.inside.looking import Looking

_VIEWED = ((), ("seed",))  # what a call may take in front for its partials to be looked at


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.getgroup("adcompile").addoption(
        "--adcompile-check",
        metavar="PACKAGE",
        help="check every differentiated function of a package at the arguments that the tests call it with",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Begin."""
    config.addinivalue_line(
        "markers", "adcompile_check(second=False): check what is differentiated in this test against differences"
    )
    config.pluginmanager.register(_Checking(config), "adcompile-checking")


def name_of(function: Looking) -> str:
    """A differentiated function, in a report."""
    fn = function._fn  # noqa: SLF001 - the plugin is part of the house
    return f"{function._what} of {fn.__module__}.{fn.__qualname__}"  # noqa: SLF001 - as above


class _Checking:
    """What one run of pytest has called and checked."""

    def __init__(self, config: pytest.Config) -> None:
        self.package: str | None = config.getoption("--adcompile-check")
        self.known: weakref.WeakKeyDictionary[Any, set[Any]] = weakref.WeakKeyDictionary()  # checked: the signatures
        self.names: set[str] = set()  # of what was checked, here and by the workers of pytest-xdist
        self.uncalled: list[str] = []
        self.missing = ""  # why the package cannot be looked through

    def concerns(self, function: Looking) -> bool:
        """Whether a function is one of the package."""
        home = function._fn.__module__ or ""  # noqa: SLF001 - as above
        return self.package is not None and f"{home}.".startswith(f"{self.package}.")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        """Note the calls of a test, and check them when it has passed."""
        marker = item.get_closest_marker("adcompile_check")
        if marker is None and self.package is None:
            return (yield)
        second = bool(marker and marker.kwargs.get("second"))
        noted: list[tuple[Looking, tuple[Any, ...], dict[str, Any]]] = []

        def noting(function: Looking, call: Callable[..., Any]) -> Callable[..., Any]:
            if marker is None and not self.concerns(function):
                return call

            def called(*args: Any, **kwargs: Any) -> Any:
                known = self.known.setdefault(function, set())
                key = (*map(key_of, args), *((name, key_of(value)) for name, value in kwargs.items()), second)
                if key in known:
                    return call(*args, **kwargs)
                own = copy.deepcopy((args, kwargs))
                result = call(*args, **kwargs)
                known.add(key)
                noted.append((function, *own))
                return result

            return called

        with around_calls(noting):
            result = yield
        wrong = [report for each in noted if (report := self._report(*each, second=second))]
        if wrong:
            pytest.fail("\n\n".join(wrong), pytrace=False)
        return result

    def _report(self, function: Looking, args: tuple[Any, ...], kwargs: dict[str, Any], *, second: bool) -> str:
        """What is wrong with a call; nothing where all is well."""
        options = function._options  # noqa: SLF001 - as above
        if function._lead not in _VIEWED or options.get("hooks"):  # noqa: SLF001 - as above
            return ""  # `--adcompile-check` says so
        is_second = second and not options.get("jacobian")
        try:
            function.check(*args, **kwargs, second_order=is_second)
        except GradientMismatchError as error:
            self.names.add(name_of(function))
            return f"{name_of(function)}\n{error}"
        self.names.add(name_of(function))
        return ""

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Tell the main process what was checked; there, find what was not."""
        output = getattr(session.config, "workeroutput", None)
        if output is not None:  # a worker of pytest-xdist
            output["adcompile"] = sorted(self.names)
        elif self.package is not None and not session.config.getoption("collectonly"):
            try:
                self.uncalled = sorted({name_of(each) for each in _all_of(self.package)} - self.names)
            except ImportError as error:
                self.missing = f"NOT CHECKED {self.package}: {error}"
            if (self.uncalled or self.missing) and session.exitstatus == pytest.ExitCode.OK:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take over what a worker of pytest-xdist has checked."""
        self.names.update(getattr(node, "workeroutput", {}).get("adcompile", ()))

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Say what was checked, and what was not."""
        if self.package is not None:
            terminalreporter.section("derivatives")
            terminalreporter.line(f"{len(self.names)} checked against differences")
            if self.missing:
                terminalreporter.line(self.missing, red=True)
            for name in self.uncalled:
                terminalreporter.line(f"NOT CHECKED {name}: no test calls it, or it takes tangents or hooks", red=True)


def _all_of(package: str) -> Iterator[Differentiated]:
    """Every differentiated function that the modules and classes of a package have."""
    root = importlib.import_module(package)
    paths = getattr(root, "__path__", ())
    names = [found.name for found in pkgutil.walk_packages(paths, f"{package}.") if not found.name.endswith("__main__")]
    for module in (root, *map(importlib.import_module, names)):
        for value in list(vars(module).values()):
            is_own = isinstance(value, type) and value.__module__ == module.__name__
            for each in vars(value).values() if is_own else (value,):
                if isinstance(each, Differentiated) and f"{each.__module__}.".startswith(f"{package}."):
                    yield each
