"""Finding chats by what they are called and by what was said in them."""

from collections.abc import Collection
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Greatest, Lower, StrIndex, Substr

from chat.conversations import conversations_of
from chat.models import MEMORY_ONLY, Conversation, Message

MOST_WORDS = 8
BEFORE = 30
EXCERPT = 110


def chats_with(user_id: UUID, wanted: str) -> QuerySet[Conversation]:
    """The person's chats that have all these words in their title or in one message, newest
    first."""
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
    """A line of the first message with all these words, by the chat, for those whose title does
    not have them."""
    words = wanted.split()[:MOST_WORDS]
    untitled = [
        chat.id for chat in chats if any(each.lower() not in chat.title.lower() for each in words)
    ]
    if not untitled:
        return {}
    said = _spoken(user_id).filter(conversation_id__in=untitled)
    for word in words:
        said = said.filter(content__icontains=word)
    place = Greatest(StrIndex(Lower("content"), Value(words[0].lower())) - BEFORE, 1)
    first = (
        said.annotate(place=place, line=Substr("content", place, EXCERPT))
        .order_by("conversation_id", "sequence")
        .distinct("conversation_id")
    )
    rows = first.values_list("conversation_id", "line", "place")
    return {
        chat: f"{'… ' if begin > 1 else ''}{' '.join(line.split())} …" for chat, line, begin in rows
    }


def _spoken(user_id: UUID) -> QuerySet[Message]:
    """What people and models said; quotations of memory are not searched."""
    roles = (Message.Role.USER, Message.Role.ASSISTANT)
    return Message.objects.filter(user_id=user_id, role__in=roles).exclude(model=MEMORY_ONLY)
