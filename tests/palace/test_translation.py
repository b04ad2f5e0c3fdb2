"""Every sentence for users is marked for translation, and none reads like a translation itself.

`docs/wording.md` says what to write instead.
"""

import ast
import re
from fnmatch import fnmatch
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.cases import cases

CHECKOUT = Path(__file__).resolve().parents[2]
TEMPLATES = CHECKOUT / "templates"
FOR_STAFF = ("memory/admin/", "palace/readyz.html")
"""Operators read the admin and the health page in English."""
MARKED = re.compile(
    r"\{%\s*block body_class\s*%\}.*?\{%\s*endblock\s*%\}"
    r"|\{%\s*blocktranslate\b.*?\{%\s*endblocktranslate\s*%\}|\{%\s*comment\b.*?\{%\s*endcomment\s*%\}"
    r"|\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}",
    re.DOTALL,
)
SPOKEN_ATTRIBUTES = frozenset({"aria-label", "alt", "title", "placeholder", "data-copied", "data-confirm"})
WORD = re.compile(r"[^\W\d_]{2,}")
SKIPPED_TAGS = frozenset({"script", "style", "code", "pre", "svg", "kbd"})
NAMES = frozenset({"Palace", "AAAK", "OpenAI", "MCP", "REST", "USD", "kB", "ms"})
PRODUCTS = re.compile(r"ChatGPT|Claude\.ai|Claude Code|Open WebUI|LibreChat|Gemini|Grok|Google AI Studio")
"""Names and units that are the same in every language."""


class Unmarked(HTMLParser):
    """Collects the unmarked words of a template."""

    def __init__(self):
        super().__init__()
        self.found: list[str] = []
        self._inside: list[str] = []

    def handle_starttag(self, tag, attrs):
        self._inside.append(tag)
        for name, value in attrs:
            if name in SPOKEN_ATTRIBUTES:
                self._look(value or "")

    def handle_endtag(self, tag):
        while self._inside and self._inside.pop() != tag:
            pass

    def handle_data(self, data):
        if SKIPPED_TAGS.isdisjoint(self._inside):
            self._look(data)

    def _look(self, words):
        if set(WORD.findall(PRODUCTS.sub("", words))) - NAMES:
            self.found.append(" ".join(words.split()))


def unmarked(template):
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
def test_templates_are_marked(path):
    assert unmarked(path.read_text()) == []


def test_unmarked_words_are_found():
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
    "chat/replies/tools.py": "for models",
}
PYTHON = [
    path
    for package in ("accounts", "memory", "chat", "transfer")
    for path in sorted((CHECKOUT / package).rglob("*.py"))
]


def left_out(path):
    """Why users do not read the sentences of this file; empty for most files."""
    name = path.relative_to(CHECKOUT).as_posix()
    for part, why in NOT_FOR_READERS.items():
        if name == part or name.startswith(f"{part}/") or f"/{part}/" in name:
            return why
    return ""


def unmarked_in(source):
    """The unmarked sentences of a module, except docstrings and texts for programmers or models."""
    return list(_unmarked(ast.parse(source)))


def _unmarked(node):
    if _is_for_others(node):
        return
    words = _words(node)
    if words is not None:
        if SENTENCE.fullmatch(words) and WORD.search(words):
            yield " ".join(words.split())
        return
    for child in ast.iter_child_nodes(node):
        yield from _unmarked(child)


def _is_for_others(node):
    match node:
        case ast.Expr(value=ast.Constant()):
            return True  # a docstring
        case ast.Call(func=ast.Name(id=name)):
            return name in MARKS | FOR_PROGRAMMERS
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name.strip("_").lower() in FOR_MODELS
        case _:
            return False


def _words(node):
    match node:
        case ast.Constant(value=str(words)):
            return words
        case ast.JoinedStr(values=values):
            return "".join(_words(each) or "{}" for each in values)
        case _:
            return None


@pytest.mark.parametrize("package", ["accounts", "memory", "chat", "transfer"])
def test_modules_are_marked(package):
    found = {
        path.relative_to(CHECKOUT).as_posix(): sentences
        for path in PYTHON
        if path.is_relative_to(CHECKOUT / package) and not left_out(path)
        if (sentences := unmarked_in(path.read_text(encoding="utf-8")))
    }
    assert found == {}


def test_unmarked_sentences_are_found():
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


PLACES = (
    *("accounts", "api", "bench", "chat", "docs", "jobs", "llm"),
    *("memory", "palace", "templates", "transfer"),
)
KINDS = {".py", ".md", ".html", ".txt"}
TO_DO = ()
"""Files that still have to be reworded; remove each when it is done."""
SKIPPED = ("docs/wording.md", "*/migrations/*", "memory/text/*", "bench/data/*")
"""They quote what not to say, are history, or hold words of many languages."""
(BANNED,) = cases(__file__, "banned.txt").values()
GAP = r"""(?:[\s"#]|f(?="))+"""
"""What may lie between two words: a line break, the marks of a comment or of adjacent strings."""
PATTERN = re.compile(rf"\b(?:{'|'.join(BANNED)})\b".replace(" ", GAP), re.IGNORECASE)


def files():
    """Every file with words for people, apart from TO_DO and SKIPPED."""
    for path in (
        *CHECKOUT.glob("*.md"),
        *(path for place in PLACES for path in (CHECKOUT / place).rglob("*.*")),
    ):
        if path.suffix in KINDS and not _matches(path, (*TO_DO, *SKIPPED)):
            yield path


def _matches(path, patterns):
    return any(fnmatch(path.relative_to(CHECKOUT).as_posix(), pattern) for pattern in patterns)


def banned(text):
    """The banned phrases in a text with their line numbers, across line breaks and adjacent strings."""
    return [f"{text.count(chr(10), 0, found.start()) + 1}: {found[0]}" for found in PATTERN.finditer(text)]


def test_no_text_contains_a_banned_phrase():
    found = [
        f"{path.relative_to(CHECKOUT)}:{phrase}"
        for path in files()
        for phrase in banned(path.read_text(encoding="utf-8"))
    ]
    assert not found, "See docs/wording.md for what to write instead.\n" + "\n".join(found)


def test_banned_phrase_is_found_across_lines_and_adjacent_strings():
    assert banned('x = (\n    "No address Is "\n    f"told anything"\n)') == ['2: Is "\n    f"told']
    assert banned("Both are told apart.") == []
