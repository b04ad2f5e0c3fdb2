"""Lets what came and what was there agree: the times of facts and the edges of the graph."""

from collections.abc import Collection, Iterator
from uuid import UUID

from chat.restoring.stage import IDS, ask, run, table_of
from memory.facts import begin_with, make_room_for, settle_around, settle_ended_in
from memory.graph.settlement import resettle
from memory.models import Fact, RelationSource

AT_ONCE = 500
FIRST = UUID(int=0)


def make_room(present: Collection[str], user_id: UUID) -> None:
    """Before facts are added: what was said again since ends them, and is not ended by them."""
    if "facts" not in present:
        return
    rows = ask(
        "SELECT id, key, value, status, valid_from FROM {stage} "
        "WHERE NOT here AND NOT gone AND single_valued AND deleted_at IS NULL",
        stage=table_of("facts"),
    )
    names = ("id", "key", "value", "status", "valid_from")
    coming = (dict(zip(names, row, strict=True)) for row in rows)
    make_room_for([Fact(user_id=user_id, single_valued=True, **values) for values in coming])


def leave_settled_relations(present: Collection[str]) -> None:
    """Before relations are added: where every source is here, the account has drawn its edge."""
    if {"relations", "relation_sources"} <= set(present):
        run(
            "UPDATE {relations} r SET gone = true WHERE NOT r.here AND NOT EXISTS ("
            "SELECT 1 FROM {sources} s WHERE s.edge_id = r.id AND NOT s.here AND NOT s.gone)",
            relations=table_of("relations"),
            sources=table_of("relation_sources"),
        )


def settle(present: Collection[str], user_id: UUID) -> None:
    """After everything was added: work out anew what the new rows are part of."""
    if "fact_sources" in present:
        _join(user_id)
    for ids in _added("facts", present):
        settle_around(user_id, ids)
    if "fact_endings" in present:
        drawers = ask(
            "SELECT DISTINCT drawer_id FROM {stage} WHERE NOT here AND NOT gone",
            stage=table_of("fact_endings"),
        )
        settle_ended_in(user_id, [drawer_id for (drawer_id,) in drawers])
    for ids in _added("relation_sources", present):
        resettle(user_id, RelationSource.objects.filter(user_id=user_id, id__in=ids))


def _join(user_id: UUID) -> None:
    """Facts that were known here rest on the words of the file too."""
    joined = ask(
        "UPDATE memory_fact f SET times_seen = f.times_seen + n.more, "
        "valid_from = least(f.valid_from, n.first) FROM ("
        "SELECT m.now AS id, count(s.id) AS more, min(w.valid_from) AS first FROM {ids} m "
        "JOIN {facts} w ON w.id = m.was JOIN {sources} s ON s.fact_id = m.now "
        "AND NOT s.here AND NOT s.gone WHERE m.kind = 'facts' GROUP BY m.now) n "
        "WHERE f.user_id = %s AND f.id = n.id RETURNING f.id",
        [user_id],
        ids=IDS,
        facts=table_of("facts"),
        sources=table_of("fact_sources"),
    )
    begin_with(user_id, [fact_id for (fact_id,) in joined])


def _added(name: str, present: Collection[str]) -> Iterator[list[UUID]]:
    last = FIRST
    while name in present:
        rows = ask(
            "SELECT id FROM {stage} WHERE NOT here AND NOT gone AND id > %s ORDER BY id LIMIT %s",
            [last, AT_ONCE],
            stage=table_of(name),
        )
        if not rows:
            return
        yield [row_id for (row_id,) in rows]
        last = rows[-1][0]
