"""Conversations of other programs, which send the whole history with every request.

Known histories are recognised, so that each message is stored once.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from hashlib import sha256
from itertools import dropwhile, takewhile
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from uuid_utils.compat import uuid7

from chat.branches import UNLIMITED, ancestry, message_at, messages_of
from chat.conversations import ROOT, ConversationNotFound, NewMessage, ToolUse, extend, find
from chat.models import Conversation, Message, ThreadDigest
from memory.locks import KEEPING, wait_for_lock
from memory.text.sanitizing import storable

RETRY_WINDOW = timedelta(minutes=10)
MAX_ID_LENGTH = 200
MIN_PART_LENGTH = 12
BATCH = 50


@dataclass(frozen=True, slots=True)
class History:
    """A conversation as a program sends it, from its start.

    `external_id` is the program's id or Palace's own, empty without one; a new conversation belongs to
    `project` and gets the id `new_id`.
    """

    said: tuple[NewMessage, ...]
    external_id: str = ""
    project: str = ""
    new_id: UUID = field(default_factory=uuid7)


@dataclass(frozen=True, slots=True)
class Position:
    """Where a history belongs.

    Its first `known` messages are stored already; the next one follows the message `parent` of
    `conversation`, which is None if a new conversation has to be created.
    """

    conversation: Conversation | None = None
    parent: int = ROOT
    known: int = 0


@dataclass(frozen=True, slots=True)
class StoredHistory:
    """The conversation of a history, and its last message there."""

    conversation: Conversation
    sequence: int


def find_position(user_id: UUID, history: History, now: datetime) -> Position:
    """Find the conversation that a history continues.

    Histories with the same beginning, including a reply, are the same conversation; without a reply only
    within ten minutes, because a program may retry, but another chat may begin the same way. With an id it is
    the conversation of that id, whatever its text; a history without earlier replies is its newest message.
    A new id starts a conversation, without what was deleted before.
    """
    named = _find_named(user_id, history.external_id)
    if named and not _has_earlier_reply(history.said):
        return _newest_in(named, history.said)
    digests = _chained_digests(history.said)
    found = _longest_known_prefix(user_id, history, digests, named, now)
    if found is None:
        return _skip_stored(Position(named), named, history.said) if named else Position()
    count, row = found
    live = Conversation.objects.filter(user_id=user_id, id=row.conversation_id, deleted_at=None).first()
    if live is None:
        return Position(named, ROOT, count)
    return _skip_stored(Position(live, row.sequence, count), live, history.said)


def store_history(user_id: UUID, history: History, now: datetime) -> StoredHistory | None:
    """Store what is new in a history; returns None if there is nothing and never was.

    A changed earlier message starts a branch. Of two concurrent calls, the second waits here for the first.
    Raises MessageTooLong if a message is too long.
    """
    with transaction.atomic():
        wait_for_lock(user_id, KEEPING)
        place = find_position(user_id, history, now)
        new = history.said[place.known :]
        if not any(map(_is_not_system, new)):
            conversation = place.conversation
            return StoredHistory(conversation, place.parent) if conversation and place.known else None
        conversation = place.conversation or _start_conversation(user_id, history, now)
        first = replace(new[0], parent=place.parent)
        added = extend(conversation, (first, *new[1:]), now)
        _record_known(history, place, added, now)
    return StoredHistory(conversation, added[-1].sequence)


def _find_named(user_id: UUID, external_id: str) -> Conversation | None:
    """The conversation with the program's id, or the user's conversation with Palace's own."""
    if not external_id:
        return None
    named = _api_conversations(user_id).filter(external_id=_stored_id(external_id), deleted_at=None)
    try:
        return named.first() or find(user_id, UUID(external_id))
    except (ValueError, ConversationNotFound):
        return None


def _has_earlier_reply(said: Sequence[NewMessage]) -> bool:
    """Whether something other than replies follows a reply."""
    from_reply = dropwhile(lambda message: message.role != Message.Role.ASSISTANT, said)
    return any(message.role != Message.Role.ASSISTANT for message in from_reply)


def _newest_in(named: Conversation, said: Sequence[NewMessage]) -> Position:
    """Where the newest message of a conversation belongs: at the end of the selected branch, unless it is
    there already and waits for a reply."""
    head = named.head_sequence
    if not head:
        return Position(named)
    known = len(list(takewhile(lambda message: not _is_not_system(message), said)))
    last = message_at(named, head)
    is_retry = known < len(said) and _fingerprint(said[known]) == _fingerprint(_as_new(last))
    return Position(named, head, known + is_retry)


def _skip_stored(place: Position, chat: Conversation, said: Sequence[NewMessage]) -> Position:
    """The place after what is stored of the history already, whoever added it."""
    return _skip_stored_reply(_skip_shown(place, chat, said), chat, said)


def _skip_shown(place: Position, chat: Conversation, said: Sequence[NewMessage]) -> Position:
    """The place after what the selected branch has of the history, as added on a page or over REST."""
    if place.parent == chat.head_sequence:
        return place
    shown = ancestry(chat, chat.head_sequence, UNLIMITED)
    if place.parent and place.parent not in shown:
        return place
    following = _rows(chat, [sequence for sequence in shown if sequence > place.parent])
    for count, message in enumerate(said[place.known :], place.known + 1):
        if _is_not_system(message):
            row = next(following, None)
            if row is None or _fingerprint(message) != _fingerprint(_as_new(row)):
                break
            place = Position(chat, row.sequence, count)
    return place


