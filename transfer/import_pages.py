"""The import pages with their forms and URLs, and how memories saved by ChatGPT are imported."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.core.paginator import Page, Paginator
from django.db.models import Exists, F, OuterRef, QuerySet
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.template.defaultfilters import filesizeformat
from django.urls import path, reverse
from django.utils import timezone
from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop, ngettext
from django.views.decorators.cache import never_cache
from django_htmx.http import HttpResponseClientRedirect

from accounts.http import SignedInRequest
from accounts.owned import first_or_raise
from chat.mining.drain import count_dead_jobs, messages_left
from chat.models import Conversation
from chat.pages.forms import FilesField, FilesInput
from memory.facts.review.wording import NewFact, Wording, add, for_models
from memory.facts.statements import STATEMENT_LIMIT, digest_of
from memory.mining.extraction import reading_cost
from memory.mining.screening import reasons_for_review
from memory.models import Fact, Room
from memory.organize.notes import NOTE_LIMIT, NoteRefused
from memory.pages.requests import REFUSED, form_page, post_page, read_page
from memory.preferences import preferences_of
from memory.text.sanitizing import is_visible, storable
from memory.text.secrets import hide_secrets
from memory.usage.metering import extraction_model
from transfer.choosing import (
    IS_NEW,
    added_chats,
    choose,
    chosen_counts,
    count_for_review,
    facts_by_chat,
    imported_chats,
    matching_chats,
    months_of,
    set_chosen,
)
from transfer.file_jobs import JobRefused
from transfer.filing import Outcome
from transfer.importing.archives import FileRefused
from transfer.importing.reading import FORMATS
from transfer.imports import cancel, receive
from transfer.models import IN_PROGRESS, ImportedChat, ImportRun

MAX_ITEMS = 200
REASON = gettext_noop("ChatGPT had saved it as a memory.")
ROOM = "Memories of ChatGPT"
KIND = "other"

_BULLET = re.compile(r"(?:[-*•–]|\d{1,3}[.)])\s+")


@dataclass(frozen=True, slots=True)
class SavedMemories:
    """How many memories wait for review now, how many were known, and how many did not fit in."""

    added: int = 0
    known: int = 0
    left: int = 0


def save_memories(user_id: UUID, text: str, now: datetime) -> SavedMemories:
    """Save each line as a note and as a fact that waits for review.

    A line that was saved before is skipped, even if it was rejected or deleted since. Only the first 200 new
    lines are saved at once. Raises NoteRefused when the palace is full.
    """
    added = known = left = 0
    for line in memories_in(text):
        digests = [digest_of(KIND, words) for words in (hide_secrets(line), for_models(line))]
        if Fact.objects.filter(user_id=user_id, content_hash__in=digests).exists():
            known += 1
        elif added == MAX_ITEMS:
            left += 1
        else:
            wording = Wording(line, KIND, line, now)
            reason = f"{REASON} {reasons_for_review(line)}".rstrip()
            add(user_id, NewFact(wording, review_reason=reason, room=ROOM), now)
            added += 1
    return SavedMemories(added, known, left)


def memories_in(text: str) -> Iterator[str]:
    """Each line with words once, without bullets and numbers in front."""
    lines = (_BULLET.sub("", line.strip(), count=1).strip() for line in storable(text).text.splitlines())
    yield from dict.fromkeys(line[:STATEMENT_LIMIT] for line in lines if is_visible(line))


State = ImportRun.State

MAX_RUNS_LISTED = 10
MAX_REFUSED_LISTED = 100
PER_PAGE = 100
MEGABYTE = 1024**2


class ImportForm(forms.Form):
    """The files of an export, together within the upload limit."""

    file = FilesField(
        label=gettext_lazy("Export files"),
        error_messages={
            **dict.fromkeys(("required", "missing", "invalid"), gettext_lazy("Choose a file first.")),
            "empty": gettext_lazy("This file is empty."),
        },
        widget=FilesInput(attrs={"accept": ".zip,.json,.jsonl,.html,.txt", "class": "import-drop"}),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        attributes = self.fields["file"].widget.attrs
        attributes["data-submits"] = attributes["data-drops"] = ""
        attributes["data-most-bytes"] = settings.UPLOAD_LIMIT_MB * MEGABYTE
        attributes["data-too-large"] = self._too_large()
        self.fields["file"].help_text = _(
            "Unmodified zip files or single files from %(products)s, up to %(limit)s in total."
        ) % {
            "products": get_text_list(sorted(each.name for each in FORMATS), _("or")),
            "limit": filesizeformat(settings.UPLOAD_LIMIT_MB * MEGABYTE),
        }

    def clean_file(self) -> "list[UploadedFile[Any]]":
        """The files, unless they are too large."""
        files: list[UploadedFile[Any]] = self.cleaned_data["file"]
        if sum(file.size or 0 for file in files) > settings.UPLOAD_LIMIT_MB * MEGABYTE:
            raise forms.ValidationError(self._too_large())
        return files

    def _too_large(self) -> str:
        return _("This is more than %(limit)s MB, the limit of this server.") % {
            "limit": settings.UPLOAD_LIMIT_MB
        }


class MemoriesForm(forms.Form):
    """Saved memories of ChatGPT, pasted or as a text file."""

    memories = forms.CharField(
        label=gettext_lazy("Saved memories, one per line"),
        max_length=NOTE_LIMIT,
        required=False,
        widget=forms.Textarea(attrs={"dir": "auto", "rows": 6}),
    )
    text_file = forms.FileField(
        label=gettext_lazy("Or a text file that contains them"),
        required=False,
        widget=forms.FileInput(attrs={"accept": ".txt,.md,text/plain"}),
    )

    def clean(self) -> dict[str, Any]:
        """The pasted lines and those of the file as `memories`."""
        given = super().clean() or {}
        file = given.get("text_file")
        said = file.read(NOTE_LIMIT).decode("utf-8-sig", "replace") if file else ""
        given["memories"] = "\n".join([given.get("memories") or "", said])
        if not given["memories"].strip():
            raise forms.ValidationError(_("Paste the memories, or choose a text file."))
        return given


@form_page
def import_(request: SignedInRequest) -> HttpResponse:
    """Upload a file, and list earlier imports."""
    form = ImportForm(request.POST, request.FILES) if request.method == "POST" else ImportForm()
    if form.is_valid():
        try:
            first, *others = (file.chunks() for file in form.cleaned_data["file"])
            return _queue(receive(request.user.id, first, timezone.now(), others))
        except (FileRefused, JobRefused) as error:
            form.add_error("file", str(error))
    return _page(request, form, MemoriesForm())


@post_page
def import_memories(request: SignedInRequest) -> HttpResponse:
    """Save the memories of ChatGPT, and show what waits for review."""
    form = MemoriesForm(request.POST, request.FILES)
    if form.is_valid():
        try:
            kept = save_memories(request.user.id, form.cleaned_data["memories"], timezone.now())
        except NoteRefused as error:
            form.add_error(None, str(error))
        else:
            _report_saved(request, kept)
            return redirect("memory:review")
    return _page(request, ImportForm(), form)


def _report_saved(request: SignedInRequest, kept: SavedMemories) -> None:
    text = ngettext("%d memory waits for your review.", "%d memories wait for your review.", kept.added)
    messages.success(request, text % kept.added)
    if kept.known:
        text = ngettext("%d was already here.", "%d were already here.", kept.known)
        messages.info(request, text % kept.known)
    if kept.left:
        text = ngettext(
            "%d was not added: paste the list again.", "%d were not added: paste the list again.", kept.left
        )
        messages.info(request, text % kept.left)


def _page(request: SignedInRequest, form: ImportForm, memories: MemoriesForm) -> HttpResponse:
    new = ImportedChat.objects.filter(IS_NEW, user_id=request.user.id, run_id=OuterRef("id"))
    runs = ImportRun.objects.filter(user_id=request.user.id).annotate(has_new=Exists(new))
    context = {
        "form": form,
        "memories_form": memories,
        "runs": runs.order_by("-requested_at")[:MAX_RUNS_LISTED],
    }
    status = REFUSED if form.errors or memories.errors else 200
    return render(request, "chat/import.html", context, status=status)


def _queue(run: ImportRun) -> HttpResponse:
    run.enqueue()
    return redirect("chat:import_run", run.id)


@never_cache
@read_page
def import_run(request: SignedInRequest, run_id: UUID) -> HttpResponse:
    """One import: choose from its chats, watch it, and see the result."""
    run = _run(request, run_id)
    context = _choice(request, run) if run.state == State.READY else {}
    return render(request, "chat/import_run.html", _progress(request, run) | context)


@never_cache
@read_page
def import_state(request: SignedInRequest, run_id: UUID) -> HttpResponse:
    """The part of that page that is refreshed while the import runs."""
    run = _run(request, run_id)
    if run.state == State.READY:  # the list is a page of its own
        return HttpResponseClientRedirect(reverse("chat:import_run", args=[run.id]))
    return render(request, "chat/import_run.html#import_state", _progress(request, run))


@post_page
def import_choose(request: SignedInRequest, run_id: UUID) -> HttpResponse:
    """Save the checkboxes, apply the pressed button, and show the list again; htmx gets only the sums."""
    run = _run(request, run_id)
    asked: Mapping[str, str] = request.POST
    if run.state == State.READY:
        _save_choice(run, request.POST)
        asked = _choose(run, asked)
    if request.htmx:
        return render(request, "chat/_import_chosen.html", {"run": run} | _sums(run))
    kept = {name: asked[name] for name in ("q", "from", "to", "new", "page") if asked.get(name)}
    return redirect(f"{reverse('chat:import_run', args=[run.id])}?{urlencode(kept)}")


def _save_choice(run: ImportRun, asked: QueryDict) -> None:
    try:
        shown, ticked = ([UUID(each) for each in asked.getlist(name)] for name in ("shown", "chat"))
    except ValueError:
        raise Http404 from None
    set_chosen(run, shown, ticked)


def _choose(run: ImportRun, asked: Mapping[str, str]) -> Mapping[str, str]:
    """Apply the pressed button; returns the filters of the list to show next."""
    act = asked.get("act", "")
    shown: dict[str, str] = {}
    if act == "range":
        shown = {"from": asked.get("first", ""), "to": asked.get("last", "")}
    elif act == "year":
        shown = {name: f"{asked.get('year', '')}-{month}" for name, month in (("from", "01"), ("to", "12"))}
    elif act == "found":
        shown = dict(asked.items())
    elif act not in ("all", "none"):
        return asked
    found = _matching_or_404(shown, run)
    choose(run, found.none() if act == "none" else found)
    return shown


def _matching_or_404(asked: Mapping[str, str], run: ImportRun) -> QuerySet[ImportedChat]:
    words, first, last = (asked.get(name, "") for name in ("q", "from", "to"))
    zone = timezone.get_current_timezone()
    try:
        return matching_chats(run, zone, words.strip(), first, last, new=bool(asked.get("new")))
    except ValueError:
        raise Http404 from None


@post_page
def import_begin(request: SignedInRequest, run_id: UUID) -> HttpResponse:
    """Import the chosen chats."""
    run = _run(request, run_id)
    if run.state == State.READY:
        _save_choice(run, request.POST)
        if run.chats.exists() and not chosen_counts(run)["chats"]:
            messages.info(request, _("Choose at least one chat."))
            return redirect("chat:import_run", run.id)
    if run.begin(timezone.now()):
        return _queue(run)
    return redirect("chat:import_run", run.id)


@post_page
def import_cancel(request: SignedInRequest, run_id: UUID) -> HttpResponse:
    """Drop a previewed file, or stop its import; what was imported stays."""
    run = _run(request, run_id)
    if not cancel(run, timezone.now()) or run.in_state(*State).exists():
        return redirect("chat:import_run", run.id)
    messages.success(request, _("Nothing was imported. The file was deleted."))
    return redirect("chat:import")


def _run(request: SignedInRequest, run_id: UUID) -> ImportRun:
    return first_or_raise(ImportRun.objects.filter(user_id=request.user.id, id=run_id))


def _choice(request: SignedInRequest, run: ImportRun) -> dict[str, Any]:
    """The list of an upload's chats, newest first, and what is chosen of it."""
    asked = request.GET.dict()
    found = _matching_or_404(asked, run).order_by(F("last_said_at").desc(nulls_last=True), "id")
    months = months_of(run, timezone.get_current_timezone())
    return {
        "page": Paginator(found, PER_PAGE).get_page(asked.get("page")),
        "asked": asked,
        **_sums(run),
        "months": months,
        "first": asked.get("from") or (f"{months[0]:%Y-%m}" if months else ""),
        "last": asked.get("to") or (f"{months[-1]:%Y-%m}" if months else ""),
        "year": months[-1].year if months else None,
    }


