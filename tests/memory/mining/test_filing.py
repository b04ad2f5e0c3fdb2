"""A window is filed completely and once, or not at all, and its facts are linked to its drawers."""

from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from django.db import OperationalError, connection
from uuid_utils.compat import uuid7

from accounts.tenancy import tenant
from chat.mining.transcripts import transcript
from llm import current
from memory import models
from memory.forgetting.tombstones import add_tombstones
from memory.graph.resolution import find_entity
from memory.mining.filing import ForgottenSince, MinedSpan, file_window
from memory.mining.pipeline import drafts_of
from memory.mining.progress import MAX_CLAIMS
from memory.mining.prompts import local_ids
from memory.mining.types import WingGuess
from memory.mining.validation import validate
from memory.models import Drawer, Entity, EntityName, Fact, FactSource, MiningProgress, Relation, Room
from memory.preferences import change_preferences
from memory.search.embedding import DrawerText, embed_drawers
from memory.search.index import space_for
from palace.postgres.base import as_owner
from tests.chat.ledger import Killed, kill_at
from tests.drills.ledger import NOW, converse, mine, remember
from tests.fake_gateway import FakeChat, FakeEmbedder
from tests.memory.mining.answers import answer, edge, placed, stated
from tests.memory.mining.chats import SAID_AT, chat, turn

FILED = {
    "Wing": 1, "Room": 1, "Closet": 2, "Drawer": 2, "DrawerWords": 2, "DrawerVector": 2,
    "Fact": 1, "FactSource": 1, "Relation": 1, "MinedWindow": 1, "ActivityEvent": 1,
}  # fmt: skip


def rows():
    return {name: getattr(models, name).objects.count() for name in FILED}


def mined_through():
    return MiningProgress.objects.get().mined_through


def window(user, *words, first=1, embedder=None):
    """A window, mined by a model, in which the user says where they live, with vectors if there is an
    embedder."""
    said = [
        replace(turn(text, "assistant" if n % 2 else "user", first + n), message_id=uuid7())
        for n, text in enumerate(words or ("I live in Zürich.", "我记住了。"))
    ]
    source = replace(chat(*said, title="Moving house"), user_id=user.id)
    topics = tuple(f"Topic {each.sequence}" for each in said)
    turns = [placed(f"t{n}", topic=topic) for n, topic in enumerate(topics, 1)]
    raw = answer(turns=turns, facts=[stated(), stated(quote="Nobody said that")], relations=[edge()])
    drafts = tuple(drafts_of(source, {}))
    span = MinedSpan(source, first, said[-1].sequence, validate(raw, local_ids(said)), drafts, topics, 0, 0.5)
    if not embedder:
        return replace(span, unembedded="No vectors yet.")
    embedded = embed_drawers(embedder, [DrawerText(each.id, each.content, each.role) for each in drafts])
    return replace(span, space=space_for(embedder.model), answers=True, embedded=embedded)


@pytest.mark.parametrize("embedder", [FakeEmbedder(), None])
def test_filing_a_window_creates_all_its_rows_and_an_event_without_user_text(as_alice, embedder):
    span = window(as_alice, embedder=embedder)
    read = replace(span.extraction, fallback_reason="unavailable")
    event_id = file_window(replace(span, extraction=read), NOW)
    assert set(Drawer.objects.values_list("id", flat=True)) == {each.id for each in span.drafts}
    assert rows() == (FILED if embedder else FILED | {"DrawerVector": 0})
    assert mined_through() == 2
    source = FactSource.objects.get()
    assert source.drawer.content[source.start : source.end] == "I live in Zürich"
    event = models.ActivityEvent.objects.get(id=event_id)
    details = event.details
    assert details["notes"] == ([] if embedder else ["No vectors yet."])
    assert (event.kind, event.subject_id, event.at) == ("memory_mined", chat().source_id, NOW)
    assert details["facts"] == [str(Fact.objects.get().id)]
    assert details["relations"] == [str(Relation.objects.get().id)]
    assert details["refused"] == [{"item": "facts 2", "reason": "The quote is not in the turn it names."}]
    assert (details["first_sequence"], details["last_sequence"]) == (1, 2)
    assert "Zürich" not in str(details)
    mined = models.MinedWindow.objects.get()
    assert (mined.method, mined.reason, mined.mined_at) == ("model", "unavailable", NOW)


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
    file_window(replace(later, extraction=replace(later.extraction, wing=WingGuess("topic", "Work"))), NOW)
    assert models.Wing.objects.count() == Room.objects.count() == 1
    pointers = Drawer.objects.order_by("source_sequence").values_list(
        "pointer_wing", "pointer_room", "pointer_drawer"
    )
    assert list(pointers) == [(1, 1, number) for number in range(1, 5)]
    room = Room.objects.get()
    minutes = [(at - SAID_AT) / timedelta(minutes=1) for at in (room.started_at, room.ended_at)]
    assert minutes == [1, 4]


def test_a_window_without_text_only_advances_the_mining_progress(as_alice):
    span = window(as_alice)
    nothing = replace(span.extraction, placements=(), facts=(), relations=(), refused=())
    assert file_window(replace(span, drafts=(), topics=(), extraction=nothing), NOW) is not None
    assert (Drawer.objects.count(), Room.objects.count(), models.Wing.objects.count()) == (0, 0, 0)
    assert mined_through() == 2


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_crash_at_any_statement_leaves_all_or_nothing(as_alice, after):
    file_window(window(as_alice, embedder=FakeEmbedder()), NOW)
    before = rows()
    later = window(as_alice, "Still I live in Zürich.", "Good.", first=3, embedder=FakeEmbedder())
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
    twice = dict.fromkeys(("Closet", "Drawer", "DrawerWords", "DrawerVector"), 4)
    twice |= dict.fromkeys(("FactSource", "MinedWindow", "ActivityEvent"), 2)
    assert rows() == FILED | twice
    assert mined_through() == 4


