"""The health of a memory: a score, and a few checks with the action that fixes each."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.module_loading import import_string
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from memory.consolidation.application import is_due
from memory.mining.progress import dead_letters
from memory.mining.reextraction import read_without_model, waiting
from memory.models import ActivityEvent, Fact, MinedWindow, Palace
from memory.pages.requests import MemoryRequest, read_page
from memory.preferences import preferences_of
from memory.search.embedding_backfill import vector_state
from memory.usage.budgets import budget_of
from memory.usage.metering import has_writer
from memory.usage.quota import quota_of

MAX_COUNTED = 10_000
INBOX_THAT_HALVES = 10
"""This many facts to review halve the share of their check."""
BACKLOG_THAT_HALVES = 50
"""The same for messages that are due to be saved."""
NEARLY_FULL = 0.9
ESSENTIAL = 3
"""The weight of checks that cap the score."""


@dataclass(frozen=True, slots=True)
class Check:
    """A check: the share that is fine (0 to 1), its weight, its state in a sentence, and the URL name and
    label of the page, or of the button that `posts`, that fixes it. An offer is an improvement, not a
    problem."""

    name: str | Promise
    share: float
    weight: int
    words: str
    page: str = ""
    label: str | Promise = ""
    posts: bool = False
    is_offer: bool = False

    @property
    def is_well(self) -> bool:
        """Whether there is nothing to do."""
        return self.share >= 1


@dataclass(frozen=True, slots=True)
class Health:
    """All checks, worst first, then offers; and the score (0 to 100): the weighted mean of their shares,
    capped by the lowest essential one."""

    score: int
    checks: tuple[Check, ...]

    @property
    def problems(self) -> tuple[Check, ...]:
        return tuple(check for check in self.checks if not check.is_well)

    @property
    def to_do(self) -> tuple[Check, ...]:
        """Problems and offers."""
        return tuple(check for check in self.checks if not check.is_well or check.is_offer)


def health_of(user_id: UUID, now: datetime) -> Health:
    """Run all checks. Those that do not apply (no model, no limit) are left out."""
    checks = [check for run_check in CHECKS for check in run_check(user_id, now)]
    total_weight = sum(check.weight for check in checks)
    score = sum(check.weight * check.share for check in checks) / total_weight
    lowest = min(check.share for check in checks if check.weight == ESSENTIAL)
    in_order = sorted(checks, key=lambda check: ((check.share - 1) * check.weight, not check.is_offer))
    return Health(round(100 * min(score, lowest)), tuple(in_order))


def _vector_search(user_id: UUID, now: datetime) -> Iterator[Check]:
    indexed = Palace.objects.filter(user_id=user_id).values_list("drawers_indexed", flat=True).first()
    state = vector_state(user_id, MAX_COUNTED, now)
    words = ngettext(
        "%(count)s drawer can be found only by its words until it is indexed.",
        "%(count)s drawers can be found only by their words until they are indexed.",
        state.waiting,
    )
    sentence = state.trouble or _sentence(words, state.waiting, _("Every drawer can be found by meaning."))
    share = 0.0 if state.down else 1 - min(1.0, state.waiting / max(1, indexed or 0))
    share = min(share, 0.5) if state.trouble else share
    yield Check(_("Search by meaning"), share, ESSENTIAL, sentence, "memory:settings", _("Settings"))


def _sentence(words: str, count: int, well: str | Promise = "") -> str:
    """The words with the count, or `well` if it is zero."""
    return words % {"count": f"{count:,}"} if count else str(well)


def _mining(user_id: UUID, now: datetime) -> Iterator[Check]:
    count = dead_letters(user_id).count()
    words = ngettext(
        "%(count)s chat could not be saved to memory. The chat itself is safe.",
        "%(count)s chats could not be saved to memory. The chats themselves are safe.",
        count,
    )
    sentence = _sentence(words, count, _("All chats were saved."))
    name = _("Saving to memory")
    yield Check(name, 1 / (1 + count), ESSENTIAL, sentence, "memory:retry", _("Try again"), posts=True)


def _backlog(user_id: UUID, now: datetime) -> Iterator[Check]:
    """Messages due to be saved, and those that are saved only on request."""
    found: Callable[[UUID, datetime], tuple[int, int]] = import_string(settings.WAITING_MESSAGES)
    due, held = found(user_id, now)
    words = ngettext(
        "%(count)s message waits to be saved to memory.",
        "%(count)s messages wait to be saved to memory.",
        due,
    )
    sentence = _sentence(words, due, _("Nothing is waiting."))
    share = 1 / (1 + due / BACKLOG_THAT_HALVES)
    yield Check(
        _("Waiting messages"), share, ESSENTIAL, sentence, "memory:mine_now", _("Save now"), posts=True
    )
    if held:
        words = ngettext(
            "Chats are not saved automatically: %(count)s message is not in your memory.",
            "Chats are not saved automatically: %(count)s messages are not in your memory.",
            held,
        )
        sentence = _sentence(words, held)
        yield Check(_("Automatic saving"), 0.5, 2, sentence, "memory:resume", _("Resume"), posts=True)


def _extraction(user_id: UUID, now: datetime) -> Iterator[Check]:
    windows = MinedWindow.objects.filter(user_id=user_id).count()
    without_model, requested = read_without_model(user_id).count(), waiting(user_id).count()
    words = ngettext(
        "The built-in reader read %(count)s part of your chats. A model would find more.",
        "The built-in reader read %(count)s parts of your chats. A model would find more.",
        without_model,
    )
    sentence = _sentence(words, without_model, _("A model has read all your chats."))
    name, share = _("Extraction"), 1 - without_model / max(1, windows)
    if requested and has_writer():
        words = ngettext(
            "%(count)s part of your chats is waiting to be read again.",
            "%(count)s parts of your chats are waiting to be read again.",
            requested,
        )
        yield Check(name, 1.0, 2, _sentence(words, requested), is_offer=True)
    elif has_writer():
        yield Check(name, share, 2, sentence, "memory:reextract", _("Read again"), posts=True)
    elif without_model:
        yield Check(name, 1.0, 2, sentence, "chat:models", _("Set up a model"), is_offer=True)


def _model(user_id: UUID, now: datetime) -> Iterator[Check]:
    """Why the model endpoint refused to read the latest part of a chat, if it did."""
    latest = MinedWindow.objects.filter(user_id=user_id).order_by("-mined_at", "-id").first()
    if latest is None or latest.reason != MinedWindow.Reason.DECLINED or not has_writer():
        return
    mined = ActivityEvent.objects.filter(user_id=user_id, kind=ActivityEvent.Kind.MINED)
    notes = mined.order_by("-at", "-id").values_list("details__notes", flat=True).first()
    sentence = _("The built-in reader read the latest part of your chats, because the model declined.")
    words = " ".join([str(sentence), *notes[:1]] if notes else [str(sentence)])
    yield Check(_("Model endpoint"), 0.0, 2, words, "chat:models", _("Models"))


def _review(user_id: UUID, now: datetime) -> Iterator[Check]:
    count = Fact.objects.filter(user_id=user_id, status=Fact.Status.PENDING, deleted_at=None).count()
    words = ngettext(
        "%(count)s fact waits for your review and is not used until then.",
        "%(count)s facts wait for your review and are not used until then.",
        count,
    )
    sentence = _sentence(words, count, _("No fact waits for your review."))
    share = 1 / (1 + count / INBOX_THAT_HALVES)
    yield Check(_("Review"), share, 2, sentence, "memory:review", _("Review"))


def _consolidation(user_id: UUID, now: datetime) -> Iterator[Check]:
    overdue = is_due(user_id, now)
    sentence = _("Consolidation is due: it merges duplicates and archives what you no longer use.")
    well = _("Runs on your schedule.")
    words = str(sentence if overdue else well)
    share, name = 0.5 if overdue else 1.0, _("Consolidation")
    yield Check(name, share, 1, words, "memory:preview", _("Preview consolidation"), posts=True)


def _capacity(user_id: UUID, now: datetime) -> Iterator[Check]:
    quota = quota_of(user_id)
    if quota.limit is None:
        return
    filled = quota.kept / max(1, quota.limit)
    share = 1.0 if filled < NEARLY_FULL else max(0.0, (1 - filled) / (1 - NEARLY_FULL))
    sentence = _("%(kept)s of %(limit)s drawers are in use.") % {
        "kept": f"{quota.kept:,}",
        "limit": f"{quota.limit:,}",
    }
    yield Check(_("Capacity"), share, 2, sentence, "memory:palace", _("Browse"))


def _budget(user_id: UUID, now: datetime) -> Iterator[Check]:
    budget = budget_of(preferences_of(user_id), now)
    if not budget.limit:  # none, or a demo
        return
    sentence = _("This month’s budget is spent. The free built-in reader does the work.")
    words = str(sentence if budget.is_spent else _("This month’s budget is not spent yet."))
    share = 0.0 if budget.is_spent else 1.0
    yield Check(_("Budget"), share, 1, words, "memory:cost", _("Cost"))


CHECKS: tuple[Callable[[UUID, datetime], Iterator[Check]], ...] = (
    _vector_search,
    _mining,
    _backlog,
    _extraction,
    _model,
    _review,
    _consolidation,
    _capacity,
    _budget,
)


@read_page
def health(request: MemoryRequest) -> HttpResponse:
    """All checks, with the problems first."""
    found = health_of(request.user.id, timezone.now())
    return render(request, "memory/health.html", {"health": found})
