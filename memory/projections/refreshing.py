"""Keeps the stored profile that of today's facts. Whoever asks again finds nothing to do."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

import structlog
from django.db import transaction
from django.utils.translation import gettext_noop

from llm.errors import ModelError, NoEndpoint
from memory.activity import Happening, record
from memory.metering import can_write, extraction_model, writer_for
from memory.models import ActivityEvent, Fact, OwnWords, Profile, Usage
from memory.placement import lock_palace
from memory.preferences import preferences_of
from memory.projections.composing import compose_with
from memory.projections.prose import compose
from memory.projections.values import digest_of, values_of
from memory.spending import BudgetSpent
from memory.usage import Purpose

SETTLING = timedelta(minutes=5)
TRIES = 3
PAUSES = (timedelta(minutes=10), timedelta(hours=1), timedelta(hours=6))

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Draft:
    """New prose: by whom, and why the model's was not used."""

    paragraphs: tuple[str, ...]
    writer: str
    refused: str = ""


def profile_due(user_id: UUID, now: datetime) -> bool:
    """Whether the stored prose is not that of today's facts, or could be written by a model now.

    It is not written more often than every five minutes while facts keep coming in: readers are
    told by rules meanwhile.
    """
    if OwnWords.objects.filter(user_id=user_id, ended_at=None).exists():
        return False
    stored = Profile.objects.filter(user_id=user_id).first()
    digest = digest_of(values_of(user_id, now).told)
    return _is_due(stored, digest, now) if stored else digest != digest_of(())


def refresh_profile(user_id: UUID, now: datetime) -> bool:
    """Write the prose of today's facts, if it is due; whether anything was written.

    No transaction is open while a model writes. When the facts changed meanwhile, nothing is
    kept and the next sweep begins again.
    """
    if not profile_due(user_id, now):
        return False
    facts = values_of(user_id, now).told
    draft = _draft(user_id, facts, now)
    with transaction.atomic():
        lock_palace(user_id)
        if digest_of(values_of(user_id, now).told) != digest_of(facts):
            return False
        _keep(user_id, digest_of(facts), draft, now)
    return True


def _is_due(stored: Profile, digest: bytes, now: datetime) -> bool:
    if now < max(stored.made_at + SETTLING, stored.next_attempt_at or stored.made_at):
        return False
    return bytes(stored.digest) != digest or (
        stored.written_by == Profile.Writer.RULES
        and bool(stored.paragraphs)
        and stored.attempts < TRIES
        and can_write(*_purpose(stored.user_id, now))
    )


def _purpose(user_id: UUID, now: datetime) -> tuple[Purpose, str]:
    model = extraction_model(preferences_of(user_id).extraction_model)
    return Purpose(user_id, Usage.Source.SUMMARY, now), model


def _draft(user_id: UUID, facts: tuple[Fact, ...], now: datetime) -> _Draft:
    by_rules = _Draft(compose(facts), Profile.Writer.RULES)
    if not facts:
        return by_rules
    purpose, model = _purpose(user_id, now)
    try:
        paragraphs, _, refused = compose_with(writer_for(purpose, model), model, facts)
    except (NoEndpoint, BudgetSpent):
        return by_rules
    except ModelError as error:
        log.warning("profile written without a model", error=type(error).__name__)
        return _Draft(
            by_rules.paragraphs, by_rules.writer, gettext_noop("The model could not be asked.")
        )
    if refused:
        return _Draft(by_rules.paragraphs, by_rules.writer, refused)
    return _Draft(paragraphs, Profile.Writer.MODEL)


def _keep(user_id: UUID, digest: bytes, draft: _Draft, now: datetime) -> None:
    stored = Profile.objects.filter(user_id=user_id).first()
    same_facts = stored is not None and bytes(stored.digest) == digest
    attempts = (stored.attempts if stored and same_facts else 0) + bool(draft.refused)
    Profile.objects.update_or_create(
        user_id=user_id,
        defaults={
            "digest": digest,
            "paragraphs": list(draft.paragraphs),
            "written_by": draft.writer,
            "attempts": attempts,
            "next_attempt_at": now + PAUSES[attempts - 1] if draft.refused else None,
            "made_at": now,
        },
    )
    details = {"by": draft.writer, "refused": draft.refused}
    if not same_facts or draft.writer == Profile.Writer.MODEL:
        record(user_id, Happening(ActivityEvent.Kind.PROFILE_WRITTEN, None, details), now)
