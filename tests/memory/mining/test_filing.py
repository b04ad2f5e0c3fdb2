"""A window is filed completely and once, or not at all, and its facts are linked to its drawers."""

from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from django.db import DatabaseError, OperationalError, connection
from uuid_utils.compat import uuid7

from accounts.tenancy import tenant
from chat.mining.transcripts import transcript
from llm import current
from memory.forgetting.tombstones import add_tombstones
from memory.graph.resolution import find_entity
from memory.mining.filing import ForgottenSince, file_window
from memory.mining.progress import MAX_CLAIMS
from memory.mining.types import WingGuess
from memory.models import (
    ActivityEvent,
    Closet,
    Drawer,
    DrawerVector,
    DrawerWords,
    Entity,
    EntityName,
    Fact,
    FactSource,
    MinedWindow,
    MiningProgress,
    Palace,
    Relation,
    Room,
    Wing,
)
from palace.postgres.base import as_owner
from tests.chat.ledger import Killed, kill_at
from tests.drills.ledger import NOW, converse, mine, remember
from tests.fake_gateway import FakeChat, FakeEmbedder
from tests.memory.mining.answers import answer, edge, placed, stated
from tests.memory.mining.spans import BEGAN, SOURCE, window

TABLES = (
    Wing,
    Room,
    Closet,
    Drawer,
    DrawerWords,
    DrawerVector,
    Fact,
    FactSource,
    Relation,
    MinedWindow,
    ActivityEvent,
)


def rows():
    return {table.__name__: table.objects.count() for table in TABLES}


def mined_through():
    return MiningProgress.objects.get().mined_through


def test_filing_a_window_creates_all_its_rows(as_alice):
    span = window(as_alice, embedder=FakeEmbedder())
    file_window(span, NOW)
    assert set(Drawer.objects.values_list("id", flat=True)) == {each.id for each in span.drafts}
    assert rows() == {
        "Wing": 1, "Room": 1, "Closet": 2, "Drawer": 2, "DrawerWords": 2, "DrawerVector": 2,
        "Fact": 1, "FactSource": 1, "Relation": 1, "MinedWindow": 1, "ActivityEvent": 1,
    }  # fmt: skip
    assert mined_through() == 2
    source = FactSource.objects.get()
    assert source.drawer.content[source.start : source.end] == "I live in Zürich"


@pytest.mark.parametrize("first", [1, 2, 4])
def test_a_window_that_does_not_follow_the_mining_progress_is_not_filed(as_alice, first):
    """It was filed before, overlaps a window that another worker filed, or leaves a gap."""
    file_window(window(as_alice), NOW)
    before = rows()
    assert file_window(window(as_alice, "Later.", first=first), NOW) is None
    assert rows() == before
    assert mined_through() == 2


def test_the_next_window_of_a_chat_goes_to_the_same_room_with_the_next_pointers(as_alice):
    file_window(window(as_alice), NOW)
    later = window(as_alice, "I work at Roche.", "Good.", first=3)
    elsewhere = replace(later.extraction, wing=WingGuess("topic", "Work"), facts=(), relations=())
    file_window(replace(later, extraction=elsewhere), NOW)
    assert Wing.objects.count() == Room.objects.count() == 1
    kept = Drawer.objects.order_by("source_sequence")
    assert list(kept.values_list("pointer_wing", "pointer_room", "pointer_drawer")) == [
        (1, 1, number) for number in range(1, 5)
    ]
    room = Room.objects.get()
    assert room.started_at == BEGAN + timedelta(minutes=1)
    assert room.ended_at == BEGAN + timedelta(minutes=4)


def test_a_window_without_text_only_advances_the_mining_progress(as_alice):
    span = window(as_alice)
    nothing = replace(span.extraction, placements=(), facts=(), relations=(), refused=())
    assert file_window(replace(span, drafts=(), topics=(), extraction=nothing), NOW) is not None
    assert (Drawer.objects.count(), Room.objects.count(), Wing.objects.count()) == (0, 0, 0)
    assert mined_through() == 2


