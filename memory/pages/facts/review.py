"""Review: facts waiting for a decision, and the decisions."""

from collections.abc import Callable, Collection
from datetime import datetime
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.html import format_html_join
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from accounts.owned import NotFound, first_or_raise
from memory.facts.endings import asked_endings, same_questions
from memory.facts.review import decisions
from memory.facts.review.decisions import MAX_AT_ONCE, Decision
from memory.models import Fact
from memory.pages.facts import queries
from memory.pages.facts.facts import decision_response, handle_already_reviewed, offer_undo
from memory.pages.requests import MemoryRequest, back_url, parse_uuid, post_page, read_page

ItemId = tuple[str, UUID]
"""An item of review, whose element has this kind and id: a question about an "ending", or a "fact"."""
WAITING = (Fact.Status.PENDING,)
ENDINGS = "endings"
MAX_ENDINGS = 10
"""How many facts that may have ended come before the facts to review; `?show=endings` lists all."""
ACTIONS = {
    "approve": (decisions.approve, WAITING),
    "reject": (decisions.reject, WAITING),
    "confirm": (decisions.confirm, (Fact.Status.PENDING, Fact.Status.ACTIVE)),
    "review": (
        decisions.return_to_review,
        (Fact.Status.ACTIVE, Fact.Status.SUPERSEDED, Fact.Status.REJECTED),
    ),
    "delete": (decisions.delete, tuple(Fact.Status)),
}


@read_page
def review(request: MemoryRequest) -> HttpResponse:
    """The latest facts that may have ended, then facts to review, newest first, each with the fact it
    contradicts; or only facts that may have ended."""
    after, user_id = request.GET.get("after", ""), request.user.id
    if request.GET.get("show") == ENDINGS:
        endings = queries.endings_to_review(user_id, after)
        if not endings.items:
            return redirect("memory:review")
        return render(
            request,
            "memory/review.html",
            {"endings": endings.items, "after": endings.after, "only_endings": True},
        )
    waiting = queries.waiting_facts(user_id, after)
    context: dict[str, object] = {}
    if after and not waiting.items:
        return redirect("memory:review")
    if not after:
        endings = queries.endings_to_review(user_id, limit=MAX_ENDINGS)
        count = asked_endings(user_id).count() if endings.after else 0
        context = {"endings": endings.items, "all_endings": count}
    offers_both = any(item.ends_rival for item in waiting.items)
    context |= {"waiting": waiting.items, "after": waiting.after, "offers_both": offers_both}
    return render(request, "memory/review.html", context)


@post_page
def decide(request: MemoryRequest) -> HttpResponse:
    """Apply one decision to all selected facts."""
    action, values = request.POST.get("action", ""), request.POST.getlist("fact")
    selected = {fact_id for each in values if (fact_id := parse_uuid(each))}
    response = redirect(back_url(request) or "memory:review")
    if action not in ACTIONS or not 0 < len(values) <= MAX_AT_ONCE or not all(map(parse_uuid, values)):
        messages.info(request, _("Select between 1 and %(most)s facts.") % {"most": MAX_AT_ONCE})
        return response
    act, states = ACTIONS[action]
    open_ids = decisions.still_in_status(request.user.id, list(selected), states)
    if not open_ids:
        messages.info(request, _("These facts were already reviewed in another window."))
        return response
    decision = act(request.user.id, open_ids, timezone.now())
    message = _result_message(action, len(open_ids))
    if len(open_ids) < len(selected):
        message = f"{message} {_('The others were already reviewed in another window.')}"
    offer_undo(request, decision, message)
    return response


@post_page
@handle_already_reviewed
def answer_ending(request: MemoryRequest, fact_id: UUID) -> HttpResponse:
    """End a fact at the date of a doubtful ending, or confirm that it is still true."""
    answer, ending_id = request.POST.get("answer"), parse_uuid(request.POST.get("ending"))
    if answer not in ("over", "holds") or ending_id is None:
        raise NotFound
    ending = first_or_raise(asked_endings(request.user.id).filter(asked_id=fact_id, id=ending_id))
    now = timezone.now()
    others = _items_beside(request.user.id, fact_id) - {("ending", ending_id)}
    if answer == "holds":
        decision = decisions.confirm(request.user.id, [fact_id], now)
        words, decided = _("The fact is still true."), _("Still true:")
    else:
        decision = decisions.end(request.user.id, fact_id, min(ending.at, now), now)
        words, decided = _("The fact has ended. You can find it under Past."), _("Moved to Past:")
    return _decided(request, decision, words, decided, others)


