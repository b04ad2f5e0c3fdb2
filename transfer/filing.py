"""Adds an imported conversation, or its new messages, to the ledger."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from itertools import islice
from uuid import UUID

from django.db.models import Model

from chat.models import Conversation, Message
from chat.titles import title_of as first_words
from memory.text.sanitizing import storable
from transfer.importing.threads import ImportedConversation

BATCH_SIZE = 500
_TEXT_COLUMNS = ("role", "content", "tool_name", "tool_arguments", "call_id", "model", "external_id")


class Outcome(StrEnum):
    """The outcome of filing a conversation, by the column in which a run counts it."""

    NEW = "conversations"
    GROWN = "grown"
    DUPLICATE = "duplicates"
    EMPTY = "empty"


@dataclass(frozen=True, slots=True)
class Filed:
    """The outcome, how many messages were added to the ledger, and to which chat."""

    outcome: Outcome
    messages: int = 0
    conversation_id: UUID | None = None


def file_conversation(user_id: UUID, imported: ImportedConversation, now: datetime) -> Filed:
    """Add a conversation, or those of its messages that are not in the ledger yet.

    Runs inside a transaction. A conversation its owner deleted stays deleted. Of two concurrent
    importers, the second waits for the first.
    """
    if not any(message.has_content for message in imported.messages):
        return Filed(Outcome.EMPTY)
    draft = _build_conversation(user_id, imported, now)
    Conversation.objects.bulk_create([draft], ignore_conflicts=True)
    conversation = Conversation.objects.select_for_update().get(
        user_id=user_id, source=draft.source, external_id=draft.external_id
    )
    if conversation.deleted_at is not None:
        return Filed(Outcome.DUPLICATE)
    is_new = conversation.id == draft.id
    added = _append(conversation, imported, {} if is_new else _known_sequences(conversation), now)
    if not added:
        return Filed(Outcome.DUPLICATE, conversation_id=conversation.id)
    return Filed(Outcome.NEW if is_new else Outcome.GROWN, added, conversation.id)


def fit_column(model: type[Model], field: str, text: str) -> str:
    """Text that fits a column: without NUL and lone surrogates, cut to its length."""
    limit: int | None = getattr(model._meta.get_field(field), "max_length", None)
    return storable(text).text[:limit]


def _build_conversation(user_id: UUID, imported: ImportedConversation, now: datetime) -> Conversation:
    started_at = min(_times(imported), default=imported.created_at or now)
    return Conversation(
        user_id=user_id,
        title=fit_column(Conversation, "title", title_of(imported)),
        source=Conversation.Source.IMPORT,
        external_id=fit_column(Conversation, "external_id", imported.external_id),
        project=fit_column(Conversation, "project", " ".join(imported.project.split())),
        mine=imported.mine,
        started_at=started_at,
        last_message_at=started_at,
    )


def title_of(imported: ImportedConversation) -> str:
    """Its title, or else the user's first words."""
    spoken = (message.content for message in imported.messages if message.role == "user")
    return " ".join(imported.title.split()) or first_words(next(filter(str.strip, spoken), ""))


def _times(imported: ImportedConversation) -> Iterator[datetime]:
    return (message.said_at for message in imported.messages if message.said_at and message.has_content)


def _append(
    conversation: Conversation, imported: ImportedConversation, places: dict[str, int | None], now: datetime
) -> int:
    """Append the messages that have no place yet; returns how many."""
    before = conversation.last_sequence
    fresh = _new_messages(conversation, imported, places, now)
    while batch := list(islice(fresh, BATCH_SIZE)):
        Message.objects.bulk_create(batch)
        conversation.last_sequence = batch[-1].sequence
    added = conversation.last_sequence - before
    if added:
        _update_conversation(conversation, imported, places, now)
    return added


def _known_sequences(conversation: Conversation) -> dict[str, int | None]:
    """The sequence of each imported message that is in the ledger, by its external id."""
    known = Message.objects.filter(user_id=conversation.user_id, conversation_id=conversation.id).exclude(
        external_id=""
    )
    return dict(known.values_list("external_id", "sequence"))


def _new_messages(
    conversation: Conversation, imported: ImportedConversation, places: dict[str, int | None], now: datetime
) -> Iterator[Message]:
    """The messages to add, in order. Records the sequence of each in `places`; an empty one gets its
    parent's, so that its replies attach there."""
    undated = imported.created_at or imported.updated_at or now
    sequence = conversation.last_sequence
    for message in imported.messages:
        if message.external_id in places:
            continue
        parent = places.get(message.parent_external_id or "")
        if not message.has_content:
            places[message.external_id] = parent
            continue
        sequence += 1
        places[message.external_id] = sequence
        texts = {name: fit_column(Message, name, getattr(message, name)) for name in _TEXT_COLUMNS}
        yield Message(
            user_id=conversation.user_id,
            conversation_id=conversation.id,
            sequence=sequence,
            parent_sequence=parent,
            said_at=message.said_at or undated,
            **texts,
        )


def _update_conversation(
    conversation: Conversation, imported: ImportedConversation, places: dict[str, int | None], now: datetime
) -> None:
    """Show the branch the export was open at, unless the chat continued here, and close it for mining."""
    if not _was_continued_here(conversation):
        leaf = places.get(imported.current_leaf or "")
        conversation.head_sequence = leaf or conversation.last_sequence
    latest = max(conversation.last_message_at, *_times(imported), conversation.started_at)
    conversation.last_message_at = min(latest, now)
    conversation.closed_at = now
    conversation.save(update_fields=["last_sequence", "head_sequence", "last_message_at", "closed_at"])


def _was_continued_here(conversation: Conversation) -> bool:
    here = Message.objects.filter(
        user_id=conversation.user_id,
        conversation_id=conversation.id,
        sequence=conversation.head_sequence,
        external_id="",
    )
    return conversation.head_sequence > 0 and here.exists()