def _rows(chat: Conversation, sequences: Sequence[int]) -> Iterator[Message]:
    """These messages in order, a few at a time, without instructions."""
    for start in range(0, len(sequences), BATCH):
        rows = messages_of(chat).filter(sequence__in=sequences[start : start + BATCH])
        yield from rows.exclude(role=Message.Role.SYSTEM).order_by("sequence")


def _as_new(row: Message) -> NewMessage:
    return NewMessage(row.role, row.content, tool=ToolUse(row.tool_name, row.tool_arguments))


def _api_conversations(user_id: UUID) -> QuerySet[Conversation]:
    return Conversation.objects.filter(user_id=user_id, source=Conversation.Source.API)


def _longest_known_prefix(
    user_id: UUID, history: History, digests: Sequence[bytes], named: Conversation | None, now: datetime
) -> tuple[int, ThreadDigest] | None:
    """The number of known messages of a history, and where they are."""
    rows = ThreadDigest.objects.filter(user_id=user_id, digest__in=set(digests))
    if named is not None:
        rows = rows.filter(conversation_id=named.id)
    elif history.external_id:
        live = Conversation.objects.filter(user_id=user_id, deleted_at=None)
        rows = rows.exclude(conversation_id__in=live.values("id"))
    newest = {bytes(row.digest): row for row in rows.order_by("seen_at", "id")}
    for count in range(len(digests), 0, -1):
        row = newest.get(digests[count - 1])
        if row is None or not _is_not_system(history.said[count - 1]):
            continue
        answered = any(each.role == Message.Role.ASSISTANT for each in history.said[:count])
        if named is not None or answered or now - row.seen_at < RETRY_WINDOW:
            return count, row
    return None


def _skip_stored_reply(place: Position, chat: Conversation, said: Sequence[NewMessage]) -> Position:
    """The place after the next reply, if a nearly identical one is stored.

    A program may have received less of it than was stored, or have removed something.
    """
    told = said[place.known] if place.known < len(said) else None
    if told is None or told.role != Message.Role.ASSISTANT or told.tool.name:
        return place
    following = messages_of(chat).filter(parent_sequence=place.parent)
    for reply in following.filter(role=Message.Role.ASSISTANT, tool_name="").order_by("-sequence"):
        if _is_part_of_other(reply.content, told.content):
            return replace(place, parent=reply.sequence, known=place.known + 1)
    return place


def _is_part_of_other(kept: str, told: str) -> bool:
    short, long = sorted((" ".join(text.split()) for text in (kept, told)), key=len)
    return len(short) >= MIN_PART_LENGTH and short in long


def _start_conversation(user_id: UUID, history: History, now: datetime) -> Conversation:
    name = _stored_id(history.external_id) or None
    if name:  # a deleted conversation may have it
        _api_conversations(user_id).filter(external_id=name).update(external_id=None)
    return Conversation.objects.create(
        user_id=user_id,
        id=history.new_id,
        source=Conversation.Source.API,
        external_id=name,
        project=" ".join(storable(history.project).text.split())[:MAX_ID_LENGTH],
        started_at=now,
        last_message_at=now,
    )


def _record_known(history: History, place: Position, added: Sequence[Message], now: datetime) -> None:
    """Record how much of the history is known now."""
    digests = _chained_digests(history.said)
    sequences: Mapping[int, int] = {
        **({place.known - 1: place.parent} if place.known and place.parent else {}),
        **{place.known + step: message.sequence for step, message in enumerate(added)},
    }
    rows = [
        ThreadDigest(
            user_id=added[0].user_id,
            digest=digests[at],
            conversation_id=added[0].conversation_id,
            sequence=sequence,
            seen_at=now,
        )
        for at, sequence in sequences.items()
        if _is_not_system(history.said[at])
    ]
    ThreadDigest.objects.bulk_create(rows, ignore_conflicts=True, batch_size=500)


def _chained_digests(said: Sequence[NewMessage]) -> list[bytes]:
    """For each message, the digest of the conversation up to it.

    The program's instructions are not part of it: they may differ between requests.
    """
    digests, before = [], b""
    for message in said:
        if _is_not_system(message):
            before = sha256(before + _fingerprint(message)).digest()
        digests.append(before)
    return digests


def _fingerprint(message: NewMessage) -> bytes:
    """What identifies a message, however its white space and the JSON of its arguments are formatted."""
    arguments = message.tool.arguments
    with suppress(ValueError, RecursionError):
        arguments = json.dumps(json.loads(arguments), sort_keys=True)
    parts = (message.role, " ".join(message.content.split()), message.tool.name, arguments)
    return json.dumps(parts).encode()


def _is_not_system(message: NewMessage) -> bool:
    return message.role != Message.Role.SYSTEM


def _stored_id(external_id: str) -> str:
    """The id, shortened to a digest if it does not fit the column."""
    plain = storable(external_id).text
    return plain if len(plain) <= MAX_ID_LENGTH else sha256(plain.encode()).hexdigest()
