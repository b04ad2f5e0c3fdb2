"""What a person agrees to before anything is remembered of them."""

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from memory.pages.requests import MemoryRequest, memory_page
from memory.preferences import change_preferences

BY_ITSELF = "by-itself"


@require_http_methods(["GET", "HEAD", "POST"])
@memory_page
def consent(request: MemoryRequest) -> HttpResponse:
    """Say what is kept; agreeing goes on to the ways to begin. Whoever wants to be asked each time
    gets no chat remembered by itself."""
    if request.method != "POST":
        return render(request, "memory/consent.html")
    now = timezone.now()
    request.user.agree(now)
    by_itself = request.POST.get("remember") == BY_ITSELF
    change_preferences(request.user.id, {"auto_mine": by_itself}, now)
    return redirect("accounts:welcome")