def _result_message(action: str, count: int) -> str:
    words = {
        "confirm": ngettext("%(count)s fact confirmed.", "%(count)s facts confirmed.", count),
        "review": ngettext("%(count)s fact moved to review.", "%(count)s facts moved to review.", count),
        "delete": ngettext("%(count)s fact deleted.", "%(count)s facts deleted.", count),
    }
    reviewed = ngettext("%(count)s fact reviewed.", "%(count)s facts reviewed.", count)
    return words.get(action, reviewed) % {"count": count}


def _decides(
    decide: Callable[[UUID, list[UUID], datetime], Decision], words: Promise, decided: Promise
) -> Callable[..., HttpResponse]:
    """A view that decides about one fact; `words` report it, `decided` precede the sentence on a list."""

    @post_page
    @handle_already_reviewed
    def view(request: MemoryRequest, fact_id: UUID) -> HttpResponse:
        others = _items_beside(request.user.id, fact_id)
        decision = decide(request.user.id, [fact_id], timezone.now())
        return _decided(request, decision, str(words), str(decided), others)

    return view


def _items_beside(user_id: UUID, fact_id: UUID) -> set[ItemId]:
    """The other items of review that a decision about a fact may settle: questions whether it, or the fact
    that it says is over, has ended, and facts that say that it is over."""
    pairs = same_questions(user_id, [fact_id])
    about = {fact_id, *(ending.asked_id for ending, _ in pairs)}
    endings = asked_endings(user_id).filter(asked_id__in=about).values_list("id", flat=True)
    facts = {former.id for _, former in pairs} - {fact_id}
    return {("ending", each) for each in endings} | {("fact", each) for each in facts}


def _still_waiting(user_id: UUID, items: Collection[ItemId]) -> set[ItemId]:
    ids = {item_id for _, item_id in items}
    endings = asked_endings(user_id).filter(id__in=ids).values_list("id", flat=True)
    facts = Fact.objects.filter(user_id=user_id, id__in=ids, status=Fact.Status.PENDING)
    waiting = facts.values_list("id", flat=True)
    return {("ending", each) for each in endings} | {("fact", each) for each in waiting}


def _decided(
    request: MemoryRequest, decision: Decision, words: str, decided: str, others: Collection[ItemId]
) -> HttpResponse:
    """What was decided; those of the `others` that this settles disappear from the list."""
    if not request.htmx:
        offer_undo(request, decision, words)
        return redirect(back_url(request) or "memory:review")
    response = decision_response(request, decision, words, decided)
    settled = set(others) - _still_waiting(request.user.id, others)
    response.write(format_html_join("", '<div id="{}-{}" hx-swap-oob="delete"></div>', settled))
    return response


approve = _decides(decisions.approve, gettext_lazy("Approved."), gettext_lazy("Approved:"))
reject = _decides(decisions.reject, gettext_lazy("Rejected."), gettext_lazy("Rejected:"))
keep_both = _decides(decisions.keep_both, gettext_lazy("Both facts are kept."), gettext_lazy("Kept both:"))
reconsider = _decides(
    decisions.return_to_review, gettext_lazy("The fact is back in review."), gettext_lazy("Back in review:")
)


@post_page
def merge(request: MemoryRequest, fact_id: UUID) -> HttpResponse:
    """Merge a fact into another."""
    into = parse_uuid(request.POST.get("into"))
    if into is None:
        raise NotFound
    decision = decisions.merge(request.user.id, fact_id, into, timezone.now())
    offer_undo(request, decision, _("The two facts are merged, with the sources of both."))
    return redirect("memory:fact", into)
