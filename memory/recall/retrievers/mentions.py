"""Read from a question what it names (possible names, kin, profile keys) and whether it asks for advice."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memory.facts.vocabulary import canonical_key
from memory.text.kinship import KIN, Kinship
from memory.text.patterns import compile_words

MAX_NAME_LENGTH = 3
MAX_UNSPACED_LENGTH = 6
MAX_GRAMS = 240

_WORD = re.compile(r"[^\W_]+(?:[-'’.][^\W_]+)*[+#]*")
_UNSPACED = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]+")
_POSSESSIVE = re.compile(r"['’]s?$")
# Up to three words after "my".
_OWN_WORDS = (
    r"\b(?:my|our|meine?[nmrs]?|unsere?[nmrs]?|mis?|nuestr[oa]s?|mon|ma|mes|notre|nos|"
    r"мо(?:й|я|ё|е|и|его|ему|ей|ю|их|им|ими|ём)|наш\w*)\s+"
    r"(?P<what>[^\W_][\w'’-]*(?:\s+[^\W_][\w'’-]*){0,2})"
)

# Questions about oneself that name the thing by a verb, and the keys that answer them.
_KEY_QUESTION_WORDS = (
    (
        ("home_city",),
        r"\bwhere (?:do|did|am|was) i (?:\w+ )?liv|\bi (?:currently )?live\b|\bwo(?:hne| wohne|"
        r" lebe)? ich\b|\bich (?:wohne|lebe)\b|\b(?:dónde|donde) vivo\b|\bj['’]habite\b|"
        r"\bhabité-je\b|\bje vis\b|\bя живу\b|\bживу я\b|我住|我(?:现在)?在?哪(?:里|儿)?住|"
        r"我家在哪",
    ),
    (
        ("employer", "occupation"),
        r"\b(?:do|did) i work\b|\bwhere i work\b|\bi do for (?:a living|work)\b|\barbeite ich\b|"
        r"\bich arbeite\b|\b(?:dónde|donde) trabajo\b|\bde qué trabajo\b|\bje travaille\b|"
        r"\bя работаю\b|\bработаю я\b|我(?:现在)?(?:在哪(?:里|儿|家)?|做什么)?(?:工作|上班)",
    ),
    (
        ("university",),
        r"\b(?:do|did) i study\b|\bstudiere ich\b|\bestudio\b|\bj['’]étudie\b|\bя учусь\b|"
        r"我在哪(?:里|儿)?(?:上学|读书|学习)",
    ),
    (
        ("name",),
        r"\bi(?:'m| am) called\b|\bam i called\b|\bwho am i\b|\bheiße ich\b|\bich heiße\b|"
        r"\bme llamo\b|\bje m['’]appelle\b|\bменя зовут\b|我叫什么|我是谁",
    ),
    (
        ("age", "birthday"),
        r"\bhow old am i\b|\balt bin ich\b|\baños tengo\b|\bquel âge ai-je\b|\bмне лет\b|"
        r"我(?:今年)?几岁|我多大",
    ),
    (
        ("birthplace", "birthday"),
        r"\bwas i born\b|\bich geboren\b|\bnací\b|\bje suis née?\b|\bя родил(?:ся|ась)\b|"
        r"我(?:是)?(?:在)?哪\w*出生",
    ),
    (
        ("spouse", "marital_status"),
        r"\bi married to\b|\bich verheiratet\b|\bestoy casad[oa]\b|\bje suis mariée?\b|"
        r"\bя женат\b|\bя замужем\b",
    ),
)

# Requests for advice, for which unnamed preferences, constraints and goals matter.
_ADVICE_WORDS = (
    r"recommend\w*|suggest\w*|advi[cs]e|tips?|ideas?|inspiration|what should (?:i|we)|"
    r"should (?:i|we)|what (?:could|can) (?:i|we) (?:do|cook|make|eat|read|watch|buy|give|wear|try)|"
    r"where should|which \w+ should|help me (?:choose|pick|decide|find|plan)|plan (?:a|an|my|our)|"
    r"any (?:good|nice)|what to (?:do|cook|make|eat|read|watch|buy|give|wear|try)|"
    r"looking for (?:a|an|some)|"
    r"empfiehl\w*|empfehl\w*|vorschl\w+|schlag\w* .{0,20} vor|was soll(?:te)?n? (?:ich|wir)|tipps?|ideen?|"
    r"recom\w*nd\w*|recomiend\w*|sugier\w*|sugerencia\w*|qué (?:debería|puedo|podría)|aconsej\w*|ideas|"
    r"recommand\w*|conseill\w*|suggèr\w*|suggér\w*|propose\w*|que (?:devrais|dois|puis)-je|idées?|"
    r"посовет\w*|порекоменд\w*|рекоменд\w*|подскаж\w*|что мне|куда мне|предлож\w*|идеи?|идей"
)
_ADVICE_UNSPACED = (
    r"推荐|建议|适合我|该(?:怎么|吃|去|买|看|选|做)|应该(?:怎么|吃|去|买|看|选|做)|有什么好|帮我(?:选|挑|想)|"
    r"おすすめ|お勧め|オススメ|提案|추천"
)

_OWN = re.compile(_OWN_WORDS, re.IGNORECASE)
_KEY_QUESTIONS = tuple((re.compile(words, re.IGNORECASE), keys) for keys, words in _KEY_QUESTION_WORDS)
_ADVICE = compile_words(_ADVICE_WORDS, _ADVICE_UNSPACED)
_UNSPACED_KIN = {word: kin for word, kin in KIN["zh"].items() if len(word) > 1}
_SPACED_KIN = {word: kin for code in ("es", "fr", "de", "ru", "en") for word, kin in KIN[code].items()}


@dataclass(frozen=True, slots=True)
class Mentions:
    """What a question names: `grams`, word runs that may be names; `kin`, the owner's people and pets;
    and `keys`, the profile values it asks for."""

    grams: tuple[str, ...]
    kin: tuple[Kinship, ...]
    keys: tuple[str, ...]


def mentions_in(text: str) -> Mentions:
    """What a question names. Kin and keys are recognised in six languages, names in any script."""
    words = [_POSSESSIVE.sub("", word) for word in _WORD.findall(text)]
    grams = (*_runs(words), *_pieces(text))
    kin = tuple({found.label: found for found in _find_kin(text)}.values())
    # "My sister's job" asks for nothing of the owner's own.
    keys = () if kin else tuple(dict.fromkeys(_find_keys(text)))
    return Mentions(tuple(dict.fromkeys(grams))[:MAX_GRAMS], kin, keys)


def asks_for_advice(question: str) -> bool:
    """Whether a question asks for a recommendation."""
    return bool(_ADVICE.search(question))


def _runs(words: list[str]) -> Iterator[str]:
    """Runs of one to three words of at least three characters."""
    for length in range(MAX_NAME_LENGTH, 0, -1):
        for start in range(len(words) - length + 1):
            run = " ".join(words[start : start + length])
            if len(run) > 2:
                yield run


def _pieces(text: str) -> Iterator[str]:
    for run in _UNSPACED.findall(text):
        for length in range(min(MAX_UNSPACED_LENGTH, len(run)), 1, -1):
            yield from (run[start : start + length] for start in range(len(run) - length + 1))


def _find_kin(text: str) -> Iterator[Kinship]:
    for own in _OWN.finditer(text):
        named = [_POSSESSIVE.sub("", word) for word in _WORD.findall(own["what"].casefold())]
        for gram in _runs(named):
            found = _SPACED_KIN.get(gram) or _SPACED_KIN.get(gram.removesuffix("s"))
            if found is not None:
                yield found
                break
    yield from (kin for word, kin in _UNSPACED_KIN.items() if f"我{word}" in text or f"我的{word}" in text)


def _find_keys(text: str) -> Iterator[str]:
    for own in _OWN.finditer(text):
        named = _WORD.findall(own["what"])
        for length in range(len(named), 0, -1):
            yield canonical_key(" ".join(named[:length]))
    for pattern, keys in _KEY_QUESTIONS:
        if pattern.search(text):
            yield from keys
