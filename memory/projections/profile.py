"""The profile of a person: values by section, and prose that is always that of today's facts."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memory.models import Fact, OwnWords, Profile
from memory.projections.prose import compose
from memory.projections.values import TELLING, Values, digest_of, in_sections, values_of

OWNER = "owner"


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
        prose=_prose(user_id, values, versions),
        hidden=values.hidden,
        versions=versions,
    )


def prose_of(user_id: UUID, now: datetime) -> Prose:
    """The prose alone: what may be put before a model. It has no paragraphs when nothing is
    known."""
    standing = OwnWords.objects.filter(user_id=user_id, ended_at=None).first()
    if standing is not None:
        return Prose((standing.text,), OWNER)
    return _prose(user_id, values_of(user_id, now, TELLING), ())


def _prose(user_id: UUID, values: Values, versions: Sequence[OwnWords]) -> Prose:
    for words in versions:
        if words.ended_at is None:
            return Prose((words.text,), OWNER)
    stored = Profile.objects.filter(user_id=user_id, written_by=Profile.Writer.MODEL).first()
    if stored is not None and bytes(stored.digest) == digest_of(values.told):
        return Prose(tuple(stored.paragraphs), stored.written_by)
    return Prose(compose(values.told), Profile.Writer.RULES)
