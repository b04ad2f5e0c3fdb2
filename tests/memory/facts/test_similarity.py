from datetime import timedelta
from uuid import uuid4

import pytest
from django.urls import reverse

from llm import current
from llm.errors import EmbedderUnavailable
from memory.facts.filing import file_fact
from memory.facts.queries import count_by_status
from memory.facts.similarity import differs_materially, embed_statements
from memory.forgetting.trash import delete, undo
from memory.models import Fact, FactLink, FactVector
from memory.organize.notes import Note, save_note
from memory.preferences import change_preferences
from memory.recall.reading import read_hits
from memory.recall.types import Candidate, RecallRequest
from memory.search.embedding_backfill import backfill
from tests.cases import cases
from tests.drills.ledger import NOW
from tests.html import check_page
from tests.memory.palaces import statement_in

GREEN = "The user likes to drink green tea in the morning before work."
REWORDED = "The user likes to drink some green tea in the morning before work."
BLACK = "The user likes to drink black tea in the afternoon after work."
DAY = timedelta(days=1)
LONG_AGO = -3_000


pytestmark = pytest.mark.usefixtures("embedder")


def file_preference(user, statement, day, *, vectors=True, **given):
    """File a preference as said on a day, compared with others if `vectors`."""
    at = NOW + day * DAY
    drawer = save_note(user.id, Note(f"{statement} ({uuid4()})"), at)
    fields = {"kind": "preference", "key": f"preference_{uuid4().hex}", "value": statement, "valid_from": at}
    fields |= {"predicate": "likes", "object": "tea", "confidence": 0.9, "authority": "user"} | given
    filed = statement_in(drawer, (0, len(statement)), statement=statement, **fields)
    file_fact(filed, *([embed_statements(current.embedder(), [statement])] if vectors else []))
    return drawer


def live_facts(user):
    facts = Fact.objects.filter(user_id=user.id, deleted_at=None).order_by("valid_from")
    return [(fact.statement, fact.status) for fact in facts]


def test_a_reworded_fact_replaces_the_older_until_it_is_deleted(as_alice):
    file_preference(as_alice, GREEN, 0)
    newer = file_preference(as_alice, REWORDED, 3)
    old, new = Fact.objects.order_by("valid_from")
    assert (old.status, old.valid_to, old.superseded_by_id) == ("superseded", NOW + 3 * DAY, new.id)
    assert (new.status, new.valid_to) == ("active", None)
    assert FactLink.objects.get().kind == "same"
    before = live_facts(as_alice)
    deletion = delete(as_alice.id, "drawer", newer.id, NOW)
    assert live_facts(as_alice) == [(GREEN, "active")]
    undo(as_alice.id, deletion.id, NOW)
    assert live_facts(as_alice) == before


def test_a_reworded_fact_is_not_past_until_its_last_wording_ends(as_alice, alice_client):
    drawer = file_preference(as_alice, GREEN, LONG_AGO)
    file_preference(as_alice, REWORDED, LONG_AGO + 3)
    old, new = Fact.objects.order_by("valid_from")
    assert old.sentence == GREEN.replace("The user likes", "You like")
    past = reverse("memory:facts", query={"status": "superseded"})
    assert old.sentence not in check_page(alice_client.get(past))
    assert count_by_status(as_alice.id) == {"active": 1}
    request = RecallRequest(as_alice.id, "What about tea?", NOW)
    wanted = [Candidate(drawer.id, drawer.room_id, drawer.role, drawer.said_at)]
    assert [hit.ended for hit in read_hits(request, wanted)] == [()]

    file_preference(as_alice, REWORDED, LONG_AGO + 5, ended=True, key=new.key, value=new.value)
    assert [each.statement for each in read_hits(request, wanted)[0].ended] == [GREEN]
    assert new.statement.replace("The user likes", "You used to like") in check_page(alice_client.get(past))


def test_a_fact_that_holds_again_after_its_end_keeps_its_vector_and_links(as_alice):
    file_preference(as_alice, REWORDED, 0, predicate="prefers")
    for day, given in ((1, {}), (5, {}), (2, {"ended": True})):
        file_preference(as_alice, GREEN, day, key="likes_tea", **given)
    again = Fact.objects.get(statement=GREEN, status="active")
    assert (again.valid_from, FactVector.objects.filter(fact_id=again.id).count()) == (NOW + 5 * DAY, 1)
    assert sorted(FactLink.objects.values_list("kind", flat=True)) == ["related", "related"]