def test_a_window_without_vectors_is_indexed_by_words_and_its_event_has_no_user_text(as_alice):
    event = ActivityEvent.objects.get(id=file_window(window(as_alice), NOW))
    assert (DrawerVector.objects.count(), DrawerWords.objects.count()) == (0, 2)
    assert event.details["notes"] == ["No vectors yet."]
    assert (event.kind, event.subject_id, event.at) == ("memory_mined", SOURCE, NOW)
    details = event.details
    assert details["facts"] == [str(Fact.objects.get().id)]
    assert details["relations"] == [str(Relation.objects.get().id)]
    assert details["refused"] == [{"item": "fact", "reason": "Nobody said that."}]
    assert (details["first_sequence"], details["last_sequence"]) == (1, 2)
    assert "Zürich" not in str(details)


def test_a_mined_window_records_its_method_and_reason(as_alice):
    file_window(replace(window(as_alice), fallback_reason="unavailable"), NOW)
    mined = MinedWindow.objects.get()
    assert (mined.method, mined.reason, mined.mined_at) == ("reader", "unavailable", NOW)


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_crash_at_any_statement_leaves_all_or_nothing(as_alice, after):
    file_window(window(as_alice, embedder=FakeEmbedder()), NOW)
    before = rows()
    later = window(as_alice, "I work at Roche.", "Good.", first=3, embedder=FakeEmbedder())
    for statement in range(1, 200):
        try:
            with kill_at(statement, after=after):
                file_window(later, NOW)
        except Killed:
            if mined_through() == 4:
                break
            assert rows() == before
        else:
            break
    assert statement > 10
    assert (Drawer.objects.count(), DrawerWords.objects.count()) == (4, 4)
    assert (MinedWindow.objects.count(), ActivityEvent.objects.count()) == (2, 2)
    assert mined_through() == 4


def test_a_window_with_words_forgotten_meanwhile_is_not_filed(as_alice):
    span = window(as_alice)
    said = [(draft.source_message_id, draft.content, draft.said_at) for draft in span.drafts[:1]]
    add_tombstones(as_alice.id, said, uuid7())
    with pytest.raises(ForgottenSince):
        file_window(span, NOW)
    assert set(rows().values()) == {0}


def test_a_database_error_rolls_back_the_whole_window(as_alice):
    """Two drawers of one message: the progress stays, so that the failure is noticed."""
    span = window(as_alice)
    first, second = span.drafts
    second.source_message_id = first.source_message_id
    with pytest.raises(DatabaseError):
        file_window(span, NOW)
    assert set(rows().values()) == {0}


@pytest.mark.django_db(transaction=True)
def test_mining_waits_while_the_disk_of_the_database_is_full(alice):
    """No attempt is counted, nothing is partly filed, and mining continues once there is space."""
    with tenant(alice.id):
        converse(alice.id, WORDS, "Nice.")
        with full_disk():
            for _ in range(MAX_CLAIMS + 1):
                with pytest.raises(OperationalError, match="No space left"):
                    mine(alice.id)
        assert set(rows().values()) == {0}
        assert not MiningProgress.objects.filter(attempts__gt=0).exists()
        assert mine(alice.id).failures == 0
        assert Drawer.objects.count() == 2


@contextmanager
def full_disk():
    """Make adding a drawer fail as if the database's disk were full."""
    with as_owner(), connection.cursor() as cursor:
        cursor.execute("""
          CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$
          BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = 'disk_full'; END $$""")
        cursor.execute("""
          CREATE TRIGGER full_disk BEFORE INSERT ON memory_drawer EXECUTE FUNCTION full_disk()""")
    try:
        yield
    finally:
        with as_owner(), connection.cursor() as cursor:
            cursor.execute("DROP FUNCTION full_disk CASCADE")


def test_pointers_count_from_one_for_each_user(alice, bob):
    for user in (alice, bob):
        with tenant(user.id):
            file_window(window(user), NOW)
    with tenant(bob.id):
        assert Palace.objects.get(user_id=bob.id).wings_made == 1
        assert Drawer.objects.count() == 2
        assert Drawer.objects.filter(pointer_wing=1, pointer_room=1).count() == 2


WORDS = "I live in Zürich with my brother Tom, whom we call Tommy."


def mine_with(user, *replies, words=(WORDS, "Nice."), **given):
    with current.using(chat=FakeChat(replies), embedder=FakeEmbedder()):
        return remember(user.id, *words, **given)


def mine_later(user, reply, *words):
    return mine_with(user, reply, words=words, at=NOW - timedelta(days=1))


