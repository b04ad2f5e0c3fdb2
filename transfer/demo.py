"""The demo palace: nine months of chats of a fictional cellist in Lisbon, in an account of its own."""

import re
from datetime import UTC, datetime, time, timedelta
from pathlib import Path

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from accounts.demo import create_demo, demo_of
from accounts.hooks import enqueue
from accounts.models import User
from accounts.tenancy import tenant
from memory.forgetting.account_deletion import close_account
from memory.models import MemoryPreferences
from memory.preferences import preferences_of
from transfer.filing import file_conversation
from transfer.importing.threads import Heading, ImportedConversation, MessagePart, Node, Role, conversation

NAME = "Mira Sequeira"
DEMO_PREFIX = "demo-"
DEMO_QUESTIONS = (
    _("What is my bicycle called?"),
    _("Which tea do I like best now?"),
    _("What should be left out of my cake?"),
)

_CHATS = Path(__file__).with_name("demo_chats.md")
_CHAT = re.compile(
    r"^## (?P<title>.+)\n(?P<days>\d+) days ago, (?P<time>\d\d:\d\d)\n"
    r"(?:project: (?P<project>.+)\n)?(?P<body>(?:(?!^## ).*\n?)*)",
    re.MULTILINE,
)
_SPEAKERS: dict[str, Role] = {"Mira": "user", "Assistant": "assistant"}
_READING = timedelta(seconds=20)
_WRITING = timedelta(minutes=3)


def demo_conversations(now: datetime) -> tuple[ImportedConversation, ...]:
    """The demo chats, oldest first, dated relative to the aware `now`."""
    return tuple(
        _conversation(chat, now.astimezone(UTC)) for chat in _CHAT.finditer(_CHATS.read_text("utf-8"))
    )


def _conversation(chat: re.Match[str], now: datetime) -> ImportedConversation:
    external_id = DEMO_PREFIX + "-".join(re.findall(r"\w+", chat["title"].casefold()))
    day = now.date() - timedelta(days=int(chat["days"]))
    began = datetime.combine(day, time.fromisoformat(chat["time"]), tzinfo=UTC)
    nodes: dict[str, Node] = {}
    previous, said_at = None, began
    for number, (role, words) in enumerate(_lines(chat["body"]), start=1):
        key = f"{external_id}-{number}"
        nodes[key] = Node(previous, (MessagePart(role, words, said_at=said_at),))
        previous, said_at = key, said_at + (_READING if role == "user" else _WRITING)
    heading = Heading(external_id, chat["title"], began, project=chat["project"] or "")
    return conversation(heading, nodes)


def _lines(body: str) -> list[tuple[Role, str]]:
    paragraphs = (paragraph.strip() for paragraph in body.split("\n\n"))
    spoken = (paragraph.partition(": ") for paragraph in paragraphs if paragraph)
    return [(_SPEAKERS[speaker], words) for speaker, _, words in spoken]


def open_demo(owner: User, now: datetime) -> User:
    """The demo account of a user; created, filled and queued for mining if there is none."""
    with transaction.atomic():
        demo, is_new = create_demo(owner, NAME, now)
        if is_new:
            with tenant(demo.id):
                _fill(demo, _preferences(owner), now)
    if is_new:
        enqueue("mine", demo.id)
    return demo


def close_demo(owner: User) -> bool:
    """Erase the demo account of a user with everything in it; False if there is none."""
    demo = demo_of(owner)
    if demo is not None:
        close_account(demo)
    return demo is not None


def _fill(demo: User, owner_preferences: MemoryPreferences, now: datetime) -> None:
    MemoryPreferences.objects.create(user_id=demo.id, time_zone=owner_preferences.time_zone)
    for chat in demo_conversations(now):
        file_conversation(demo.id, chat, now)


def _preferences(owner: User) -> MemoryPreferences:
    with tenant(owner.id):
        return preferences_of(owner.id)
