"""Tokenize text of any script for full-text search, the same way for documents and queries.

The output holds only letters, digits, spaces and decimal points, so that PostgreSQL's default parser
splits it exactly as intended, whatever the database's locale.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from threading import local

import Stemmer

from memory.text.sanitizing import normalise
from memory.text.stop_words import COMMON_CHARACTERS, COMMON_WORDS

MAX_WORD_LENGTH = 64
MAX_QUERY_WORDS = 32

_JOINERS = frozenset("._-@+#'&/:,=%~\u2019\u2010\u2011")
_SPLIT = re.compile("[" + re.escape("".join(_JOINERS)) + "]+")
_PATH = re.compile("[/=:~%]+")
_EDGES = "._-@,'&\u2019\u2010\u2011"
_UNGLUED = re.compile("[,#'\u2019]")
_THOUSANDS = re.compile(r"\d{1,3}(?:[.,]\d{3})+")
_DECIMAL = re.compile(r"(\d+)[.,](\d+)")
_CAMEL = re.compile(r"(?<=[a-z\d])(?=[A-Z][a-z])")
_LANGUAGE_NAME = ((re.compile(r"\+\+$"), "plusplus"), (re.compile(r"(?<=\w)#$"), "sharp"))
_CONTRACTION = re.compile(r"(?:n['\u2019]t|['\u2019](?:s|m|re|ve|ll|d))(?![^\W_])", re.IGNORECASE)

# Han, kana, hangul, Thai, Lao, Burmese, Khmer: written without spaces, or with long endings.
_DENSE = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f"
    "\u3400-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
)
DENSE_RUN = re.compile(f"[{_DENSE}]+")
_HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_CYRILLIC = re.compile("[\u0400-\u04ff]+")
_ARABIC_ARTICLE = re.compile("^[\u0648\u0628\u0643\u0641]?\u0627\u0644(?=[\u0621-\u064a]{3})")
_FOLDABLE = re.compile("([A-Za-z\u0370-\u03ff])[\u0300-\u036f]+")
_FLAG = re.compile("([\U0001f1e6-\U0001f1ff])([\U0001f1e6-\U0001f1ff])")

_QUOTED = re.compile(
    '"([^"\\n]{2,200})"|[“„]([^“”„\\n]{2,200})[”“]|«([^«»\\n]{2,200})»|「([^「」\\n]{1,200})」'
    "|『([^『』\\n]{1,200})』|(?<!\\w)['‘]([^\\n]{2,100}?)['’](?!\\w)"
)
_CAPITAL = "[A-Z\u00c0-\u00d6\u00d8-\u00de\u0410-\u042f\u0401]"
_NAME_WORD = rf"{_CAPITAL}[^\W_]*(?:['’.&-][^\W_]+)*"
_LINK = "(?:of|the|de|del|della|di|da|do|dos|van|von|der|den|la|le|el|al|bin)"
_TITLE = r"(?:(?:Dr|Mr|Mrs|Ms|St|Prof|Mme|Sr|Sra)\. )?"
_NAME = re.compile(rf"(?<![\w@#/]){_TITLE}{_NAME_WORD}(?: (?:{_LINK} ){{0,2}}{_TITLE}{_NAME_WORD})*")
_SENTENCE_END = re.compile(r"(?:^|[.!?:;…。！？\n\"“«(>*-])\s*$")


class _Characters(dict[int, str]):
    """The replacement of each character, computed on first use."""

    def __missing__(self, code: int) -> str:
        self[code] = found = _replacement(chr(code))
        return found


_LETTERS = {
    "ß": "ss", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ð": "d", "þ": "th",
    "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "ı": "i", "ё": "е", "Ё": "Е",
    "أ": "ا", "إ": "ا", "آ": "ا", "ٱ": "ا", "ى": "ي", "ی": "ي", "ئ": "ي", "ؤ": "و", "ة": "ه",
    "ک": "ك", "\u0640": "",
}  # fmt: skip
_CHARACTERS = _Characters({ord(letter): plain for letter, plain in _LETTERS.items()})
_stemmers = local()


def index_text(text: str, limit: int = 200_000) -> str:
    """`text` as words for `to_tsvector('english', …)`, cut to `limit` characters to stay below
    PostgreSQL's limit; only the beginning of a longer text is indexed."""
    prepared = " ".join(_words(text[:limit], thorough=True))
    return prepared if len(prepared) <= limit else prepared[:limit].rpartition(" ")[0]


def query_words(text: str, limit: int = MAX_QUERY_WORDS) -> tuple[str, ...]:
    """The distinct words of a query in order, prepared as `index_text` does. Beyond `limit`, stop words
    are dropped first."""
    words = tuple(dict.fromkeys(_words(text[:20_000], thorough=False)))
    if len(words) > limit:
        rare = (word for word in words if word not in COMMON_WORDS)
        words = tuple(word for word in rare if len(word) > 1 or not DENSE_RUN.match(word))
    return words[:limit]


def stem(word: str, algorithm: str) -> str:
    """The Snowball stem of a lower-case word; thread-safe."""
    known = getattr(_stemmers, algorithm, None)
    if known is None:
        known = Stemmer.Stemmer(algorithm)
        setattr(_stemmers, algorithm, known)
    return str(known.stemWord(word))


