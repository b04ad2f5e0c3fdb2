"""The temporal knowledge graph as a table."""

from datetime import date, datetime, time

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from memory.forms import AsOfForm
from memory.knowledge import entity_of, relations_at
from memory.views.requests import MemoryRequest, memory_page

REFUSED = 422


@require_safe
@memory_page
def graph(request: MemoryRequest) -> HttpResponse:
    """Relations newest first: all of them, those of one entity, or those of a day."""
    form = AsOfForm(request.GET)
    if not form.is_valid():
        return render(request, "memory/graph.html", {"form": form}, status=REFUSED)
    entity_id = form.cleaned_data["entity"]
    entity = entity_of(request.user.id, entity_id) if entity_id else None
    if entity_id and entity is None:
        raise Http404
    day = form.day()
    relations = relations_at(
        request.user.id,
        entity_id=entity_id,
        at=_end_of(day) if day else None,
        after=request.GET.get("after", ""),
    )
    context = {"form": form, "entity": entity, "day": day, "relations": relations}
    return render(request, "memory/graph.html", context)


def _end_of(day: date) -> datetime:
    """The last instant of a day by the person's own clock."""
    return datetime.combine(day, time.max, tzinfo=timezone.get_current_timezone())
