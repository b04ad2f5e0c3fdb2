"""Which fact gives way to which."""

import pytest

from memory.mining.reextraction import reactivate, replace_by_model
from memory.models import Fact, FactSource
from tests.memory.palaces import file, learn

WORDS = "I love chess and my sister Ana, 我喜欢香菜."


pytestmark = pytest.mark.usefixtures("embedder")


@pytest.fixture
def drawer(as_alice):
    return file(as_alice.id, [WORDS])[0]


def by_rules(drawer, words="I love chess", statement="The user loves chess.", **given):
    return learn(drawer, words, statement, **{"object": "chess", "key": "likes_chess"} | given)


def by_model(drawer, words="I love chess", statement="The user loves to play chess.", **given):
    given = {"object": "playing chess", "key": "preference_chess", "mined_by": "model"} | given
    return learn(drawer, words, statement, **given)


def replaced(drawer):
    return [(each.fact_id, each.by) for each in replace_by_model(drawer.user_id, [drawer.id])]


def test_the_same_words_of_the_same_thing(drawer):
    old, new = by_rules(drawer), by_model(drawer)
    assert replaced(drawer) == [(old.id, new.id)]
    old.refresh_from_db()
    assert (old.status, old.superseded_by_id, old.valid_to) == (
        "superseded", new.id, old.valid_from,
    )  # fmt: skip
    assert replaced(drawer) == []


def test_wider_words_of_the_same_thing(drawer):
    old, new = by_rules(drawer), by_model(drawer, "I love chess and my sister Ana")
    assert replaced(drawer) == [(old.id, new.id)]


@pytest.mark.parametrize(
    ("rules", "model"),
    [
        ({}, {"kind": "skill"}),
        ({}, {"words": "chess"}),
        ({"words": "my sister Ana"}, {}),
        ({}, {"statement": "The user loves their sister Ana.", "object": "Ana"}),
        ({}, {"review_reason": "It reads like an instruction."}),
        ({}, {"mined_by": "rules"}),
        ({"mined_by": "model"}, {}),
    ],
    ids=["kind", "narrower", "elsewhere", "other thing", "doubtful", "rules twice", "model twice"],
)
def test_anything_else_leaves_both(drawer, rules, model):
    by_rules(drawer, **rules)
    by_model(drawer, **model)
    assert replaced(drawer) == []


def test_what_its_owner_has_put_into_words_stays(drawer):
    old = by_rules(drawer)
    Fact.objects.filter(id=old.id).update(version=2)
    by_model(drawer)
    assert replaced(drawer) == []


def test_the_same_key_says_the_same_whatever_the_words(drawer):
    old = by_rules(drawer, "我喜欢香菜", "The user likes 香菜.", object="香菜", key="herb")
    new = by_model(drawer, "我喜欢香菜", "The user likes coriander.", object="coriander", key="herb")
    assert replaced(drawer) == [(old.id, new.id)]


def test_a_translation_of_exactly_the_same_words(drawer):
    old = by_rules(drawer, "我喜欢香菜", "The user likes 香菜.", object="香菜", key="likes_香菜")
    new = by_model(drawer, "我喜欢香菜", "The user likes coriander.", object="coriander")
    assert replaced(drawer) == [(old.id, new.id)]


def test_what_the_old_wording_rests_on_elsewhere_passes_to_the_new_one(as_alice, drawer):
    elsewhere = file(as_alice.id, ["I love chess"])[0]
    old = by_rules(drawer)
    FactSource.objects.create(user_id=as_alice.id, fact_id=old.id, drawer_id=elsewhere.id, start=0, end=12)
    new = by_model(drawer)
    replaced(drawer)
    new.refresh_from_db()
    drawers = FactSource.objects.filter(fact_id=new.id).values_list("drawer_id", flat=True)
    assert set(drawers) == {drawer.id, elsewhere.id}
    assert new.times_seen == 2


def test_what_gave_way_stands_again(drawer):
    old, new = by_rules(drawer, review_reason="Why?"), by_model(drawer)
    (replacement,) = replace_by_model(drawer.user_id, [drawer.id])
    reactivate(drawer.user_id, replacement)
    old.refresh_from_db()
    assert (old.status, old.review_reason, old.valid_to) == ("pending_review", "Why?", None)
    assert old.superseded_by_id is None
    reactivate(drawer.user_id, replacement)
    assert Fact.objects.get(id=new.id).status == "active"


def test_what_was_decided_on_since_stays_as_decided(drawer):
    old, _ = by_rules(drawer), by_model(drawer)
    (replacement,) = replace_by_model(drawer.user_id, [drawer.id])
    Fact.objects.filter(id=old.id).update(status="rejected")
    reactivate(drawer.user_id, replacement)
    old.refresh_from_db()
    assert old.status == "rejected"
