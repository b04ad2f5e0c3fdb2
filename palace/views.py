"""The front page, the command palette and the keyboard sheet; all of them work without JavaScript."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import urlencode
from uuid import UUID

from django.contrib.auth.decorators import login_not_required
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.template import loader
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.views import defaults
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.http import SignedInRequest, set_preference_cookie
from accounts.models import User
from accounts.registration import site_is_empty
from chat.conversations import conversations_of
from memory.aaak import parse_pointer
from memory.pages.palace.queries import search_names
from memory.pages.requests import back_url
from palace.embedded.location import EmbeddedDatabaseFailed
from palace.navigation import DESTINATIONS, KEYS_COOKIE, OFF, SIDEBAR_COOKIE

DATABASE_UNAVAILABLE = (OperationalError, InterfaceError, EmbeddedDatabaseFailed)
RETRY_AFTER_S = 5
MAX_PER_GROUP = 6
MAX_QUERY_LENGTH = 200


@dataclass(frozen=True, slots=True)
class Option:
    """Somewhere to go; `mark` is the kind of a wing, whose shape is shown instead of an icon."""

    name: str | Promise
    url: str
    icon: str = ""
    mark: str = ""
    detail: str | Promise = ""


@require_safe
@login_not_required
def home(request: HttpRequest) -> HttpResponse:
    """Redirect to the chats, to consent or to sign-in; the very first visitor goes to sign-up."""
    if isinstance(request.user, User):
        return redirect("chat:chat" if request.user.agreed_at else "memory:consent")
    return redirect("account_signup" if site_is_empty() else "account_login")


@require_safe
def go(request: SignedInRequest) -> HttpResponse:
    """The places that match `q`, as a page or as the options of the palette."""
    typed = request.GET.get("q", "")
    groups = option_groups(request.user.id, typed)
    context = {"typed": typed, "groups": groups, "number": sum(len(options) for _, options in groups)}
    return render(request, "palace/_options.html" if request.htmx else "palace/go.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def keys(request: HttpRequest) -> HttpResponse:
    """The keyboard shortcuts, and a switch that turns single keys off in this browser."""
    if request.method != "POST":
        return render(request, "palace/keys.html")
    response = redirect("keys")
    response.status_code = HTTPStatus.SEE_OTHER
    set_preference_cookie(response, KEYS_COOKIE, OFF if request.POST.get("keys") == OFF else "")
    return response


@require_POST
def sidebar(request: SignedInRequest) -> HttpResponse:
    """Collapse or expand the sidebar in this browser."""
    response = redirect(back_url(request) or "home")
    set_preference_cookie(response, SIDEBAR_COOKIE, OFF if request.POST.get("sidebar") == OFF else "")
    return response


def option_groups(user_id: UUID, typed: str) -> list[tuple[str, list[Option]]]:
    """Pages, drawers, wings, rooms, entities and chats of this user that match, under headings."""
    words = typed.strip()[:MAX_QUERY_LENGTH]
    named = search_names(user_id, words, MAX_PER_GROUP)
    found: tuple[tuple[str, Iterator[Option]], ...] = (
        (_("Drawer"), _drawers(words)),
        (_("Pages"), _pages(words)),
        (_("Wings"), (_option(wing.name, "memory:wing", wing.id, mark=wing.kind) for wing in named.wings)),
        (
            _("Rooms"),
            (
                _option(
                    room.title, "memory:room", room.wing_id, room.id, icon="palace", detail=room.wing.name
                )
                for room in named.rooms
            ),
        ),
        (
            _("People and things"),
            (_option(each.name, "memory:entity", each.id, icon="graph") for each in named.entities),
        ),
        (_("Chats"), _chats(user_id, words)),
        (_("Search"), _search(words)),
    )
    groups = ((title, list(options)) for title, options in found)
    return [(title, options) for title, options in groups if options]


def server_error(request: HttpRequest) -> HttpResponseBase:
    """The page after an unexpected error; it says so when the database cannot be reached."""
    if not isinstance(sys.exception(), DATABASE_UNAVAILABLE):
        return defaults.server_error(request)
    status = HTTPStatus.SERVICE_UNAVAILABLE
    return HttpResponse(
        loader.get_template("503.html").render(), status=status, headers={"Retry-After": str(RETRY_AFTER_S)}
    )


def _option(name: str, view: str, *args: object, icon: str = "", mark: str = "", detail: str = "") -> Option:
    return Option(name or _("Untitled"), reverse(view, args=args), icon, mark, detail)


def _drawers(words: str) -> Iterator[Option]:
    pointer = parse_pointer(words)
    if pointer is not None:
        place = (pointer.wing, pointer.room, pointer.drawer)
        yield _option(str(pointer), "memory:pointer", *place, icon="recall")


def _pages(words: str) -> Iterator[Option]:
    wanted = words.casefold().split()
    for page in DESTINATIONS:
        if all(word in str(page.name).casefold() for word in wanted):
            yield Option(page.name, page.url, icon=page.icon, detail=page.description)


def _chats(user_id: UUID, words: str) -> Iterator[Option]:
    for chat in conversations_of(user_id, words)[:MAX_PER_GROUP]:
        yield _option(chat.title, "chat:conversation", chat.id, icon="chat")


def _search(words: str) -> Iterator[Option]:
    if words:
        url = f"{reverse('memory:search')}?{urlencode({'q': words})}"
        yield Option(_("Search your memory for “%(words)s”") % {"words": words}, url, icon="search")
