"""Say on pages that wait for background work why it has stopped."""

from django import template

from jobs import heartbeats

register = template.Library()


@register.simple_tag
def why_stalled() -> str:
    """Why background work has stopped, in a sentence; empty if it has not."""
    return heartbeats.why_stalled()
