"""The graph of one evaluation: what is on it, how it folds, and that nothing of the user's becomes markup."""

from __future__ import annotations

import cProfile
import re
import sys
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from adcompile import ADError, grad
from adcompile.inside.pictures.graph import Graph


def relu(z):
    return max(z, 0.0)


def neuron(x, w, b):
    u = x * w
    v = u + b
    a = relu(v)
    return a


def recurrent(xs, w, n):
    h = 0.0
    for t in range(n):
        h = np.tanh(w * h + xs[t])
    return h


def layered(x, ws):
    for w in ws:
        x = relu(w * x)
    return x


def sentences(graph: Graph) -> list[str]:
    """The nodes of a graph as their lines of text."""
    labels = re.findall(r"label=<(.*)>, shape", graph.dot)
    return [" ".join(re.sub("<[^>]*>|&#160;", " ", label).split()) for label in labels]


def edges(graph: Graph) -> list[tuple[str, str]]:
    names = {
        n: (n.shown.name or n.shown.text) if n.shown else n.group.label
        for n in graph.picture.nodes
        if n.shown or n.group
    }
    return [(names[e.source], names[e.target]) for e in graph.picture.edges]


def test_the_neuron_of_the_textbook() -> None:
    graph = grad(neuron).graph(3.0, 2.0, 1.0)
    assert sentences(graph) == ["x 3 ∂ 2", "w 2 ∂ 3", "b 1 ∂ 1", "u × 6 ∂ 1", "v + 7 ∂ 1", "a max(·, 0.0) 7 ∂ 1"]
    assert edges(graph) == [("x", "u"), ("w", "u"), ("u", "v"), ("b", "v"), ("v", "a")]
    assert 'label="relu"' in graph.dot
    assert '|"2"| n3' in graph.mermaid
    assert "0.0" not in graph.styled(values=False).mermaid.replace("0.0)", "")


def test_calls_and_loops_fold() -> None:
    graph = grad(neuron).graph(3.0, 2.0, 1.0).folded("relu")
    assert sentences(graph)[0] == "a relu 7 ∂ 1"
    steps = grad(recurrent).graph(np.ones(3), 0.5, 3)
    assert steps.folded().dot.count("subgraph") == 4
    assert "for t in range(n) × 3" in steps.folded(loops=True).mermaid
    assert len(grad(recurrent).graph(np.ones(1000), 0.5, 1000).picture.nodes) < 6
    layers = grad(layered).graph(1.0, [1.0] * 18)
    assert len(layers.picture.nodes) < 10
    rows = layers.part("for w in ws").folded(depth=2, repeats=True, parts=True)
    assert len(rows.picture.nodes) < 60
    with pytest.raises(ADError, match="no call or loop 'tanh'"):
        graph.folded("tanh")


def test_a_part_has_a_graph_of_its_own() -> None:
    part = grad(neuron).graph(3.0, 2.0, 1.0).part("relu")
    assert edges(part) == [("v", "a")]


def test_constants_and_what_is_not_active() -> None:
    def f(x, k):
        c = 2.0
        return x * c + (k > 1)

    graph = grad(f, wrt="x").graph(3.0, 2.0)
    assert "c" not in " ".join(sentences(graph)).split()
    assert any(line.startswith("c 2") for line in sentences(graph.styled(constants=True)))
    assert "idle" in graph.styled(constants=True).mermaid


def test_what_cannot_be_styled_is_said() -> None:
    graph = grad(neuron).graph(3.0, 2.0, 1.0)
    with pytest.raises(ADError, match="no theme 'pink'"):
        graph.styled(theme="pink")
    with pytest.raises(ADError, match="no direction 'up'"):
        graph.styled(direction="up")
    with pytest.raises(ADError, match="no 'colour'"):
        graph.styled(colour="red")
    with pytest.raises(ADError, match="how to draw"):
        graph.save("f.jpeg")


def test_nothing_of_the_users_becomes_markup(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Graph, "can_be_drawn", False)

    def f(p):
        return p['<script>alert("1")</script>'] * p["a]\n--> b"]

    graph = grad(f).graph({'<script>alert("1")</script>': 2.0, "a]\n--> b": 3.0})

    found: set[str] = set()

    class Tags(HTMLParser):
        def handle_starttag(self, tag: str, attrs: object) -> None:
            found.add(tag)

    Tags().feed(graph.html)
    assert graph.html.count("<script>") == 1  # its own
    for line in graph.mermaid.splitlines():
        assert "script>" not in line
        assert line.count("-->") <= 1
    assert "<script" not in graph.dot
    assert found <= {"html", "head", "meta", "title", "style", "body", "h1", "table", "tr", "th", "td", "code",
                          "details", "summary", "small", "script", "p"}  # fmt: skip


def test_where_graphviz_is_missing_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    graph = grad(neuron).graph(3.0, 2.0, 1.0)
    graph.save(tmp_path / "f.dot")
    graph.save(tmp_path / "f.mmd")
    assert (tmp_path / "f.dot").read_text(encoding="utf-8") == graph.dot
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ADError, match=r"apt install graphviz|adcompile\[graph\]"):
        graph.save(tmp_path / "f.svg")
    assert "text/vnd.mermaid" in graph._repr_mimebundle_()
    assert not graph.can_be_drawn
    monkeypatch.setitem(sys.modules, "graphviz", None)
    with pytest.raises(ADError, match=r"adcompile\[graph\]"):
        graph.save(tmp_path / "f.svg")


def test_a_page_opens_what_is_folded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Graph, "can_be_drawn", False)
    page = grad(recurrent).graph(np.ones(6), 0.5, 6).html
    assert page.count("<details") == page.count("</details>") == 1
    assert "for t in range(n)" in page
    assert "<code>ws</code> <small>18 parts</small>" in grad(layered).graph(1.0, [1.0] * 18).html


def test_the_work_for_a_text_grows_as_its_nodes_do() -> None:
    """Ten thousand nodes are a fifth of a second, by the clock of the processor."""

    def calls(steps: int) -> int:
        graph = grad(recurrent).graph(np.ones(steps), 0.5, steps).folded()
        profile = cProfile.Profile()
        text = profile.runcall(lambda: graph.dot)
        assert text.count("[label=<") > 4 * steps
        return sum(entry.callcount for entry in profile.getstats())

    assert calls(1000) < 11 * calls(100)


def test_a_page_of_a_long_loop_stays_short() -> None:
    page = grad(recurrent).graph(np.ones(400), 0.5, 400)
    inner = page.part("for t in range(n)")
    assert len(inner.picture.nodes) < 10
    assert "steps × 400" in inner.mermaid
