"""Undo at a single URL: the id of a change determines what made it and how to undo it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memory import preferences
from memory.changes.log import AlreadyUndone, Area, ChangeRefused
from memory.consolidation import application
from memory.facts import corrections
from memory.facts.review import decisions
from memory.forgetting import trash
from memory.graph import editing
from memory.mining import progress, reextraction
from memory.models import ActivityEvent, ChangeSet, Forgetting
from memory.organize import arranging
from memory.pages.palace.organize import url_of
from memory.pages.requests import MemoryRequest, back_url, post_page, undo_url
from memory.pages.settings.form import label_of


@dataclass(frozen=True, slots=True)
class Undone:
    """The page to redirect to by default, the message if not just "Undone.", and the id that reverses
    the undo."""

    url: str
    words: str = ""
    level: int = messages.SUCCESS
    undo_id: UUID | None = None

    @property
    def partial(self) -> bool:
        """Whether some of it stays, because it was changed again later."""
        return self.level == messages.WARNING


UndoHandler = Callable[[UUID, UUID, datetime], Undone]


@post_page
def undo(request: MemoryRequest, change_id: UUID) -> HttpResponse:
    """Undo a change or batch of the change log, a deletion, or an activity event."""
    try:
        undone = undo_change(request.user.id, change_id, timezone.now())
    except ChangeRefused as refusal:
        undone = Undone(reverse("memory:activity"), str(refusal), messages.ERROR)
    words = undone.words or _("Undone.")
    messages.add_message(request, undone.level, words, extra_tags=undo_url(undone.undo_id))
    return redirect(back_url(request) or undone.url)


def undo_change(user_id: UUID, change_id: UUID, now: datetime) -> Undone:
    """Undo what has this id; undoing it again changes nothing. Raises NotFound and ChangeRefused."""
    try:
        return _handler_for(user_id, change_id)(user_id, change_id, now)
    except AlreadyUndone as undone:
        deletion = undone.result.id if isinstance(undone.result, Forgetting) else None
        return Undone(reverse("memory:activity"), _("That was already undone."), messages.INFO, deletion)


def _handler_for(user_id: UUID, change_id: UUID) -> UndoHandler:
    changes = ChangeSet.objects.filter(Q(batch_id=change_id) | Q(id=change_id), user_id=user_id)
    area = changes.values_list("area", flat=True).first()
    if area is not None:
        return BY_AREA[Area(area)]
    kind = ActivityEvent.objects.filter(user_id=user_id, id=change_id).values_list("kind", flat=True).first()
    return BY_EVENT.get(kind, _deletion)


def _arranging(user_id: UUID, batch_id: UUID, now: datetime) -> Undone:
    first = arranging.undo(user_id, batch_id, now)[-1]
    return Undone(url_of(user_id, first.subject, first.subject_id))


def _edit(user_id: UUID, edit_id: UUID, now: datetime) -> Undone:
    return Undone(reverse("memory:entity", args=[editing.undo(user_id, edit_id, now).subject_id]))


def _decision(user_id: UUID, decision_id: UUID, now: datetime) -> Undone:
    facts = [fact for fact in decisions.undo(user_id, decision_id, now) if fact.deleted_at is None]
    if not facts:
        return Undone(reverse("memory:activity"))
    waits = any(fact.status == fact.Status.PENDING for fact in facts)
    if waits or len(facts) > 1:
        return Undone(reverse("memory:review"))
    return Undone(reverse("memory:fact", args=[facts[0].id]))


def _consolidation(user_id: UUID, change_id: UUID, now: datetime) -> Undone:
    """Undo a whole run, or one of its changes."""
    change = ChangeSet.objects.filter(user_id=user_id, id=change_id).first()
    run_id = change.batch_id if change else change_id
    left = application.undo(user_id, run_id, now, change_id if change else None)
    url = reverse("memory:consolidation_run", args=[run_id])
    if not left:
        return Undone(url)
    words = ngettext(
        "%(count)s change stays, because its facts or places have changed since.",
        "%(count)s changes stay, because their facts or places have changed since.",
        left,
    )
    return Undone(url, words % {"count": left}, messages.WARNING)


def _chat(user_id: UUID, edit_id: UUID, now: datetime) -> Undone:
    """Undo a change to a chat's title or an agent, which chat itself does."""
    edit: ChangeSet = import_string(settings.CHAT_UNDO)(user_id, edit_id, now)
    if edit.subject == "agent":
        return Undone(reverse("chat:agents"))
    return Undone(reverse("chat:conversation", args=[edit.subject_id]))


def _mining(user_id: UUID, event_id: UUID, now: datetime) -> Undone:
    deleted = trash.undo_mining(user_id, event_id, now).id
    url = reverse("memory:deletion", args=[deleted])
    return Undone(url, _("Moved to the trash for 30 days."), undo_id=deleted)


def _reextraction(user_id: UUID, event_id: UUID, now: datetime) -> Undone:
    reextraction.undo(user_id, event_id, now)
    return Undone(reverse("memory:activity"))


def _settings(user_id: UUID, event_id: UUID, now: datetime) -> Undone:
    unchanged = preferences.undo(user_id, event_id, now)[1]
    words = _("You changed these settings again later, so they stay: %(settings)s.")
    message = words % {"settings": ", ".join(map(label_of, unchanged))} if unchanged else ""
    return Undone(reverse("memory:settings"), message, messages.WARNING if unchanged else messages.SUCCESS)


def _correction(user_id: UUID, event_id: UUID, now: datetime) -> Undone:
    return Undone(reverse("memory:drawer", args=[corrections.undo(user_id, event_id, now)]))


def _deletion(user_id: UUID, deletion_id: UUID, now: datetime) -> Undone:
    """Restore a deletion from the trash, or undo discarding failed chats."""
    if progress.undo_discard(user_id, deletion_id):
        return Undone(reverse("memory:palace"), _("Undone. You can try these chats again."))
    deleted = trash.deletion(user_id, deletion_id)
    if deleted is None and trash.was_undone(user_id, deletion_id):
        return Undone(reverse("memory:trash"), _("That was already restored."), messages.INFO)
    count = trash.undo(user_id, deletion_id, now)
    words = ngettext("%(count)s drawer was restored.", "%(count)s drawers were restored.", count)
    message = words % {"count": count} if count else _("Restored.")
    if deleted is not None and count == 1:
        return Undone(reverse("memory:drawer", args=[deleted.drawer_id]), message)
    return Undone(reverse("memory:trash"), message)


BY_AREA: dict[Area, UndoHandler] = {
    Area.PALACE: _arranging,
    Area.GRAPH: _edit,
    Area.FACTS: _decision,
    Area.CONSOLIDATION: _consolidation,
    Area.CHAT: _chat,
}
BY_EVENT: dict[str | None, UndoHandler] = {
    ActivityEvent.Kind.MINED: _mining,
    ActivityEvent.Kind.REEXTRACTED: _reextraction,
    ActivityEvent.Kind.SETTINGS: _settings,
    ActivityEvent.Kind.CORRECTED: _correction,
}
