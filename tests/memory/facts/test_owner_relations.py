"""The owner's relations are a projection of active facts, and undoing a decision undoes them too."""

from datetime import timedelta

import pytest

from memory.facts.queries import current_facts
from memory.facts.review import decisions
from memory.facts.review.decisions import undo
from memory.facts.review.wording import NewFact, Wording, add, edit
from memory.facts.validity import settle_around
from memory.forgetting.trash import delete as forget
from memory.graph.editing import Part, split
from memory.graph.relations import add_source, relation_source
from memory.models import FactLink, Relation, RelationSource
from tests.drills.ledger import NOW, remember
from tests.memory.palaces import MONDAY, file, learn

DAY = timedelta(days=1)
HOME = {"key": "home_city", "single_valued": True, "kind": "identity", "predicate": "lives_in"}


pytestmark = pytest.mark.usefixtures("embedder")


def edges(user_id):
    """The relations of the owner, with days counted from that Monday."""
    rows = Relation.objects.filter(user_id=user_id, subject__type="user", deleted_at=None)
    return [
        f"{row.relation} {row.object.name} {(row.valid_from - MONDAY).days}–"
        f"{(row.valid_to - MONDAY).days if row.valid_to else ''}"
        for row in rows.select_related("object").order_by("valid_from", "object__name")
    ]


@pytest.fixture
def drawer(as_alice):
    return file(as_alice.id, ["Ana lives in Porto, the page says."])[0]


@pytest.fixture
def pending(drawer):
    """A fact in review, and not in the graph yet."""
    given = HOME | {"object": "Porto", "review_reason": "Unsure."}
    return learn(drawer, "Porto", "The user lives in Porto.", **given)


@pytest.fixture
def home(pending):
    decisions.approve(pending.user_id, [pending.id], NOW)
    pending.refresh_from_db()
    return pending


@pytest.fixture
def mined(as_alice):
    """A fact that she stated herself and that is in the graph."""
    return mine_home(as_alice.id)


def mine_home(user_id, day=0):
    remember(user_id, "I live in Porto.", "Nice.", at=MONDAY + day * DAY)
    return current_facts(user_id).get()


def reword(fact, statement=None, **given):
    fields = {"kind": fact.kind, "value": fact.value, "valid_from": fact.valid_from} | given
    return edit(fact.user_id, fact.id, Wording(statement or fact.statement, **fields), NOW)


def test_a_reworded_fact_continues_one_relation(drawer):
    pet = {"kind": "relationship", "predicate": "has_pet", "object": "Fado", "value": "Fado"}
    first = learn(drawer, "Porto", "Fado is the user's pet.", key="pet_fado", **pet)
    pet |= {"key": "cat_fado", "valid_from": MONDAY + 9 * DAY}
    later = learn(drawer, "Ana", "Fado is the user's cat.", **pet)
    one, other = sorted((first.id, later.id))
    FactLink.objects.create(user_id=first.user_id, fact_id=one, other_id=other, kind="same", similarity=0.95)
    settle_around(first.user_id, [later.id])
    assert edges(first.user_id) == ["has_pet Fado 0–"]
    decisions.end(first.user_id, later.id, MONDAY + 20 * DAY, NOW)
    assert edges(first.user_id) == ["has_pet Fado 0–20"]


def test_approving_a_fact_adds_a_relation_with_the_same_source(pending, drawer):
    decision = decisions.approve(pending.user_id, [pending.id], NOW)
    assert edges(pending.user_id) == ["lives_in Porto 0–"]
    source, words = RelationSource.objects.get(), pending.sources.get()
    assert (source.drawer_id, source.start, source.end) == (drawer.id, words.start, words.end)
    undo(pending.user_id, decision.event_id, NOW)
    assert edges(pending.user_id) == []
    assert not RelationSource.objects.exists()
    decisions.approve(pending.user_id, [pending.id], NOW)
    decisions.return_to_review(pending.user_id, [pending.id], NOW)
    assert edges(pending.user_id) == []


LISBON = "The user lives in Lisbon."
DECISIONS = [
    (lambda home: decisions.reject(home.user_id, [home.id], NOW), []),
    (lambda home: decisions.delete(home.user_id, [home.id], NOW), []),
    (lambda home: decisions.end(home.user_id, home.id, MONDAY + 5 * DAY, NOW), ["lives_in Porto 0–5"]),
    (lambda home: reword(home, valid_from=MONDAY - 3 * DAY), ["lives_in Porto -3–"]),
    (lambda home: reword(home, valid_from=MONDAY + 3 * DAY), ["lives_in Porto 3–"]),
    (lambda home: reword(home, LISBON, value="Lisbon"), ["lives_in Lisbon 0–"]),
    (lambda home: reword(home, LISBON, value="Lisbon", valid_from=MONDAY + 3 * DAY), ["lives_in Lisbon 3–"]),
    (lambda home: reword(home, LISBON, value="Lisbon", valid_from=MONDAY - 3 * DAY), ["lives_in Lisbon -3–"]),
]


