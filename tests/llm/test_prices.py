from decimal import Decimal

import pytest

from llm.prices import cost_usd


@pytest.mark.parametrize("model", ["gpt-4o-mini", "openai/gpt-4o-mini"])
def test_a_known_chat_model_has_a_price_that_grows_with_the_tokens(model):
    small, large = cost_usd(model, 1_000_000, 0), cost_usd(model, 1_000_000, 1_000_000)
    assert small is not None
    assert large is not None
    assert Decimal("0.05") < small < Decimal(1)
    assert large > small


@pytest.mark.parametrize(
    "model",
    ["text-embedding-3-small", "openai/text-embedding-3-small", "anthropic/claude-haiku-4.5"],
)
def test_embedding_models_and_other_makers_have_prices(model):
    cost = cost_usd(model, 1_000_000, 0)
    assert cost is not None
    assert cost > 0


@pytest.mark.parametrize("model", ["", "/", "llama-at-home", "nobody/nothing"])
def test_an_unknown_model_has_none(model):
    assert cost_usd(model, 1000, 1000) is None
