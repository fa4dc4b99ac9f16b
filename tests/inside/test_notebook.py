"""What a notebook shows: a differentiated function, partials, a graph and a listing, in a kernel of its own."""

from __future__ import annotations

import numpy as np
import pytest

from adcompile import grad
from tests.inside.test_graph import neuron

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")

CELLS = [
    "import numpy as np\nfrom adcompile import grad",
    "def area(width, height):\n    u = width * height  # the area\n    return 3.0 * u\n\ng = grad(area)",
    "g(2.0, 5.0)[1]",
    "g",
    "g.graph(2.0, 5.0)",
    "g.listing(2.0, 5.0)",
]


def test_partials_are_a_small_table_of_text() -> None:
    shown = grad(neuron)(3.0, 2.0, 1.0)[1]._repr_html_()
    assert shown.count("<tr>") == 3
    assert "<pre style='margin:0'>2.0</pre>" in shown

    big = grad(lambda x: np.sum(x * x))(np.arange(3000.0))[1]._repr_html_()
    assert len(big) < 1000


def test_a_notebook_shows_them() -> None:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in CELLS])
    nbclient.NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    shown = [cell.outputs[0].data if cell.outputs else {} for cell in notebook.cells]
    assert "<table>" in shown[2]["text/html"]
    assert "area_grad" in shown[3]["text/html"]
    assert "<span style=" in shown[3]["text/html"]
    assert "image/svg+xml" in shown[4] or "flowchart" in shown[4]["text/vnd.mermaid"]
    assert "the area" in shown[5]["text/html"]
