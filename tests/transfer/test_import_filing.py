from dataclasses import replace
from datetime import timedelta

import pytest

from chat.models import Conversation, Message
from tests.chat.ledger import NOW, chat
from transfer.filing import Filed, Outcome, file_conversation, storable_cut
from transfer.importing.types import ImportedMessage


def stored(user):
    return Conversation.objects.get(user_id=user.id)


def ledger(user):
    return list(
        Message.objects.filter(user_id=user.id)
        .order_by("sequence")
        .values_list("sequence", "parent_sequence", "role", "content")
    )


def test_a_conversation_arrives_whole(as_alice):
    filed = file_conversation(as_alice.id, chat("boats", "A boat!", "Which?", "Petrel."), NOW)
    assert filed == Filed(Outcome.NEW, 3)
    conversation = stored(as_alice)
    assert conversation.source == "import"
    assert (conversation.external_id, conversation.title) == ("boats", "Boats")
    assert conversation.last_sequence == conversation.head_sequence == 3
    assert conversation.started_at == NOW - timedelta(days=30)
    assert conversation.last_message_at == NOW - timedelta(days=30) + timedelta(minutes=2)
    assert conversation.mine_requested_at == NOW
    assert ledger(as_alice) == [
        (1, None, "user", "A boat!"),
        (2, 1, "assistant", "Which?"),
        (3, 2, "user", "Petrel."),
    ]


def test_a_second_time_adds_nothing(as_alice):
    boats = chat("boats", "A boat!", "Which?")
    file_conversation(as_alice.id, boats, NOW)
    before = ledger(as_alice), stored(as_alice).mine_requested_at
    later = NOW + timedelta(days=1)
    assert file_conversation(as_alice.id, boats, later) == Filed(Outcome.DUPLICATE)
    assert (ledger(as_alice), stored(as_alice).mine_requested_at) == before


def test_one_that_grew_gets_its_new_messages_behind_the_others(as_alice):
    file_conversation(as_alice.id, chat("boats", "A boat!", "Which?"), NOW)
    later = NOW + timedelta(days=1)
    grown = chat("boats", "A boat!", "Which?", "Petrel.", "A fine one.")
    assert file_conversation(as_alice.id, grown, later) == Filed(Outcome.GROWN, 2)
    assert ledger(as_alice)[2:] == [(3, 2, "user", "Petrel."), (4, 3, "assistant", "A fine one.")]
    conversation = stored(as_alice)
    assert conversation.head_sequence == 4
    assert conversation.mine_requested_at == later


def test_a_branch_added_in_the_middle_goes_to_the_end_and_keeps_its_parent(as_alice):
    before = chat("boats", "A boat!", "Which?", "Petrel.")
    file_conversation(as_alice.id, before, NOW)
    other = replace(before.messages[1], external_id="other", content="Really?")
    messages = (before.messages[0], before.messages[1], other, before.messages[2])
    grown = replace(before, messages=messages, current_leaf="other")
    assert file_conversation(as_alice.id, grown, NOW).messages == 1
    assert ledger(as_alice)[-1] == (4, 1, "assistant", "Really?")
    assert stored(as_alice).head_sequence == 4


def test_a_chat_that_went_on_here_stays_open_where_its_owner_left_it(as_alice):
    file_conversation(as_alice.id, chat("boats", "A boat!", "Which?"), NOW)
    conversation = stored(as_alice)
    Message.objects.create(
        user_id=as_alice.id, conversation_id=conversation.id, sequence=3, parent_sequence=2,
        role="user", content="Said here", said_at=NOW,
    )  # fmt: skip
    Conversation.objects.update(last_sequence=3, head_sequence=3, last_message_at=NOW)
    grown = chat("boats", "A boat!", "Which?", "Said there")
    assert file_conversation(as_alice.id, grown, NOW).messages == 1
    assert ledger(as_alice)[2:] == [(3, 2, "user", "Said here"), (4, 2, "user", "Said there")]
    conversation = stored(as_alice)
    assert (conversation.head_sequence, conversation.last_message_at) == (3, NOW)


def test_the_open_branch_is_the_one_on_show(as_alice):
    boats = chat("boats", "A boat!", "Which?", "Petrel.")
    file_conversation(as_alice.id, replace(boats, current_leaf="boats-1"), NOW)
    assert stored(as_alice).head_sequence == 2


def test_replies_to_an_empty_message_hang_on_what_came_before_it(as_alice):
    boats = chat("boats", "A boat!", " \n", "Petrel.", "")
    assert file_conversation(as_alice.id, boats, NOW) == Filed(Outcome.NEW, 2)
    assert ledger(as_alice) == [(1, None, "user", "A boat!"), (2, 1, "user", "Petrel.")]
    assert stored(as_alice).head_sequence == 2
    assert file_conversation(as_alice.id, boats, NOW) == Filed(Outcome.DUPLICATE)


