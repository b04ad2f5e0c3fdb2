"""What was understood: facts about the owner, each with its exact source words."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone

from accounts.owned import Owned, owned_reference


class Fact(Owned):
    """One self-contained statement about the owner, true from `valid_from` until `valid_to`
    (exclusive; open when empty). Nothing is overwritten: a newer fact closes an older one. An
    archived one still holds, but is no longer put before a model."""

    class Status(models.TextChoices):
        ACTIVE = "active", "Active"
        PENDING = "pending_review", "Waiting for review"
        SUPERSEDED = "superseded", "Superseded"
        REJECTED = "rejected", "Rejected"

    class Memory(models.TextChoices):
        SEMANTIC = "semantic", "Semantic"
        EPISODIC = "episodic", "Episodic"
        PROCEDURAL = "procedural", "Procedural"
        REFLECTIVE = "reflective", "Reflective"

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
    location = models.TextField(blank=True)
    confidence = models.FloatField()
    authority = models.CharField(max_length=10)
    status = models.CharField(max_length=15, choices=Status, default=Status.ACTIVE)
    review_reason = models.CharField(max_length=300, blank=True)
    valid_from = models.DateTimeField()
    valid_to = models.DateTimeField(null=True)
    superseded_by_id = models.UUIDField(null=True)
    times_seen = models.PositiveIntegerField(default=1)
    content_hash = models.BinaryField(max_length=32)
    mined_by = models.CharField(max_length=10)
    recorded_at = models.DateTimeField(default=timezone.now)
    archived_at = models.DateTimeField(null=True)
    deleted_at = models.DateTimeField(null=True)
    deletion_id = models.UUIDField(null=True)

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
        )
        indexes = (
            models.Index(fields=("user", "status", "-valid_from"), name="fact_by_status"),
            models.Index(fields=("user", "key"), name="fact_by_key"),
            models.Index(fields=("user", "content_hash"), name="fact_by_hash"),
        )

    def __str__(self) -> str:
        return f"fact {self.id}"


class FactSource(Owned):
    """Where a fact was said: the half-open character range of its words in a drawer."""

    fact_id = models.UUIDField()
    fact = owned_reference("memory.Fact", "fact_id", related_name="sources")
    drawer_id = models.UUIDField()
    drawer = owned_reference("memory.Drawer", "drawer_id", related_name="fact_sources")
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("user", "fact_id", "drawer_id", "start"), name="fact_source_once"
            ),
        )
        indexes = (models.Index(fields=("user", "drawer_id"), name="fact_source_drawer"),)
