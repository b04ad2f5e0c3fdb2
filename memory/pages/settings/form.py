"""The memory settings form."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any
from zoneinfo import available_timezones

from django import forms
from django.conf import settings
from django.forms.boundfield import BoundField
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.forms import add_initial_values
from llm import current
from memory.models import MemoryPreferences
from memory.preferences import default_of


@dataclass(frozen=True, slots=True)
class FieldGroup:
    """A group of settings with a title and a description. Numbers that few people change are `advanced`."""

    title: "str | Promise"
    words: "str | Promise"
    fields: tuple[str, ...]
    advanced: tuple[str, ...] = ()


FIELD_GROUPS = (
    FieldGroup(_("Memory"), _("Turn memory on or off, and set your time zone."), ("enabled", "time_zone")),
    FieldGroup(
        _("Saving to memory"),
        _("After a chat, Palace saves its messages and extracts facts about you."),
        ("auto_mine", "never_remember", "idle_minutes", "extraction_model"),
        ("window_size", "review_threshold", "duplicate_similarity"),
    ),
    FieldGroup(
        _("Recall"),
        _("Before a reply, Palace searches for relevant drawers and shows them to the model."),
        ("top_k", "use_history", "inject_profile", "use_rerank", "rerank_model"),
        ("token_budget", "similarity_floor", "recency"),
    ),
    FieldGroup(
        _("Consolidation"),
        _("Palace merges duplicate facts and archives unused ones. You can review and undo every change."),
        ("consolidation", "archive_after_days", "retention_days"),
    ),
    FieldGroup(
        _("Search by meaning"),
        _("An embedding model lets Palace find drawers by what they mean."),
        ("embedding_model",),
    ),
    FieldGroup(
        _("Budget"),
        _(
            "Palace uses paid models until the month’s budget is spent. After that, it continues with free "
            "ones."
        ),
        ("monthly_budget", "budget_includes_chat"),
    ),
)


_SITE_BUDGET = _(
    "The owner of this site limits you to %(limit)s USD a month; you can set less. Once it is spent, the "
    "built-in reader reads your chats. Nothing is lost: a model catches up when a new month begins."
)
_ERROR_MESSAGES = {
    "min_value": _("At least %(limit_value)s."),
    "max_value": _("At most %(limit_value)s."),
    "max_length": _("At most %(limit_value)d characters."),
    "required": _("This must not be empty."),
}


@cache
def _time_zones() -> list[tuple[str, str]]:
    return [(name, name.replace("_", " ")) for name in sorted(available_timezones() - {"localtime"})]


def _embedding_models() -> list[tuple[str, str]]:
    default, *others = current.available_embedding_models()
    site = _("%(name)s (the choice of this site)") % {"name": default.name}
    return [("", str(site)), *((model.name, model.name) for model in (default, *others))]


_Fields = list[tuple[BoundField, bool]]
"""Fields, and whether each differs from its default."""


class SettingsForm(forms.ModelForm):  # type: ignore[type-arg]
    """All memory settings, with the bounds of the model."""

    time_zone = forms.ChoiceField(
        label=_("Time zone"),
        choices=_time_zones,
        help_text=_("Used to show dates and to understand words such as “yesterday”."),
        error_messages={"invalid_choice": _("There is no time zone named %(value)s.")},
    )
    embedding_model = forms.ChoiceField(
        label=_("Embedding model"),
        choices=_embedding_models,
        required=False,
        help_text=_(
            "The local one is free and sends nothing to other servers; others cost a little per word. "
            "After a change, the new model reads every drawer in the background. Until then, searches use "
            "the previous one."
        ),
        error_messages={"invalid_choice": _("This site does not offer that embedding model.")},
    )

    class Meta:
        model = MemoryPreferences
        fields = [name for group in FIELD_GROUPS for name in (*group.fields, *group.advanced)]
        widgets = {"never_remember": forms.Textarea(attrs={"rows": 3})}
        labels = {
            "enabled": _("Use memory"),
            "auto_mine": _("Save chats to memory automatically"),
            "never_remember": _("Never save messages containing"),
            "idle_minutes": _("Idle minutes before a chat is saved to memory"),
            "window_size": _("Messages read together"),
            "extraction_model": _("Extraction model"),
            "review_threshold": _("Ask me below this confidence"),
            "duplicate_similarity": _("Similarity of duplicate facts"),
            "top_k": _("Drawers per reply"),
            "token_budget": _("Token budget per reply"),
            "similarity_floor": _("Minimum similarity"),
            "recency": _("Preference for recent drawers"),
            "use_history": _("Use earlier messages for vague questions"),
            "inject_profile": _("Include your profile"),
            "use_rerank": _("Rerank with a model"),
            "rerank_model": _("Reranking model"),
            "monthly_budget": _("Monthly budget in US dollars"),
            "budget_includes_chat": _("Include replies in the budget"),
            "consolidation": _("Consolidate"),
            "retention_days": _("Days to keep chats"),
            "archive_after_days": _("Days without use before a fact is archived"),
        }
        help_texts = {
            "enabled": _(
                "When off, nothing is recalled. Your memory stays, and new chats are still saved to it."
            ),
            "auto_mine": _("When off, chats are saved to memory only when you ask."),
            "never_remember": _(
                "One word or phrase per line. From now on, messages that contain one, including imported "
                "ones, are neither saved to memory nor recalled. What is already saved stays until you "
                "forget it."
            ),
            "idle_minutes": _(
                "From 1 to 1,440. Long chats, and messages before a change of subject, are saved sooner."
            ),
            "window_size": _(
                "From 8 to 10. More messages mean fewer model calls, but slightly less attention to each."
            ),
            "extraction_model": _(
                "One small call for every eight messages or so. Leave empty for the model of this site. "
                "Without a model, the built-in reader does it for free and finds less."
            ),
            "review_threshold": _(
                "From 0 to 1. Facts below this value wait for your approval before they are used."
            ),
            "duplicate_similarity": _(
                "From 0.7 to 1. Facts that are more alike than this, and differ in no name, number or date, "
                "become one fact. At 1, only identical ones do. Applies to facts found from now on."
            ),
            "top_k": _(
                "From 1 to 20. More drawers give the model more context and cost more. Questions that ask "
                "for a list, a count, a sequence or a comparison get up to twice as many, at most 20."
            ),
            "token_budget": _(
                "From 100 to 16,000. You pay for these tokens with every reply that uses memory."
            ),
            "similarity_floor": _(
                "From 0 to 1. Higher recalls only good matches, lower also recalls weak ones. Once a drawer "
                "reaches this value, or three together nearly do, half of it is enough for the others."
            ),
            "recency": _(
                "From 0 to 0.5. Used when a message names no date. At 0, age makes no difference; at 0.5, a "
                "new drawer often comes before a better match."
            ),
            "use_history": _(
                "When on, key words from your last three messages are added to a question such as “And the "
                "second one?”. When off, only the question itself is used."
            ),
            "inject_profile": _(
                "Adds a few sentences of your profile to the drawers: at most a quarter of the token "
                "budget, and never instead of a drawer."
            ),
            "use_rerank": _(
                "A model reads the best twenty drawers and puts the most useful first. This slows replies "
                "down and costs one call each."
            ),
            "rerank_model": _("Used only if “Rerank with a model” is on."),
            "monthly_budget": _(
                "Leave empty or 0 for no limit. Once it is spent, the built-in reader reads your chats, "
                "and search uses words only if your embedding model is paid. Nothing is lost: a model "
                "catches up when a new month begins."
            ),
            "budget_includes_chat": _(
                "When on, replies come from your memory only once the budget is spent. When off, replies "
                "are neither counted nor stopped."
            ),
            "consolidation": _(
                "Free, except for up to twenty short summaries if a model is connected. You can also run "
                "it manually at any time."
            ),
            "retention_days": _(
                "From 0 to 3,650; 0 keeps them forever. After that, chats are erased. What was saved to "
                "memory stays, word for word. Questions from programs are kept for at most 90 days."
            ),
            "archive_after_days": _(
                "From 0 to 3,650; 0 means never. Facts about who you are, your people and your limits are "
                "never archived, nor are pinned or approved ones."
            ),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            field.error_messages |= _ERROR_MESSAGES
        add_initial_values(self, self.fields)
        if settings.MONTHLY_BUDGET is not None:
            self.fields["monthly_budget"].help_text = _SITE_BUDGET % {
                "limit": f"{settings.MONTHLY_BUDGET:,.2f}"
            }

    def clean_never_remember(self) -> str:
        """Normalise line ends: browsers send carriage returns."""
        return "\n".join(self.cleaned_data["never_remember"].splitlines())

    def groups(self) -> Iterator[tuple[FieldGroup, "_Fields", "_Fields"]]:
        """The groups in order, each with its fields and its advanced ones."""
        for group in FIELD_GROUPS:
            yield group, self._fields(group.fields), self._fields(group.advanced)

    def _fields(self, names: tuple[str, ...]) -> "_Fields":
        return [(self[each], self.initial.get(each) != default_of(each)) for each in names]


def label_of(name: str) -> str:
    """The label of a setting; its name if the form no longer has it."""
    field = SettingsForm.base_fields.get(name)
    return str(field.label) if field else name
