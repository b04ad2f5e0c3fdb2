"""Every sentence of a template is marked, so that it can be said in another language."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

TEMPLATES = Path(__file__).parents[2] / "templates"
FOR_STAFF = ("memory/admin/", "palace/readyz.html")
"""Operators read the admin and the state of the site in English."""

MARKED = re.compile(
    r"\{%\s*block body_class\s*%\}.*?\{%\s*endblock\s*%\}|\{%\s*blocktranslate\b.*?\{%\s*endblocktranslate\s*%\}|\{%\s*comment\b.*?\{%\s*endcomment\s*%\}"
    r"|\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}",
    re.DOTALL,
)
TOLD = frozenset({"aria-label", "alt", "title", "placeholder", "data-copied", "data-confirm"})
WORD = re.compile(r"[^\W\d_]{2,}")
UNSPOKEN = frozenset({"script", "style", "code", "pre", "svg", "kbd"})
NAMES = frozenset({"Palace", "AAAK", "OpenAI", "MCP", "REST", "USD", "kB", "ms"})
PRODUCTS = re.compile(r"ChatGPT|Claude\.ai|Claude Code|Open WebUI|LibreChat")
"""Names and units, which are the same in every language."""


class Unmarked(HTMLParser):
    """Collects the words of a template that stand in it as they are."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._inside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._inside.append(tag)
        for name, value in attrs:
            if name in TOLD:
                self._look(value or "")

    def handle_endtag(self, tag: str) -> None:
        while self._inside and self._inside.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if UNSPOKEN.isdisjoint(self._inside):
            self._look(data)

    def _look(self, words: str) -> None:
        if set(WORD.findall(PRODUCTS.sub("", words))) - NAMES:
            self.found.append(" ".join(words.split()))


def unmarked(template: str) -> list[str]:
    """What a template says without a mark. Tags between its words become spaces."""
    reader = Unmarked()
    reader.feed(MARKED.sub(" ", template))
    reader.close()
    return reader.found


PATHS = [
    path
    for path in sorted(TEMPLATES.rglob("*.html"))
    if not path.relative_to(TEMPLATES).as_posix().startswith(FOR_STAFF)
]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.relative_to(TEMPLATES).as_posix())
def test_a_template_says_nothing_unmarked(path: Path) -> None:
    assert unmarked(path.read_text()) == []


def test_the_reader_finds_what_is_not_marked() -> None:
    template = """
      {% load i18n %}<p title="Here">{% translate "Marked" %} not this {{ word }}</p>
      {% blocktranslate %}All <b>of</b> this.{% endblocktranslate %}
      <button aria-label="{% if x %}Open{% else %}{% translate "Close" %}{% endif %}"></button>
      <code>manage.py</code><p>Palace · 12 kB</p>"""
    assert unmarked(template) == ["Here", "not this", "Open"]
