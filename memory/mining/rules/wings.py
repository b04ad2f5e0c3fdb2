"""Which wing a window belongs to."""

import re
from collections.abc import Sequence

from memory.mining.rules.phrases import content_words
from memory.mining.rules.subjects import subject_of
from memory.mining.rules.topics import word_weights
from memory.mining.transcripts import Transcript, Turn
from memory.mining.types import WingGuess
from memory.text.names import slugify

OTHER = "General"
LONGEST_NAME = 60
READ = 4_000

_MEANINGLESS = re.compile(
    r"\s*(?:|(?:new |neuer? |nouvelle? |nuev[oa] |新)?(?:chat|conversation|dialog(?:ue)?|thread|session|unterhaltung"
    r"|conversaci[oó]n|对话|聊天|чат)|untitled(?: \w+)?|no title|general|default|test|hi|hello|hey|unknown"
    r"|help|question|none|null|\W*)(?:\s*[#(]?\d*\)?)?\s*",
    re.IGNORECASE,
)
_IDENTIFIER = re.compile(r"\s*(?:[0-9a-f-]{16,}|[\d\s:./_TZ-]+)\s*", re.IGNORECASE)
_OPENING = re.compile(
    r"^(?:(?:help|advice|questions?|tips|ideas|info(?:rmation)?|assistance)\s+(?:with|on|about|for|regarding)\s+"
    r"|how (?:to|do i|can i)\s+|what (?:is|are)\s+|(?:discussion|chat|conversation) (?:about|on)\s+|re:\s*)",
    re.IGNORECASE,
)


def wing_of(
    transcript: Transcript,
    turns: Sequence[Turn],
    known: Sequence[WingGuess],
) -> WingGuess:
    """The project if there is one, else a known wing that the title names, else the broad subject
    that the user's words tell; one chat is no subject of its own."""
    if transcript.project.strip():
        return WingGuess("project", _cut(transcript.project))
    title = _from_title(transcript.title)
    named = known_wing(title, known) if title else None
    if named is not None:
        return named
    said = " ".join(turn.content[:READ] for turn in turns if turn.role == "user")
    subject = subject_of(word_weights(turns), content_words(title), f"{title} {said}") or OTHER
    return known_wing(subject, known) or WingGuess("topic", subject)


def known_wing(name: str, known: Sequence[WingGuess]) -> WingGuess | None:
    """The known wing of this name, else the longest one whose words are all part of it."""
    slug = slugify(name)
    for wing in known:
        if slugify(wing.name) == slug:
            return wing
    words = set(content_words(name))
    inside = [wing for wing in known if _is_inside(wing, words)]
    return max(inside, key=lambda wing: len(wing.name), default=None)


def _is_inside(wing: WingGuess, words: set[str]) -> bool:
    own = set(content_words(wing.name))
    if slugify(wing.name) == slugify(OTHER):
        return False
    return bool(own) and own <= words and max(map(len, own)) > 3


def _from_title(title: str) -> str:
    if _MEANINGLESS.fullmatch(title) or _IDENTIFIER.fullmatch(title):
        return ""
    bare = _OPENING.sub("", title.strip()).strip(" .?!\"'")
    return bare[:1].upper() + bare[1:] if content_words(bare) else ""


def _cut(name: str) -> str:
    clean = " ".join(name.split())
    if len(clean) <= LONGEST_NAME:
        return clean
    return clean[:LONGEST_NAME].rpartition(" ")[0] or clean[:LONGEST_NAME]
