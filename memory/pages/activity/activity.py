"""The activity pages: events by day and chat, consolidation, and chats waiting to be mined or
re-extracted."""

from datetime import tzinfo
from uuid import UUID

from django.contrib import messages
from django.db.models import Sum
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from accounts.hooks import enqueue
from llm.embedding_models import BGE_SMALL, E5_SMALL
from memory.changes.activity_queries import CHAT_KINDS, LEARNED, Day, days
from memory.consolidation import application, journal
from memory.consolidation.application import AlreadyApplied, PlanOutdated
from memory.mining import progress, reextraction
from memory.models import ActivityEvent, Drawer, Fact, RecallTrace, Usage
from memory.pages.facts.queries import endings_to_review, waiting_facts
from memory.pages.requests import MemoryRequest, back_url, post_page, read_page, report
from memory.pages.settings.form import label_of
from memory.pages.settings.health import health_of
from memory.paging import Page
from memory.preferences import change_preferences
from memory.usage.budgets import budget_of

Kind = ActivityEvent.Kind

_NOT_CHANGES = {
    *CHAT_KINDS,
    Kind.NOTE_SAVED,
    Kind.IMPORTED,
    Kind.DEMO,
    Kind.EXPORTED,
    Kind.REEMBEDDED,
    Kind.ENDPOINT,
    Kind.TOKEN,
    Kind.SIGN_IN,
}
VIEWS = (
    ("", gettext_lazy("Everything")),
    ("learned", gettext_lazy("Saved")),
    ("refused", gettext_lazy("Not kept")),
    ("imports", gettext_lazy("Imports")),
)
KINDS_BY_VIEW = {"learned": LEARNED, "refused": (Kind.MINED, Kind.REEXTRACTED), "imports": (Kind.IMPORTED,)}
MAX_TO_REVIEW = 5
LOCAL_NAMES = [model.name for model in (BGE_SMALL, E5_SMALL)]
"""Calls of these are made on this server, thousands of them, and cost nothing."""
CHANGES = tuple(kind for kind in Kind if kind not in _NOT_CHANGES)


@read_page
def activity(request: MemoryRequest) -> HttpResponse:
    """Facts to review, all events, and the figures of this month."""
    show = request.GET.get("show", "")
    found = _list(request, *KINDS_BY_VIEW.get(show, ()), refused_only=show == "refused")
    context = found | {"show": show, "views": VIEWS}
    if "after" not in request.GET:
        context |= _month(request)
        context |= {} if show else _questions(request.user.id)
    return render(request, "memory/activity.html", context)


def _questions(user_id: UUID) -> dict[str, object]:
    """The first questions of the review, and whether there are more."""
    ended = endings_to_review(user_id, limit=MAX_TO_REVIEW)
    waiting = waiting_facts(user_id, limit=MAX_TO_REVIEW)
    return {
        "may_have_ended": ended.items,
        "to_review": waiting.items,
        "more_to_review": bool(ended.after or waiting.after),
    }


def _month(request: MemoryRequest) -> dict[str, object]:
    """The figures of this month, what it cost, and what needs attention."""
    now, user_id = timezone.now(), request.user.id
    budget = budget_of(request.preferences, now)
    start = budget.month.start
    events = ActivityEvent.objects.filter(user_id=user_id, at__gte=start)
    usage = Usage.objects.filter(user_id=user_id, at__gte=start)
    learned = Fact.objects.filter(user_id=user_id, status=Fact.Status.ACTIVE, deleted_at=None)
    forgotten = Drawer.objects.filter(user_id=user_id, deleted_at__gte=start)
    return {
        "month": start,
        "learned": learned.filter(recorded_at__gte=start).count(),
        "changed": events.filter(kind__in=CHANGES, undone_at=None).count(),
        "forgotten": forgotten.count(),
        "recalled": RecallTrace.objects.filter(user_id=user_id, at__gte=start).exclude(hits=[]).count(),
        "budget": budget,
        "calls": usage.exclude(model__in=LOCAL_NAMES).aggregate(calls=Sum("calls", default=0))["calls"],
        "health": health_of(user_id, now),
        "failed": progress.dead_letters(user_id).count(),
    }


@read_page
def changes(request: MemoryRequest) -> HttpResponse:
    """Only the events that changed existing memory."""
    return render(request, "memory/activity.html", _list(request, *CHANGES))


