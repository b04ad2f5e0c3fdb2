"""Compaction of long chats: what a model gets instead of the turns that do not fit.

A state covers a branch up to one of its messages. The turns themselves stay in the ledger, and a missing
state is made from them again. States contain nothing forgotten: earlier states are invalidated, and new ones
leave it out until forgetting is undone.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import connection
from django.db.models import Max

from chat.branches import branch
from chat.models import MEMORY_ONLY, ChatState, Conversation, Message
from chat.replies.windows import HISTORY_TOKENS
from llm.tokens import estimate_tokens
from memory.models import Tombstone
from memory.text.secrets import hide_secrets

MAX_SENTENCE_LENGTH = 240
FROM_A_TURN = 3
FROM_A_REPLY = 1
FIRST_KEPT = 3
MAX_ITEMS = {"asked": 24, "told": 32, "answered": 24}

_END = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？؟])|\n+")
_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_MARKS = re.compile(r"^(?:[#>*+-]+|\d+[.)])\s+|\*\*|__|`")
_SAYS_SOMETHING = re.compile(r"\w{2}|[^\W\d_]")
_ASKS = ("?", "？", "؟", ";")


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn of the user or the assistant."""

    by_person: bool
    words: str


def condensed(before: Mapping[str, Sequence[str]], turns: Iterable[Turn]) -> dict[str, list[str]]:
    """A state from an earlier one and the turns after it: `asked` and `told` by the user, `answered`.

    Oldest first; of each kind, the first and the newest sentences are kept.
    """
    state = {name: list(before.get(name, ())) for name in MAX_ITEMS}
    for turn in turns:
        for name, sentence in _sorted(turn):
            if sentence not in state[name]:
                state[name].append(sentence)
    return {name: _bounded(sentences, MAX_ITEMS[name]) for name, sentences in state.items()}


def _sorted(turn: Turn) -> Iterator[tuple[str, str]]:
    sentences = list(_sentences(turn.words))
    if not turn.by_person:
        yield from (("answered", each) for each in sentences[:FROM_A_REPLY])
        return
    asked = [each for each in sentences if each.endswith(_ASKS)]
    told = [each for each in sentences if not each.endswith(_ASKS)]
    yield from (("asked", each) for each in asked[-FROM_A_TURN:])
    yield from (("told", each) for each in told[:FROM_A_TURN])


def _sentences(words: str) -> Iterator[str]:
    for piece in _END.split(_CODE.sub("\n", words)):
        sentence = " ".join(_MARKS.sub("", piece.strip()).split())
        if _SAYS_SOMETHING.search(sentence):
            yield _cut(sentence)


def _cut(sentence: str) -> str:
    if len(sentence) <= MAX_SENTENCE_LENGTH:
        return sentence
    return sentence[: MAX_SENTENCE_LENGTH - 2].rstrip() + " …"


def _bounded(sentences: list[str], most: int) -> list[str]:
    if len(sentences) <= most:
        return sentences
    return sentences[:FIRST_KEPT] + sentences[FIRST_KEPT - most :]


KEPT_TURNS, KEPT_SHARE = 4, 2
"""What stays when a chat becomes too long: half of the tokens, and four turns if they fit at all."""
READ_AT_ONCE = 200
RULES = "rules"
LATELY = timedelta(hours=1)

# A tombstone identifies a message by the digest of its id (`memory.mining.progress.text_digest`).
_BURIED = """
SELECT sequence FROM chat_message said
WHERE said.user_id = %s AND said.conversation_id = %s AND said.sequence <= %s AND EXISTS (
  SELECT 1 FROM memory_tombstone stone
  WHERE stone.user_id = said.user_id AND stone.kind = %s
    AND stone.digest = sha256(convert_to(said.id::text, 'UTF8')))
ORDER BY sequence
"""


@dataclass(frozen=True, slots=True)
class Earlier:
    """Replaces the beginning of a branch up to the message `through`.

    `told` holds sentences that were `asked`, `told` and `answered`.
    """

    through: int
    told: Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class History:
    """A branch as a model gets it: a state, if any, then whole turns."""

    earlier: Earlier | None
    turns: tuple[Message, ...]


def history(conversation: Conversation, upto: int, now: datetime, tokens: int = HISTORY_TOKENS) -> History:
    """The branch that ends at a message, with a state in place of its beginning if its turns take more than
    `tokens`.

    States are made and stored as needed.
    """
    found = stored_history(conversation, upto, tokens)
    if _tokens(found.turns) <= tokens:
        return found
    return _shortened(conversation, found, now, tokens)


def stored_history(conversation: Conversation, upto: int, tokens: int) -> History:
    """The same with a state that is stored already, even if it is still too long."""
    turns = branch(conversation, upto=upto, most=READ_AT_ONCE)
    found = _since_state(conversation, turns, tokens)
    if found.earlier is None and turns and turns[0].parent_sequence:
        found = _since_state(conversation, branch(conversation, upto=upto), tokens)
    return found


