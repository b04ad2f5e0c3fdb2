"""Offers the browser's time zone on every page whose owner uses another one."""

from typing import Any

from django import template
from django.template.context import RequestContext

from memory.preferences import preferences_of

register = template.Library()


@register.inclusion_tag("memory/_zone_offer.html", takes_context=True)
def zone_offer(context: RequestContext) -> dict[str, Any]:
    """The time zone of the settings, for a script that compares it with the browser's."""
    zone = preferences_of(context["request"].user.id).time_zone
    return {"zone": zone, "zone_name": zone.replace("_", " "), "csrf_token": context["csrf_token"]}
