"""What pages of the chat show of the demo palace."""

from typing import Any

from django import template

from transfer.demo import DEMO_QUESTIONS, demo_is_loaded

register = template.Library()


@register.inclusion_tag("chat/_demo_questions.html", takes_context=True)
def demo_questions(context: template.Context) -> dict[str, Any]:
    """Questions to try, while the demo palace is loaded."""
    loaded = demo_is_loaded(context["request"].user.id)
    return {
        "questions": DEMO_QUESTIONS if loaded else (),
        "agent": context["agent"],
        "csrf_token": context.get("csrf_token"),
    }