def _sums(run: ImportRun) -> dict[str, Any]:
    """What is chosen, and what it costs if a model reads it."""
    sums, model = chosen_counts(run), extraction_model(preferences_of(run.user_id).extraction_model)
    return {"sums": sums, "cost": reading_cost(model, sums["fresh"], sums["characters"])}


def _outcomes(request: SignedInRequest, run: ImportRun) -> "Page[ImportedChat]":
    """The chosen chats of a run, each with a link and how many facts it brought."""
    found = run.chats.filter(chosen=True).order_by(F("last_said_at").desc(nulls_last=True), "id")
    page = Paginator(found, PER_PAGE).get_page(request.GET.get("page"))
    ids = [chat.conversation_id for chat in page if chat.conversation_id]
    facts = facts_by_chat(run.user_id, ids)
    waiting = facts_by_chat(run.user_id, ids, Fact.Status.PENDING)
    kept = Conversation.objects.filter(user_id=run.user_id, id__in=ids, deleted_at=None)
    titles = dict(kept.values_list("id", "title"))
    rooms = {room.source_id: room for room in Room.objects.filter(user_id=run.user_id, source_id__in=ids)}
    for chat in page:
        chat.title = titles.get(chat.conversation_id or chat.id, chat.title)
        chat.is_kept = chat.conversation_id in titles  # type: ignore[attr-defined]
        chat.learned = facts.get(chat.conversation_id, 0)  # type: ignore[attr-defined]
        chat.for_review = waiting.get(chat.conversation_id, 0)  # type: ignore[attr-defined]
        chat.room = rooms.get(chat.conversation_id or chat.id)  # type: ignore[attr-defined]
    return page


