"""Adding to the ledger, renaming, closing, deleting."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from accounts.models import User
from accounts.tenancy import tenant
from chat.branches import NoSuchMessage, branch, messages_of
from chat.conversations import (
    LONGEST_MESSAGE,
    ROOT,
    Choices,
    ConversationGone,
    MessageRefused,
    NewMessage,
    append,
    close,
    conversations_of,
    find,
    remember_now,
    show_branch,
    start,
)
from chat.mining.run import mine_person
from chat.models import Conversation, Message
from chat.retention import remove
from chat.titles import rename, title_of
from llm.fake_gateway import FakeEmbedder
from memory.forgetting import trash
from memory.models import Drawer
from tests.chat.conftest import NOW


def said(conversation: Conversation, words: str, role: str = "user", **more: object) -> Message:
    return append(conversation, NewMessage(role, words, **more), NOW)  # type: ignore[arg-type]


def test_messages_are_numbered_without_gaps_and_follow_one_another(
    conversation: Conversation,
) -> None:
    for number in range(1, 4):
        message = said(conversation, f"Message {number}")
        assert (message.sequence, message.parent_sequence) == (number, number - 1 or None)
    conversation.refresh_from_db()
    assert (conversation.last_sequence, conversation.head_sequence) == (3, 3)


def test_the_words_are_kept_as_they_were_said(conversation: Conversation) -> None:
    words = "  Zeile eins\n\n\tحفظ الكلمات 我在面包店 🎻  "
    assert said(conversation, words).content == words


def test_what_a_database_cannot_hold_is_replaced_and_the_rest_kept(
    conversation: Conversation,
) -> None:
    message = said(conversation, "before\x00after \ud83d and \ud83c\udfbb")
    message.refresh_from_db()
    assert message.content == "before\ufffdafter \ufffd and 🎻"


def test_a_message_of_a_megabyte_is_kept_whole(conversation: Conversation) -> None:
    words = "All about bread. " * 65_000
    message = said(conversation, words)
    message.refresh_from_db()
    assert len(words) > 1_048_576
    assert message.content == words


def test_a_message_beyond_the_limit_is_refused_and_changes_nothing(
    conversation: Conversation,
) -> None:
    with pytest.raises(MessageRefused, match="Send it in parts"):
        said(conversation, "x" * (LONGEST_MESSAGE + 1))
    assert conversation.last_sequence == 0
    assert not messages_of(conversation).exists()


def test_nothing_is_added_to_a_deleted_conversation(conversation: Conversation) -> None:
    remove(conversation, NOW, forget_too=False)
    with pytest.raises(ConversationGone):
        said(conversation, "Too late")


def test_nothing_follows_a_message_that_is_not_there(conversation: Conversation) -> None:
    said(conversation, "One")
    with pytest.raises(NoSuchMessage):
        said(conversation, "Two", parent=7)
    conversation.refresh_from_db()
    assert conversation.last_sequence == 1


@pytest.mark.django_db(transaction=True)
def test_many_that_add_at_once_leave_no_gap(alice: User) -> None:
    with tenant(alice.id):
        conversation = start(alice.id, Choices(), NOW)
    ready = threading.Barrier(8)

    def add(number: int) -> None:
        try:
            with tenant(alice.id):
                mine = find(alice.id, conversation.id)
                ready.wait(60)
                for turn in range(5):
                    said(mine, f"{number}-{turn}")
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as crowd:
        list(crowd.map(add, range(8)))
    with tenant(alice.id):
        rows = messages_of(conversation).order_by("sequence")
        sequences = list(rows.values_list("sequence", flat=True))
        assert sequences == list(range(1, 41))
        assert len(branch(find(alice.id, conversation.id))) == 40
        assert set(rows.values_list("content", flat=True)) == {
            f"{number}-{turn}" for number in range(8) for turn in range(5)
        }


def test_the_title_is_made_of_the_first_words_of_the_person(conversation: Conversation) -> None:
    said(conversation, "Hello, how may I help?", role="assistant")
    said(conversation, "My sister\n\nAnn   moved to Lisbon")
    said(conversation, "And something else")
    assert conversation.title == "My sister Ann moved to Lisbon"


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("", ""),
        ("short", "short"),
        ("word " * 30, "word word word word word word word word word word word…"),
        ("面包" * 60, "面包" * 29 + "面…"),
        ("x" * 2_000_000, "x" * 59 + "…"),
    ],
)
def test_titles_are_cut_between_words(words: str, title: str) -> None:
    assert title_of(words) == title


def test_an_empty_title_brings_the_first_words_back(conversation: Conversation) -> None:
    said(conversation, "About bread")
    rename(conversation, "  Something\nelse  ", NOW)
    assert conversation.title == "Something else"
    rename(conversation, "   ", NOW)
    assert conversation.title == "About bread"


def test_a_branch_can_be_shown_again(conversation: Conversation) -> None:
    said(conversation, "Question")
    said(conversation, "First answer", role="assistant")
    said(conversation, "Thanks")
    said(conversation, "Second answer", role="assistant", parent=1)
    assert [each.sequence for each in branch(conversation)] == [1, 4]
    show_branch(conversation, 2)
    assert [each.sequence for each in branch(conversation)] == [1, 2, 3]
    said(conversation, "And now?")
    assert [each.sequence for each in branch(conversation)] == [1, 2, 3, 5]


def test_a_first_message_can_have_another_version(conversation: Conversation) -> None:
    said(conversation, "Question")
    again = said(conversation, "The same in other words", parent=ROOT)
    assert again.parent_sequence is None
    assert [each.content for each in branch(conversation)] == ["The same in other words"]


def test_the_list_is_searched_by_words_of_the_title(as_alice: User) -> None:
    for words in ("Bread and butter", "Bread alone", "Über Käse"):
        said(start(as_alice.id, Choices(), NOW), words)
    assert {each.title for each in conversations_of(as_alice.id, "bread BUTTER")} == {"Bread and butter"}
    assert {each.title for each in conversations_of(as_alice.id, "käse")} == {"Über Käse"}
    assert conversations_of(as_alice.id).count() == 3


def test_closing_and_asking_queue_the_mining(
    conversation: Conversation, queued, django_capture_on_commit_callbacks
) -> None:
    said(conversation, "Something to remember")
    for ask in (close, remember_now):
        with django_capture_on_commit_callbacks(execute=True):
            ask(conversation, NOW)
        assert queued() == [("mine", (str(conversation.user_id),))]


def test_a_message_opens_a_closed_conversation(conversation: Conversation) -> None:
    close(conversation, NOW)
    said(conversation, "One more thing")
    conversation.refresh_from_db()
    assert conversation.closed_at is None


@pytest.fixture
def mined(conversation: Conversation, embedder: FakeEmbedder) -> Conversation:
    said(conversation, "My cat is called Minka and she is grey.")
    remember_now(conversation, timezone.now())
    mine_person(conversation.user_id, timezone.now, timedelta(seconds=30))
    assert Drawer.objects.live().filter(source_id=conversation.id).count() == 1
    return conversation


def test_deleting_a_chat_keeps_what_was_remembered(mined: Conversation) -> None:
    assert remove(mined, NOW, forget_too=False) == 0
    assert Drawer.objects.live().filter(source_id=mined.id).count() == 1
    with pytest.raises(ConversationGone):
        find(mined.user_id, mined.id)


def test_deleting_a_chat_can_forget_what_was_remembered(mined: Conversation) -> None:
    assert remove(mined, NOW, forget_too=True) == 1
    gone = Drawer.objects.get(source_id=mined.id)
    assert gone.deleted_at is not None
    assert gone.deletion_id is not None
    trash.undo(mined.user_id, gone.deletion_id, NOW)
    assert Drawer.objects.live().filter(source_id=mined.id).count() == 1


def test_a_chat_is_nobody_elses(conversation: Conversation, bob: User) -> None:
    with tenant(bob.id), pytest.raises(ConversationGone):
        find(bob.id, conversation.id)
    with tenant(bob.id):
        assert not Conversation.objects.filter(id=conversation.id).exists()
