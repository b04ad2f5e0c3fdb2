"""What a model call costs, from the price table that `genai-prices` maintains and ships."""

from decimal import Decimal

from genai_prices import Usage as PricedTokens
from genai_prices import calc_price


def cost_usd(model: str, input_tokens: int, output_tokens: int) -> Decimal | None:
    """The price of these tokens in US dollars, or None when nobody publishes one for the model.

    Names in the style of aggregators ("openai/gpt-4o-mini") are understood.
    """
    tokens = PricedTokens(input_tokens=input_tokens, output_tokens=output_tokens)
    for name, provider in _readings(model):
        try:
            return calc_price(tokens, name, provider_id=provider).total_price
        except LookupError:
            continue
    return None


def _readings(model: str) -> tuple[tuple[str, str | None], ...]:
    maker, slash, name = model.partition("/")
    if slash:
        return ((model, "openrouter"), (name, maker))
    return ((model, None), (model, "openai"))
