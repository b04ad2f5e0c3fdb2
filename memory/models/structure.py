"""The palace: wings, rooms, closets and drawers."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.owned import Owned, owned_reference
from memory.aaak import KINDS_OF_TAGS, Pointer, Tags


class Palace(models.Model):
    """One row per user: the counter of wing ordinals, the size of the word index, and the palace lock.

    The lock serialises everything that files or hides drawers. The row also names the active embedding space.
    `mixed` means that there may be vectors of other spaces, `indexed` that a user with very many vectors has
    an index over the active ones. `changes` counts the locks, and `upkeep_at` is when the sweep next looks
    for work here; empty means now.
    """

    user = models.OneToOneField("accounts.User", on_delete=models.CASCADE, primary_key=True, related_name="+")
    wings_made = models.PositiveIntegerField(default=0)
    drawers_indexed = models.PositiveIntegerField(default=0)
    words_indexed = models.PositiveBigIntegerField(default=0)
    active_space = models.ForeignKey(
        "memory.EmbeddingSpace",
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        db_index=False,
    )
    active_since = models.DateTimeField(null=True)
    mixed = models.BooleanField(default=False)
    indexed = models.BooleanField(default=False)
    changes = models.PositiveBigIntegerField(default=0, db_default=0)
    upkeep_at = models.DateTimeField(null=True)

    class Meta:
        indexes = (models.Index(fields=("upkeep_at",), name="palace_by_upkeep"),)

    def __str__(self) -> str:
        return f"palace of {self.user_id}"


class Wing(Owned):
    """A subject: a person, project, topic or agent.

    As for rooms and closets, a database trigger counts its contents outside the trash, and `merged_into_id`
    is what replaced it.
    """

    class Kind(models.TextChoices):
        PERSON = "person", _("Person")
        PROJECT = "project", _("Project")
        TOPIC = "topic", _("Topic")
        AGENT = "agent", _("Agent")

    kind = models.CharField(max_length=10, choices=Kind)
    name = models.CharField(max_length=200)
    ordinal = models.PositiveIntegerField()
    rooms_made = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now)
    merged_into_id = models.UUIDField(null=True)
    rooms_held = models.PositiveIntegerField(default=0, db_default=0, editable=False)
    drawers_held = models.PositiveIntegerField(default=0, db_default=0, editable=False)
    first_at = models.DateTimeField(null=True, editable=False)
    last_at = models.DateTimeField(null=True, editable=False)
    bars = ""
    """An SVG path of its last months; pages set it for all wings of a list at once."""

    class Meta:
        constraints = (models.UniqueConstraint(fields=("user", "ordinal"), name="wing_ordinal_per_user"),)
        indexes = (models.Index(fields=("user", "-last_at", "id"), name="wing_lately"),)

    def __str__(self) -> str:
        return f"W-{self.ordinal:03}"


class WingName(Owned):
    """A slug of a wing: its own, or an alias.

    One unique key covers both, so concurrent miners create one wing for a new name.
    """

    wing_id = models.UUIDField()
    wing = owned_reference("memory.Wing", "wing_id", related_name="names")
    slug = models.CharField(max_length=100)
    name = models.CharField(max_length=200)
    is_alias = models.BooleanField(default=False)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("user", "slug"), name="wing_slug_per_user"),)
        indexes = (models.Index(fields=("user", "wing_id"), name="wing_name_wing"),)


class Room(Owned):
    """A slice of time in a wing, normally one conversation."""

    wing_id = models.UUIDField()
    wing = owned_reference("memory.Wing", "wing_id", related_name="rooms")
    ordinal = models.PositiveIntegerField()
    drawers_made = models.PositiveIntegerField(default=0)
    title = models.CharField(max_length=300)
    source_kind = models.CharField(max_length=20)
    source_id = models.UUIDField()
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField()
    created_at = models.DateTimeField(default=timezone.now)
    merged_into_id = models.UUIDField(null=True)
    closets_held = models.PositiveIntegerField(default=0, db_default=0, editable=False)
    drawers_held = models.PositiveIntegerField(default=0, db_default=0, editable=False)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("user", "wing_id", "ordinal"), name="room_ordinal_per_wing"),
            models.UniqueConstraint(
                fields=("user", "wing_id", "source_kind", "source_id"), name="room_per_source"
            ),
        )
        indexes = (
            models.Index(fields=("user", "wing_id", "-started_at"), name="room_by_time"),
            models.Index(
                fields=("user", "wing_id", "-started_at", "id"),
                name="room_that_holds",
                condition=Q(drawers_held__gt=0),
                include=("drawers_held", "ended_at"),
            ),
            models.Index(fields=("user", "source_id"), name="room_by_source"),
        )

    def __str__(self) -> str:
        return f"R-{self.ordinal:02}"


class Closet(Owned):
    """A topic discussed in a room.

    The slug is unique in its room; an alias is an empty closet merged into it.
    """

    room_id = models.UUIDField()
    room = owned_reference("memory.Room", "room_id", related_name="closets")
    name = models.CharField(max_length=200)
    slug = models.CharField(max_length=100)
    created_at = models.DateTimeField(default=timezone.now)
    merged_into_id = models.UUIDField(null=True)
    drawers_held = models.PositiveIntegerField(default=0, db_default=0, editable=False)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("user", "room_id", "slug"), name="closet_slug_per_room"),
        )


class DrawerQuerySet(models.QuerySet["Drawer"]):
    """Queries for drawers."""

    def live(self) -> "DrawerQuerySet":
        """Drawers that are not in the trash."""
        return self.filter(deleted_at=None)


class Drawer(Owned):
    """One verbatim message or note.

    Its text never changes, which a database trigger enforces. The AAAK pointer (wing, room, drawer ordinal)
    is minted once and stays.
    """

    class Role(models.TextChoices):
        USER = "user", _("You")
        ASSISTANT = "assistant", _("Assistant")
        TOOL = "tool", _("Tool")
        NOTE = "note", _("Note")

    wing_id = models.UUIDField()
    wing = owned_reference("memory.Wing", "wing_id", related_name="drawers")
    room_id = models.UUIDField()
    room = owned_reference("memory.Room", "room_id", related_name="drawers")
    closet_id = models.UUIDField()
    closet = owned_reference("memory.Closet", "closet_id", related_name="drawers")
    pointer_wing = models.PositiveIntegerField()
    pointer_room = models.PositiveIntegerField()
    pointer_drawer = models.PositiveIntegerField()

    role = models.CharField(max_length=10, choices=Role)
    speaker = models.CharField(max_length=120, blank=True)
    content = models.TextField()
    content_hash = models.BinaryField(max_length=32)
    token_count = models.PositiveIntegerField()
    said_at = models.DateTimeField()
    source_kind = models.CharField(max_length=20)
    source_id = models.UUIDField()
    source_message_id = models.UUIDField()
    source_sequence = models.PositiveIntegerField()

    people = ArrayField(models.TextField(), default=list, blank=True)
    places = ArrayField(models.TextField(), default=list, blank=True)
    events = ArrayField(models.TextField(), default=list, blank=True)
    items = ArrayField(models.TextField(), default=list, blank=True)
    times = ArrayField(models.TextField(), default=list, blank=True)

    pinned = models.BooleanField(default=False)
    sensitive = models.BooleanField(default=False)
    secrets_open = models.BooleanField(default=False)
    annotation = models.TextField(blank=True)
    deleted_at = models.DateTimeField(null=True)
    deletion_id = models.UUIDField(null=True)
    created_at = models.DateTimeField(default=timezone.now)

    objects = DrawerQuerySet.as_manager()

    excerpt = ""
    is_whole = True
    """The beginning of its text with secrets masked, and whether that is all; lists set both."""

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("user", "pointer_wing", "pointer_room", "pointer_drawer"),
                name="drawer_pointer_per_user",
            ),
            models.UniqueConstraint(fields=("user", "source_message_id"), name="drawer_of_message"),
        )
        indexes = (
            models.Index(fields=("user", "room_id", "source_sequence"), name="drawer_in_room_sequence"),
            models.Index(
                fields=("user", "room_id", "said_at", "id"),
                name="drawer_in_room_by_time",
                condition=Q(deleted_at=None),
            ),
            models.Index(fields=("user", "closet_id", "said_at", "id"), name="drawer_in_closet_by_time"),
            models.Index(
                fields=("user", "said_at", "role"),
                name="drawer_by_time",
                condition=Q(deleted_at=None),
            ),
            models.Index(
                fields=("user", "wing_id", "room_id"),
                name="drawer_in_wing",
                condition=Q(deleted_at=None),
            ),
            models.Index(
                fields=("user", "id"), name="drawer_with_secrets_open", condition=Q(secrets_open=True)
            ),
            models.Index(
                fields=("user", "deletion_id"),
                name="drawer_by_deletion",
                condition=Q(deletion_id__isnull=False),
            ),
            models.Index(
                fields=("deleted_at",), name="drawer_in_trash", condition=Q(deleted_at__isnull=False)
            ),
        )

    @property
    def pointer(self) -> Pointer:
        """Its AAAK pointer."""
        return Pointer(self.pointer_wing, self.pointer_room, self.pointer_drawer)

    @property
    def tags(self) -> Tags:
        """Its AAAK tags."""
        return Tags(**{kind: tuple(getattr(self, kind)) for kind in KINDS_OF_TAGS})