def has_state(conversation: Conversation, sequences: Sequence[int]) -> bool:
    """Whether a state ends at one of these messages."""
    return bool(_standing_states(conversation, sequences))


def _standing_states(conversation: Conversation, sequences: Sequence[int]) -> list[ChatState]:
    """The states that end at these messages and hold nothing forgotten, newest first."""
    rows = ChatState.objects.filter(
        user_id=conversation.user_id, conversation_id=conversation.id, through_sequence__in=sequences
    )
    known = list(rows.order_by("-through_sequence"))
    buried = _buried(conversation, known[0].through_sequence) if known else []
    return [each for each in known if each.left_out == _upto(buried, each.through_sequence)]


def drop_outdated_states(user_id: UUID, now: datetime) -> int:
    """Delete states that still contain what was forgotten; returns how many."""
    states = ChatState.objects.filter(user_id=user_id)
    if not states.exists():
        return 0
    stones = Tombstone.objects.filter(user_id=user_id, created_at__gt=now - LATELY)
    newest = stones.aggregate(at=Max("created_at"))["at"]
    if newest is None:
        return 0
    before = states.filter(made_at__lte=newest).defer("state")
    outdated = [each.id for each in before if each.left_out != _left_out_of(each)]
    return states.filter(id__in=outdated).delete()[0]


def is_sent(message: Message) -> bool:
    """Whether a message is sent to models again.

    Replies that only quoted memory are not: what is relevant is recalled anew.
    """
    spoken = message.role in {Message.Role.USER, Message.Role.ASSISTANT}
    return spoken and message.model != MEMORY_ONLY and bool(message.content.strip())


def _since_state(conversation: Conversation, turns: Sequence[Message], tokens: int) -> History:
    """The turns after the oldest state that makes them fit; after the newest if none does.

    Without any if they fit as they are, such as after a change to a model with a larger window. Turns that
    the newest state leaves out, because they were forgotten, stay out.
    """
    states = _standing_states(conversation, [turn.sequence for turn in turns])
    found = _after(states[0] if states else None, turns)
    for older in (*states[1:], None):
        wider = _after(older, turns)
        through = older.through_sequence if older else 0
        is_whole = older is not None or not (turns and turns[0].parent_sequence)
        forgotten = any(each > through for each in states[0].left_out) if states else False
        if forgotten or not is_whole or _tokens(wider.turns) > tokens:
            break
        found = wider
    return found


def _after(state: ChatState | None, turns: Sequence[Message]) -> History:
    if state is None:
        return History(None, tuple(turns))
    following = tuple(turn for turn in turns if turn.sequence > state.through_sequence)
    return History(Earlier(state.through_sequence, state.state), following)


def _shortened(conversation: Conversation, whole: History, now: datetime, tokens: int) -> History:
    """The same with all but its last turns in the state."""
    kept = _count_kept(whole.turns, tokens)
    gone = whole.turns[: len(whole.turns) - kept]
    if not gone:
        return whole
    before = whole.earlier.told if whole.earlier else {}
    through = gone[-1].sequence
    buried = _buried(conversation, through)
    told = (each for each in gone if is_sent(each) and each.sequence not in buried)
    state = condensed(before, map(_turn, told))
    ChatState.objects.update_or_create(
        user_id=conversation.user_id,
        conversation_id=conversation.id,
        through_sequence=through,
        method=RULES,
        defaults={"state": state, "left_out": buried, "made_at": now},
    )
    return History(Earlier(through, state), whole.turns[-kept:])


def _left_out_of(state: ChatState) -> list[int]:
    chat = Conversation(user_id=state.user_id, id=state.conversation_id)
    return _buried(chat, state.through_sequence)


def _buried(conversation: Conversation, through: int) -> list[int]:
    """The turns up to this one that were forgotten, in order."""
    chat = (str(conversation.user_id), str(conversation.id))
    with connection.cursor() as cursor:
        cursor.execute(_BURIED, [*chat, through, Tombstone.Kind.MESSAGE.value])
        return [sequence for (sequence,) in cursor.fetchall()]


def _upto(sequences: Sequence[int], through: int) -> list[int]:
    return [each for each in sequences if each <= through]


def _count_kept(turns: Sequence[Message], tokens: int) -> int:
    """How many of the last turns stay as they are, at least the newest."""
    spent, kept = 0, 0
    for turn in reversed(turns):
        spent += estimate_tokens(turn.content) if is_sent(turn) else 0
        most = tokens if kept < KEPT_TURNS else tokens // KEPT_SHARE
        if spent > most and kept:
            break
        kept += 1
    return kept


def _tokens(turns: Sequence[Message]) -> int:
    return sum(estimate_tokens(turn.content) for turn in turns if is_sent(turn))


def _turn(message: Message) -> Turn:
    return Turn(message.role == Message.Role.USER, hide_secrets(message.content))
