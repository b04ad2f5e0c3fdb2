"""Divides a model's context window between the reply, memory and the chat."""

from dataclasses import dataclass

from llm.tokens import estimate_tokens

HISTORY_TOKENS, MAX_HISTORY_TOKENS = 12_000, 24_000
"""The tokens for the turns of a chat if the model's window is unknown, and the most they ever get, because
every reply pays for them again."""
STATE_TOKENS = 5_000
MAX_REPLY_TOKENS = 4_000
FRAME_TOKENS = 500
"""The date, the tools, and the instructions about tools and memory."""
USABLE_SHARE = 0.9
"""The share of a window that is used, because token counts are only estimates."""
REPLY_SHARE, MEMORY_SHARE, STATE_SHARE = 4, 6, 8


@dataclass(frozen=True, slots=True)
class Shares:
    """The most tokens of the memory block, of the turns of a chat, and of the state in place of earlier
    ones."""

    memory: int
    history: int = HISTORY_TOKENS
    state: int = STATE_TOKENS


def shares(window: int | None, instructions: str, token_budget: int, message: str = "") -> Shares:
    """The shares for a model with this window; None means that it is unknown.

    Memory takes at most the user's `token_budget`, counted twice because a tool may recall again. A `message`
    longer than its share is sent anyway and leaves less for memory.
    """
    if window is None:
        return Shares(token_budget)
    reply = min(MAX_REPLY_TOKENS, window // REPLY_SHARE)
    left = max(0, int(window * USABLE_SHARE) - reply - FRAME_TOKENS - estimate_tokens(instructions))
    memory = min(token_budget, left // MEMORY_SHARE)
    state = min(STATE_TOKENS, left // STATE_SHARE)
    history = min(MAX_HISTORY_TOKENS, left - 2 * memory - state)
    too_long = max(0, estimate_tokens(message) + 2 * memory + state - left)
    return Shares(max(0, memory - too_long), history, state)
