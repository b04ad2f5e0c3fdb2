"""What has to be paid for a request to a chat model, as counted by the endpoint or estimated."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from llm.openai_replies import TokenCounts
from llm.prices import PriceList
from llm.tokens import estimate_tokens
from llm.types import Usage


@dataclass(frozen=True, slots=True)
class Bill:
    """What has to be paid for one request: its body as the endpoint reads it, and the prices."""

    body: Mapping[str, Any]
    prices: PriceList
    started: float = field(default_factory=time.monotonic)

    def usage(self, counts: TokenCounts | None, text: str) -> Usage:
        """The tokens as the endpoint counted them, or estimated from the prompt and the reply."""
        model = str(self.body["model"])
        known = counts is not None and counts.prompt_tokens + counts.completion_tokens > 0
        if counts is None or not known:
            counts = TokenCounts(
                prompt_tokens=_prompt_tokens(self.body["messages"]),
                completion_tokens=estimate_tokens(text),
            )
        return Usage(
            model=model,
            input_tokens=counts.prompt_tokens,
            output_tokens=counts.completion_tokens,
            latency_ms=round((time.monotonic() - self.started) * 1000),
            cost_usd=self.prices.cost_usd(model, counts.prompt_tokens, counts.completion_tokens),
            estimated=not known,
        )


def _prompt_tokens(messages: Iterable[Mapping[str, Any]]) -> int:
    return sum(estimate_tokens(_text(message.get("content"))) for message in messages)


def _text(content: object) -> str:
    """The words of a message; pictures and sounds among its parts are not estimated."""
    if isinstance(content, list):
        parts = (part for part in content if isinstance(part, Mapping))
        return "\n".join(str(part.get("text") or "") for part in parts)
    return content if isinstance(content, str) else ""
