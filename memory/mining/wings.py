"""Choose the wing of a window: its project, the wing its title names, or a broad subject.

A chat gets the subject whose examples in `wings.toml` are most similar to it. They are English; a model that
reads other languages compares chats in them as well.
"""

import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from llm.gateway import Embedder
from llm.types import Vectors
from memory.mining.phrases import content_words
from memory.mining.transcripts import Transcript, Turn
from memory.mining.types import WingGuess
from memory.text.languages import language_of
from memory.text.names import slugify
from memory.text.patterns import table_of

OTHER = "General"
MAX_NAME_LENGTH = 60
MAX_INPUT_LENGTH = 1_500
TITLE_WEIGHT = 0.5

SubjectOf = Callable[[str, str], str]
"""The broad subject of a chat, from its title and the user's words."""

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


def general(title: str, said: str) -> str:
    """The subject of a chat without an embedding model."""
    return OTHER


def wing_of(
    transcript: Transcript,
    turns: Sequence[Turn],
    known: Sequence[WingGuess],
    subject_of: SubjectOf = general,
) -> WingGuess:
    """The project if there is one, else a known wing that the title names, else the broad subject of the
    user's words: a single chat does not make a subject."""
    if transcript.project.strip():
        return WingGuess("project", _truncate(transcript.project))
    title = subject_in_title(transcript.title)
    named = known_wing(title, known) if title else None
    if named is not None:
        return named
    said = "\n".join(turn.content[:MAX_INPUT_LENGTH] for turn in turns if turn.role == "user")
    subject = subject_of(title, said[:MAX_INPUT_LENGTH]) if title or said.strip() else OTHER
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


def subject_in_title(title: str) -> str:
    """What the title of a chat says about its subject, or "" if it is a placeholder."""
    if _MEANINGLESS.fullmatch(title) or _IDENTIFIER.fullmatch(title):
        return ""
    bare = _TITLE_PREFIX.sub("", title.strip()).strip(" .?!\"'")
    return bare[:1].upper() + bare[1:] if content_words(bare) else ""


def _truncate(name: str) -> str:
    clean = " ".join(name.split())
    if len(clean) <= MAX_NAME_LENGTH:
        return clean
    return clean[:MAX_NAME_LENGTH].rpartition(" ")[0] or clean[:MAX_NAME_LENGTH]


EXAMPLES: Mapping[str, Sequence[str]] = table_of(__file__)
_SENTENCES = [sentence for sentences in EXAMPLES.values() for sentence in sentences]
_BY_MODEL: dict[str, Vectors] = {}


def nearest_subject(embedder: Embedder, title: str, said: str) -> str:
    """The subject whose examples are most similar to a chat. "General" has examples too, and gets what is in
    a language that the model does not read. Raises ModelError."""
    languages = embedder.model.languages
    if languages and language_of(f"{title}\n{said}") not in {"", *languages}:
        return OTHER
    texts = [f"{title}\n{said}".strip(), *([title] if title else [])]
    examples = _BY_MODEL.get(embedder.model.key)
    vectors = embedder.embed_documents(texts if examples is not None else [*texts, *_SENTENCES]).vectors
    if examples is None:
        examples = _BY_MODEL[embedder.model.key] = vectors[len(texts) :]
    whole, *titles = vectors[: len(texts)] @ examples.T
    similarity = whole + TITLE_WEIGHT * sum(titles)
    ends = np.cumsum([len(sentences) for sentences in EXAMPLES.values()])
    parts = np.split(similarity, ends[:-1])
    return max(zip(parts, EXAMPLES, strict=True), key=lambda each: float(each[0].max() + each[0].mean()))[1]
