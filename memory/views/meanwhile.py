"""Two windows on one fact: the second is told what was decided in the first."""

from collections.abc import Callable
from functools import wraps
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy

from memory.knowledge import with_quotes
from memory.review.decisions import NoSuchFact, found_fact
from memory.views.requests import MemoryRequest

MEANWHILE = gettext_lazy(
    "This fact was decided about in another window meanwhile, so nothing was changed now. This is "
    "how it stands."
)

View = Callable[[MemoryRequest, UUID], HttpResponse]


def told_meanwhile(view: View) -> View:
    """A decision that cannot be made any more shows the fact as it stands; one that is gone, or
    somebody else's, is not there."""

    @wraps(view)
    def telling(request: MemoryRequest, fact_id: UUID) -> HttpResponse:
        try:
            return view(request, fact_id)
        except NoSuchFact:
            return _as_it_stands(request, fact_id)

    return telling


def _as_it_stands(request: MemoryRequest, fact_id: UUID) -> HttpResponse:
    fact = found_fact(request.user.id, fact_id)
    if request.htmx:
        known = with_quotes(request.user.id, [fact])[0]
        context = {"known": known, "text": str(MEANWHILE)}
        return render(request, "memory/_fact_decided.html", context)
    messages.info(request, str(MEANWHILE))
    return redirect("memory:fact", fact.id)
