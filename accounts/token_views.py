"""The pages of API tokens: making one, which is shown this once, and revoking one."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.forms import TokenForm
from accounts.http import SignedInRequest
from accounts.tokens import NameTaken, issue_token, tokens_of
from accounts.tokens import revoke_token as revoke

REFUSED = 422


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def tokens(request: SignedInRequest) -> HttpResponse:
    """The tokens that work, and a form for another, whose text the answer shows once."""
    form = TokenForm(request.POST or None)
    made = _made(request.user.id, form) if form.is_bound and form.is_valid() else None
    context = {
        "form": TokenForm() if made else form,
        "made": made,
        "tokens": tokens_of(request.user.id),
    }
    status = REFUSED if form.is_bound and not made else 200
    return render(request, "accounts/tokens.html", context, status=status)


def _made(user_id: UUID, form: TokenForm) -> str | None:
    given = form.cleaned_data
    try:
        return issue_token(user_id, given["name"], timezone.now(), tuple(given["scopes"]))
    except NameTaken:
        form.add_error("name", _("You have a token of this name. Choose another name."))
    return None


@require_http_methods(["GET", "HEAD", "POST"])
def revoke_token(request: SignedInRequest, token_id: UUID) -> HttpResponse:
    """Revoke a token after asking once more."""
    token = get_object_or_404(tokens_of(request.user.id), id=token_id)
    if request.method != "POST":
        return render(request, "accounts/revoke_token.html", {"token": token})
    revoke(token, timezone.now())
    messages.success(request, _("The token is revoked. It opens nothing any more."))
    return redirect("accounts:tokens")