def test_a_fact_starts_when_it_was_said_unless_it_says_otherwise(as_alice):
    dated = stated(key="birth_city", predicate="born_in", statement="The user was born in Zürich.",
                   valid_from="1990-05")  # fmt: skip
    mine_with(as_alice, answer(facts=[stated(), dated]))
    said_at = Drawer.objects.get(role="user").said_at
    starts = dict(Fact.objects.values_list("key", "valid_from"))
    assert starts == {"home_city": said_at, "birthplace": datetime(1990, 5, 1, tzinfo=UTC)}


def test_aliases_find_the_same_entity(as_alice):
    tom = edge(relation="sibling_of", object="Tom", quote="my brother Tom", single_valued=False)
    named = {"name": "Tom", "type": "person", "aliases": ["Tommy"]}
    mine_with(as_alice, answer(relations=[tom], entities=[named]))
    assert Entity.objects.get(name="Tom").type == "person"
    assert EntityName.objects.get(normalised="tommy").is_alias
    assert find_entity(as_alice.id, "TOMMY").name == "Tom"


@pytest.mark.parametrize("until", ["2001", "2031-01-01"])
def test_a_relation_that_ended_before_it_was_mentioned_is_filed_as_ended(as_alice, until):
    mine_with(as_alice, answer(relations=[edge(valid_to=until)]))
    relation = Relation.objects.get()
    assert relation.valid_to is not None
    assert relation.valid_from <= relation.valid_to


def test_a_relation_has_its_quote_and_is_closed_by_a_statement_of_its_end(as_alice):
    mine_with(as_alice, answer(relations=[edge()]))
    source = Relation.objects.get().sources.get()
    assert source.drawer.content[source.start : source.end] == edge()["quote"]
    ended = answer(relations=[edge(ended=True)], turns=[placed()])
    conversation = mine_later(as_alice, ended, "I live in Zürich no more.")
    assert Relation.objects.get().valid_to == transcript(conversation, 0, 1).turns[0].said_at


def test_a_stated_end_closes_the_fact_on_that_date_without_filing_another(as_alice):
    mine_with(as_alice, answer(facts=[stated()]))
    over = stated(ended=True, valid_to="2031-02-20", quote="live in Zürich")
    words = ("I no longer live in Zürich, we left on 20 February.", "I see.")
    mine_later(as_alice, answer(facts=[over]), *words)
    fact = Fact.objects.get()
    assert (fact.status, fact.valid_to) == ("superseded", datetime(2031, 2, 20, tzinfo=UTC))


def test_a_dislike_ends_the_like_of_the_same_thing(as_alice):
    likes = stated(kind="preference", key="preference_zurich", predicate="likes",
                   statement="The user likes Zürich.", quote="Zürich", single_valued=False)  # fmt: skip
    dislikes = likes | {"predicate": "dislikes", "statement": "The user dislikes Zürich."}
    mine_with(as_alice, answer(facts=[likes]))
    mine_later(as_alice, answer(facts=[dislikes]), "I can't stand Zürich any more.")
    is_open = {fact.predicate: fact.valid_to is None for fact in Fact.objects.all()}
    assert is_open == {"likes": False, "dislikes": True}


def test_an_uncertain_end_closes_nothing(as_alice):
    mine_with(as_alice, answer(facts=[stated()]))
    over = stated(ended=True, confidence=0.3, quote="live in Zürich")
    mine_later(as_alice, answer(facts=[over]), "Maybe I won't live in Zürich for long.")
    assert Fact.objects.get().valid_to is None


def test_a_name_resolves_to_the_entity_type_that_the_relation_expects(as_alice):
    words = ("I live in Paris. My sister is called Paris.", "Both?")
    home = edge(relation="lives_in", object="Paris", quote="I live in Paris")
    sister = edge(relation="sibling_of", object="Paris", quote="My sister is called Paris",
                  single_valued=False)  # fmt: skip
    named = [{"name": "Paris", "type": type_, "aliases": []} for type_ in ("place", "person")]
    mine_with(as_alice, answer(relations=[home, sister], entities=named), words=words)
    ends = Relation.objects.values_list("relation", "object__type")
    assert dict(ends) == {"lives_in": "place", "sibling_of": "person"}