def quoted_phrases(text: str) -> tuple[str, ...]:
    """Quoted passages in any style of quotation marks, in order and without the marks."""
    found = ("".join(filter(None, match.groups())).strip() for match in _QUOTED.finditer(text))
    return tuple(dict.fromkeys(phrase for phrase in found if phrase))


def proper_names(text: str) -> tuple[str, ...]:
    """Distinct runs of capitalised Latin or Cyrillic words that look like names, in order."""
    if text.isupper():
        return ()
    names = (_without_common_start(match, text) for match in _NAME.finditer(text))
    return tuple(dict.fromkeys(name for name in names if name))


def _words(text: str, *, thorough: bool) -> Iterator[str]:
    for token in _normalised(text).split():
        for word in _token_words(token, thorough=thorough):
            yield word[:MAX_WORD_LENGTH]


def _normalised(text: str) -> str:
    if not text.isascii():
        # NFKC can expand one character to eighteen, so bound the length again.
        text = normalise("NFKC", text)[: len(text)]
        text = _FOLDABLE.sub(r"\1", normalise("NFD", text))
        text = normalise("NFC", text)
        text = _FLAG.sub(lambda pair: f" emoji{ord(pair[1]):x}{ord(pair[2]):x} ", text)
    return text.translate(_CHARACTERS)


def _replacement(char: str) -> str:
    category = unicodedata.category(char)
    if category in {"Mn", "Mc"}:
        return "" if _is_silent(char) else char
    if category == "Nd":
        return str(unicodedata.digit(char))
    if category.startswith(("L", "N")) or char in _JOINERS:
        return char
    if char in "\u00ad\u200d\u2060\ufeff\u200b":
        return ""
    is_pictograph = "\U0001f000" <= char <= "\U0001faff" and category != "Sk"
    is_emoji = is_pictograph or (category == "So" and "\u2190" <= char <= "\u2bff")
    return f" emoji{ord(char):x} " if is_emoji else " "


def _is_silent(mark: str) -> bool:
    """Vowel points, accents and variation selectors, which do not change the word."""
    return (
        "\u0591" <= mark <= "\u06ed"
        or "\u0300" <= mark <= "\u036f"
        or "\ufe00" <= mark <= "\ufe0f"
        or mark >= "\U000e0000"
    )


def _token_words(token: str, *, thorough: bool) -> Iterator[str]:
    plain = token.strip(_EDGES + "/=:~%")
    if plain.isascii() and plain.isalnum():
        yield plain.lower()
        if thorough and not plain.islower():
            yield from _camel_parts(plain)
        return
    position = 0
    for run in DENSE_RUN.finditer(token):
        yield from _compound(token[position : run.start()], thorough=thorough)
        yield from _bigrams(run[0], thorough=thorough)
        position = run.end()
    yield from _compound(token[position:], thorough=thorough)


def _bigrams(run: str, *, thorough: bool) -> Iterator[str]:
    """Overlapping character pairs, and single Han characters; queries skip grammatical characters."""
    if len(run) == 1:
        yield run
        return
    yield from (run[i : i + 2] for i in range(len(run) - 1))
    yield from (char for char in _HAN.findall(run) if thorough or char not in COMMON_CHARACTERS)


def _compound(token: str, *, thorough: bool) -> Iterator[str]:
    for piece in _PATH.split(token):
        bare = piece.strip(_EDGES)
        if _THOUSANDS.fullmatch(bare):
            yield re.sub("[.,]", "", bare)
        elif decimal := _DECIMAL.fullmatch(bare):
            yield f"{decimal[1]}.{decimal[2]}"
        elif bare:
            yield from _joined_words(_CONTRACTION.sub("", bare), thorough=thorough)


def _joined_words(token: str, *, thorough: bool) -> Iterator[str]:
    parts = [part for part in _SPLIT.split(token) if part]
    for part in parts:
        yield _base_form(part)
        if thorough:
            yield from _camel_parts(part)
    for ending, name in _LANGUAGE_NAME:
        if parts and ending.search(token):
            yield parts[-1].casefold() + name
    if 1 < len(parts) <= 6 and not _UNGLUED.search(token) and not "".join(parts).isdigit():
        yield "".join(parts).casefold()


def _camel_parts(word: str) -> Iterator[str]:
    parts = _CAMEL.split(word)
    if len(parts) > 1:
        yield from (part.lower() for part in parts)


@lru_cache(maxsize=50_000)
def _base_form(word: str) -> str:
    """The word in lower case, stemmed where PostgreSQL's English dictionary would not."""
    folded = word.casefold()
    if _CYRILLIC.fullmatch(folded):
        return stem(folded, "russian")
    return _ARABIC_ARTICLE.sub("", folded)


def _without_common_start(match: re.Match[str], text: str) -> str:
    words = match[0].removesuffix("'s").removesuffix("’s").split(" ")
    begins = bool(_SENTENCE_END.search(text, max(0, match.start() - 8), match.start()))
    while words and (words[0].split("'")[0].split("’")[0].casefold() in COMMON_WORDS):
        if not begins and len(words) > 1 and words[0] != "I":
            break
        words = words[1:]
    while words and words[0].islower():
        words = words[1:]
    return " ".join(words)
