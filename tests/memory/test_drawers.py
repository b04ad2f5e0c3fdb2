from datetime import UTC, datetime

import pytest
from django.db import transaction
from uuid_utils.compat import uuid7

from memory.aaak import Pointer, Tags
from memory.drawers import DraftDrawer, Place, file_drawers, find_by_pointer, pointer_of, tags_of
from memory.models import Drawer, DrawerWords
from memory.placement import Source, closet_for, lock_palace, mint_pointers, room_for, wing_for
from memory.search.queries import matching
from memory.text.tokenization import query_words
from tests.drills.ledger import NOW

TAGS = Tags(people=("Wang Min",), places=("上海",), items=("~tilde~",), times=("next May",))


def draft(content, **changes):
    given = {
        "content": content, "role": "user", "said_at": NOW, "topic": "T",
        "source_kind": "conversation", "source_id": uuid7(), "source_message_id": uuid7(),
        "source_sequence": 1,
    }  # fmt: skip
    return DraftDrawer(**{**given, **changes})


@pytest.fixture
def place(as_alice):
    wing = wing_for(lock_palace(as_alice.id), "topic", "Sailing")
    room = room_for(wing, Source("conversation", uuid7(), "Chat", NOW, NOW))
    (pointer,) = mint_pointers(wing, room, 1)
    return Place(room, closet_for(room, "T"), pointer)


def test_a_drawer_keeps_everything_and_is_found_by_words_tags_and_speaker(as_alice, place):
    at = datetime(1, 1, 2, tzinfo=UTC)
    given = draft("  Ahoy\n😀  ", tags=TAGS, speaker="Olga", said_at=at)
    (made,) = file_drawers(as_alice.id, [(given, place)])
    kept = Drawer.objects.get()
    assert (kept.id, kept.content, kept.speaker, kept.said_at) == (made.id, "  Ahoy\n😀  ", "Olga", at)
    assert (tags_of(kept), pointer_of(kept)) == (TAGS, Pointer(1, 1, 1))
    assert kept.token_count > 0
    for asked in ("ahoy", "Wang Min", "上海", "Olga"):
        assert len(matching(as_alice.id, query_words(asked), 5)) == 1


def test_a_pointer_finds_its_drawer_and_no_other(as_alice, place):
    (made,) = file_drawers(as_alice.id, [(draft("Ahoy"), place)])
    assert find_by_pointer(as_alice.id, Pointer(1, 1, 1)) == made
    for pointer in (Pointer(1, 1, 2), Pointer(2, 1, 1), Pointer(999_999_999, 1, 1)):
        assert find_by_pointer(as_alice.id, pointer) is None


@pytest.mark.parametrize(
    "content", ["w" * 1_000_000, "слово " * 200_000, "字" * 400_000, "a1 " * 300_000, "\u0301" * 9]
)
def test_the_longest_words_can_be_indexed(as_alice, place, content):
    with transaction.atomic():
        file_drawers(as_alice.id, [(draft(content), place)])
    assert Drawer.objects.get().content == content
    assert DrawerWords.objects.get().length >= 1
