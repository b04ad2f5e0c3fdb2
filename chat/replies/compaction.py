"""What of a chat a model gets: the shares of its context window, and a state for turns that do not fit.

A state covers a branch up to one of its messages. It is rebuilt from the ledger for each prompt, from a
bounded number of turns, so it never contains what was forgotten.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from chat.branches import ancestry, messages_of
from chat.models import MEMORY_ONLY, Conversation, Message
from llm.tokens import estimate_tokens
from memory.models import Tombstone
from memory.text.digests import text_digest
from memory.text.secrets import hide_secrets
from memory.text.sentences import sentences

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


MAX_SENTENCE_LENGTH = 240
MAX_PER_TURN = 3
MAX_PER_REPLY = 1
FIRST_KEPT = 3
MAX_ITEMS = {"asked": 24, "told": 32, "answered": 24}

_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_MARKS = re.compile(r"^(?:[#>*+-]+|\d+[.)])\s+|\*\*|__|`")
_HAS_WORDS = re.compile(r"\w{2}|[^\W\d_]")
_ASKS = ("?", "？", "؟", ";")


def condense(turns: Iterable[tuple[bool, str]]) -> dict[str, list[str]]:
    """Condense turns, given as (whether the user speaks, text), to sentences the user `asked` or `told`, and
    those the assistant `answered`.

    Sentences are in order; if there are many of a kind, its first and newest ones are kept.
    """
    state: dict[str, list[str]] = {name: [] for name in MAX_ITEMS}
    for by_user, words in turns:
        for name, sentence in _classify(list(_sentences(words)), by_user=by_user):
            if sentence not in state[name]:
                state[name].append(sentence)
    return {name: _keep_ends(found, MAX_ITEMS[name]) for name, found in state.items()}


def _classify(said: Sequence[str], *, by_user: bool) -> Iterator[tuple[str, str]]:
    if not by_user:
        yield from (("answered", each) for each in said[:MAX_PER_REPLY])
        return
    asked = [each for each in said if each.endswith(_ASKS)]
    told = [each for each in said if not each.endswith(_ASKS)]
    yield from (("asked", each) for each in asked[-MAX_PER_TURN:])
    yield from (("told", each) for each in told[:MAX_PER_TURN])


def _sentences(words: str) -> Iterator[str]:
    prose = _CODE.sub("\n", words)
    for start, end in sentences(prose):
        sentence = " ".join(_MARKS.sub("", prose[start:end].strip()).split())
        if _HAS_WORDS.search(sentence):
            yield _truncate(sentence)


def _truncate(sentence: str) -> str:
    if len(sentence) <= MAX_SENTENCE_LENGTH:
        return sentence
    return sentence[: MAX_SENTENCE_LENGTH - 2].rstrip() + " …"


def _keep_ends(found: list[str], most: int) -> list[str]:
    if len(found) <= most:
        return found
    return found[:FIRST_KEPT] + found[FIRST_KEPT - most :]


STEP, KEPT_TURNS = 16, 4
"""The condensed beginning grows by this many turns at a time, so that consecutive prompts share a prefix.
The last turns are kept if they fit."""
MAX_TURNS, OPENING, SUMMARISED = 140, 12, 60
"""The most turns sent in full, and how many of the first and last omitted turns the state is made from."""
MAX_TURN_LENGTH, MAX_SCANNED = 4_000, 5_000
"""The most characters of a turn in the state, and of its beginning and end that are searched for secrets."""
MAX_BRANCH = 5_000


@dataclass(frozen=True, slots=True)
class History:
    """A branch as a model gets it: whole `turns`.

    If it is too long, `state` stands in for its beginning up to the message `through`: sentences that were
    `asked`, `told` and `answered`.
    """

    turns: tuple[Message, ...]
    through: int = 0
    state: Mapping[str, Sequence[str]] = field(default_factory=dict)


def history(conversation: Conversation, upto: int, tokens: int = HISTORY_TOKENS) -> History:
    """The branch that ends at a message, with a state in place of its beginning if its turns take more than
    `tokens`. What was forgotten is left out."""
    sequences = ancestry(conversation, upto, MAX_BRANCH)
    turns = _read_messages(conversation, {*sequences[:OPENING], *sequences[-MAX_TURNS - SUMMARISED :]}, upto)
    omitted = _count_omitted(sequences, turns, tokens)
    if not omitted:
        return History(tuple(turns))
    through = sequences[omitted - 1]
    beginning = [_to_turn(each) for each in turns if each.sequence <= through and is_sent(each)]
    state = condense([*beginning[:OPENING], *beginning[OPENING:][-SUMMARISED:]])
    return History(tuple(each for each in turns if each.sequence > through), through, state)


def is_sent(message: Message) -> bool:
    """Whether a message is sent to models again.

    Replies that only quoted memory are not: what is relevant is recalled anew.
    """
    spoken = message.role in {Message.Role.USER, Message.Role.ASSISTANT}
    return spoken and message.model != MEMORY_ONLY and bool(message.content.strip())


def _read_messages(conversation: Conversation, sequences: Collection[int], upto: int) -> list[Message]:
    """These messages in order, without those that were forgotten before `upto`."""
    turns = messages_of(conversation).filter(sequence__in=sequences).order_by("sequence")
    digests = {text_digest(str(turn.id)): turn for turn in turns}
    stones = Tombstone.objects.filter(user_id=conversation.user_id, kind=Tombstone.Kind.MESSAGE)
    forgotten = {bytes(each) for each in stones.filter(digest__in=digests).values_list("digest", flat=True)}
    return [turn for key, turn in digests.items() if key not in forgotten or turn.sequence == upto]


def _count_omitted(sequences: Sequence[int], turns: Sequence[Message], tokens: int) -> int:
    """How many messages from the beginning of a branch are left out, so that the last turns fit. The newest
    always stays."""
    length, left = len(sequences), tokens
    known = {turn.sequence: turn for turn in turns if is_sent(turn)}
    omitted = length
    for place in reversed(range(max(0, length - MAX_TURNS), length)):
        turn = known.get(sequences[place])
        left -= estimate_tokens(turn.content) if turn else 0
        if left < 0 and omitted < length:
            break
        omitted = place
    in_steps = -(-omitted // STEP) * STEP
    return min(in_steps, max(omitted, length - KEPT_TURNS))


def _to_turn(message: Message) -> tuple[bool, str]:
    text = message.content
    if len(text) > 2 * MAX_SCANNED:
        text = f"{text[:MAX_SCANNED]}\n{text[-MAX_SCANNED:]}"
    words = hide_secrets(text)
    half = MAX_TURN_LENGTH // 2
    shown = words if len(words) <= MAX_TURN_LENGTH else f"{words[:half]}\n{words[-half:]}"
    return message.role == Message.Role.USER, shown
