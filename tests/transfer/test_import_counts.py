"""What comes into the ledger of every export there is, against what plain JSON says is in it."""

from collections import Counter

import pytest
from django.utils import timezone

from chat.models import Conversation, Message
from tests.transfer.importing.exports import NO_CHATS, export_files
from tests.transfer.importing.tallies import Tally, tally
from transfer.importing.archives import ImportUnreadable
from transfer.imports import import_file, run_of_file
from transfer.models import ImportRun

FILES = export_files()


def imported(user_id, path):
    with run_of_file(user_id, path, timezone.now()) as run:
        return import_file(run, path, timezone.now)


def forks(chat):
    replies = Counter(chat.messages.values_list("parent_sequence", flat=True))
    return sum(count - 1 for count in replies.values())


def in_the_ledger(run):
    calls = Message.objects.filter(role="assistant").exclude(tool_name="")
    chats = Conversation.objects.all()
    return Tally(
        conversations=chats.count(),
        messages=Message.objects.count(),
        branches=sum(map(forks, chats)),
        calls=calls.count(),
        refused=run.refused,
    )


@pytest.mark.parametrize(
    "path", [path for path in FILES if path.name not in NO_CHATS], ids=lambda path: path.name
)
def test_what_a_file_holds_comes_in_whole_and_once(as_alice, path):
    run = imported(as_alice.id, path)
    assert run.state == ImportRun.State.DONE
    assert in_the_ledger(run) == tally(path)
    assert (run.conversations, run.messages) == (
        Conversation.objects.count(),
        Message.objects.count(),
    )
    for chat in Conversation.objects.all():
        sequences = list(chat.messages.order_by("sequence").values_list("sequence", flat=True))
        assert sequences == list(range(1, chat.last_sequence + 1))
        assert 1 <= chat.head_sequence <= chat.last_sequence
        above = chat.messages.exclude(parent_sequence=None)
        assert all((message.parent_sequence or 0) < message.sequence for message in above)
    again = imported(as_alice.id, path)
    assert (again.messages, again.conversations, again.grown) == (0, 0, 0)
    assert Message.objects.count() == run.messages


@pytest.mark.parametrize(
    "path", [path for path in FILES if path.name in NO_CHATS], ids=lambda path: path.name
)
def test_what_lies_beside_chats_is_none_and_said_so(as_alice, path):
    with pytest.raises(ImportUnreadable, match="not an export of chats"):
        imported(as_alice.id, path)
    assert not ImportRun.objects.exists()
