"""Asks the questions of a benchmark through the product's own recall."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from time import perf_counter
from typing import Any
from uuid import UUID

from accounts.tenancy import tenant
from bench.baselines import by_arm
from bench.cases import BenchQuestion, BenchSession, TurnName
from bench.variants import Variant
from chat.models import Conversation
from llm.tokens import estimate_tokens
from memory.models import Drawer
from memory.recall.pipeline import recall
from memory.recall.types import Arm, Degradation, RecallRequest
from memory.sanitising import storable

Turn = tuple[str, TurnName]

MOST = 40


@dataclass(frozen=True, slots=True)
class Ranking:
    """What recall answered to one question, in its order and in the names of the data set:
    sessions, turns, and of these the `injected` ones that the model would have been shown.
    `degraded` names the parts that could not do their work."""

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

    def as_json(self) -> dict[str, Any]:
        """The ranking as a row of a result file."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Asked:
    """A ranking, and the block of memories that would have gone before the model."""

    ranking: Ranking
    block: str


@dataclass(frozen=True, slots=True)
class _Answer:
    """The drawers that were found, in order, those shown, and how the search went."""

    ranked: tuple[UUID, ...]
    shown: tuple[UUID, ...]
    block: str
    searched: bool
    arms: Mapping[str, Arm]
    degraded: Sequence[Degradation]


def ranking_of(row: dict[str, Any]) -> Ranking:
    """The ranking in a row of a result file."""
    pairs = {
        name: tuple((session, turn) for session, turn in row[name])
        for name in ("turns", "gold_turns", "injected")
    }
    lists = {name: tuple(row[name]) for name in ("sessions", "gold", "degraded")}
    return Ranking(**{**row, **pairs, **lists})


def ask(
    user_id: UUID,
    question: BenchQuestion,
    sessions: Sequence[BenchSession],
    variant: Variant,
) -> Asked:
    """One recall with the question as the message, in a palace that holds these sessions."""
    request = RecallRequest(
        user_id=user_id,
        message=storable(question.question).text,
        now=question.asked_at,
        history=question.history,
        settings=variant.settings,
    )
    with tenant(user_id):
        started = perf_counter()
        answer = _by_arm(request, variant.only) if variant.only else _by_recall(request)
        milliseconds = (perf_counter() - started) * 1000
        turns = _turns(user_id, {*answer.ranked, *answer.shown}, sessions)
    return Asked(_ranking(question, answer, turns, milliseconds), answer.block)


def _by_recall(request: RecallRequest) -> _Answer:
    answer = recall(request)
    return _Answer(
        ranked=tuple(candidate.drawer_id for candidate in answer.trace.considered),
        shown=tuple(hit.drawer_id for hit in answer.hits),
        block=answer.block,
        searched=answer.trace.decision.search,
        arms=answer.trace.arms,
        degraded=answer.trace.degraded,
    )


def _by_arm(request: RecallRequest, arm: str) -> _Answer:
    ranked, found = by_arm(request, arm)
    drawers = tuple(candidate.drawer_id for candidate in ranked[:MOST])
    return _Answer(drawers, (), "", True, found.arms, found.degraded)


def _ranking(
    question: BenchQuestion,
    answer: _Answer,
    turns: Mapping[UUID, Turn],
    milliseconds: float,
) -> Ranking:
    embedding = answer.arms.get("embedding")
    return Ranking(
        question_id=question.id,
        type=question.type,
        sessions=tuple(dict.fromkeys(turns[drawer][0] for drawer in answer.ranked)),
        turns=tuple(turns[drawer] for drawer in answer.ranked),
        gold=tuple(sorted(question.gold)),
        gold_turns=tuple(sorted(question.gold_turns, key=str)),
        milliseconds=round(milliseconds, 2),
        tokens=estimate_tokens(answer.block) if answer.block else 0,
        searched=answer.searched,
        embedding_ms=round(embedding.milliseconds, 2) if embedding else 0.0,
        injected=tuple(turns[drawer] for drawer in answer.shown),
        degraded=tuple(part.part for part in answer.degraded),
        counted=question.counted,
    )


def _turns(
    user_id: UUID, drawer_ids: set[UUID], sessions: Sequence[BenchSession]
) -> dict[UUID, Turn]:
    """The session and the turn of each drawer, in the names of the data set."""
    by_key = {session.key: session for session in sessions}
    drawers = Drawer.objects.filter(user_id=user_id, id__in=drawer_ids)
    rows = list(drawers.values_list("id", "source_id", "source_sequence"))
    conversations = Conversation.objects.filter(
        user_id=user_id, id__in={source_id for _, source_id, _ in rows}
    )
    chats = {
        chat: by_key[key or ""] for chat, key in conversations.values_list("id", "external_id")
    }
    return {
        drawer: (chats[source].name, chats[source].turn_name(sequence - 1))
        for drawer, source, sequence in rows
    }
