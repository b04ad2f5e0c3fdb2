"""The page that closes an account, and the receipt."""

from allauth.account.decorators import reauthentication_required
from django.contrib.auth import logout
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import path
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.http import SignedInRequest
from accounts.models import User
from memory.forgetting.account_deletion import LastStaffUser, close_account, receipt_text, rows_by_table
from memory.forgetting.holders import holders
from memory.pages.requests import REFUSED

LABELS = {
    "memory_drawer": gettext_lazy("Drawers"),
    "memory_fact": gettext_lazy("Facts"),
    "memory_entity": gettext_lazy("People and things"),
    "memory_skill": gettext_lazy("Skills"),
    "accounts_apitoken": gettext_lazy("Access tokens"),
    "usersessions_usersession": gettext_lazy("Browsers that are signed in"),
}


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@reauthentication_required(allow_get=True)  # type: ignore[untyped-decorator]
def close(request: SignedInRequest) -> HttpResponse:
    """Show what closing the account erases. A POST erases it and renders the receipt, which cannot be shown
    later because nobody can sign in any more."""
    if request.method != "POST":
        return _page(request)
    try:
        closed = close_account(User.objects.get(pk=request.user.pk))
    except LastStaffUser:
        return _page(request, _("You run this site for others. Make someone else staff first."))
    logout(request)
    context = {"closed": closed, "receipt": receipt_text(closed)}
    return render(request, "closing/closed.html", context)


def _page(request: SignedInRequest, refusal: str = "") -> HttpResponse:
    rows = rows_by_table(request.user.id)
    labels = {name: label for holder in holders() for name, label in holder.table_labels.items()}
    mostly = [(label, rows[table]) for table, label in (labels | LABELS).items() if rows.get(table)]
    context = {"refusal": refusal, "rows": rows, "mostly": mostly}
    return render(request, "closing/close.html", context, status=REFUSED if refusal else 200)


app_name = "closing"
urlpatterns = [path("", close, name="close")]
