"""Puts sentences before the product's own extraction, each as a chat of one message."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal
from uuid import UUID, uuid5

from bench.errors import BenchmarkImpossible
from bench.extraction.sentences import Sentence
from llm.errors import ModelError
from llm.gateway import ChatGateway
from llm.types import Usage
from memory.mining.extraction import Extracted, extract
from memory.mining.types import ExtractedFact
from memory.transcripts import CONVERSATION, Transcript, Turn

Outcome = Literal["rules", "valid", "repaired", "unreadable", "declined", "unanswered"]

SEVERAL = 4
TRIES = 3
IN_A_ROW = 5
_NOBODY = UUID(int=0)


@dataclass(frozen=True, slots=True)
class Reading:
    """What was found in a sentence, and how the model answered.

    `rules`: no model was asked. `valid`: its first answer could be read; `repaired`: the second;
    `unreadable`: neither, so the rules read the sentence, as they did when the model `declined`.
    `unanswered`: the model could not be had, and nothing is known of the sentence.
    """

    sentence: Sentence
    facts: tuple[ExtractedFact, ...]
    outcome: Outcome
    usage: tuple[Usage, ...] = ()


def read_by_rules(sentences: Iterable[Sentence]) -> Iterator[Reading]:
    """What the rules alone find, sentence by sentence."""
    for sentence in sentences:
        yield _reading(sentence, extract(_chat(sentence), chat=None), asked=False)


def read_by_model(
    sentences: Iterable[Sentence], chat: ChatGateway, model: str
) -> Iterator[Reading]:
    """What the product finds with this model, in the order of the sentences, several at a time.

    Raises BenchmarkImpossible when the model gives no answer to several sentences in a row.
    """

    def ask(sentence: Sentence) -> Reading:
        return _asked(sentence, lambda: extract(_chat(sentence), chat=chat, model=model))

    silent = 0
    with ThreadPoolExecutor(SEVERAL) as pool:
        for reading in pool.map(ask, sentences):
            silent = silent + 1 if reading.outcome in {"declined", "unanswered"} else 0
            if silent == IN_A_ROW:
                pool.shutdown(cancel_futures=True)
                raise BenchmarkImpossible(
                    f"The model did not answer {IN_A_ROW} times in a row; look at the endpoint, "
                    "the key and EXTRACTION_MODEL."
                )
            yield reading


def _asked(sentence: Sentence, ask: Callable[[], Extracted]) -> Reading:
    for _ in range(TRIES):
        try:
            return _reading(sentence, ask(), asked=True)
        except ModelError:
            continue
    return Reading(sentence, (), "unanswered")


def _reading(sentence: Sentence, extracted: Extracted, *, asked: bool) -> Reading:
    outcome = _outcome(extracted) if asked else "rules"
    return Reading(sentence, extracted.extraction.facts, outcome, extracted.usage)


def _outcome(extracted: Extracted) -> Outcome:
    if extracted.extraction.method == "model":
        return "valid" if len(extracted.usage) == 1 else "repaired"
    if extracted.usage:
        return "unreadable"
    return "declined" if extracted.notes else "rules"


def _chat(sentence: Sentence) -> Transcript:
    source = uuid5(_NOBODY, sentence.id)
    turn = Turn(
        message_id=uuid5(source, "turn"),
        sequence=1,
        role=sentence.role,
        content=sentence.text,
        said_at=sentence.said_at,
        tool_name="lookup" if sentence.role == "tool" else "",
    )
    return Transcript(
        user_id=_NOBODY,
        source_kind=CONVERSATION,
        source_id=source,
        title="",
        started_at=sentence.said_at,
        turns=(turn,),
    )
