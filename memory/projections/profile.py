"""The profile of a person: values by section, and prose that is always that of today's facts."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import connection

from memory.models import Fact, OwnWords, Profile
from memory.projections.prose import compose
from memory.projections.values import Telling, digest_of, in_sections, told_facts, values_of

OWNER = "owner"

_KEPT = """
SELECT
  (SELECT text FROM memory_ownwords WHERE user_id = %(user)s AND ended_at IS NULL),
  ARRAY(SELECT digest FROM memory_hiddenvalue WHERE user_id = %(user)s),
  stored.digest, stored.paragraphs
FROM (VALUES (1)) AS always
LEFT JOIN memory_profile stored ON stored.user_id = %(user)s AND stored.written_by = %(model)s
"""


@dataclass(frozen=True, slots=True)
class Prose:
    """What is told of a person in a few paragraphs, and by whom: `owner`, `model` or `rules`."""

    paragraphs: tuple[str, ...]
    written_by: str

    @property
    def text(self) -> str:
        """The paragraphs with an empty line between them."""
        return "\n\n".join(self.paragraphs)


@dataclass(frozen=True, slots=True)
class ProfileView:
    """All that the page of a profile shows: sections with their facts, the prose, what is hidden,
    and the owner's own words, when they wrote some, the standing version first."""

    sections: tuple[tuple[str, tuple[Fact, ...]], ...]
    prose: Prose
    hidden: tuple[Fact, ...]
    versions: tuple[OwnWords, ...]

    @property
    def own_words(self) -> OwnWords | None:
        """The version of the owner's words that stands now."""
        return next((words for words in self.versions if words.ended_at is None), None)

    @property
    def earlier(self) -> tuple[OwnWords, ...]:
        """The versions that stood before, newest first."""
        return tuple(words for words in self.versions if words.ended_at is not None)


def profile_of(user_id: UUID, now: datetime) -> ProfileView:
    """The profile as it is now. Prose that a model wrote of other facts than today's is never
    shown: until it is written anew, rules tell today's."""
    values = values_of(user_id, now)
    versions = tuple(OwnWords.objects.filter(user_id=user_id).order_by("-written_at", "-id"))
    return ProfileView(
        sections=in_sections(values.told),
        prose=_kept(user_id).prose(values.told),
        hidden=values.hidden,
        versions=versions,
    )


def prose_of(user_id: UUID, now: datetime) -> Prose:
    """The prose alone: what may be put before a model. It has no paragraphs when nothing is
    known."""
    kept = _kept(user_id)
    if kept.own_words is not None:
        return kept.prose(())
    told, _ = told_facts(user_id, now, frozenset(kept.hidden))
    return kept.prose(told)


@dataclass(frozen=True, slots=True)
class _Kept:
    """What is kept of a profile: the owner's words that stand, the digests of what they hid, and
    a model's prose with the digest of its facts."""

    own_words: str | None
    hidden: tuple[bytes, ...]
    digest: bytes | None
    paragraphs: tuple[str, ...] | None

    def prose(self, told: Sequence[Telling]) -> Prose:
        """What is told of a person of whom these facts are known."""
        if self.own_words is not None:
            return Prose((self.own_words,), OWNER)
        if self.digest is not None and bytes(self.digest) == digest_of(told):
            return Prose(tuple(self.paragraphs or ()), Profile.Writer.MODEL)
        return Prose(compose(told), Profile.Writer.RULES)


def _kept(user_id: UUID) -> _Kept:
    with connection.cursor() as cursor:
        cursor.execute(_KEPT, {"user": user_id, "model": Profile.Writer.MODEL})
        own_words, hidden, digest, paragraphs = cursor.fetchone()
    return _Kept(own_words, tuple(map(bytes, hidden)), digest, paragraphs)
