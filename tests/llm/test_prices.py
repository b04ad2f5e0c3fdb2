from decimal import Decimal

import pytest

from llm.prices import Price, PriceList
from llm.prices import published_cost_usd as cost_usd


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


def test_ones_own_prices_come_before_published_ones():
    own = PriceList({"gpt-4o-mini": Price(Decimal(2), Decimal(3)), "a/b": Price(Decimal(1), 0)})
    assert own.cost_usd("openai/gpt-4o-mini", 1_000_000, 500_000) == Decimal("3.5")
    assert own.cost_usd("a/b", 3, 9) == Decimal("0.000003")
    assert own.cost_usd("nobody/nothing", 1, 1) is None


def test_a_name_with_its_dimensions_has_the_price_of_the_name():
    own = PriceList({"home-embed": Price(Decimal(1), Decimal(1))})
    assert own.cost_usd("home-embed@768", 1_000_000, 0) == 1


def test_what_nobody_publishes_a_price_for_may_be_taken_for_free():
    prices = PriceList(unpublished=Decimal(0))
    assert prices.is_free("llama-at-home")
    assert not prices.is_free("gpt-4o-mini")
    assert not PriceList().is_free("llama-at-home")
    assert PriceList({"gpt-4o-mini": Price(Decimal(0), Decimal(0))}).is_free("gpt-4o-mini")
