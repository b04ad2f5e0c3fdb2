"""How well a memory stands: a few checks in words, each with what puts it right, and a score."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from memory.consolidation.schedule import is_due
from memory.facts.queries import count_waiting
from memory.mining.progress import given_up
from memory.mining.reextraction import read_by_rules
from memory.models import MinedWindow, Palace
from memory.pages.requests import MemoryRequest, memory_page
from memory.preferences import preferences_of
from memory.search.embedding_backfill import vector_state
from memory.usage.budgets import budget_of
from memory.usage.metering import has_writer
from memory.usage.quota import quota_of

MOST_COUNTED = 10_000
INBOX_THAT_HALVES = 10
"""So many facts that wait for a decision halve the share of their check."""
NEARLY_FULL = 0.9


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that can be well or not: the share of it that is (0 to 1), how much it counts, what
    is so in a sentence, and the page that puts it right, as url name and label."""

    name: str | Promise
    share: float
    weight: int
    words: str
    page: str = ""
    label: str | Promise = ""

    @property
    def is_well(self) -> bool:
        """Whether nothing is to be done."""
        return self.share >= 1


@dataclass(frozen=True, slots=True)
class Health:
    """All checks, the worst first, and the score of 0 to 100: the weighted mean of their shares."""

    score: int
    checks: tuple[Check, ...]


def health_of(user_id: UUID, now: datetime) -> Health:
    """How a person's memory stands. What cannot be said of it (no model, no limit) is left out."""
    checks = [check for look in CHECKS for check in look(user_id, now)]
    whole = sum(check.weight for check in checks)
    score = sum(check.weight * check.share for check in checks) / whole
    in_order = sorted(checks, key=lambda check: (check.share - 1) * check.weight)
    return Health(round(100 * score), tuple(in_order))


def _meaning(user_id: UUID, now: datetime) -> Iterator[Check]:
    kept = Palace.objects.filter(user_id=user_id).values_list("drawers_indexed", flat=True).first()
    state = vector_state(user_id, MOST_COUNTED, now)
    words = state.trouble or _missing(state.waiting)
    share = 0.0 if state.down else 1 - min(1.0, state.waiting / max(1, kept or 0))
    share = min(share, 0.5) if state.trouble else share
    yield Check(_("Search by meaning"), share, 3, words, "memory:settings", _("Settings"))


def _missing(count: int) -> str:
    if not count:
        return str(_("Every drawer can be found by meaning."))
    return ngettext(
        "%(count)s drawer can be found only by its words until it is indexed.",
        "%(count)s drawers can be found only by their words until they are indexed.",
        count,
    ) % {"count": count}


def _mining(user_id: UUID, now: datetime) -> Iterator[Check]:
    count = given_up(user_id).count()
    words = ngettext(
        "%(count)s chat could not be saved to memory. The chat itself is safe; try again.",
        "%(count)s chats could not be saved to memory. The chats themselves are safe; try again.",
        count,
    )
    well = str(_("Every idle chat is saved to memory."))
    said = words % {"count": count} if count else well
    yield Check(_("Saving to memory"), 1 / (1 + count), 3, said, "memory:palace", _("Try again"))


def _understanding(user_id: UUID, now: datetime) -> Iterator[Check]:
    if not has_writer():
        return
    windows = MinedWindow.objects.filter(user_id=user_id).count()
    by_rules = read_by_rules(user_id).count()
    words = ngettext(
        "The built-in reader read %(count)s part of your chats; a model may understand more.",
        "The built-in reader read %(count)s parts of your chats; a model may understand more.",
        by_rules,
    )
    said = words % {"count": by_rules} if by_rules else str(_("A model has read all your chats."))
    share = 1 - by_rules / max(1, windows)
    yield Check(_("Understanding"), share, 2, said, "memory:activity", _("Read again"))


def _decisions(user_id: UUID, now: datetime) -> Iterator[Check]:
    count = count_waiting(user_id)
    words = ngettext(
        "%(count)s fact waits for your review and is not used until then.",
        "%(count)s facts wait for your review and are not used until then.",
        count,
    )
    said = words % {"count": count} if count else str(_("No fact waits for your review."))
    share = 1 / (1 + count / INBOX_THAT_HALVES)
    yield Check(_("Review"), share, 2, said, "memory:review", _("Review"))


def _consolidation(user_id: UUID, now: datetime) -> Iterator[Check]:
    late = is_due(user_id, now)
    said = _("Consolidation is due: it merges duplicates and archives what you no longer use.")
    well = _("Consolidation runs on your schedule.")
    words = str(said if late else well)
    yield Check(_("Consolidation"), 0.5 if late else 1.0, 1, words, "memory:consolidation", _("Consolidate"))


def _room(user_id: UUID, now: datetime) -> Iterator[Check]:
    quota = quota_of(user_id)
    if quota.limit is None:
        return
    filled = quota.kept / max(1, quota.limit)
    share = 1.0 if filled < NEARLY_FULL else max(0.0, (1 - filled) / (1 - NEARLY_FULL))
    said = _("%(kept)s of %(limit)s drawers are in use.") % {
        "kept": f"{quota.kept:,}",
        "limit": f"{quota.limit:,}",
    }
    yield Check(_("Room"), share, 2, said, "memory:palace", _("Browse"))


def _money(user_id: UUID, now: datetime) -> Iterator[Check]:
    budget = budget_of(preferences_of(user_id), now)
    if budget.limit is None:
        return
    said = _("This month’s budget is spent. The free built-in reader does the work.")
    words = str(said if budget.is_spent else _("This month’s budget is not spent yet."))
    share = 0.0 if budget.is_spent else 1.0
    yield Check(_("Budget"), share, 1, words, "memory:cost", _("Cost"))


CHECKS: tuple[Callable[[UUID, datetime], Iterator[Check]], ...] = (
    _meaning,
    _mining,
    _understanding,
    _decisions,
    _consolidation,
    _room,
    _money,
)


@require_safe
@memory_page
def health(request: MemoryRequest) -> HttpResponse:
    """The score, its checks, and what would raise it."""
    found = health_of(request.user.id, timezone.now())
    return render(request, "memory/health.html", {"health": found})
