"""Stems and other forms of inflected words, added to the index and to queries.

English is left to PostgreSQL's dictionary, and unspaced scripts to character pairs.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from memory.text.languages import language_of
from memory.text.patterns import table_of, word_lists
from memory.text.sanitizing import normalise
from memory.text.stop_words import FUNCTION_WORDS, GRAMMAR_RUNS, GRAMMAR_WORDS
from memory.text.tokenization import MAX_QUERY_WORDS, index_text, query_words, stem

_ALGORITHMS = {
    "ar": "arabic", "da": "danish", "de": "german", "el": "greek", "es": "spanish",
    "fr": "french", "hi": "hindi", "it": "italian", "nl": "dutch", "pl": "polish",
    "pt": "portuguese", "ru": "russian", "sv": "swedish", "tr": "turkish",
}  # fmt: skip
_BY_SCRIPT = (
    (re.compile("[\u0621-\u064a]+"), "ar"),
    (re.compile("[\u0900-\u097f]+"), "hi"),
    (re.compile("[\u0370-\u03ff]+"), "el"),
)
_LATIN = re.compile("[a-z\u00df-\u024f]+")
_MIN_LENGTH = 3
_MAX_LENGTH = 40

_PARTICIPLE = re.compile(
    "(?:ab|an|auf|aus|bei|durch|ein|fest|her|hin|los|mit|nach|um|vor|weg|zu|zurück|zusammen)?"
    "(?:ge|zu)(?P<stem>.{3,}?)(?:en|e?t)"
)
_PAST = re.compile("(?<=...)t(?:e|en|est|et)?$")
_ARABIC_WEAK = re.compile("[اويءأإؤئآىة]")
_ARABIC_PREFIXES = "متن"
_MIN_CONSONANTS = 3

FORMS = "|"
"""Separates the forms of one query word."""

_WORD = re.compile(r"[^\W\d_]+")
_WITHOUT_STEMS = frozenset({"en", "ru", "zh", "ja", "ko", "th"})
_NO_WORDS: frozenset[str] = frozenset()
_GRAMMAR = {language: re.compile(runs) for language, runs in GRAMMAR_RUNS.items()}

HEADS, PREFIXES = word_lists(table_of(__file__)).values()
# Letters that link the members of a compound.
LINKS = ("s", "n", "en")


@lru_cache(maxsize=50_000)
def forms(word: str, language: str) -> tuple[str, ...]:
    """The other forms under which a lower-case word with accents is indexed and searched in a language;
    empty without a stemmer for it."""
    if not _MIN_LENGTH <= len(word) <= _MAX_LENGTH:
        return ()
    word_language = _language_of_word(word, language)
    if word_language not in _ALGORITHMS:
        return ()
    found = (_without_accents(form) for form in _forms(word, word_language))
    return tuple(form for form in dict.fromkeys(found) if len(form) >= _MIN_LENGTH - 1)


def _language_of_word(word: str, language: str) -> str:
    for script, code in _BY_SCRIPT:
        if script.fullmatch(word):
            return code
    return language if _LATIN.fullmatch(word) and language not in {"ar", "hi", "el", "ru"} else ""


def _forms(word: str, language: str) -> Iterator[str]:
    yield stem(word, _ALGORITHMS[language])
    if language == "de":
        yield from _german(word)
    elif language == "ar":
        yield from _arabic(word)


def _german(word: str) -> Iterator[str]:
    if participle := _PARTICIPLE.fullmatch(word):
        yield stem(participle["stem"], "german")
    short = stem(word, "german")
    if _PAST.search(word) and short.endswith("t"):
        yield short[:-1]
    yield from _parts(short)


def _parts(word: str) -> Iterator[str]:
    """The stems of a compound's members, if the last one is a known head."""
    for length in range(min(len(word) - _MIN_LENGTH, 12), 2, -1):
        head, rest = word[-length:], stem(word[:-length], "german")
        if head in HEADS and rest not in PREFIXES:
            bare = next((rest[: -len(end)] for end in LINKS if rest.endswith(end)), rest)
            yield from (head, bare)
            yield from _parts(bare)
            return


def _arabic(word: str) -> Iterator[str]:
    """The root consonants, which a singular shares with its broken plural and a verb with its noun."""
    consonants = _ARABIC_WEAK.sub("", stem(word, "arabic"))
    while len(consonants) > _MIN_CONSONANTS and consonants[0] in _ARABIC_PREFIXES:
        consonants = consonants[1:]
    if len(consonants) >= _MIN_CONSONANTS:
        yield consonants


def _without_accents(word: str) -> str:
    letters = normalise("NFD", word.replace("ß", "ss"))
    return "".join(letter for letter in letters if not "\u0300" <= letter <= "\u036f")


def filed_forms(text: str, limit: int = 60_000) -> str:
    """The other forms of a text's words, indexed after the words themselves. Empty for English and
    languages without a stemmer."""
    language = language_of(text, evidence=1)
    if language in _WITHOUT_STEMS:
        return ""
    normal = normalise("NFKC", text[:limit])[:limit]  # it can expand one character to eighteen
    words = _WORD.findall(normal.lower())
    function_words = _function_words(language)
    found = (form for word in words if word not in function_words for form in forms(word, language))
    return " ".join(found)[:limit]


def search_terms(text: str) -> tuple[str, ...]:
    """The words of a question as `query_words` prepares them, each with its other forms
    (`fahrrader|fahrrad`). Outside English, function words are dropped."""
    language = language_of(text)
    if language in {"en", ""}:
        return query_words(text)
    content = _content_text(text, language)
    terms = tuple(dict.fromkeys(_terms(content, language)))
    return terms[:MAX_QUERY_WORDS] or query_words(text)


def _content_text(text: str, language: str) -> str:
    normal = normalise("NFKC", text[:20_000])[:20_000]
    if language in _GRAMMAR:
        return _GRAMMAR[language].sub(" ", normal)
    function_words = _function_words(language)
    return _WORD.sub(lambda word: " " if word[0].lower() in function_words else word[0], normal)


def _function_words(language: str) -> frozenset[str]:
    return FUNCTION_WORDS.get(language) or GRAMMAR_WORDS.get(language, _NO_WORDS)


def _terms(text: str, language: str) -> Iterator[str]:
    for token in text.split():
        other = {index_text(word): forms(word, language) for word in _WORD.findall(token.lower())}
        for word in query_words(token):
            yield FORMS.join(dict.fromkeys((word, *other.get(word, ()))))
