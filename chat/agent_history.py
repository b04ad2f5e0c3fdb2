"""What became of the chats with one agent: the chats, the rooms made of them, and a diary."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Q, QuerySet

from chat.models import Agent, Conversation
from memory.models import ActivityEvent, Room

CHATS_SHOWN = 8
ROOMS_SHOWN = 12
ENTRIES_SHOWN = 12


@dataclass(frozen=True, slots=True)
class Entry:
    """What was remembered of one of its chats at once: how many messages and facts."""

    at: datetime
    chat_id: UUID
    title: str
    drawers: int
    facts: int
    taken_back: bool


@dataclass(frozen=True, slots=True)
class AgentHistory:
    """The newest chats with an agent, rooms and entries of the diary, and how many chats and rooms
    there are in all."""

    chats: tuple[Conversation, ...]
    chat_count: int
    rooms: tuple[Room, ...]
    room_count: int
    diary: tuple[Entry, ...]


def history_of(agent: Agent) -> AgentHistory:
    """What there is of an agent. Chats without an agent are those of the default one."""
    chats = _chats(agent)
    rooms = Room.objects.filter(
        user_id=agent.user_id,
        source_id__in=chats.order_by().values("id"),
        drawers_held__gt=0,
        merged_into_id=None,
    )
    return AgentHistory(
        chats=tuple(chats[:CHATS_SHOWN]),
        chat_count=chats.count(),
        rooms=tuple(rooms.select_related("wing").order_by("-started_at", "-id")[:ROOMS_SHOWN]),
        room_count=rooms.count(),
        diary=_diary(agent, chats),
    )


def _chats(agent: Agent) -> QuerySet[Conversation]:
    its = Q(agent_id=agent.id) | (Q(agent_id=None) if agent.is_default else Q())
    found = Conversation.objects.filter(
        its, user_id=agent.user_id, deleted_at=None, incognito=False
    )
    return found.order_by("-last_message_at", "-id")


def _diary(agent: Agent, chats: QuerySet[Conversation]) -> tuple[Entry, ...]:
    events = ActivityEvent.objects.filter(
        user_id=agent.user_id,
        kind=ActivityEvent.Kind.MINED,
        subject_id__in=chats.order_by().values("id"),
    )
    newest = [
        (each.subject_id, each)
        for each in events.order_by("-at", "-id")[:ENTRIES_SHOWN]
        if each.subject_id
    ]
    told = chats.filter(id__in={chat_id for chat_id, _ in newest})
    titles = dict(told.values_list("id", "title"))
    return tuple(_entry(event, chat_id, titles.get(chat_id, "")) for chat_id, event in newest)


def _entry(event: ActivityEvent, chat_id: UUID, title: str) -> Entry:
    details = event.details
    return Entry(
        at=event.at,
        chat_id=chat_id,
        title=title,
        drawers=len(details["drawers"]),
        facts=len(details["facts"]),
        taken_back=event.undone_at is not None,
    )
