"""The import pages and the demo page, with their form and URLs."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.template.defaultfilters import filesizeformat
from django.urls import path
from django.utils import timezone
from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.http import SignedInRequest
from accounts.jobs import enqueue
from chat.mining.drain import dead_jobs, messages_left
from chat.models import Conversation
from memory.organize.notes import NOTE_LIMIT, NoteRefused
from transfer.demo import DemoBeingRemoved, ask_to_remove, demo_is_loaded, load_demo, remove_demo
from transfer.importing.archives import ImportUnreadable
from transfer.importing.reading import FORMATS
from transfer.imports import UploadNotKept, begin, cancel, receive
from transfer.models import ImportRun, RefusedEntry
from transfer.saved_memories import Kept, keep_memories

State = ImportRun.State

RUNS_SHOWN = 10
REFUSED_SHOWN = 100
REFUSED_FORM = 422
AT_WORK = (State.CHECKING, State.WAITING, State.RUNNING)
MEGABYTE = 1024**2


class ImportForm(forms.Form):
    """One file, not empty and within the upload limit."""

    file = forms.FileField(
        label=gettext_lazy("Export file"),
        error_messages={
            "required": gettext_lazy("Choose a file first."),
            "missing": gettext_lazy("Choose a file first."),
            "invalid": gettext_lazy("Choose a file first."),
            "empty": gettext_lazy("This file is empty."),
        },
        widget=forms.FileInput(attrs={"accept": ".zip,.json,.jsonl,.html,.txt"}),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        attributes = self.fields["file"].widget.attrs
        attributes["data-most-bytes"] = settings.UPLOAD_LIMIT_MB * MEGABYTE
        attributes["data-too-large"] = self._too_large()
        self.fields["file"].help_text = _(
            "From %(products)s, unmodified: a zip file or a single file, up to %(limit)s."
        ) % {
            "products": get_text_list([each.name for each in FORMATS], _("or")),
            "limit": filesizeformat(settings.UPLOAD_LIMIT_MB * MEGABYTE),
        }

    def clean_file(self) -> "UploadedFile[Any]":
        """The file, unless it is too large."""
        file: UploadedFile[Any] = self.cleaned_data["file"]
        if file.size is None or file.size > settings.UPLOAD_LIMIT_MB * MEGABYTE:
            raise forms.ValidationError(self._too_large())
        return file

    def _too_large(self) -> str:
        return _("This file is larger than %(limit)s MB, the limit of this server.") % {
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


@dataclass(frozen=True, slots=True)
class Remembering:
    """How many messages imported chats have, and how many of them are remembered."""

    messages: int
    remembered: int
    given_up: int

    @property
    def is_done(self) -> bool:
        """Whether everything is remembered."""
        return self.remembered >= self.messages


@require_http_methods(["GET", "HEAD", "POST"])
def import_(request: SignedInRequest) -> HttpResponse:
    """Upload a file, and list earlier imports and the demo palace."""
    form = ImportForm(request.POST, request.FILES) if request.method == "POST" else ImportForm()
    if form.is_valid():
        run = _received(request, form)
        if run is not None:
            enqueue("run_import", run.user_id, run.id)
            return redirect("chat:import_run", run.id)
    return _page(request, form, MemoriesForm())


@require_POST
def import_memories(request: SignedInRequest) -> HttpResponse:
    """Keep the saved memories of ChatGPT, and show what waits for review."""
    form = MemoriesForm(request.POST, request.FILES)
    if form.is_valid():
        try:
            kept = keep_memories(request.user.id, form.cleaned_data["memories"], timezone.now())
        except NoteRefused as error:
            form.add_error(None, str(error))
        else:
            _tell_kept(request, kept)
            return redirect("memory:review")
    return _page(request, ImportForm(), form)


def _tell_kept(request: SignedInRequest, kept: Kept) -> None:
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
    runs = ImportRun.objects.filter(user_id=request.user.id).order_by("-started_at")
    context = {
        "form": form,
        "memories_form": memories,
        "runs": runs[:RUNS_SHOWN],
        "demo_is_loaded": demo_is_loaded(request.user.id),
    }
    status = REFUSED_FORM if form.errors or memories.errors else 200
    return render(request, "chat/import.html", context, status=status)


def _received(request: SignedInRequest, form: ImportForm) -> ImportRun | None:
    try:
        file = form.cleaned_data["file"]
        return receive(request.user.id, file.chunks(), timezone.now())
    except (ImportUnreadable, UploadNotKept) as error:
        form.add_error("file", str(error))
        return None


@require_GET
@never_cache
def import_run(request: SignedInRequest, run_id: UUID) -> HttpResponse:
    """One import, from preview to result."""
    return render(request, "chat/import_run.html", _progress(_run(request, run_id)))


@require_GET
@never_cache
def import_state(request: SignedInRequest, run_id: UUID) -> HttpResponse:
    """The part of that page that changes while someone waits."""
    context = _progress(_run(request, run_id))
    return render(request, "chat/import_run.html#import_state", context)


@require_POST
def import_begin(request: SignedInRequest, run_id: UUID) -> HttpResponse:
    """Import what was previewed."""
    run = _run(request, run_id)
    if begin(run, timezone.now()):
        enqueue("run_import", run.user_id, run.id)
    return redirect("chat:import_run", run.id)


@require_POST
def import_cancel(request: SignedInRequest, run_id: UUID) -> HttpResponse:
    """Drop a previewed file, or stop its import; what was imported stays."""
    run = _run(request, run_id)
    if not cancel(run, timezone.now()) or _is_kept(run):
        return redirect("chat:import_run", run.id)
    messages.success(request, _("Nothing was imported. The file was deleted."))
    return redirect("chat:import")


@require_http_methods(["GET", "HEAD", "POST"])
def demo(request: SignedInRequest) -> HttpResponse:
    """Explain the demo palace, and load it."""
    if request.method != "POST":
        context = {"demo_is_loaded": demo_is_loaded(request.user.id)}
        return render(request, "chat/demo.html", context)
    try:
        added = load_demo(request.user.id, timezone.now())
    except DemoBeingRemoved:
        messages.info(request, _("The demo is still being removed. Try again in a moment."))
        return redirect("chat:demo")
    _tell_loaded(request, added)
    return redirect("chat:chat")


def _tell_loaded(request: SignedInRequest, added: int) -> None:
    if not added:
        messages.info(request, _("The demo is already loaded."))
        return
    enqueue("mine", request.user.id)
    text = ngettext("%d demo chat was added.", "%d demo chats were added.", added) % added
    messages.success(request, f"{text} {_('Palace is saving them to memory, which takes about a minute.')}")


@require_POST
def demo_remove(request: SignedInRequest) -> HttpResponse:
    """Remove the demo palace without a trace."""
    user_id = request.user.id
    if not ask_to_remove(user_id, timezone.now()):
        messages.info(request, _("The demo is not loaded."))
    elif remove_demo(user_id):
        messages.success(request, _("The demo was removed, with everything learned from it."))
    else:
        enqueue("remove_demo_palace", user_id)
        messages.success(request, _("The demo is being removed. This takes a moment."))
    return redirect("chat:demo")


def _run(request: SignedInRequest, run_id: UUID) -> ImportRun:
    run = ImportRun.objects.filter(user_id=request.user.id, id=run_id).first()
    if run is None:
        raise Http404
    return run


def _is_kept(run: ImportRun) -> bool:
    return ImportRun.objects.filter(user_id=run.user_id, id=run.id).exists()


def _progress(run: ImportRun) -> dict[str, Any]:
    """Context of a run's page; `waits` says that the page will change."""
    refused = RefusedEntry.objects.filter(user_id=run.user_id, run_id=run.id).order_by("id")
    over = run.state in (State.DONE, State.CANCELLED)
    remembering = _remembering(run.user_id, timezone.now()) if over else None
    count = run.preview.get("broken", 0) if run.state == State.READY else run.refused
    shown = list(refused[:REFUSED_SHOWN])
    return {
        "run": run,
        "refused": shown,
        "refused_more": max(0, count - len(shown)),
        "span": _span(run),
        "remembering": remembering,
        "waits": run.state in AT_WORK or bool(remembering and not remembering.is_done),
    }


def _span(run: ImportRun) -> tuple[datetime, datetime] | None:
    first, last = run.preview.get("first_said_at"), run.preview.get("last_said_at")
    if not first or not last:
        return None
    return datetime.fromisoformat(first), datetime.fromisoformat(last)


def _remembering(user_id: UUID, now: datetime) -> Remembering:
    imported = Conversation.objects.filter(
        user_id=user_id, source=Conversation.Source.IMPORT, deleted_at=None, learn=True
    )
    total = sum(imported.values_list("last_sequence", flat=True))
    left = messages_left(user_id, now, imported_only=True)
    given_up = dead_jobs(user_id, imported_only=True)
    return Remembering(total, total - left, given_up)


urlpatterns = [
    path("import/", import_, name="import"),
    path("import/memories/", import_memories, name="import_memories"),
    path("import/<uuid:run_id>/", import_run, name="import_run"),
    path("import/<uuid:run_id>/state/", import_state, name="import_state"),
    path("import/<uuid:run_id>/begin/", import_begin, name="import_begin"),
    path("import/<uuid:run_id>/cancel/", import_cancel, name="import_cancel"),
    path("demo/", demo, name="demo"),
    path("demo/remove/", demo_remove, name="demo_remove"),
]