def _progress(request: SignedInRequest, run: ImportRun) -> dict[str, Any]:
    """The context of a run's page; with `waits`, the page refreshes itself."""
    refused = run.refused_entries.order_by("id")
    over = run.state in (State.DONE, State.CANCELLED)
    mining_progress = _mining_progress(run, timezone.now()) if over else None
    is_kept = over and added_chats(run.user_id, run.id).exists()
    count = run.preview.get("broken", 0) if run.state == State.READY else run.refused
    shown = list(refused[:MAX_REFUSED_LISTED])
    return {
        "run": run,
        "refused": shown,
        "refused_more": max(0, count - len(shown)),
        "outcomes": None if run.state in (State.CHECKING, State.READY) else _outcomes(request, run),
        "remembering": mining_progress,
        "for_review": count_for_review(run) if over else 0,
        "can_be_deleted": is_kept,
        "was_deleted": over and run.chats.filter(outcome=Outcome.NEW).exists() and not is_kept,
        "waits": run.state in IN_PROGRESS or bool(mining_progress and not mining_progress["is_done"]),
    }


def _mining_progress(run: ImportRun, now: datetime) -> dict[str, Any]:
    """How many messages the imported chats have, and how many are mined. An import from the command line
    lists no chats, so all imported chats count."""
    imported = imported_chats(run.user_id).filter(deleted_at=None, mine=True)
    if not run.digest:
        imported = imported.filter(id__in=run.chats.values("conversation_id"))
    total = sum(imported.values_list("last_sequence", flat=True))
    left = messages_left(run.user_id, now, imported)
    given_up = count_dead_jobs(run.user_id, imported)
    return {"messages": total, "remembered": total - left, "is_done": left <= 0, "given_up": given_up}


urlpatterns = [
    path("import/", import_, name="import"),
    path("import/memories/", import_memories, name="import_memories"),
    path("import/<uuid:run_id>/", import_run, name="import_run"),
    path("import/<uuid:run_id>/state/", import_state, name="import_state"),
    path("import/<uuid:run_id>/choose/", import_choose, name="import_choose"),
    path("import/<uuid:run_id>/begin/", import_begin, name="import_begin"),
    path("import/<uuid:run_id>/cancel/", import_cancel, name="import_cancel"),
]
