"""Group the turns of a window by topic, and name the topics."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from memory.mining.phrases import content_words, key_phrase
from memory.mining.transcripts import Turn

OTHER = "General"
MAX_TOPIC_LENGTH = 60
# A new topic needs so many words of its exchange, and of the user, to show that it is one; it may
# share this part of them with what went before.
MIN_WORDS, MIN_ASKED = 6, 2
SHARED_AT_MOST = 0.12
ANSWER_READ = 60
REPLY_READ = 1_500
# What the user says counts more than what the assistant makes of it.
USER_WEIGHT = 3


@dataclass(slots=True)
class _Exchange:
    turns: list[Turn] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    answered: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Topic:
    turns: list[Turn] = field(default_factory=list)
    weights: Counter[str] = field(default_factory=Counter)


def topics(turns: Sequence[Turn]) -> list[str]:
    """A topic for each turn, in order. Turns of one exchange share it, and it changes only where the
    user's words have hardly anything in common with what came before."""
    found: list[str] = []
    for topic in _segments(_exchanges(turns)):
        name = _name(topic)
        found += [name] * len(topic.turns)
    return found


def word_weights(turns: Sequence[Turn]) -> Counter[str]:
    """The weight of each content word in everything said; the user's words weigh most."""
    weights: Counter[str] = Counter()
    for exchange in _exchanges(turns):
        _count(exchange, weights)
    return weights


def _exchanges(turns: Sequence[Turn]) -> list[_Exchange]:
    found: list[_Exchange] = []
    for turn in turns:
        if not found or turn.role == "user":
            found.append(_Exchange())
        exchange = found[-1]
        exchange.turns.append(turn)
        read = turn.content if turn.role == "user" else turn.content[:REPLY_READ]
        words = content_words(read)
        (exchange.asked if turn.role == "user" else exchange.answered).extend(words)
    return found


def _segments(exchanges: Sequence[_Exchange]) -> Iterator[_Topic]:
    current = _Topic()
    for exchange in exchanges:
        if current.turns and _is_new(exchange, current):
            yield current
            current = _Topic()
        current.turns += exchange.turns
        _count(exchange, current.weights)
    if current.turns:
        yield current


def _count(exchange: _Exchange, weights: Counter[str]) -> None:
    weights.update(exchange.answered)
    for word in exchange.asked:
        weights[word] += USER_WEIGHT


def _is_new(exchange: _Exchange, current: _Topic) -> bool:
    asked = set(exchange.asked)
    both = asked.union(exchange.answered[:ANSWER_READ])
    if len(asked) < MIN_ASKED or len(both) < MIN_WORDS:
        return False
    return max(_shared(asked, current), _shared(both, current)) <= SHARED_AT_MOST


def _shared(words: set[str], current: _Topic) -> float:
    return sum(word in current.weights for word in words) / len(words)


def _name(topic: _Topic) -> str:
    said = [turn.content for turn in topic.turns if turn.role == "user"]
    others = [turn.content for turn in topic.turns if turn.role != "user"]
    name = key_phrase(said, topic.weights) or key_phrase(others, topic.weights) or OTHER
    return name[:MAX_TOPIC_LENGTH].strip()