@pytest.mark.parametrize("sources", ["a tool", "one", "two"])
def test_a_decision_changes_the_relation_and_undo_restores_it(as_alice, sources, request):
    home = request.getfixturevalue("home" if sources == "a tool" else "mined")
    if sources == "two":
        mine_home(home.user_id, 4)
        assert home.sources.count() == 2
    for act, expected in DECISIONS:
        decision = act(home)
        assert edges(home.user_id) == expected
        undo(home.user_id, decision.event_id, NOW)
        assert edges(home.user_id) == ["lives_in Porto 0–"]


def test_editing_one_of_several_values_replaces_only_its_relation(as_alice):
    remember(as_alice.id, "I love chess. I love tea.", "Good.", at=MONDAY)
    known = edges(as_alice.id)
    assert len(known) == 2
    chess = current_facts(as_alice.id).get(object="chess")
    decision = reword(chess, chess.statement.replace("chess", "go"))
    chess.refresh_from_db()
    assert (chess.value, chess.object, chess.key) == ("likes go", "go", "preference_go")
    assert [each.split()[1] for each in edges(as_alice.id)] == ["go", "tea"]
    undo(as_alice.id, decision.event_id, NOW)
    assert edges(as_alice.id) == known


def test_approving_two_values_ends_the_earlier_relation(home):
    said = file(home.user_id, ["I live in Oslo."])[0]
    oslo = HOME | {"object": "Oslo", "valid_from": MONDAY + 9 * DAY, "review_reason": "Unsure."}
    decisions.return_to_review(home.user_id, [home.id], NOW)
    oslo = learn(said, "Oslo", "The user lives in Oslo.", **oslo)
    decisions.approve(home.user_id, [home.id, oslo.id], NOW)
    assert edges(home.user_id) == ["lives_in Porto 0–9", "lives_in Oslo 9–"]


def test_a_fact_written_by_hand_is_in_the_graph_until_its_note_is_forgotten(as_alice):
    new = NewFact(Wording("I live in 上海.", "identity", "上海", MONDAY), "home_city")
    made, _ = add(as_alice.id, new, NOW)
    assert edges(as_alice.id) == ["lives_in 上海 0–"]
    forget(as_alice.id, "drawer", made.sources.get().drawer_id, NOW)
    assert edges(as_alice.id) == []


def test_phrases_and_symbols_create_no_entities_and_merging_keeps_the_relation(home, drawer):
    for number, liked in enumerate(("a" * 41, "•••", "to sail one day")):
        given = {"object": liked, "predicate": "likes", "key": f"preference{number}"}
        fact = learn(drawer, "Ana", f"The user likes it: {number}.", **given, review_reason="Unsure.")
        decisions.approve(drawer.user_id, [fact.id], NOW)
    assert edges(drawer.user_id) == ["lives_in Porto 0–"]
    other = learn(drawer, "Porto", "Her home is Porto.", object="Porto", **(HOME | {"key": "k"}))
    decisions.merge(home.user_id, other.id, home.id, NOW)
    assert edges(home.user_id) == ["lives_in Porto 0–"]


def test_approving_a_fact_adopts_an_existing_relation(pending, drawer):
    ends = ("user", "user"), "lives_in", ("Porto", "place")
    add_source(relation_source(drawer, *ends, at=MONDAY, single_valued=True, confidence=0.9))
    decisions.approve(pending.user_id, [pending.id], NOW)
    assert RelationSource.objects.get().decided_fact_id == pending.id
    decisions.reject(pending.user_id, [pending.id], NOW)
    assert edges(pending.user_id) == []


def test_a_split_entity_survives_later_mining(mined):
    edge = Relation.objects.get()
    part = Part("Porto Alegre", "place", relation_ids=(edge.id,))
    split(mined.user_id, edge.object_id, part, NOW)
    mine_home(mined.user_id, 4)
    assert edges(mined.user_id) == ["lives_in Porto Alegre 0–"]
    assert Relation.objects.get(deleted_at=None).sources.count() == 2
