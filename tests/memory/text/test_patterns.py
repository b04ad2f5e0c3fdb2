"""Patterns applied to user text run on RE2 and match as in Python."""

import re
import time
from pathlib import Path

import pytest

from memory.text.patterns import PatternRefused, compile_ascii, compile_pattern, compile_set, compile_words

SAMPLE = "Zoë’s 3rd café — 第三杯 ٣ coffees_x\u00a0o'clock\u2003Ünïted §7 naïve²"
PACKAGES = ("memory/text", "memory/recall", "memory/search")
BACKTRACKING = {
    "memory/text/patterns.py": "reads our own patterns",
    "memory/text/chunking.py": "single classes, followed by one repeat",
    "memory/text/date_patterns.py": "at most 4,000 characters, bounded repeats",
    "memory/text/dates.py": "single words of a date",
    "memory/text/festivals.py": "at most 4,000 characters, no repeats",
    "memory/text/languages.py": "single classes",
    "memory/text/forms.py": "our own templates, and single words",
    "memory/text/names.py": "single classes",
    "memory/text/owner_sentences.py": "statements and clauses of bounded length",
    "memory/text/sanitizing.py": "single classes, pairs and runs of 30; meets lone surrogates",
    "memory/text/secret_cues.py": "at most 400 characters behind a word, bounded repeats",
    "memory/text/secrets.py": "single classes, and words and digits of bounded length",
    "memory/text/stemming.py": "single words",
    "memory/text/tokenization.py": "single tokens, and quotations of bounded length",
    "memory/recall/block.py": "single classes",
    "memory/recall/context.py": "single classes that exclude the closing character",
    "memory/recall/filters.py": "messages of at most 160 characters, and literals",
    "memory/recall/query_extraction.py": "single lines, and bounded repeats",
    "memory/text/matching.py": "single classes",
    "memory/recall/reranking.py": "single classes",
    "memory/recall/retrieval.py": "messages of at most 60 tokens",
    "memory/recall/rewriting.py": "questions of at most 600 characters",
    "memory/recall/retrievers/known_facts.py": "questions of at most 600 characters, and single classes",
    "memory/search/sentence_vectors.py": "single classes",
}
"""Modules that may use Python's own engine, and why that is safe."""


@pytest.mark.parametrize(
    "pattern",
    [r"\w+", r"\d", r"\s", r"\S+", r"\W", r"[^\W_]+", r"[^\W\d_]+", r"[\w’-]+", r"[^\s\d]", r"(?:é|ï)\w"],
)
def test_character_classes_match_as_in_python(pattern):
    ours = [match[0] for match in compile_pattern(pattern).finditer(SAMPLE)]
    assert ours == [match[0] for match in re.finditer(pattern, SAMPLE)]


def test_positions_refer_to_the_text_and_unsupported_syntax_is_refused():
    found = compile_pattern("(?P<drink>COFFEES)", ignore_case=True).search(SAMPLE)
    assert SAMPLE[found.start() : found.end()] == found["drink"] == "coffees"
    for pattern in (r"\bword", r"(?=a)", r"(?<!a)b", r"(a)\1", r"[^\W-]", "("):
        with pytest.raises(PatternRefused):
            compile_pattern(pattern)


def test_compile_words_matches_whole_words_in_any_script():
    words = compile_words("été", "夏天")
    for text in ("été", "un été.", "我夏天"):
        assert words.search(text)
    for text in ("étés", "aété"):
        assert not words.search(text)


def test_compile_set_combines_patterns_with_their_own_flags():
    own = (
        compile_pattern("(été)", ignore_case=True),
        compile_pattern("x.y", dot_all=True),
        compile_pattern("p.q"),
    )
    patterns = (compile_ascii(r"\bAB\b"), *own)
    found = {
        text: bool(compile_set(patterns)(text)) for text in ("AB", "say Été", "x\ny", "x.y", "ab", "p\nq")
    }
    assert [text for text, is_found in found.items() if not is_found] == ["ab", "p\nq"]
    assert found == {text: any(each.search(text) for each in patterns) for text in found}


def test_a_pattern_that_would_backtrack_endlessly_is_matched_quickly():
    started = time.process_time()
    assert compile_pattern(r"^(?:a+)+$").search("a" * 50_000 + "b") is None
    assert time.process_time() - started < 2


def test_only_listed_modules_use_a_backtracking_engine():
    used = re.compile(r"\bre\.(?:compile|subn?|search|match|fullmatch|split|findall|finditer)\(")
    root = Path(__file__).resolve().parents[3]
    modules = (path for package in PACKAGES for path in (root / package).rglob("*.py"))
    found = {str(path.relative_to(root)) for path in modules if used.search(path.read_text())}
    assert found == BACKTRACKING.keys()
