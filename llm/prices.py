"""What a model call costs: the owner's own prices, then the table that `genai-prices` maintains."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from genai_prices import Usage as PricedTokens
from genai_prices import calc_price

MILLION = Decimal(1_000_000)


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens that a model reads, and for a million that it writes."""

    input_usd: Decimal
    output_usd: Decimal

    def cost_usd(self, input_tokens: int, output_tokens: int) -> Decimal:
        """The price of these tokens in US dollars."""
        return (self.input_usd * input_tokens + self.output_usd * output_tokens) / MILLION


@dataclass(frozen=True, slots=True)
class PriceList:
    """Prices by the name of the model. `own` prices come before published ones; `unpublished` is
    what a model costs that nobody publishes a price for, None when that is not known."""

    own: Mapping[str, Price] = field(default_factory=dict)
    unpublished: Decimal | None = None

    def cost_usd(self, model: str, input_tokens: int, output_tokens: int) -> Decimal | None:
        """The price of these tokens in US dollars, or None when it is not known."""
        own = self.own.get(model) or self.own.get(_bare(model))
        if own is not None:
            return own.cost_usd(input_tokens, output_tokens)
        published = published_cost_usd(model, input_tokens, output_tokens)
        return self.unpublished if published is None else published

    def is_free(self, model: str) -> bool:
        """Whether every call of this model is known to cost nothing."""
        return self.cost_usd(model, int(MILLION), int(MILLION)) == 0


def published_cost_usd(model: str, input_tokens: int, output_tokens: int) -> Decimal | None:
    """The published price of these tokens in US dollars, or None when there is none.

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


def _bare(model: str) -> str:
    """The name without the maker before it and the number of dimensions behind it."""
    return model.rpartition("/")[2].partition("@")[0]
