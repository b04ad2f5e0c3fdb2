"""Says on pages that wait for background work when that stands still."""

from django import template

from accounts import heartbeats

register = template.Library()


@register.simple_tag
def standstill() -> str:
    """Why work in the background does not go on, as a sentence; empty if it does."""
    return heartbeats.standstill()
