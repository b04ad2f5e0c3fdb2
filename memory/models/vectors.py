"""The tables that recall searches: narrow tables of vectors and words, separate from the text."""

from django.contrib.postgres.search import SearchVectorField
from django.db import models
from pgvector.django import HalfVectorField

from accounts.owned import Owned, owned_reference


class EmbeddingSpace(models.Model):
    """An embedding model at one version, with a short number for vector rows. Shared by all users."""

    id = models.SmallAutoField(primary_key=True)
    name = models.CharField(max_length=120)
    version = models.CharField(max_length=80)
    dimensions = models.PositiveSmallIntegerField()
    search_dimensions = models.PositiveSmallIntegerField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("name", "version"), name="space_once"),)

    def __str__(self) -> str:
        return self.name


class ChunkVector(models.Model):
    """The key of a vector: one chunk of one drawer in one embedding space. `start` and `length`
    are the chunk's character range in the drawer."""

    pk = models.CompositePrimaryKey("user_id", "drawer_id", "space_id", "start")
    user = models.ForeignKey("accounts.User", on_delete=models.CASCADE, related_name="+", db_index=False)
    drawer_id = models.UUIDField()
    drawer = owned_reference("memory.Drawer", "drawer_id")
    space = models.ForeignKey(EmbeddingSpace, on_delete=models.PROTECT, related_name="+", db_index=False)
    start = models.PositiveIntegerField()
    embedding = HalfVectorField()

    class Meta:
        abstract = True


class DrawerVector(ChunkVector):
    """The searched vector: of unit length, or the stored prefix of a longer one.

    Vectors of drawers in the trash are hidden, so that no search has to look up the drawer first.
    """

    length = models.PositiveIntegerField()
    hidden = models.BooleanField(default=False)

    def __str__(self) -> str:
        return f"vector of drawer {self.drawer_id}"


class WideVector(ChunkVector):
    """The full vector behind a stored prefix, read only to rescore the best few hundred."""

    def __str__(self) -> str:
        return f"whole vector of drawer {self.drawer_id}"


class SentenceVectors(models.Model):
    """The sentences of a drawer with a vector each, packed into one value.

    They rescore drawers that a search has found and are never searched themselves. Empty for a drawer without
    sentences.
    """

    pk = models.CompositePrimaryKey("user_id", "drawer_id", "space_id")
    user = models.ForeignKey("accounts.User", on_delete=models.CASCADE, related_name="+", db_index=False)
    drawer_id = models.UUIDField()
    drawer = owned_reference("memory.Drawer", "drawer_id")
    space = models.ForeignKey(EmbeddingSpace, on_delete=models.PROTECT, related_name="+", db_index=False)
    kept = models.BinaryField()

    def __str__(self) -> str:
        return f"sentences of drawer {self.drawer_id}"


class DrawerWords(Owned):
    """The searchable words of a drawer (content and tags); `id` is the drawer's id."""

    room_id = models.UUIDField()
    length = models.PositiveIntegerField()
    words = SearchVectorField()
    hidden = models.BooleanField(default=False)


class Lexeme(models.Model):
    """How many of a user's drawers contain a word: its document frequency, for ranking."""

    pk = models.CompositePrimaryKey("user_id", "lexeme")
    user = models.ForeignKey("accounts.User", on_delete=models.CASCADE, related_name="+", db_index=False)
    lexeme = models.TextField()
    drawers = models.PositiveIntegerField()

    def __str__(self) -> str:
        return f"a word of {self.user_id}"
