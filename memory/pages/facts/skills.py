"""Skills: procedures that worked, which their owner approves (`published`), rewords or rejects."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory.models import Skill
from memory.pages.forms import SkillForm
from memory.pages.requests import REFUSED, MemoryRequest, form_page, post_page, read_page
from memory.projections import skills as domain
from memory.projections.skills import SkillView, Wording

DECIDED = {
    Skill.Status.PUBLISHED: gettext_lazy("Approved. Your assistants can use it now."),
    Skill.Status.REJECTED: gettext_lazy("Rejected. It will not be proposed again."),
    Skill.Status.PROPOSED: gettext_lazy("It is a proposal again."),
}


@read_page
def skills(request: MemoryRequest) -> HttpResponse:
    """Skills of one status, newest first."""
    status = request.GET.get("status", Skill.Status.PROPOSED)
    if status not in Skill.Status.values:
        raise Http404
    counts = domain.count_skills(request.user.id)
    context = {
        "skills": domain.skills_by_status(request.user.id, status, request.GET.get("after", "")),
        "status": status,
        "statuses": [(value, label, counts.get(value, 0)) for value, label in Skill.Status.choices],
    }
    return render(request, "memory/skills.html", context)


@form_page
def skill(request: MemoryRequest, skill_id: UUID) -> HttpResponse:
    """A skill with its sources and versions, and the form that rewords it."""
    view = domain.skill_of(request.user.id, skill_id)
    current = {name: getattr(view.text, name) for name in ("goal", "worked", "failed", "applies")}
    form = SkillForm(request.POST or None, initial=current)
    if form.is_bound and form.is_valid():
        before = view.skill.version
        domain.reword(request.user.id, skill_id, Wording(**form.cleaned_data), timezone.now())
        messages.success(request, _("Your wording was saved."), extra_tags=_undo_url(view, before))
        return redirect("memory:skill", skill_id)
    status = REFUSED if form.is_bound else 200
    return render(request, "memory/skill.html", {"skill_view": view, "form": form}, status=status)


@post_page
def decide_skill(request: MemoryRequest, skill_id: UUID, status: Skill.Status) -> HttpResponse:
    """Publish a skill to assistants, reject it, or turn it back into a proposal."""
    found = domain.decide(request.user.id, skill_id, status, timezone.now())
    words = str(DECIDED[status])
    is_decided = status != Skill.Status.PROPOSED
    undo_url = reverse("memory:reconsider_skill", args=[found.id]) if is_decided else ""
    if not request.htmx:
        messages.success(request, words, extra_tags=undo_url)
        return redirect(f"{reverse('memory:skills')}?status={status}#skill-{found.id}")
    view = domain.skill_of(request.user.id, found.id)
    context = {"skill_view": view, "text": words, "undo_url": undo_url}
    return render(request, "memory/skills.html#answer", context)


@post_page
def use_skill_text(request: MemoryRequest, skill_id: UUID, number: int) -> HttpResponse:
    """Restore another version of a skill's text."""
    view = domain.skill_of(request.user.id, skill_id)
    before = view.skill.version
    domain.use_version(request.user.id, skill_id, number, timezone.now())
    messages.success(request, _("That version was restored."), extra_tags=_undo_url(view, before))
    return redirect("memory:skill", skill_id)


def _undo_url(view: SkillView, number: int) -> str:
    """The URL that restores a version of the text."""
    return reverse("memory:use_skill_text", args=[view.skill.id, number])
