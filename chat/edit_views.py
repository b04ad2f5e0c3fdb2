"""Taking back what was changed of a chat or an agent."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from accounts.http import SignedInRequest
from chat.edits import ChangedSince, NoSuchEdit, take_back


@require_POST
def undo_edit(request: SignedInRequest, edit_id: UUID) -> HttpResponse:
    """Put back a title, or what stood in an agent."""
    try:
        edit = take_back(request.user.id, edit_id, timezone.now())
    except NoSuchEdit as error:
        raise Http404 from error
    except ChangedSince as refusal:
        edit = refusal.edit
        messages.error(request, _("It was changed again since, so nothing was taken back."))
    else:
        messages.success(request, _("Taken back. It is as it was before."))
    if edit.agent_id:
        return redirect("chat:agents")
    return redirect("chat:conversation", edit.conversation_id)
