"""Sentences of a message with their place in it, and which part of each is a statement."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

LONGEST = 600
SHORTEST_TAIL = 8

# "… in English.번역하기": scripts of East Asia need no space after a full stop.
_END = re.compile(
    r"[.!?…]+[\"'”\u2019)\]*_]*(?=\s|$)|(?<=[^\W\d_])[.!?](?=[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])"
    r"|[。！\uff1f]+[”」）]?|\n+|;\s|；"
)
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:[A-HJ-Z]|Dr|Mr|Mrs|Ms|Prof|St|Sr|Jr|vs|etc|e\.g|i\.e|approx|Nr|Str|bzw|z\.B|ca|Mt"
    r"|Ave|Inc|Ltd|Co|a\.m|p\.m|U\.S|U\.K|U\.S\.A|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)$"
)
_GERMAN_MONTH = re.compile(
    r"\s(?:Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember)\b"
)
_CLAUSE = re.compile(r"[,:，、\uff1a—–]\s*|\s-+\s|\s(?=(?:and|but|so|or|und|aber|y|pero|et|mais|и|а|но)\s)")
_GOES_ON = re.compile(r"(?:his|her|its|their|he|she|it|they)(?:['\u2019]s)?\s", re.IGNORECASE)
_ASKING = re.compile(
    r"(?:and |but |so |or |und |aber |y |pero |et |mais |и |а |но |then |also |please |hey |hi )*"
    r"(?:can|could|do|does|did|what|what['\u2019]s|which|who|whose|how|how['\u2019]s|where|where['\u2019]s|when|why"
    r"|is|are|am|was|were|should|would|will|shall|may|might|any|have|has|had|isn['\u2019]t|aren['\u2019]t"
    r"|don['\u2019]t you|know any|got any|right|ok|okay|ever|anyone|anybody|thoughts|ideas|suggestions|recommendations|tips|sounds?|you think|makes? sense|worth it|good idea|got it|you know|ладно|хорошо|договорились|vale|d['\u2019]accord|gell|einverstanden"
    r"|kennst|kennt ihr|tu connais|vous connaissez|tu sais|tu as|kann|kannst|können|könnte|könntest|was|welche|welcher|welches|wer|wie|wo|wann|warum|wieso"
    r"|gibt|hast|habt|bist|soll|sollte|weißt"
    r"|puedes|podrías|qué|cuál|quién|cómo|dónde|cuándo|por qué|hay|tienes|sabes|debería|conoces"
    r"|peux|pourrais|que|quel|quelle|quels|qui|comment|où|quand|pourquoi|est-ce|y a-t-il|as-tu"
    r"|connais|можешь|можете|что|какой|какая|какие|кто|как|где|когда|почему|есть ли|ли|знаешь"
    r"|посоветуй|подскажи|¿)(?:[\s\-?\uff1f]|$)|¿",
    re.IGNORECASE,
)
_ASKING_ZH = re.compile(
    r"吗|嗎|呢|什么|什麼|怎么|怎麼|哪|谁|誰|几|幾|多少|为何|為何|为什么|為什麼|能不能|可不可以|可以推荐|有没有|有沒有|请问|請問"
)

# What follows a question as a statement: "can you draft a note, I've got the dentist on Monday".
_TAIL = re.compile(
    r"(?:[,;\u2013\u2014]|\s-+)\s*(?:and |but |because |cause |cuz |since |as |so |btw |by the way,? )*"
    r"(?=(?:I['\u2019]?m|I am|I['\u2019]?ve|I have|I had|I used to|I (?:currently |also |only |never |always |usually |really )?"
    r"(?:work|live|study|play|speak|teach|drive|run|own|use|hate|love|prefer|grew|moved|started|don['\u2019]?t|can['\u2019]?t|eat|keep|do|coach|bake|cook|cycle|commute|quit|turned|turn)"
    r"|we['\u2019]?re|we are|we['\u2019]?ve|we have|we (?:live|own|run|use|keep)|been \w+ing"
    r"|(?:my|our) [\w'\u2019 -]{2,40}? (?:is|are|has|have|turns|starts|was|lives|loves|hates|works|gets))\b)",
    re.IGNORECASE,
)
# A question about what is not so, or words that are to be put into a text.
_SUPPOSED = re.compile(
    r"[\"\u201c\u201d:\u00ab]|\b(?:if|suppose|imagine|pretend|whether|unless|say(?:s|ing)?|said|tell(?:s|ing)?|told|think|mean|that|when|act as)\b",
    re.IGNORECASE,
)

_LAST_WORDS = re.compile(
    r"(?:,|\s[-\u2013\u2014]+|[;:\u2014])\s+(?!(?:I|my|we|our|right|no|yes|correct|he|she|it|they|and|or|then)\b)(?:[\w'\u2019/&-]+ ){0,4}[\w'\u2019/&-]+ ?[?\uff1f]+\W*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence's `text` and where it starts; `stated` characters of it are a statement."""

    text: str
    start: int
    stated: int


