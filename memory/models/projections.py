"""What is derived from facts, such as profile, skills and insights, and the owner's decisions about it."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.owned import Owned, owned_reference


class Profile(models.Model):
    """One row per user: the latest generated profile text, and the digest of the facts behind it.

    It can be deleted at any time and is then regenerated. `attempts` counts unusable answers of a model;
    `next_attempt_at` is when to try again.
    """

    class Writer(models.TextChoices):
        MODEL = "model", _("A language model")
        RULES = "rules", _("Palace, by rules")

    user = models.OneToOneField("accounts.User", on_delete=models.CASCADE, primary_key=True, related_name="+")
    digest = models.BinaryField(max_length=32)
    paragraphs = ArrayField(models.TextField(), default=list)
    written_by = models.CharField(max_length=10, choices=Writer)
    attempts = models.PositiveSmallIntegerField(default=0)
    next_attempt_at = models.DateTimeField(null=True)
    made_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"profile of {self.user_id}"


class ProfileText(Owned):
    """A profile text written by the owner, one row per version.

    While one is current (`ended_at` is empty), it replaces the generated text.
    """

    text = models.TextField()
    written_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("user",), name="profile_text_once", condition=Q(ended_at=None)),
        )
        indexes = (models.Index(fields=("user", "-written_at"), name="profile_text_by_time"),)


class HiddenValue(Owned):
    """A value the owner hid from their profile.

    It is stored as a digest of its key (and of the value itself if a key may have several), so that a newer
    version of the fact stays hidden too.
    """

    digest = models.BinaryField(max_length=32)
    hidden_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("user", "digest"), name="hidden_value_once"),)


class Skill(Owned):
    """A procedure that worked, a proposal until its owner decides.

    `digest` identifies its origin, so that the same procedure is proposed once. It rests on a fact
    (`fact_id`) or on the drawers in its sources, and is only shown while those exist. `version` is the number
    of the current text.
    """

    class Status(models.TextChoices):
        PROPOSED = "proposed", _("Proposed")
        PUBLISHED = "published", _("Approved")
        REJECTED = "rejected", _("Rejected")

    digest = models.BinaryField(max_length=32)
    fact_id = models.UUIDField(null=True)
    fact = owned_reference("memory.Fact", "fact_id", null=True)
    status = models.CharField(max_length=10, choices=Status, default=Status.PROPOSED)
    version = models.PositiveIntegerField(default=1)
    proposed_at = models.DateTimeField(default=timezone.now)
    decided_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("user", "digest"), name="skill_once"),)
        indexes = (models.Index(fields=("user", "status", "-proposed_at"), name="skill_by_status"),)


class SkillText(Owned):
    """One version of a skill's text; the first is derived from its sources."""

    skill_id = models.UUIDField()
    skill = owned_reference("memory.Skill", "skill_id", related_name="texts")
    number = models.PositiveIntegerField()
    goal = models.CharField(max_length=300)
    worked = models.TextField()
    failed = models.TextField(blank=True)
    applies = models.CharField(max_length=300, blank=True)
    by_owner = models.BooleanField(default=False)
    written_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("user", "skill_id", "number"), name="skill_text_once"),
        )


class SkillSource(Owned):
    """A drawer that a skill was derived from."""

    skill_id = models.UUIDField()
    skill = owned_reference("memory.Skill", "skill_id", related_name="sources")
    drawer_id = models.UUIDField()
    drawer = owned_reference("memory.Drawer", "drawer_id")

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("user", "skill_id", "drawer_id"), name="skill_source_once"),
        )
        indexes = (models.Index(fields=("user", "drawer_id"), name="skill_source_drawer"),)


class ProjectionWatermark(models.Model):
    """The state at the last check for new skills: the number of mined windows, and a hash of the facts.

    A missing row means that there was none.
    """

    user = models.OneToOneField("accounts.User", on_delete=models.CASCADE, primary_key=True, related_name="+")
    windows = models.PositiveIntegerField(default=0)
    facts = models.BigIntegerField(default=0)
    checked_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"projections of {self.user_id}"


class Insight(Owned):
    """What the owner decided about a pattern in their facts: dismissed, or shown again.

    Patterns are computed on each read; `digest` identifies the rule and its subject.
    """

    digest = models.BinaryField(max_length=32)
    dismissed_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("user", "digest"), name="insight_once"),)
