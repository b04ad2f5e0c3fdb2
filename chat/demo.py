"""The demo palace: nine months of chats of a cellist in Lisbon who does not exist."""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, time, timedelta
from pathlib import Path

from django.utils.translation import gettext_lazy as _

from chat.importing.types import ImportedConversation, ImportedMessage, Role

DEMO_PREFIX = "demo-"
# What one may ask somebody who knows these chats.
DEMO_QUESTIONS = (
    _("What is my bicycle called?"),
    _("Which tea do I like best by now?"),
    _("What should a cake for me not have in it?"),
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
    """Return the chats, oldest first, dated back from the aware `now`.

    Every external id starts with `DEMO_PREFIX`.
    """
    return tuple(
        _conversation(chat, now.astimezone(UTC))
        for chat in _CHAT.finditer(_CHATS.read_text("utf-8"))
    )


def _conversation(chat: re.Match[str], now: datetime) -> ImportedConversation:
    external_id = DEMO_PREFIX + "-".join(re.findall(r"\w+", chat["title"].casefold()))
    day = now.date() - timedelta(days=int(chat["days"]))
    began = datetime.combine(day, time.fromisoformat(chat["time"]), tzinfo=UTC)
    messages = tuple(_messages(external_id, _lines(chat["body"]), began))
    return ImportedConversation(
        external_id=external_id,
        title=chat["title"],
        created_at=began,
        updated_at=messages[-1].said_at,
        project=chat["project"] or "",
        messages=messages,
        current_leaf=messages[-1].external_id,
    )


def _lines(body: str) -> list[tuple[Role, str]]:
    paragraphs = (paragraph.strip() for paragraph in body.split("\n\n"))
    spoken = (paragraph.partition(": ") for paragraph in paragraphs if paragraph)
    return [(_SPEAKERS[speaker], words) for speaker, _, words in spoken]


def _messages(
    external_id: str, lines: Sequence[tuple[Role, str]], began: datetime
) -> Iterator[ImportedMessage]:
    parent: str | None = None
    said_at = began
    for number, (role, words) in enumerate(lines, start=1):
        yield ImportedMessage(
            external_id=f"{external_id}-{number}",
            parent_external_id=parent,
            role=role,
            content=words,
            said_at=said_at,
        )
        parent = f"{external_id}-{number}"
        said_at += _READING if role == "user" else _WRITING
