import pytest

from memory.graph.orphans import orphans, remove_orphans
from memory.graph.resolution import add_alias, entity_for, find_entities, find_entity
from memory.models import Entity, EntityName
from tests.memory.palaces import file, learn, relate


def entities(user):
    return sorted(Entity.objects.filter(user_id=user.id).values_list("name", "type"))


VARIANTS = [
    ("Wang Min", "  wang   MIN "),
    ("Straße", "STRASSE"),
    ("Анна Петрова", "анна петрова"),
    ("王敏", "「王敏」"),
    ("محمد", " محمد "),
    ("Olga", "Olga’s"),
    ("Ｐａｒｉｓ", "paris"),
    ("Café 🌵", "CAFÉ 🌵"),
]


def test_name_variants_resolve_to_the_same_entity(as_alice):
    for number, (first, again) in enumerate(VARIANTS, 1):
        made = entity_for(as_alice.id, first, "person")
        assert entity_for(as_alice.id, again, "person") == made
        assert find_entity(as_alice.id, again) == made
        assert len(entities(as_alice)) == number


def test_one_name_can_mean_a_person_a_place_and_an_animal(as_alice):
    for name, types in (
        ("Paris", ("person", "place")),
        ("巴黎", ("place", "person")),
        ("باريس", ("animal", "person")),
    ):
        made = tuple(entity_for(as_alice.id, name, type_) for type_ in types)
        assert made[0] != made[1]
        assert tuple(entity_for(as_alice.id, name, type_) for type_ in types) == made
        assert find_entities(as_alice.id, name) == made
    place = entity_for(as_alice.id, "Louvre", "place")
    for type_ in ("organisation", "project", "thing", "topic"):
        assert entity_for(as_alice.id, "louvre", type_) == place
    owner = entity_for(as_alice.id, "User", "place")
    assert owner.type == "user"
    assert entity_for(as_alice.id, "user", "person") == owner


@pytest.mark.parametrize("type_", ["person", "animal", "place"])
def test_an_entity_of_unknown_type_adopts_the_first_specific_type(as_alice, type_):
    vague = entity_for(as_alice.id, "Luna", "thing")
    add_alias(vague, "Lunita")
    assert entity_for(as_alice.id, "lunita", type_) == vague
    assert entities(as_alice) == [("Luna", type_)]
    assert entity_for(as_alice.id, "Luna", "thing") == vague
    assert entity_for(as_alice.id, "Luna", "animal" if type_ == "person" else "person") != vague


def test_a_name_without_a_type_resolves_to_the_best_connected_entity(as_alice):
    drawer = file(as_alice.id, ["Paris called me from Paris, where Paris lives."])[0]
    place = entity_for(as_alice.id, "Paris", "place")
    relate(drawer, "Rui", "knows", "Paris")
    assert find_entity(as_alice.id, "paris").type == "person"
    assert entity_for(as_alice.id, "paris", "place") == place
    assert entity_for(as_alice.id, "Paris").type == "person"


def test_an_alias_belongs_to_one_entity_per_type_and_user(as_alice, bob):
    ines = entity_for(as_alice.id, "Inês", "person")
    add_alias(ines, "Nené")
    add_alias(entity_for(as_alice.id, "Rui", "person"), "nené")
    add_alias(entity_for(as_alice.id, "Rio Nené", "place"), "Nené")
    add_alias(ines, "  ")
    assert entity_for(as_alice.id, "Nené", "person") == ines
    assert entity_for(as_alice.id, "Nené", "place").name == "Rio Nené"
    assert find_entity(bob.id, "Rui") is None


def test_unmentioned_entities_are_orphans_and_can_be_removed(as_alice):
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
