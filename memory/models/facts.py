"""Facts about the owner, each with its exact source words."""

import re
from collections.abc import Sequence
from datetime import datetime
from functools import cached_property
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.db import connection, models
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Greatest, Least, Substr
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from pgvector.django import HalfVectorField

from accounts.owned import Owned, owned_reference
from memory.models.vectors import EmbeddingSpace
from memory.text.owner_sentences import MAX_WORDS_LENGTH, for_owner, is_past

_ABOUT = re.compile(r"\(about \d{4}(?P<month>-\d\d)?\)\.?$")


class Fact(Owned):
    """One self-contained statement about the owner, true from `valid_from` until `valid_to` (exclusive).

    `valid_to` is empty while it holds. Nothing is overwritten: a newer fact closes an older one, and each
    decision of the owner increments `version` and stores the earlier form as a FactVersion. `ended_at` is
    when it stopped, if somebody said so. A fact that was merged into another (`merged_into_id`) holds at no
    time. `deleted_by_owner` distinguishes a fact its owner deleted from one whose words are in the trash. An
    archived fact still holds but is no longer recalled unprompted.
    """

    class Status(models.TextChoices):
        ACTIVE = "active", _("Current")
        PENDING = "pending_review", _("To review")
        SUPERSEDED = "superseded", _("Past")
        REJECTED = "rejected", _("Rejected")

    class Memory(models.TextChoices):
        SEMANTIC = "semantic", _("Semantic")
        EPISODIC = "episodic", _("Episodic")
        PROCEDURAL = "procedural", _("Procedural")
        REFLECTIVE = "reflective", _("Reflective")

    kind = models.CharField(max_length=20)
    memory_type = models.CharField(max_length=12, choices=Memory)
    key = models.CharField(max_length=120)
    value = models.TextField()
    statement = models.CharField(max_length=1000)
    predicate = models.CharField(max_length=120)
    object = models.TextField()
    single_valued = models.BooleanField(default=False)
    event_time = models.DateTimeField(null=True)
    persons = ArrayField(models.TextField(), default=list, blank=True)
    entities = ArrayField(models.TextField(), default=list, blank=True)
    location = models.TextField(blank=True)
    topic = models.CharField(max_length=200, blank=True)
    source_kind = models.CharField(max_length=20, blank=True)
    importance = models.FloatField(default=0.5)
    confidence = models.FloatField()
    authority = models.CharField(max_length=10)
    status = models.CharField(max_length=15, choices=Status, default=Status.ACTIVE)
    review_reason = models.CharField(max_length=300, blank=True)
    valid_from = models.DateTimeField()
    valid_to = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    superseded_by_id = models.UUIDField(null=True)
    merged_into_id = models.UUIDField(null=True)
    version = models.PositiveIntegerField(default=1)
    times_seen = models.PositiveIntegerField(default=1)
    times_recalled = models.PositiveIntegerField(default=0)
    last_recalled_at = models.DateTimeField(null=True)
    content_hash = models.BinaryField(max_length=32)
    mined_by = models.CharField(max_length=10)
    recorded_at = models.DateTimeField(default=timezone.now)
    archived_at = models.DateTimeField(null=True)
    deleted_at = models.DateTimeField(null=True)
    deletion_id = models.UUIDField(null=True)
    deleted_by_owner = models.BooleanField(default=False)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("user", "content_hash"),
                name="fact_once_per_user",
                condition=~Q(status="superseded") & Q(deleted_at=None),
            ),
            models.CheckConstraint(
                condition=Q(confidence__gte=0) & Q(confidence__lte=1), name="fact_confidence_0_1"
            ),
            models.CheckConstraint(
                condition=Q(importance__gte=0) & Q(importance__lte=1), name="fact_importance_0_1"
            ),
        )
        indexes = (
            models.Index(fields=("user", "status", "-valid_from"), name="fact_by_status"),
            models.Index(
                fields=("user", "status", "kind"),
                include=("merged_into_id",),
                condition=Q(deleted_at=None),
                name="fact_by_kind",
            ),
            models.Index(fields=("user", "recorded_at"), name="fact_by_time"),
            models.Index(
                fields=("user", "-single_valued", "-times_seen", "-valid_from", "id"),
                condition=Q(memory_type="semantic", archived_at=None, deleted_at=None),
                name="fact_in_profile",
            ),
            models.Index(fields=("user", "key"), name="fact_by_key"),
            models.Index(
                fields=("user", "key"),
                condition=Q(single_valued=True, deleted_at=None),
                name="fact_with_single_value",
            ),
            models.Index(
                fields=("user",), condition=Q(predicate="dislikes", deleted_at=None), name="fact_of_dislike"
            ),
            models.Index(fields=("user", "content_hash"), name="fact_by_hash"),
            models.Index(fields=("deleted_at",), name="fact_in_trash", condition=Q(deleted_at__isnull=False)),
        )

    @cached_property
    def sentence(self) -> str:
        """The fact in a sentence to its owner, for pages; models and programs read the `statement`."""
        return for_owner(self, lambda: self.words, over=self._is_over(timezone.now()))

    @cached_property
    def words(self) -> str:
        """The first 300 characters of what it was first said with, "" when that is in the trash or gone.
        Lists set it for all their facts at once (`memory.facts.queries.with_words`)."""
        sources = self.sources.filter(drawer__deleted_at=None).order_by("drawer__said_at", "id")
        lengths = models.F("end") - models.F("start")
        found = sources.annotate(said=Substr("drawer__content", models.F("start") + 1, lengths))
        return str(found.values_list("said", flat=True).first() or "")[:MAX_WORDS_LENGTH]

    @cached_property
    def start_is_stated(self) -> bool:
        """Whether `valid_from` was stated, not just when the fact was said. Lists set it like `words`."""
        return not self.sources.filter(drawer__deleted_at=None, drawer__said_at=self.valid_from).exists()

    @property
    def event_precision(self) -> str:
        """How exactly its event is dated: "year" or "month" if the statement says "about", else "day"."""
        about = _ABOUT.search(self.statement)
        return "day" if about is None else "month" if about["month"] else "year"

    @cached_property
    def holds_reworded(self) -> bool:
        """Whether what it says still holds, in the words of a later fact. Lists set it like `words`."""
        return bool(self.superseded_by_id and holding_reworded(self.user_id, [self.id], timezone.now()))

    def _is_over(self, now: datetime) -> bool:
        """Whether it was true once, or is about an event in the past."""
        if self.predicate in ("has_event", "travels_to") and self.event_time:
            return is_past(self.statement, self.event_time, now)
        held = self.status in (self.Status.ACTIVE, self.Status.SUPERSEDED)
        has_ended = self.valid_to is not None and self.valid_from < self.valid_to <= now
        return held and has_ended and not self.holds_reworded


