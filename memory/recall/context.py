"""Context: fit the profile into the block, and strip blocks from text."""

import re
from collections.abc import Sequence

from llm.tokens import estimate_tokens
from memory.outgoing import Outgoing
from memory.projections.profile import prose_of
from memory.recall.block import (
    NAME,
    PREAMBLE,
    tokens_left,
    tokens_of_hit,
    tokens_of_profile,
    tokens_of_text,
)
from memory.recall.types import Hit, RecallRequest, RecallSettings
from memory.text.sentences import sentences

PROFILE_SHARE = 4
MIN_PROFILE_TOKENS = 12

_OPENING = re.compile(rf"<\s*{NAME}\b[^<>]*>", re.IGNORECASE)
_CLOSING = re.compile(rf"<\s*/\s*{NAME}\s*>", re.IGNORECASE)


def fit_profile(hits: Sequence[Hit], profile: str, settings: RecallSettings) -> str:
    """The first sentences of the profile that fit into the budget with these hits; none without hits."""
    if not (hits and profile):
        return ""
    spent = sum(tokens_of_hit(hit, settings.zone) for hit in hits)
    tags = tokens_of_profile(profile) - tokens_of_text(profile)
    return fit(profile, tokens_left(settings) - spent - tags)


def strip_blocks(text: str) -> str:
    """`text` without memory blocks, so that recalled words are not mined as if they were said."""
    kept, position = [], 0
    while opening := _OPENING.search(text, position):
        closing = _CLOSING.search(text, opening.end())
        is_own = text.startswith((PREAMBLE, f"\n{PREAMBLE}"), opening.end())
        if closing is None and not is_own:
            break
        kept.append(text[position : opening.start()])
        position = closing.end() if closing else len(text)
    if not kept:
        return text
    # A line break replaces each block, so that the text around it cannot join into a new tag.
    return "\n".join([*kept, text[position:]]).strip()


def profile_text(request: RecallRequest) -> str:
    """Whole sentences of the user's profile, up to a quarter of the token budget; empty if switched
    off or unknown."""
    if not request.settings.inject_profile:
        return ""
    text = Outgoing(request.user_id).words(prose_of(request.user_id, request.now).text)
    return fit(text, request.settings.token_budget // PROFILE_SHARE)


def fit(text: str, tokens: int) -> str:
    """The first whole sentences of `text` that fit into `tokens`; empty if hardly one does."""
    if tokens_of_text(text) <= tokens:
        return text
    end = 0
    for _start, following in sentences(text):
        if tokens_of_text(text[:following].rstrip()) > tokens:
            break
        end = following
    kept = text[:end].strip()
    return kept if estimate_tokens(kept) >= MIN_PROFILE_TOKENS else ""
