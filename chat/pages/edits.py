"""Undoes edits of a chat or an agent."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from accounts.http import SignedInRequest
from chat import edits
from memory.changes.log import ChangedSince, NoSuchChange


@require_POST
def undo_edit(request: SignedInRequest, edit_id: UUID) -> HttpResponse:
    """Undo a renamed title or an edited agent."""
    try:
        edit = edits.edit_of(request.user.id, edit_id)
        edits.undo(request.user.id, edit_id, timezone.now())
    except NoSuchChange as error:
        raise Http404 from error
    except ChangedSince:
        messages.error(request, _("It has changed again since, so nothing was undone."))
    else:
        messages.success(request, _("Undone. It is as it was before."))
    if edit.subject == "agent":
        return redirect("chat:agents")
    return redirect("chat:conversation", edit.subject_id)
