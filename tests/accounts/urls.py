"""The site with empty rooms where chat and memory will be."""

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls import include, path

from palace import views


def room(request: HttpRequest) -> HttpResponse:
    return HttpResponse("")


def rooms(app: str, *names: str) -> tuple[list[object], str]:
    return [path(f"{name}/", room, name=name) for name in names], app


urlpatterns = [
    path("", views.home, name="home"),
    path("admin/", admin.site.urls),
    path("accounts/", include("accounts.urls")),
    path("memory/", include(rooms("memory", "palace", "search", "facts", "activity", "settings"))),
    path("chat/", include(rooms("chat", "chat", "import", "demo"))),
]
