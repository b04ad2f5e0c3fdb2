"""Asks the questions of a benchmark through the product's own recall."""

from dataclasses import dataclass
from time import perf_counter
from uuid import UUID

from accounts.tenancy import tenant
from bench.datasets import BenchQuestion
from chat.models import Conversation
from llm.tokens import estimate_tokens
from memory.models import Drawer
from memory.recall.pipeline import recall
from memory.recall.types import RecallRequest, RecallSettings


@dataclass(frozen=True, slots=True)
class Ranking:
    """What recall answered to one question: session keys and turns in its order, how long it
    took in milliseconds, and how many tokens would have been injected."""

    question_id: str
    type: str
    sessions: tuple[str, ...]
    turns: tuple[tuple[str, int], ...]
    gold: tuple[str, ...]
    gold_turns: tuple[tuple[str, int], ...]
    milliseconds: float
    tokens: int
    searched: bool
    embedding_ms: float = 0.0


def ask(user_id: UUID, question: BenchQuestion, settings: RecallSettings) -> Ranking:
    """One recall with the question as the message."""
    request = RecallRequest(
        user_id=user_id, message=question.question, now=question.asked_at, settings=settings
    )
    with tenant(user_id):
        started = perf_counter()
        answer = recall(request)
        milliseconds = (perf_counter() - started) * 1000
        places = _places(user_id, [candidate.drawer_id for candidate in answer.trace.considered])
    turns = [places[candidate.drawer_id] for candidate in answer.trace.considered]
    embedding = answer.trace.arms.get("embedding")
    return Ranking(
        question_id=question.id,
        type=question.type,
        sessions=tuple(dict.fromkeys(session for session, _ in turns)),
        turns=tuple(turns),
        gold=tuple(sorted(question.gold)),
        gold_turns=tuple(sorted(question.gold_turns)),
        milliseconds=milliseconds,
        tokens=estimate_tokens(answer.block) if answer.block else 0,
        searched=answer.trace.decision.search,
        embedding_ms=embedding.milliseconds if embedding else 0.0,
    )


def _places(user_id: UUID, drawer_ids: list[UUID]) -> dict[UUID, tuple[str, int]]:
    """The session key and the index of the turn, from 0, of each drawer."""
    drawers = Drawer.objects.filter(user_id=user_id, id__in=drawer_ids)
    rows = list(drawers.values_list("id", "source_id", "source_sequence"))
    conversations = Conversation.objects.filter(
        user_id=user_id, id__in={source_id for _, source_id, _ in rows}
    )
    keys = dict(conversations.values_list("id", "external_id"))
    return {drawer: (keys[source] or "", sequence - 1) for drawer, source, sequence in rows}
