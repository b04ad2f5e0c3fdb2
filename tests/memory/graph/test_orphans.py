from memory.graph.orphans import orphans, remove_orphans
from memory.graph.resolution import add_alias, entity_for
from memory.models import EntityName
from tests.memory.palaces import file, learn, relate


def test_entities_that_nothing_mentions_are_orphans(as_alice):
    drawer = file(as_alice.id, ["Rui lives in Faro, and I like Zélia Duncan."])[0]
    relate(drawer, "Rui", "knows", "Ines")
    learn(drawer, "Zélia Duncan", "The user likes Zélia Duncan.")
    learn(drawer, "Faro", "Rui lives there.", persons=("Ana",), location="FARO")
    for name, type_ in (("Zélia duncan", "person"), ("Faro", "place"), ("Ana", "person")):
        entity_for(as_alice.id, name, type_)
    named = entity_for(as_alice.id, "Nobody", "person")
    EntityName.objects.filter(entity_id=named.id).update(by_owner=True)
    entity_for(as_alice.id, "user")
    lost = entity_for(as_alice.id, "Nemo", "person")
    add_alias(lost, "Niemand")
    assert orphans(as_alice.id) == [lost]
    assert remove_orphans(as_alice.id) == 1
    assert not EntityName.objects.filter(name__startswith="N", by_owner=False).exists()
    assert orphans(as_alice.id) == []


def test_nobody_removes_orphans_of_another(as_alice, bob):
    entity_for(as_alice.id, "Nemo", "person")
    assert remove_orphans(bob.id) == 0
    assert len(orphans(as_alice.id)) == 1
