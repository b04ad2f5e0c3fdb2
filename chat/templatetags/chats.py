"""Names the wings that recalled drawers come from and what a tool or product added to a chat, and lets memory
pages, which know nothing of chats, say which messages are not mined yet."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import template
from django.template.context import RequestContext
from django.utils.functional import Promise
from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from chat.mining.status import pending_work_of
from chat.replies.sources import Source

MAX_NAMED = 2
ADDED: Mapping[str, str | Promise] = {
    "model_editable_context": gettext_lazy("What ChatGPT had saved about you"),
    "reasoning_recap": gettext_lazy("How long it thought"),
    "thoughts": gettext_lazy("Thoughts"),
    "user_editable_context": gettext_lazy("Your custom instructions"),
}
"""Internal names in exports of ChatGPT."""

register = template.Library()


@register.filter
def wing_names(sources: Sequence[Source], reply: str) -> str:
    """The wings of the drawers, the first two by name, beginning with those that the reply cites; empty
    while a drawer is not filed yet."""

    def place(source: Source) -> int:
        found = reply.find(source.pointer)
        return len(reply) if found < 0 else found

    names = list(dict.fromkeys(source.wing for source in sorted(sources, key=place)))
    if not all(names):
        return ""
    more = len(names) - MAX_NAMED
    if more > 0:
        names[MAX_NAMED:] = [ngettext("%(count)d more", "%(count)d more", more) % {"count": more}]
    return get_text_list(names, _("and"))


@register.filter
def added_by(name: str) -> str | Promise:
    """The name of a tool, or plain words for an internal name of ChatGPT."""
    return ADDED.get(name, name)


@register.inclusion_tag("chat/_waiting.html", takes_context=True)
def waiting_chats(context: RequestContext) -> dict[str, Any]:
    """What is not mined yet, refreshed every 15 seconds until nothing is left."""
    return {"waiting": pending_work_of(context["request"].user.id)}
