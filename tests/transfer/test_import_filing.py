from dataclasses import replace
from datetime import timedelta

import pytest

from chat.models import Conversation, Message
from tests.chat.ledger import NOW, chat
from transfer.filing import Outcome, file_conversation, fit_column
from transfer.importing.threads import ImportedMessage

LATER = NOW + timedelta(days=1)
BEGAN = NOW - timedelta(days=30)
BOATS = chat("boats", "A boat!", "Which?")


@pytest.fixture
def file(as_alice):
    """File a chat for Alice; returns the outcome and the number of added messages."""

    def filed(imported, now=NOW):
        result = file_conversation(as_alice.id, imported, now)
        return result.outcome, result.messages

    return filed


def stored():
    return Conversation.objects.get()


def ledger():
    rows = Message.objects.order_by("sequence")
    return list(rows.values_list("sequence", "parent_sequence", "role", "content"))


def test_conversation_is_filed_once(file):
    assert file(BOATS) == (Outcome.NEW, 2)
    conversation = stored()
    assert (conversation.source, conversation.external_id, conversation.title) == ("import", "boats", "Boats")
    assert conversation.last_sequence == conversation.head_sequence == 2
    assert conversation.started_at == BEGAN
    assert conversation.last_message_at == BEGAN + timedelta(minutes=1)
    assert ledger() == [(1, None, "user", "A boat!"), (2, 1, "assistant", "Which?")]
    assert file(BOATS, LATER) == (Outcome.DUPLICATE, 0)
    assert len(ledger()) == 2
    assert stored().mine_requested_at == NOW


def test_new_messages_of_a_grown_conversation_are_appended(file):
    file(BOATS)
    assert file(chat("boats", "A boat!", "Which?", "Petrel.", "Fine."), LATER) == (Outcome.GROWN, 2)
    assert ledger()[2:] == [(3, 2, "user", "Petrel."), (4, 3, "assistant", "Fine.")]
    assert (stored().head_sequence, stored().mine_requested_at) == (4, LATER)


def test_new_branch_is_appended_and_keeps_its_parent(file):
    before = chat("boats", "A boat!", "Which?", "Petrel.")
    file(replace(before, current_leaf="boats-1"))
    assert stored().head_sequence == 2, "the visible branch"
    other = replace(before.messages[1], external_id="other", content="Really?")
    messages = (before.messages[0], before.messages[1], other, before.messages[2])
    assert file(replace(before, messages=messages, current_leaf="other"))[1] == 1
    assert ledger()[-1] == (4, 1, "assistant", "Really?")
    assert stored().head_sequence == 4


def test_visible_branch_of_a_continued_chat_is_not_changed(file, as_alice):
    file(BOATS)
    Message.objects.create(
        user_id=as_alice.id, conversation_id=stored().id, sequence=3, parent_sequence=2,
        role="user", content="Said here", said_at=NOW,
    )  # fmt: skip
    Conversation.objects.update(last_sequence=3, head_sequence=3, last_message_at=NOW)
    assert file(chat("boats", "A boat!", "Which?", "Said there"))[1] == 1
    assert ledger()[2:] == [(3, 2, "user", "Said here"), (4, 2, "user", "Said there")]
    assert (stored().head_sequence, stored().last_message_at) == (3, NOW)


def test_empty_messages_and_chats_are_skipped(file):
    boats = chat("boats", "A boat!", " \n", "Petrel.", "")
    assert file(boats) == (Outcome.NEW, 2)
    assert ledger() == [(1, None, "user", "A boat!"), (2, 1, "user", "Petrel.")]
    assert stored().head_sequence == 2
    assert file(boats) == (Outcome.DUPLICATE, 0)
    for words in ((), ("", "  ")):
        assert file(chat("silence", *words)) == (Outcome.EMPTY, 0)
    assert stored().external_id == "boats"


def message(key, **changes):
    given = {"parent_external_id": None, "role": "assistant", "content": "", "said_at": NOW}
    return ImportedMessage(external_id=key, **(given | changes))


def test_unstorable_characters_are_replaced_in_every_field(file):
    odd, kept = "a\x00b\ud800c", "a\ufffdb\ufffdc"
    parts = {"content": odd, "tool_arguments": odd, "call_id": odd}
    called = message("m", role="tool", tool_name=odd + "n" * 300, model=odd + "m" * 300, **parts)
    file(replace(chat("boats"), title=odd + "t" * 400, project=odd, messages=(called,)))
    row, conversation = Message.objects.get(), stored()
    assert row.content == row.tool_arguments == row.call_id == conversation.project == kept
    assert row.tool_name == kept + "n" * 195
    assert len(row.model) == 120
    assert conversation.title == kept + "t" * 295
    assert fit_column(Message, "content", "\ud83d\ude00") == "😀"


def test_message_without_a_time_gets_that_of_its_chat(file):
    undated = replace(BOATS, messages=(replace(BOATS.messages[0], said_at=None),))
    file(undated)
    assert Message.objects.get().said_at == BEGAN
    file(replace(undated, external_id="t", created_at=None, updated_at=None))
    assert Message.objects.get(conversation__external_id="t").said_at == NOW


def test_memory_opt_out_of_the_other_product_prevents_mining(file):
    file(chat("secret", "Hush.", mine=False))
    assert stored().mine is False


@pytest.mark.parametrize(
    ("words", "title"),
    [
        (("\n A  boat! ", "Which?"), "A boat!"),
        (("船" * 100,), "船" * 59 + "…"),
        (("", "Only the assistant spoke."), ""),
    ],
)
def test_untitled_chat_is_titled_by_its_first_words(file, words, title):
    file(chat("boats", *words, title=" "))
    assert stored().title == title


def test_deleted_chat_is_not_filed_again(file):
    file(BOATS)
    Conversation.objects.update(deleted_at=NOW)
    assert file(chat("boats", "A boat!", "Which?", "Petrel.")) == (Outcome.DUPLICATE, 0)
    assert len(ledger()) == 2


def test_large_chat_is_filed_with_few_queries(file, django_assert_max_num_queries):
    words = [f"Message {number}" for number in range(4_999)] + ["long " * 200_000]
    with django_assert_max_num_queries(25):
        assert file(chat("long", *words))[1] == 5_000
    assert [row[:2] for row in ledger()] == [(n, n - 1 or None) for n in range(1, 5_001)]
    assert Message.objects.get(sequence=5_000).content == words[-1]
