"""The page of a drawer, and its owner's actions on it."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django_htmx.http import HttpResponseClientRedirect

from llm.tokens import estimate_tokens
from memory.aaak import Pointer, encode
from memory.changes.log import ChangeRefused
from memory.drawers import find_by_pointer, found_drawer
from memory.facts.queries import facts_in_drawer, relations_in_drawer
from memory.forgetting.trash import delete
from memory.mining.progress import source_removed_at
from memory.models import Drawer
from memory.organize import arranging
from memory.organize.notes import Note, NoteRefused, save_note
from memory.pages.forms import AnnotationForm, NoteForm
from memory.pages.highlighting import Mark, pieces
from memory.pages.palace import queries
from memory.pages.requests import REFUSED, MemoryRequest, form_page, post_page, read_page, report
from memory.pages.search.traces import uses_of
from memory.text.secrets import find_secrets

MAX_SHOWN_CHARACTERS = 10_000
MAX_UNFOLDED_CHARACTERS = 1_000
"""Longer tool output is folded, unless facts rest on it."""


@read_page
def drawer(request: MemoryRequest, drawer_id: UUID) -> HttpResponse:
    """A drawer with everything extracted from it."""
    found = found_drawer(request.user.id, drawer_id)
    if found.deleted_at is not None:
        return render(request, "memory/in_trash.html", {"drawer": found})
    return render(request, "memory/drawer.html", _context(request, found))


@read_page
def pointer(request: MemoryRequest, wing: int, room: int, drawer: int) -> HttpResponse:
    """Redirect to the drawer of a pointer, wherever it is now."""
    try:
        address = Pointer(wing, room, drawer)
    except ValueError as error:
        raise Http404 from error
    found = find_by_pointer(request.user.id, address)
    if found is None:
        raise Http404
    return redirect("memory:drawer", found.id)


@post_page
def mark(request: MemoryRequest, drawer_id: UUID, field: str) -> HttpResponse:
    """Pin a drawer or mark it as sensitive, or undo that."""
    found = found_drawer(request.user.id, drawer_id)
    if found.deleted_at is not None:
        return _already_in_trash(request, found)
    on = request.POST.get("on") == "1"
    arranging.mark(request.user.id, found.id, field, on=on, now=timezone.now())
    if request.htmx:
        found.refresh_from_db(fields=["pinned", "sensitive"])
        return render(request, "memory/drawer.html#switches", {"drawer": found})
    return redirect("memory:drawer", found.id)


@post_page
def secrets(request: MemoryRequest, drawer_id: UUID) -> HttpResponse:
    """Unmask the secrets in a drawer for models and programs, or mask them again."""
    found = found_drawer(request.user.id, drawer_id)
    if found.deleted_at is not None:
        return _already_in_trash(request, found)
    arranging.open_secrets(request.user.id, found.id, on=request.POST.get("on") == "1")
    return redirect("memory:drawer", found.id)


@post_page
def annotate(request: MemoryRequest, drawer_id: UUID) -> HttpResponse:
    """Save the owner's remark on a drawer."""
    found = found_drawer(request.user.id, drawer_id)
    if found.deleted_at is not None:
        return _already_in_trash(request, found)
    form = AnnotationForm(request.POST)
    if form.is_valid():
        try:
            remark = form.cleaned_data["annotation"]
            edit = arranging.annotate(request.user.id, found.id, remark, timezone.now())
        except ChangeRefused as refusal:
            form.add_error(None, str(refusal))
        else:
            report(request, _("Remark saved."), edit.batch_id)
            return redirect("memory:drawer", found.id)
    context = _context(request, found) | {"annotation_form": form}
    return render(request, "memory/drawer.html", context, status=REFUSED)


@post_page
def delete_drawer(request: MemoryRequest, drawer_id: UUID) -> HttpResponse:
    """Move a drawer to the trash, and offer to undo that."""
    found = found_drawer(request.user.id, drawer_id)
    if found.deleted_at is not None:
        return _already_in_trash(request, found)
    deletion = delete(request.user.id, "drawer", found.id, timezone.now())
    if not request.htmx:
        return redirect("memory:deletion", deletion.id)
    found.refresh_from_db(fields=["deleted_at", "deletion_id"])
    return render(request, "memory/_in_trash.html", {"drawer": found, "with_toast": True})


def _already_in_trash(request: MemoryRequest, found: Drawer) -> HttpResponse:
    messages.info(request, _("This drawer has been moved to the trash in the meantime. Nothing was changed."))
    url = reverse("memory:drawer", args=[found.id])
    return HttpResponseClientRedirect(url) if request.htmx else redirect(url)


def _context(request: MemoryRequest, found: Drawer) -> dict[str, object]:
    before, after = queries.adjacent_drawers(found)
    facts = facts_in_drawer(request.user.id, found.id)
    shown = found.content if "all" in request.GET else found.content[:MAX_SHOWN_CHARACTERS]
    address, tags = found.pointer, found.tags
    marks = [
        Mark(each.start, each.end, each.number, reverse("memory:fact", args=[each.fact.id])) for each in facts
    ]
    return {
        "drawer": found,
        "source_deleted_at": source_removed_at(request.user.id, found.source_kind, found.source_id),
        "pieces": pieces(shown, marks),
        "folds": found.role == Drawer.Role.TOOL and len(found.content) > MAX_UNFOLDED_CHARACTERS,
        "masks": list(dict.fromkeys(each.mask for each in find_secrets(found.content))),
        "hidden_characters": len(found.content) - len(shown),
        "before": [before] if before else [],
        "after": [after] if after else [],
        "facts": facts,
        "relations": relations_in_drawer(request.user.id, found.id),
        "pointer": address,
        "aaak": encode(address, tags),
        "tagged": (
            (_("People"), tags.people),
            (_("Places"), tags.places),
            (_("Events"), tags.events),
            (_("Things"), tags.items),
            (_("Times"), tags.times),
        ),
        "pointer_tokens": estimate_tokens(str(address)),
        "uses": uses_of(request.user.id, found.id),
        "annotation_form": AnnotationForm(initial={"annotation": found.annotation}),
    }


@form_page
def note(request: MemoryRequest) -> HttpResponse:
    """Save a note."""
    form = NoteForm(request.POST or None)
    if form.is_bound and form.is_valid():
        try:
            drawer = save_note(request.user.id, Note(**form.cleaned_data), timezone.now())
        except NoteRefused as error:
            form.add_error("text", str(error))
        else:
            messages.success(request, _("Note saved."))
            return redirect("memory:drawer", drawer.id)
    status = REFUSED if form.is_bound else 200
    return render(request, "memory/note.html", {"form": form}, status=status)
