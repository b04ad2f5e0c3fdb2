"""Lets memory pages, which know nothing of chats, say which messages are not mined yet."""

from typing import Any

from django import template
from django.template.context import RequestContext

from chat.mining.status import pending_work_of

register = template.Library()


@register.inclusion_tag("chat/_waiting.html", takes_context=True)
def waiting_chats(context: RequestContext) -> dict[str, Any]:
    """What is not mined yet, refreshed every 15 seconds until nothing is left."""
    return {"waiting": pending_work_of(context["request"].user.id)}
