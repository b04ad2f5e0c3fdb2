"""A user's profile: values by section, and a text that always matches the current facts."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

import structlog
from django.utils.translation import gettext_noop

from llm.errors import ModelError, NoEndpoint
from memory.changes.activity import record
from memory.models import ActivityEvent, Fact, Profile, ProfileText, Usage
from memory.placement import locked_palace
from memory.preferences import preferences_of
from memory.projections.prose import ProseUnusable, compose, compose_for_owner, compose_with
from memory.projections.values import digest_of, in_sections, shown_facts, values_of
from memory.sql import fetch_prepared
from memory.usage.budgets import BudgetSpent
from memory.usage.metering import can_write, extraction_model, writer_for
from memory.usage.records import Purpose

OWNER = "owner"

_STORED = """
SELECT
  (SELECT text FROM memory_profiletext WHERE user_id = %(user)s AND ended_at IS NULL),
  ARRAY(SELECT digest FROM memory_hiddenvalue WHERE user_id = %(user)s),
  stored.digest, stored.paragraphs
FROM (VALUES (1)) AS always
LEFT JOIN memory_profile stored ON stored.user_id = %(user)s AND stored.written_by = %(model)s
"""


@dataclass(frozen=True, slots=True)
class Prose:
    """A few paragraphs about a user, and who wrote them: `owner`, `model` or `rules`."""

    paragraphs: tuple[str, ...]
    written_by: str

    @property
    def text(self) -> str:
        """The paragraphs with an empty line between them."""
        return "\n\n".join(self.paragraphs)


@dataclass(frozen=True, slots=True)
class ProfileView:
    """Everything the profile page shows.

    Sections with their facts, the text, what is hidden, and the versions the owner wrote, the current one
    first.
    """

    sections: tuple[tuple[str, tuple[Fact, ...]], ...]
    prose: Prose
    hidden: tuple[Fact, ...]
    versions: tuple[ProfileText, ...]

    @property
    def own_words(self) -> ProfileText | None:
        return next((words for words in self.versions if words.ended_at is None), None)

    @property
    def earlier(self) -> tuple[ProfileText, ...]:
        return tuple(words for words in self.versions if words.ended_at is not None)


def profile_of(user_id: UUID, now: datetime) -> ProfileView:
    """The profile as it is now.

    Text that a model wrote from outdated facts is never shown: until it is rewritten, rules generate it.
    """
    values = values_of(user_id, now)
    versions = tuple(ProfileText.objects.filter(user_id=user_id).order_by("-written_at", "-id"))
    return ProfileView(
        sections=in_sections(values.shown),
        prose=_stored(user_id).prose(values.shown),
        hidden=values.hidden,
        versions=versions,
    )


def prose_for_owner(view: ProfileView) -> Prose:
    """The prose for its owner: in the second person, unless a model wrote it and calls them by name."""
    is_third_person = any("the user" in paragraph.lower() for paragraph in view.prose.paragraphs)
    if view.prose.written_by == Profile.Writer.RULES or (view.prose.written_by != OWNER and is_third_person):
        facts = [fact for _, several in view.sections for fact in several]
        return Prose(compose_for_owner(facts), Profile.Writer.RULES)
    return view.prose


def prose_of(user_id: UUID, now: datetime) -> Prose:
    """The text only, which models may see; without paragraphs if nothing is known."""
    stored = _stored(user_id)
    if stored.own_words is not None:
        return stored.prose(())
    return stored.prose(shown_facts(user_id, now, stored.hidden))


@dataclass(frozen=True, slots=True)
class _StoredProfile:
    """What is stored of a profile.

    The owner's current text, the digests of what they hid, and a model's text with the digest of its facts.
    """

    own_words: str | None
    hidden: tuple[bytes, ...]
    digest: bytes | None
    paragraphs: tuple[str, ...] | None

    def prose(self, visible: Sequence[Fact]) -> Prose:
        """The text about a user with these facts."""
        if self.own_words is not None:
            return Prose((self.own_words,), OWNER)
        if self.digest is not None and bytes(self.digest) == digest_of(visible):
            return Prose(tuple(self.paragraphs or ()), Profile.Writer.MODEL)
        return Prose(compose(visible), Profile.Writer.RULES)


def _stored(user_id: UUID) -> _StoredProfile:
    parameters = {"user": user_id, "model": Profile.Writer.MODEL}
    ((own_words, hidden, digest, paragraphs),) = fetch_prepared(_STORED, parameters)
    return _StoredProfile(own_words, tuple(map(bytes, hidden)), digest, paragraphs)


REFRESH_INTERVAL = timedelta(minutes=5)
MAX_ATTEMPTS = 3
RETRY_DELAYS = (timedelta(minutes=10), timedelta(hours=1), timedelta(hours=6))

log = structlog.get_logger(__name__)


def profile_due(user_id: UUID, now: datetime) -> bool:
    """Whether the stored text is outdated, or a model could write it now.

    While new facts keep coming in, it is rewritten at most every five minutes; rules generate it meanwhile.
    """
    if ProfileText.objects.filter(user_id=user_id, ended_at=None).exists():
        return False
    stored = Profile.objects.filter(user_id=user_id).first()
    digest = digest_of(values_of(user_id, now).shown)
    return _is_due(stored, digest, now) if stored else digest != digest_of(())


def refresh_profile(user_id: UUID, now: datetime) -> bool:
    """Write the text for the current facts if it is due; returns whether it was written.

    No transaction is open while a model writes. If the facts change meanwhile, nothing is stored and the next
    sweep starts again.
    """
    if not profile_due(user_id, now):
        return False
    facts = values_of(user_id, now).shown
    prose, refused = _draft(user_id, facts, now)
    with locked_palace(user_id):
        if digest_of(values_of(user_id, now).shown) != digest_of(facts):
            return False
        _store(user_id, digest_of(facts), prose, refused, now)
    return True


def _is_due(stored: Profile, digest: bytes, now: datetime) -> bool:
    if now < max(stored.made_at + REFRESH_INTERVAL, stored.next_attempt_at or stored.made_at):
        return False
    return bytes(stored.digest) != digest or (
        stored.written_by == Profile.Writer.RULES
        and bool(stored.paragraphs)
        and stored.attempts < MAX_ATTEMPTS
        and can_write(*_purpose(stored.user_id, now))
    )


def _purpose(user_id: UUID, now: datetime) -> tuple[Purpose, str]:
    model = extraction_model(preferences_of(user_id).extraction_model)
    return Purpose(user_id, Usage.Source.SUMMARY, now), model


def _draft(user_id: UUID, facts: tuple[Fact, ...], now: datetime) -> tuple[Prose, str]:
    """A new text, and why the model's was not used."""
    by_rules = Prose(compose(facts), Profile.Writer.RULES)
    if not facts:
        return by_rules, ""
    purpose, model = _purpose(user_id, now)
    try:
        return Prose(compose_with(writer_for(purpose, model), model, facts), Profile.Writer.MODEL), ""
    except (NoEndpoint, BudgetSpent):
        return by_rules, ""
    except ProseUnusable as reason:
        return by_rules, str(reason)
    except ModelError as error:
        log.warning("profile not written by a model", error=type(error).__name__)
        return by_rules, gettext_noop("The model could not be reached.")


def _store(user_id: UUID, digest: bytes, prose: Prose, refused: str, now: datetime) -> None:
    stored = Profile.objects.filter(user_id=user_id).first()
    same_facts = stored is not None and bytes(stored.digest) == digest
    attempts = (stored.attempts if stored and same_facts else 0) + bool(refused)
    Profile.objects.update_or_create(
        user_id=user_id,
        defaults={
            "digest": digest,
            "paragraphs": list(prose.paragraphs),
            "written_by": prose.written_by,
            "attempts": attempts,
            "next_attempt_at": now + RETRY_DELAYS[attempts - 1] if refused else None,
            "made_at": now,
        },
    )
    details = {"by": prose.written_by, "refused": refused}
    if not same_facts or prose.written_by == Profile.Writer.MODEL:
        record(user_id, ActivityEvent.Kind.PROFILE_WRITTEN, details, now)
