"""The site with empty rooms where chat and memory are, so that the account pages, which lead
there, are tested without them."""

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, include, path

from palace import views


def room(request: HttpRequest) -> HttpResponse:
    return HttpResponse("")


def rooms(first: str, *names: str) -> list[URLPattern]:
    return [path("", room, name=first), *(path(f"{name}/", room, name=name) for name in names)]


memory = rooms("palace", "search", "facts", "activity", "settings")
chat = rooms("chat", "import", "demo")

urlpatterns = [
    path("", views.home, name="home"),
    path("admin/", admin.site.urls),
    path("accounts/", include("accounts.urls")),
    path("memory/", include((memory, "memory"))),
    path("chat/", include((chat, "chat"))),
]
