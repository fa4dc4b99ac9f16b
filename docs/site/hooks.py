"""What the pages need beyond Markdown to become a site."""

from __future__ import annotations

import re
from typing import Any

_NAMED = re.compile(r"^( *`{3,}\w+) ([\w./-]+)$", re.MULTILINE)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Show the name of a block's file above it, as GitHub cannot.

    >>> on_page_markdown("```python heat.py")
    '```python title="heat.py"'
    """
    return _NAMED.sub(r'\1 title="\2"', markdown)
