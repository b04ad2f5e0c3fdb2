from datetime import timedelta

from accounts.models import User
from memory.consolidation.application import consolidate, undo
from memory.consolidation.knowledge import read_knowledge
from memory.consolidation.supersessions import closed_facts
from memory.graph.relations import resettle
from memory.models import Drawer, Fact, Relation, RelationSource
from tests.memory.consolidation.dumps import dump
from tests.memory.consolidation.facts import add
from tests.memory.palaces import MONDAY, relate

DAY = timedelta(days=1)
HOME = {"key": "home_city", "single_valued": True, "kind": "identity"}


def closings(user: User) -> list[tuple[str, int]]:
    """Statements that would be closed, with the day on which they end."""
    facts = read_knowledge(user.id).facts
    said = {fact.id: fact.statement for fact in facts}
    begins = {fact.id: fact.valid_from for fact in facts}
    return [
        (said[change.subject_id], (begins[change.others[0]] - MONDAY).days) for change in closed_facts(facts)
    ]


def test_each_open_value_ends_where_the_next_begins(as_alice: User, bread: list[Drawer]):
    add(bread[0], "Lives in Oslo.", valid_from=MONDAY + 5 * DAY, **HOME)
    add(bread[0], "Lives in Porto.", **HOME)
    add(bread[0], "Lives in Lima.", valid_from=MONDAY + 9 * DAY, **HOME)
    assert closings(as_alice) == [("Lives in Porto.", 5), ("Lives in Oslo.", 9)]

    before = dump(as_alice.id)
    run = consolidate(as_alice.id, MONDAY + 10 * DAY)
    current = Fact.objects.get(status=Fact.Status.ACTIVE)
    assert current.statement == "Lives in Lima."
    assert undo(as_alice.id, run.id, MONDAY + 10 * DAY) == 0
    assert dump(as_alice.id) == before


def test_undecidable_and_many_valued_facts_stay_open(as_alice, bread):
    add(bread[0], "Lives in Porto.", **HOME)
    add(bread[0], "Lives in Oslo.", **HOME)
    add(bread[0], "Is 30.", **(HOME | {"key": "age"}))
    add(bread[0], "Is 90.", valid_from=MONDAY + DAY, authority="tool", **(HOME | {"key": "age"}))
    for step, thing in enumerate(("tea", "milk")):
        add(bread[0], f"Likes {thing}.", key="likes", valid_from=MONDAY + step * DAY)
    assert closings(as_alice) == []


def test_a_superseded_fact_without_an_end_gets_it_from_its_successor(as_alice, bread):
    new = add(bread[0], "Lives in Oslo.", valid_from=MONDAY + 5 * DAY, **HOME)
    given = {"status": Fact.Status.SUPERSEDED, "superseded_by_id": new.id}
    add(bread[0], "Lives in Porto.", **HOME, **given)
    assert closings(as_alice) == [("Lives in Porto.", 5)]


def test_relations_with_one_object_at_a_time_end_too(as_alice: User, bread: list[Drawer]):
    first = relate(bread[0], "Ana", "lives_in", "Porto")
    second = relate(bread[0], "Ana", "lives_in", "Oslo", valid_from=MONDAY + 5 * DAY)
    relate(bread[0], "Ana", "knows", "Ben")
    Relation.objects.filter(id__in=(first.id, second.id)).update(single_valued=True)
    before = dump(as_alice.id)
    run = consolidate(as_alice.id, MONDAY + 6 * DAY)

    assert run.counts == {"closed": 1}
    first.refresh_from_db()
    second.refresh_from_db()
    assert (first.valid_to, second.valid_to) == (MONDAY + 5 * DAY, None)
    ending = RelationSource.objects.get(ends=True)
    assert (ending.edge_id, ending.at) == (first.id, MONDAY + 5 * DAY)
    assert ending.drawer_id == second.drawer_id

    assert undo(as_alice.id, run.id, MONDAY + 6 * DAY) == 0
    assert dump(as_alice.id) == before


def test_a_relation_that_was_ended_stays_so_when_more_is_said(as_alice: User, bread: list[Drawer]):
    first = relate(bread[0], "Ana", "lives_in", "Porto")
    second = relate(bread[1], "Ana", "lives_in", "Oslo", valid_from=MONDAY + 5 * DAY)
    Relation.objects.filter(id__in=(first.id, second.id)).update(single_valued=True)
    consolidate(as_alice.id, MONDAY + 6 * DAY)
    resettle(as_alice.id, RelationSource.objects.filter(user_id=as_alice.id))

    first.refresh_from_db()
    assert first.valid_to == MONDAY + 5 * DAY