@pytest.mark.parametrize("words", [(), ("", "  ")])
def test_a_chat_without_a_word_is_left_out(as_alice, words):
    assert file_conversation(as_alice.id, chat("silence", *words), NOW) == Filed(Outcome.EMPTY)
    assert not Conversation.objects.filter(user_id=as_alice.id).exists()


def test_tool_calls_and_results_keep_their_parts(as_alice):
    call = ImportedMessage(
        external_id="c", parent_external_id=None, role="assistant", content="", said_at=NOW,
        tool_name="search", tool_arguments='{"q": "boats"}', call_id="c", model="gpt-9",
    )  # fmt: skip
    result = replace(
        call, external_id="r", parent_external_id="c", role="tool", content="3 boats",
        tool_arguments="", model="",
    )  # fmt: skip
    file_conversation(as_alice.id, replace(chat("tools"), messages=(call, result)), NOW)
    first, second = Message.objects.filter(user_id=as_alice.id).order_by("sequence")
    assert (first.tool_name, first.tool_arguments, first.call_id, first.model) == (
        "search", '{"q": "boats"}', "c", "gpt-9",
    )  # fmt: skip
    assert (second.role, second.content, second.call_id) == ("tool", "3 boats", "c")


def test_words_the_database_cannot_keep_are_replaced_in_every_field(as_alice):
    odd = "a\x00b\ud800c"
    message = ImportedMessage(
        external_id="m", parent_external_id=None, role="tool", content=odd, said_at=NOW,
        tool_name=odd + "n" * 300, tool_arguments=odd, call_id=odd, model=odd + "m" * 300,
    )  # fmt: skip
    boats = replace(chat("boats"), title=odd + "t" * 400, project=odd, messages=(message,))
    file_conversation(as_alice.id, boats, NOW)
    kept, conversation = Message.objects.get(), stored(as_alice)
    assert kept.content == kept.tool_arguments == kept.call_id == "a\ufffdb\ufffdc"
    assert kept.tool_name == "a\ufffdb\ufffdc" + "n" * 195
    assert len(kept.model) == 120
    assert conversation.title.startswith("a\ufffdb\ufffdct")
    assert len(conversation.title) == 300
    assert conversation.project == "a\ufffdb\ufffdc"


def test_a_split_pair_becomes_the_character_it_was(as_alice):
    assert storable_cut(Message, "content", "\ud83d\ude00") == "😀"


def test_a_message_without_a_time_gets_that_of_its_chat(as_alice):
    boats = chat("boats", "A boat!")
    undated = replace(boats, messages=(replace(boats.messages[0], said_at=None),))
    file_conversation(as_alice.id, undated, NOW)
    assert Message.objects.get().said_at == boats.created_at
    timeless = replace(undated, external_id="t", created_at=None, updated_at=None)
    file_conversation(as_alice.id, timeless, NOW)
    assert Message.objects.get(conversation__external_id="t").said_at == NOW


def test_what_the_other_product_was_not_to_remember_is_not_learned_here_either(as_alice):
    file_conversation(as_alice.id, chat("secret", "Hush.", learn=False), NOW)
    assert stored(as_alice).learn is False


@pytest.mark.parametrize(
    ("words", "title"),
    [
        (("\n A  boat! ", "Which?"), "A boat!"),
        (("船" * 100,), "船" * 59 + "…"),
        (("", "Only the assistant spoke."), ""),
    ],
)
def test_a_chat_without_a_title_is_called_by_its_first_words(as_alice, words, title):
    file_conversation(as_alice.id, chat("boats", *words, title=" "), NOW)
    assert stored(as_alice).title == title


def test_a_deleted_chat_does_not_come_back(as_alice):
    file_conversation(as_alice.id, chat("boats", "A boat!"), NOW)
    Conversation.objects.update(deleted_at=NOW)
    grown = chat("boats", "A boat!", "Which?")
    assert file_conversation(as_alice.id, grown, NOW) == Filed(Outcome.DUPLICATE)
    assert len(ledger(as_alice)) == 1


def test_five_thousand_messages_and_a_very_long_one(as_alice, django_assert_max_num_queries):
    words = [f"Message {number}" for number in range(4_999)] + ["long " * 200_000]
    with django_assert_max_num_queries(25):
        filed = file_conversation(as_alice.id, chat("long", *words), NOW)
    assert filed.messages == 5_000
    sequences = Message.objects.order_by("sequence").values_list("sequence", "parent_sequence")
    assert list(sequences) == [(n, n - 1 or None) for n in range(1, 5_001)]
    assert Message.objects.get(sequence=5_000).content == "long " * 200_000