class FactSource(Owned):
    """Where a fact was said: the half-open character range of its words in a drawer.

    `since` is the moment from which it holds according to these words; empty means from when they were said.
    `confidence` is how certain these words make it; empty means as certain as the fact.
    """

    fact_id = models.UUIDField()
    fact = owned_reference("memory.Fact", "fact_id", related_name="sources")
    drawer_id = models.UUIDField()
    drawer = owned_reference("memory.Drawer", "drawer_id", related_name="fact_sources")
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    since = models.DateTimeField(null=True)
    confidence = models.FloatField(null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("user", "fact_id", "drawer_id", "start"), name="fact_source_once"
            ),
        )
        indexes = (models.Index(fields=("user", "drawer_id"), name="fact_source_drawer"),)


class FactEnding(Owned):
    """Words that say that a fact is over.

    They identify the fact by its possible key and value, or predicate and object (digests of these). A
    `doubtful` ending ends nothing: while the fact `asked_id` holds, review asks its owner whether it has
    ended, unless they `denied` it.
    """

    key = models.CharField(max_length=120)
    predicate = models.CharField(max_length=120)
    value_digest = models.BinaryField(max_length=32)
    object_digest = models.BinaryField(max_length=32)
    at = models.DateTimeField()
    drawer_id = models.UUIDField()
    drawer = owned_reference("memory.Drawer", "drawer_id")
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    doubtful = models.BooleanField(default=False)
    denied = models.BooleanField(default=False)
    asked_id = models.UUIDField(null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("user", "drawer_id", "start", "key", "value_digest", "doubtful"),
                name="fact_ending_once",
            ),
        )
        indexes = (
            models.Index(fields=("user", "key"), name="fact_ending_key"),
            models.Index(fields=("user", "predicate"), name="fact_ending_predicate"),
            models.Index(
                fields=("user", "-at"), condition=Q(asked_id__isnull=False), name="fact_ending_asked"
            ),
        )


