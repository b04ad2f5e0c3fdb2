"""The page of the demo palace: look around in it, go back, and remove it."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from accounts.demo import SHOWS_DEMO, demo_of, owner_of
from accounts.http import SignedInRequest
from accounts.tenancy import tenant
from memory.models import Drawer
from transfer.demo import close_demo, open_demo


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
