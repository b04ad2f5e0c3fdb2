"""Every way in which a reply can fail, and what is said instead."""

import pytest
from django.db import DatabaseError

from accounts.models import User
from chat.models import MEMORY_ONLY, Conversation, Message
from chat.replies import recall
from chat.replies.generation import answer, in_words
from chat.replies.jobs import ask
from chat.replies.prompts import NOTHING_FOUND
from chat.replies.recall import MEMORY_FAILED
from llm.errors import (
    EmbedderUnavailable,
    ModelRateLimited,
    ModelRefused,
    ModelReplyInvalid,
    ModelTimeout,
    ModelUnavailable,
    NoEndpoint,
)
from llm.fake_gateway import BrokenReply, FakeChat, FakeEmbedder
from tests.chat.conftest import NOW
from tests.chat.replying import CAT, asked, remembered


def test_without_a_model_the_best_drawers_are_quoted_word_for_word(
    as_alice: User, conversation: Conversation, embedder: FakeEmbedder
) -> None:
    remembered(as_alice, CAT)
    reply = asked(conversation)
    assert reply.model == MEMORY_ONLY
    assert reply.content.startswith("No language model is connected.")
    assert f"> {CAT}" in reply.content
    assert "— You, 2 May 2025, " in reply.content
    assert "§ W-001/R-01/D-001" in reply.content
    assert reply.notice == ""


def test_without_a_model_and_without_a_memory_it_says_so(
    conversation: Conversation, embedder: FakeEmbedder
) -> None:
    reply = asked(conversation)
    assert reply.content == f"No language model is connected. {NOTHING_FOUND}"


@pytest.mark.parametrize(
    "failure",
    [
        ModelUnavailable("x"),
        ModelTimeout("x"),
        ModelRateLimited("x", retry_after=3.0),
        ModelRefused("x", status=401),
        ModelReplyInvalid("x"),
    ],
)
def test_when_the_model_fails_memory_answers_and_says_why(
    as_alice: User, conversation: Conversation, model: FakeChat, failure: ModelUnavailable
) -> None:
    remembered(as_alice, CAT)
    model.fail_with(failure)
    reply = asked(conversation)
    assert reply.model == MEMORY_ONLY
    assert f"> {CAT}" in reply.content
    assert reply.notice == in_words(failure)
    assert reply.content.startswith(reply.notice)
    model.fail_with(None)
    model.script("Minka!")
    again = answer(conversation, ask(conversation, 1, NOW), NOW)
    assert again is not None
    assert (again.content, again.parent_sequence) == ("Minka!", 1)


def test_every_failure_has_words_of_its_own() -> None:
    failures = (
        NoEndpoint(),
        ModelTimeout("x"),
        ModelRateLimited("x"),
        ModelRefused("x"),
        ModelReplyInvalid("x"),
        ModelUnavailable("x"),
    )
    words = [in_words(failure) for failure in failures]
    assert len(set(words)) == len(words)
    assert all(each.endswith(".") for each in words)


def test_a_database_that_fails_costs_the_memory_and_not_the_reply(
    conversation: Conversation, model: FakeChat, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise DatabaseError

    monkeypatch.setattr(recall, "recall", broken)
    model.script("Still here.")
    reply = asked(conversation)
    assert (reply.content, reply.notice) == ("Still here.", MEMORY_FAILED)
    assert reply.status == Message.Status.COMPLETE


def test_without_an_embedder_words_are_still_found_and_it_says_so(
    as_alice: User, conversation: Conversation, model: FakeChat, embedder: FakeEmbedder
) -> None:
    remembered(as_alice, CAT)
    embedder.fail_with(EmbedderUnavailable("The weights are missing."))
    model.script("She does.")
    reply = asked(conversation, "Does Minka sleep on my cello case?")
    assert CAT in model.requests[-1].messages[0].content
    assert reply.content == "She does."
    assert reply.notice


def test_an_empty_reply_is_a_failure(conversation: Conversation, model: FakeChat) -> None:
    model.script("  \n")
    reply = asked(conversation)
    assert reply.status == Message.Status.FAILED
    assert "empty" in reply.notice


def test_a_broken_whole_reply_makes_way_for_memory(conversation: Conversation, model: FakeChat) -> None:
    model.script(BrokenReply("Half", ModelUnavailable("gone")))
    assert asked(conversation).model == MEMORY_ONLY
