"""Find the words a text is about, and the phrase that names its subject best."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from memory.text.patterns import UNSPACED, table_of, word_lists
from memory.text.stop_words import COMMON_WORDS

MAX_INPUT_LENGTH = 4_000
MAX_PHRASE_LENGTH = 3
LENGTH_BONUS = 0.3

_LISTS = word_lists(table_of(__file__))
_LISTED = COMMON_WORDS | _LISTS["small"]
STOPWORDS = _LISTED | {word.replace("'", "") for word in _LISTED}
_VAGUE = STOPWORDS | _LISTS["vague"]

# Characters that end a phrase in Chinese and Japanese, which have no spaces.
PHRASE_BREAKS = frozenset(
    "的了是在我你他她它们这那有和与或就都也很不吗呢吧啊呀把被对从到给让会能可以要想说去来做用什么怎样如何"
    "为因所个些上下中里请问最好一二三还没过得地着"
    "のはがをにでともやへよねかなだですます"
)

_TOKEN = re.compile(r"[^\W_](?:[\w'\u2019+#.-]*[\w+#])?")
# The article or pronoun in "l'école", "qu'il" or "dell'arte".
_ELISION = re.compile(
    r"^(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|(?:d|n)?[ae]ll|sull)['\u2019](?=\w{2})", re.IGNORECASE
)
_UNSPACED = re.compile(f"[{UNSPACED}]+")
_NUMBER = re.compile(r"[\d.,:-]+$")
_BREAK = re.compile(r"[^\s\w'\u2019+#.-]|[.](?=\s|$)|\n")
_SHORT = {"ai", "c", "r", "go", "tv", "uk", "us", "ui", "ux", "c#", "pc", "ml"}


def content_words(text: str) -> list[str]:
    """The words of `text` that say what it is about, in order, casefolded and singular; for Chinese and
    Japanese, pairs of characters. Reads the first 4,000 characters."""
    return [form for form, _ in _forms(text[:MAX_INPUT_LENGTH]) if form]


def key_phrase(texts: Iterable[str], weights: Mapping[str, int]) -> str:
    """The best name for the subject of `texts`: up to three adjacent words as written, capitalised; ""
    if there are none. `weights` says how much each content word counts, words without a weight are in no
    name, and the first wins a tie."""
    name, best_score = "", 0.0
    for text in texts:
        for words in _candidates(text[:MAX_INPUT_LENGTH]):
            forms = {form for form, _ in words}
            if not forms <= weights.keys():
                continue
            score = sum(weights[form] for form in forms) / (len(words) + 0.5)
            score *= 1.0 + LENGTH_BONUS * (len(forms) - 1)
            if score > best_score:
                spelled = [written for _, written in words]
                joint = "" if all(map(_UNSPACED.fullmatch, spelled)) else " "
                name, best_score = joint.join(spelled), score
    name = name.removesuffix("'s").removesuffix("\u2019s")
    return name[:1].upper() + name[1:]


def _candidates(text: str) -> Iterator[list[tuple[str, str]]]:
    for part in _BREAK.split(text):
        run: list[tuple[str, str]] = []
        for form, written in [*_forms(part), ("", "")]:
            if form:
                run.append((form, written))
                continue
            yield from _runs(run)
            run = []


def _runs(run: list[tuple[str, str]]) -> Iterator[list[tuple[str, str]]]:
    for begin in range(len(run)):
        for length in range(1, MAX_PHRASE_LENGTH + 1):
            if begin + length <= len(run):
                yield run[begin : begin + length]


def _forms(text: str) -> Iterator[tuple[str, str]]:
    """Each word as compared and as written; an empty form ends a phrase."""
    plain = text.isascii()
    for token in _TOKEN.finditer(text):
        word = _ELISION.sub("", token[0].strip("'\u2019.-"))
        if not plain and _UNSPACED.search(word):
            yield from _dense_forms(word)
        else:
            yield _form(word), word


@lru_cache(maxsize=50_000)
def _form(word: str) -> str:
    plain = word.casefold().replace("\u2019", "'").removesuffix("'s")
    if (
        plain.endswith("n't")
        or plain.partition("'")[0] in _VAGUE
        or _NUMBER.match(plain)
        or (len(plain) < 3 and plain not in _SHORT)
    ):
        return ""
    if plain.endswith("ies") and len(plain) > 5:
        return plain[:-3] + "y"
    singular = plain.endswith("s") and not plain.endswith(("ss", "us", "is")) and len(plain) > 3
    return plain[:-1] if singular else plain


def _dense_forms(word: str) -> Iterator[tuple[str, str]]:
    for run in _UNSPACED.findall(word):
        begin = 0
        for end, char in enumerate([*run, "的"]):
            if char in PHRASE_BREAKS:
                piece = run[begin:end]
                yield from ((piece[at : at + 2], piece[at : at + 2]) for at in range(0, len(piece) - 1, 2))
                yield "", ""
                begin = end + 1