def test_a_known_fact_reworded_by_an_assistant_is_not_added(as_alice):
    file_preference(as_alice, GREEN, 0)
    doubt = {"review_reason": "It is about you, but you did not say it."}
    for day, given in enumerate(({}, doubt), start=3):
        file_preference(as_alice, REWORDED, day, authority="assistant", **given)
    assert live_facts(as_alice) == [(GREEN, "active")]
    delete(as_alice.id, "drawer", Fact.objects.get().sources.get().drawer_id, NOW)
    file_preference(as_alice, REWORDED, 5, authority="assistant")
    assert live_facts(as_alice) == [(REWORDED, "active")], "there is no longer a fact that it could repeat"


@pytest.mark.parametrize(
    ("other", "given", "links"),
    [
        pytest.param(REWORDED, {"predicate": "prefers"}, ["related"], id="another predicate"),
        pytest.param(GREEN.replace("likes", "never likes"), {}, ["related"], id="a negation"),
        pytest.param(GREEN.replace("green", "2 green"), {}, ["related"], id="a number"),
        pytest.param("Something else entirely.", {}, [], id="something else"),
        pytest.param(REWORDED, {"kind": "event"}, [], id="another kind"),
    ],
)
def test_materially_different_facts_both_stay_and_are_at_most_linked(as_alice, other, given, links):
    file_preference(as_alice, GREEN, 0)
    file_preference(as_alice, other, 1, **given)
    assert live_facts(as_alice) == [(GREEN, "active"), (other, "active")]
    assert list(FactLink.objects.values_list("kind", flat=True)) == links


def test_a_higher_duplicate_similarity_keeps_both_facts(as_alice):
    change_preferences(as_alice.id, {"duplicate_similarity": 1.0}, NOW)
    for statement, day in ((GREEN, 0), (REWORDED, 3)):
        file_preference(as_alice, statement, day, vectors=False)
    backfill(as_alice.id, 10, NOW)
    assert live_facts(as_alice) == [(GREEN, "active"), (REWORDED, "active")]
    assert FactLink.objects.get().kind == "related"


def test_similar_events_on_different_days_both_stay(as_alice):
    for day in (0, 1):
        file_preference(as_alice, GREEN + "!" * day, day, kind="event", event_time=NOW + day * DAY)
    assert {status for _, status in live_facts(as_alice)} == {"active"}


def test_facts_filed_without_vectors_are_compared_by_the_backfill(as_alice, embedder):
    for statement, day in ((REWORDED, 3), (GREEN, 0), (BLACK, 1)):
        file_preference(as_alice, statement, day, vectors=False)
    assert {status for _, status in live_facts(as_alice)} == {"active"}
    assert not FactVector.objects.exists()
    embedder.fail_with(EmbedderUnavailable("Away."))
    with pytest.raises(EmbedderUnavailable):
        backfill(as_alice.id, 10, NOW)
    embedder.fail_with(None)
    backfill(as_alice.id, 10, NOW)
    assert FactVector.objects.count() == 3
    assert live_facts(as_alice) == [(GREEN, "superseded"), (BLACK, "active"), (REWORDED, "active")]


def test_a_fact_similar_to_a_rejected_one_goes_to_review(as_alice):
    file_preference(as_alice, GREEN, 0)
    Fact.objects.update(status="rejected")
    file_preference(as_alice, REWORDED, 1)
    fact = Fact.objects.get(statement=REWORDED)
    assert fact.status == "pending_review"
    assert "rejected" in fact.review_reason


@pytest.mark.parametrize("heading", ["different", "the same"])
def test_numbers_names_negations_and_word_order_distinguish_facts(heading):
    for pair in (line.split(" | ") for line in cases(__file__, "wordings.txt")[heading]):
        differs = [bool(differs_materially(*ordered)) for ordered in (pair, pair[::-1])]
        assert differs == [heading == "different"] * 2, pair
