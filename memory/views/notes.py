"""Filing a note directly."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from memory.forms import NoteForm
from memory.notes import Note, NoteRefused, save_note
from memory.views.requests import MemoryRequest, memory_page

REFUSED = 422


@require_http_methods(["GET", "HEAD", "POST"])
@memory_page
def note(request: MemoryRequest) -> HttpResponse:
    """Write something down, to be kept word for word like anything that was said."""
    form = NoteForm(request.POST or None)
    if form.is_bound and form.is_valid():
        try:
            drawer = save_note(request.user.id, Note(**form.cleaned_data), timezone.now())
        except NoteRefused as error:
            form.add_error("text", str(error))
        else:
            messages.success(request, _("Your note is in its drawer."))
            return redirect("memory:drawer", drawer.id)
    status = REFUSED if form.is_bound else 200
    return render(request, "memory/note.html", {"form": form}, status=status)
