"""What pages of an incognito chat say of themselves."""

from uuid import UUID

from django.http import Http404, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_POST

from accounts.http import SignedInRequest
from chat.incognito import leave
from chat.pages import conversation_or_404


@require_POST
def presence(request: SignedInRequest, conversation_id: UUID) -> HttpResponse:
    """Hear from a page that it still shows the chat, or with `left` that it goes away."""
    conversation = conversation_or_404(request, conversation_id)
    if not conversation.incognito:
        raise Http404
    if "left" in request.POST:
        leave(conversation, timezone.now())
    return HttpResponse(status=204)
