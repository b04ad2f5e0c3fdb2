"""Choose the wing of a window: its project, the wing its title names, or a broad subject.

A word indicates a subject if it begins with one of its stems; Chinese stems count wherever they occur.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from memory.mining.phrases import content_words
from memory.mining.topics import word_weights
from memory.mining.transcripts import Transcript, Turn
from memory.mining.types import WingGuess
from memory.text.names import slugify
from memory.text.tables import table_of

OTHER = "General"
MAX_NAME_LENGTH = 60
MAX_INPUT_LENGTH = 4_000

_MEANINGLESS = re.compile(
    r"\s*(?:|(?:new |neuer? |nouvelle? |nuev[oa] |新)?(?:chat|conversation|dialog(?:ue)?|thread"
    r"|session|unterhaltung"
    r"|conversaci[oó]n|对话|聊天|чат)|untitled(?: \w+)?|no title|general|default|test|hi|hello|hey|unknown"
    r"|help|question|none|null|\W*)(?:\s*[#(]?\d*\)?)?\s*",
    re.IGNORECASE,
)
_IDENTIFIER = re.compile(r"\s*(?:[0-9a-f-]{16,}|[\d\s:./_TZ-]+)\s*", re.IGNORECASE)
_TITLE_PREFIX = re.compile(
    r"^(?:(?:help|advice|questions?|tips|ideas|info(?:rmation)?|assistance)\s+(?:with|on|about"
    r"|for|regarding)\s+"
    r"|how (?:to|do i|can i)\s+|what (?:is|are)\s+|(?:discussion|chat|conversation) (?:about|on)\s+|re:\s*)",
    re.IGNORECASE,
)


def wing_of(
    transcript: Transcript,
    turns: Sequence[Turn],
    known: Sequence[WingGuess],
) -> WingGuess:
    """The project if there is one, else a known wing that the title names, else the broad subject of the
    user's words: a single chat does not make a subject."""
    if transcript.project.strip():
        return WingGuess("project", _truncate(transcript.project))
    title = _from_title(transcript.title)
    named = known_wing(title, known) if title else None
    if named is not None:
        return named
    said = " ".join(turn.content[:MAX_INPUT_LENGTH] for turn in turns if turn.role == "user")
    subject = subject_of(word_weights(turns), content_words(title), f"{title} {said}") or OTHER
    return known_wing(subject, known) or WingGuess("topic", subject)


def known_wing(name: str, known: Sequence[WingGuess]) -> WingGuess | None:
    """The known wing of this name, or else the longest one whose words all occur in it."""
    slug = slugify(name)
    for wing in known:
        if slugify(wing.name) == slug:
            return wing
    words = set(content_words(name))
    names = {wing: set(content_words(wing.name)) for wing in known if slugify(wing.name) != slugify(OTHER)}
    contained = [wing for wing, own in names.items() if own <= words and any(len(word) > 3 for word in own)]
    return max(contained, key=lambda wing: len(wing.name), default=None)


def _from_title(title: str) -> str:
    if _MEANINGLESS.fullmatch(title) or _IDENTIFIER.fullmatch(title):
        return ""
    bare = _TITLE_PREFIX.sub("", title.strip()).strip(" .?!\"'")
    return bare[:1].upper() + bare[1:] if content_words(bare) else ""


def _truncate(name: str) -> str:
    clean = " ".join(name.split())
    if len(clean) <= MAX_NAME_LENGTH:
        return clean
    return clean[:MAX_NAME_LENGTH].rpartition(" ")[0] or clean[:MAX_NAME_LENGTH]


MIN_WORDS = 2
TITLE_WEIGHT = 3

STEMS: Mapping[str, str] = table_of(__file__)

_ALPHABETIC: dict[str, list[tuple[str, str]]] = {}
_DENSE: list[tuple[str, str]] = []
_IS_DENSE = re.compile(r"[\u3400-\u9fff]")

for _subject, _stems in STEMS.items():
    for _stem in _stems.split():
        if _IS_DENSE.search(_stem):
            _DENSE.append((_stem, _subject))
        else:
            _ALPHABETIC.setdefault(_stem[:2], []).append((_stem, _subject))

_MAX_SHORT_STEM = 3


def subject_of(weights: Mapping[str, int], title_words: Iterable[str], text: str) -> str:
    """The subject that most words indicate, or "" if too few do. `weights` are those of the content words
    that were said; title words count three times. Chinese stems are counted in `text` itself, since its
    words are not separated. The first subject wins a tie."""
    counted = Counter({word.casefold(): weight for word, weight in weights.items()})
    counted.update({word.casefold(): TITLE_WEIGHT for word in title_words})
    scores: dict[str, float] = dict.fromkeys(STEMS, 0.0)
    matched: dict[str, set[str]] = {subject: set() for subject in STEMS}
    for word, weight in counted.items():
        for subject in _subjects_of(word):
            scores[subject] += weight
            matched[subject].add(word)
    for stem, subject in _DENSE if _IS_DENSE.search(text) else ():
        if stem in text:
            scores[subject] += TITLE_WEIGHT * text.count(stem)
            matched[subject].add(stem)
    eligible = [subject for subject in STEMS if len(matched[subject]) >= MIN_WORDS]
    return max(eligible, key=lambda subject: scores[subject], default="")


def _subjects_of(word: str) -> set[str]:
    return {
        subject
        for stem, subject in _ALPHABETIC.get(word[:2], ())
        if (word in (stem, f"{stem}s") if len(stem) <= _MAX_SHORT_STEM else word.startswith(stem))
    }
