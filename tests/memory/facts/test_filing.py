from datetime import timedelta

import pytest

from accounts.models import User
from memory.facts import current_facts
from memory.facts.review.wording import Wording, edit
from memory.models import Drawer, Fact
from tests.drills.ledger import NOW
from tests.fake_gateway import FakeEmbedder
from tests.memory.palaces import MONDAY, Spot, file, learn

CITY = {"key": "home_city", "predicate": "lives_in", "kind": "other", "single_valued": True}


@pytest.fixture
def drawers(as_alice: User, embedder: FakeEmbedder) -> list[Drawer]:
    first = file(as_alice.id, ["I live in Porto.", "My home is Porto."], Spot(room="One"))
    return [*first, *file(as_alice.id, ["Now in Oslo."], Spot(room="Two"))]


def lives(drawer: Drawer, city: str, statement: str = "", **given: object) -> Fact:
    words = given.pop("words", city)
    said = statement or f"The user lives in {city}."
    return learn(drawer, words, said, **(CITY | {"value": city} | given))


def test_the_same_value_in_other_words_is_the_same_fact(drawers):
    lives(drawers[0], "Porto")
    with pytest.raises(AssertionError):
        lives(drawers[1], "Porto", "The user's home is in Porto.", value="porto.")
    fact = Fact.objects.get()
    assert (fact.times_seen, fact.sources.count()) == (2, 2)


@pytest.mark.parametrize("repeated", [{}, {"review_reason": "Not said by you."}])
@pytest.mark.parametrize("known", [{}, {"authority": "assistant", "review_reason": "Not said by you."}])
def test_an_assistant_that_repeats_a_fact_is_no_source_of_it(drawers, known, repeated):
    fact = lives(drawers[0], "Porto", **known)
    Fact.objects.update(archived_at=NOW)
    before = Fact.objects.values().get()
    earlier = MONDAY - timedelta(days=9)
    for statement in ("", "The user's home is in Porto."):
        with pytest.raises(AssertionError):
            lives(drawers[1], "Porto", statement, authority="assistant", valid_from=earlier, **repeated)
    assert Fact.objects.values().get() == before
    assert [source.drawer_id for source in fact.sources.all()] == [drawers[0].id]


def test_a_statement_that_the_reader_words_anew_is_the_fact_it_stored_before(drawers):
    first = lives(drawers[0], "Porto", "The user's home: Porto.")
    with pytest.raises(AssertionError):
        lives(drawers[1], "Porto", words="Porto")
    assert Fact.objects.get().statement == "The user's home: Porto."
    given = Wording("I live by the sea.", first.kind, "the sea", first.valid_from)
    edit(first.user_id, first.id, given, NOW)
    with pytest.raises(AssertionError):
        lives(drawers[0], "Porto")
    assert Fact.objects.get().statement == "The user wrote about themselves: “I live by the sea.”"


def test_confidence_is_capped_by_who_said_it(drawers):
    caps = {"user": 0.9, "tool": 0.95, "external": 0.7, "assistant": 0.7}
    for authority in caps:
        lives(drawers[0], authority, words="Porto", key=authority, authority=authority, confidence=1)
    assert dict(Fact.objects.values_list("authority", "confidence")) == caps


def test_claims_of_others_never_end_what_the_owner_said(drawers):
    lives(drawers[0], "Porto")
    for day, authority in enumerate(("assistant", "tool", "external"), start=9):
        claimed = lives(drawers[2], "Oslo", authority=authority, valid_from=MONDAY + timedelta(days=day))
        assert claimed.status == "pending_review"
        assert "contradicts" in claimed.review_reason
        assert [fact.value for fact in current_facts(claimed.user_id)] == ["Porto"]
        Fact.objects.filter(id=claimed.id).delete()

    Fact.objects.update(authority="tool")
    lives(drawers[2], "Oslo", valid_from=MONDAY + timedelta(days=9))
    assert [fact.value for fact in current_facts(drawers[0].user_id)] == ["Oslo"]


def test_of_two_values_of_one_moment_the_later_words_of_a_chat_win_but_two_chats_go_to_review(drawers):
    lives(drawers[0], "Porto", valid_from=MONDAY)
    other = lives(drawers[2], "Oslo", valid_from=MONDAY)
    assert other.status == "pending_review"
    lives(drawers[1], "Lima", words="home", valid_from=MONDAY)
    assert [fact.value for fact in current_facts(drawers[0].user_id)] == ["Lima"]


def test_a_claim_that_the_owner_repeats_is_approved(drawers):
    claimed = lives(drawers[0], "Porto", authority="assistant", review_reason="Not said by you.")
    assert claimed.status == "pending_review"
    with pytest.raises(AssertionError):
        lives(drawers[1], "Porto")
    claimed.refresh_from_db()
    assert (claimed.status, claimed.authority, claimed.confidence) == ("active", "user", 0.9)


@pytest.mark.parametrize(
    "reasons", [("Palace is not confident about it.", ""), ("", "Palace is not confident about it.")]
)
def test_doubtful_words_count_where_clear_ones_say_the_same(drawers, reasons):
    fact = lives(drawers[0], "Porto", review_reason=reasons[0])
    with pytest.raises(AssertionError):
        lives(drawers[1], "Porto", review_reason=reasons[1])
    fact.refresh_from_db()
    assert (fact.status, fact.times_seen) == ("active", 2)


def test_a_value_in_doubt_at_one_moment_that_holds_at_another_stays_one_fact(as_alice: User, embedder):
    chats = [file(as_alice.id, [f"{n}. City."], Spot(room=f"{n}"))[0] for n in range(4)]
    days = (0, 9, 20, 9)  # Lima at the very moment at which Porto began
    for drawer, city, day in zip(chats[:3], ("Oslo", "Porto", "Lima"), days, strict=False):
        lives(drawer, city, words="City", valid_from=NOW + timedelta(days=day))
    with pytest.raises(AssertionError):
        lives(chats[3], "Lima", words="City", valid_from=NOW + timedelta(days=9))
    facts = Fact.objects.exclude(status=Fact.Status.SUPERSEDED)
    assert [(fact.value, fact.status, fact.times_seen) for fact in facts] == [("Lima", "active", 2)]
