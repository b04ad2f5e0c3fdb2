"""The temporal knowledge graph: entities and dated relations between them."""

from datetime import datetime
from functools import cached_property
from uuid import UUID

from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from accounts.owned import Owned, owned_reference
from memory.text.forms import Edge, edge
from memory.text.owner_sentences import kinship_in

OWNER = "user"


def held_at(at: datetime) -> Q:
    """Facts or relations that were true at a moment."""
    return Q(valid_from__lte=at) & (Q(valid_to=None) | Q(valid_to__gt=at))


class Entity(Owned):
    """A node: a person, place, organisation, project, animal, thing or topic.

    The owner of the palace is the entity of type `user`. An entity that was merged into another has no
    relations of its own and is kept so that the merge can be undone.
    """

    name = models.CharField(max_length=200)
    type = models.CharField(max_length=20)
    created_at = models.DateTimeField(default=timezone.now)
    attributes = models.JSONField(default=dict, blank=True)
    merged_into_id = models.UUIDField(null=True)

    class Meta:
        verbose_name_plural = "entities"


class EntityName(Owned):
    """A normalised name of an entity.

    Two entities share a name only in different senses: Paris the person and Paris the place.
    """

    entity_id = models.UUIDField()
    entity = owned_reference("memory.Entity", "entity_id", related_name="names")
    normalised = models.CharField(max_length=200)
    sense = models.CharField(max_length=10, blank=True)
    name = models.CharField(max_length=200)
    is_alias = models.BooleanField(default=False)
    by_owner = models.BooleanField(default=False)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("user", "normalised", "sense"), name="entity_name_per_sense"),
        )
        indexes = (models.Index(fields=("user", "entity_id"), name="entity_name_entity"),)


class Relation(Owned):
    """An edge that held from `valid_from` until `valid_to` (exclusive; open when empty).

    Both follow from its sources. `drawer` holds the words that opened it. Only relations of
    `memory.facts.queries.for_display` know what was `stated`, by a fact, and when it was said (`said_at`).
    """

    said_at: datetime
    stated: dict[str, str] | None

    subject_id = models.UUIDField()
    subject = owned_reference("memory.Entity", "subject_id", related_name="relations_out")
    relation = models.CharField(max_length=120)
    object_id = models.UUIDField()
    object = owned_reference("memory.Entity", "object_id", related_name="relations_in")
    single_valued = models.BooleanField(default=False)
    valid_from = models.DateTimeField()
    valid_to = models.DateTimeField(null=True)
    confidence = models.FloatField()
    drawer_id = models.UUIDField()
    drawer = owned_reference("memory.Drawer", "drawer_id", related_name="relations")
    recorded_at = models.DateTimeField(default=timezone.now)
    deleted_at = models.DateTimeField(null=True)
    deletion_id = models.UUIDField(null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("user", "subject_id", "relation", "object_id", "valid_from"),
                name="relation_once",
            ),
            models.CheckConstraint(
                condition=Q(valid_to=None) | Q(valid_to__gte=F("valid_from")),
                name="relation_ends_after_start",
            ),
        )
        indexes = (
            models.Index(fields=("user", "object_id"), name="relation_by_object"),
            models.Index(
                fields=("user", "-valid_from", "id"),
                condition=Q(deleted_at=None),
                name="relation_lately",
            ),
            models.Index(
                fields=("user", "subject_id", "-valid_from", "id"),
                condition=Q(deleted_at=None),
                name="relation_of_subject_lately",
            ),
            models.Index(
                fields=("user", "object_id", "-valid_from", "id"),
                condition=Q(deleted_at=None),
                name="relation_of_object_lately",
            ),
            models.Index(fields=("user", "drawer_id"), name="relation_by_drawer"),
        )

    @property
    def words(self) -> str:
        """The relation itself in words."""
        return self.relation.replace("_", " ")

    @property
    def subject_name(self) -> str:
        """The name of its subject, "" for the owner."""
        return "" if self.subject.type == OWNER else self.subject.name

    @property
    def object_name(self) -> str:
        """The name of its object, "" for the owner."""
        return "" if self.object.type == OWNER else self.object.name

    @property
    def start_is_stated(self) -> bool:
        """Whether `valid_from` was stated, not just when the relation was said."""
        return self.valid_from != self.said_at

    @property
    def kin(self) -> str:
        """What the owner's fact calls the other ("sister"), if anything."""
        if self.stated is None or OWNER not in (self.subject.type, self.object.type):
            return ""
        return kinship_in(self.stated["statement"], self.stated["object"] or self.stated["value"])

    @cached_property
    def edge(self) -> Edge:
        """The relation as the parts of a sentence to the owner."""
        over = self.valid_to is not None and self.valid_to <= timezone.now()
        subject, other = self.subject_name, self.object_name
        if self.kin:
            words, whose = "was" if over else "is", f"your {self.kin}"
            return Edge(other or subject, words, whose, self.kin, swapped=not subject)
        return edge(self.words, subject, other, over=over)

    @property
    def first_id(self) -> UUID:
        """The entity that the sentence of `edge` begins with."""
        return self.object_id if self.edge.swapped else self.subject_id

    @property
    def second_id(self) -> UUID:
        """The entity that the sentence of `edge` ends with."""
        return self.subject_id if self.edge.swapped else self.object_id


class RelationSource(Owned):
    """A statement that a relation holds from `at`, or `ends` at `at`.

    It has the drawer and the half-open character range of the words, empty if they could not be located.
    Sources are only ever added, and are deleted with their drawer. Relations are computed from them; `edge`
    is the relation this source supports or ended, if any. The owner's own relations are a projection of
    facts: their sources name the fact in `decided_fact_id`, share the id of its FactSource, and are rewritten
    whenever the fact is settled.
    """

    subject_id = models.UUIDField()
    subject = owned_reference("memory.Entity", "subject_id", related_name="said_of")
    relation = models.CharField(max_length=120)
    object_id = models.UUIDField()
    object = owned_reference("memory.Entity", "object_id", related_name="said_with")
    edge_id = models.UUIDField(null=True)
    edge = owned_reference("memory.Relation", "edge_id", related_name="sources", null=True)
    ends = models.BooleanField(default=False)
    at = models.DateTimeField()
    until = models.DateTimeField(null=True)
    single_valued = models.BooleanField(default=False)
    confidence = models.FloatField()
    drawer_id = models.UUIDField()
    drawer = owned_reference("memory.Drawer", "drawer_id", related_name="relation_sources")
    start = models.PositiveIntegerField(null=True)
    end = models.PositiveIntegerField(null=True)
    recorded_at = models.DateTimeField(default=timezone.now)
    decided_fact_id = models.UUIDField(null=True)

    class Meta:
        indexes = (
            models.Index(
                fields=("user", "decided_fact_id"),
                condition=~Q(decided_fact_id=None),
                name="relation_source_decided",
            ),
            models.Index(fields=("user", "subject_id", "relation"), name="relation_source_subject"),
            models.Index(fields=("user", "object_id"), name="relation_source_object"),
            models.Index(fields=("user", "drawer_id"), name="relation_source_drawer"),
            models.Index(fields=("user", "edge_id"), name="relation_source_edge"),
        )
