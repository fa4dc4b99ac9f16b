# ruff: noqa: ANN001, ANN201, ANN202
# Written as people write: without annotations.
"""What was refused is refused again at once, until something changes that it was refused for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import adcompile
from adcompile import grad, jacobian
from adcompile.calls.refusals import details
from adcompile.errors import ADError, JitError, SourceError

RATE = 2.0


def unknown(x):
    return float(str(x))


def helper(x):
    return unknown(x)


class Model:
    rates = (1.0, np.ones(2))

    def loss(self, x):
        return helper(x) * x


def itself(x):
    return helper(x) * RATE


@pytest.fixture(autouse=True)
def as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "RATE", 2.0)
    monkeypatch.setitem(globals(), "helper", helper)


def refused(function: Any, *arguments: Any) -> ADError:
    with pytest.raises(ADError) as caught:
        function(*arguments)
    return caught.value


@pytest.mark.parametrize("make", [grad, jacobian, lambda f: grad(f, max_memory="1kB")])
def test_it_is_compiled_once(make: Any) -> None:
    g = make(itself)
    first, second, third = refused(g, 2.0), refused(g, 3.0), refused(g, 2.0)
    assert g.cache_info().misses == 1
    assert str(first) == str(second) == str(third)
    assert type(first) is type(second)
    assert first is not second is not third  # each has a traceback of its own
    assert refused(g, np.float32(2.0)) is not None
    assert g.cache_info().misses == 2


def test_of_a_method() -> None:
    g = grad(Model().loss)
    assert str(refused(g, 2.0)) == str(refused(g, 3.0))
    assert g.cache_info().misses == 1


def test_what_always_raises_is_compiled_once() -> None:
    def raises(x, limit):
        raise ValueError(f"{x} is beyond {limit}")

    g = grad(raises)
    for x in (2.0, 3.0):
        with pytest.raises(ValueError, match=f"{x} is beyond 1"):
            g(x, 1.0)
    assert g.cache_info().misses == 1


def test_what_it_was_refused_for_changes() -> None:
    g = grad(itself)
    refused(g, 2.0)
    globals()["RATE"] = 3.0  # which is no help
    refused(g, 2.0)
    globals()["helper"] = lambda x: x * x
    assert g(2.0) == (12.0, (12.0,))


def test_a_rule_is_registered() -> None:
    def opaque(x):
        return float(str(x))

    g = grad(lambda x: opaque(x) * x)
    refused(g, 2.0)
    adcompile.custom_rule(opaque, "g")
    assert g(2.0) == (4.0, (4.0,))


def test_a_source_that_is_not_there_may_come_back() -> None:
    g = grad(eval("lambda x: x * x"))
    for _ in range(2):
        with pytest.raises(SourceError):
            g(2.0)
    assert g.cache_info().misses == 2


def test_clear_cache_forgets() -> None:
    g = grad(itself)
    refused(g, 2.0)
    g.clear_cache()
    refused(g, 2.0)
    assert g.cache_info().misses == 1


def test_machine_code_depends_on_more_than_the_key() -> None:
    pytest.importorskip("numba")

    def picked(x, k):
        return 2.0 * x[k % 3]

    g = grad(picked, jit=True)
    x = np.arange(6.0)
    for _ in range(2):
        with pytest.raises(JitError):
            g(x, 10**30)
    assert g.cache_info().misses == 1
    assert g(x, 5)[0] == 4.0
    assert g(x[::2], 5)[0] == 8.0


def test_details_end() -> None:
    ring: list[Any] = [1.0]
    ring.append(ring)
    assert details(ring) != details(ring)
    model = Model()
    assert details(model) == details(Model())
    model.own = model  # type: ignore[attr-defined]
    assert details(model) != details(model)
    one, two = {"a": [2, None, np.sum, "b"]}, {"a": [3, None, np.prod, "c"]}
    assert details((np.ones(2), one)) == details((np.zeros(2), two))
    assert details(2**63) != details(2)
    assert details(np.ones(2)) != details(np.ones(2, ">f8"))