class FactVersion(Owned):
    """What a fact was before a decision of its owner: `content` is the row by field name.

    Once the decision is undone (`undone_at`), it is what the decision had made.
    """

    fact_id = models.UUIDField()
    fact = owned_reference("memory.Fact", "fact_id", related_name="versions")
    number = models.PositiveIntegerField()
    content = models.JSONField()
    content_hash = models.BinaryField(max_length=32)
    decision_id = models.UUIDField()
    replaced_at = models.DateTimeField()
    undone_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("user", "fact_id", "number"),
                name="fact_version_once",
                condition=Q(undone_at=None),
            ),
        )
        indexes = (
            models.Index(fields=("user", "decision_id"), name="fact_version_decision"),
            models.Index(fields=("user", "content_hash"), name="fact_version_hash"),
        )


class FactLink(Owned):
    """Two similar facts: `same` if the newer one replaces the older one, `related` if both stay.

    `fact_id` is the smaller of the two ids.
    """

    class Kind(models.TextChoices):
        SAME = "same", _("The same in other words")
        RELATED = "related", _("Related")

    fact_id = models.UUIDField()
    fact = owned_reference("memory.Fact", "fact_id")
    other_id = models.UUIDField()
    other = owned_reference("memory.Fact", "other_id")
    kind = models.CharField(max_length=10, choices=Kind)
    similarity = models.FloatField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("user", "fact_id", "other_id"), name="fact_link_once"),
        )
        indexes = (models.Index(fields=("user", "other_id"), name="fact_link_other"),)


DROPPED = Q(deleted_at__isnull=False, deletion_id=None, deleted_by_owner=False)
"""Facts of a re-extraction that was undone: deleted, but neither by their owner nor to the trash."""

_REWORDINGS = """
WITH RECURSIVE said (first, id, following, until) AS (
  SELECT own.id, own.id, own.superseded_by_id, own.valid_to
  FROM memory_fact own WHERE own.user_id = %(user)s AND own.id = ANY(%(ids)s)
  UNION
  SELECT said.first, later.id, later.superseded_by_id, later.valid_to
  FROM said
  JOIN memory_factlink link ON link.user_id = %(user)s AND link.kind = 'same'
    AND link.fact_id = least(said.id, said.following) AND link.other_id = greatest(said.id, said.following)
  JOIN memory_fact later ON later.user_id = %(user)s AND later.id = said.following
)
SELECT DISTINCT first FROM said WHERE id <> first AND (until IS NULL OR until > %(now)s)
"""


def holding_reworded(user_id: UUID, fact_ids: Sequence[UUID], now: datetime) -> set[UUID]:
    """Which of these superseded facts still hold in other words: whose last rewording holds."""
    with connection.cursor() as cursor:
        cursor.execute(_REWORDINGS, {"user": user_id, "ids": list(fact_ids), "now": now})
        return {fact_id for (fact_id,) in cursor.fetchall()}


def reworded() -> Q:
    """Facts whose successor says the same in other words, so that what they say did not end with them."""
    pair = OuterRef("id"), OuterRef("superseded_by_id")
    links = FactLink.objects.filter(
        user_id=OuterRef("user_id"),
        fact_id=Least(*pair),
        other_id=Greatest(*pair),
        kind=FactLink.Kind.SAME,
    )
    return Q(Exists(links), superseded_by_id__isnull=False)


class FactVector(models.Model):
    """The vector of a fact's statement in one embedding space: of unit length, or a stored prefix."""

    pk = models.CompositePrimaryKey("user_id", "fact_id", "space_id")
    user = models.ForeignKey("accounts.User", on_delete=models.CASCADE, related_name="+", db_index=False)
    fact_id = models.UUIDField()
    fact = owned_reference("memory.Fact", "fact_id")
    space = models.ForeignKey(EmbeddingSpace, on_delete=models.PROTECT, related_name="+", db_index=False)
    embedding = HalfVectorField()

    def __str__(self) -> str:
        return f"vector of fact {self.fact_id}"
