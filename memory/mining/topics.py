"""Group the turns of a window by topic, name the topics, and detect topic shifts in an open chat.

The threshold of a topic shift is calibrated for the local embedding model on chats written for this purpose
(docs/decisions); do not use it with other models.
"""

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field

import numpy as np

from llm.types import EmbeddingModel, Vectors
from memory.mining.phrases import content_words, key_phrase
from memory.mining.transcripts import Turn
from memory.mining.windows import minable
from memory.text.secrets import blank_secrets

OTHER = "General"
MAX_TOPIC_LENGTH = 60
# A new topic needs this many content words in its exchange, and from the user, and may share at most this
# fraction of them with the current one.
MIN_WORDS, MIN_USER_WORDS = 6, 2
MAX_SHARED = 0.12
MAX_REPLY_WORDS = 60
MAX_REPLY_LENGTH = 1_500
# What the user says counts more than the replies.
USER_WEIGHT = 3

MIN_SIMILARITY = 0.23
MIN_BEFORE = 2
MAX_EXCHANGES = 15
MAX_TURN_LENGTH = 800


@dataclass(slots=True)
class _Topic:
    turns: list[Turn] = field(default_factory=list)
    weights: Counter[str] = field(default_factory=Counter)
    uses: Counter[str] = field(default_factory=Counter)

    def add(self, turns: Sequence[Turn]) -> None:
        self.turns += turns
        for turn in turns:
            self.uses.update(set(content_words(turn.content)))
        self.weights.update(_reply_words(turns))
        for word in _user_words(turns):
            self.weights[word] += USER_WEIGHT


def topics(turns: Sequence[Turn], title: str = "") -> list[str]:
    """A topic for each turn, in order. The turns of an exchange share a topic, which changes only where the
    user's words have hardly anything in common with what came before. A topic is named by words that several
    turns or the title of the chat use, and one without such words joins its neighbour. If none has any, the
    title is the name."""
    found, in_title = list(_segments(turns)), set(content_words(title))
    own = [_name(topic, in_title) for topic in found]
    name, names = next(filter(None, own), title[:MAX_TOPIC_LENGTH].strip() or OTHER), []
    for topic, given in zip(found, own, strict=True):
        name = given or name
        names += [name] * len(topic.turns)
    return names


def _split_exchanges(turns: Sequence[Turn]) -> list[list[Turn]]:
    """The turns split into exchanges: each begins with a turn of the user, or with the first turn."""
    groups: list[list[Turn]] = []
    for turn in turns:
        if not groups or turn.role == "user":
            groups.append([])
        groups[-1].append(turn)
    return groups


def _user_words(turns: Sequence[Turn]) -> list[str]:
    return [word for turn in turns if turn.role == "user" for word in content_words(turn.content)]


def _reply_words(turns: Sequence[Turn]) -> list[str]:
    others = (turn.content[:MAX_REPLY_LENGTH] for turn in turns if turn.role != "user")
    return [word for content in others for word in content_words(content)]


def _segments(turns: Sequence[Turn]) -> Iterator[_Topic]:
    current = _Topic()
    for exchange in _split_exchanges(turns):
        if current.turns and _begins_topic(exchange, current):
            yield current
            current = _Topic()
        current.add(exchange)
    if current.turns:
        yield current


def _begins_topic(exchange: Sequence[Turn], current: _Topic) -> bool:
    user_words = set(_user_words(exchange))
    both = user_words.union(_reply_words(exchange)[:MAX_REPLY_WORDS])
    if len(user_words) < MIN_USER_WORDS or len(both) < MIN_WORDS:
        return False
    return max(_shared(user_words, current), _shared(both, current)) <= MAX_SHARED


def _shared(words: set[str], current: _Topic) -> float:
    return sum(word in current.weights for word in words) / len(words)


def _name(topic: _Topic, in_title: Set[str]) -> str:
    weights = {word: topic.weights[word] for word, uses in topic.uses.items() if uses > 1 or word in in_title}
    said = [turn.content for turn in topic.turns if turn.role == "user"]
    others = [turn.content for turn in topic.turns if turn.role != "user"]
    name = key_phrase(said, weights) or key_phrase(others, weights)
    return name[:MAX_TOPIC_LENGTH].strip()


@dataclass(frozen=True, slots=True)
class Exchange:
    """What the user said and the replies, up to the sequence of its last turn. `may_begin` is true if the
    user's words name a subject; "Thanks!" or "Why is that?" never begins one."""

    last_sequence: int
    text: str
    may_begin: bool


def exchanges(turns: Sequence[Turn]) -> tuple[Exchange, ...]:
    """The first 15 exchanges of these turns, each from one user message to the next. An unanswered last
    one is left out."""
    groups = [group for group in _split_exchanges(turns) if group[0].role == "user"]
    if groups and not any(turn.role == "assistant" for turn in groups[-1]):
        groups.pop()
    return tuple(map(_exchange, groups[:MAX_EXCHANGES]))


def topic_shift_after(said: Sequence[Exchange], vectors: Vectors, model: EmbeddingModel) -> int | None:
    """The sequence of the last turn before the sharpest topic shift, or None. `vectors` are unit vectors of
    the exchanges in order. A shift needs two exchanges before it and one after."""
    similarity = {
        at: model.calibrated(float(vectors[at] @ _mean(vectors[:at])))
        for at in range(MIN_BEFORE, len(said))
        if said[at].may_begin
    }
    at = min(similarity, key=lambda each: similarity[each], default=None)
    if at is None or similarity[at] >= MIN_SIMILARITY:
        return None
    return said[at - 1].last_sequence


def _exchange(group: Sequence[Turn]) -> Exchange:
    kept = (turn for turn in map(minable, group) if turn is not None)
    words = [blank_secrets(turn.content)[:MAX_TURN_LENGTH] for turn in kept]
    named = set(content_words(words[0])) if words else set()
    return Exchange(group[-1].sequence, "\n".join(words), len(named) >= MIN_USER_WORDS)


def _mean(vectors: Vectors) -> Vectors:
    mean: Vectors = vectors.mean(axis=0)
    return mean / np.float32(max(float(np.linalg.norm(mean)), 1e-9))
