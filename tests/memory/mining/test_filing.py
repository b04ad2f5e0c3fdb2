"""One window is filed whole and once, or not at all."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import DatabaseError
from uuid_utils.compat import uuid7

from accounts.tenancy import tenant
from memory.forgetting.tombstones import add_tombstones
from memory.mining.filing import ForgottenSince, file_window
from memory.mining.types import WingGuess
from memory.models import (
    ActivityEvent,
    Closet,
    Drawer,
    DrawerVector,
    DrawerWords,
    Fact,
    FactSource,
    MinedWindow,
    MiningProgress,
    Palace,
    Relation,
    Room,
    Wing,
)
from tests.chat.ledger import Killed, killed_at
from tests.fake_gateway import FakeEmbedder
from tests.memory.mining.spans import BEGAN, NOW, SOURCE, window

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


def rows() -> dict[str, int]:
    return {table.__name__: table.objects.count() for table in TABLES}


def pointer_of_chat() -> int:
    return MiningProgress.objects.get().mined_through


def test_everything_of_a_window_is_there_after_it(as_alice):
    file_window(window(as_alice, embedder=FakeEmbedder()), NOW)
    assert rows() == {
        "Wing": 1, "Room": 1, "Closet": 2, "Drawer": 2, "DrawerWords": 2, "DrawerVector": 2,
        "Fact": 1, "FactSource": 1, "Relation": 1, "MinedWindow": 1, "ActivityEvent": 1,
    }  # fmt: skip
    assert pointer_of_chat() == 2
    source = FactSource.objects.get()
    assert source.drawer.content[source.start : source.end] == "I live in Zürich"


def test_the_ids_that_were_promised_are_the_ids_of_the_drawers(as_alice):
    span = window(as_alice)
    file_window(span, NOW)
    assert set(Drawer.objects.values_list("id", flat=True)) == {each.id for each in span.drafts}


def test_a_window_is_filed_once(as_alice):
    span = window(as_alice)
    file_window(span, NOW)
    before = rows()
    assert file_window(span, NOW) is None
    assert rows() == before


@pytest.mark.parametrize("first", [2, 4])
def test_a_window_that_does_not_follow_the_pointer_is_not_filed(as_alice, first):
    """As when another worker has gone on meanwhile, or one before is missing."""
    file_window(window(as_alice), NOW)
    before = rows()
    assert file_window(window(as_alice, "Later.", first=first), NOW) is None
    assert rows() == before
    assert pointer_of_chat() == 2


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


def test_a_window_without_words_only_moves_the_pointer(as_alice):
    span = window(as_alice)
    nothing = replace(span.extraction, placements=(), facts=(), relations=(), refused=())
    assert file_window(replace(span, drafts=(), extraction=nothing), NOW) is not None
    assert (Drawer.objects.count(), Room.objects.count(), Wing.objects.count()) == (0, 0, 0)
    assert pointer_of_chat() == 2


def test_without_vectors_the_words_are_found_and_the_event_says_so(as_alice):
    file_window(window(as_alice), NOW)
    assert (DrawerVector.objects.count(), DrawerWords.objects.count()) == (0, 2)
    assert ActivityEvent.objects.get().details["notes"] == ["No vectors yet."]


def test_the_event_holds_ids_and_reasons_but_no_words(as_alice):
    event = ActivityEvent.objects.get(id=file_window(window(as_alice), NOW))
    assert (event.kind, event.subject_id, event.at) == ("memory_mined", SOURCE, NOW)
    details = event.details
    assert details["facts"] == [str(Fact.objects.get().id)]
    assert details["relations"] == [str(Relation.objects.get().id)]
    assert details["refused"] == [{"item": "fact", "reason": "Nobody said that."}]
    assert (details["first_sequence"], details["last_sequence"]) == (1, 2)
    assert "Zürich" not in str(details)


def test_the_window_remembers_how_it_was_read_and_why(as_alice):
    file_window(replace(window(as_alice), why_rules="away"), NOW)
    mined = MinedWindow.objects.get()
    assert (mined.method, mined.reason, mined.mined_at) == ("rules", "away", NOW)


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_cut_off_at_any_statement_all_of_it_is_there_or_nothing(as_alice, after):
    file_window(window(as_alice, embedder=FakeEmbedder()), NOW)
    begun = rows()
    later = window(as_alice, "I work at Roche.", "Good.", first=3, embedder=FakeEmbedder())
    for statement in range(1, 200):
        try:
            with killed_at(statement, after=after):
                file_window(later, NOW)
        except Killed:
            if pointer_of_chat() == 4:
                break
            assert rows() == begun
        else:
            break
    assert statement > 10
    assert (Drawer.objects.count(), DrawerWords.objects.count()) == (4, 4)
    assert (MinedWindow.objects.count(), ActivityEvent.objects.count()) == (2, 2)
    assert pointer_of_chat() == 4


def test_what_was_forgotten_after_it_was_read_is_not_filed(as_alice):
    span = window(as_alice)
    said = [(draft.source_message_id, draft.content, draft.said_at) for draft in span.drafts[:1]]
    add_tombstones(as_alice.id, said, uuid7())
    with pytest.raises(ForgottenSince):
        file_window(span, NOW)
    assert set(rows().values()) == {0}


def test_what_the_database_refuses_takes_the_whole_window_with_it(as_alice):
    """A drawer with the message of another: the pointer stays, so that the window is seen."""
    span = window(as_alice)
    first, second = span.drafts
    twice = replace(second, source_message_id=first.source_message_id)
    with pytest.raises(DatabaseError):
        file_window(replace(span, drafts=(first, twice)), NOW)
    assert set(rows().values()) == {0}


def test_each_person_counts_from_one(alice, bob):
    for user in (alice, bob):
        with tenant(user.id):
            file_window(window(user), NOW)
    with tenant(bob.id):
        assert Palace.objects.get(user_id=bob.id).wings_made == 1
        assert Drawer.objects.count() == 2
        assert Drawer.objects.filter(pointer_wing=1, pointer_room=1).count() == 2
