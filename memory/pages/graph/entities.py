"""The page of an entity, and the changes its owner can make."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory.changes.log import ChangeRefused
from memory.graph import editing
from memory.graph.traversal import EntityPage, entity_page, merged_into
from memory.models import ChangeSet, Entity
from memory.pages.graph.forms import KINDS, DetailForm, KindForm, MergeForm, NameForm, RenameForm, SplitForm
from memory.pages.requests import REFUSED, MemoryRequest, post_page, read_page, report


@dataclass(frozen=True, slots=True)
class EntityAction:
    """A change the owner can make: the heading, button and form, and the edit that a valid form makes.
    The key in ENTITY_ACTIONS is the URL name without `_entity`."""

    words: Promise
    label: Promise
    form: Callable[[EntityPage, QueryDict | None], forms.Form]
    change: Callable[[Entity, Any, datetime], ChangeSet]
    is_available: Callable[[EntityPage], bool] = lambda page: True


ENTITY_ACTIONS = {
    "rename": EntityAction(
        gettext_lazy("Rename"),
        gettext_lazy("Rename"),
        lambda page, data: RenameForm(data, initial={"name": page.entity.name}),
        lambda of, form, now: editing.rename(of.user_id, of.id, form.cleaned_data["name"], now),
        lambda page: not page.is_owner,
    ),
    "retype": EntityAction(
        gettext_lazy("Change its kind"),
        gettext_lazy("Change the kind"),
        lambda page, data: KindForm(data, initial={"type": page.entity.type}),
        lambda of, form, now: editing.retype(of.user_id, of.id, form.cleaned_data["type"], now),
        lambda page: not page.is_owner,
    ),
    "name": EntityAction(
        gettext_lazy("Add another name"),
        gettext_lazy("Add the name"),
        lambda page, data: NameForm(data),
        lambda of, form, now: editing.add_name(of.user_id, of.id, form.cleaned_data["name"], now),
    ),
    "detail": EntityAction(
        gettext_lazy("Add a detail"),
        gettext_lazy("Save"),
        lambda page, data: DetailForm(data),
        lambda of, form, now: editing.set_detail(
            of.user_id, of.id, (form.cleaned_data["label"], form.cleaned_data["value"]), now
        ),
    ),
    "merge": EntityAction(
        gettext_lazy("Merge with another"),
        gettext_lazy("Merge"),
        lambda page, data: MergeForm(data, entity=page.entity),
        lambda of, form, now: editing.merge(of.user_id, of.id, form.cleaned_data["other"].id, now),
    ),
    "split": EntityAction(
        gettext_lazy("Split into two"),
        gettext_lazy("Split"),
        lambda page, data: SplitForm(data, page=page),
        lambda of, form, now: editing.split(of.user_id, of.id, form.part(), now),
        lambda page: bool(page.current or page.past or page.aliases),
    ),
}


@read_page
def entity(request: MemoryRequest, entity_id: UUID) -> HttpResponse:
    """An entity with its current and past relations, its history and its forms. Redirects if it was
    merged."""
    target_id = merged_into(request.user.id, entity_id)
    if target_id is not None:
        return redirect("memory:entity", target_id)
    page = entity_page(request.user.id, entity_id, timezone.now())
    return render(request, "memory/entity.html", _context(page))


@post_page
def change_entity(request: MemoryRequest, entity_id: UUID, name: str) -> HttpResponse:
    """Make a change, or show why it cannot be made. If the entity has been merged meanwhile, change nothing
    and redirect to the one it was merged into."""
    target_id = merged_into(request.user.id, entity_id)
    if target_id is not None:
        messages.info(request, _("It has been merged into this one in the meantime. Nothing was changed."))
        return redirect("memory:entity", target_id)
    now = timezone.now()
    page = entity_page(request.user.id, entity_id, now)
    form = _build_form(name, page, request.POST)
    if form.is_valid():
        try:
            edit = ENTITY_ACTIONS[name].change(page.entity, form, now)
        except ChangeRefused as refusal:
            form.add_error(None, str(refusal))
        else:
            report(request, _("Changed. You can undo it here or below."), edit.batch_id)
            return redirect("memory:entity", entity_id)
    return render(request, "memory/entity.html", _context(page, {name: form}), status=REFUSED)


@post_page
def unname_entity(request: MemoryRequest, entity_id: UUID, name_id: UUID) -> HttpResponse:
    """Remove an alias."""
    try:
        edit = editing.remove_name(request.user.id, entity_id, name_id, timezone.now())
    except ChangeRefused as refusal:
        messages.error(request, str(refusal))
    else:
        report(request, _("Name removed."), edit.batch_id)
    return redirect("memory:entity", entity_id)


def _build_form(name: str, page: EntityPage, data: QueryDict | None = None) -> forms.Form:
    form = ENTITY_ACTIONS[name].form(page, data)
    form.auto_id = f"{name}_%s"
    return form


def _context(page: EntityPage, bound_forms: dict[str, forms.Form] | None = None) -> dict[str, object]:
    kind = dict(KINDS).get(page.entity.type, page.entity.type)
    return {"page": page, "kind": kind, "actions": list(_available_changes(page, bound_forms or {}))}


def _available_changes(
    page: EntityPage, bound_forms: dict[str, forms.Form]
) -> Iterator[tuple[EntityAction, str, forms.Form]]:
    """The available changes, each with the URL of its form and the form."""
    for name, action in ENTITY_ACTIONS.items():
        if name in bound_forms or action.is_available(page):
            url = reverse(f"memory:{name}_entity", args=[page.entity.id])
            yield action, url, bound_forms.get(name) or _build_form(name, page)
