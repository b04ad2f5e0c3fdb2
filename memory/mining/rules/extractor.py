"""Understanding a window without a model: the same words always give the same extraction."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from memory.mining.rules import endings
from memory.mining.rules.chinese import CHINESE
from memory.mining.rules.edges import entities, relations
from memory.mining.rules.english import ENGLISH
from memory.mining.rules.french import FRENCH
from memory.mining.rules.german import GERMAN
from memory.mining.rules.matching import Found, facts_of
from memory.mining.rules.russian import RUSSIAN
from memory.mining.rules.spanish import SPANISH
from memory.mining.rules.tagging import tags_of
from memory.mining.rules.topics import topics
from memory.mining.rules.wings import wing_of
from memory.mining.transcripts import Transcript, Turn
from memory.mining.types import Extraction, TurnPlacement, WingGuess
from memory.mining.windows import minable

LANGUAGES = (ENGLISH, GERMAN, SPANISH, FRENCH, CHINESE, RUSSIAN)


def extract(transcript: Transcript, known_wings: Sequence[WingGuess] = ()) -> Extraction:
    """What the window says by rules: a placement for every minable turn, facts and relations from
    the user's turns only, each with a verbatim quote. Spans count in the content of the turns as
    they were given."""
    turns = [kept for turn in transcript.turns if (kept := minable(turn)) is not None]
    found = {turn.message_id: _found(turn) for turn in transcript.turns}
    facts = tuple(fact for items in found.values() for item in items for fact in endings.facts(item))
    return Extraction(
        method="rules",
        wing=wing_of(transcript, turns, known_wings),
        placements=_placements(turns, found),
        facts=facts,
        entities=entities(facts),
        relations=tuple(
            relation for turn in transcript.turns for relation in relations(found[turn.message_id], turn)
        ),
    )


def _found(turn: Turn) -> list[Found]:
    return endings.standing(facts_of(turn, LANGUAGES)) if turn.role == "user" else []


def _placements(turns: Sequence[Turn], found: Mapping[UUID, list[Found]]) -> tuple[TurnPlacement, ...]:
    return tuple(
        TurnPlacement(
            turn.message_id,
            topic,
            tags_of(
                turn.content,
                turn.said_at,
                [name for item in found[turn.message_id] for name in item.fact.persons],
            ),
        )
        for turn, topic in zip(turns, topics(turns), strict=True)
    )
