"""The demo palace, an account of its own with nine months of chats of a fictional cellist, and its pages."""

import re
from datetime import UTC, datetime, time, timedelta
from pathlib import Path

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from accounts.demo import SHOWS_DEMO, create_demo, demo_of, owner_of
from accounts.hooks import enqueue
from accounts.http import SignedInRequest
from accounts.models import User
from accounts.tenancy import tenant
from memory.forgetting.account_deletion import close_account
from memory.models import Drawer, MemoryPreferences
from memory.preferences import preferences_of
from transfer.filing import file_conversation
from transfer.importing.threads import Heading, ImportedConversation, MessagePart, Node, Role, conversation

NAME = "Mira Sequeira"
DEMO_PREFIX = "demo-"
DEMO_QUESTIONS = (
    gettext_lazy("What is my bicycle called?"),
    gettext_lazy("Which tea do I like best now?"),
    gettext_lazy("What should be left out of my cake?"),
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
    with tenant(owner.id):
        time_zone = preferences_of(owner.id).time_zone
    with transaction.atomic():
        demo, is_new = create_demo(owner, NAME, now)
        if is_new:
            with tenant(demo.id):
                MemoryPreferences.objects.create(user_id=demo.id, time_zone=time_zone)
                for chat in demo_conversations(now):
                    file_conversation(demo.id, chat, now)
    if is_new:
        enqueue("mine", demo.id)
    return demo


def close_demo(owner: User) -> bool:
    """Erase the demo account of a user with everything in it; False if there is none."""
    demo = demo_of(owner)
    if demo is not None:
        close_account(demo)
    return demo is not None


@require_http_methods(["GET", "HEAD", "POST"])
def demo(request: SignedInRequest) -> HttpResponse:
    """Explain the demo palace; a POST opens it in this browser."""
    if request.method == "POST":
        opened = open_demo(owner_of(request.user), timezone.now())
        request.session[SHOWS_DEMO] = True
        with tenant(opened.id):
            is_read = Drawer.objects.filter(user_id=opened.id).exists()
        return redirect("memory:palace" if is_read else "chat:chat")
    context = {"has_demo": request.user.demo_of_id or demo_of(request.user)}
    return render(request, "chat/demo.html", context)


@require_POST
def demo_leave(request: HttpRequest) -> HttpResponse:
    """Show the user's own palace again."""
    request.session.pop(SHOWS_DEMO, None)
    return redirect("memory:palace")


@require_POST
def demo_remove(request: SignedInRequest) -> HttpResponse:
    """Erase the demo account."""
    owner = owner_of(request.user)
    request.session.pop(SHOWS_DEMO, None)
    with tenant(owner.id):
        removed = close_demo(owner)
    said = _("The demo was removed, with everything in it.") if removed else _("There is no demo to remove.")
    messages.success(request, said)
    return redirect("chat:demo")


urlpatterns = [
    path("demo/", demo, name="demo"),
    path("demo/leave/", demo_leave, name="demo_leave"),
    path("demo/remove/", demo_remove, name="demo_remove"),
]
