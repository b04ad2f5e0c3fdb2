"""Cuts what follows the pointer of a chat into the windows that are mined next."""

from dataclasses import replace
from typing import Protocol

from chat.models import Conversation
from chat.transcripts import transcript
from memory.mining.windows import LONGEST, windows
from memory.transcripts import Transcript

READ_AHEAD = 3 * LONGEST


class Pointer(Protocol):
    """How far a chat is mined, and behind which message its subject was seen to change."""

    mined_through: int
    drifted_after: int


def spans(conversation: Conversation, pointer: Pointer, size: int) -> list[Transcript]:
    """The next windows of a chat of about `size` turns, a few at most. None goes on beyond a
    change of subject that was noticed behind the pointer."""
    ahead = transcript(conversation, pointer.mined_through, READ_AHEAD)
    turns = ahead.turns
    if pointer.drifted_after > pointer.mined_through:
        turns = tuple(turn for turn in turns if turn.sequence <= pointer.drifted_after)
    return [replace(ahead, turns=window) for window in windows(turns, size)]
