"""What memory did: events for the owner, recall traces with their feedback, and model usage."""

from uuid import UUID

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.owned import Operational, Owned, owned_reference


class ActivityEvent(Owned):
    """Something that happened to a user's memory, for them to read and undo.

    `details` holds counts, ids and reasons; `subject_id` the conversation, drawer or import. Lists
    (`memory.changes.activity_queries`) set the rest: `facts` are the first of the `learned` statements that
    still hold, `sentences` the same in the second person; `waiting` counts those in review. `undo_id` is the
    id to undo: a deletion, a consolidation run or, for a mined chat, the event itself.
    """

    class Kind(models.TextChoices):
        MINED = "memory_mined", _("Chat saved to memory")
        REEXTRACTED = "reextracted", _("Facts extracted again with a model")
        MINING_FAILED = "mining_failed", _("Chat could not be saved to memory")
        NOTE_SAVED = "note_saved", _("Note saved")
        DELETED = "deleted", _("Moved to the trash")
        RESTORED = "restored", _("Restored from the trash")
        IMPORTED = "imported", _("Chats imported")
        SETTINGS = "settings_changed", _("Settings changed")
        DEMO = "demo", _("Demo palace")
        CONSOLIDATED = "consolidated", _("Memory tidied up")
        EXPIRED = "chats_expired", _("Old chats removed")
        PURGED = "purged", _("Erased for good")
        DECIDED = "fact_decided", _("You decided about facts")
        REEMBEDDED = "reembedded", _("Search vectors updated")
        PROFILE_WRITTEN = "profile_written", _("Profile rewritten")
        SKILLS_PROPOSED = "skills_proposed", _("Skills found")
        SKILL_DECIDED = "skill_decided", _("You reviewed a skill")
        INSIGHTS_FOUND = "insights_found", _("Insights found")
        INSIGHT_DECIDED = "insight_decided", _("You dismissed or restored an insight")
        PROFILE_CHANGED = "profile_changed", _("You changed your profile")
        GRAPH_EDITED = "graph_edited", _("You edited a person or thing")
        CORRECTED = "drawer_corrected", _("You marked something as wrong")
        EXPORTED = "exported", _("Memory exported")
        RESTORED_EXPORT = "restored_export", _("Memory restored from a file")
        ARRANGED = "palace_arranged", _("You rearranged your palace")
        ENDPOINT = "endpoint_changed", _("Model endpoint")
        TOKEN = "token_changed", _("Token")
        SIGN_IN = "sign_in_changed", _("Sign-in")

    kind = models.CharField(max_length=20, choices=Kind)
    subject_id = models.UUIDField(null=True)
    details = models.JSONField(default=dict)
    undone_at = models.DateTimeField(null=True)
    at = models.DateTimeField(default=timezone.now)

    label = ""
    facts: tuple[str, ...] = ()
    sentences: tuple[str, ...] = ()
    learned = waiting = 0
    undo_id: UUID | None = None

    class Meta:
        indexes = (
            models.Index(fields=("user", "-at"), name="activity_by_time"),
            models.Index(fields=("user", "subject_id"), name="activity_by_subject"),
        )


class RecallTrace(Owned):
    """How one recall reached its result. No copy of any drawer's text is stored here.

    The facts that led to its hits are counted as recalled later; `facts_counted` is set then. `without_reply`
    is set until a chat message refers to the trace, as programs recall without a reply.
    """

    class Source(models.TextChoices):
        CHAT = "chat", _("Chat")
        OPENAI = "openai", _("/v1 client")
        MCP = "mcp", _("MCP")
        REST = "rest", _("REST")

    source = models.CharField(max_length=10, choices=Source, default=Source.CHAT, db_default=Source.CHAT)
    trace = models.JSONField()
    hits = models.JSONField(default=list)
    at = models.DateTimeField(default=timezone.now)
    facts_counted = models.BooleanField(default=False)
    without_reply = models.BooleanField(default=False, db_default=False)

    class Meta:
        indexes = (
            models.Index(fields=("user", "-at"), name="trace_by_time"),
            models.Index(
                fields=("user", "at"), name="trace_without_reply", condition=models.Q(without_reply=True)
            ),
            models.Index(fields=("at",), name="trace_to_erase", condition=models.Q(without_reply=True)),
            models.Index(fields=("user",), name="trace_to_count", condition=models.Q(facts_counted=False)),
        )


class NegativeFeedback(Owned):
    """The owner marked a drawer as not relevant to the message it was recalled for.

    The message is identified by the trace of its recall: no words are stored here, and the feedback is
    deleted with the trace.
    """

    trace_id = models.UUIDField()
    trace = owned_reference("memory.RecallTrace", "trace_id")
    drawer_id = models.UUIDField()
    drawer = owned_reference("memory.Drawer", "drawer_id")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("user", "trace_id", "drawer_id"), name="negative_feedback_once"),
        )
        indexes = (models.Index(fields=("user", "drawer_id"), name="negative_feedback_by_drawer"),)


class Usage(Operational):
    """One model call: purpose, tokens, latency and cost.

    `cost_usd` is None if the price is unknown. Free calls are numerous and summed in one row per day: `day`
    is set, `calls` counts them, tokens and latency are sums. `estimated` means that the endpoint sent no
    counts; `job_id` is the mining job or the reply.
    """

    class Source(models.TextChoices):
        EMBED = "memory_embed", _("Embedding")
        EXTRACT = "memory_extract", _("Extraction")
        RERANK = "memory_rerank", _("Reranking")
        REWRITE = "memory_rewrite", _("Rewriting questions")
        SUMMARY = "memory_summary", _("Summaries")
        QA = "memory_qa", _("Questions and answers")
        CHAT = "chat", _("Chat")

    source = models.CharField(max_length=20, choices=Source)
    model = models.CharField(max_length=120)
    calls = models.PositiveIntegerField(default=1)
    input_tokens = models.PositiveBigIntegerField(default=0)
    output_tokens = models.PositiveBigIntegerField(default=0)
    cost_usd = models.DecimalField(max_digits=18, decimal_places=10, null=True)
    latency_ms = models.PositiveBigIntegerField(default=0)
    estimated = models.BooleanField(default=False)
    day = models.DateField(null=True)
    job_id = models.UUIDField(null=True)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name_plural = "usage"
        indexes = (models.Index(fields=("user", "-at"), name="usage_by_time"),)
        constraints = (
            models.UniqueConstraint(fields=("user", "source", "model", "day"), name="free_usage_once_a_day"),
        )

    def __str__(self) -> str:
        return f"usage {self.id}"
