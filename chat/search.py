"""Finds chats by their titles and messages."""

from collections.abc import Collection, Iterable
from functools import reduce
from operator import and_
from uuid import UUID

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Greatest, Lower, StrIndex, Substr

from chat.conversations import conversations_of
from chat.models import MEMORY_ONLY, Conversation, Message
from memory.outgoing import MARGIN, Outgoing

MAX_WORDS = 8
EXCERPT_LEAD = 30
EXCERPT = 110


def search_chats(user_id: UUID, wanted: str) -> QuerySet[Conversation]:
    """The user's chats with all these words in their title or in one message, newest first."""
    words = wanted.split()[:MAX_WORDS]
    chats = conversations_of(user_id)
    if not words:
        return chats
    titled = reduce(and_, (Q(title__icontains=word) for word in words))
    said = _matching_messages(user_id, words).filter(conversation_id=OuterRef("id"))
    return chats.filter(titled | Exists(said))


def excerpts(user_id: UUID, chats: Collection[Conversation], wanted: str) -> dict[UUID, str]:
    """A line, secrets masked, of the first message with all these words, by chat, for those whose title lacks
    them."""
    words = wanted.split()[:MAX_WORDS]
    untitled = [chat.id for chat in chats if any(each.lower() not in chat.title.lower() for each in words)]
    if not untitled:
        return {}
    said = _matching_messages(user_id, words).filter(conversation_id__in=untitled)
    place = Greatest(StrIndex(Lower("content"), Value(words[0].lower())) - EXCERPT_LEAD, 1)
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


def _matching_messages(user_id: UUID, words: Iterable[str]) -> QuerySet[Message]:
    """Messages of users and models with all these words; quotations of memory are not searched."""
    roles = (Message.Role.USER, Message.Role.ASSISTANT)
    said = reduce(and_, (Q(content__icontains=word) for word in words))
    return Message.objects.filter(said, user_id=user_id, role__in=roles).exclude(model=MEMORY_ONLY)