@read_page
def consolidation(request: MemoryRequest) -> HttpResponse:
    """The pending plan, if any, and the runs that changed something."""
    now = timezone.now()
    run_view = journal.pending_plan(request.user.id, now)
    planned = {"run_view": run_view, "lines": run_view and journal.lines(request.user.id, run_view.run, now)}
    return render(request, "memory/consolidation.html", _list(request, Kind.CONSOLIDATED) | planned)


@read_page
def consolidation_run(request: MemoryRequest, run_id: UUID) -> HttpResponse:
    """A run and its changes."""
    now = timezone.now()
    run_view = journal.run_of(request.user.id, run_id, now)
    lines = journal.lines(request.user.id, run_view.run, now, request.GET.get("after", ""))
    return render(request, "memory/consolidation_run.html", {"run_view": run_view, "lines": lines})


@post_page
def preview(request: MemoryRequest) -> HttpResponse:
    """Plan a run for its owner to review."""
    if application.preview(request.user.id, timezone.now()) is None:
        messages.success(request, _("There is nothing to consolidate."))
    return redirect("memory:consolidation")


@post_page
def apply_plan(request: MemoryRequest, run_id: UUID) -> HttpResponse:
    """Apply the plan that was shown; make a new one if facts have changed since."""
    digest, now = request.POST.get("digest", ""), timezone.now()
    try:
        application.apply(request.user.id, run_id, digest, now)
    except PlanOutdated:
        if application.preview(request.user.id, now):
            words = _("Facts have changed since, so nothing was applied. This is the new plan.")
        else:
            words = _("Facts have changed since, and there is nothing left to consolidate.")
        messages.warning(request, words)
        return redirect("memory:consolidation")
    except AlreadyApplied:
        return redirect("memory:consolidation_run", run_id)
    messages.success(request, _("Applied. You can undo it for 30 days."))
    return redirect("memory:consolidation_run", run_id)


@post_page
def drop_plan(request: MemoryRequest) -> HttpResponse:
    """Discard the plan."""
    application.drop(request.user.id)
    messages.success(request, _("The plan was discarded."))
    return redirect("memory:consolidation")


@post_page
def use_again(request: MemoryRequest, fact_id: UUID) -> HttpResponse:
    """Unarchive a fact."""
    application.unarchive(request.user.id, fact_id)
    messages.success(request, _("The fact is in use again."))
    return redirect("memory:facts")


@post_page
def retry(request: MemoryRequest) -> HttpResponse:
    """Retry every chat whose mining failed for good."""
    for each in progress.dead_letters(request.user.id):
        progress.retry_failed(each, timezone.now())
    enqueue("mine", request.user.id)
    messages.success(request, _("They will be tried again in a moment."))
    return _back(request)


@post_page
def mine_now(request: MemoryRequest) -> HttpResponse:
    """Save the messages that are due without waiting for the next sweep."""
    enqueue("mine", request.user.id)
    messages.success(request, _("Palace is saving them now."))
    return _back(request)


@post_page
def resume(request: MemoryRequest) -> HttpResponse:
    """Save chats automatically again."""
    event = change_preferences(request.user.id, {"auto_mine": True}, timezone.now())
    report(request, _("Chats are saved automatically again."), event.id if event else None)
    return _back(request)


def _back(request: MemoryRequest) -> HttpResponse:
    return redirect(back_url(request) or "memory:activity")


@post_page
def discard(request: MemoryRequest) -> HttpResponse:
    """Discard failed chats without mining them."""
    left = progress.discard_all(request.user.id, timezone.now())
    report(request, _("These chats stay in your list and are not saved to memory."), left)
    return _back(request)


@post_page
def reextract(request: MemoryRequest) -> HttpResponse:
    """Request re-extraction of everything that only the built-in reader has read."""
    count = reextraction.request_all(request.user.id, timezone.now())
    message = ngettext(
        "A model will read %(count)s part of your chats again. What it finds appears below.",
        "A model will read %(count)s parts of your chats again. What it finds appears below.",
        count,
    )
    messages.success(request, message % {"count": count})
    return redirect("memory:activity")


def _list(request: MemoryRequest, *kinds: str, refused_only: bool = False) -> dict[str, object]:
    zone: tzinfo = timezone.get_current_timezone()
    after = request.GET.get("after", "")
    page = days(request.user.id, zone, after, kinds, refused_only=refused_only)
    _label_settings(page)
    return {"days": page.items, "after": page.after}


def _label_settings(page: Page[Day]) -> None:
    for event in (event for day in page.items for group in day.groups for event in group.all_events):
        if event.kind == Kind.SETTINGS:
            event.details["changed"] = [label_of(name) for name in event.details["changed"]]
