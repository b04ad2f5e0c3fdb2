"""The site with empty rooms where chat and memory are, so that the account pages, which lead
there, are tested without them."""

from collections.abc import Iterable

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, include, path

from chat import import_urls
from chat import urls as chat_urls
from memory import urls as memory_urls
from palace import views


def room(request: HttpRequest) -> HttpResponse:
    return HttpResponse("")


def rooms(patterns: Iterable[URLPattern], first: str = "") -> list[URLPattern]:
    names = [pattern.name for pattern in patterns]
    return [path("" if name == first else f"{name}/", room, name=name) for name in names]


memory = rooms(memory_urls.urlpatterns, first="palace")
pages = (pattern for pattern in chat_urls.urlpatterns if isinstance(pattern, URLPattern))
chat = rooms(pages, first="chat")
chat += rooms(import_urls.urlpatterns)

urlpatterns = [
    path("", views.home, name="home"),
    path("admin/", admin.site.urls),
    path("accounts/", include("accounts.urls")),
    path("memory/", include((memory, "memory"))),
    path("chat/", include((chat, "chat"))),
]
