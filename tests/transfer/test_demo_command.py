import io

import pytest
from django.core.management import CommandError, call_command

from accounts.tenancy import tenant
from chat.models import Conversation
from memory.models import Drawer


def demo(*arguments):
    out = io.StringIO()
    call_command("demo", *arguments, "--user", "alice@example.org", stdout=out)
    return out.getvalue()


def test_it_loads_for_the_worker_to_mine_and_removes(alice, queued):
    assert demo("load") == "14 demo chats were added.\n"
    assert queued() == [("mine", (str(alice.id),))]
    assert demo("remove") == "The demo palace is removed.\n"
    with tenant(alice.id):
        assert not Conversation.objects.exists()
    assert demo("remove") == "The demo palace is not loaded.\n"


def test_waiting_it_mines_here(alice, embedder):
    demo("load", "--wait")
    with tenant(alice.id):
        assert Drawer.objects.count() > 100


def test_another_word_is_refused(alice):
    with pytest.raises(CommandError, match="invalid choice"):
        demo("rename")
