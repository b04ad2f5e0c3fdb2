"""What is read out of facts: the profile, skills, insights; and what the owner says about them."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone

from accounts.owned import Owned


class Profile(models.Model):
    """One row a person: the latest prose about them, and the digest of the facts it was made
    from. Derived alone: it can be thrown away at any time and is then written anew.

    `attempts` counts answers of a model that could not be used; `next_attempt_at` is when to ask
    again.
    """

    class Writer(models.TextChoices):
        MODEL = "model", "A language model"
        RULES = "rules", "Palace, by rules"

    user = models.OneToOneField(
        "accounts.User", on_delete=models.CASCADE, primary_key=True, related_name="+"
    )
    digest = models.BinaryField(max_length=32)
    paragraphs = ArrayField(models.TextField(), default=list)
    written_by = models.CharField(max_length=10, choices=Writer)
    attempts = models.PositiveSmallIntegerField(default=0)
    next_attempt_at = models.DateTimeField(null=True)
    made_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"profile of {self.user_id}"


class OwnWords(Owned):
    """What the owner wrote about themselves, one row a version. While one stands (`ended_at` is
    empty) it takes the place of the prose."""

    text = models.TextField()
    written_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("user",), name="own_words_once", condition=Q(ended_at=None)
            ),
        )
        indexes = (models.Index(fields=("user", "-written_at"), name="own_words_by_time"),)

    def __str__(self) -> str:
        return f"own words {self.id}"


class HiddenValue(Owned):
    """A value the owner does not want in their profile, by a digest of its key (and of the value
    itself where a key may have several), so that a newer version of the fact stays hidden too."""

    digest = models.BinaryField(max_length=32)
    hidden_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("user", "digest"), name="hidden_value_once"),
        )

    def __str__(self) -> str:
        return f"hidden value {self.id}"
