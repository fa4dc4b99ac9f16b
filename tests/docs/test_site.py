"""The pages as a site: each is in the navigation, links lead somewhere, and MkDocs builds it without a warning."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

import adcompile

from .test_code_blocks import FENCE, PAGES, ROOT

DOCS = ROOT / "docs"
CONFIGURATION = DOCS / "site" / "mkdocs.yml"
LINK = re.compile(r"!?\[[^\]]*\]\((?P<target>[^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.*)$", re.MULTILINE)


def text_of(page: Path) -> str:
    """A page without its code, in which nothing is a link or a heading."""
    return FENCE.sub("", page.read_text(encoding="utf-8"))


def anchors(page: Path) -> set[str]:
    """What a link may say behind `#`: each heading in small letters, without punctuation, with hyphens for blanks.

    GitHub and MkDocs agree where no two hyphens meet.
    """
    plain = (re.sub(r"[^\w\s-]", "", heading).strip().lower() for heading in HEADING.findall(text_of(page)))
    return {re.sub(r"\s", "-", heading) for heading in plain}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    broken = []
    for link in LINK.finditer(re.sub(r"`[^`\n]*`", "", text_of(page))):
        path, _, anchor = link["target"].partition("#")
        there = page if not path else page.parent / path
        if link["target"].startswith("https://"):
            continue
        if not there.exists() or (anchor and anchor not in anchors(there)):
            broken.append(link["target"])
    assert not broken


def test_every_page_is_in_the_navigation_once() -> None:
    listed = re.findall(r"^ +- (\S+\.md)$", CONFIGURATION.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(listed) == sorted(page.relative_to(DOCS).as_posix() for page in PAGES if DOCS in page.parents)


def test_the_reference_has_every_name() -> None:
    listed = re.findall(r"^::: adcompile\.(\w+)$", (DOCS / "reference.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert set(adcompile.__all__) - {"__version__", "detach"} <= set(listed)  # `detach` is `stop_gradient`


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("material") is None, reason="the extra `docs` is not installed")
def test_the_site_is_built_and_fetches_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "-f", str(CONFIGURATION), "-d", str(tmp_path)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, env={"NO_MKDOCS_2_WARNING": "1"})
    assert ran.returncode == 0, ran.stdout + ran.stderr
    pages = {page.name: page.read_text(encoding="utf-8") for page in tmp_path.glob("*.html")}
    assert [name for name, text in pages.items() if re.search(r'(?:src|<link[^>]*href)="https?://', text)] == []
    for name in ("adcompile.grad", "adcompile.scipy.minimize"):
        assert f'id="{name}"' in pages["reference.html"]
    assert '<span class="filename">neuron.py</span>' in pages["index.html"]
    assert '"location":"sharp_bits.html' in (tmp_path / "search" / "search_index.json").read_text(encoding="utf-8")
