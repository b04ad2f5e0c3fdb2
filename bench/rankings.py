"""Ask the product's recall, and rank what it found by the names of the data set."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any
from uuid import UUID

from accounts.tenancy import tenant
from bench.cases import BenchQuestion, BenchSession, Turn
from chat.models import Conversation
from llm.tokens import estimate_tokens
from memory.models import Drawer
from memory.recall.pipeline import recall
from memory.recall.types import Hit, RecallRequest, RecallSettings
from memory.text.sanitizing import storable
from memory.text.stop_words import COMMON_WORDS

PATIENT = RecallSettings(time_limit_ms=5_000)
"""More time than the product allows, so that a busy machine does not change what is found; the scores
count the recalls that the product's own limit would have cut short."""
MAX_ANSWER_LENGTH = 5
"""The words of a reference answer that can be looked for word for word."""
MIN_TELLING_LENGTH = 3
_COUNTING = (
    COMMON_WORDS
    | {"six", "seven", "eight", "nine", "ten", "eleven", "twelve", "twice"}
    | {
        f"{unit}{plural}"
        for unit in ("minute", "hour", "day", "week", "month", "year")
        for plural in ("", "s")
    }
)
"""Answers of nothing else, such as “3” or “two weeks”, are in almost every block by chance."""
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Ranking:
    """What recall found for one question, best first: sessions, turns, and the `injected` turns that
    a model would have been shown. `degraded` names the parts of recall that failed; `answer_shown` says
    whether the block holds the reference answer word for word, None if that is long or only counts."""

    question_id: str
    type: str
    sessions: tuple[str, ...]
    turns: tuple[Turn, ...]
    gold: tuple[str, ...]
    gold_turns: tuple[Turn, ...]
    milliseconds: float
    tokens: int
    searched: bool
    embedding_ms: float = 0.0
    injected: tuple[Turn, ...] = ()
    degraded: tuple[str, ...] = ()
    counted: bool = True
    answer_shown: bool | None = None

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> "Ranking":
        """The ranking in a row of `rankings.jsonl`."""
        lists = {name: tuple(row[name]) for name in ("sessions", "gold", "degraded")}
        pairs = {name: tuple(map(tuple, row[name])) for name in ("turns", "gold_turns", "injected")}
        return cls(**{**row, **lists, **pairs})


def ask(
    user_id: UUID,
    question: BenchQuestion,
    sessions: Sequence[BenchSession],
    settings: RecallSettings = PATIENT,
) -> tuple[Ranking, str]:
    """Recall with the question as the message, in a palace that holds these sessions; returns the
    ranking and the block of memories that a model would have been shown."""
    request = RecallRequest(
        user_id=user_id,
        message=storable(question.question).text,
        now=question.asked_at,
        history=question.history,
        settings=settings,
    )
    with tenant(user_id):
        started = perf_counter()
        answer = recall(request)
        milliseconds = (perf_counter() - started) * 1000
        found = [candidate.drawer_id for candidate in answer.trace.considered]
        shown = [hit.drawer_id for hit in answer.hits]
        turns = _turns(user_id, {*found, *shown}, sessions)
    embedding = answer.trace.retrievers.get("embedding")
    ranking = Ranking(
        question_id=question.id,
        type=question.type,
        sessions=tuple(dict.fromkeys(turns[drawer][0] for drawer in found)),
        turns=tuple(turns[drawer] for drawer in found),
        gold=tuple(sorted(question.gold)),
        gold_turns=tuple(sorted(question.gold_turns, key=str)),
        milliseconds=round(milliseconds, 2),
        tokens=estimate_tokens(answer.block) if answer.block else 0,
        searched=answer.trace.decision.search,
        embedding_ms=round(embedding.milliseconds, 2) if embedding else 0.0,
        injected=tuple(turns[drawer] for drawer in shown),
        degraded=tuple(part.part for part in answer.trace.degraded),
        counted=question.counted,
        answer_shown=_shown(question.answer, answer.hits),
    )
    return ranking, answer.block


def _shown(answer: str, hits: Sequence[Hit]) -> bool | None:
    words = _plain(answer)
    if not words or len(words.split()) > MAX_ANSWER_LENGTH or not any(map(_telling, words.split())):
        return None
    return any(f" {words} " in f" {_plain(hit.text)} " for hit in hits)


def _telling(word: str) -> bool:
    """Whether a word is rare enough to be found only where the answer is."""
    return len(word) >= MIN_TELLING_LENGTH and word not in _COUNTING


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


def _turns(user_id: UUID, drawer_ids: set[UUID], sessions: Sequence[BenchSession]) -> dict[UUID, Turn]:
    """The session and turn that each drawer came from."""
    by_key = {session.key: session for session in sessions}
    drawers = Drawer.objects.filter(user_id=user_id, id__in=drawer_ids)
    rows = list(drawers.values_list("id", "source_id", "source_sequence"))
    chats = Conversation.objects.filter(user_id=user_id, id__in={source for _, source, _ in rows})
    session_of = {chat: by_key[key or ""] for chat, key in chats.values_list("id", "external_id")}
    return {
        drawer: (session_of[source].name, session_of[source].turn_name(sequence - 1))
        for drawer, source, sequence in rows
    }
