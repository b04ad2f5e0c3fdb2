"""What a model call costs: the deployment's own prices, then the published table of `genai-prices`."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from genai_prices import Usage as PricedTokens
from genai_prices import calc_price
from genai_prices.types import PriceCalculation
from pydantic import BaseModel

from llm.tokens import estimate_tokens
from llm.types import Usage

MILLION = Decimal(1_000_000)


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million input tokens and per million output tokens."""

    input_usd: Decimal
    output_usd: Decimal

    def cost_usd(self, input_tokens: int, output_tokens: int) -> Decimal:
        return (self.input_usd * input_tokens + self.output_usd * output_tokens) / MILLION


@dataclass(frozen=True, slots=True)
class PriceList:
    """Prices by model name. `own` prices override published ones; a model with neither costs `unpublished`
    dollars, None if unknown."""

    own: Mapping[str, Price] = field(default_factory=dict)
    unpublished: Decimal | None = None

    def cost_usd(self, model: str, input_tokens: int, output_tokens: int) -> Decimal | None:
        """The price of these tokens in US dollars, or None if it is unknown."""
        bare_name = model.rpartition("/")[2].partition("@")[0]  # without vendor or number of dimensions
        own = self.own.get(model) or self.own.get(bare_name)
        if own is not None:
            return own.cost_usd(input_tokens, output_tokens)
        published = published_cost_usd(model, input_tokens, output_tokens)
        return self.unpublished if published is None else published

    def is_free(self, model: str) -> bool:
        return self.cost_usd(model, int(MILLION), int(MILLION)) == 0


class TokenCounts(BaseModel):
    """Tokens as the endpoint counted them."""

    prompt_tokens: int = 0
    completion_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Bill:
    """Meters one chat request: its body as sent to the endpoint, and the prices."""

    body: Mapping[str, Any]
    prices: PriceList
    started: float = field(default_factory=time.monotonic)

    def usage(self, counts: TokenCounts | None, text: str) -> Usage:
        """The usage by the endpoint's counts, or estimated from the prompt and the reply."""
        model = str(self.body["model"])
        is_counted = counts is not None and counts.prompt_tokens + counts.completion_tokens > 0
        if counts is None or not is_counted:
            prompt = sum(estimate_tokens(_text(each.get("content"))) for each in self.body["messages"])
            counts = TokenCounts(prompt_tokens=prompt, completion_tokens=estimate_tokens(text))
        return Usage(
            model=model,
            input_tokens=counts.prompt_tokens,
            output_tokens=counts.completion_tokens,
            latency_ms=elapsed_ms(self.started),
            cost_usd=self.prices.cost_usd(model, counts.prompt_tokens, counts.completion_tokens),
            estimated=not is_counted,
        )


def elapsed_ms(started: float) -> int:
    """Milliseconds since `started`, a reading of `time.monotonic`."""
    return round((time.monotonic() - started) * 1000)


def published_cost_usd(model: str, input_tokens: int, output_tokens: int) -> Decimal | None:
    """The published price of these tokens in US dollars, or None if there is none.

    Understands aggregators' names such as "openai/gpt-4o-mini".
    """
    found = _published(model, PricedTokens(input_tokens=input_tokens, output_tokens=output_tokens))
    return found.total_price if found else None


def published_window(model: str) -> int | None:
    """How many tokens the model reads at once, or None if that is not published."""
    found = _published(model, PricedTokens())
    return found.model.context_window if found else None


def _published(model: str, tokens: PricedTokens) -> PriceCalculation | None:
    maker, slash, name = model.partition("/")
    known = ((model, "openrouter"), (name, maker)) if slash else ((model, None), (model, "openai"))
    for name, provider in known:
        try:
            return calc_price(tokens, name, provider_id=provider)
        except LookupError:
            continue
    return None


def _text(content: object) -> str:
    """The text of a message; images and audio among its parts are not estimated."""
    if isinstance(content, list):
        parts = (part for part in content if isinstance(part, Mapping))
        return "\n".join(str(part.get("text") or "") for part in parts)
    return content if isinstance(content, str) else ""
