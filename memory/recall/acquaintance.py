"""The profile of the person, for whatever room the drawers leave in the budget."""

import re

from llm.tokens import estimate_tokens
from memory.projections.profile import prose_of
from memory.recall.types import RecallRequest

SHARE = 4
LEAST_TOKENS = 12

_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])|\n+")


def profile_text(request: RecallRequest) -> str:
    """Whole sentences of the person's profile, at most a quarter of the token budget; empty when
    they do not want it told, or nothing is known."""
    if not request.settings.inject_profile:
        return ""
    text = prose_of(request.user_id, request.now).text
    return fit(text, request.settings.token_budget // SHARE)


def fit(text: str, tokens: int) -> str:
    """The first whole sentences of `text` within so many tokens; empty when that is hardly one."""
    if estimate_tokens(text) <= tokens:
        return text
    end = 0
    for found in _SENTENCE_END.finditer(text):
        if estimate_tokens(text[: found.start()]) > tokens:
            break
        end = found.start()
    kept = text[:end].strip()
    return kept if estimate_tokens(kept) >= LEAST_TOKENS else ""
