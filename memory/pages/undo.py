"""Undo, at one address: the id of a change tells what made it, and so what undoes it."""

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
from django.views.decorators.http import require_POST

from memory import preferences
from memory.changes import log
from memory.changes.log import Area, ChangedSince
from memory.consolidation import application
from memory.facts.review import decisions
from memory.forgetting import trash
from memory.graph import editing
from memory.graph.editing import EditRefused
from memory.mining import progress, reextraction
from memory.models import ActivityEvent, ChangeSet
from memory.organize import recording
from memory.organize.places import ArrangingRefused
from memory.pages.palace.organize import address_of
from memory.pages.requests import MemoryRequest, memory_page, page_before
from memory.pages.settings.form import label_of


@dataclass(frozen=True, slots=True)
class Undone:
    """What to tell, the page to show where the form names none, and the id that undoes the undoing."""

    words: str
    url: str
    level: int = messages.SUCCESS
    undo_id: UUID | None = None


Undoer = Callable[[UUID, UUID, datetime], Undone]


@require_POST
@memory_page
def undo(request: MemoryRequest, change_id: UUID) -> HttpResponse:
    """Undo a change of the change log, a batch of them, a deletion, or what an event of the activity did."""
    undone = _undoer(request.user.id, change_id)(request.user.id, change_id, timezone.now())
    url = reverse("memory:undo", args=[undone.undo_id]) if undone.undo_id else ""
    messages.add_message(request, undone.level, undone.words, extra_tags=url)
    return redirect(page_before(request) or undone.url)


def _undoer(user_id: UUID, change_id: UUID) -> Undoer:
    changes = ChangeSet.objects.filter(Q(batch_id=change_id) | Q(id=change_id), user_id=user_id)
    area = changes.values_list("area", flat=True).first()
    if area is not None:
        return BY_AREA[Area(area)]
    kind = ActivityEvent.objects.filter(user_id=user_id, id=change_id).values_list("kind", flat=True).first()
    return BY_EVENT.get(kind, _deletion)


def _arranging(user_id: UUID, batch_id: UUID, now: datetime) -> Undone:
    first = log.standing(user_id, Area.PALACE, batch_id)[-1]
    try:
        recording.undo(user_id, batch_id, now)
    except ArrangingRefused as refusal:
        return _refused(str(refusal), address_of(user_id, first.subject, first.subject_id))
    return _as_before(address_of(user_id, first.subject, first.subject_id))


def _edit(user_id: UUID, edit_id: UUID, now: datetime) -> Undone:
    url = reverse("memory:entity", args=[editing.edit_of(user_id, edit_id).subject_id])
    try:
        editing.undo(user_id, edit_id, now)
    except EditRefused as refusal:
        return _refused(str(refusal), url)
    return _as_before(url)


def _decision(user_id: UUID, decision_id: UUID, now: datetime) -> Undone:
    try:
        facts = decisions.undo(user_id, decision_id, now)
    except ChangedSince:
        words = _("You decided about this again since. Undo that first.")
        return _refused(words, reverse("memory:activity"))
    waits = any(fact.status == fact.Status.PENDING for fact in facts)
    if waits or len(facts) > 1:
        return _as_before(reverse("memory:review"))
    return _as_before(reverse("memory:fact", args=[facts[0].id]))


def _consolidation(user_id: UUID, change_id: UUID, now: datetime) -> Undone:
    """Of a whole run, or of one of its changes."""
    change = ChangeSet.objects.filter(user_id=user_id, id=change_id).first()
    run_id = change.batch_id if change else change_id
    left = application.undo(user_id, run_id, now, change_id if change else None)
    url = reverse("memory:consolidation_run", args=[run_id])
    if not left:
        return _as_before(url)
    words = ngettext(
        "%(count)s change stays, because its facts or places have changed since.",
        "%(count)s changes stay, because their facts or places have changed since.",
        left,
    )
    return Undone(words % {"count": left}, url, messages.WARNING)


def _chat(user_id: UUID, edit_id: UUID, now: datetime) -> Undone:
    """Of a chat's title or an agent: chat undoes these itself."""
    edit = ChangeSet.objects.get(user_id=user_id, batch_id=edit_id)
    is_agent = edit.subject == "agent"
    url = reverse("chat:agents") if is_agent else reverse("chat:conversation", args=[edit.subject_id])
    try:
        import_string(settings.CHAT_UNDO)(user_id, edit_id, now)
    except ChangedSince:
        return _refused(_("This was changed again since, so nothing was undone."), url)
    return _as_before(url)


def _mining(user_id: UUID, event_id: UUID, now: datetime) -> Undone:
    thrown = trash.take_back(user_id, event_id, now)
    words = _("Moved to the trash for 30 days.")
    return Undone(words, reverse("memory:deletion", args=[thrown.id]), undo_id=thrown.id)


def _reextraction(user_id: UUID, event_id: UUID, now: datetime) -> Undone:
    reextraction.take_back(user_id, event_id, now)
    return _as_before(reverse("memory:activity"))


def _settings(user_id: UUID, event_id: UUID, now: datetime) -> Undone:
    back, kept = preferences.take_back(user_id, event_id, now)
    url = reverse("memory:settings")
    if not kept:
        return _as_before(url)
    words = _("You changed these again since, so they stay: %(settings)s.")
    told = words % {"settings": ", ".join(map(label_of, kept))}
    return Undone(f"{_('Undone.')} {told}" if back else told, url, messages.WARNING)


def _deletion(user_id: UUID, deletion_id: UUID, now: datetime) -> Undone:
    """Of what is in the trash, or of leaving chats unmined, which is no event."""
    if progress.take_up(user_id, deletion_id):
        return Undone(_("Undone. You can try these chats again."), reverse("memory:palace"))
    thrown = trash.deletion(user_id, deletion_id)
    if thrown is None and trash.was_undone(user_id, deletion_id):
        return Undone(_("That was restored already."), reverse("memory:trash"), messages.INFO)
    restored = trash.undo(user_id, deletion_id, now)
    words = ngettext("%(count)s drawer was restored.", "%(count)s drawers were restored.", restored.drawers)
    is_one = thrown is not None and restored.drawers == 1
    url = reverse("memory:drawer", args=[thrown.drawer_id]) if thrown and is_one else reverse("memory:trash")
    return Undone(words % {"count": restored.drawers} if restored.drawers else _("Restored."), url)


def _as_before(url: str) -> Undone:
    return Undone(_("Undone. Everything is as it was before."), url)


def _refused(words: str, url: str) -> Undone:
    return Undone(words, url, messages.ERROR)


BY_AREA: dict[Area, Undoer] = {
    Area.PALACE: _arranging,
    Area.GRAPH: _edit,
    Area.FACTS: _decision,
    Area.CONSOLIDATION: _consolidation,
    Area.CHAT: _chat,
}
BY_EVENT: dict[str | None, Undoer] = {
    ActivityEvent.Kind.MINED: _mining,
    ActivityEvent.Kind.READ_AGAIN: _reextraction,
    ActivityEvent.Kind.SETTINGS: _settings,
}
