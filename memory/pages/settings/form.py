"""The form of a person's choices about memory, in groups with plain words."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from zoneinfo import available_timezones

from django import forms
from django.conf import settings
from django.forms.boundfield import BoundField
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.page_changes import carry_beginnings
from llm import current
from memory.models import MemoryPreferences
from memory.preferences import default_of


@dataclass(frozen=True, slots=True)
class Stage:
    """A group of settings with a heading and a sentence."""

    title: "str | Promise"
    words: "str | Promise"
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """A field, and whether the person has chosen something else than it is at the beginning."""

    field: BoundField
    differs: bool


STAGES = (
    Stage(
        _("Memory as a whole"),
        _("Whether your assistants remember at all, and which clock is yours."),
        ("enabled", "time_zone"),
    ),
    Stage(
        _("Remembering"),
        _("After a chat, Palace keeps its words and notes what they say about you."),
        ("auto_mine", "idle_minutes", "window_size", "extraction_model", "review_threshold"),
    ),
    Stage(
        _("Recalling"),
        _("Before a reply, Palace looks for the drawers that matter and shows them to the model."),
        (
            "recipe",
            "top_k",
            "token_budget",
            "similarity_floor",
            "inject_profile",
            "use_rerank",
            "rerank_model",
        ),
    ),
    Stage(
        _("Consolidation"),
        _(
            "Facts that say the same become one, and what was long unused goes into the archive. "
            "You can read every change and take it back."
        ),
        ("consolidation", "archive_after_days", "retention_days"),
    ),
    Stage(
        _("Comparing meanings"),
        _("A model turns texts into vectors, so that drawers are found by what they mean."),
        ("embedding_model",),
    ),
    Stage(
        _("Spending"),
        _(
            "Models that cost something may be asked until the month’s budget is spent. After "
            "that Palace goes on remembering with what is free."
        ),
        ("monthly_budget", "budget_includes_chat"),
    ),
)


_SITE_BUDGET = _(
    "The owner of this site lets models cost you %(limit)s USD a month; you may set less. Beyond it "
    "the built-in reader reads your chats, and nothing is lost: what waited is caught up when a new month "
    "begins."
)
_BOUNDS = {
    "min_value": _("At least %(limit_value)s."),
    "max_value": _("At most %(limit_value)s."),
    "max_length": _("At most %(limit_value)d characters."),
    "required": _("This must not be empty."),
}


class SettingsForm(forms.ModelForm):  # type: ignore[type-arg]
    """Everything a person can choose about memory; bounds are those of the table."""

    time_zone = forms.ChoiceField(
        label=_("Time zone"),
        help_text=_("Dates are shown, and “yesterday” is understood, by this clock."),
        error_messages={"invalid_choice": _("No time zone is called %(value)s.")},
    )
    embedding_model = forms.ChoiceField(
        label=_("Embedding model"),
        required=False,
        help_text=_(
            "The local one is free and sends nothing away; others cost a little per word. After a "
            "change the new model reads every drawer in the background. The one before it answers "
            "until then, so nothing gets out of sight."
        ),
        error_messages={"invalid_choice": _("This site does not offer that embedding model.")},
    )

    class Meta:
        model = MemoryPreferences
        fields = [name for stage in STAGES for name in stage.fields]
        labels = {
            "enabled": _("Use memory"),
            "auto_mine": _("Remember chats automatically"),
            "idle_minutes": _("Minutes of silence before a chat is remembered"),
            "window_size": _("Messages read together"),
            "extraction_model": _("Extraction model"),
            "review_threshold": _("Ask me below this confidence"),
            "recipe": _("How to look"),
            "top_k": _("Drawers for a reply, at most"),
            "token_budget": _("Tokens for a reply, at most"),
            "similarity_floor": _("Minimum similarity"),
            "inject_profile": _("Tell who you are"),
            "use_rerank": _("Let a model choose the best"),
            "rerank_model": _("Model that chooses"),
            "monthly_budget": _("Budget a month, in US dollars"),
            "budget_includes_chat": _("Replies count too"),
            "consolidation": _("When to tidy up"),
            "retention_days": _("Days to keep chats"),
            "archive_after_days": _("Days without use before a fact is archived"),
        }
        help_texts = {
            "enabled": _("Switched off, nothing is recalled. What is kept stays kept."),
            "auto_mine": _("Switched off, a chat is remembered only when you ask for it."),
            "idle_minutes": _(
                "From 1 to 1,440. A long chat, and what came before a change of subject, are "
                "remembered meanwhile."
            ),
            "window_size": _(
                "From 8 to 10. More of them mean fewer calls to the model and a little less care "
                "for each message."
            ),
            "extraction_model": _(
                "One small call for about ten messages. Empty means the model of this site; "
                "without any, the built-in reader does it for nothing and finds less."
            ),
            "review_threshold": _(
                "From 0 to 1. A fact that is less certain waits for your yes before it is used."
            ),
            "recipe": _(
                "Quickly: by meaning and by words only, in at most 0.15 seconds of the database, and "
                "no model reads what was found. As usual: with what is known of you as well, in at "
                "most 0.3 seconds. Thoroughly: among three times as many drawers, in at most one "
                "second."
            ),
            "top_k": _("From 1 to 20. More drawers know more and cost more."),
            "token_budget": _("From 100 to 16,000. You pay for these tokens with every reply that recalls."),
            "similarity_floor": _(
                "From 0 to 1. Higher means silence when nothing fits well, lower means guessing."
            ),
            "inject_profile": _(
                "A few sentences of your profile go along with the drawers, at most a quarter of "
                "the tokens above, and never in place of a drawer."
            ),
            "use_rerank": _(
                "A model reads the best twenty and puts the most useful first. It makes replies "
                "slower and costs one call each."
            ),
            "rerank_model": _("Used only when the switch above is on."),
            "monthly_budget": _(
                "Empty or 0 means no limit of your own. Beyond it the built-in reader reads your chats, "
                "search goes by words where a paid model compares meanings, and nothing is lost: what "
                "waited is caught up when a new month begins."
            ),
            "budget_includes_chat": _(
                "On, replies are made of your memory alone once the budget is spent. Off, they "
                "are neither counted nor stopped."
            ),
            "consolidation": _(
                "It costs nothing, but for up to twenty short summaries when a model is connected. "
                "You can also do it by hand whenever you like."
            ),
            "retention_days": _(
                "From 0 to 3,650; 0 keeps them for ever. Later the messages are removed for good. "
                "What was remembered from them stays, word for word."
            ),
            "archive_after_days": _(
                "From 0 to 3,650; 0 means never. Who you are, your people and your limits are "
                "never archived, nor anything you pinned or approved."
            ),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["time_zone"].choices = [  # type: ignore[attr-defined]
            (name, name.replace("_", " ")) for name in sorted(available_timezones())
        ]
        for field in self.fields.values():
            field.error_messages |= _BOUNDS
        carry_beginnings(self, self.fields)
        self.fields["embedding_model"].choices = _embedding_models()  # type: ignore[attr-defined]
        if settings.MONTHLY_BUDGET is not None:
            self.fields["monthly_budget"].help_text = _SITE_BUDGET % {
                "limit": f"{settings.MONTHLY_BUDGET:,.2f}"
            }

    def stages(self) -> Iterator[tuple[Stage, list[Choice]]]:
        """The groups in their order, each with its fields."""
        for stage in STAGES:
            yield stage, [self._choice(name) for name in stage.fields]

    def _choice(self, name: str) -> Choice:
        return Choice(self[name], differs=self.initial.get(name) != default_of(name))


def _embedding_models() -> list[tuple[str, str]]:
    default, *others = current.available_embedding_models()
    site = _("%(name)s (the choice of this site)") % {"name": default.name}
    return [("", str(site)), *((model.name, model.name) for model in (default, *others))]


def label_of(name: str) -> str:
    """What the form calls a setting; its bare name when no form has it any more."""
    field = SettingsForm.base_fields.get(name)
    return str(field.label) if field else name
