"""Erases drawers for good, with everything that was made of them alone."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

from django.db import connection
from django.db.models import Exists, OuterRef, QuerySet

from memory.activity import forget_reasons
from memory.forgetting.counts import counts_of
from memory.forgetting.journals import forget_in_journals, forget_in_traces
from memory.forgetting.places import Places, places_made_of, places_of, remove_empty, unname
from memory.forgetting.words import Words, distinctive
from memory.graph.orphans import remove_orphans
from memory.index import forget_words, hide
from memory.models import Drawer, Entity, EntityName, Fact, FactSource, Relation
from memory.projections.clearing import forget_drawn

AT_ONCE = 1_000


@dataclass(frozen=True, slots=True)
class Doomed:
    """What is about to be erased: drawers with where they lie and came from, what is known from
    them alone, and the words by which any of it would be known again. `chats` are those the words
    were said in or came up again in, whose mining may have made names of them."""

    user_id: UUID
    drawer_ids: tuple[UUID, ...]
    fact_ids: tuple[UUID, ...]
    message_ids: tuple[UUID, ...]
    places: Places
    words: Words
    counts: dict[str, int] = field(default_factory=dict)
    chats: frozenset[UUID] = frozenset()

    @property
    def named(self) -> Places:
        """The places whose names may have been made of the words."""
        return self.places | places_made_of(self.user_id, self.chats)

    @property
    def ids(self) -> frozenset[UUID]:
        """The ids of the drawers and facts, by which nothing may be found afterwards."""
        return frozenset((*self.drawer_ids, *self.fact_ids))


def together(gone: Doomed, others: Sequence[Doomed]) -> Doomed:
    """What is erased at once, to be searched for at once."""
    every = (gone, *others)
    return replace(
        gone,
        drawer_ids=tuple(each for one in every for each in one.drawer_ids),
        fact_ids=tuple(each for one in every for each in one.fact_ids),
        chats=frozenset().union(*(one.chats for one in every)),
        words=Words(
            frozenset().union(*(one.words.words for one in every)),
            frozenset().union(*(one.words.runs for one in every)),
        ),
    )


def doomed(user_id: UUID, drawer_ids: Sequence[UUID]) -> Doomed:
    """Gather what goes with these drawers, which are in the trash.

    Runs inside the transaction that erases them, under the palace lock.
    """
    drawers = Drawer.objects.filter(user_id=user_id, id__in=drawer_ids)
    hide(user_id, drawer_ids)
    rows = list(
        drawers.only(
            "user_id", "id", "wing_id", "room_id", "closet_id", "source_message_id", "source_id"
        )
    )
    texts = drawers.values_list("content", "annotation", "speaker").iterator(AT_ONCE)
    return Doomed(
        user_id=user_id,
        drawer_ids=tuple(row.id for row in rows),
        fact_ids=tuple(_known_alone(user_id, drawer_ids)),
        message_ids=tuple(row.source_message_id for row in rows),
        places=places_of(rows),
        words=distinctive(user_id, ("\n".join(parts) for parts in texts)),
        counts=_counts(user_id, drawers),
        chats=frozenset(row.source_id for row in rows),
    )


def erase(gone: Doomed) -> dict[str, int]:
    """Erase it all; returns how many rows of each store went.

    Runs inside a transaction that holds the palace lock.
    """
    user_id, ids = gone.user_id, list(gone.drawer_ids)
    forget_words(user_id, ids)
    forget_drawn(user_id, ids)
    forget_reasons(user_id, ids)
    Fact.objects.filter(user_id=user_id, id__in=gone.fact_ids).delete()
    with connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM memory_drawer WHERE user_id = %s AND id = ANY(%s)", [user_id, ids]
        )
    return gone.counts | {
        "facts": len(gone.fact_ids),
        "traces": forget_in_traces(user_id, ids),
        "entities": remove_orphans(user_id),
        "places": remove_empty(user_id, gone.places),
        "names": unname(user_id, gone.named, gone.words),
        "journals": forget_in_journals(user_id, gone.ids, gone.words),
    }


def erase_entity(user_id: UUID, entity_ids: Sequence[UUID]) -> int:
    """Erase people or things whole, with the names and details their owner gave them; what is left
    of their relations goes with them."""
    EntityName.objects.filter(user_id=user_id, entity_id__in=entity_ids).delete()
    return Entity.objects.filter(user_id=user_id, id__in=entity_ids).delete()[0]


def _counts(user_id: UUID, drawers: QuerySet[Drawer]) -> dict[str, int]:
    """What of these drawers still lies in the trash; the rest went when they were put there."""
    opened = Relation.objects.filter(user_id=user_id, drawer_id__in=drawers.values("id"))
    counts = counts_of(user_id, drawers) | {"relations": opened.count()}
    return {store: counts[store] for store in ("drawers", "relations", "vectors", "skills")}


def _known_alone(user_id: UUID, drawer_ids: Sequence[UUID]) -> list[UUID]:
    """Facts all of whose words lie in these drawers."""
    sources = FactSource.objects.filter(user_id=user_id, fact_id=OuterRef("id"))
    resting = Exists(sources.filter(drawer_id__in=drawer_ids))
    others = Exists(sources.exclude(drawer_id__in=drawer_ids))
    facts = Fact.objects.filter(resting, ~others, user_id=user_id)
    return list(facts.values_list("id", flat=True))