def test_a_window_with_words_forgotten_meanwhile_is_not_filed(as_alice):
    span = window(as_alice)
    said = [(draft.source_message_id, draft.content, draft.said_at) for draft in span.drafts[:1]]
    add_tombstones(as_alice.id, said, uuid7())
    with pytest.raises(ForgottenSince):
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
    as_database_owner("""
      CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = 'disk_full'; END $$;
      CREATE TRIGGER full_disk BEFORE INSERT ON memory_drawer EXECUTE FUNCTION full_disk()""")
    try:
        yield
    finally:
        as_database_owner("DROP FUNCTION full_disk CASCADE")


def as_database_owner(statement):
    with as_owner(), connection.cursor() as cursor:
        cursor.execute(statement)


def test_pointers_count_from_one_for_each_user(alice, bob):
    for user in (alice, bob):
        with tenant(user.id):
            file_window(window(user), NOW)
    with tenant(bob.id):
        assert models.Palace.objects.get(user_id=bob.id).wings_made == 1
        assert Drawer.objects.filter(pointer_wing=1, pointer_room=1).count() == 2


WORDS = "I live in Zürich with my brother Tom, whom we call Tommy."


def mine_with(user, reply, words=(WORDS, "Nice."), **given):
    with current.using(chat=FakeChat([reply]), embedder=FakeEmbedder()):
        return remember(user.id, *words, **given)


def mine_later(user, reply, *words):
    return mine_with(user, reply, words, at=NOW - timedelta(days=1))


def test_a_fact_starts_when_it_was_said_unless_it_says_otherwise(as_alice):
    born = {"key": "birth_city", "predicate": "born_in", "statement": "The user was born in Zürich."}
    mine_with(as_alice, answer(facts=[stated(), stated(valid_from="1990-05", **born)]))
    said_at = Drawer.objects.get(role="user").said_at
    starts = dict(Fact.objects.values_list("key", "valid_from"))
    assert starts == {"home_city": said_at, "birthplace": datetime(1990, 5, 1, tzinfo=UTC)}


def test_nobody_is_asked_about_what_is_unlikely_and_unimportant(as_alice):
    boxes = {"kind": "other", "key": "owns_boxes", "predicate": "owns", "statement": "The user owns boxes."}
    boxes["confidence"] = 0.49
    event = {"key": "race", "predicate": "has_event", "statement": "The user has a race.", "confidence": 0.41}
    mine_with(as_alice, answer(facts=[stated(**boxes), stated(kind="event", **event)]))
    assert [fact.key for fact in Fact.objects.filter(status="pending_review")] == ["race"]
    change_preferences(as_alice.id, {"review_threshold": 0.7}, NOW)
    for confidence in (0.6, 0.49):
        mine_with(as_alice, answer(facts=[stated(**boxes | {"confidence": confidence})]))
    fact = Fact.objects.get(key="owns_boxes")
    assert (fact.status, fact.times_seen) == ("pending_review", 2), "a higher threshold asks about more"


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


@pytest.mark.parametrize("is_certain", [True, False])
def test_a_certain_end_closes_the_fact_on_its_date_without_filing_another(as_alice, is_certain):
    mine_with(as_alice, answer(facts=[stated()]))
    over = stated(
        ended=True, valid_to="2031-02-20", quote="live in Zürich", confidence=0.8 if is_certain else 0.3
    )
    words = "I no longer live in Zürich, we left on 20 February."
    mine_later(as_alice, answer(facts=[over]), words, "I see.")
    fact = Fact.objects.get()
    ended = ("superseded", datetime(2031, 2, 20, tzinfo=UTC))
    assert (fact.status, fact.valid_to) == (ended if is_certain else ("active", None))


def test_a_dislike_ends_the_like_of_the_same_thing(as_alice):
    likes = stated(kind="preference", key="preference_zurich", predicate="likes", quote="Zürich")
    likes |= {"statement": "The user likes Zürich.", "single_valued": False}
    dislikes = likes | {"predicate": "dislikes", "statement": "The user dislikes Zürich."}
    mine_with(as_alice, answer(facts=[likes]))
    mine_later(as_alice, answer(facts=[dislikes]), "I can't stand Zürich any more.")
    is_open = {fact.predicate: fact.valid_to is None for fact in Fact.objects.all()}
    assert is_open == {"likes": False, "dislikes": True}


def test_a_name_resolves_to_the_entity_type_that_the_relation_expects(as_alice):
    words = ("I live in Paris. My sister is called Paris.", "Both?")
    sister = {"relation": "sibling_of", "quote": "My sister is called Paris", "single_valued": False}
    relations = [edge(object="Paris", quote="I live in Paris"), edge(object="Paris", **sister)]
    named = [{"name": "Paris", "type": type_, "aliases": []} for type_ in ("place", "person")]
    mine_with(as_alice, answer(relations=relations, entities=named), words)
    ends = dict(Relation.objects.values_list("relation", "object__type"))
    assert ends == {"lives_in": "place", "sibling_of": "person"}
