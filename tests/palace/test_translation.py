"""Every sentence for users, in templates and in Python, is marked for translation."""

import ast
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
TEMPLATES = CHECKOUT / "templates"
FOR_STAFF = ("memory/admin/", "palace/readyz.html")
"""Operators read the admin and the health page in English."""

MARKED = re.compile(
    r"\{%\s*block body_class\s*%\}.*?\{%\s*endblock\s*%\}"
    r"|\{%\s*blocktranslate\b.*?\{%\s*endblocktranslate\s*%\}|\{%\s*comment\b.*?\{%\s*endcomment\s*%\}"
    r"|\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}",
    re.DOTALL,
)
TOLD = frozenset({"aria-label", "alt", "title", "placeholder", "data-copied", "data-confirm"})
WORD = re.compile(r"[^\W\d_]{2,}")
UNSPOKEN = frozenset({"script", "style", "code", "pre", "svg", "kbd"})
NAMES = frozenset({"Palace", "AAAK", "OpenAI", "MCP", "REST", "USD", "kB", "ms"})
PRODUCTS = re.compile(r"ChatGPT|Claude\.ai|Claude Code|Open WebUI|LibreChat|Gemini|Grok|Google AI Studio")
"""Names and units that are the same in every language."""


class Unmarked(HTMLParser):
    """Collects the unmarked words of a template."""

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
    """The unmarked words of a template; template tags between them count as spaces."""
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
def test_templates_are_marked(path: Path) -> None:
    assert unmarked(path.read_text()) == []


def test_unmarked_words_are_found() -> None:
    template = """
      {% load i18n %}<p title="Here">{% translate "Marked" %} not this {{ word }}</p>
      {% blocktranslate %}All <b>of</b> this.{% endblocktranslate %}
      <button aria-label="{% if x %}Open{% else %}{% translate "Close" %}{% endif %}"></button>
      <code>manage.py</code><p>Palace · 12 kB</p>"""
    assert unmarked(template) == ["Here", "not this", "Open"]


MARKS = frozenset({"_", "gettext", "gettext_lazy", "gettext_noop", "ngettext", "ngettext_lazy"})
SENTENCE = re.compile(r"[“‘(]?[A-Z{].* .*[.?!…:]", re.DOTALL)
FOR_PROGRAMMERS = frozenset({"ValueError", "RuntimeError", "AssertionError"})
FOR_MODELS = frozenset({"system", "instructions", "preamble"})
"""Names of prompts, which are English whatever the user speaks."""
NOT_FOR_READERS = {
    "management": "commands, as every tool of the shell, speak English",
    "migrations": "nobody reads them",
    "memory/forgetting/receipts.py": "what the command prints",
    "memory/mining/prompts.py": "for models",
    "memory/mining/reader": "facts, which are kept in one language",
    "memory/mining/extraction.py": "facts",
    "memory/recall/reasons.py": "made of clauses, whose order is that of English",
    "memory/recall/reranking.py": "for models",
    "memory/aaak.py": "for programs that write AAAK",
    "memory/text/patterns.py": "for programmers",
    "transfer/exporting": "notes in the files of an export, whose format is fixed",
    "chat/replies/prompts.py": "for models, or in their place",
    "chat/replies/tool_loop.py": "for models",
    "chat/replies/tools.py": "for models",
}
PYTHON = [
    path
    for package in ("accounts", "memory", "chat", "transfer")
    for path in sorted((CHECKOUT / package).rglob("*.py"))
]


def left_out(path: Path) -> str:
    """Why users do not read the sentences of this file; empty for most files."""
    name = path.relative_to(CHECKOUT).as_posix()
    for part, why in NOT_FOR_READERS.items():
        if name == part or name.startswith(f"{part}/") or f"/{part}/" in name:
            return why
    return ""


def unmarked_in(source: str) -> list[str]:
    """The unmarked sentences of a module, except docstrings and texts for programmers or models."""
    return list(_unmarked(ast.parse(source)))


def _unmarked(node: ast.AST) -> Iterator[str]:
    if _is_for_others(node):
        return
    words = _words(node)
    if words is not None:
        if SENTENCE.fullmatch(words) and WORD.search(words):
            yield " ".join(words.split())
        return
    for child in ast.iter_child_nodes(node):
        yield from _unmarked(child)


def _is_for_others(node: ast.AST) -> bool:
    match node:
        case ast.Expr(value=ast.Constant()):
            return True  # a docstring
        case ast.Call(func=ast.Name(id=name)):
            return name in MARKS | FOR_PROGRAMMERS
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name.strip("_").lower() in FOR_MODELS
        case _:
            return False


def _words(node: ast.AST) -> str | None:
    match node:
        case ast.Constant(value=str(words)):
            return words
        case ast.JoinedStr(values=values):
            return "".join(_words(each) or "{}" for each in values)
        case _:
            return None


@pytest.mark.parametrize("package", ["accounts", "memory", "chat", "transfer"])
def test_modules_are_marked(package: str) -> None:
    found = {
        path.relative_to(CHECKOUT).as_posix(): sentences
        for path in PYTHON
        if path.is_relative_to(CHECKOUT / package) and not left_out(path)
        if (sentences := unmarked_in(path.read_text(encoding="utf-8")))
    }
    assert found == {}


def test_unmarked_sentences_are_found() -> None:
    module = '''
"""What it is. A docstring."""
SYSTEM = "You are an archivist."
KEPT = gettext_noop("Exports are deleted after one day.")
def say(name, log):
    """Tells it."""
    log.info("told something")
    if not name:
        raise ValueError("A name is needed.")
    raise Refused(f"There is no {name} here.")
WHY = {"a": "Too far away to be of use.", "b": _("Nothing was found.") % {"c": "This too."}}
'''
    assert unmarked_in(module) == ["There is no {} here.", "Too far away to be of use.", "This too."]
