"""The profile, the timeline and the diary."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from ninja import Query, Router

from accounts.http import BearerRequest
from api.doors import WRITE
from api.paging import Asked, Paged, paged
from api.problems import Refused
from api.schemas import projections as told
from memory.diary import days
from memory.preferences import preferences_of, zone_of
from memory.projections import corrections
from memory.projections import timeline as occurrences
from memory.projections.periods import NotInCalendar, Period
from memory.projections.profile import profile_of
from memory.projections.timeline import Choice

router = Router(tags=["Profile and timeline"])


@router.get("profile", response=told.Profile, summary="Who you are")
def profile(request: BearerRequest) -> Any:
    """Values by section, and a few paragraphs made of them or written by the owner."""
    found = profile_of(request.user.id, timezone.now())
    return {
        "text": found.prose.text,
        "written_by": found.prose.written_by,
        "sections": [{"name": name, "facts": facts} for name, facts in found.sections],
        "hidden": found.hidden,
        "versions": found.versions,
    }


@router.put("profile/words", response=told.Standing, auth=WRITE, summary="Your own words")
def write_words(request: BearerRequest, new: told.NewWords) -> Any:
    """Let your own words stand in the place of what Palace wrote."""
    before = corrections.write_own_words(request.user.id, new.text, timezone.now())
    return {"before": before.id if before else None}


@router.post(
    "profile/words/{uuid:words_id}/use", response=told.Standing, auth=WRITE, summary="Use again"
)
def use_words(request: BearerRequest, words_id: UUID) -> Any:
    """Let an earlier version of your words stand again."""
    before = corrections.use_again(request.user.id, words_id, timezone.now())
    return {"before": before.id if before else None}


@router.delete(
    "profile/words/{uuid:words_id}", response=told.Touched, auth=WRITE, summary="Erase words"
)
def erase_words(request: BearerRequest, words_id: UUID) -> Any:
    """Erase a version of your words for good."""
    corrections.erase_words(request.user.id, words_id, timezone.now())
    return {"id": words_id}


@router.post(
    "profile/values/{uuid:fact_id}/hide", response=told.Touched, auth=WRITE, summary="Leave it out"
)
def hide_value(request: BearerRequest, fact_id: UUID) -> Any:
    """Leave a value out of the profile; the fact itself stays."""
    corrections.hide(request.user.id, fact_id, timezone.now())
    return {"id": fact_id}


@router.post(
    "profile/values/{uuid:fact_id}/show", response=told.Touched, auth=WRITE, summary="Take it back"
)
def show_value(request: BearerRequest, fact_id: UUID) -> Any:
    """Take a value back into the profile."""
    corrections.show(request.user.id, fact_id, timezone.now())
    return {"id": fact_id}


@router.get("timeline", response=Paged[told.Occurrence], summary="What happened, newest first")
def timeline(request: BearerRequest, asked: Query[told.WantedOccurrences]) -> Any:
    """Dated events and experiences by the date of the event."""
    try:
        period = Period(asked.year, asked.month, asked.day)
    except NotInCalendar as error:
        raise Refused(422, "There is no such year, month or day.") from error
    choice = Choice(period, kind=asked.kind, words=asked.q, dated=not asked.undated)
    now = timezone.now()
    return paged(occurrences.timeline(request.user.id, choice, now, asked.after, asked.limit))


@router.get("diary", response=Paged[told.Day], summary="The diary, newest day first")
def diary(request: BearerRequest, asked: Query[Asked]) -> Any:
    """What memory learned, changed and forgot, by day. A long day goes on on the next page."""
    zone = zone_of(preferences_of(request.user.id))
    return paged(days(request.user.id, zone, asked.after, asked.limit))
