"""The page of a person, place or thing, and what its owner can change about it."""

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from memory.entities import EntityPage, entity_page, merged_into
from memory.entity_forms import (
    KINDS,
    DetailForm,
    KindForm,
    MergeForm,
    NameForm,
    RenameForm,
    SplitForm,
)
from memory.graph import editing
from memory.graph.edits import EditRefused
from memory.models import GraphEdit
from memory.views.requests import MemoryRequest, memory_page

REFUSED = 422


@dataclass(frozen=True, slots=True)
class Change:
    """A form that changes an entity: its name on the page, and what it does when it is valid."""

    name: str
    form: forms.Form
    make: Callable[[], GraphEdit]


@require_safe
@memory_page
def entity(request: MemoryRequest, entity_id: UUID) -> HttpResponse:
    """Relations of today and of the past, what happened when, and forms; one that was merged
    leads to what it was merged into."""
    kept = merged_into(request.user.id, entity_id)
    if kept is not None:
        return redirect("memory:entity", kept)
    page = entity_page(request.user.id, entity_id, timezone.now())
    return render(request, "memory/entity.html", _context(page))


@require_POST
@memory_page
def rename_entity(request: MemoryRequest, entity_id: UUID) -> HttpResponse:
    """Call it something else."""
    page, user_id, now = _page(request, entity_id), request.user.id, timezone.now()
    form = RenameForm(request.POST, auto_id="rename_%s")
    return _changed(
        request,
        page,
        Change(
            "rename",
            form,
            lambda: editing.rename(user_id, entity_id, form.cleaned_data["name"], now),
        ),
    )


@require_POST
@memory_page
def retype_entity(request: MemoryRequest, entity_id: UUID) -> HttpResponse:
    """Say what it is."""
    page, user_id, now = _page(request, entity_id), request.user.id, timezone.now()
    form = KindForm(request.POST, auto_id="kind_%s")
    return _changed(
        request,
        page,
        Change(
            "kind", form, lambda: editing.retype(user_id, entity_id, form.cleaned_data["type"], now)
        ),
    )


@require_POST
@memory_page
def name_entity(request: MemoryRequest, entity_id: UUID) -> HttpResponse:
    """Add another name."""
    page, user_id, now = _page(request, entity_id), request.user.id, timezone.now()
    form = NameForm(request.POST, auto_id="names_%s")
    return _changed(
        request,
        page,
        Change(
            "names",
            form,
            lambda: editing.add_name(user_id, entity_id, form.cleaned_data["name"], now),
        ),
    )


@require_POST
@memory_page
def unname_entity(request: MemoryRequest, entity_id: UUID, name_id: UUID) -> HttpResponse:
    """Take one of its other names away."""
    try:
        editing.remove_name(request.user.id, entity_id, name_id, timezone.now())
    except EditRefused as refusal:
        messages.error(request, str(refusal))
    else:
        messages.success(request, _("It no longer goes by that name."))
    return redirect("memory:entity", entity_id)


@require_POST
@memory_page
def detail_entity(request: MemoryRequest, entity_id: UUID) -> HttpResponse:
    """Note a detail, or take it away."""
    page, user_id, now = _page(request, entity_id), request.user.id, timezone.now()
    form = DetailForm(request.POST, auto_id="detail_%s")
    return _changed(
        request,
        page,
        Change("detail", form, lambda: editing.set_detail(user_id, entity_id, form.detail(), now)),
    )


@require_POST
@memory_page
def merge_entity(request: MemoryRequest, entity_id: UUID) -> HttpResponse:
    """Take another one for the same."""
    page, user_id, now = _page(request, entity_id), request.user.id, timezone.now()
    form = MergeForm(request.POST, auto_id="merge_%s", entity=page.entity)
    return _changed(
        request,
        page,
        Change(
            "merge",
            form,
            lambda: editing.merge(user_id, entity_id, form.cleaned_data["other"].id, now),
        ),
    )


@require_POST
@memory_page
def split_entity(request: MemoryRequest, entity_id: UUID) -> HttpResponse:
    """Make another one of some of its relations and names."""
    page, user_id, now = _page(request, entity_id), request.user.id, timezone.now()
    form = SplitForm(request.POST, auto_id="split_%s", page=page)
    return _changed(
        request,
        page,
        Change("split", form, lambda: editing.split(user_id, entity_id, form.part(), now)),
    )


@require_POST
@memory_page
def undo_edit(request: MemoryRequest, edit_id: UUID) -> HttpResponse:
    """Take a change back."""
    entity_id = editing.edit_of(request.user.id, edit_id).entity_id
    try:
        editing.undo(request.user.id, edit_id, timezone.now())
    except EditRefused as refusal:
        messages.error(request, str(refusal))
    else:
        messages.success(request, _("Taken back: everything is as it was."))
    return redirect("memory:entity", entity_id)


def _page(request: MemoryRequest, entity_id: UUID) -> EntityPage:
    return entity_page(request.user.id, entity_id, timezone.now())


def _changed(request: MemoryRequest, page: EntityPage, change: Change) -> HttpResponse:
    """Make a change and show the entity again; or show why it cannot be made."""
    if change.form.is_valid():
        try:
            change.make()
        except EditRefused as refusal:
            change.form.add_error(None, str(refusal))
        else:
            messages.success(request, _("Changed. You can take it back below."))
            return redirect("memory:entity", page.entity.id)
    context = _context(page, **{change.name: change.form})
    return render(request, "memory/entity.html", context, status=REFUSED)


def _context(page: EntityPage, **tried: forms.Form) -> dict[str, object]:
    kind = dict(KINDS).get(page.entity.type, page.entity.type)
    return {"page": page, "kind": kind, "forms": _forms(page) | tried}


def _forms(page: EntityPage) -> dict[str, forms.Form]:
    entity = page.entity
    return {
        "rename": RenameForm(initial={"name": entity.name}, auto_id="rename_%s"),
        "kind": KindForm(initial={"type": entity.type}, auto_id="kind_%s"),
        "names": NameForm(auto_id="names_%s"),
        "detail": DetailForm(auto_id="detail_%s"),
        "merge": MergeForm(auto_id="merge_%s", entity=entity),
        "split": SplitForm(auto_id="split_%s", page=page),
    }
