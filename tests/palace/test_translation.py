"""Every sentence for users is marked for translation, and none reads like a translation itself.

`docs/wording.md` says what to write instead.
"""

import ast
import re
from fnmatch import fnmatch
from pathlib import Path

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
SKIPPED_TAGS = re.compile(r"(?s)<(script|style|code|pre|svg|kbd)\b.*?</\1>")
SPOKEN = re.compile(r'\s(?:aria-label|alt|title|placeholder|data-copied|data-confirm)="([^"]*)"|>([^<>]*)<')
WORD = re.compile(r"[^\W\d_]{2,}")
NAMES = frozenset({"Palace", "AAAK", "OpenAI", "MCP", "REST", "USD", "kB", "ms"})
PRODUCTS = re.compile(r"ChatGPT|Claude\.ai|Claude Code|Open WebUI|LibreChat|Gemini|Grok|Google AI Studio")
"""Names and units that are the same in every language."""


def unmarked(template):
    """The unmarked words of a template, in its text and in attributes that are spoken or shown."""
    html = SKIPPED_TAGS.sub("<br>", MARKED.sub(" ", template))
    spoken = map("".join, SPOKEN.findall(f">{html}<"))
    return [" ".join(words.split()) for words in spoken if set(WORD.findall(PRODUCTS.sub("", words))) - NAMES]


def test_templates_are_marked():
    names = {path.relative_to(TEMPLATES).as_posix(): path for path in TEMPLATES.rglob("*.html")}
    texts = {name: path.read_text() for name, path in names.items() if not name.startswith(FOR_STAFF)}
    assert {name: found for name, text in texts.items() if (found := unmarked(text))} == {}


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


def unmarked_in(node):
    """The unmarked sentences of a module, except docstrings and texts for programmers or models."""
    match node:
        case ast.Expr(value=ast.Constant()):
            return  # a docstring
        case ast.Call(func=ast.Name(id=name)) if name in MARKS | FOR_PROGRAMMERS:
            return
        case ast.Assign(targets=[ast.Name(id=name)]) if name.strip("_").lower() in FOR_MODELS:
            return
        case ast.Constant(value=str()) | ast.JoinedStr():
            parts = getattr(node, "values", [node])
            words = "".join(
                getattr(part, "value", "") if isinstance(part, ast.Constant) else "{}" for part in parts
            )
            if SENTENCE.fullmatch(words) and WORD.search(words):
                yield " ".join(words.split())
        case _:
            for child in ast.iter_child_nodes(node):
                yield from unmarked_in(child)


def test_modules_are_marked():
    found = {}
    for package in ("accounts", "memory", "chat", "transfer"):
        for path in (CHECKOUT / package).rglob("*.py"):
            name = path.relative_to(CHECKOUT).as_posix()
            if not any(f"/{part}/" in f"/{name}/" for part in NOT_FOR_READERS):
                found[name] = [*unmarked_in(ast.parse(path.read_text(encoding="utf-8")))]
    assert len(found) > 100
    assert {name: sentences for name, sentences in found.items() if sentences} == {}


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
    assert [*unmarked_in(ast.parse(module))] == [
        "There is no {} here.",
        "Too far away to be of use.",
        "This too.",
    ]


PLACES = (
    *("accounts", "api", "bench", "chat", "docs", "jobs", "llm"),
    *("memory", "palace", "templates", "transfer"),
)
KINDS = {".py", ".md", ".html", ".txt"}
SKIPPED = ("docs/wording.md", "*/migrations/*", "memory/text/*", "bench/data/*")
"""They quote what not to say, are history, or hold words of many languages."""
(BANNED,) = cases(__file__, "banned.txt").values()
GAP = r"""(?:[\s"#]|f(?="))+"""
"""What may lie between two words: a line break, the marks of a comment or of adjacent strings."""
PATTERN = re.compile(rf"\b(?:{'|'.join(BANNED)})\b".replace(" ", GAP), re.IGNORECASE)


def banned(text):
    """The banned phrases in a text with their line numbers, across line breaks and adjacent strings."""
    return [f"{text.count(chr(10), 0, found.start()) + 1}: {found[0]}" for found in PATTERN.finditer(text)]


def test_no_text_contains_a_banned_phrase():
    paths = [path for place in PLACES for path in (CHECKOUT / place).rglob("*.*") if path.suffix in KINDS]
    names = {path.relative_to(CHECKOUT).as_posix(): path for path in (*CHECKOUT.glob("*.md"), *paths)}
    found = [
        f"{name}:{phrase}"
        for name, path in names.items()
        if not any(fnmatch(name, pattern) for pattern in SKIPPED)
        for phrase in banned(path.read_text(encoding="utf-8"))
    ]
    assert not found, "See docs/wording.md for what to write instead.\n" + "\n".join(found)
    assert banned('x = (\n    "No address Is "\n    f"told anything"\n)') == ['2: Is "\n    f"told']
    assert banned("Both are told apart.") == []
