"""Mined windows of a chat, ready to be filed."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

from uuid_utils.compat import uuid7

from memory.aaak import Tags
from memory.drawers import drawer_id_of, new_drawer
from memory.mining.filing import MinedSpan
from memory.mining.transcripts import CONVERSATION, Transcript, Turn
from memory.mining.types import (
    ExtractedFact,
    ExtractedRelation,
    Extraction,
    Refusal,
    TurnPlacement,
    WingGuess,
)
from memory.models import Drawer
from memory.search.embedding import DrawerText, Embedded, embed_drawers
from memory.search.index import space_for
from tests.fake_gateway import FakeEmbedder

NOW = datetime(2031, 3, 5, 6, 30, tzinfo=UTC)
BEGAN = datetime(2031, 2, 1, 9, 0, tzinfo=UTC)
SOURCE = UUID(int=77)
WORDS = ("I live in Zürich.", "我记住了。")


def turns(*words: str, first: int = 1) -> tuple[Turn, ...]:
    return tuple(
        Turn(
            message_id=uuid7(),
            sequence=first + number,
            role="assistant" if number % 2 else "user",
            content=text,
            said_at=BEGAN + timedelta(minutes=first + number),
        )
        for number, text in enumerate(words)
    )


def extraction_of(said: tuple[Turn, ...], **changes: object) -> Extraction:
    """An extraction with a home city from the first turn and a topic for each turn."""
    fact = ExtractedFact(
        message_id=said[0].message_id,
        kind="identity",
        key="home_city",
        value="Zürich",
        statement="The user lives in Zürich.",
        predicate="lives_in",
        object="Zürich",
        quote="I live in Zürich",
        span=(0, 16),
        confidence=0.9,
        single_valued=True,
    )
    edge = ExtractedRelation(
        message_id=said[0].message_id,
        subject="user",
        relation="lives_in",
        object="Zürich",
        quote="I live in Zürich",
        confidence=0.9,
        single_valued=True,
    )
    given: dict[str, object] = {
        "method": "reader",
        "wing": WingGuess("topic", "Home"),
        "placements": tuple(TurnPlacement(turn.message_id, f"Topic {turn.sequence}") for turn in said),
        "facts": (fact,),
        "relations": (edge,),
        "refused": (Refusal("fact", "Nobody said that."),),
    }
    return Extraction(**(given | changes))


def window(user, *words: str, first: int = 1, embedder: FakeEmbedder | None = None) -> MinedSpan:
    """A mined window of these messages, with vectors if there is an embedder."""
    said = turns(*(words or WORDS), first=first)
    transcript = Transcript(user.id, CONVERSATION, SOURCE, "Moving house", BEGAN, said)
    drafts = tuple(draft(user.id, turn) for turn in said)
    embedded = Embedded()
    if embedder is not None:
        embedded = embed_drawers(embedder, [DrawerText(each.id, each.content, each.role) for each in drafts])
    return MinedSpan(
        transcript=transcript,
        first_sequence=first,
        last_sequence=first + len(said) - 1,
        extraction=extraction_of(said),
        drafts=drafts,
        topics=tuple(f"Topic {turn.sequence}" for turn in said),
        tombstoned=0,
        review_threshold=0.5,
        space=space_for(embedder.model) if embedder else None,
        answers=embedder is not None,
        embedded=embedded,
        unembedded="" if embedder else "No vectors yet.",
    )


def draft(user_id: UUID, turn: Turn) -> Drawer:
    return new_drawer(
        user_id,
        turn.content,
        role=turn.role,
        said_at=turn.said_at,
        tags=Tags(places=("Zürich",)) if turn.sequence == 1 else Tags(),
        source_kind=CONVERSATION,
        source_id=SOURCE,
        source_message_id=turn.message_id,
        source_sequence=turn.sequence,
        id=drawer_id_of(turn.message_id),
    )
