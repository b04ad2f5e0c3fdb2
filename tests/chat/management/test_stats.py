import json

import pytest
from django.core.management import CommandError

from accounts.tenancy import tenant
from chat.mining.drain import drain
from chat.models import Conversation
from memory.forgetting.trash import delete
from memory.models import Drawer, MiningProgress
from tests.chat.ledger import NOW, chat
from tests.commands import run_command
from transfer.filing import file_conversation

WORDS = ("I live in Porto.", "Good.", "My favourite tea is jasmine.", "Noted.")


def stats(*options):
    return run_command("stats --user alice@example.org", *options)


def test_stats_count_stored_rows_unmined_messages_and_dead_letters(alice, bob, embedder):
    assert set(json.loads(stats("--json")).values()) == {0}
    for user in (alice, bob):
        with tenant(user.id):
            file_conversation(user.id, chat("one", *WORDS), NOW)
            drain(user.id, lambda: NOW, lambda left: None)
    with tenant(alice.id):
        file_conversation(alice.id, chat("two", "More.", "Yes."), NOW)
        file_conversation(alice.id, chat("three", "Given up."), NOW)
        dead = Conversation.objects.get(external_id="three")
        MiningProgress.objects.create(
            user_id=alice.id, source_kind="conversation", source_id=dead.id, state="dead"
        )
    counts = json.loads(stats("--json"))
    assert counts.pop("relations") >= 1
    assert counts.pop("facts") >= 1
    assert (counts.pop("closets"), counts.pop("entities")) >= (1, 1)
    assert counts == {
        "conversations": 3, "messages": 7, "drawers": 4, "vectors": 4, "wings": 1, "rooms": 1,
        "unmined_messages": 3, "dead_jobs": 1,
    }  # fmt: skip
    assert "unmined messages: 3\n" in stats()
    with tenant(alice.id):
        delete(alice.id, "wing", Drawer.objects.first().wing_id, NOW)
        Conversation.objects.update(deleted_at=NOW)
    counts = json.loads(stats("--json"))
    gone = ("drawers", "vectors", "facts", "relations", "conversations", "messages")
    assert {counts[name] for name in gone} == {0}


def test_unknown_user_is_an_error(db):
    with pytest.raises(CommandError, match=r"^There is no account"):
        stats()
