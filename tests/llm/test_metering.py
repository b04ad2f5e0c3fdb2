from decimal import Decimal

import pytest

from llm.metering import Bill, Price, PriceList, TokenCounts, published_cost_usd

MILLION = 1_000_000
OWN = PriceList({"gpt-4o-mini": Price(Decimal(2), Decimal(3)), "a/b": Price(Decimal(1), Decimal(0))})


def test_only_known_models_have_published_prices():
    for model in ("gpt-4o-mini", "openai/gpt-4o-mini", "anthropic/claude-haiku-4.5"):
        small, large = published_cost_usd(model, MILLION, 0), published_cost_usd(model, MILLION, MILLION)
        assert Decimal("0.05") < small < large
    assert [published_cost_usd(model, MILLION, 0) for model in ("", "/", "llama-at-home")] == [None] * 3


@pytest.mark.parametrize(
    ("model", "tokens", "cost"),
    [
        ("openai/gpt-4o-mini", (MILLION, 500_000), Decimal("3.5")),
        ("gpt-4o-mini@768", (MILLION, 0), 2),
        ("a/b", (3, 9), Decimal("0.000003")),
        ("nobody/nothing", (1, 1), None),
    ],
)
def test_own_prices_come_before_published_ones(model, tokens, cost):
    assert OWN.cost_usd(model, *tokens) == cost


def test_unpublished_models_may_be_free():
    prices = PriceList(unpublished=Decimal(0))
    assert prices.is_free("llama-at-home")
    assert not prices.is_free("gpt-4o-mini")
    assert not PriceList().is_free("llama-at-home")
    assert PriceList({"gpt-4o-mini": Price(Decimal(0), Decimal(0))}).is_free("gpt-4o-mini")


def test_a_bill_prefers_the_counts_of_the_endpoint():
    parts = [{"type": "text", "text": "four words are here"}, {"type": "image_url", "image_url": {}}]
    bill = Bill({"model": "a/b", "messages": [{"content": parts}, {"content": None}]}, OWN)
    counted = bill.usage(TokenCounts(prompt_tokens=MILLION, completion_tokens=7), "ignored")
    assert (counted.output_tokens, counted.cost_usd, counted.estimated) == (7, Decimal(1), False)
    estimated = bill.usage(TokenCounts(), "two words")
    assert estimated.estimated
    assert 3 <= estimated.input_tokens <= 6
    assert 1 <= estimated.output_tokens <= 4
