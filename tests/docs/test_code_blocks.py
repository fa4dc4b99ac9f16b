"""Every code block of the README and of `docs/` works, and prints what the page says that it prints.

The python blocks of a page run in order, in one namespace. A `text` or `output` block straight after one is what it
prints (`...` stands for anything), or the refusal that it ends in. A block is a file of its own, so that the compiler
finds its text; ```` ```python heat.py ```` names that file, for a page that shows the name. `bash` and `console`
blocks are only parsed. What must not run has `<!-- not run: the reason -->` on the line above it.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

from adcompile import ADError

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]

FENCE = re.compile(
    r"(?:^ *<!-- not run: (?P<excuse>[^\n]*\w[^\n]*) -->\n\n?)?"
    r"^(?P<indent> *)(?P<fence>`{3,}|~{3,})(?P<language>[^\s`]*) *(?P<file>[^\n`]*)\n"
    r"(?P<text>.*?)^ *(?P=fence)[`~]* *$",
    re.MULTILINE | re.DOTALL,
)
RUN, PRINTED, SHELL = {"python"}, {"text", "output"}, {"bash", "console"}
ONLY_SHOWN = {"diff", "html", "json", "markdown", "mermaid", "toml", "yaml"}


@dataclass
class Block:
    """A code block, and what its page says that it prints."""

    place: str
    language: str
    file: str
    text: str
    excuse: str | None
    printed: str | None = None


def blocks(page: str, name: str) -> list[Block]:
    """The code blocks of a page, each with the output that is shown straight after it."""
    found: list[Block] = []
    end = 0
    for match in FENCE.finditer(page):
        place = f"{name}:{page.count(chr(10), 0, match.start('fence')) + 1}"
        text = textwrap.dedent(match["text"])
        is_next = bool(found) and not page[end : match.start()].strip()
        if match["language"] in PRINTED and is_next and found[-1].language in RUN and match["excuse"] is None:
            found[-1].printed = text
        found.append(Block(place, match["language"], match["file"].strip(), text, match["excuse"]))
        end = match.end()
    return found


def run(block: Block, file: Path, module: ModuleType) -> None:
    """Execute a block from its own file, and compare what it prints with what the page says."""
    assert not file.exists(), f"{block.place}: two blocks are called {file.name}"
    file.write_text(block.text, encoding="utf-8")
    with contextlib.redirect_stdout(io.StringIO()) as out:
        try:
            exec(compile(block.text, str(file), "exec", dont_inherit=True), module.__dict__)
        except ADError as refusal:
            if block.printed is None:
                raise
            print(refusal)  # noqa: T201 - the page shows it
    printed = out.getvalue()
    if block.printed is not None and not doctest.OutputChecker().check_output(block.printed, printed, doctest.ELLIPSIS):
        assert printed == block.printed, f"{block.place} prints something else"


def check_syntax(block: Block) -> None:
    """Have bash parse a block; in a console session the commands are the lines that start with `$`."""
    prompted = re.findall(r"^\$ ((?:.*\\\n)*.*)$", block.text, re.MULTILINE)
    commands = "\n".join(prompted) if prompted else block.text
    parsed = subprocess.run(["bash", "-n"], input=commands, capture_output=True, text=True, check=False)  # noqa: S607
    assert not parsed.stderr, f"{block.place}: {parsed.stderr}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_page(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ADCOMPILE_WATCH", "0")  # pages have loops of 100,000 steps; the corpus is watched
    module = ModuleType(f"{page.stem.lower()}_page")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    text = page.read_text(encoding="utf-8")
    found = blocks(text, page.relative_to(ROOT).as_posix())
    assert not re.search(r"^ *(?:```|~~~)", FENCE.sub("", text), re.MULTILINE), "a fence is not closed"
    for number, block in enumerate(found, 1):
        known = RUN | PRINTED | SHELL | ONLY_SHOWN
        assert block.language in known, f"{block.place}: {block.language!r} is none of {', '.join(sorted(known))}"
        try:
            if block.excuse is None and block.language in RUN:
                run(block, tmp_path / (block.file or f"{page.stem}_{number}.py"), module)
            elif block.excuse is None and block.language in SHELL:
                check_syntax(block)
        except Exception as error:
            error.add_note(f"in the block at {block.place}")
            raise


PAGE = """
```python
def double(x):
    return 2 * x
print(double(4), "and more")
```

```output
8 ...
```

<!-- not run: it takes an hour -->
```python
raise KeyError
```
- a list
  ```console
  $ python -m adcompile \\
      show a.py:f
  what it prints (
  ```
"""


def test_blocks_are_found_with_their_output() -> None:
    first, output, excused, console = blocks(PAGE, "page.md")
    assert (first.place, first.printed, output.language) == ("page.md:2", "8 ...\n", "output")
    assert (excused.excuse, excused.text, excused.printed) == ("it takes an hour", "raise KeyError\n", None)
    assert console.text.startswith("$ python -m adcompile \\\n    show a.py:f\n")
    check_syntax(console)


def test_wrong_pages_are_caught(tmp_path: Path) -> None:
    wrong = PAGE.replace("8 ...", "9 ...").replace("show a.py:f", "show (a.py:f")
    first, _, _, console = blocks(wrong, "page.md")
    with pytest.raises(AssertionError, match=r"page\.md:2 prints something else"):
        run(first, tmp_path / "page.py", ModuleType("page"))
    with pytest.raises(AssertionError, match=r"page\.md:17: .*syntax error"):
        check_syntax(console)
