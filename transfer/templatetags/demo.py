"""What pages of the chat show in the demo palace."""

from typing import Any

from django import template

from transfer.demo import DEMO_QUESTIONS

register = template.Library()


@register.inclusion_tag("chat/_demo_questions.html", takes_context=True)
def demo_questions(context: template.Context) -> dict[str, Any]:
    """Questions to try in the demo palace."""
    return {
        "questions": DEMO_QUESTIONS if context["request"].user.demo_of_id else (),
        "agent": context["agent"],
        "csrf_token": context.get("csrf_token"),
    }