def sentences(text: str) -> Iterator[Sentence]:
    """The non-empty sentences of `text` in order; overlong ones are cut at `LONGEST` characters."""
    for found in _parted(text):
        yield found
        yield from _tail(found)


def pairs(text: str) -> Iterator[Sentence]:
    """Each sentence together with the next one, where that goes on about somebody just named as
    "she", "he" or "it". Nothing of either is a question."""
    found = list(sentences(text))
    for one, other in pairwise(found):
        whole = all(part.stated == len(part.text) for part in (one, other))
        if whole and _GOES_ON.match(other.text):
            end = other.start + len(other.text)
            yield Sentence(text[one.start : end], one.start, end - one.start)


def contexts(text: str) -> Iterator[Sentence]:
    """Each sentence together with the one before it, questions too: for what is told in passing
    while something is asked, and for what is said of a thing that was named just before."""
    before = None
    for one in _parted(text):
        start = before.start if before else one.start
        end = one.start + len(one.text)
        yield Sentence(text[start:end], start, end - start)
        before = one


def _parted(text: str) -> Iterator[Sentence]:
    begin = 0
    for end in _ends(text):
        found = _sentence(text, begin, end)
        if found is not None:
            yield found
        begin = end


def _ends(text: str) -> Iterator[int]:
    for mark in _END.finditer(text):
        if mark[0] != "." or not _abbreviates(text, mark):
            yield mark.end()
    yield len(text)


def _abbreviates(text: str, mark: re.Match[str]) -> bool:
    before = max(0, mark.start() - 8)
    return bool(
        _ABBREVIATION.search(text, before, mark.start())
        or (text[mark.start() - 1 : mark.start()].isdigit() and _GERMAN_MONTH.match(text, mark.end()))
    )


def _sentence(text: str, begin: int, end: int) -> Sentence | None:
    whole = text[begin:end]
    kept = whole.strip(" \t\r\n*_-•·>#")
    if not kept:
        return None
    start = begin + whole.index(kept)
    kept = kept[:LONGEST]
    return Sentence(kept, start, _stated(kept))


def _tail(sentence: Sentence) -> Iterator[Sentence]:
    """What is stated after the question in a sentence, as a sentence of its own."""
    asked = sentence.text[sentence.stated :]
    cut = _TAIL.search(asked)
    if cut is None or _SUPPOSED.search(asked, 0, cut.start()):
        return
    told = asked[cut.end() :].rstrip("?\uff1f ")
    stated = _stated(told)
    if stated >= SHORTEST_TAIL:
        yield Sentence(told, sentence.start + sentence.stated + cut.end(), stated)


def _stated(sentence: str) -> int:
    """How much of the sentence comes before a question begins."""
    asked = sentence.rstrip("\"'”\u2019)]*_ ")
    if not asked.endswith(("?", "\uff1f")) and not _asks_without_mark(sentence):
        return len(sentence)
    cuts = [0, *(cut.end() for cut in _CLAUSE.finditer(sentence))]
    for cut in cuts:
        clause = sentence[cut:]
        first_part = _CLAUSE.split(clause, maxsplit=1)[0]
        if _ASKING.match(clause) or _ASKING_ZH.search(first_part):
            return cut
    return _before_last_words(sentence)


def _before_last_words(sentence: str) -> int:
    """How much comes before a question of a few words: "type 1, off to Oslo on Friday, tips?"."""
    last = _LAST_WORDS.search(sentence)
    return last.start() if last else 0


def _asks_without_mark(sentence: str) -> bool:
    """Chat often drops the mark: "do I live in …", "what's my name"."""
    return bool(_ASKS_ME.match(sentence))


_ASKS_ME = re.compile(
    r"(?!what (?:I|we) (?:really |actually |truly )?(?:love|like|enjoy|hate|want|need|dislike|prefer|can['\u2019]t)\b|what (?:I|we)['\u2019](?:m|re) (?:really |actually |ultimately )?(?:working|aiming|saving|training|after|hoping|building|dreaming)\b)"
    r"(?!when\s+(?:i|my|we|our|you)\b[^?\n]{3,120}?(?:,|\b(?:I|we)['\u2019](?:ll|m|ve|d|re)\b|\b(?:I|we) (?:always|usually|want|plan|hope|tend|use|take|make|go)\b))"
    r"(?!(?:should|were|had)\s+(?:i|we)\b[^?\n,]{3,90},\s*(?:(?:i|we)(?:['\u2019](?:m|ll|d|re|ve))?|my|our)\s)"
    r"(?:do|does|did|am|was|can|could|should|would|will|where|what|who|when|why|how|which"
    r"|is|are|what['\u2019]s)\s+(?:do |am |did |should |can |is |was |are )?(?:i|my|we|our|you)\b",
    re.IGNORECASE,
)
