"""Prompts fit the context window: instructions, memory, the chat and room for the reply."""

import pytest

from accounts.tenancy import tenant
from chat import endpoints
from chat.agents import default_agent
from chat.endpoints import list_site_models, models_for, window_of
from chat.models import Agent, ModelEndpoint
from chat.replies.compaction import HISTORY_TOKENS, MAX_HISTORY_TOKENS, STATE_TOKENS, Shares, shares
from chat.replies.generation import prepare
from chat.replies.jobs import send_message
from llm import current
from llm.tokens import estimate_tokens
from memory.preferences import change_preferences
from tests.chat.conftest import NOW
from tests.chat.replying import QUESTION, add_mined_chat, long_chat
from tests.fake_gateway import FakeChat

MODEL = "a-model-that-nobody-published"
BUDGET = 1_500
CAT = "My cat is called Minka, and {} of her kittens sleep on my cello case in the hall every single night."
PADDING = "and it goes on and on about nothing in particular " * 10


@pytest.fixture
def window(as_alice, embedder):
    """Set the context window that Alice's endpoint lists for its only model; no server runs there."""

    def of(tokens):
        listed = {"base_url": "http://127.0.0.1:9/v1", "secret": b"", "chat_model": MODEL, "tested_at": NOW}
        ModelEndpoint.objects.update_or_create(
            user_id=as_alice.id, defaults=listed | {"offered": {MODEL: tokens}}
        )

    return of


def prompt_tokens(prepared):
    return sum(estimate_tokens(message.content) for message in prepared.request.messages)


def test_unknown_window_gives_default_shares():
    assert shares(None, "", BUDGET, "word " * 20_000) == Shares(BUDGET, HISTORY_TOKENS, STATE_TOKENS)
    assert HISTORY_TOKENS == 12_000


@pytest.mark.parametrize("window", [0, 500, 2_048, 4_096, 8_192, 16_385, 32_768, 128_000, 2_000_000])
@pytest.mark.parametrize("token_budget", [100, BUDGET, 16_000])
def test_shares_leave_room_for_the_reply(window, token_budget):
    share = shares(window, "Be kind. " * 20, token_budget)
    assert 0 <= share.memory <= token_budget
    assert 0 <= share.state <= STATE_TOKENS
    assert 0 <= share.history <= MAX_HISTORY_TOKENS
    assert 2 * share.memory + share.state + share.history <= window * 0.9 - min(
        4_000, window // 4
    ) or not any((share.memory, share.state, share.history))


def test_history_share_grows_with_the_window_up_to_a_limit():
    held = [
        shares(window, "", BUDGET).history for window in (4_096, 8_192, 16_385, 32_768, 128_000, 2_000_000)
    ]
    assert held == sorted(held)
    assert held[3] > HISTORY_TOKENS
    assert held[-2:] == [MAX_HISTORY_TOKENS] * 2
    assert shares(8_192, "Be kind. " * 300, BUDGET).history < held[1]


def test_long_message_reduces_the_memory_share():
    short, long = (shares(8_192, "", BUDGET, "word " * count) for count in (10, 3_500))
    assert long.memory < short.memory
    assert long.history == short.history


@pytest.mark.parametrize("tokens", [4_096, 8_192])
def test_prompt_fits_a_small_window(window, as_alice, conversation, tokens):
    window(tokens)
    change_preferences(as_alice.id, {"token_budget": 8_000, "top_k": 20}, NOW)
    add_mined_chat(as_alice, *(CAT.format(number) for number in range(40)))
    long_chat(conversation, 80, PADDING)
    message, _ = send_message(conversation, QUESTION, NOW)

    prepared = prepare(conversation, message, NOW)

    assert prepared.hits
    first, *turns = prepared.request.messages
    assert "Ottilie-1." in first.content, "from the summary of the chat"
    assert turns[-1].content == QUESTION
    assert len(turns) > 1
    assert prompt_tokens(prepared) < tokens * 3 / 4
    assert prepared.tool_context.settings.token_budget < tokens / 5


def test_history_is_twelve_thousand_tokens_for_an_unknown_window(window, conversation):
    long_chat(conversation, 160, PADDING)
    message, _ = send_message(conversation, "And now?", NOW)

    sent = {}
    for tokens in (None, 1_000_000, 4_096):
        window(tokens)
        sent[tokens] = prompt_tokens(prepare(conversation, message, NOW))

    assert sent[4_096] < 3_000
    assert HISTORY_TOKENS / 2 < sent[None] < HISTORY_TOKENS + STATE_TOKENS
    assert HISTORY_TOKENS < sent[1_000_000] < MAX_HISTORY_TOKENS + STATE_TOKENS


def test_window_is_that_of_the_replying_model(window, as_alice, conversation):
    window(4_096)
    user_id = as_alice.id
    assert window_of(user_id, "") == window_of(user_id, MODEL) == 4_096
    assert window_of(user_id, "gpt-4o-mini") == window_of(user_id, "openai/gpt-4o-mini") == 128_000
    assert window_of(user_id, "another-that-nobody-published") is None
    Agent.objects.filter(id=default_agent(user_id).id).update(model="gpt-4o-mini")
    long_chat(conversation, 60, PADDING)
    message, _ = send_message(conversation, "And now?", NOW)
    assert prompt_tokens(prepare(conversation, message, NOW)) > 4_096
    ModelEndpoint.objects.all().delete()
    assert window_of(user_id, "gpt-4o-mini") is None, "no model is connected"


def test_expired_model_list_still_gives_windows(alice, monkeypatch):
    listing = FakeChat()
    monkeypatch.setattr(listing, "models", lambda: {MODEL: 8_192})
    monkeypatch.setattr(endpoints, "_site_models", {})
    with tenant(alice.id), current.using(chat=listing):
        assert window_of(alice.id, MODEL) is None
        list_site_models()
        assert window_of(alice.id, MODEL) == 8_192
        monkeypatch.setattr(endpoints, "MODEL_LIST_TTL_S", -1.0)
        assert models_for(alice.id) == {}
        assert window_of(alice.id, MODEL) == 8_192
