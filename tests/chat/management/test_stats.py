import io
import json

import pytest
from django.core.management import CommandError, call_command

from accounts.tenancy import tenant
from chat.mining.drain import catch_up
from chat.models import Conversation
from memory.forgetting.trash import delete
from memory.models import Drawer, MiningProgress
from tests.chat.ledger import NOW, chat
from transfer.filing import file_conversation

WORDS = ("I live in Porto.", "Good.", "My favourite tea is jasmine.", "Noted.")


def stats(*options):
    out = io.StringIO()
    call_command("stats", "--user", "alice@example.org", *options, stdout=out)
    return out.getvalue()


def test_an_empty_palace_counts_nothing(alice):
    assert json.loads(stats("--json")) == dict.fromkeys(
        (
            "wings", "rooms", "closets", "drawers", "vectors", "facts", "entities", "relations",
            "conversations", "messages", "unmined_messages", "dead_jobs",
        ),
        0,
    )  # fmt: skip


def test_it_counts_what_is_there_and_what_waits(alice, bob, embedder):
    with tenant(alice.id):
        file_conversation(alice.id, chat("one", *WORDS), NOW)
        catch_up(alice.id, lambda: NOW, lambda left: None)
        file_conversation(alice.id, chat("two", "More.", "Yes."), NOW)
        file_conversation(alice.id, chat("three", "Given up."), NOW)
        dead = Conversation.objects.get(external_id="three")
        MiningProgress.objects.create(
            user_id=alice.id, source_kind="conversation", source_id=dead.id, state="dead"
        )
    with tenant(bob.id):
        file_conversation(bob.id, chat("one", *WORDS), NOW)
    counts = json.loads(stats("--json"))
    assert (counts["conversations"], counts["messages"]) == (3, 7)
    assert (counts["drawers"], counts["vectors"]) == (4, 4)
    assert (counts["wings"], counts["rooms"]) == (1, 1)
    assert (counts["unmined_messages"], counts["dead_jobs"]) == (3, 1)
    assert counts["facts"] == 2
    assert counts["relations"] >= 1


def test_the_trash_and_deleted_chats_do_not_count(alice, embedder):
    with tenant(alice.id):
        file_conversation(alice.id, chat("one", *WORDS), NOW)
        catch_up(alice.id, lambda: NOW, lambda left: None)
        delete(alice.id, "wing", Drawer.objects.first().wing_id, NOW)
        Conversation.objects.update(deleted_at=NOW)
    counts = json.loads(stats("--json"))
    left = ("drawers", "vectors", "facts", "relations", "conversations", "messages")
    assert [counts[name] for name in left] == [0] * 6


def test_without_json_it_is_for_people(alice):
    assert "unmined messages: 0\n" in stats()


def test_an_unknown_person_is_told_in_a_sentence(db):
    with pytest.raises(CommandError, match=r"^There is no account"):
        stats()
