"""Each user's memory settings."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

MAX_EXCLUSIONS_LENGTH = 2000


def _between(low: float, high: float) -> list[MinValueValidator | MaxValueValidator]:
    return [MinValueValidator(low), MaxValueValidator(high)]


class MemoryPreferences(models.Model):
    """One row per user; a missing row means the defaults."""

    class Schedule(models.TextChoices):
        NEVER = "never", _("Only when I ask")
        DAILY = "daily", _("Every day")
        WEEKLY = "weekly", _("Every week")
        MONTHLY = "monthly", _("Every month")

    user = models.OneToOneField("accounts.User", on_delete=models.CASCADE, primary_key=True, related_name="+")
    enabled = models.BooleanField(default=True)
    auto_mine = models.BooleanField(default=True)
    top_k = models.PositiveSmallIntegerField(default=10, validators=_between(1, 20))
    token_budget = models.PositiveIntegerField(default=1500, validators=_between(100, 16000))
    similarity_floor = models.FloatField(default=0.6, validators=_between(0, 1))
    use_rerank = models.BooleanField(default=False)
    rerank_model = models.CharField(max_length=120, default="anthropic/claude-haiku-4.5")
    embedding_model = models.CharField(max_length=80, blank=True)
    extraction_model = models.CharField(max_length=120, blank=True)
    idle_minutes = models.PositiveSmallIntegerField(default=5, validators=_between(1, 1440))
    inject_profile = models.BooleanField(default=True)
    use_history = models.BooleanField(default=True)
    recency = models.FloatField(default=0.02, validators=_between(0, 0.5))
    window_size = models.PositiveSmallIntegerField(default=8, validators=_between(8, 10))
    never_remember = models.TextField(blank=True, max_length=MAX_EXCLUSIONS_LENGTH)
    review_threshold = models.FloatField(default=0.5, validators=_between(0, 1))
    duplicate_similarity = models.FloatField(default=0.9, validators=_between(0.7, 1))
    monthly_budget = models.DecimalField(
        max_digits=8, decimal_places=2, null=True, blank=True, validators=_between(0, 100_000)
    )
    budget_includes_chat = models.BooleanField(default=True)
    consolidation = models.CharField(max_length=8, choices=Schedule, default=Schedule.WEEKLY)
    retention_days = models.PositiveSmallIntegerField(default=0, validators=_between(0, 3650))
    archive_after_days = models.PositiveSmallIntegerField(default=365, validators=_between(0, 3650))
    time_zone = models.CharField(max_length=60, default="UTC")

    class Meta:
        verbose_name_plural = "memory preferences"
        indexes = (
            models.Index(
                fields=("user",), name="preferences_with_retention", condition=models.Q(retention_days__gt=0)
            ),
        )

    def __str__(self) -> str:
        return f"preferences of {self.user_id}"
