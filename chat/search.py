"""Finds chats by their titles and messages."""

from collections.abc import Collection
from uuid import UUID

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Greatest, Lower, StrIndex, Substr

from chat.branches import messages_of
from chat.conversations import conversations_of
from chat.models import MEMORY_ONLY, Conversation, Message
from chat.retention import removed
from memory.outgoing import MARGIN, Outgoing
from memory.paging import Page, after_moment, after_number, moment_and_id, number_and_id

MOST_WORDS = 8
BEFORE = 30
EXCERPT = 110


def chats_with(user_id: UUID, wanted: str) -> QuerySet[Conversation]:
    """The user's chats with all these words in their title or in one message, newest first."""
    words = wanted.split()[:MOST_WORDS]
    chats = conversations_of(user_id)
    if not words:
        return chats
    titled, said = Q(), _spoken(user_id).filter(conversation_id=OuterRef("id"))
    for word in words:
        titled &= Q(title__icontains=word)
        said = said.filter(content__icontains=word)
    return chats.filter(titled | Exists(said))


def excerpts(user_id: UUID, chats: Collection[Conversation], wanted: str) -> dict[UUID, str]:
    """A line, secrets masked, of the first message with all these words, by chat, for those whose title lacks
    them."""
    words = wanted.split()[:MOST_WORDS]
    untitled = [chat.id for chat in chats if any(each.lower() not in chat.title.lower() for each in words)]
    if not untitled:
        return {}
    said = _spoken(user_id).filter(conversation_id__in=untitled)
    for word in words:
        said = said.filter(content__icontains=word)
    place = Greatest(StrIndex(Lower("content"), Value(words[0].lower())) - BEFORE, 1)
    near = Greatest(F("place") - MARGIN, 1)
    first = (
        said.annotate(place=place)
        .annotate(near=near, around=Substr("content", near, F("place") - near + EXCERPT + MARGIN))
        .order_by("conversation_id", "sequence")
        .distinct("conversation_id")
    )
    out = Outgoing(user_id)
    lines = {}
    for chat, around, place, near in first.values_list("conversation_id", "around", "place", "near"):
        line = out.words(around, place - near, place - near + EXCERPT)
        lines[chat] = f"{'… ' if place > 1 else ''}{' '.join(line.split())} …"
    return lines


def _spoken(user_id: UUID) -> QuerySet[Message]:
    """Messages of users and models; quotations of memory are not searched."""
    roles = (Message.Role.USER, Message.Role.ASSISTANT)
    return Message.objects.filter(user_id=user_id, role__in=roles).exclude(model=MEMORY_ONLY)


def conversations(user_id: UUID, wanted: str, after: str, most: int) -> Page[Conversation]:
    """Conversations, newest first; with `wanted`, those with all its words in the title or in one message.

    Raises CursorUnreadable.
    """
    found = chats_with(user_id, wanted)
    if after:
        moment, last_id = moment_and_id(after)
        found = found.filter(Q(last_message_at__lt=moment) | Q(last_message_at=moment, id__lt=last_id))
    rows = list(found[: most + 1])
    shown, more = rows[:most], len(rows) > most
    return Page(tuple(shown), after_moment(shown[-1].last_message_at, shown[-1].id) if more else "")


def deleted(user_id: UUID, after: str, most: int) -> Page[Conversation]:
    """Deleted conversations that can be restored, the latest deleted first. Raises
    CursorUnreadable."""
    found = removed(user_id)
    if after:
        moment, last_id = moment_and_id(after)
        found = found.filter(Q(deleted_at__lt=moment) | Q(deleted_at=moment, id__lt=last_id))
    rows = list(found[: most + 1])
    shown, more = rows[:most], len(rows) > most
    last = shown[-1].deleted_at if more else None
    return Page(tuple(shown), after_moment(last, shown[-1].id) if last else "")


def messages(conversation: Conversation, after: str, most: int) -> Page[Message]:
    """The messages of every branch, in the order they came. Raises CursorUnreadable."""
    found = messages_of(conversation).order_by("sequence")
    if after:
        sequence, _ = number_and_id(after)
        found = found.filter(sequence__gt=sequence)
    rows = list(found[: most + 1])
    shown, more = rows[:most], len(rows) > most
    return Page(tuple(shown), after_number(shown[-1].sequence, shown[-1].id) if more else "")
